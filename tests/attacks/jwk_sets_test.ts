/** The catalogue "JWT and JWS": keys that are looked for, by names that are more than names; rows are only added. */

import { assertEquals, assertRejects } from "@std/assert";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import { AuthError } from "../../auth/error.ts";
import type { FoundKeys, Jwk, JwkSet, JwsHeader, VerificationKeys } from "../../auth/jwt/types.ts";
import { verifyJws } from "../../auth/jwt/jws.ts";
import { forge, OCT, P256, reasonOf, verifying } from "../auth/jwt/_jws.ts";

const ec = verifying(P256);

/** Names of keys that are more than names. */
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

/** What comes of a token that names a key of a set. */
async function reasonFor(kid: string): Promise<string | undefined> {
  const keys: JwkSet = {
    keys: [{ ...OCT, kid: "k1" }, { ...OCT, kid: "k2", use: "enc" }, { ...OCT }],
  };
  const token = await forge({ header: { alg: "HS256", kid } });
  return await reasonOf(() => verifyJws(token, { algorithms: ["HS256"], keys }));
}

for (const [source, kid] of KIDS) {
  Deno.test(`[${source}] kid: ${JSON.stringify(kid).slice(0, 30)} → no key of the set`, async () => {
    assertEquals(await reasonFor(kid), "key_unknown");
  });
}

Deno.test("[neighbour] kid: a key for encryption, or 1,025 characters → refused, unlike the right one", async () => {
  assertEquals([await reasonFor("k1"), await reasonFor("k2")], ["accepted", "key_mismatch"]);
  assertEquals(await reasonFor("a".repeat(1_025)), "token_malformed");
});

Deno.test("[neighbour] set: a key that could be two → key_ambiguous", async () => {
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
  // Public keys and a secret in one set: what is published is no secret
  assertEquals(await reason(bare, { ...OCT, kid: "k1" }, ec), "key_ambiguous");
  assertEquals(await reason(token, { ...OCT, kid: "k1" }, { ...ec, kid: "k2" }), "key_ambiguous");
  // RFC 7517 §5: what nobody understands is passed over
  const foreign = [null, "key", 5, [], { kty: 5 }] as unknown as Jwk[];
  assertEquals(await reason(token, ...foreign, { ...OCT, kid: "k1" }), "accepted");
  assertEquals(await reason(bare, ...foreign, OCT), "accepted");
  const newer = { kty: "AKP", alg: "ML-DSA-44", pub: "AA" };
  assertEquals(await reason(await forge({ alg: "ES256" }), ...foreign, newer, ec), "accepted");
  assertEquals(await reason(bare), "key_unknown");
  assertEquals(await reason(bare, ec), "key_unknown");
});

Deno.test("[ATTACKS] kid: asked for once, and for tokens that are well formed and of an allowed algorithm alone", async () => {
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

Deno.test("[neighbour] resolver: what it throws → let through; what it does not find, or is no key → refused", async () => {
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
  // With a kid, which the resolver has looked at, two are one too many, though one of them fits
  const named = await forge({ header: { alg: "HS256", kid: "k1" } });
  const both = { algorithms: ["HS256"] as const, keys: () => [ec, OCT] };
  assertEquals(await reasonOf(() => verifyJws(named, both)), "key_ambiguous");
  for (
    const found of [null, "secret", new Uint8Array(64), {}, { keys: [OCT] }, [null], ["s"], true, 0]
  ) {
    await assertRejects(() => find(() => found), TypeError, "Cannot verify token: ");
  }
});
