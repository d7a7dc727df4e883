/**
 * Encrypted keys computed a second time, by `node:crypto`, for whatever header a test has in mind; and services that keep
 * such keys.
 *
 * @module
 */

import { assertRejects } from "@std/assert";
import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { decodeBase64Url, encodeBase64Url } from "../../../auth/_base64url.ts";
import { type Bytes, utf8 } from "../../../auth/_bytes.ts";
import { type DecryptedJwk, decryptJwk } from "../../../auth/keys/_jwe.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import type { KeyService, KeyServiceOptions } from "../../../auth/keys/key_service.ts";
import type { StoredKey } from "../../../auth/stores/types.ts";
import { P256 } from "../jwt/_jws.ts";
import type { KeyBench } from "./_key_service.ts";

export const TODAY = "the secret of today, 32 bytes or more";
export const OLD = "the secret of before, 32 bytes or more";
export const OTHER = "a secret of somebody else, 32 bytes or more";

/** What the keys of a purpose are derived by. These may never change: what was encrypted before would open no more. */
export const INFO = "gatehouse/v1/signing-keys";

/** The key that encrypts by a secret. */
export function nodeKey(secret: string = TODAY): Bytes {
  return new Uint8Array(hkdfSync("sha256", utf8(secret), new Uint8Array(), INFO, 32));
}

/** A key that is kept, before it is encrypted: it was made, begins and ends at different times. */
export const STORED: StoredKey = {
  kid: "the key",
  alg: "ES256",
  key: P256,
  createdAt: 1_700_000_000,
  activeAt: 1_700_000_720,
  retiredAt: 1_700_009_000,
};

/** Opens a text that stands beside what {@linkcode STORED} says, changed as it may be. */
export function openText(text: unknown, beside: object = {}): Promise<DecryptedJwk | undefined> {
  return decryptJwk({ ...STORED, ...beside, key: text }, deriveKeys([TODAY, OLD]));
}

/** The header of an encrypted key. */
export interface EncryptedKeyHeader {
  readonly alg: string;
  readonly enc: string;
  readonly cty: string;
  readonly kid: string;
  readonly key: Omit<StoredKey, "kid" | "key">;
}

/** What the header of a key says: what the JWE is, and all that is kept beside it. */
export function headerOf({ key: _, kid, ...key }: StoredKey): EncryptedKeyHeader {
  return { alg: "dir", enc: "A256GCM", cty: "jwk+json", kid, key };
}

/** What the header of a text says. */
export function readHeader(text: unknown): unknown {
  return JSON.parse(new TextDecoder().decode(decodeBase64Url(partsOf(String(text)).header)));
}

/** The parts of a compact JWE, decoded; the first as it is. */
export interface JweParts {
  readonly header: string;
  readonly encryptedKey: string;
  readonly iv: Bytes;
  readonly ciphertext: Bytes;
  readonly tag: Bytes;
}

export function partsOf(text: string): JweParts {
  const [header = "", encryptedKey = "", ...others] = text.split(".");
  const [iv, ciphertext, tag] = others.map(decodeBase64Url);
  if (iv === undefined || ciphertext === undefined || tag === undefined) {
    throw new TypeError("Cannot read parts: there are too few");
  }
  return { header, encryptedKey, iv, ciphertext, tag };
}

export function joinParts({ header, encryptedKey, iv, ciphertext, tag }: JweParts): string {
  return [header, encryptedKey, ...[iv, ciphertext, tag].map(encodeBase64Url)].join(".");
}

/** Opens a compact JWE, and looks at nothing but whether it is authentic. @throws {Error} If it is not. */
export function openByNode(text: string, secret: string = TODAY): string {
  const { header, iv, ciphertext, tag } = partsOf(text);
  const decipher = createDecipheriv("aes-256-gcm", nodeKey(secret), iv);
  decipher.setAAD(utf8(header));
  decipher.setAuthTag(tag);
  return decipher.update(ciphertext, undefined, "utf8") + decipher.final("utf8");
}

/** What a JWE is made of. */
export interface Sealing {
  /** The header, as it is or as its text. */
  readonly header: object | string;
  readonly plaintext: string;
  readonly secret?: string;
  readonly ivBytes?: number;
  readonly tagBytes?: number;
}

/** Makes an authentic compact JWE, whatever its header says. */
export function sealByNode(
  { header, plaintext, secret, ivBytes = 12, tagBytes = 16 }: Sealing,
): string {
  const json = typeof header === "string" ? header : JSON.stringify(header);
  const encoded = encodeBase64Url(utf8(json));
  const iv = crypto.getRandomValues(new Uint8Array(ivBytes));
  const options = { authTagLength: tagBytes };
  const cipher = createCipheriv("aes-256-gcm", nodeKey(secret), iv, options);
  cipher.setAAD(utf8(encoded));
  const ciphertext = Uint8Array.from([...cipher.update(plaintext, "utf8"), ...cipher.final()]);
  const tag = Uint8Array.from(cipher.getAuthTag());
  return joinParts({ header: encoded, encryptedKey: "", iv, ciphertext, tag });
}

/** What is said of a ring that does not open. */
export const REFUSED = "Cannot use key ring: a key cannot be decrypted by the given secret";

/** A process that has secrets. */
export function withSecret(
  bench: KeyBench,
  secret: string | readonly string[],
  options: Partial<KeyServiceOptions> = {},
): KeyService {
  return bench.service({ keys: deriveKeys(secret), ...options });
}

/** Which of the secrets opens each key that is kept. */
export async function secretsOf(bench: KeyBench): Promise<string[]> {
  return (await bench.ring()).map(({ key }) =>
    [TODAY, OLD, OTHER].find((secret) => opens(key, secret)) ?? "none"
  );
}

function opens(key: unknown, secret: string): boolean {
  try {
    return openByNode(String(key), secret) !== "";
  } catch {
    return false;
  }
}

/** Nothing is signed, published or verified by the ring that is kept, and nothing is written. */
export async function assertRefused(service: KeyService, kid: string): Promise<void> {
  const attempts: readonly (() => unknown)[] = [
    () => service.sign({}, { expiresIn: 60 }),
    () => service.jwks(),
    () => service.resolve({ alg: "Ed25519", kid }),
    () => service.rotate(),
  ];
  for (const attempt of attempts) {
    await assertRejects(async () => await attempt(), TypeError, REFUSED);
  }
}
