/** JSON Web Keys: examples of the RFCs, round trips, and the messages of rejections. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import {
  exportJwk,
  generateJwk,
  importJwk,
  type ImportJwkOptions,
  jwkThumbprint,
  publicJwk,
} from "../../../auth/jwt/jwk.ts";
import { isGenerated } from "../../_effort.ts";
import { signJws, verifyJws } from "../../../auth/jwt/jws.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { ALGORITHMS, KEYS, OCT, OKP, P256, P384, P521, RSA, verifying } from "./_jws.ts";

/** RFC 7517 A.1, the first key: `use` makes it an encryption key. */
const FOR_ENCRYPTION: Jwk = {
  kty: "EC",
  crv: "P-256",
  x: "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
  y: "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
  use: "enc",
  kid: "1",
};

Deno.test("importJwk() rejects the encryption key of RFC 7517 A.1", async () => {
  await assertRejects(
    () => importJwk(FOR_ENCRYPTION),
    TypeError,
    "Cannot import key: its use is not sig",
  );
  const { use: _, ...jwk } = FOR_ENCRYPTION;
  assertEquals((await importJwk(jwk)).usages, ["verify"]);
});

/** Numeric properties of a key. */
function numbers(jwk: Jwk): Record<string, unknown> {
  const { kty, crv, x, y, n, e, d, k, p, q, dp, dq, qi } = jwk;
  return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e, d, k, p, q, dp, dq, qi }));
}

for (const alg of ALGORITHMS) {
  const jwk = KEYS[alg];

  Deno.test(`importJwk() and exportJwk() round-trip private and public keys for ${alg}`, async () => {
    const key = await importJwk(jwk, { alg, extractable: true });
    assertEquals(numbers(await exportJwk(key)), numbers(jwk));
    assertEquals(key.type, jwk.kty === "oct" ? "secret" : "private");
    assertEquals([...key.usages].sort(), jwk.kty === "oct" ? ["sign", "verify"] : ["sign"]);

    const half = await importJwk(jwk, { alg, usage: "verify", extractable: true });
    assertEquals(numbers(await exportJwk(half)), numbers(verifying(jwk)));
    assertEquals(half.usages.includes("sign"), jwk.kty === "oct");
  });

  Deno.test(`importJwk() imports a non-extractable key for ${alg}`, async () => {
    const key = await importJwk(jwk, { alg });
    assertEquals(key.extractable, false);
    await assertRejects(
      () => exportJwk(key),
      TypeError,
      "Cannot export key: it is not extractable",
    );
  });

  if (!isGenerated(alg)) continue;
  Deno.test(`generateJwk() generates a different key for ${alg} each time`, async () => {
    const [made, other] = await Promise.all([generateJwk(alg), generateJwk(alg)]);
    assert(made.kid !== other.kid);
    assertEquals(made.alg, alg);
    // The digest of a secret must not be published as a name: a weak secret could be guessed from it
    const thumbprint = await jwkThumbprint(made);
    assertEquals(made.kid === thumbprint, made.kty !== "oct");
    assertEquals(made.kid?.length, made.kty === "oct" ? 22 : 43);
    assertEquals(Object.keys(numbers(made)).sort(), Object.keys(numbers(jwk)).sort());
    const token = await signJws("payload", { algorithms: [alg], key: made });
    const { header } = await verifyJws(token, {
      algorithms: [alg],
      keys: { keys: [verifying(made)] },
    });
    assertEquals(header.kid, made.kid);
  });
}

Deno.test("generateJwk() generates RSA keys of 2,048 bits, and secrets as long as the hash", async () => {
  const bytes = (text?: unknown) =>
    atob(String(text).replaceAll("-", "+").replaceAll("_", "/")).length;
  const { n, e } = await generateJwk("RS256");
  assertEquals([bytes(n), e], [256, "AQAB"]);
  for (const [alg, size] of [["HS256", 32], ["HS384", 48], ["HS512", 64]] as const) {
    assertEquals(bytes((await generateJwk(alg)).k), size);
  }
  await assertRejects(() => generateJwk("none" as JwaAlgorithm), TypeError);
});

Deno.test("publicJwk() keeps identifying members and removes private members", () => {
  const secrets = ["d", "p", "q", "dp", "dq", "qi", "k", "oth", "priv", "x5c"];
  for (const jwk of [RSA, P256, P384, P521, OKP]) {
    const made = publicJwk({ ...jwk, kid: "k", alg: "A", use: "sig", oth: [], priv: "s", x5c: [] });
    assertEquals(Object.keys(made).filter((name) => secrets.includes(name)), []);
    assertEquals([made.kid, made.alg, made.use], ["k", "A", "sig"]);
    assertEquals(numbers(made), numbers(verifying(jwk)));
  }
  assertThrows(() => publicJwk(OCT), TypeError, "Cannot publish key: ");
  assertThrows(() => publicJwk({ kty: "AKP", priv: "s" }), TypeError, "Cannot publish key: ");
});

Deno.test("importJwk() reads the algorithm from the key or from its curve", async () => {
  const name = async (jwk: Jwk) => (await importJwk(jwk)).algorithm.name;
  assertEquals(await name(P256), "ECDSA");
  assertEquals(await name(P521), "ECDSA");
  assertEquals(await name(OKP), "Ed25519");
  assertEquals(await name({ ...RSA, alg: "PS384" }), "RSA-PSS");
  assertEquals(await name({ ...OCT, alg: "HS384" }), "HMAC");
  await assertRejects(() => importJwk(RSA), TypeError, "Cannot import key: it has no alg");
  await assertRejects(() => importJwk(OCT), TypeError, "Cannot import key: it has no alg");
  await assertRejects(
    () => importJwk({ ...RSA, alg: "RSA-OAEP" }),
    TypeError,
    "Cannot import key: ",
  );
});

/** [why, key, options] Valid keys. */
const TAKEN: readonly (readonly [string, Jwk, ImportJwkOptions])[] = [
  ["with the use sig", { ...P256, use: "sig" }, {}],
  ["with key_ops for both", { ...P256, key_ops: ["sign", "verify"] }, {}],
  ["with key_ops for signing, to import it for verifying", { ...P256, key_ops: ["sign"] }, {
    usage: "verify",
  }],
  ["with an alg that is also given as an option", { ...P256, alg: "ES256" }, { alg: "ES256" }],
  ["with unknown members", { ...P256, x5c: ["?"], iat: 1, constructor: 1 }, {}],
  ["with ext false", { ...P256, ext: false }, { extractable: true }],
  ["longer than the hash", OCT, { alg: "HS256" }],
];

for (const [why, jwk, options] of TAKEN) {
  Deno.test(`importJwk() accepts a key ${why}`, async () => {
    assertEquals((await importJwk(jwk, options)).type !== undefined, true);
  });
}

/** [why, key, options] Invalid keys. */
const NO_KEYS: readonly (readonly [string, unknown, ImportJwkOptions])[] = [
  ["nothing", undefined, {}],
  ["null", null, { alg: "ES256" }],
  ["a string", "secret", { alg: "HS256" }],
  ["bytes", new Uint8Array(64), { alg: "HS256" }],
  ["an array", [P256], { alg: "ES256" }],
  ["a set of keys", { keys: [P256] }, { alg: "ES256" }],
  ["an empty object", {}, { alg: "ES256" }],
  ["an unknown algorithm", P256, { alg: "none" as JwaAlgorithm }],
  ["an algorithm named like a property of every object", P256, {
    alg: "constructor" as JwaAlgorithm,
  }],
  ["a key whose alg is null", { ...P256, alg: null }, {}],
];

for (const [why, jwk, options] of NO_KEYS) {
  Deno.test(`importJwk() rejects ${why}`, async () => {
    await assertRejects(() => importJwk(jwk as Jwk, options), TypeError, "Cannot import key: ");
  });
}

/** Invalid options for a valid key. */
const WRONG_OPTIONS: readonly (readonly [why: string, options: unknown, message: string])[] = [
  ["an unknown usage", { usage: "encrypt" }, "usage must be sign or verify"],
  ["a usage in capitals", { usage: "SIGN" }, "usage must be sign or verify"],
  ["an array of usages", { usage: ["sign"] }, "usage must be sign or verify"],
  ["a usage that is null", { usage: null }, "usage must be sign or verify"],
  ["extractable as a string", { extractable: "false" }, "extractable must be a boolean"],
];
for (const [why, options, message] of WRONG_OPTIONS) {
  Deno.test(`importJwk() rejects ${why} in the options`, async () => {
    const run = () => importJwk(P256, options as ImportJwkOptions);
    await assertRejects(run, TypeError, `Cannot import key: ${message}`);
  });
}

Deno.test("exportJwk() rejects keys that are not signature keys", async () => {
  const { subtle } = crypto;
  const aes = await subtle.generateKey({ name: "AES-GCM", length: 256 }, true, ["encrypt"]);
  const ecdh = { name: "ECDH", namedCurve: "P-256" };
  const agreed = await subtle.generateKey(ecdh, true, ["deriveBits"]);
  for (const key of [aes, agreed.privateKey, agreed.publicKey]) {
    await assertRejects(() => exportJwk(key), TypeError, "Cannot export key: ");
  }
});

Deno.test("jwkThumbprint() matches RFC 7638 §3.1", async () => {
  const jwk = {
    kty: "RSA",
    n: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJ" +
      "ECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FD" +
      "W2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4v" +
      "MQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
    e: "AQAB",
    alg: "RS256",
    kid: "2011-04-29",
  };
  assertEquals(await jwkThumbprint(jwk), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
});

Deno.test("jwkThumbprint() matches RFC 8037 A.3", async () => {
  assertEquals(await jwkThumbprint(OKP), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
});

for (const alg of ALGORITHMS) {
  const jwk = KEYS[alg];
  Deno.test(`jwkThumbprint() of a key for ${alg} does not depend on order, names or private members`, async () => {
    const plain = await jwkThumbprint(jwk);
    const turned = Object.fromEntries(Object.entries(jwk).reverse()) as unknown as Jwk;
    const named = { alg, kid: "k", use: "sig", key_ops: ["sign"], ...turned, x5t: "?" };
    assertEquals([await jwkThumbprint(turned), await jwkThumbprint(named)], [plain, plain]);
    if (jwk.kty !== "oct") assertEquals(await jwkThumbprint(publicJwk(named)), plain);
    assertEquals(/^[A-Za-z0-9_-]{43}$/.test(plain), true);
  });
}

Deno.test("jwkThumbprint() differs between keys and between hash functions", async () => {
  const jwks = [OCT, RSA, P256, OKP];
  const all = await Promise.all(
    jwks.flatMap((jwk) =>
      (["SHA-256", "SHA-384", "SHA-512"] as const).map((hash) => jwkThumbprint(jwk, hash))
    ),
  );
  assertEquals(new Set(all).size, jwks.length * 3);
  assertEquals(all.slice(0, 3).map((each) => each.length), [43, 64, 86]);
});

/** [why, key] */
const MALFORMED: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a string", "key"],
  ["no kty", { k: "AA" }],
  ["an unknown kty", { kty: "AKP", x: "AA" }],
  ["kty in lower case", { ...P256, kty: "ec" }],
  ["a kty named like a property of every object", { ...P256, kty: "constructor" }],
  ["a missing member", { kty: "EC", crv: "P-256", x: P256.x }],
  ["a member that is not a string", { ...P256, y: 5 }],
  ["a secret without k", { kty: "oct" }],
  ["an empty object", {}],
];

for (const [why, jwk] of MALFORMED) {
  Deno.test(`jwkThumbprint() rejects ${why}`, async () => {
    await assertRejects(() => jwkThumbprint(jwk as Jwk), TypeError, "Cannot compute thumbprint: ");
  });
}

for (const alg of ["ES256", "ES384"] as const) {
  Deno.test(`importJwk() imports a key for ${alg} where points cannot be imported, as on StarlingMonkey`, async () => {
    const { subtle } = crypto;
    const own = subtle.importKey.bind(subtle) as (...args: unknown[]) => Promise<CryptoKey>;
    const importKey = (format: string, ...args: unknown[]) =>
      format === "raw"
        ? Promise.reject(new DOMException("", "NotSupportedError"))
        : own(format, ...args);
    Object.defineProperty(subtle, "importKey", { value: importKey, configurable: true });
    try {
      const { alg: _, ...jwk } = publicJwk(KEYS[alg]);
      const token = await signJws("text", { algorithms: [alg], key: KEYS[alg] });
      assertEquals((await importJwk(jwk)).usages, ["verify"]);
      const { payload } = await verifyJws(token, { algorithms: [alg], keys: jwk });
      assertEquals(new TextDecoder().decode(payload), "text");
    } finally {
      Reflect.deleteProperty(subtle, "importKey");
    }
  });
}
