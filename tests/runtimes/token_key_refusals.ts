/**
 * Keys that no runtime may verify with, whatever the token, and what jose makes of each.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { type Bytes, utf8 } from "../../auth/_bytes.ts";
import { publicJwk } from "../../auth/jwt/jwk.ts";
import { encoded, forge, OKP, P384, P521, RSA } from "../auth/jwt/_jws.ts";
import { CLAIMS, es256, FOREIGN, OWN, type Refusal } from "./token_forgery.ts";

/** Another one, of which a good token may be. */
const OTHER = publicJwk(FOREIGN);

const SHORT: Bytes = new Uint8Array(31).fill(1);

/** The neutral element: under it, the neutral element and 0 are a signature of anything. */
const NEUTRAL: Bytes = new Uint8Array(32).fill(1, 0, 1);

/** Keys that verify what nobody has signed, or that are easily broken. They are so as CryptoKey, too. */
export const WEAK_KEYS: readonly Refusal[] = [
  {
    why: "RSA with an exponent of 1, under which a padded hash is its own signature",
    reason: "key_mismatch",
    jose: "differs", // Node verifies it
    keys: { ...publicJwk(RSA), e: "AQ" },
    algorithms: ["RS256"],
    token: unsignedRsa,
  },
  {
    why: "RSA of 1,024 bits",
    reason: "key_mismatch",
    keys: {
      kty: "RSA",
      n: "stQc-3aMwe-a7UEtbbZ-IauBfV6oZJ5GwdKIBBTwjElYpqF69zHwiaCAAFWTkJFICtVzqyuZqOe1UWum0awQpCm7" +
        "C2xHCykVOc7Mjy9SILNSmrz12t7AD2i0Z8aCrBoZi60bO5IUsmR8Hd-atlrsYov8t9wZ7uMf2XYzXCUO0Sc",
      e: "AQAB",
    },
    algorithms: ["RS256"],
    token: () =>
      "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ1MSIsImV4cCI6MTcwMDAwMDYwMH0." +
      "Q31Fvu9m-P4Ru6SkLHMQ4uBhyXJjryrFwhZKIS72W_tD5Kama82QNcPHO0IlbYjtnpXCZUzZKSEyA17daaRQ6CIIua6H" +
      "kdbJX84sD4q6ISmhmYpdtsJQB8uJmwtSaoW5FfzELkpNDK8JPWr9O0C8Fn46d7gQ0Vn-hiFMkiP76jc",
  },
  {
    why: "a point that is on no curve",
    reason: "key_mismatch",
    keys: { ...OWN, y: OTHER.y ?? "" },
    token: () => es256(),
  },
];

/** Keys that only JSON and PEM show as what they are: Web Crypto imports them, and says no more of them. */
export const HIDDEN_KEYS: readonly Refusal[] = [
  {
    why: "a coordinate of 33 bytes",
    reason: "key_mismatch",
    jose: "takes",
    keys: { ...OWN, x: encodeLonger(OWN.x) },
    token: () => es256(),
  },
  {
    why: "a point of order 1, under which anything is signed",
    reason: "key_mismatch",
    jose: "differs", // Node 24 refuses it
    keys: { kty: "OKP", crv: "Ed25519", x: encodeBase64Url(NEUTRAL) },
    algorithms: ["Ed25519"],
    token: () => unsigned("Ed25519", encodeBase64Url(new Uint8Array([...NEUTRAL, ...ZEROS]))),
  },
];

/** Keys that are too short, or for something else. */
export const KEY_REFUSALS: readonly Refusal[] = [
  {
    why: "a secret of 31 bytes for a hash of 32",
    reason: "key_mismatch",
    jose: "takes",
    keys: { kty: "oct", k: encodeBase64Url(SHORT) },
    algorithms: ["HS256"],
    token: () => shortHmac(),
  },
  {
    why: "a key of another curve",
    reason: "key_mismatch",
    keys: publicJwk(P384),
    token: () => es256(),
  },
  {
    why: "ES512 by a key of P-256",
    reason: "key_mismatch",
    keys: OWN,
    algorithms: ["ES512"],
    token: () => forge({ alg: "ES512", key: P521, payload: CLAIMS }),
  },
  {
    why: "PS256 by a key that is for RS256",
    reason: "key_mismatch",
    keys: { ...publicJwk(RSA), alg: "RS256" },
    algorithms: ["RS256", "PS256"],
    token: () => forge({ alg: "PS256", payload: CLAIMS }),
  },
  {
    why: "EdDSA by a key that is for Ed25519",
    reason: "key_mismatch",
    keys: { ...publicJwk(OKP), alg: "Ed25519" },
    algorithms: ["EdDSA", "Ed25519"],
    token: () => forge({ alg: "EdDSA", payload: CLAIMS }),
  },
  {
    why: "a key for encryption",
    reason: "key_mismatch",
    keys: { ...OWN, use: "enc" },
    token: () => es256(),
  },
  {
    why: "a key whose operations are others",
    reason: "key_mismatch",
    keys: { ...OWN, key_ops: ["deriveBits"] },
    token: () => es256(),
  },
  {
    why: "a key whose operations name one twice, RFC 7517 §4.3",
    reason: "key_mismatch",
    keys: { ...OWN, key_ops: ["verify", "verify"] },
    token: () => es256(),
  },
];

/** Sets of keys of which none is the token's, or more than one. */
export const SET_REFUSALS: readonly Refusal[] = [
  {
    why: "a key id that is not in the set",
    reason: "key_unknown",
    keys: { keys: [{ ...OWN, kid: "a" }] },
    token: () => es256({ alg: "ES256", kid: "b" }),
  },
  {
    why: "a key id of __proto__",
    reason: "key_unknown",
    keys: { keys: [{ ...OWN, kid: "a" }] },
    token: () => es256({ alg: "ES256", kid: "__proto__" }),
  },
  {
    why: "a key id that is there twice",
    reason: "key_ambiguous",
    keys: { keys: [{ ...OWN, kid: "a" }, { ...OTHER, kid: "a" }] },
    token: () => es256({ alg: "ES256", kid: "a" }),
  },
  {
    why: "a key id that is there twice, once as a secret",
    reason: "key_ambiguous",
    jose: "takes",
    keys: { keys: [{ kty: "oct", k: encoded(OWN), kid: "a" }, { ...OWN, kid: "a" }] },
    token: () => es256({ alg: "ES256", kid: "a" }),
  },
  {
    why: "no key id, where two keys would do",
    reason: "key_ambiguous",
    keys: { keys: [OWN, OTHER] },
    token: () => es256(),
  },
  {
    why: "an empty set",
    reason: "key_unknown",
    keys: { keys: [] },
    token: () => es256(),
  },
];

const ZEROS: Bytes = new Uint8Array(32);

function encodeLonger(coordinate = ""): string {
  return encodeBase64Url(new Uint8Array([0, ...decodeBase64Url(coordinate)]));
}

function unsigned(alg: string, signature: string): string {
  return `${encoded({ alg })}.${encoded(CLAIMS)}.${signature}`;
}

/** RFC 8017 §9.2: what a signature is before it is raised to a power; to that of 1, it is one. */
async function unsignedRsa(): Promise<string> {
  const input = unsigned("RS256", "").slice(0, -1);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(input)));
  const info = decodeBase64Url("MDEwDQYJYIZIAWUDBAIBBQAEIA"); // SHA-256, in ASN.1
  const padding = new Uint8Array(256 - 3 - info.length - digest.length).fill(255);
  const signature = new Uint8Array([0, 1, ...padding, 0, ...info, ...digest]);
  return `${input}.${encodeBase64Url(signature)}`;
}

/** Signed by Web Crypto, since we sign by no such key. */
async function shortHmac(): Promise<string> {
  const input = unsigned("HS256", "").slice(0, -1);
  const params = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", SHORT, params, false, ["sign"]);
  const signature = await crypto.subtle.sign(params, key, utf8(input));
  return `${input}.${encodeBase64Url(new Uint8Array(signature))}`;
}
