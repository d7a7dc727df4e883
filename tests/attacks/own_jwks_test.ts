/** The catalogue "JWKS", keys of this service: one row per attack; rows are only added. */

import { createRouter } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { isGenerated } from "../_effort.ts";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import { utf8 } from "../../auth/_bytes.ts";
import { jwksHandler } from "../../auth/http/jwks_handler.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../../auth/jwt/jwa.ts";
import { generateJwk, importJwk, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk, JwkSet } from "../../auth/jwt/types.ts";
import { signJws } from "../../auth/jwt/jws.ts";
import { verifyJwt } from "../../auth/jwt/jwt.ts";
import type { KeyService } from "../../auth/keys/key_service.ts";
import { KEEP, type KeyBench, keyBench, LEAD, NUMBERS, START } from "../auth/keys/_key_service.ts";
import { refusal, repeat } from "../auth/_services.ts";

const PATH = "/.well-known/jwks.json";

/** RFC 7518 §6.2.2, §6.3.2, §6.4.1 and RFC 8037 §2. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const ASYMMETRIC = Object.keys(JWA).filter((alg): alg is AsymmetricAlgorithm =>
  isJwaAlgorithm(alg) && JWA[alg].kty !== "oct"
);

for (const alg of ASYMMETRIC.filter(isGenerated)) {
  Deno.test(`[ATTACKS] published keys: pending, active and retired ones of ${alg} → no private member, no private number`, async () => {
    const bench = keyBench();
    const service = bench.service({ algorithms: [alg] });
    const router = createRouter().get(PATH, jwksHandler(service));
    const times = [START, START + NUMBERS.rotateAfter - LEAD, START + NUMBERS.rotateAfter];
    for (const at of times) {
      bench.clock.now = at;
      const text = await (await router.request(PATH)).text();
      const { keys }: JwkSet = JSON.parse(text);
      const stored = await bench.ring();
      assertEquals(keys.length, stored.length);
      for (const key of [...keys, ...(await service.jwks()).keys]) {
        assertEquals(PRIVATE_MEMBERS.filter((member) => member in key), []);
      }
      for (const { key } of stored) {
        for (const member of PRIVATE_MEMBERS) {
          const value = (key as Jwk)[member];
          assert(value === undefined || !text.includes(String(value)), member);
        }
      }
    }
  });
}

Deno.test("[neighbour] published keys: a custom key service that returns private keys → private members are removed", async () => {
  const jwks = async () => ({ keys: [await generateJwk("RS256"), await generateJwk("ES256")] });
  const router = createRouter().get(PATH, jwksHandler({ cacheAge: 60, jwks }));
  const { keys }: JwkSet = await (await router.request(PATH)).json();
  assertEquals(keys.map(({ kty }) => kty), ["RSA", "EC"]);
  const members = keys.flatMap((key) => Object.keys(key));
  assertEquals(members.filter((member) => PRIVATE_MEMBERS.includes(member)), []);
});

Deno.test("[neighbour] published keys: a custom key service that returns a secret → 500 without the secret", async () => {
  const secret = await generateJwk("HS256");
  const jwks = () => Promise.resolve({ keys: [secret] });
  const router = createRouter({ onError: () => {} })
    .get(PATH, jwksHandler({ cacheAge: 60, jwks }));
  const response = await router.request(PATH);
  assertEquals(response.status, 500);
  assertEquals((await response.text()).includes(secret.k ?? "?"), false);
});

interface Known {
  readonly bench: KeyBench;
  readonly service: KeyService;
  /** The published active key. */
  readonly key: Jwk;
  /** The attacker's own key. */
  readonly own: Jwk;
}

type Forge = (known: Known) => Promise<string>;

/** Tokens of an attacker with a key and all published keys. */
const FORGED: readonly (readonly [
  source: string,
  what: string,
  forge: Forge,
  reason: string,
])[] = [
  [
    "CVE-2015-9235",
    "alg none",
    ({ key }) => unsigned({ alg: "none", kid: key.kid }),
    "alg_not_allowed",
  ],
  [
    "CVE-2015-9235",
    "alg nOnE",
    ({ key }) => unsigned({ alg: "nOnE", kid: key.kid }),
    "alg_not_allowed",
  ],
  ["CVE-2015-9235", "HS256 keyed with the published key", async ({ key }) => {
    const k = btoa(JSON.stringify(key)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
    return await forge({ kty: "oct", k }, "HS256", { kid: key.kid });
  }, "alg_not_allowed"],
  [
    "ATTACKS",
    "a signature of another key with our kid",
    ({ own, key }) => forge(own, "ES256", { kid: key.kid }),
    "signature_invalid",
  ],
  [
    "ATTACKS",
    "another key, embedded in the token",
    ({ own }) => forge(own, "ES256", { jwk: publicJwk(own) }),
    "key_unknown",
  ],
  [
    "ATTACKS",
    "another key, embedded in the token with our kid",
    ({ own, key }) => forge(own, "ES256", { jwk: publicJwk(own), kid: key.kid }),
    "signature_invalid",
  ],
  [
    "ATTACKS",
    "another key, at a URL",
    ({ own }) => forge(own, "ES256", { jku: "https://evil.example/jwks.json" }),
    "key_unknown",
  ],
  ["ATTACKS", "no kid", ({ own }) => forge(own, "ES256", { kid: undefined }), "key_unknown"],
  [
    "ATTACKS",
    "a kid that is a path",
    ({ own }) => forge(own, "ES256", { kid: "../../../../dev/null" }),
    "key_unknown",
  ],
  [
    "ATTACKS",
    "a kid that is SQL",
    ({ own }) => forge(own, "ES256", { kid: "x' UNION SELECT 'key" }),
    "key_unknown",
  ],
  [
    "ATTACKS",
    "a kid that is __proto__",
    ({ own }) => forge(own, "ES256", { kid: "__proto__" }),
    "key_unknown",
  ],
  [
    "ATTACKS",
    "a kid of 10 kB",
    ({ own }) => forgeText(own, { kid: "k".repeat(10_000) }),
    "token_malformed",
  ],
  ["ATTACKS", "a kid that is a number", ({ own }) => forgeText(own, { kid: 1 }), "token_malformed"],
  [
    "neighbour",
    "our kid with a space at the end",
    ({ own, key }) => forge(own, "ES256", { kid: `${key.kid} ` }),
    "key_unknown",
  ],
  ["neighbour", "the kid of our key of another algorithm", async ({ own, service }) => {
    const other = (await service.jwks()).keys.find(({ alg }) => alg === "Ed25519");
    return await forge(own, "ES256", { kid: other?.kid });
  }, "key_unknown"],
];
for (const [source, what, forge, reason] of FORGED) {
  Deno.test(`[${source}] token for the service's keys: ${what} → ${reason}, and no write`, async () => {
    const bench = keyBench();
    const service = bench.service({ algorithms: ["ES256", "Ed25519"] });
    const [key] = (await service.jwks()).keys;
    assert(key !== undefined);
    const { save } = bench.calls;
    const token = await forge({ bench, service, key, own: await generateJwk("ES256") });
    const refused = await refusal(() => verify(bench, service, token));
    assertEquals([refused.code, refused.reason], ["invalid_token", reason]);
    assertEquals(bench.calls.save, save);
  });
}

Deno.test("[ATTACKS] unknown kids: 1,000 concurrent and 1,000 sequential requests → one read of the store in five seconds", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["ES256"] });
  await service.jwks();
  const own = await generateJwk("ES256");
  const tokens = await Promise.all(
    repeat(20, (i) => forge(own, "ES256", { kid: `${i}`.repeat(40) })),
  );
  const flood = (i: number) => refusal(() => verify(bench, service, tokens[i % 20] ?? ""));
  for (const loads of [1, 2, 3]) {
    await Promise.all(repeat(1_000, flood));
    for (let i = 0; i < 1_000; i++) await flood(i);
    assertEquals(bench.calls.load, loads);
    bench.clock.now += 5;
  }
});

Deno.test("[ATTACKS] rotation: tokens of the old and of the new key, at the same time → both verify", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["ES256"] });
  for (const at of [START, START + NUMBERS.rotateAfter - LEAD, START + NUMBERS.rotateAfter - 1]) {
    bench.clock.now = at;
    await service.jwks();
  }
  const old = await service.sign({}, { expiresIn: 600 });
  bench.clock.now += 1;
  const fresh = await service.sign({}, { expiresIn: 600 });
  const headers = [old, fresh].map((token) => token.split(".")[0]);
  assert(headers[0] !== headers[1], "two keys");
  for (const token of [old, fresh]) await verify(bench, service, token);
});

Deno.test("[neighbour] a stolen key: its tokens after rotate({ revoke: true }), with any times → key_unknown", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["ES256"] });
  await service.jwks();
  const [stolen] = await bench.ring();
  assert(stolen !== undefined);
  const key = stolen.key as Jwk;
  await verify(bench, service, await forge(key, "ES256", {}));
  await service.rotate({ revoke: true });
  for (const at of [START, START + 60, START + KEEP, START + NUMBERS.rotateAfter]) {
    bench.clock.now = at;
    const token = await forge(key, "ES256", {}, at);
    const { reason } = await refusal(() => verify(bench, service, token));
    assertEquals(reason, "key_unknown", `${at - START} s later`);
  }
});

Deno.test("[neighbour] a stolen retired key → its tokens verify only while it is published", async () => {
  const bench = keyBench();
  const service = bench.service({ algorithms: ["ES256"] });
  await service.jwks();
  const [stolen] = await bench.ring();
  assert(stolen !== undefined);
  await service.rotate();
  bench.clock.now = START + KEEP - 1;
  const token = await forge(stolen.key as Jwk, "ES256", {}, bench.clock.now);
  await verify(bench, service, token);
  bench.clock.now += 1;
  assertEquals((await refusal(() => verify(bench, service, token))).reason, "key_unknown");
});

Deno.test("[ATTACKS] leaks: no event, warning or error contains a key", async () => {
  const down = { yes: false };
  const fail = () => Promise.reject(new Error("out of order"));
  const bench = keyBench({
    wrap: (store) => ({ save: (...args) => down.yes ? fail() : store.save(...args) }),
  });
  const service = bench.service({ algorithms: ["ES256"] });
  await service.jwks();
  down.yes = true;
  bench.clock.now += NUMBERS.rotateAfter;
  await service.jwks();
  down.yes = false;
  bench.clock.now += 60;
  await service.rotate();
  const output = JSON.stringify([bench.events, bench.warnings]);
  assertEquals(bench.events.length, 2);
  assertEquals(bench.warnings.length, 1);
  for (const { key } of await bench.ring()) {
    for (const member of ["d", "x", "y"]) {
      assertEquals(output.includes(String((key as Jwk)[member])), false, member);
    }
  }
});

function verify(bench: KeyBench, service: KeyService, token: string): Promise<unknown> {
  const now = () => bench.clock.now;
  return verifyJwt(token, { algorithms: service.algorithms, keys: service.resolve, now });
}

const encode = (value: unknown) => encodeBase64Url(utf8(JSON.stringify(value)));

const claimsAt = (at: number) => ({ sub: "admin", iat: at, exp: at + 600 });

function unsigned(header: object): Promise<string> {
  return Promise.resolve(`${encode(header)}.${encode(claimsAt(START))}.`);
}

/** A correctly signed token of any key. */
async function forge(
  key: Jwk,
  alg: "ES256" | "HS256",
  header: object,
  at: number = START,
): Promise<string> {
  const whole = { typ: "JWT", ...header };
  return await signJws(JSON.stringify(claimsAt(at)), { algorithms: [alg], key, header: whole });
}

/** A token with an unusual header. */
async function forgeText(key: Jwk, header: object): Promise<string> {
  const text = `${encode({ alg: "ES256", ...header })}.${encode(claimsAt(START))}`;
  const imported = await importJwk(key, { usage: "sign" });
  const params = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(params, imported, utf8(text));
  return `${text}.${encodeBase64Url(new Uint8Array(signature))}`;
}
