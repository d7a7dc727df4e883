/**
 * Tokens that have to be refused on every runtime, for the same reason, and what jose makes of each with the same keys.
 *
 * @module
 */

import { encodeBase64Url } from "../../auth/_base64url.ts";
import { publicJwk } from "../../auth/jwt/jwk.ts";
import { encoded, forge } from "../auth/jwt/_jws.ts";
import {
  CLAIMS,
  es256,
  FOREIGN,
  longToken,
  ORDER,
  OWN,
  padded,
  plainAlphabet,
  type Refusal,
  resigned,
  rewritten,
  toDer,
} from "./token_forgery.ts";

/** Tokens whose header is wrong. */
export const HEADER_REFUSALS: readonly Refusal[] = [
  {
    why: "alg none, and no signature",
    reason: "alg_not_allowed",
    token: () => `${encoded({ alg: "none" })}.${encoded(CLAIMS)}.`,
  },
  { why: "alg nOnE, and one", reason: "alg_not_allowed", token: () => es256({ alg: "nOnE" }) },
  { why: "no alg", reason: "token_malformed", token: () => es256({ typ: "JWT" }) },
  { why: "alg as a number", reason: "token_malformed", token: () => es256({ alg: 256 }) },
  {
    why: "an algorithm that is not allowed",
    reason: "alg_not_allowed",
    token: () => forge({ alg: "ES256", payload: CLAIMS }),
    algorithms: ["ES384", "HS256"],
  },
  {
    why: "HS256 under a public key's text, which is a secret to who mixes them",
    reason: "key_mismatch",
    token: () => forge({ key: { kty: "oct", k: encoded(OWN) }, payload: CLAIMS }),
    algorithms: ["ES256", "HS256"],
  },
  {
    why: "HS256 under a public key's coordinate",
    reason: "key_mismatch",
    token: () => forge({ key: { kty: "oct", k: OWN.x ?? "" }, payload: CLAIMS }),
    algorithms: ["ES256", "HS256"],
  },
  {
    why: "a key of the sender's, embedded as jwk",
    reason: "signature_invalid",
    token: () => es256({ alg: "ES256", jwk: publicJwk(FOREIGN) }, CLAIMS, FOREIGN),
  },
  {
    why: "addresses of the sender's, as jku and x5u",
    reason: "signature_invalid",
    token: () => es256({ alg: "ES256", jku: "https://evil.example/", x5u: "x" }, CLAIMS, FOREIGN),
  },
  {
    why: "crit of an extension that nobody knows",
    reason: "crit_unsupported",
    token: () => es256({ alg: "ES256", crit: ["x"], x: 1 }),
  },
  {
    why: "crit of nothing",
    reason: "crit_unsupported",
    token: () => es256({ alg: "ES256", crit: [] }),
  },
  {
    why: "crit of a registered member",
    reason: "crit_unsupported",
    token: () => es256({ alg: "ES256", crit: ["alg"] }),
  },
  {
    why: "a payload that is not encoded, RFC 7797",
    reason: "crit_unsupported",
    token: () => es256({ alg: "ES256", b64: false, crit: ["b64"] }),
  },
  {
    why: "b64 that crit does not name: one program would honour it, another not",
    reason: "crit_unsupported",
    jose: "takes",
    token: () => es256({ alg: "ES256", b64: false }),
  },
  {
    why: "a type that was not asked for: access tokens are no ID tokens",
    reason: "typ_mismatch",
    jose: "takes",
    token: () => es256({ alg: "ES256", typ: "at+jwt" }),
  },
  {
    why: "kid as a number",
    reason: "token_malformed",
    jose: "takes",
    token: () => es256({ alg: "ES256", kid: 1 }),
  },
  {
    why: "alg twice: one program would take the first, another the last",
    reason: "token_malformed",
    jose: "takes",
    token: () => es256('{"alg":"none","alg":"ES256"}'),
  },
  {
    why: "a header that names __proto__",
    reason: "token_malformed",
    jose: "takes",
    token: () => es256('{"alg":"ES256","__proto__":{}}'),
  },
];

/** Tokens that are written in another way than ours. */
export const FORM_REFUSALS: readonly Refusal[] = [
  ...[0, 1, 2].map((part): Refusal => ({
    why: `padding behind part ${part + 1}`,
    reason: "token_malformed",
    jose: "takes",
    token: () => padded(part),
  })),
  {
    why: "a blank in the signature",
    reason: "token_malformed",
    jose: "takes",
    token: () => rewritten(2, (text) => `${text} `),
  },
  {
    why: "the alphabet of plain Base64",
    reason: "token_malformed",
    token: plainAlphabet,
  },
  {
    why: "a last character with bits of no byte",
    reason: "token_malformed",
    jose: "takes",
    token: () =>
      rewritten(2, (text) => text.slice(0, -1) + String.fromCharCode(text.charCodeAt(85) + 1)),
  },
  {
    why: "16,385 bytes",
    reason: "token_too_large",
    jose: "takes",
    token: () => longToken(16_385),
  },
  {
    why: "two parts",
    reason: "token_malformed",
    token: async () => (await es256()).split(".", 2).join("."),
  },
  {
    why: "four parts",
    reason: "token_malformed",
    token: () => rewritten(2, (text) => `${text}.${text}`),
  },
  {
    why: "the serialisation in JSON",
    reason: "token_malformed",
    async token() {
      const [header, payload, signature] = (await es256()).split(".");
      return JSON.stringify({ protected: header, payload, signature });
    },
  },
  { why: "no text in it", reason: "token_malformed", token: () => "" },
];

/** Tokens whose signature is wrong, or which say what they may not. */
export const SIGNATURE_REFUSALS: readonly Refusal[] = [
  { why: "no signature", reason: "signature_invalid", token: () => rewritten(2, () => "") },
  {
    why: "r and s of 0 (CVE-2022-21449)",
    reason: "signature_invalid",
    token: () => rewritten(2, () => encodeBase64Url(new Uint8Array(64))),
  },
  {
    why: "r of 0",
    reason: "signature_invalid",
    token: () => resigned((bytes) => bytes.fill(0, 0, 32)),
  },
  {
    why: "r and s of the group's order",
    reason: "signature_invalid",
    token: () => resigned((bytes) => (bytes.set(ORDER), bytes.set(ORDER, 32), bytes)),
  },
  { why: "a signature in DER", reason: "signature_invalid", token: () => resigned(toDer) },
  {
    why: "63 bytes",
    reason: "signature_invalid",
    token: () => resigned((bytes) => bytes.slice(0, -1)),
  },
  {
    why: "65 bytes",
    reason: "signature_invalid",
    token: () => resigned((bytes) => new Uint8Array([...bytes, 0])),
  },
  ...([
    ["a claim twice", '{"sub":"u1","sub":"u2","exp":1700000600}', "claims_malformed", "takes"],
    ["__proto__", '{"exp":1700000600,"__proto__":{}}', "claims_malformed", "takes"],
    ["a list", "[]", "claims_malformed", "refuses"],
    ["null", "null", "claims_malformed", "refuses"],
    ["no end", "{}", "exp_missing", "takes"],
    ["an end in text", '{"exp":"1700000600"}', "exp_malformed", "refuses"],
    ["an endless end", '{"exp":1e400}', "exp_malformed", "takes"],
    ["an end that has come", '{"exp":1699999970}', "expired", "refuses"],
    ["an audience, where nobody asks", '{"exp":1700000600,"aud":"x"}', "aud_mismatch", "takes"],
  ] as const).map(([what, payload, reason, jose]): Refusal => ({
    why: `a payload with ${what}`,
    reason,
    jose,
    token: () => es256({ alg: "ES256" }, payload),
  })),
];
