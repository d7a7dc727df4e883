/** The catalogue "JWT and JWS": weak and malformed keys; rows are only added. */

import { assertEquals, assertRejects } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { encodeHex } from "../../auth/_bytes.ts";
import { AuthError } from "../../auth/error.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { importJwk } from "../../auth/jwt/jwk.ts";
import { verifyJws } from "../../auth/jwt/jws.ts";
import type { FoundKeys, Jwk, JwkSet, JwsHeader, VerificationKeys } from "../../auth/jwt/types.ts";
import { forge, OCT, OKP, P256, P384, P521, reasonOf, RSA, verifying } from "../auth/jwt/_jws.ts";

/** Bytes in hexadecimal digits as base64url. */
function b64(hex: string): string {
  return encodeBase64Url(Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16)));
}

/** An odd composite number with a number of bits. */
function modulus(bits: number): string {
  const bytes = new Uint8Array(Math.ceil(bits / 8)).fill(0xff);
  bytes[0] = 0xff >> (-bits & 7);
  return encodeBase64Url(bytes);
}

const zeroed = (text = "") => encodeBase64Url(new Uint8Array([0, ...decodeBase64Url(text)]));
const cut = (text = "") => encodeBase64Url(decodeBase64Url(text).slice(1));
const P = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
const N = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const plusP = (text = "") => { // the same coordinate plus the field's prime
  const sum = BigInt(`0x${encodeHex(decodeBase64Url(text))}`) + BigInt(`0x${P}`);
  return b64(sum.toString(16).padStart(66, "0"));
};

const ec = verifying(P256);
const rsa = verifying(RSA);
const okp = verifying(OKP);

const REFUSED: readonly (readonly [
  source: string,
  attack: string,
  jwk: Record<string, unknown>,
  alg: JwaAlgorithm,
])[] = [
  ...[512, 1_024].map((bits) =>
    ["ATTACKS", `RSA with ${bits} bits`, { ...rsa, n: modulus(bits) }, "RS256"] as const
  ),
  ...[1_536, 2_040, 2_047].map((bits) =>
    ["neighbour", `RSA with ${bits} bits`, { ...rsa, n: modulus(bits) }, "RS256"] as const
  ),
  ["neighbour", "RSA with 16,384 bits", { ...rsa, n: modulus(16_384) }, "RS256"],
  ["neighbour", "an even modulus", { ...rsa, n: `${RSA.n?.slice(0, -2)}oA` }, "RS256"],
  ["RFC 7518 §6.3.1.1", "a modulus with a leading zero", { ...rsa, n: zeroed(RSA.n) }, "RS256"],
  ["neighbour", "2,047 bits with a leading zero", { ...rsa, n: zeroed(cut(RSA.n)) }, "RS256"],
  ["neighbour", "an empty modulus", { ...rsa, n: "" }, "RS256"],
  ["ATTACKS", "an exponent of 1, which signs everything", { ...rsa, e: "AQ" }, "RS256"],
  ["neighbour", "an exponent of 0", { ...rsa, e: "AA" }, "RS256"],
  ["neighbour", "an exponent of 2", { ...rsa, e: "Ag" }, "PS256"],
  ["neighbour", "an even exponent", { ...rsa, e: "AQAA" }, "PS256"],
  ["neighbour", "an exponent of 1 with leading zeros", { ...rsa, e: "AAAB" }, "RS256"],
  ["neighbour", "no exponent", { ...rsa, e: undefined }, "RS256"],
  ["neighbour", "an exponent as a number", { ...rsa, e: 65_537 }, "RS256"],
  ["neighbour", "an exponent as long as a modulus", { ...rsa, e: RSA.n }, "RS256"],
  ["RFC 7518 §6.3.2.7", "more than two primes", { ...RSA, oth: [{}] }, "RS256"],
  ["neighbour", "a private key without its primes", { ...rsa, d: RSA.d }, "RS256"],
  ["neighbour", "a private exponent of another key", { ...RSA, d: RSA.dp }, "RS256"],

  ["ATTACKS", "a point off its curve", { ...ec, y: P256.x }, "ES256"],
  ["ATTACKS", "a point off P-384", { ...verifying(P384), y: P384.x }, "ES384"],
  ["ATTACKS", "a point off P-521", { ...verifying(P521), y: P521.x }, "ES512"],
  ["neighbour", "a point with one bit changed", { ...ec, y: `${P256.y?.slice(0, -1)}4` }, "ES256"],
  [
    "neighbour",
    "the point 0, 0",
    { ...ec, x: b64("00".repeat(32)), y: b64("00".repeat(32)) },
    "ES256",
  ],
  ["neighbour", "a coordinate equal to the field's prime", { ...ec, x: b64(P) }, "ES256"],
  ["neighbour", "a coordinate of one bits only", { ...ec, x: b64("ff".repeat(32)) }, "ES256"],
  ["neighbour", "a coordinate larger than the field's prime", { ...ec, x: plusP(P256.x) }, "ES256"],
  ["ATTACKS", "a coordinate with a leading zero", { ...ec, x: zeroed(P256.x) }, "ES256"],
  [
    "neighbour",
    "both coordinates with a leading zero",
    { ...ec, x: zeroed(P256.x), y: zeroed(P256.y) },
    "ES256",
  ],
  ["ATTACKS", "a short coordinate", { ...ec, x: cut(P256.x) }, "ES256"],
  ["neighbour", "an empty coordinate", { ...ec, y: "" }, "ES256"],
  ["neighbour", "no y, as a compressed point has", { ...ec, y: undefined }, "ES256"],
  ["neighbour", "y as a number", { ...ec, y: 0 }, "ES256"],
  [
    "RFC 7518 §6.2.1.2",
    "P-521 without leading zeros",
    { ...verifying(P521), x: cut(P521.x) },
    "ES512",
  ],
  ["neighbour", "the coordinates of P-384 as P-256", { ...verifying(P384), crv: "P-256" }, "ES256"],
  ["ATTACKS", "P-384 for ES256", verifying(P384), "ES256"],
  ["ATTACKS", "P-256 for ES384", ec, "ES384"],
  ["neighbour", "an unsupported curve", { ...ec, crv: "secp256k1" }, "ES256"],
  ["neighbour", "a curve named like an object's member", { ...ec, crv: "constructor" }, "ES256"],
  ["neighbour", "a curve in lower case", { ...ec, crv: "p-256" }, "ES256"],
  ["neighbour", "no curve", { ...ec, crv: undefined }, "ES256"],
  ["neighbour", "a private value of 0", { ...P256, d: b64("00".repeat(32)) }, "ES256"],
  ["neighbour", "a private value equal to the order", { ...P256, d: b64(N) }, "ES256"],
  ["neighbour", "a private value of one bits only", { ...P256, d: b64("ff".repeat(32)) }, "ES256"],
  ["neighbour", "a short private value", { ...P256, d: cut(P256.d) }, "ES256"],
  [
    "neighbour",
    "a private value of another point",
    { ...P256, d: `j${P256.d?.slice(1, -2)}AA` },
    "ES256",
  ],

  ["neighbour", "Ed25519 of 31 bytes", { ...okp, x: cut(OKP.x) }, "EdDSA"],
  ["neighbour", "Ed25519 of 33 bytes", { ...okp, x: zeroed(OKP.x) }, "EdDSA"],
  ["neighbour", "an empty Ed25519 key", { ...okp, x: "" }, "EdDSA"],
  ["neighbour", "X25519", { ...okp, crv: "X25519" }, "EdDSA"],
  ["neighbour", "Ed448", { ...okp, crv: "Ed448" }, "EdDSA"],
  [
    "neighbour",
    "a y that is not on the curve",
    { ...okp, x: b64(`02${"00".repeat(31)}`) },
    "EdDSA",
  ],
  [
    "neighbour",
    "a private value of another key",
    { ...OKP, x: b64(`06${"00".repeat(31)}`) },
    "EdDSA",
  ],
  ["neighbour", "a private value of 31 bytes", { ...OKP, d: cut(OKP.d) }, "Ed25519"],

  ["neighbour", "an empty secret", { ...OCT, k: "" }, "HS256"],
  ["ATTACKS", "a secret of 31 bytes for HS256", { ...OCT, k: b64("01".repeat(31)) }, "HS256"],
  ["ATTACKS", "a secret of 47 bytes for HS384", { ...OCT, k: b64("01".repeat(47)) }, "HS384"],
  ["ATTACKS", "a secret of 63 bytes for HS512", { ...OCT, k: b64("01".repeat(63)) }, "HS512"],
  ["neighbour", "a secret with white space", { ...OCT, k: ` ${OCT.k}` }, "HS256"],
  ["neighbour", "a secret with padding", { ...OCT, k: `${OCT.k}==` }, "HS256"],
  [
    "neighbour",
    "a secret in base64 instead of base64url",
    { ...OCT, k: `+/${OCT.k?.slice(2)}` },
    "HS256",
  ],
  [
    "neighbour",
    "a secret with non-zero unused bits",
    { ...OCT, k: `${OCT.k?.slice(0, -1)}x` },
    "HS256",
  ],
  ["neighbour", "a secret as an array of bytes", { ...OCT, k: [1, 2, 3] }, "HS256"],
  ["neighbour", "a public key that also has a secret", { ...ec, k: OCT.k }, "HS256"],
  ["neighbour", "a secret that also has a point", { ...ec, ...OCT }, "ES256"],

  ["ATTACKS", "a key for encryption", { ...ec, use: "enc" }, "ES256"],
  ["neighbour", "a use in upper case", { ...ec, use: "SIG" }, "ES256"],
  ["neighbour", "a use that is an array", { ...ec, use: ["sig"] }, "ES256"],
  ["neighbour", "empty key_ops", { ...ec, key_ops: [] }, "ES256"],
  ["ATTACKS", "key_ops for encryption", { ...ec, key_ops: ["encrypt"] }, "ES256"],
  ["neighbour", "key_ops as a string", { ...ec, key_ops: "verify" }, "ES256"],
  ["RFC 7517 §4.3", "a duplicate in key_ops", { ...ec, key_ops: ["verify", "verify"] }, "ES256"],
  ["RFC 7517 §4.4", "another alg", { ...ec, alg: "ES384" }, "ES256"],
  ["neighbour", "an alg that is null", { ...ec, alg: null }, "ES256"],
  ["neighbour", "a kty in lower case", { ...ec, kty: "ec" }, "ES256"],
  ["neighbour", "a kty of another type", { ...ec, kty: "RSA" }, "ES256"],
  ["neighbour", "a kty named like an object's member", { ...ec, kty: "toString" }, "ES256"],
];

for (const [source, attack, jwk, alg] of REFUSED) {
  Deno.test(`[${source}] key: ${attack} → neither imported nor used for ${alg}`, async () => {
    const keys = jwk as unknown as Jwk;
    const { message } = await assertRejects(() => importJwk(keys, { alg }), TypeError);
    assertEquals(message.startsWith("Cannot import key: "), true, message);
    for (const part of [jwk.n, jwk.x, jwk.y, jwk.k, jwk.d]) {
      if (typeof part === "string" && part.length > 8) assertEquals(message.includes(part), false);
    }
    // An invalid private value does not affect verification, which ignores it
    const isPrivate = jwk.d !== undefined && jwk.kty !== "oct";
    if (isPrivate) return;
    const reason = await reasonOf(async () =>
      await verifyJws(await forge({ alg }), { algorithms: [alg], keys })
    );
    assertEquals(reason, "key_mismatch");
  });
}

/** Encodings of the eight points of small order, with both signs, and non-canonical: RFC 7748 §7, RFC 8032 §5.1.7. */
const SMALL_ORDER: readonly (readonly [source: string, hex: string])[] = [
  ["ATTACKS", `01${"00".repeat(31)}`],
  ["ATTACKS", "00".repeat(32)],
  ["ATTACKS", `${"00".repeat(31)}80`],
  ["ATTACKS", `01${"00".repeat(30)}80`],
  ["ATTACKS", `ec${"ff".repeat(30)}7f`],
  ["ATTACKS", `ec${"ff".repeat(31)}`],
  ["ATTACKS", `ed${"ff".repeat(30)}7f`],
  ["ATTACKS", `ed${"ff".repeat(31)}`],
  ["ATTACKS", `ee${"ff".repeat(30)}7f`],
  ["ATTACKS", `ee${"ff".repeat(31)}`],
  ["ATTACKS", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"],
  ["ATTACKS", "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"],
  ["ATTACKS", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
  ["ATTACKS", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"],
  ["neighbour", `f0${"ff".repeat(30)}7f`], // non-canonical y of a point of large order
  ["neighbour", "ff".repeat(32)],
];

for (const [source, hex] of SMALL_ORDER) {
  Deno.test(`[${source}] key: Ed25519 ${hex.slice(0, 4)}…${hex.slice(-2)}, a point of small order → rejected`, async () => {
    const jwk = { ...okp, x: b64(hex) };
    await assertRejects(() => importJwk(jwk), TypeError, "Cannot import key: the point");
    const zeros = `${"eyJhbGciOiJFZERTQSJ9."}e30.${b64(`01${"00".repeat(63)}`)}`;
    const verify = () => verifyJws(zeros, { algorithms: ["EdDSA"], keys: jwk });
    assertEquals(await reasonOf(verify), "key_mismatch");
  });
}

/** Key IDs that could be interpreted. */
const KIDS: readonly (readonly [source: string, kid: string])[] = [
  ["ATTACKS", "../../x"],
  ["neighbour", "..%2f..%2fetc/passwd"],
  ["neighbour", "file:///dev/null"],
  ["neighbour", "/dev/null"],
  ["ATTACKS", "' OR '1'='1"],
  ["neighbour", "k1\0"],
  ["ATTACKS", "__proto__"],
  ["neighbour", "constructor"],
  ["neighbour", "hasOwnProperty"],
  ["neighbour", "0"],
  ["neighbour", "length"],
  ["neighbour", ""],
  ["neighbour", " k1"],
  ["neighbour", "k1 "],
  ["neighbour", "K1"],
  ["neighbour", "k1\n"],
  ["neighbour", "http://127.0.0.1:9/k1"],
  ["neighbour", "$(id)"],
  ["neighbour", "{{7*7}}"],
  ["neighbour", "k1,k2"],
  ["neighbour", "k\u0131"],
  ["neighbour", "ｋ1"],
  ["neighbour", "\ud800"],
  ["neighbour", "a".repeat(1_024)],
];

/** The result for a token that names a key of a set. */
async function reasonFor(kid: string): Promise<string | undefined> {
  const keys: JwkSet = {
    keys: [{ ...OCT, kid: "k1" }, { ...OCT, kid: "k2", use: "enc" }, { ...OCT }],
  };
  const token = await forge({ header: { alg: "HS256", kid } });
  return await reasonOf(() => verifyJws(token, { algorithms: ["HS256"], keys }));
}

for (const [source, kid] of KIDS) {
  Deno.test(`[${source}] kid: ${JSON.stringify(kid).slice(0, 30)} → key_unknown`, async () => {
    assertEquals(await reasonFor(kid), "key_unknown");
  });
}

Deno.test("[neighbour] kid: a key for encryption, or 1,025 characters → rejected, unlike the right key", async () => {
  assertEquals([await reasonFor("k1"), await reasonFor("k2")], ["accepted", "key_mismatch"]);
  assertEquals(await reasonFor("a".repeat(1_025)), "token_malformed");
});

Deno.test("[neighbour] set: two matching keys → key_ambiguous", async () => {
  const token = await forge({ header: { alg: "HS256", kid: "k1" } });
  const bare = await forge({});
  const other = { ...OCT, k: encodeBase64Url(new Uint8Array(32).fill(1)) };
  const reason = (jws: string, ...keys: Jwk[]) =>
    reasonOf(() => verifyJws(jws, { algorithms: ["HS256", "ES256"], keys: { keys } }));
  assertEquals(
    await reason(token, { ...OCT, kid: "k1" }, { ...other, kid: "k1" }),
    "key_ambiguous",
  );
  assertEquals(await reason(token, { ...OCT, kid: "k1" }, { ...OCT, kid: "k1" }), "key_ambiguous");
  assertEquals(await reason(token, { ...OCT, kid: "k1" }, { ...ec, kid: "k1" }), "key_ambiguous");
  assertEquals(await reason(bare, OCT, other), "key_ambiguous");
  assertEquals(await reason(bare, { ...OCT, kid: "k1" }), "accepted");
  assertEquals(await reason(bare, { ...OCT, use: "enc" }, OCT), "accepted");
  // Public keys and a secret in one set: a published key is not secret
  assertEquals(await reason(bare, { ...OCT, kid: "k1" }, ec), "key_ambiguous");
  assertEquals(await reason(token, { ...OCT, kid: "k1" }, { ...ec, kid: "k2" }), "key_ambiguous");
  // RFC 7517 §5: unknown key types are ignored
  const foreign = [null, "key", 5, [], { kty: 5 }] as unknown as Jwk[];
  assertEquals(await reason(token, ...foreign, { ...OCT, kid: "k1" }), "accepted");
  assertEquals(await reason(bare, ...foreign, OCT), "accepted");
  const newer = { kty: "AKP", alg: "ML-DSA-44", pub: "AA" };
  assertEquals(await reason(await forge({ alg: "ES256" }), ...foreign, newer, ec), "accepted");
  assertEquals(await reason(bare), "key_unknown");
  assertEquals(await reason(bare, ec), "key_unknown");
});

Deno.test("[ATTACKS] kid: well-formed tokens of an allowed algorithm → one lookup, others → none", async () => {
  const asked: JwsHeader[] = [];
  const keys: VerificationKeys = (header) => (asked.push(header), OCT);
  const verify = (jws: string) => reasonOf(() => verifyJws(jws, { algorithms: ["HS256"], keys }));
  const bad = [
    "",
    "a.b.c",
    await forge({ header: { alg: "none", kid: "x" } }),
    await forge({ header: { alg: "HS512", kid: "x" } }),
    await forge({ header: { alg: "HS256", kid: 5 } }),
    await forge({ header: { alg: "HS256", crit: ["x"], kid: "x" } }),
    `${await forge({ header: { alg: "HS256" } })}=`,
    "a".repeat(20_000),
  ];
  for (const jws of bad) await verify(jws);
  assertEquals(asked, []);
  for (const [, kid] of KIDS) {
    assertEquals(await verify(await forge({ header: { alg: "HS256", kid } })), "accepted");
  }
  assertEquals(
    asked.map(({ kid }) => kid),
    KIDS.map(([, kid]) => kid.toWellFormed() === kid ? kid : "\ud800"),
  );
});

Deno.test("[neighbour] resolver: its errors → passed on; no key or an invalid one → rejected", async () => {
  const token = await forge({});
  const find = (keys: () => unknown) =>
    verifyJws(token, { algorithms: ["HS256"], keys: keys as () => FoundKeys });
  const own = new AuthError("service_unavailable");
  assertEquals(await assertRejects(() => find(() => Promise.reject(own))), own);
  await assertRejects(
    () =>
      find(() => {
        throw new RangeError("x");
      }),
    RangeError,
    "x",
  );
  assertEquals(await reasonOf(() => find(() => undefined)), "key_unknown");
  assertEquals(await reasonOf(() => find(() => [])), "key_unknown");
  assertEquals(await reasonOf(() => find(() => [OCT, { ...OCT }])), "key_ambiguous");
  assertEquals(await reasonOf(() => find(() => [ec, OCT])), "accepted");
  assertEquals(await reasonOf(() => find(() => ec)), "key_mismatch");
  // With a kid, which the resolver has seen, two keys are ambiguous even if only one fits
  const named = await forge({ header: { alg: "HS256", kid: "k1" } });
  const both = { algorithms: ["HS256"] as const, keys: () => [ec, OCT] };
  assertEquals(await reasonOf(() => verifyJws(named, both)), "key_ambiguous");
  for (
    const found of [null, "secret", new Uint8Array(64), {}, { keys: [OCT] }, [null], ["s"], true, 0]
  ) {
    await assertRejects(() => find(() => found), TypeError, "Cannot verify token: ");
  }
});
