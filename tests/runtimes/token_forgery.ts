/**
 * Forged tokens: good ones with something changed, and signed again where that takes a signature.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { Bytes } from "../../auth/_bytes.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk, JwkSet, TokenFailure } from "../../auth/jwt/types.ts";
import { encoded, forge, P256, sealed } from "../auth/jwt/_jws.ts";

/** A token, and with which keys it meets its refusal. */
export interface Refusal {
  readonly why: string;
  /** The one reason, wherever it runs. */
  readonly reason: TokenFailure;
  /** What jose does: `differs` where it leaves that to the runtime. @default {"refuses"} */
  readonly jose?: "refuses" | "takes" | "differs";
  token(): string | Promise<string>;
  /** What it is verified with. @default {@linkcode OWN} */
  readonly keys?: Jwk | JwkSet;
  /** What is allowed. @default {["ES256"]} */
  readonly algorithms?: readonly JwaAlgorithm[];
}

/** The time of all rows. */
export const NOW = 1_700_000_000;

/** Claims with which nothing is wrong. */
export const CLAIMS: { readonly sub: string; readonly exp: number } = { sub: "u1", exp: NOW + 600 };

/** The key of the rows that name none. */
export const OWN: Jwk = publicJwk(P256);

/** Somebody else's key, which a token may bring along. */
export const FOREIGN: Jwk = {
  kty: "EC",
  crv: "P-256",
  x: "weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ",
  y: "e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck",
  d: "VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw",
};

/** How many points the curve has: r and s are less. */
export const ORDER: Bytes = decodeBase64Url("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE");

/** A token that is right but for its header and payload. */
export function es256(
  header: unknown = { alg: "ES256" },
  payload: unknown = CLAIMS,
  key: Jwk = P256,
): Promise<string> {
  return forge({ alg: "ES256", key, header, payload });
}

/** A good token with one part written in another way. Each of its parts would be padded. */
export async function rewritten(part: number, rewrite: (text: string) => string): Promise<string> {
  const parts = (await es256(PADDED)).split(".");
  return parts.map((text, i) => i === part ? rewrite(text) : text).join(".");
}

/** A good token with a signature made of its own. */
export async function resigned(change: (signature: Bytes) => Bytes): Promise<string> {
  return await rewritten(2, (text) => encodeBase64Url(change(decodeBase64Url(text))));
}

/** A good token but for the alphabet of its signature, in which both differ. */
export async function plainAlphabet(): Promise<string> {
  const signature = /[-_]/;
  let token = "";
  do token = await es256(); while (!signature.test(token.slice(-86)));
  return token.replaceAll("-", "+").replaceAll("_", "/");
}

/** A good token with padding behind one part, which is signed along with it. */
export async function padded(part: number): Promise<string> {
  const pad = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, "=");
  if (part === 2) return await rewritten(part, pad);
  const parts = [PADDED, CLAIMS].map(encoded);
  return await sealed(
    parts.map((text, i) => i === part ? pad(text) : text).join("."),
    "ES256",
    P256,
  );
}

/** A good token of so many bytes. */
export async function longToken(length: number): Promise<string> {
  const bare = JSON.stringify({ ...CLAIMS, pad: "" });
  const encodedLength = length - 30 - 86 - 2;
  const pad = "a".repeat(Math.floor(encodedLength * 3 / 4) - bare.length);
  return await es256(PADDED, { ...CLAIMS, pad });
}

/** Two integers in ASN.1, as most programs write a signature of ECDSA. */
export function toDer(signature: Bytes): Bytes {
  const content = [signature.slice(0, 32), signature.slice(32)].flatMap((number) => {
    const digits = [0, ...number];
    while (digits[0] === 0 && (digits[1] ?? 0) < 0x80) digits.shift();
    return [2, digits.length, ...digits];
  });
  return new Uint8Array([0x30, content.length, ...content]);
}

/** A header of 22 bytes, which are 30 characters. */
const PADDED = { alg: "ES256", x: 12 };
