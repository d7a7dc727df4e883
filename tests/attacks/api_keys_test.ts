/** The catalogue "Guards, stores, keys", as far as it is about API keys; rows are only added. */

import { assert, assertEquals } from "@std/assert";
import { apiKeyService } from "../../auth/tokens/api_key_service.ts";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import { madeUp, seal } from "../auth/tokens/_api_keys.ts";
import { ORIGIN, type TestApp } from "../auth/http/_app.ts";
import { codeOf } from "../router/_helpers.ts";
import { countDigests } from "../static/_packages.ts";
import { createKeyApp, type Known, turned } from "./_api_keys.ts";

/** What an attacker presents, who knows everything that is stored and shown, but not the secret. */
const KEYS: readonly (readonly [
  source: string,
  what: string,
  present: (known: Known) => string,
  hits: number,
])[] = [
  ["ATTACKS", "a bad checksum", ({ key }) => turned(key, -1), 0],
  ["ATTACKS", "another digit in the secret", ({ key }) => turned(key, -20), 0],
  ["ATTACKS", "another digit in the identifier", ({ key }) => turned(key, 8), 0],
  ["ATTACKS", "another prefix", ({ key }) => key.replace("key_", "kez_"), 0],
  ["neighbour", "another prefix, sealed again", ({ key }) => {
    return seal(key.slice(0, -6).replace("key_", "kez_"));
  }, 0],
  ["neighbour", "another identifier, sealed again", ({ key }) => {
    return seal(key.slice(0, -6).replace(/_[^_]+_/, `_${"1".repeat(22)}_`));
  }, 1],
  ["neighbour", "no checksum", ({ key }) => key.slice(0, -6), 0],
  ["neighbour", "an empty field", () => "", 0],
  ["neighbour", "the key twice", ({ key }) => `${key}, ${key}`, 0],
  ["neighbour", "the key behind a bad one", ({ key }) => `${madeUp()}, ${key}`, 0],
  ["neighbour", "16 KiB of digits", () => "0".repeat(16_384), 0],
  ["neighbour", "16 KiB behind the key", ({ key }) => key + "0".repeat(16_384), 0],
  ["neighbour", "other case", ({ key }) => key.toUpperCase(), 0],
  ["neighbour", "a sealed key of another service", () => madeUp().replace("key_", "acme_"), 0],
  ["neighbour", "numbers beyond their bytes", () => madeUp("z".repeat(22), "z".repeat(43)), 0],
  ["neighbour", "an identifier in a pattern", () => seal(`key_${"%".repeat(22)}_${SECRET}`), 0],
  ["neighbour", "an identifier in an escape", () => seal(`key_${"%31".repeat(22)}_${SECRET}`), 0],
  ["neighbour", "a key that nobody has", () => madeUp(), 1],
  ["neighbour", "the identifier, with a secret made up", ({ stored }) => madeUp(stored.id), 1],
  ["CWE-522", "the stored digest", ({ stored }) => stored.keyHash, 0],
  ["CWE-522", "the stored digest as a secret, sealed", ({ stored }) => {
    return madeUp(stored.id, stored.keyHash.replaceAll(/[-_]/g, "0").replace(/^./, "0"));
  }, 1],
  ["neighbour", "the public identifier", ({ stored }) => stored.id, 0],
  ["neighbour", "the subject id", ({ stored }) => stored.sub, 0],
];

const SECRET = "2".repeat(43);

for (const [source, what, present, hits] of KEYS) {
  Deno.test(`[${source}] key: ${what} → 401 after ${hits} questions to the store`, async () => {
    const { app, known, calls } = await createKeyApp();
    const seen: string[] = [];
    for (const path of ["/me", "/maybe"]) {
      const headers = { "X-API-Key": present(known) };
      const response = await app.router.request(path, { headers });
      assertEquals(response.headers.get("WWW-Authenticate"), "ApiKey");
      seen.push(await response.clone().text());
      assertEquals(await codeOf(response), [401, "invalid_api_key"]);
    }
    assertEquals(calls, Array.from({ length: 2 * hits }, () => "find"));
    assertEquals(new Set([...seen, await refused(app)]).size, 1, "the same bytes as for any other");
  });
}

/** Where a key is no credential. */
const PLACES: readonly (readonly [
  source: string,
  what: string,
  ask: (key: string) => Request,
])[] = [
  ["ATTACKS", "in the query", (key) => get(`?X-API-Key=${key}&api_key=${key}&apikey=${key}`)],
  ["neighbour", "in the fragment", (key) => get(`#X-API-Key=${key}`)],
  ["neighbour", "as a bearer token", (key) => get("", { Authorization: `Bearer ${key}` })],
  ["neighbour", "in Basic", (key) => get("", { Authorization: `Basic ${btoa(`${key}:`)}` })],
  ["neighbour", "in Authorization alone", (key) => get("", { Authorization: key })],
  ["neighbour", "in a cookie", (key) => get("", { Cookie: `X-API-Key=${key}; api_key=${key}` })],
  [
    "neighbour",
    "in a field of a like name",
    (key) => get("", { "X-API-Key-Id": key, "API-Key": key }),
  ],
  [
    "neighbour",
    "as the address's user",
    (key) => get("", { Referer: `https://${key}@example.com/` }),
  ],
];

for (const [source, what, ask] of PLACES) {
  Deno.test(`[${source}] key: ${what} → ignored`, async () => {
    const { app, known, calls } = await createKeyApp();
    assertEquals(await codeOf(app.router.fetch(ask(known.key))), [401, "unauthenticated"]);
    assertEquals([calls, app.events], [[], []]);
    const good = get("", { "X-API-Key": known.key });
    assertEquals(await (await app.router.fetch(good)).json(), { sub: "u1", method: "api-key" });
  });
}

Deno.test("[neighbour] timing: an unknown key, one with a wrong secret and a good one → one digest each", async () => {
  const { apiKeys, known } = await createKeyApp();
  for (
    const [key, digests] of [
      [madeUp(), 1],
      [madeUp(known.stored.id), 1],
      [known.key, 1],
      [turned(known.key, -1), 0],
    ] as const
  ) {
    assertEquals(await countDigests(async () => void await apiKeys.verify(key)), digests);
  }
});

Deno.test("[ATTACKS] chain: a session and a bad key → 401; a session and a key → the key's owner", async () => {
  const { app, known } = await createKeyApp();
  const { passwords, sessions } = app.runtime;
  const eve = { identifier: "eve@example.org", password: "eve has a long password" };
  const { token } = await sessions.create(await passwords.createUser(eve, { sub: "u9" }));
  const ask = (key: string) => {
    const headers = { Cookie: `__Host-sid=${token}`, "X-API-Key": key };
    return app.router.request("/me", { headers });
  };
  assertEquals(await codeOf(ask(madeUp())), [401, "invalid_api_key"]);
  assertEquals(await codeOf(ask("")), [401, "invalid_api_key"]);
  assertEquals(await (await ask(known.key)).json(), { sub: "u1", method: "api-key" });
});

Deno.test("[neighbour] key: one of another prefix, sealed again for ours → none of ours", async () => {
  const stores = inMemoryAuthStores();
  await stores.users.create({ sub: "u1", identifier: "a", securityStamp: "s", createdAt: 0 });
  const [test, live] = ["test", "live"].map((prefix) => apiKeyService({ ...stores, prefix }));
  const { key = "" } = await test?.create("u1") ?? {};
  assert(await test?.verify(key) !== undefined);
  const resealed = seal(key.slice(0, -6).replace("test_", "live_"));
  assertEquals(await live?.verify(resealed), undefined); // the prefix is in what is stored
});

function get(rest: string, headers: Record<string, string> = {}): Request {
  return new Request(`${ORIGIN}/me${rest}`, { headers });
}

/** What anybody gets for any bad key. */
async function refused(app: TestApp): Promise<string> {
  const response = await app.router.request("/me", { headers: { "X-API-Key": "bad" } });
  return await response.text();
}
