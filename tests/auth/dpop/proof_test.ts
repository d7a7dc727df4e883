/** DPoP proofs, RFC 9449 §4.3. */

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { proofVerifier, type ProofVerifierOptions } from "../../../auth/dpop/proof.ts";
import { deriveKeys, generateJwk, inMemoryAuthStores, signJws } from "../../../auth/mod.ts";
import type { ProofRefusal } from "../../../auth/oauth_reasons.ts";
import { START } from "../_services.ts";
import { type ProofClaims, type ProofKey, proofKey, unsigned } from "./_proofs.ts";

const URL = "https://server.example.com/token";
const TARGET = { method: "POST", url: URL } as const;
const KEYS = deriveKeys("k3-Zq8vT1xW5rY7uP9sD2fG4hJ6kL0mN");

function verifierAt(options: Partial<ProofVerifierOptions> = {}) {
  const clock = { now: START };
  const { states } = inMemoryAuthStores({ now: () => clock.now });
  const verify = proofVerifier({
    states,
    nonceKeys: undefined,
    issuer: "https://server.example.com",
    now: () => clock.now,
    ...options,
  });
  return { clock, states, verify };
}

/** Keys for all tests, since generating them takes time. */
const CLIENT = await proofKey();
const RSA = await proofKey("PS256");

// RFC 9449, figures 2 and 13, and the thumbprint of their key in figure 9
const RFC_JKT = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";
const RFC_HEADER = "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4" +
  "dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VO" +
  "SmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19";
const TOKEN_PROOF = `${RFC_HEADER}.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6` +
  "Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ" +
  ".2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg";
const RESOURCE_PROOF =
  `${RFC_HEADER}.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1Ijoi` +
  "aHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRo" +
  "IjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9" +
  ".2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA";
const RFC_TOKEN = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";

Deno.test("proofVerifier() accepts the proof of a token request in RFC 9449 §4.1 and §5", async () => {
  const { verify } = verifierAt({ now: () => 1_562_262_616 });
  const { kind, ...verified } = await verify({ proof: TOKEN_PROOF, ...TARGET });
  assertEquals([kind, verified], ["verified", { jkt: RFC_JKT, nonce: undefined }]);
});

Deno.test("proofVerifier() accepts the proof for a resource in RFC 9449 §7.1, with its token only", async () => {
  const { verify } = verifierAt({ now: () => 1_562_262_618 });
  const url = "https://resource.example.org/protectedresource";
  const query = { proof: RESOURCE_PROOF, method: "GET", url };
  const other = await verify({ ...query, token: { value: `${RFC_TOKEN}.`, jkt: RFC_JKT } });
  assertEquals(other, { kind: "refused", reason: "dpop_proof_mismatch" });
  const { kind } = await verify({ ...query, token: { value: RFC_TOKEN, jkt: RFC_JKT } });
  assertEquals(kind, "verified");
});

for (const alg of ["ES256", "PS256", "Ed25519", "EdDSA"] as const) {
  Deno.test(`proofVerifier() accepts a proof by ${alg}, and not with a signature that was changed`, async () => {
    const { prove, jkt } = alg === "PS256" ? RSA : await proofKey(alg);
    const { verify } = verifierAt();
    const proof = await prove(TARGET);
    const at = proof.lastIndexOf(".") + 10;
    const changed = proof.slice(0, at) + (proof[at] === "A" ? "B" : "A") + proof.slice(at + 1);
    assertEquals(await verify({ proof: changed, ...TARGET }), {
      kind: "refused",
      reason: "dpop_proof_malformed",
    });
    assertEquals(await verify({ proof, ...TARGET }), { kind: "verified", jkt, nonce: undefined });
  });
}

for (const alg of ["RS256", "PS512"] as const) {
  Deno.test(`proofVerifier() refuses a proof by ${alg}, which the metadata do not list, 9449-4.3`, async () => {
    const { alg: _, kid: __, ...key } = RSA.key;
    const { kty, n, e } = key;
    const claims = { jti: "j", htm: "POST", htu: URL, iat: START };
    const header = { typ: "dpop+jwt", jwk: { kty, n, e } };
    const proof = await signJws(JSON.stringify(claims), { algorithms: [alg], key, header });
    const outcome = await verifierAt().verify({ proof, ...TARGET });
    assertEquals(outcome, { kind: "refused", reason: "dpop_proof_malformed" });
  });
}

const MALFORMED = "dpop_proof_malformed";
const MISMATCH = "dpop_proof_mismatch";

/** Changes of the claims and the header of a valid proof. */
const CHANGED: readonly (readonly [
  why: string,
  reason: ProofRefusal,
  claims: ProofClaims,
  header?: ProofClaims,
])[] = [
  ["no jti", MALFORMED, { jti: undefined }],
  ["an empty jti", MALFORMED, { jti: "" }],
  ["a jti that is a number", MALFORMED, { jti: 1 }],
  ["no htm", MALFORMED, { htm: undefined }],
  ["an htm that is an array", MALFORMED, { htm: ["POST"] }],
  ["no htu", MALFORMED, { htu: undefined }],
  ["an htu that is not text", MALFORMED, { htu: { href: URL } }],
  ["no iat", MALFORMED, { iat: undefined }],
  ["an iat that is a string", MALFORMED, { iat: `${START}` }],
  ["no typ", MALFORMED, {}, { typ: undefined }],
  ["the typ of other tokens", MALFORMED, {}, { typ: "JWT" }],
  ["the typ of access tokens", MALFORMED, {}, { typ: "at+jwt" }],
  ["no jwk", MALFORMED, {}, { jwk: undefined }],
  ["a jwk that is a string", MALFORMED, {}, { jwk: "key" }],
  ["a jwk that is null", MALFORMED, {}, { jwk: null }],
  ["a jwk that is an array", MALFORMED, {}, { jwk: [] }],
  ["a jwk without a type", MALFORMED, {}, { jwk: {} }],
  ["another method", MISMATCH, { htm: "GET" }],
  ["the method in lower case", MISMATCH, { htm: "post" }],
  ["another path", MISMATCH, { htu: "https://server.example.com/token/" }],
  ["the path in capitals", MISMATCH, { htu: "https://server.example.com/TOKEN" }],
  ["another host", MISMATCH, { htu: "https://server.example.org/token" }],
  ["another port", MISMATCH, { htu: "https://server.example.com:8443/token" }],
  ["http", MISMATCH, { htu: "http://server.example.com/token" }],
  ["a user name", MISMATCH, { htu: "https://me@server.example.com/token" }],
  ["a relative URL", MISMATCH, { htu: "/token" }],
  ["an empty URL", MISMATCH, { htu: "" }],
  ["a slash that is encoded", MISMATCH, { htu: "https://server.example.com/%2Ftoken" }],
  ["an old time", "dpop_proof_expired", { iat: START - 61 }],
  ["a time in the future", "dpop_proof_expired", { iat: START + 61 }],
  ["a time in milliseconds", "dpop_proof_expired", { iat: START * 1000 }],
];

for (const [why, reason, claims, header] of CHANGED) {
  Deno.test(`proofVerifier() refuses ${why}, 9449-4.3, AS39`, async () => {
    const { verify } = verifierAt();
    const proof = await CLIENT.prove(TARGET, claims, header);
    assertEquals(await verify({ proof, ...TARGET }), { kind: "refused", reason });
  });
}

const { kty, crv, x, y, d } = CLIENT.key;
const HEADER = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } } as const;
const CLAIMS = { jti: "j", htm: "POST", htu: URL, iat: START } as const;
const OCT = { kty: "oct", k: "A".repeat(43) };

/** Other proofs. */
const OTHERS: readonly (readonly [why: string, proof: string | (() => Promise<string>)])[] = [
  ["an empty field", ""],
  ["text", "proof"],
  ["two proofs in one field", async () => `${await valid()}, ${await valid()}`],
  ["two parts", async () => (await valid()).split(".").slice(0, 2).join(".")],
  ["four parts", async () => `${await valid()}.AAAA`],
  ["padding", async () => `${await valid()}==`],
  ["spaces", async () => ` ${await valid()}`],
  ["alg none", unsigned({ ...HEADER, alg: "none" }, CLAIMS, "")],
  ["no alg", unsigned({ ...HEADER, alg: undefined }, CLAIMS)],
  ["a symmetric algorithm and key", async () =>
    await signJws(JSON.stringify(CLAIMS), {
      algorithms: ["HS256"],
      key: OCT,
      header: { typ: "dpop+jwt", jwk: OCT },
    })],
  ["a symmetric key and an asymmetric algorithm", unsigned({ ...HEADER, jwk: OCT }, CLAIMS)],
  ["a private key", () => CLIENT.prove(TARGET, {}, { jwk: { kty, crv, x, y, d } })],
  ...["d", "p", "q", "dp", "dq", "qi", "oth", "k"].map((member) =>
    [
      `${member}, a member of secret keys`,
      () => CLIENT.prove(TARGET, {}, { jwk: { ...HEADER.jwk, [member]: "AA" } }),
    ] as const
  ),
  ["the signature of another key", async () => {
    const other = await generateJwk("ES256");
    const header = { typ: "dpop+jwt", jwk: HEADER.jwk };
    return await signJws(JSON.stringify(CLAIMS), { algorithms: ["ES256"], key: other, header });
  }],
  [
    "a key for another algorithm",
    () => CLIENT.prove(TARGET, {}, { jwk: { ...HEADER.jwk, alg: "ES384" } }),
  ],
  ["a key for encryption", () => CLIENT.prove(TARGET, {}, { jwk: { ...HEADER.jwk, use: "enc" } })],
  [
    "a point that is not on the curve",
    unsigned(
      { ...HEADER, jwk: { kty, crv, x, y: x } },
      CLAIMS,
      "A".repeat(86),
    ),
  ],
  ["a claim twice", async () => {
    const header = { typ: "dpop+jwt", jwk: HEADER.jwk };
    const payload = JSON.stringify(CLAIMS).replace("{", '{"htm":"GET",');
    return await signJws(payload, { algorithms: ["ES256"], key: CLIENT.key, header });
  }],
  ["claims that are an array", async () => {
    const header = { typ: "dpop+jwt", jwk: HEADER.jwk };
    return await signJws("[]", { algorithms: ["ES256"], key: CLIENT.key, header });
  }],
  ["more than 8 KiB", () => CLIENT.prove(TARGET, { more: "x".repeat(8_000) })],
];

const valid = () => CLIENT.prove(TARGET);

for (const [why, proof] of OTHERS) {
  Deno.test(`proofVerifier() refuses ${why}, 9449-4.3, AS39`, async () => {
    const { verify } = verifierAt();
    const text = typeof proof === "string" ? proof : await proof();
    assertEquals(await verify({ proof: text, ...TARGET }), { kind: "refused", reason: MALFORMED });
  });
}

Deno.test("proofVerifier() says that there is no proof", async () => {
  const outcome = await verifierAt().verify({ proof: null, ...TARGET });
  assertEquals(outcome, { kind: "refused", reason: "dpop_proof_missing" });
});

/** The same URI, RFC 3986 §6.2.2 and §6.2.3. */
const SAME: readonly (readonly [why: string, htu: string, url?: string])[] = [
  ["a query", `${URL}?a=b`],
  ["a fragment", `${URL}#f`],
  ["a query of the request", URL, `${URL}?a=b`],
  ["scheme and host in capitals", "HTTPS://SERVER.EXAMPLE.COM/token"],
  ["the default port", "https://server.example.com:443/token"],
  ["dots in the path", "https://server.example.com/x/../token"],
  ["an encoded letter", "https://server.example.com/%74oken"],
  ["an empty path", "https://server.example.com", "https://server.example.com/"],
  ["encoded marks", "https://a.example/%7Ea%2Db%5Fc%2Ed", "https://a.example/~a-b_c.d"],
  ["hexadecimal digits in lower case", "https://a.example/%c3%a9", "https://a.example/%C3%A9"],
];

for (const [why, htu, url = URL] of SAME) {
  Deno.test(`proofVerifier() accepts a URL that differs by ${why}, 9449-4.3`, async () => {
    const proof = await CLIENT.prove(TARGET, { htu });
    const { kind } = await verifierAt().verify({ proof, method: "POST", url });
    assertEquals(kind, "verified");
  });
}

Deno.test("proofVerifier() refuses a URL with an encoded delimiter, which is another one, RFC 3986 §2.2", async () => {
  const htu = "https://a.example/b%2Fc";
  const proof = await CLIENT.prove(TARGET, { htu });
  const outcome = await verifierAt().verify({
    proof,
    method: "POST",
    url: "https://a.example/b/c",
  });
  assertEquals(outcome, { kind: "refused", reason: MISMATCH });
});

Deno.test("proofVerifier() accepts a proof within 60 seconds before and after", async () => {
  const { verify } = verifierAt();
  for (const iat of [START - 60, START, START + 60]) {
    const { kind } = await verify({ proof: await CLIENT.prove(TARGET, { iat }), ...TARGET });
    assertEquals(kind, "verified");
  }
});

Deno.test("proofVerifier() accepts a proof once, as long as it could be accepted, AS39", async () => {
  const { clock, verify } = verifierAt();
  const proof = await CLIENT.prove(TARGET, { iat: START + 60 });
  assertEquals((await verify({ proof, ...TARGET })).kind, "verified");
  for (const now of [START, START + 60, START + 120]) {
    clock.now = now;
    const outcome = await verify({ proof, ...TARGET });
    assertEquals(outcome, { kind: "refused", reason: "dpop_proof_replayed" });
  }
});

Deno.test("proofVerifier() does not claim the identifier of a proof that it refuses", async () => {
  const { verify } = verifierAt();
  const proof = await CLIENT.prove(TARGET);
  assertEquals((await verify({ proof, method: "GET", url: URL })).kind, "refused");
  assertEquals((await verify({ proof, ...TARGET })).kind, "verified");
});

Deno.test("proofVerifier() keeps the identifiers of two keys apart, in keys of one length", async () => {
  const keys: string[] = [];
  const { verify, states } = verifierAt({
    states: {
      claim: (key, expiresAt) => {
        keys.push(key);
        return states.claim(key, expiresAt);
      },
    },
  });
  const other = await proofKey();
  for (const { prove } of [CLIENT, other]) {
    const proof = await prove(TARGET, { jti: "j".repeat(4_000) });
    assertEquals((await verify({ proof, ...TARGET })).kind, "verified");
  }
  assertNotEquals(keys[0], keys[1]);
  assertEquals(keys.map(({ length }) => length), [48, 48]);
});

Deno.test("proofVerifier() rejects where the store fails: nobody passes", async () => {
  const { verify } = verifierAt({
    states: { claim: () => Promise.reject(new Error("the store is down")) },
  });
  const proof = await CLIENT.prove(TARGET);
  await assertRejects(() => verify({ proof, ...TARGET }), Error, "the store is down");
});

Deno.test("proofVerifier() demands a nonce of this server, and tells it, 9449-8", async () => {
  const { clock, verify } = verifierAt({ nonceKeys: KEYS });
  const first = await verify({ proof: await CLIENT.prove(TARGET), ...TARGET });
  assert(first.kind === "refused" && first.nonce !== undefined);
  assertEquals(first.reason, "dpop_nonce_required");
  const { nonce } = first;

  // Accepted, also by a client whose clock is wrong
  for (const iat of [START, 0]) {
    const proof = await CLIENT.prove(TARGET, { nonce, iat });
    assertEquals(await verify({ proof, ...TARGET }), {
      kind: "verified",
      jkt: CLIENT.jkt,
      nonce: undefined,
    });
    assertEquals((await verify({ proof, ...TARGET })).kind, "refused");
  }

  // The next one comes before this one expires
  clock.now += 40;
  const later = await verify({ proof: await CLIENT.prove(TARGET, { nonce }), ...TARGET });
  assert(later.kind === "verified" && later.nonce !== undefined);
  assertNotEquals(later.nonce, nonce);

  clock.now += 80;
  const late = await verify({ proof: await CLIENT.prove(TARGET, { nonce }), ...TARGET });
  assert(late.kind === "refused");
  assertEquals(late.reason, "dpop_nonce_required");
});

Deno.test("proofVerifier() accepts a proof with a nonce once, as long as the nonce is valid, AS39", async () => {
  const { clock, verify } = verifierAt({ nonceKeys: KEYS });
  clock.now = START - START % 40; // the start of a step
  const ahead = verifierAt({ nonceKeys: KEYS });
  ahead.clock.now = clock.now + 40; // another process, whose clock is ahead
  const first = await ahead.verify({ proof: await CLIENT.prove(TARGET), ...TARGET });
  const nonce = first.nonce;
  const proof = await CLIENT.prove(TARGET, { nonce });
  assertEquals((await verify({ proof, ...TARGET })).kind, "verified");
  for (const seconds of [1, 40, 80, 119, 120]) {
    clock.now = START - START % 40 + seconds;
    assertEquals((await verify({ proof, ...TARGET })).kind, "refused", `after ${seconds} s`);
  }
});

Deno.test("proofVerifier() refuses the nonce of another server, and what is none, 9449-8", async () => {
  const { verify } = verifierAt({ nonceKeys: KEYS });
  const nonceOf = async (options: Partial<ProofVerifierOptions>) => {
    const other = verifierAt({ nonceKeys: KEYS, ...options });
    return (await other.verify({ proof: await CLIENT.prove(TARGET), ...TARGET })).nonce ?? "";
  };
  const own = await nonceOf({});
  const mac = own.slice(own.indexOf(".") + 1);
  const others = [
    await nonceOf({ issuer: "https://api.example.com" }),
    await nonceOf({ nonceKeys: deriveKeys("another secret, 4hJ6kL0mN-k3-Zq8vT1xW5rY7") }),
    "",
    "nonce",
    1,
    [own],
    mac,
    `${own}A`,
    ` ${own}`,
    `${Math.floor(START / 40) + 1}.${mac}`,
    own.slice(0, -1) + "-",
  ];
  for (const nonce of others) {
    const outcome = await verify({ proof: await CLIENT.prove(TARGET, { nonce }), ...TARGET });
    assert(outcome.kind === "refused", `${nonce}`);
    assertEquals([outcome.reason, outcome.nonce], ["dpop_nonce_required", own]);
  }
});

Deno.test("proofVerifier() never accepts a proof for another method, URL, token or key, 9449-4.3, AS39", async () => {
  const clients: readonly ProofKey[] = [CLIENT, await proofKey()];
  const methods = ["GET", "POST", "DELETE"];
  const urls = ["https://a.example/x", "https://a.example/y", "https://b.example/x"];
  const tokens = ["token-1", "token-2"];
  const all = clients.flatMap((client) =>
    methods.flatMap((method) =>
      urls.flatMap((url) => tokens.map((token) => ({ client, method, url, token })))
    )
  );
  type Request = (typeof all)[number];
  const differences = (a: Request, b: Request) =>
    [a.client !== b.client, a.method !== b.method, a.url !== b.url, a.token !== b.token]
      .filter(Boolean).length;
  const { verify } = verifierAt();
  for (const made of all) {
    const proof = await made.client.prove(made);
    // Every request that differs in one of them; the one that it is for last, because it uses up the proof
    for (const sent of [...all.filter((one) => differences(one, made) === 1), made]) {
      const { method, url, token, client: { jkt } } = sent;
      const { kind } = await verify({ proof, method, url, token: { value: token, jkt } });
      assertEquals(kind, sent === made ? "verified" : "refused");
    }
  }
});
