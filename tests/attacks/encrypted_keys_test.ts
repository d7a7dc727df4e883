/** The catalogue "Guards, stores, keys", signing keys in a store: one row per attack; rows are only added. */

import { inMemoryAuthStores } from "@gatehouse/http";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { isGenerated, SAVES } from "../_effort.ts";
import { decodeBase64Url, encodeBase64Bare, encodeBase64Url } from "../../auth/_base64url.ts";
import { encodeHex, utf8 } from "../../auth/_bytes.ts";
import { deriveKeys } from "../../auth/derived_keys.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../../auth/jwt/jwa.ts";
import { generateJwk } from "../../auth/jwt/jwk.ts";
import { signJws } from "../../auth/jwt/jws.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import type { KeyStore, StoredKey } from "../../auth/stores/types.ts";
import { ask, createTokenApp, JWT, refresh, signInForTokens } from "../auth/http/_token_routes.ts";
import {
  assertRefused,
  headerOf,
  joinParts,
  OLD,
  openByNode,
  OTHER,
  partsOf,
  readHeader,
  sealByNode,
  TODAY,
  withSecret,
} from "../auth/keys/_encrypted_keys.ts";
import { keyBench, kidOf, kidsOf, NUMBERS, signerOf, START } from "../auth/keys/_key_service.ts";
import { codeOf } from "../router/_helpers.ts";

/** RFC 7518 §6.2.2, §6.3.2, §6.4.1 and RFC 8037 §2. */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const ASYMMETRIC = Object.keys(JWA).filter((alg): alg is AsymmetricAlgorithm =>
  isJwaAlgorithm(alg) && JWA[alg].kty !== "oct"
);

for (const alg of ASYMMETRIC.filter(isGenerated)) {
  Deno.test(`[ATTACKS] a stolen ring of ${alg} → no private member, no private number`, async () => {
    const written: string[] = [];
    const bench = keyBench({
      wrap: (store) => ({
        save(keys, expected) {
          written.push(JSON.stringify([keys, expected]));
          return store.save(keys, expected);
        },
      }),
    });
    await withSecret(bench, OLD, { algorithms: [alg] }).jwks();
    const service = withSecret(bench, [TODAY, OLD], { algorithms: [alg] });
    await service.rotate();
    const ring = await bench.ring();
    const text = [...written, JSON.stringify(ring), JSON.stringify([bench.events, bench.warnings])]
      .join("\n");
    assertEquals([written.length, ring.length], [3, 2]);
    const members = PRIVATE_MEMBERS.filter((member) => text.includes(`"${member}"`));
    assertEquals(members, []);
    for (const { key } of ring) {
      const jwk: Jwk = JSON.parse(openByNode(String(key)));
      for (const member of PRIVATE_MEMBERS) {
        const value = jwk[member];
        if (value === undefined) continue;
        for (const spelling of spellings(String(value))) {
          assertFalse(text.includes(spelling), `${member} is in the store`);
        }
      }
      assert(typeof jwk.d === "string", "the private member was searched for");
    }
  });
}

Deno.test(`[ATTACKS] ${SAVES} saves → unique initialization vectors and unique signing keys`, async () => {
  const vectors: string[] = [];
  const kids = new Set<string>();
  const bench = keyBench({
    wrap: (store) => ({
      save(keys, expected) {
        for (const { kid, key } of keys) {
          vectors.push(encodeHex(partsOf(String(key)).iv));
          kids.add(kid);
        }
        return store.save(keys, expected);
      },
    }),
  });
  const service = withSecret(bench, TODAY);
  for (let save = 0; save < SAVES; save++) await service.rotate({ revoke: save % 10 === 0 });
  assertEquals(bench.calls.save, SAVES);
  assertEquals(kids.size, SAVES);
  assert(vectors.length > 4 * SAVES, "a ring has several keys, and each save encrypts them all");
  assertEquals(new Set(vectors).size, vectors.length);
});

type Change = (ring: readonly StoredKey[]) => readonly unknown[];

/** The attacker's own key. */
const OWN = await generateJwk("Ed25519");

/** A ring of two keys after an attacker has written to the store. */
const WRITTEN: readonly (readonly [source: string, what: string, change: Change])[] = [
  ["ATTACKS", "one unencrypted key", ([one, two]) => [one, { ...two, key: opened(two) }]],
  ["ATTACKS", "only unencrypted keys", (ring) => ring.map((key) => ({ ...key, key: opened(key) }))],
  ["ATTACKS", "an unencrypted key of the attacker added", (ring) => [...ring, planted(OWN)]],
  ["ATTACKS", "only an unencrypted key of the attacker", () => [planted(OWN)]],
  ["neighbour", "the attacker's key, encrypted with another secret", (ring) => [
    ...ring,
    planted(sealed(planted(OWN), { secret: OTHER })),
  ]],
  ["neighbour", "the attacker's key as a JWS without a signature", (ring) => [
    ...ring,
    planted(`${encode({ alg: "none" })}.${encode(OWN)}.`),
  ]],
  ["ATTACKS", "two keys swapped", ([one, two]) => [
    { ...one, key: two?.key },
    { ...two, key: one?.key },
  ]],
  ["neighbour", "two key ids swapped", ([one, two]) => [
    { ...one, kid: two?.kid },
    { ...two, kid: one?.kid },
  ]],
  [
    "neighbour",
    "one key in place of another",
    ([one, two]) => [one, { ...two, key: one?.key }],
  ],
  ["ATTACKS", "a tag of 12 bytes", ([one, two]) => [one, cut(two, 12)]],
  ["ATTACKS", "a tag of 15 bytes", ([one, two]) => [one, cut(two, 15)]],
  ["ATTACKS", "a tag of 1 byte", ([one, two]) => [one, cut(two, 1)]],
  ["ATTACKS", "no tag", ([one, two]) => [one, cut(two, 0)]],
  ["neighbour", "a tag too short, made with the secret", ([one, two]) => [one, {
    ...two,
    key: sealed(two, { tagBytes: 12 }),
  }]],
  ["CVE-2015-9235", "alg none in the header", ([one, two]) => [one, {
    ...two,
    key: sealed(two, { members: { alg: "none" } }),
  }]],
  ["neighbour", "a header that compresses", ([one, two]) => [one, {
    ...two,
    key: sealed(two, { members: { zip: "DEF" } }),
  }]],
  ["neighbour", "a missing key", ([one, two]) => [one, { ...two, key: undefined }]],
  ["neighbour", "null as a key", ([one, two]) => [one, { ...two, key: null }]],
  ["neighbour", "an array of a key", ([one, two]) => [one, { ...two, key: [two?.key] }]],
];
for (const [source, what, change] of WRITTEN) {
  for (const secret of [TODAY, [TODAY, OLD]]) {
    const which = secret === TODAY ? "one secret" : "two secrets";
    Deno.test(`[${source}] a stored ring with ${what}, for ${which} → rejected as a whole until revocation`, async () => {
      const bench = keyBench();
      const service = withSecret(bench, secret);
      await service.jwks();
      await service.rotate();
      const kids = kidsOf(await service.jwks());
      const ring = await bench.store.load();
      assertEquals(ring?.keys.length, 2);
      await bench.store.save(change(ring?.keys ?? []) as StoredKey[], ring?.version ?? null);
      const { save } = bench.calls;
      bench.clock.now += 60; // the keys known before have been replaced
      for (const one of [service, withSecret(bench, secret)]) {
        for (const kid of [...kids, OWN.kid ?? ""]) await assertRefused(one, kid);
      }
      assertEquals(bench.calls.save, save, "nothing is written");
      await service.rotate({ revoke: true });
      await bench.verify(await service.sign({}, { expiresIn: 60 }), service.resolve);
      assertEquals((await bench.ring()).length, 1);
    });
  }
}

Deno.test("[neighbour] a lost secret: guards and routes of tokens → 500 without a reason, and no access", async () => {
  const first = createTokenApp();
  const { accessToken, refreshToken } = await signInForTokens(first);
  const app = createTokenApp({ stores: first.stores, secret: OTHER });
  assertEquals((await ask(first, accessToken)).status, 200);
  const ring = await first.stores.keys.load();
  const forged = await forge();
  for (
    const send of [
      () => ask(app, accessToken),
      () => ask(app, forged),
      () => withToken(app, "/maybe", accessToken),
      () => refresh(app, refreshToken),
    ]
  ) {
    const response = await send();
    assertEquals(response.status, 500);
    assertEquals(response.headers.get("WWW-Authenticate"), null);
    const text = await response.text();
    for (const word of ["ring", "secret", "encrypt"]) assertFalse(text.includes(word), word);
  }
  assertEquals(app.errors.map((error) => error instanceof TypeError), [true, true, true, true]);
  assertEquals(
    (await app.router.request("/me")).status,
    401,
    "a request without a token is asked for one",
  );
  assertEquals((await app.router.request("/public")).status, 200);
  assertEquals(await first.stores.keys.load(), ring);

  await app.runtime.tokens?.keys.rotate({ revoke: true });
  assertEquals(await codeOf(await ask(app, accessToken)), [401, "invalid_token"]);
  assertEquals(await codeOf(await ask(app, forged)), [401, "invalid_token"]);
  const answer = await refresh(app, refreshToken); // not a JWT, and was not used
  const tokens = await answer.json();
  assertEquals([answer.status, (await ask(app, tokens.accessToken)).status], [200, 200]);
});

Deno.test("[neighbour] registerAuth({ jwt }) on a persistent store → no plain keys in it", async () => {
  const stores = inMemoryAuthStores({ now: () => 0 });
  const keys: KeyStore = { ...stores.keys, persistent: true };
  const app = createTokenApp({ stores: { ...stores, keys } });
  const { accessToken } = await signInForTokens(app);
  assertEquals((await ask(app, accessToken)).status, 200);
  const [stored] = (await keys.load())?.keys ?? [];
  assertEquals([stored?.kid, typeof stored?.key], [kidOf(accessToken), "string"]);
});

Deno.test("[neighbour] another purpose of the same secret → its MACs are rejected", async () => {
  const bench = keyBench();
  const service = withSecret(bench, TODAY);
  await service.jwks();
  const [stored] = await bench.ring();
  const parts = partsOf(String(stored?.key));
  const keys = deriveKeys(TODAY);
  for (const purpose of ["csrf", "device", "throttle"] as const) {
    const mac = await keys.sign(purpose, parts.ciphertext);
    const key = joinParts({ ...parts, tag: mac.slice(0, 16) });
    const ring = await bench.store.load();
    await bench.store.save([{ ...stored, key } as StoredKey], ring?.version ?? null);
    await assertRefused(withSecret(bench, TODAY), stored?.kid ?? "");
  }
});

/** Spellings of a number. */
function spellings(value: string): readonly string[] {
  const bytes = decodeBase64Url(value);
  const hex = encodeHex(bytes);
  return [value, encodeBase64Bare(bytes), hex, hex.toUpperCase(), `${BigInt(`0x${hex}`)}`];
}

function opened(stored: StoredKey | undefined): Jwk {
  return JSON.parse(openByNode(String(stored?.key)));
}

function encode(value: object): string {
  return encodeBase64Url(utf8(JSON.stringify(value)));
}

/** A key as stored in a ring. */
function planted(key: unknown): StoredKey {
  return { kid: OWN.kid ?? "", alg: "Ed25519", key, createdAt: START, activeAt: START };
}

interface SealedOptions {
  /** Other header members. */
  readonly members?: object;
  readonly secret?: string;
  readonly tagBytes?: number;
}

/** A key, encrypted by an attacker who knows the format. */
function sealed(
  stored: StoredKey | undefined,
  { members = {}, ...options }: SealedOptions = {},
): string {
  assert(stored !== undefined);
  const jwk = typeof stored.key === "string" ? opened(stored) : stored.key;
  const header = { ...headerOf(stored), ...members };
  return sealByNode({ header, plaintext: JSON.stringify(jwk), ...options });
}

/** A key whose tag is truncated to a number of bytes. */
function cut(stored: StoredKey | undefined, length: number): object {
  const parts = partsOf(String(stored?.key));
  return { ...stored, key: joinParts({ ...parts, tag: parts.tag.slice(0, length) }) };
}

/** A token signed with the attacker's key, in the format of ours. */
async function forge(): Promise<string> {
  const key = await generateJwk("ES256");
  const times = { iat: START, exp: START + 600 };
  const claims = { iss: JWT.issuer, aud: JWT.audience, sub: "u1", client_id: "x", ...times };
  return await signJws(JSON.stringify(claims), {
    algorithms: ["ES256"],
    key,
    header: { typ: "at+jwt", kid: key.kid },
  });
}

async function withToken(
  { router }: ReturnType<typeof createTokenApp>,
  path: string,
  token: string,
): Promise<Response> {
  return await router.request(path, { headers: { Authorization: `Bearer ${token}` } });
}

/** Tokens of a retired key are still valid while the next but one key is pending. */
const OPTIONS = { maxTokenAge: 5_000 };

/** The time at which there is a key of each kind. */
const LATER = START + 2 * NUMBERS.rotateAfter - 720;

/** A retired key, the active one, and the pending one. */
type Ring = readonly [retired: StoredKey, signer: StoredKey, next: StoredKey];

function without(key: StoredKey, name: keyof StoredKey): object {
  const { [name]: _, ...rest } = key;
  return rest;
}

/** The ring after an attacker has written to the store. */
const WRITTEN_TIMES:
  readonly (readonly [what: string, change: (ring: Ring) => readonly unknown[]])[] = [
    [
      "a retired key without retiredAt",
      ([retired, ...rest]) => [without(retired, "retiredAt"), ...rest],
    ],
    [
      "a retired key whose retiredAt is null",
      ([retired, ...rest]) => [{ ...retired, retiredAt: null }, ...rest],
    ],
    [
      "a retired key whose retiredAt is in the future",
      ([retired, ...rest]) => [{ ...retired, retiredAt: LATER + 1e6 }, ...rest],
    ],
    [
      "a retired key whose retiredAt is a second later",
      ([retired, ...rest]) => [{ ...retired, retiredAt: (retired.retiredAt ?? 0) + 1 }, ...rest],
    ],
    [
      "a retired key that is activated again",
      ([retired, ...rest]) => [{ ...retired, activeAt: LATER, retiredAt: LATER + 5_000 }, ...rest],
    ],
    [
      "an active key that never retires",
      ([retired, signer, next]) => [retired, without(signer, "retiredAt"), next],
    ],
    [
      "an active key that retires immediately",
      ([retired, signer, next]) => [retired, { ...signer, retiredAt: LATER }, next],
    ],
    [
      "a pending key that is active immediately",
      ([retired, signer, next]) => [retired, signer, { ...next, activeAt: LATER }],
    ],
    [
      "a pending key whose createdAt is its activeAt",
      ([retired, signer, next]) => [retired, signer, { ...next, createdAt: next.activeAt }],
    ],
    [
      "a pending key that becomes active much later",
      ([retired, signer, next]) => [retired, signer, { ...next, activeAt: LATER + 1e6 }],
    ],
    [
      "a key with another createdAt",
      ([retired, signer, next]) => [retired, { ...signer, createdAt: signer.createdAt - 1 }, next],
    ],
    [
      "a key with the name of a compatible algorithm",
      ([retired, signer, next]) => [retired, { ...signer, alg: "EdDSA" }, next],
    ],
    [
      "the times of two keys swapped",
      ([retired, signer, next]) => [
        { ...signer, kid: retired.kid, key: retired.key },
        { ...retired, kid: signer.kid, key: signer.key },
        next,
      ],
    ],
    [
      "the times of one key for all",
      ([retired, signer, next]) =>
        [retired, signer, next].map(({ kid, key }) => ({ ...signer, kid, key })),
    ],
  ];
for (const [what, change] of WRITTEN_TIMES) {
  Deno.test(`[ATTACKS] a stored ring with ${what} → rejected as a whole until revocation`, async () => {
    const bench = keyBench();
    const service = withSecret(bench, TODAY, OPTIONS);
    const token = await service.sign({}, { expiresIn: 5_000 });
    for (bench.clock.now of [LATER - NUMBERS.rotateAfter, LATER]) await service.jwks();
    const ring = await bench.store.load();
    const [retired, signer, next, ...more] = ring?.keys ?? [];
    assert(retired !== undefined && signer !== undefined && next !== undefined);
    assertEquals([more, kidOf(token)], [[], retired.kid]);
    assertEquals([retired, signer, next].map(({ key }) => readHeader(key)), [
      headerOf(retired),
      headerOf(signer),
      headerOf(next),
    ]);
    assert((retired.retiredAt ?? Infinity) < LATER && next.activeAt > LATER);
    assertEquals(await signerOf(withSecret(bench, TODAY, OPTIONS)), signer.kid);

    const written = change([retired, signer, next]) as StoredKey[];
    await bench.store.save(written, ring?.version ?? null);
    const { save } = bench.calls;
    bench.clock.now += 60; // the keys known before have been replaced
    for (const one of [service, withSecret(bench, TODAY, OPTIONS)]) {
      for (const { kid } of [retired, signer, next]) await assertRefused(one, kid);
    }
    assertEquals(bench.calls.save, save, "nothing is written");

    await service.rotate({ revoke: true });
    const other = withSecret(bench, TODAY, OPTIONS);
    await bench.verify(await service.sign({}, { expiresIn: 60 }), other.resolve);
    const [kid, ...others] = kidsOf(await other.jwks());
    assertEquals([others, [retired, signer, next].some((key) => key.kid === kid)], [[], false]);
  });
}
