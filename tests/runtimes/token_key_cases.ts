/**
 * Keys that no runtime may import, whether as JWK or as PEM, and what becomes of those that an application has imported by
 * itself.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { Bytes } from "../../auth/_bytes.ts";
import { JWA, type JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { exportJwk, generateJwk, importJwk, jwkThumbprint, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { signJwt, verifyJwt } from "../../auth/jwt/jwt.ts";
import { importPem } from "../../auth/jwt/pem.ts";
import { ALGORITHMS, KEYS, OKP, P256, P384, reasonOf, RSA, verifying } from "../auth/jwt/_jws.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { FOREIGN, NOW, ORDER, OWN, type Refusal } from "./token_forgery.ts";
import { HIDDEN_KEYS, WEAK_KEYS } from "./token_key_refusals.ts";

/** Keys that are none: why, and what of it is wrong. The algorithm is that of the key. */
const NO_KEYS: readonly (readonly [why: string, alg: JwaAlgorithm, jwk: Jwk])[] = [
  ["a private number of 0", "ES256", { ...P256, d: "A".repeat(43) }],
  ["a private number of the group's order", "ES256", { ...P256, d: encodeBase64Url(ORDER) }],
  ["a private half of another key", "ES256", { ...P256, d: FOREIGN.d ?? "" }],
  ["a private half of another Ed25519 key", "Ed25519", { ...OKP, d: P256.d ?? "" }],
  ["coordinates of another curve", "ES256", { ...publicJwk(P384), crv: "P-256" }],
  ["no second coordinate", "ES256", { kty: "EC", crv: "P-256", x: P256.x ?? "" }],
  ["padding", "ES256", { ...OWN, x: `${OWN.x}=` }],
  ["an even modulus", "RS256", { ...publicJwk(RSA), n: `${RSA.n?.slice(0, -1)}A` }],
  ["an even exponent", "RS256", { ...publicJwk(RSA), e: "BA" }],
  ["more than two primes", "RS256", { ...RSA, oth: [] }],
  ["an unknown type", "ES256", { ...OWN, kty: "ec" }],
  ["a curve of another kind", "Ed25519", { ...publicJwk(OKP), crv: "X25519" }],
];

const PUBLIC_ALGORITHMS: readonly JwaAlgorithm[] = ALGORITHMS.filter((alg) =>
  !alg.startsWith("HS")
);

/** The cases, in the order in which they run. */
export const tokenKeyCases: readonly RuntimeCase[] = [
  ...NO_KEYS.map(([why, alg, jwk]) => ({
    name: `keys: JWK refused: ${why}`,
    run: () => refusesKey(() => importJwk(jwk, { alg })),
  })),
  ...[...WEAK_KEYS, ...HIDDEN_KEYS].map((
    { why, keys = OWN, algorithms: [alg = "ES256"] = [] },
  ) => ({
    name: `keys: PEM refused: ${why}`,
    run: () => refusesKey(() => importPem(toPem(keys as Jwk), { alg })),
  })),
  ...WEAK_KEYS.map((row) => ({
    name: `keys: CryptoKey refused, or never made: ${row.why}`,
    run: () => refusesImported(row),
  })),
  {
    name: "keys: one that is made signs, and is extractable where that is asked for",
    async run() {
      const jwk = await generateJwk("ES384");
      const [kept, shown] = [await importJwk(jwk), await importJwk(jwk, { extractable: true })];
      assertSame([kept.extractable, kept.usages], [false, ["sign"]]);
      assertSame([shown.extractable, shown.type], [true, "private"]);
    },
  },
  ...PUBLIC_ALGORITHMS.map((alg) => ({
    name: `keys: public halves for ${alg} are imported, exported and named alike`,
    run: () => importsPublicHalves(alg),
  })),
];

/** A key that is made and one of an RFC: that of P-521 has a coordinate with a leading zero. */
async function importsPublicHalves(alg: JwaAlgorithm): Promise<void> {
  for (const jwk of [await generateJwk(alg), KEYS[alg]]) {
    const published = verifying(jwk);
    const name = await jwkThumbprint(jwk);
    for (const [given, usage] of [[published, undefined], [jwk, "verify"]] as const) {
      const kept = await importJwk(given, { alg, usage });
      assertSame([kept.type, kept.extractable, kept.usages], ["public", false, ["verify"]]);
      await refusesExport(kept);
      const shown = await importJwk(given, { alg, usage, extractable: true });
      assertSame([shown.type, shown.extractable, shown.usages], ["public", true, ["verify"]]);
      const { alg: _, ...exported } = await exportJwk(shown);
      const { alg: __, kid: ___, ...own } = publicJwk(published);
      assertSame(sorted(exported), sorted(own));
      assertSame([await jwkThumbprint(exported), await jwkThumbprint(published)], [name, name]);
      const token = await signJwt({ sub: "u1" }, { algorithms: [alg], key: jwk, expiresIn: 60 });
      for (const keys of [kept, shown]) {
        const { claims } = await verifyJwt(token, { algorithms: [alg], keys });
        assertSame(claims.sub, "u1");
      }
    }
  }
}

async function refusesExport(key: CryptoKey): Promise<void> {
  const error = await exportJwk(key).catch((error: unknown) => error);
  assert(error instanceof TypeError && error.message.includes("not extractable"), String(error));
}

function sorted(members: object): readonly unknown[] {
  return Object.entries(members).sort(([a], [b]) => a < b ? -1 : 1);
}

async function refusesKey(importKey: () => Promise<CryptoKey>): Promise<void> {
  try {
    await importKey();
  } catch (error) {
    const isRefusal = error instanceof TypeError && error.message.startsWith("Cannot import key: ");
    assert(isRefusal, String(error));
    return;
  }
  throw new Error("it was imported");
}

/** Some runtimes refuse such keys themselves; what they take is refused when it is to verify. */
async function refusesImported({ keys, token, algorithms = ["ES256"] }: Refusal): Promise<void> {
  const { keyParams } = JWA[algorithms[0] ?? "ES256"];
  const key = await crypto.subtle.importKey("jwk", { ...keys } as JsonWebKey, keyParams, true, [
    "verify",
  ])
    .catch(() => undefined);
  if (key === undefined) return;
  const forged = await token();
  const reason = await reasonOf(() => verifyJwt(forged, { algorithms, keys: key, now: () => NOW }));
  assert(reason === "key_mismatch" || reason === "signature_invalid", String(reason));
}

/** ASN.1's names of RSA, of keys on P-256, and of Ed25519. */
const NAMES: Readonly<Record<string, string>> = {
  RSA: "MA0GCSqGSIb3DQEBAQUA",
  EC: "MBMGByqGSM49AgEGCCqGSM49AwEH",
  OKP: "MAUGAytlcA",
};

/** A public key as PEM, whatever its numbers. */
function toPem({ kty, n, e, x, y }: Jwk): string {
  const [first, second] = [n ?? x ?? "", e ?? y ?? ""].map(decodeBase64Url);
  const numbers = [...first ?? [], ...second ?? []];
  const key = kty === "RSA"
    ? der(0x30, [...der(2, [0, ...first ?? []]), ...der(2, second ?? [])])
    : kty === "EC"
    ? [4, ...numbers]
    : numbers;
  const spki = der(0x30, [...decodeBase64Url(NAMES[kty] ?? ""), ...der(3, [0, ...key])]);
  const body = btoa(String.fromCharCode(...spki));
  return `-----BEGIN PUBLIC KEY-----\n${body}\n-----END PUBLIC KEY-----\n`;
}

function der(tag: number, content: readonly number[] | Bytes): readonly number[] {
  const { length } = content;
  const size = length < 128
    ? [length]
    : length < 256
    ? [0x81, length]
    : [0x82, length >> 8, length & 255];
  return [tag, ...size, ...content];
}
