/**
 * Encrypted keys created independently by `node:crypto`, with arbitrary headers; and key services that store
 * them.
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

export const TODAY = "the secret of today, which only the tests know";
export const OLD = "the secret of before, which only the tests know";
export const OTHER = "a secret of somebody else, who is no test";

/** HKDF parameters of a purpose. These must never change, or stored keys could no longer be decrypted. */
export const INFO = "gatehouse/v1/signing-keys";

/** The encryption key of a secret. */
export function nodeKey(secret: string = TODAY): Bytes {
  return new Uint8Array(hkdfSync("sha256", utf8(secret), new Uint8Array(), INFO, 32));
}

/** A stored key before encryption; its times all differ. */
export const STORED: StoredKey = {
  kid: "the key",
  alg: "ES256",
  key: P256,
  createdAt: 1_700_000_000,
  activeAt: 1_700_000_720,
  retiredAt: 1_700_009_000,
};

/** Decrypts a string stored beside {@linkcode STORED}, with optional changes. */
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

/** The header of an encrypted key: the JWE parameters, and all that is stored with the key. */
export function headerOf({ key: _, kid, ...key }: StoredKey): EncryptedKeyHeader {
  return { alg: "dir", enc: "A256GCM", cty: "jwk+json", kid, key };
}

/** The decoded header of a JWE. */
export function readHeader(text: unknown): unknown {
  return JSON.parse(new TextDecoder().decode(decodeBase64Url(partsOf(String(text)).header)));
}

/** The decoded parts of a compact JWE; the header stays encoded. */
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

/** Decrypts a compact JWE, checking authenticity only. @throws {Error} If it is not authentic. */
export function openByNode(text: string, secret: string = TODAY): string {
  const { header, iv, ciphertext, tag } = partsOf(text);
  const decipher = createDecipheriv("aes-256-gcm", nodeKey(secret), iv);
  decipher.setAAD(utf8(header));
  decipher.setAuthTag(tag);
  return decipher.update(ciphertext, undefined, "utf8") + decipher.final("utf8");
}

/** Contents of a JWE. */
export interface Sealing {
  /** The header, as an object or as a string. */
  readonly header: object | string;
  readonly plaintext: string;
  readonly secret?: string;
  readonly ivBytes?: number;
  readonly tagBytes?: number;
}

/** Creates an authentic compact JWE with any header. */
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

/** The error for a ring that cannot be decrypted. */
export const REFUSED = "Cannot use key ring: a key cannot be decrypted by the given secret";

/** A process with the given secrets. */
export function withSecret(
  bench: KeyBench,
  secret: string | readonly string[],
  options: Partial<KeyServiceOptions> = {},
): KeyService {
  return bench.service({ keys: deriveKeys(secret), ...options });
}

/** The secret that decrypts each stored key. */
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

/** Asserts that the stored ring is not used to sign, publish or verify, and is not written. */
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
