/**
 * The catalogue "JWT and JWS": keys that are mistaken for others, and who chooses the algorithm. Signatures are right
 * unless a row says otherwise; rows are only added.
 */

import { assertEquals, assertRejects } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { utf8 } from "../../auth/_bytes.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { exportJwk, importJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk, VerificationKeys, VerifyJwsOptions } from "../../auth/jwt/types.ts";
import { verifyJws } from "../../auth/jwt/jws.ts";
import { verifyJwt } from "../../auth/jwt/jwt.ts";
import {
  encoded,
  forge,
  KEYS,
  OCT,
  OKP,
  P256,
  P384,
  reasonOf,
  RSA,
  verifying,
} from "../auth/jwt/_jws.ts";

const HS: VerifyJwsOptions = { algorithms: ["HS256"], keys: OCT };

/** Why a token is refused. */
function reason(token: string, options: VerifyJwsOptions): Promise<string | undefined> {
  return reasonOf(() => verifyJws(token, options));
}

Deno.test("[ATTACKS, CVE-2015-9235] key: HMAC with a public key as the secret, in any form → refused", async () => {
  for (const [alg, jwk] of [["RS256", RSA], ["ES256", P256], ["EdDSA", OKP]] as const) {
    const publicKey = await importJwk(verifying(jwk), { alg, extractable: true });
    const der = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
    const base64 = btoa(String.fromCharCode(...der));
    const pem = `-----BEGIN PUBLIC KEY-----\n${base64}\n-----END PUBLIC KEY-----\n`;
    const jwkText = JSON.stringify(await exportJwk(publicKey));
    for (const secret of [der, utf8(pem), utf8(pem.trim()), utf8(jwkText), utf8(base64)]) {
      const k = encodeBase64Url(secret);
      for (const hs of ["HS256", "HS384", "HS512"] as const) {
        if (secret.length < Number(hs.slice(2)) / 8) continue;
        const token = await forge({ alg: hs, key: { kty: "oct", k } });
        const algorithms: JwaAlgorithm[] = [hs, alg];
        const expected = { jwk: "key_mismatch", set: "key_unknown", both: "key_ambiguous" };
        assertEquals(await reason(token, { algorithms, keys: publicKey }), expected.jwk);
        assertEquals(await reason(token, { algorithms, keys: verifying(jwk) }), expected.jwk);
        assertEquals(
          await reason(token, { algorithms, keys: { keys: [verifying(jwk)] } }),
          expected.set,
        );
        const mixed = { keys: [verifying(jwk), OCT] };
        assertEquals(await reason(token, { algorithms, keys: mixed }), expected.both);
        assertEquals(
          await reason(token, { algorithms: [alg], keys: publicKey }),
          "alg_not_allowed",
        );
      }
    }
  }
});

const ALL: JwaAlgorithm[] = ["HS256", "RS256", "PS256", "ES256", "ES384", "EdDSA", "RS512"];

/** The algorithm that signed and is in the header, and the key that a token is verified with. */
const OTHER_KEYS: readonly (readonly [
  source: string,
  attack: string,
  alg: JwaAlgorithm,
  jwk: Jwk,
])[] = [
  ["CVE-2015-9235", "a secret for an elliptic signature", "ES256", OCT],
  ["CVE-2015-9235", "a secret for RSA", "RS256", OCT],
  ["ATTACKS", "P-384 for ES256", "ES256", P384],
  ["ATTACKS", "P-256 for ES384", "ES384", P256],
  ["neighbour", "RSA for ES256", "ES256", RSA],
  ["neighbour", "Ed25519 for ES256", "ES256", OKP],
  ["neighbour", "P-256 for EdDSA", "EdDSA", P256],
  ["RFC 7517 §4.4", "a key of PS256 for RS256", "RS256", { ...RSA, alg: "PS256" }],
  ["RFC 7517 §4.4", "a key of RS512 for RS256", "RS256", { ...RSA, alg: "RS512" }],
  ["RFC 7517 §4.4", "a key of RSA-OAEP for RS256", "RS256", { ...RSA, alg: "RSA-OAEP" }],
  ["ATTACKS", "a secret that may only sign", "HS256", { ...OCT, key_ops: ["sign"] }],
  ["ATTACKS", "a key for encryption", "ES256", { ...P256, use: "enc" }],
  ["neighbour", "a key for deriving", "ES256", { ...P256, key_ops: ["deriveBits"] }],
  ["neighbour", "a key that may do nothing", "ES256", { ...P256, key_ops: [] }],
  ["neighbour", "a key whose key_ops are a text", "ES256", {
    ...P256,
    key_ops: "verify" as unknown as string[],
  }],
];

for (const [source, attack, alg, jwk] of OTHER_KEYS) {
  Deno.test(`[${source}] key: ${attack} → key_mismatch`, async () => {
    const token = await forge({ alg });
    const keys = jwk.kty === "oct" ? jwk : { ...verifying(jwk), ...pickOps(jwk) };
    assertEquals(await reason(token, { algorithms: ALL, keys }), "key_mismatch");
  });
}

function pickOps({ key_ops }: Jwk): Partial<Jwk> {
  return key_ops === undefined ? {} : { key_ops };
}

Deno.test("[ATTACKS] key: a CryptoKey of another algorithm, hash, curve or use, or a weak one → key_mismatch", async () => {
  const rows: readonly (readonly [JwaAlgorithm, JwaAlgorithm])[] = [
    ...[["RS256", "PS256"], ["PS256", "RS256"], ["RS256", "RS512"], ["RS512", "RS256"]] as const,
    ...[["ES256", "ES384"], ["ES384", "ES256"], ["HS256", "HS512"], ["EdDSA", "ES256"]] as const,
    ...[["HS256", "RS256"], ["RS256", "HS256"], ["ES256", "EdDSA"]] as const,
  ];
  for (const [alg, of] of rows) {
    const keys = await importJwk(verifying(KEYS[of]), { alg: of, usage: "verify" });
    const algorithms: JwaAlgorithm[] = [alg, of];
    const token = await forge({ alg });
    assertEquals(await reason(token, { algorithms, keys }), "key_mismatch", `${alg} ${of}`);
  }
  for (const alg of ["RS256", "PS256", "ES256", "EdDSA"] as const) {
    const keys = await importJwk(KEYS[alg], { alg, usage: "sign" });
    assertEquals(await reason(await forge({ alg }), { algorithms: [alg], keys }), "key_mismatch");
  }
  const { subtle } = crypto;
  const params = { name: "HMAC", hash: "SHA-256" };
  const secret = decodeBase64Url(OCT.k ?? "");
  const signOnly = await subtle.importKey("raw", secret, params, false, ["sign"]);
  const short = await subtle.importKey("raw", secret.slice(0, 31), params, false, ["verify"]);
  const weak = await subtle.generateKey(
    {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 1_024,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    },
    false,
    ["sign", "verify"],
  );
  assertEquals(await reason(await forge({}), { ...HS, keys: signOnly }), "key_mismatch");
  assertEquals(await reason(await forge({}), { ...HS, keys: short }), "key_mismatch");
  const rs = { algorithms: ["RS256"] as const, keys: weak.publicKey };
  assertEquals(await reason(await forge({ alg: "RS256" }), rs), "key_mismatch");
});

Deno.test("[ATTACKS] key: a point off its curve that the runtime imports → signature_invalid", async () => {
  // Deno imports this point, which is not on the curve, and throws as soon as it has to verify
  const params = { name: "ECDSA", namedCurve: "P-256" };
  const { kty, crv = "", x = "" } = P256;
  const jwk = { kty, crv, x, y: x };
  const imported = crypto.subtle.importKey("jwk", jwk, params, false, ["verify"]);
  const keys = await imported.catch(() => undefined);
  if (keys === undefined) return; // a runtime that refuses it at once
  const token = await forge({ alg: "ES256" });
  assertEquals(await reason(token, { algorithms: ["ES256"], keys }), "signature_invalid");
});

Deno.test("[neighbour] key: text or bytes, whatever they are → TypeError", async () => {
  const secret = decodeBase64Url(OCT.k ?? "");
  const token = await forge({});
  const wrong = [
    "secret",
    OCT.k,
    secret,
    secret.buffer,
    [OCT],
    [secret],
    new Map(),
    Symbol(),
    5,
    true,
  ];
  for (const keys of wrong) {
    const options = { algorithms: ["HS256"] as const, keys: keys as unknown as VerificationKeys };
    await assertRejects(() => verifyJws(token, options), TypeError, "Cannot verify token: ");
  }
});

/** Options that leave the choice of the algorithm to the token. */
const OPEN: readonly (readonly [source: string, what: string, options: object])[] = [
  ["ATTACKS", "no allowlist", {}],
  ["GHSA-qwph-4952-7xr6", "an allowlist that is undefined", { algorithms: undefined }],
  ["GHSA-qwph-4952-7xr6", "an allowlist with none in it", { algorithms: ["HS256", "none"] }],
  ["GHSA-f67f-6cw9-8mq4", "an algorithm in place of a list", { algorithms: "HS256" }],
  ["neighbour", "the option of another library", { alg: "HS256" }],
  ["neighbour", "null", { algorithms: null }],
  ["neighbour", "an empty list", { algorithms: [] }],
  ["neighbour", "a set", { algorithms: new Set(["HS256"]) }],
  ["neighbour", "every algorithm", { algorithms: ["*"] }],
];

for (const [source, what, algorithms] of OPEN) {
  Deno.test(`[${source}] options: ${what} → TypeError, whatever the token`, async () => {
    const options = { keys: OCT, ...algorithms } as unknown as VerifyJwsOptions;
    const unsigned = `${encoded({ alg: "none" })}.${encoded({ sub: "u1" })}.`;
    for (const token of [await forge({}), unsigned, ""]) {
      for (const verify of [verifyJws, verifyJwt]) {
        await assertRejects(() => verify(token, options), TypeError, "Cannot verify token: ");
      }
    }
  });
}
