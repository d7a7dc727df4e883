/** Compact JWS: the examples of RFC 7515 appendix A and RFC 8037, round trips, options, and key selection. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { utf8 } from "../../../auth/_bytes.ts";
import {
  checkAlgorithms,
  isJwaAlgorithm,
  JWA,
  type JwaAlgorithm,
  verifySignature,
} from "../../../auth/jwt/jwa.ts";
import { importJwk } from "../../../auth/jwt/jwk.ts";
import { jwsVerifier, signJws, verifyJws } from "../../../auth/jwt/jws.ts";
import type { Jwk, VerificationKeys, VerifyJwsOptions } from "../../../auth/jwt/types.ts";
import { written } from "../_decode.ts";
import {
  ALGORITHMS,
  forge,
  KEYS,
  OCT,
  OKP,
  P256,
  P384,
  P521,
  reasonOf,
  RSA,
  signature,
  verifying,
} from "./_jws.ts";

const JOE = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';
const JOE_PART =
  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";

/** [section, algorithm, key, token, payload, whether the signature is deterministic] */
const EXAMPLES: readonly (readonly [string, JwaAlgorithm, Jwk, string, string, boolean])[] = [
  [
    "RFC 7515 A.1", // its header has a line break, which signJws() does not write
    "HS256",
    OCT,
    `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${JOE_PART}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
    JOE,
    false,
  ],
  [
    "RFC 7515 A.2",
    "RS256",
    RSA,
    `eyJhbGciOiJSUzI1NiJ9.${JOE_PART}.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5R` +
    "Zmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnby" +
    "TyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqt" +
    "FZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_Ioy" +
    "pGlUPQGe77Rw",
    JOE,
    true,
  ],
  [
    "RFC 7515 A.3",
    "ES256",
    P256,
    `eyJhbGciOiJFUzI1NiJ9.${JOE_PART}.` +
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
    JOE,
    false,
  ],
  [
    "RFC 7515 A.4",
    "ES512",
    P521,
    "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-" +
    "mZZqwqT2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnw" +
    "NrmxYbSW9ERBXukOXolLzeO_Jn",
    "Payload",
    false,
  ],
  [
    "RFC 8037 A.4",
    "EdDSA",
    OKP,
    "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg" +
    "3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
    "Example of Ed25519 signing",
    true,
  ],
];

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

for (const [section, alg, key, token, payload, isSame] of EXAMPLES) {
  Deno.test(`verifyJws() matches ${section}`, async () => {
    const verified = await verifyJws(token, { algorithms: [alg], keys: verifying(key) });
    assertEquals([verified.header.alg, text(verified.payload)], [alg, payload]);
    const again = await signJws(payload, { algorithms: [alg], key });
    assertEquals(again === token, isSame);
  });
}

for (const alg of ALGORITHMS) {
  Deno.test(`signJws() and verifyJws() round-trip ${alg}, by JWK and by CryptoKey`, async () => {
    const jwk = { ...KEYS[alg], kid: "k1" };
    const keys = [jwk, await importJwk(jwk, { alg, usage: "sign" })];
    const verifiers: VerificationKeys[] = [
      verifying(jwk),
      await importJwk(jwk, { alg, usage: "verify" }),
      { keys: [verifying(jwk)] },
      () => verifying(jwk),
      () => Promise.resolve([verifying(jwk)]),
    ];
    const payload = utf8("é\0 any bytes");
    for (const key of keys) {
      const token = await signJws(payload, { algorithms: [alg], key, header: { kid: "k1" } });
      for (const each of verifiers) {
        const { header, payload: got } = await verifyJws(token, { algorithms: [alg], keys: each });
        assertEquals<unknown>([header, got], [{ alg, kid: "k1" }, payload]);
      }
    }
  });

  Deno.test(`verifyJws() accepts signatures of Web Crypto for ${alg}`, async () => {
    const token = await forge({ alg, payload: "p" });
    const keys = verifying(KEYS[alg]);
    assertEquals(text((await verifyJws(token, { algorithms: [alg], keys })).payload), "p");
  });
}

Deno.test("signJws() signs strings in UTF-8 and bytes of every type, including empty ones", async () => {
  const options = { algorithms: ["HS256"], key: OCT } as const;
  const bytes = utf8("xé");
  const padded = new Uint8Array([0, ...bytes, 0]);
  const same = [
    "xé",
    bytes,
    bytes.buffer,
    padded.subarray(1, -1),
    new DataView(padded.buffer, 1, bytes.length),
  ];
  const made = await Promise.all(same.map((payload) => signJws(payload, options)));
  assertEquals(new Set(made).size, 1);
  const { payload } = await verifyJws(await signJws("", options), {
    algorithms: ["HS256"],
    keys: OCT,
  });
  assertEquals(payload.length, 0);
});

Deno.test("signJws() uses the first algorithm of the array that matches the key", async () => {
  const algorithms = ["ES256", "RS256", "HS512", "HS256"] as const;
  const alg = async (key: Jwk) =>
    (await verifyJws(await signJws("", { algorithms, key }), { algorithms, keys: verifying(key) }))
      .header.alg;
  assertEquals(
    [await alg(P256), await alg(RSA), await alg(OCT), await alg({ ...OCT, alg: "HS256" })],
    ["ES256", "RS256", "HS512", "HS256"],
  );
});

Deno.test("signJws() writes alg first, the key's kid, and the members of the header", async () => {
  const key = { ...OCT, kid: "own" };
  const headerOf = async (header?: Record<string, unknown>) => {
    const options = { algorithms: ["HS256"] as const, key };
    return written(await signJws("", header === undefined ? options : { ...options, header }))
      .header;
  };
  assertEquals(await headerOf(), '{"alg":"HS256","kid":"own"}');
  assertEquals(await headerOf({ typ: "x" }), '{"alg":"HS256","kid":"own","typ":"x"}');
  assertEquals(await headerOf({ kid: "other" }), '{"alg":"HS256","kid":"other"}');
  assertEquals(await headerOf({ kid: undefined }), '{"alg":"HS256"}');
});

for (const name of ["alg", "crit", "b64"]) {
  Deno.test(`signJws() rejects a header with ${name}`, async () => {
    const options = { algorithms: ["HS256"], key: OCT, header: { [name]: "HS256" } } as const;
    await assertRejects(() => signJws("", options), TypeError, name);
  });
}

Deno.test("signJws() writes no header that verifyJws() would reject", async () => {
  const headers = [{ typ: 5 }, { typ: "\u212a" }, { kid: 5 }, { kid: "a".repeat(1_025) }];
  for (const header of [...headers, JSON.parse('{"__proto__":1}')]) {
    const run = () => signJws("", { algorithms: ["HS256"], key: OCT, header });
    await assertRejects(run, TypeError, "Cannot sign token: ");
  }
  const key = { ...OCT, kid: 5 } as unknown as Jwk;
  await assertRejects(() => signJws("", { algorithms: ["HS256"], key }), TypeError);
});

/** [why, algorithms, key] */
const UNSIGNABLE: readonly (readonly [string, readonly JwaAlgorithm[], Jwk])[] = [
  ["a public key", ["ES256"], verifying(P256)],
  ["a key of another type", ["ES256", "RS256"], OCT],
  ["a key of another curve", ["ES256"], P384],
  ["a key for another algorithm", ["ES256"], { ...P256, alg: "ES384" }],
  ["an encryption key", ["ES256"], { ...P256, use: "enc" }],
  ["a key for verifying only", ["ES256"], { ...P256, key_ops: ["verify"] }],
  ["a secret for verifying only", ["HS256"], { ...OCT, key_ops: ["verify"] }],
  ["a secret shorter than the hash", ["HS512"], { kty: "oct", k: OCT.k?.slice(0, 84) ?? "" }],
];

for (const [why, algorithms, key] of UNSIGNABLE) {
  Deno.test(`signJws() rejects ${why}`, async () => {
    await assertRejects(() => signJws("", { algorithms, key }), TypeError, "Cannot ");
  });
}

Deno.test("verifyJws() checks typ if required, ignoring application/ and case", async () => {
  const options = { algorithms: ["HS256"], keys: OCT } as const;
  const reason = async (typ: unknown, wanted: string) => {
    const token = await forge({ header: { alg: "HS256", ...(typ === undefined ? {} : { typ }) } });
    return await reasonOf(() => verifyJws(token, { ...options, typ: wanted }));
  };
  assertEquals(await reason("secevent+jwt", "secevent+jwt"), "accepted");
  assertEquals(await reason("application/SecEvent+JWT", "secevent+jwt"), "accepted");
  assertEquals(await reason("secevent+jwt", "Application/secevent+jwt"), "accepted");
  assertEquals(await reason(undefined, "secevent+jwt"), "typ_mismatch");
  assertEquals(await reason("", "secevent+jwt"), "typ_mismatch");
  assertEquals(await reason("JWT", "secevent+jwt"), "typ_mismatch");
  assertEquals(await reason("text/secevent+jwt", "secevent+jwt"), "typ_mismatch");
  assertEquals(await reason("secevent+jwt ", "secevent+jwt"), "typ_mismatch");
  assertEquals(await reason("application/text/x", "text/x"), "typ_mismatch");
  assertEquals(await reason(7, "secevent+jwt"), "token_malformed");
});

Deno.test("verifyJws() checks the length of a token before it decodes it", async () => {
  const token = await signJws("x".repeat(100), { algorithms: ["HS256"], key: OCT });
  const verify = (maxBytes?: number) =>
    reasonOf(() => verifyJws(token, { algorithms: ["HS256"], keys: OCT, maxBytes }));
  assertEquals(await verify(token.length), "accepted");
  assertEquals(await verify(token.length - 1), "token_too_large");
  assertEquals(await verify(), "accepted");
});

/** [why, what is wrong, error] */
const WRONG_OPTIONS: readonly (readonly [string, unknown, ErrorConstructor])[] = [
  ["no options", undefined, TypeError],
  ["null as options", null, TypeError],
  ["no algorithms", { algorithms: undefined }, TypeError],
  ["an empty array of algorithms", { algorithms: [] }, TypeError],
  ["a string of algorithms", { algorithms: "HS256" }, TypeError],
  ["a set of algorithms", { algorithms: new Set(["HS256"]) }, TypeError],
  ["none as an algorithm", { algorithms: ["HS256", "none"] }, TypeError],
  ["an algorithm in lower case", { algorithms: ["hs256"] }, TypeError],
  ["an algorithm named like a property of every object", { algorithms: ["__proto__"] }, TypeError],
  [
    "an algorithm named like another property of every object",
    { algorithms: ["constructor"] },
    TypeError,
  ],
  ["a hole in the array of algorithms", { algorithms: ["HS256", , "HS384"] }, TypeError],
  [
    "an algorithm that is an object with toString()",
    { algorithms: [{ toString: () => "HS256" }] },
    TypeError,
  ],
  ["no keys", { keys: undefined }, TypeError],
  ["null as keys", { keys: null }, TypeError],
  ["a string as keys", { keys: "secret" }, TypeError],
  ["bytes as keys", { keys: new Uint8Array(64) }, TypeError],
  ["an array as keys", { keys: [OCT] }, TypeError],
  ["a key pair as keys", { keys: { privateKey: {}, publicKey: {} } }, TypeError],
  ["an object that is not a key", { keys: { kty: 1 } }, TypeError],
  ["an undefined typ", { typ: undefined }, TypeError],
  ["an empty typ", { typ: "" }, TypeError],
  ["a number as typ", { typ: 5 }, TypeError],
  ["a typ that is not ASCII", { typ: "\u212a" }, TypeError],
  ["an option of verifyJwt()", { audience: "a" }, TypeError],
  ["a misspelled option", { maxbytes: 1 }, TypeError],
  ["maxBytes of 0", { maxBytes: 0 }, RangeError],
  ["an infinite maxBytes", { maxBytes: Infinity }, RangeError],
  ["maxBytes as a string", { maxBytes: "16384" }, RangeError],
];

for (const [why, wrong, kind] of WRONG_OPTIONS) {
  Deno.test(`verifyJws() throws ${kind.name} for ${why}, for every token`, async () => {
    const good = { algorithms: ["HS256"], keys: OCT };
    const options = !wrong ? wrong : { ...good, ...wrong as object };
    for (const token of [await forge({}), "no token"]) {
      const verify = () => verifyJws(token, options as unknown as VerifyJwsOptions);
      await assertRejects(verify, kind, "Cannot verify token: ");
    }
  });
}

Deno.test("jwsVerifier() reads its options once", async () => {
  const algorithms: JwaAlgorithm[] = ["HS256"];
  const verify = jwsVerifier({ algorithms, keys: OCT });
  algorithms[0] = "ES256";
  algorithms.push("HS384");
  assertEquals(await reasonOf(async () => await verify(await forge({}))), "accepted");
  assertEquals(
    await reasonOf(async () => await verify(await forge({ alg: "HS384" }))),
    "alg_not_allowed",
  );
});

Deno.test("verifyJws() detects that a JWK was modified after its import", async () => {
  const jwk: { kty: string; k: string; use?: string } = { kty: "oct", k: OCT.k ?? "" };
  const token = await forge({});
  const verify = () => reasonOf(() => verifyJws(token, { algorithms: ["HS256"], keys: jwk }));
  assertEquals(await verify(), "accepted");
  jwk.k = `B${jwk.k.slice(1)}`;
  assertEquals(await verify(), "signature_invalid");
  jwk.k = OCT.k ?? "";
  assertEquals(await verify(), "accepted");
  jwk.use = "enc";
  assertEquals(await verify(), "key_mismatch");
  jwk.use = "sig";
  assertEquals(await verify(), "accepted");
  Object.assign(jwk, { oth: [] });
  assertEquals(await verify(), "key_mismatch");
});

/** [algorithm, type, curve, hash, bytes of the hash, bytes of a signature, name in Web Crypto] According to the RFCs. */
const ROWS: readonly (readonly unknown[])[] = [
  ["HS256", "oct", undefined, "SHA-256", 32, 32, "HMAC"],
  ["HS384", "oct", undefined, "SHA-384", 48, 48, "HMAC"],
  ["HS512", "oct", undefined, "SHA-512", 64, 64, "HMAC"],
  ["RS256", "RSA", undefined, "SHA-256", 32, undefined, "RSASSA-PKCS1-v1_5"],
  ["RS384", "RSA", undefined, "SHA-384", 48, undefined, "RSASSA-PKCS1-v1_5"],
  ["RS512", "RSA", undefined, "SHA-512", 64, undefined, "RSASSA-PKCS1-v1_5"],
  ["PS256", "RSA", undefined, "SHA-256", 32, undefined, "RSA-PSS"],
  ["PS384", "RSA", undefined, "SHA-384", 48, undefined, "RSA-PSS"],
  ["PS512", "RSA", undefined, "SHA-512", 64, undefined, "RSA-PSS"],
  ["ES256", "EC", "P-256", "SHA-256", 32, 64, "ECDSA"],
  ["ES384", "EC", "P-384", "SHA-384", 48, 96, "ECDSA"],
  ["ES512", "EC", "P-521", "SHA-512", 64, 132, "ECDSA"],
  ["EdDSA", "OKP", "Ed25519", undefined, 64, 64, "Ed25519"],
  ["Ed25519", "OKP", "Ed25519", undefined, 64, 64, "Ed25519"],
];

Deno.test("JWA has the signature algorithms of RFC 7518 §3.1 and Ed25519", () => {
  const rows = Object.entries(JWA).map(([alg, row]) => {
    const { kty, crv, hashBytes, signatureBytes, keyParams, signParams } = row;
    assertEquals(keyParams.name, signParams.name);
    assertEquals(keyParams.namedCurve, kty === "EC" ? crv : undefined);
    const hash = kty === "EC" ? signParams.hash : keyParams.hash;
    if (kty === "RSA") {
      assertEquals(signParams.saltLength, alg.startsWith("PS") ? hashBytes : undefined);
    }
    return [alg, kty, crv, hash, hashBytes, signatureBytes, keyParams.name];
  });
  assertEquals<unknown>(rows, ROWS);
  assertEquals(Object.keys(JWA), [...ALGORITHMS]);
});

Deno.test("JWA is immutable", () => {
  assert(Object.isFrozen(JWA));
});

const NONE: readonly unknown[] = [
  ...["none", "None", "NONE", "", "hs256", "HS256 ", " HS256", "HS25", "HS2560", "ES256K", "RS1"],
  ...["Ed448", "ED25519", "__proto__", "constructor", "toString", "hasOwnProperty", "ＨＳ256"],
  ...[undefined, null, 0, 256, {}, [], ["HS256"], { toString: () => "HS256" }],
];

Deno.test("isJwaAlgorithm() accepts the names of the table and nothing else", () => {
  for (const alg of ALGORITHMS) assert(isJwaAlgorithm(alg), alg);
  for (const other of NONE) assertEquals(isJwaAlgorithm(other), false, String(other));
});

Deno.test("checkAlgorithms() rejects anything but an array of algorithms, and gives an example", () => {
  checkAlgorithms("Cannot test", ["ES256"]);
  const wrong: readonly unknown[] = [
    ...[undefined, null, "ES256", {}, { length: 1, 0: "ES256" }, [], new Array(1), ["ES256", "no"]],
    ...NONE.map((each) => [each]),
  ];
  for (const each of wrong) {
    const list = each as JwaAlgorithm[];
    assertThrows(() => checkAlgorithms("Cannot test", list), TypeError, "Cannot test: ");
  }
});

const DATA = new TextEncoder().encode("data");

for (const alg of ALGORITHMS) {
  Deno.test(`verifySignature() accepts a signature of ${alg}, and no modified one`, async () => {
    const key = await importJwk(verifying(KEYS[alg]), { alg, usage: "verify" });
    const right = await signature(DATA, alg, KEYS[alg]);
    const verify = (bytes: Uint8Array<ArrayBuffer>, data = DATA) =>
      verifySignature(alg, key, { signature: bytes, data });
    assertEquals(await verify(right), true);
    assertEquals(await verify(right, DATA.slice(1)), false);
    const changed = [
      new Uint8Array(),
      new Uint8Array(right.length),
      new Uint8Array(right.length).fill(0xff),
      right.slice(1),
      right.slice(0, -1),
      new Uint8Array([...right, 0]),
      new Uint8Array([0, ...right]),
      new Uint8Array([...right, ...right]),
      right.toReversed(),
      ...[0, 7, right.length * 4, right.length * 8 - 1].map((bit) => flipped(right, bit)),
    ];
    for (const [i, bytes] of changed.entries()) assertEquals(await verify(bytes), false, `${i}`);
  });
}

function flipped(bytes: Uint8Array<ArrayBuffer>, bit: number): Uint8Array<ArrayBuffer> {
  const copy = bytes.slice();
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

Deno.test("verifySignature() returns false, and does not throw, for every key of another algorithm", async () => {
  for (const made of ALGORITHMS) {
    const key = await importJwk(verifying(KEYS[made]), { alg: made, usage: "verify" });
    for (const alg of ALGORITHMS) {
      if (JWA[alg].keyParams.name === JWA[made].keyParams.name) continue;
      const size = JWA[alg].signatureBytes ?? 256;
      const data = { signature: new Uint8Array(size), data: DATA };
      assertEquals(await verifySignature(alg, key, data), false, `${alg} with a key of ${made}`);
    }
  }
});

Deno.test("verifySignature() returns false for a key that may only sign", async () => {
  const key = await importJwk(KEYS.ES256, { alg: "ES256", usage: "sign" });
  const right = await signature(DATA, "ES256", KEYS.ES256);
  assertEquals(await verifySignature("ES256", key, { signature: right, data: DATA }), false);
});
