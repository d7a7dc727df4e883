import { assert, assertEquals } from "@std/assert";
import { countRecords, withNotes } from "../examples/_notes_service.ts";
import { ALL, keysOf, make, program, refusalOf, statusOf } from "./_notes_api_clients.ts";

/** Requests that need a session, whatever the scope of a key. */
const IN_PERSON: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/api-keys"],
  ["POST", "/api-keys"],
  ["DELETE", "/api-keys/:id"],
  ["DELETE", "/sessions"],
  ["DELETE", "/sessions/:id"],
  ["GET", "/sessions"],
  ["GET", "/developer"],
];
for (const [method, path] of IN_PERSON) {
  Deno.test(`${method} ${path} rejects every key`, async () => {
    await withNotes(async (service) => {
      const { key, info } = await make(service);
      const call = program(service.origin, { "X-API-Key": key });
      const body = method === "POST" ? { body: JSON.stringify({ name: "a", scope: ALL }) } : {};
      const headers = { "Content-Type": "application/json" };
      const refused = call(path.replace(":id", info.id), { method, headers, ...body });
      assertEquals(await refusalOf(refused), [403, "insufficient_scope"]);
      assertEquals((await keysOf(service)).map(({ id }) => id), [info.id]);
      assertEquals(await statusOf(service.call("/auth/session")), 200);
    });
  });
}

/** Invalid keys, made from a valid one. */
const WRONG: readonly (readonly [why: string, change: (key: string) => string])[] = [
  ["a key with another last digit", (key) => key.slice(0, -1) + (key.endsWith("a") ? "b" : "a")],
  ["a key with another secret", (key) => key.replace(/_[0-9A-Za-z]{49}$/, `_${"0".repeat(49)}`)],
  ["a key with another prefix", (key) => key.replace("notes_", "key_")],
  ["a key with a missing digit", (key) => key.slice(0, -1)],
  ["a key twice in the field", (key) => `${key}, ${key}`],
  ["a key's identifier only", (key) => key.split("_")[1] ?? ""],
  ["an empty key", () => ""],
];
for (const [why, change] of WRONG) {
  Deno.test(`GET /notes rejects ${why}, signed in or not, without details`, async () => {
    await withNotes(async (service) => {
      const { key } = await make(service);
      const wrong = change(key);
      for (const { call } of [service.stranger(), service]) {
        const refused = await call("/notes", { headers: { "X-API-Key": wrong } });
        const { type, title, status, code, ...rest } = await refused.json();
        assertEquals([type, title, status, code, rest], [
          "about:blank",
          "Unauthorized",
          401,
          "invalid_api_key",
          {},
        ]);
        assert(refused.headers.has("www-authenticate"));
      }
    });
  });
}

/** Places where a key is ignored. */
const ELSEWHERE: readonly (readonly [why: string, ask: (key: string) => [string, RequestInit]])[] =
  [
    [
      "the query",
      (key) => [`/notes?${new URLSearchParams({ "X-API-Key": key, api_key: key })}`, {}],
    ],
    ["a cookie", (key) => ["/notes", { headers: { Cookie: `X-API-Key=${key}` } }]],
    ["Basic", (key) => ["/notes", { headers: { Authorization: `Basic ${btoa(`${key}:`)}` } }]],
  ];
for (const [why, ask] of ELSEWHERE) {
  Deno.test(`GET /notes does not look for a key in ${why}`, async () => {
    await withNotes(async (service) => {
      const { key, info } = await make(service);
      const [path, init] = ask(key);
      assertEquals(await refusalOf(service.stranger().call(path, init)), [401, "unauthenticated"]);
      assertEquals((await keysOf(service)).map(({ lastUsedAt, id }) => [id, lastUsedAt]), [
        [info.id, undefined],
      ]);
    });
  });
}

/** Invalid bodies, and the pointers of the violations. */
const REFUSED: readonly (readonly [why: string, body: unknown, pointer: string])[] = [
  ["no name", { scope: ALL }, "/name"],
  ["a name of spaces", { name: "  ", scope: ALL }, "/name"],
  ["a name of 101 characters", { name: "x".repeat(101), scope: ALL }, "/name"],
  ["a name of two lines", { name: "a\nb", scope: ALL }, "/name"],
  ["a lone surrogate", { name: "a\ud83d", scope: ALL }, "/name"],
  ["no scope", { name: "a" }, "/scope"],
  ["an empty scope", { name: "a", scope: [] }, "/scope"],
  ["an unknown scope", { name: "a", scope: ["notes:admin"] }, "/scope/0"],
  ["a duplicate scope", { name: "a", scope: ["notes:read", "notes:read"] }, "/scope"],
  ["scopes as a string", { name: "a", scope: "notes:read notes:write" }, "/scope"],
  ["zero days", { name: "a", scope: ALL, expiresInDays: 0 }, "/expiresInDays"],
  ["half a day", { name: "a", scope: ALL, expiresInDays: 0.5 }, "/expiresInDays"],
  ["401 days", { name: "a", scope: ALL, expiresInDays: 401 }, "/expiresInDays"],
  ["days as a string", { name: "a", scope: ALL, expiresInDays: "30" }, "/expiresInDays"],
  ["another owner", { name: "a", scope: ALL, sub: "eve" }, ""],
];
for (const [why, body, pointer] of REFUSED) {
  Deno.test(`POST /api-keys rejects ${why}`, async () => {
    await withNotes(async (service) => {
      const response = await service.send("POST", "/api-keys", body);
      const { code, violations } = await response.json();
      assertEquals([response.status, code], [422, "validation_failed"]);
      assertEquals(violations.map((one: { pointer: string }) => one.pointer), [pointer]);
      assertEquals(await countRecords(service.kv, "api_keys"), 0);
    });
  });
}

Deno.test("POST /api-keys allows at most a hundred keys", async () => {
  await withNotes(async (service) => {
    const keys = [];
    for (let i = 0; i < 100; i++) keys.push(await make(service));
    const refused = service.send("POST", "/api-keys", { name: "a", scope: ALL });
    assertEquals(await refusalOf(refused), [409, "too_many_keys"]);
    const [{ info } = { info: { id: "" } }] = keys;
    assertEquals(await statusOf(service.call(`/api-keys/${info.id}`, { method: "DELETE" })), 204);
    await make(service);
  });
});

Deno.test("POST /api-keys rejects pages of other sites and requests without a session", async () => {
  await withNotes(async (service) => {
    const body = { name: "a", scope: ALL };
    for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { "X-CSRF-Token": "" }]) {
      const forged = service.send("POST", "/api-keys", body, headers);
      assertEquals(await refusalOf(forged), [403, "csrf_failed"]);
    }
    const anonymous = service.stranger().send("POST", "/api-keys", body);
    assertEquals(await refusalOf(anonymous), [401, "unauthenticated"]);
    assertEquals(await countRecords(service.kv, "api_keys"), 0);
  });
});
