/** The catalogue "Guards, stores, keys", API keys; rows are only added. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import { apiKeyService } from "../../auth/tokens/api_key_service.ts";
import { setDisabled } from "../auth/_services.ts";
import { ORIGIN, type TestApp } from "../auth/http/_app.ts";
import { madeUp, seal } from "../auth/tokens/_api_keys.ts";
import { codeOf } from "../router/_helpers.ts";
import { countDigests } from "../static/_packages.ts";
import { createKeyApp, type KeyApp, type Known, turned } from "./_api_keys.ts";

/** Credentials of an attacker who knows everything that is stored and shown, except the secret. */
const KEYS: readonly (readonly [
  source: string,
  what: string,
  present: (known: Known) => string,
  hits: number,
])[] = [
  ["ATTACKS", "an invalid checksum", ({ key }) => turned(key, -1), 0],
  ["ATTACKS", "another digit in the secret", ({ key }) => turned(key, -20), 0],
  ["ATTACKS", "another digit in the identifier", ({ key }) => turned(key, 8), 0],
  ["ATTACKS", "another prefix", ({ key }) => key.replace("key_", "kez_"), 0],
  ["neighbour", "another prefix, with a recomputed checksum", ({ key }) => {
    return seal(key.slice(0, -6).replace("key_", "kez_"));
  }, 0],
  ["neighbour", "another identifier, with a recomputed checksum", ({ key }) => {
    return seal(key.slice(0, -6).replace(/_[^_]+_/, `_${"1".repeat(22)}_`));
  }, 1],
  ["neighbour", "no checksum", ({ key }) => key.slice(0, -6), 0],
  ["neighbour", "an empty field", () => "", 0],
  ["neighbour", "the key twice", ({ key }) => `${key}, ${key}`, 0],
  ["neighbour", "the key after an invalid one", ({ key }) => `${madeUp()}, ${key}`, 0],
  ["neighbour", "16 KiB of digits", () => "0".repeat(16_384), 0],
  ["neighbour", "16 KiB after the key", ({ key }) => key + "0".repeat(16_384), 0],
  ["neighbour", "other case", ({ key }) => key.toUpperCase(), 0],
  [
    "neighbour",
    "a key of another service, with a valid checksum",
    () => madeUp().replace("key_", "acme_"),
    0,
  ],
  [
    "neighbour",
    "numbers too large for their bytes",
    () => madeUp("z".repeat(22), "z".repeat(43)),
    0,
  ],
  [
    "neighbour",
    "an identifier of pattern characters",
    () => seal(`key_${"%".repeat(22)}_${SECRET}`),
    0,
  ],
  ["neighbour", "a percent-encoded identifier", () => seal(`key_${"%31".repeat(22)}_${SECRET}`), 0],
  ["neighbour", "an unknown key", () => madeUp(), 1],
  ["neighbour", "the identifier with an invented secret", ({ stored }) => madeUp(stored.id), 1],
  ["CWE-522", "the stored digest", ({ stored }) => stored.keyHash, 0],
  ["CWE-522", "the stored digest as a secret, with a valid checksum", ({ stored }) => {
    return madeUp(stored.id, stored.keyHash.replaceAll(/[-_]/g, "0").replace(/^./, "0"));
  }, 1],
  ["neighbour", "the public identifier", ({ stored }) => stored.id, 0],
  ["neighbour", "the subject id", ({ stored }) => stored.sub, 0],
];

const SECRET = "2".repeat(43);

for (const [source, what, present, hits] of KEYS) {
  Deno.test(`[${source}] key: ${what} → 401 after ${hits} reads of the store`, async () => {
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
    assertEquals(
      new Set([...seen, await refused(app)]).size,
      1,
      "the same bytes as for any other key",
    );
  });
}

/** Places where a key is not a credential. */
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
    "in a field with a similar name",
    (key) => get("", { "X-API-Key-Id": key, "API-Key": key }),
  ],
  [
    "neighbour",
    "as the user in the URL",
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

Deno.test("[neighbour] timing: an unknown key, one with a wrong secret and a valid one → one digest each", async () => {
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

Deno.test("[ATTACKS] chain: a session and an invalid key → 401; a session and a key → the key's owner", async () => {
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

Deno.test("[neighbour] key: another prefix with a recomputed checksum → rejected", async () => {
  const stores = inMemoryAuthStores();
  await stores.users.create({ sub: "u1", identifier: "a", securityStamp: "s", createdAt: 0 });
  const [test, live] = ["test", "live"].map((prefix) => apiKeyService({ ...stores, prefix }));
  const { key = "" } = await test?.create("u1") ?? {};
  assert(await test?.verify(key) !== undefined);
  const resealed = seal(key.slice(0, -6).replace("test_", "live_"));
  assertEquals(await live?.verify(resealed), undefined); // the stored digest covers the prefix
});

function get(rest: string, headers: Record<string, string> = {}): Request {
  return new Request(`${ORIGIN}/me${rest}`, { headers });
}

/** The response to every invalid key. */
async function refused(app: TestApp): Promise<string> {
  const response = await app.router.request("/me", { headers: { "X-API-Key": "bad" } });
  return await response.text();
}

const ENDS: readonly (readonly [
  source: string,
  what: string,
  end: (made: KeyApp) => Promise<unknown> | unknown,
])[] = [
  ["ATTACKS", "of a disabled user", ({ app }) => setDisabled(app.stores)],
  ["ATTACKS", "of a deleted user", ({ app }) => app.stores.users.delete("u1")],
  ["ATTACKS", "of a user after users.disable()", ({ app }) => app.runtime.users.disable("u1")],
  ["ATTACKS", "of a user after users.remove()", ({ app }) => app.runtime.users.remove("u1")],
  ["neighbour", "of a user who was disabled and enabled again", async ({ app }) => {
    await app.runtime.users.disable("u1");
    await app.runtime.users.enable("u1");
  }],
  ["neighbour", "of a user who was removed and created again", async ({ app }) => {
    const user = await app.stores.users.findBySub("u1");
    assert(user !== null);
    await app.runtime.users.remove("u1");
    await app.stores.users.create(user);
  }],
  ["neighbour", "a revoked key", ({ apiKeys, known }) => apiKeys.revoke("u1", known.stored.id)],
  ["neighbour", "an expired key", ({ app }) => app.clock.now += 3_600],
];

for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] key: ${what} → 401, never anonymous`, async () => {
    const made = await createKeyApp();
    const { app, known } = made;
    const headers = { "X-API-Key": known.key };
    assertEquals((await app.router.request("/me", { headers })).status, 200);
    await end(made);
    for (const path of ["/me", "/maybe"]) {
      assertEquals(await codeOf(app.router.request(path, { headers })), [401, "invalid_api_key"]);
    }
  });
}

for (const method of ["find", "touch"] as const) {
  Deno.test(`[GHSA-8fpg-xm3f-6cx3] key: ${method}() of the store throws → 500, never anonymous`, async () => {
    const { app, known, broken } = await createKeyApp();
    broken.method = method;
    for (const path of ["/me", "/maybe"]) {
      const response = await app.router.request(path, { headers: { "X-API-Key": known.key } });
      assertEquals(response.status, 500);
      assertFalse((await response.text()).includes("SELECT"));
    }
  });
}

Deno.test("[neighbour] owner: revoke() of another user's key → it stays valid", async () => {
  const { apiKeys, known } = await createKeyApp();
  for (const sub of ["u9", "", "__proto__"]) {
    assertEquals(await apiKeys.revoke(sub, known.stored.id), false);
    assertEquals(await apiKeys.list(sub), []);
  }
  assert(await apiKeys.verify(known.key) !== undefined);
});

Deno.test("[neighbour] revoke: 200 concurrent requests → the key stays revoked", async () => {
  const { app, apiKeys, known } = await createKeyApp();
  const headers = { "X-API-Key": known.key };
  const asked = Array.from({ length: 200 }, (_, i) => {
    if (i === 100) return apiKeys.revoke("u1", known.stored.id);
    return app.router.request("/me", { headers });
  });
  await Promise.all(asked);
  assertEquals(await app.stores.apiKeys.list("u1"), []);
  assertEquals(await codeOf(app.router.request("/me", { headers })), [401, "invalid_api_key"]);
});

Deno.test("[ATTACKS] leaks: no key, secret or digest in a response, an event, a log or a list", async () => {
  const { app, apiKeys, known, broken } = await createKeyApp();
  const { key, stored } = known;
  const answers: string[] = [];
  for (const path of ["/me", "/maybe", "/public", "/notes", "/nowhere"]) {
    for (const field of [key, turned(key, -1), `${key}, ${key}`]) {
      const init = { method: path === "/notes" ? "POST" : "GET", headers: { "X-API-Key": field } };
      const response = await app.router.request(path, init);
      answers.push(await response.text(), JSON.stringify([...response.headers]));
    }
  }
  const shown = [await apiKeys.list("u1"), await apiKeys.verify(key)];
  await apiKeys.revoke("u1", stored.id);
  broken.method = "find";
  await app.router.request("/me", { headers: { "X-API-Key": key } });
  const { events, warnings, errors } = app;
  const logged = errors.map((error) => `${error} ${error instanceof Error ? error.stack : ""}`);
  const written = JSON.stringify([answers, events, warnings, logged, shown]);
  assert(events.some(({ type }) => type === "credential.refused") && logged.length > 0);
  const secrets = [key, key.slice(-49, -6), key.slice(-49), stored.keyHash];
  for (const secret of secrets) assertFalse(written.includes(secret));
});

Deno.test("[neighbour] leaks: a dump of the store → no value in it authenticates", async () => {
  const { app, known } = await createKeyApp();
  const { stored } = known;
  const values = Object.values(stored).flat().map(String);
  for (const value of [...values, `key_${stored.id}_${stored.keyHash}`]) {
    for (const field of [value, seal(value)]) {
      const response = app.router.request("/me", { headers: { "X-API-Key": field } });
      assertEquals(await codeOf(response), [401, "invalid_api_key"]);
    }
  }
});
