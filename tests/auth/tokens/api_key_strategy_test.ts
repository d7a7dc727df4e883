import { chain, type StrategyResult } from "@gatehouse/http";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { ApiKeyService, NewApiKeyOptions } from "../../../auth/tokens/api_key_types.ts";
import { apiKeyStrategy } from "../../../auth/tokens/api_key_strategy.ts";
import { untyped } from "../../router/_helpers.ts";
import { madeUp, withKey, type WithKeys } from "./_api_keys.ts";
import { setDisabled, START } from "../_services.ts";
import { keyStrategy } from "../_strategies.ts";

Deno.test("apiKeyStrategy() returns no credential without the header, even if a key is elsewhere", async () => {
  const { strategy, key, calls } = await createStrategy();
  const elsewhere: Record<string, string> = {
    Authorization: `Bearer ${key}`,
    Cookie: `X-API-Key=${key}`,
    "X-Key": key,
    "Api-Key": key,
    "X-API-Keys": key,
  };
  for (const headers of [{}, elsewhere]) {
    const url = `https://example.com/?X-API-Key=${key}&api_key=${key}`;
    const request = new Request(url, { method: "POST", headers, body: `api_key=${key}` });
    assertEquals(await strategy.authenticate({ request }), { status: "no-credential" });
    assertEquals(request.bodyUsed, false);
  }
  assertEquals(calls, []);
});

Deno.test("apiKeyStrategy() creates the principal of a key, with its scope and authTime 0", async () => {
  const { authenticate, key, id } = await createStrategy({ scope: ["notes:read"], name: "Backup" });
  const result = await authenticate(key);
  assert(result.status === "authenticated");
  assertEquals({ ...result.principal, claims: { ...result.principal.claims } }, {
    sub: "u1",
    method: "api-key",
    authTime: 0,
    scope: ["notes:read"],
    claims: { apiKeyId: id },
  });
  assert(Object.isFrozen(result.principal));
  assert(!JSON.stringify(result).includes(key.slice(-49)));
});

Deno.test("apiKeyStrategy() returns a key without scope an empty scope", async () => {
  const { authenticate, key } = await createStrategy();
  const result = await authenticate(key);
  assertEquals(result.status === "authenticated" && result.principal.scope, []);
});

Deno.test("apiKeyStrategy() reads the header case-insensitively and trims whitespace", async () => {
  const { strategy, key } = await createStrategy();
  for (const headers of [{ "x-api-key": key }, { "X-API-KEY": ` ${key}\t` }]) {
    const request = new Request("https://example.com/", { headers });
    assertEquals((await strategy.authenticate({ request })).status, "authenticated");
  }
});

const FAILURES: readonly (readonly [why: string, field: (key: string) => string, hits: number])[] =
  [
    ["an empty field", () => "", 0],
    ["a malformed key", () => "made-up", 0],
    ["a wrong checksum", (key) => `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`, 0],
    ["a duplicate key", (key) => `${key}, ${key}`, 0],
    ["the key and an empty one", (key) => `${key}, `, 0],
    ["a scheme before the key", (key) => `ApiKey ${key}`, 0],
    ["quotes around the key", (key) => `"${key}"`, 0],
    ["a field of 64 KB", () => "A".repeat(65_536), 0],
    ["another prefix", () => madeUp().replace("key", "kez"), 0],
    ["an unknown key", () => madeUp(), 1],
  ];
for (const [why, field, hits] of FAILURES) {
  Deno.test(`apiKeyStrategy() fails at ${why}, after ${hits} calls of the store`, async () => {
    const { authenticate, key, calls } = await createStrategy();
    assertEquals(await authenticate(field(key)), FAILED);
    assertEquals(calls.length, hits);
  });
}

/** The same failure for every reason: the message is emitted in events. */
const FAILED: StrategyResult = {
  status: "failed",
  code: "invalid_api_key",
  message: "API key is unknown",
};

const ENDS: readonly (readonly [why: string, end: (made: Made) => unknown])[] = [
  ["revoked", ({ apiKeys, id }) => apiKeys.revoke("u1", id)],
  ["revoked with all others", ({ apiKeys }) => apiKeys.revokeAll("u1")],
  ["over", ({ clock }) => clock.now += 3_600],
  ["of a disabled user", ({ stores }) => setDisabled(stores)],
  ["of a user who was disabled before", ({ accounts }) => accounts.disable("u1")],
  ["of a deleted user", ({ accounts }) => accounts.remove("u1")],
];
for (const [why, end] of ENDS) {
  Deno.test(`apiKeyStrategy() fails at a key that is ${why}`, async () => {
    const made = await createStrategy({ expiresIn: 3_600 });
    assertEquals((await made.authenticate(made.key)).status, "authenticated");
    await end(made);
    assertEquals(await made.authenticate(made.key), FAILED);
  });
}

Deno.test("apiKeyStrategy() halts the chain at a bad key", async () => {
  const { strategy } = await createStrategy();
  const other = keyStrategy();
  const headers = { "X-API-Key": "bad", "X-Key": "good" };
  const request = new Request("https://example.com/", { headers });
  assertEquals((await chain([strategy, other]).authenticate({ request })).status, "failed");
  assertEquals(other.asked.length, 0);
});

Deno.test("apiKeyStrategy() passes on errors of the service", async () => {
  const broken = { verify: () => Promise.reject(new Error("The database is down")) };
  const strategy = apiKeyStrategy({ apiKeys: broken });
  const ask = async (headers: HeadersInit) => {
    return await strategy.authenticate({
      request: new Request("https://example.com/", { headers }),
    });
  };
  await assertRejects(() => ask({ "X-API-Key": "a" }), Error, "The database is down");
  assertEquals((await ask({})).status, "no-credential");
});

Deno.test("apiKeyStrategy() is frozen and names its header", async () => {
  const { apiKeys, key } = await createStrategy();
  const strategy = apiKeyStrategy({ apiKeys, header: "X-Acme-Key" });
  assert(Object.isFrozen(strategy));
  assertEquals([strategy.name, strategy.scheme], ["api-key", {
    type: "header",
    name: "X-Acme-Key",
  }]);
  const ask = async (name: string) => {
    const request = new Request("https://example.com/", { headers: { [name]: key } });
    return (await strategy.authenticate({ request })).status;
  };
  assertEquals(await ask("X-Acme-Key"), "authenticated");
  assertEquals(await ask("X-API-Key"), "no-credential");
});

const OPTIONS: readonly [why: string, options: object, error: typeof TypeError][] = [
  ["no service", {}, TypeError],
  ["a service without verify()", { apiKeys: {} }, TypeError],
  ["a store instead of a service", { apiKeys: { find: () => null } }, TypeError],
  ["a header that is not a string", { header: null }, TypeError],
  ["an empty header", { header: "" }, RangeError],
  ["a header with a space", { header: "X API Key" }, RangeError],
  ["a header with a colon", { header: "X-API-Key:" }, RangeError],
  ["a header with a line break", { header: "X-API-Key\n" }, RangeError],
  ["a header with a non-ASCII character", { header: "X-Schlüssel" }, RangeError],
];
for (const [why, options, error] of OPTIONS) {
  Deno.test(`apiKeyStrategy() rejects ${why}`, () => {
    const apiKeys: Pick<ApiKeyService, "verify"> = { verify: () => Promise.resolve(undefined) };
    const given = error === RangeError || "header" in options ? { apiKeys, ...options } : options;
    const thrown = assertThrows(() => apiKeyStrategy(untyped(given)), error);
    assert(thrown.message.startsWith("Cannot create API key strategy: "));
  });
}

Deno.test("apiKeyStrategy() uses the given clock", async () => {
  const { apiKeys, key } = await createStrategy();
  const strategy = apiKeyStrategy({ apiKeys, now: () => START * 1_000 });
  const request = new Request("https://example.com/", { headers: { "X-API-Key": key } });
  await assertRejects(
    () => Promise.resolve(strategy.authenticate({ request })),
    RangeError,
    "Invalid clock",
  );
});

interface Made extends WithKeys {
  readonly key: string;
  readonly id: string;
  readonly strategy: ReturnType<typeof apiKeyStrategy>;
  authenticate(field: string): Promise<StrategyResult>;
}

async function createStrategy(of: NewApiKeyOptions = {}): Promise<Made> {
  const made = await withKey({}, of);
  const strategy = apiKeyStrategy({ apiKeys: made.apiKeys, now: () => made.clock.now });
  return {
    ...made,
    strategy,
    async authenticate(field) {
      const request = new Request("https://example.com/", { headers: { "X-API-Key": field } });
      return await strategy.authenticate({ request });
    },
  };
}
