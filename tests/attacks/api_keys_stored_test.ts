/** The catalogue "Guards, stores, keys", as far as it is about API keys that end, fail or leak; rows are only added. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { seal } from "../auth/tokens/_api_keys.ts";
import { setDisabled } from "../auth/_services.ts";
import { codeOf } from "../router/_helpers.ts";
import { createKeyApp, type KeyApp, turned } from "./_api_keys.ts";

const ENDS: readonly (readonly [
  source: string,
  what: string,
  end: (made: KeyApp) => Promise<unknown> | unknown,
])[] = [
  ["ATTACKS", "a disabled user", ({ app }) => setDisabled(app.stores)],
  ["ATTACKS", "a deleted user", ({ app }) => app.stores.users.delete("u1")],
  ["ATTACKS", "a user whom users.disable() closed", ({ app }) => app.runtime.users.disable("u1")],
  ["ATTACKS", "a user whom users.remove() removed", ({ app }) => app.runtime.users.remove("u1")],
  ["neighbour", "a user who was closed and opened again", async ({ app }) => {
    await app.runtime.users.disable("u1");
    await app.runtime.users.enable("u1");
  }],
  ["neighbour", "a user who was removed and made anew", async ({ app }) => {
    const user = await app.stores.users.findBySub("u1");
    assert(user !== null);
    await app.runtime.users.remove("u1");
    await app.stores.users.create(user);
  }],
  ["neighbour", "a revoked key", ({ apiKeys, known }) => apiKeys.revoke("u1", known.stored.id)],
  ["neighbour", "a key that has ended", ({ app }) => app.clock.now += 3_600],
];

for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] key: of ${what} → dead, and not anonymous`, async () => {
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

Deno.test("[neighbour] owner: revoke() of somebody else's key → it goes on", async () => {
  const { apiKeys, known } = await createKeyApp();
  for (const sub of ["u9", "", "__proto__"]) {
    assertEquals(await apiKeys.revoke(sub, known.stored.id), false);
    assertEquals(await apiKeys.list(sub), []);
  }
  assert(await apiKeys.verify(known.key) !== undefined);
});

Deno.test("[neighbour] revoke: 200 requests at once beside it → the key does not come back", async () => {
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

Deno.test("[ATTACKS] leaks: no key, secret or digest in an answer, an event, a log or what is listed", async () => {
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

Deno.test("[neighbour] leaks: a dump of the store → nothing in it opens anything", async () => {
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
