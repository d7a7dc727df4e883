/**
 * Engines that reject writes, or a single one: the call rejects, records stay unchanged, reads work, and writes work again when
 * the engine accepts them.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { authStores } from "../../auth/stores/repo.ts";
import type { StorageAdapter } from "../../auth/stores/adapter.ts";
import { assertRefused, FAULT } from "../auth/http/_routes.ts";
import { createTestApp } from "../auth/http/_app.ts";
import { START } from "../auth/_services.ts";
import { CLIENTS, openAdapter, openFreshAdapter } from "./_adapters.ts";
import { engineTest } from "./_engines.ts";
import { assertFails, eventually, inTime, secretsOf } from "./_faults.ts";
import { familyOf, RACE_TIME, sessionOf } from "../contracts/_races.ts";
import { connectRedis } from "./_redis.ts";

const clock = { now: START };
const now = () => clock.now;

/** Settings with which Redis rejects writes, and the code of its error. */
const REDIS_REJECTIONS:
  readonly (readonly [why: string, name: string, value: string, code: string])[] = [
    ["its memory is full", "maxmemory", "1", "OOM"],
    ["too few replicas are connected", "min-replicas-to-write", "1", "NOREPLICAS"],
  ];

for (const [why, name, value, code] of REDIS_REJECTIONS) {
  engineTest("redis", `redisAdapter() rejects writes if ${why}`, async (url) => {
    await using open = await openFreshAdapter("ioredis", { url, now });
    await withWrites(open.adapter, {
      refusing: open.adapter,
      while: (run) => withSetting(url, [name, value], run),
      secrets: secretsOf(url),
      code: new RegExp(`\\b${code}\\b`),
    });
  });
}

for (const { name: client } of CLIENTS.filter(({ engine }) => engine === "postgres")) {
  const title = `sqlAdapter() over ${client} rejects writes on a replica`;
  engineTest("postgres", title, async (url) => {
    await using open = await openFreshAdapter(client, { url, now });
    const readOnly = new URL(url);
    readOnly.searchParams.set("options", "-c default_transaction_read_only=on");
    // migrate() works without the right to write, because the table exists
    await using replica = await openAdapter(client, { url: readOnly.href, place: open.place, now });
    await withWrites(open.adapter, {
      refusing: replica.adapter,
      while: (run) => run(),
      secrets: secretsOf(url),
      code: /\b25006\b/, // read_only_sql_transaction
    });
  });
}

interface Refusing {
  /** Rejects writes. */
  readonly refusing: StorageAdapter;
  while(run: () => Promise<void>): Promise<void>;
  readonly secrets: readonly string[];
  /** The code that the error must contain. */
  readonly code: RegExp;
}

/** Asserts that every kind of write is rejected and every kind of read works, also in an application. */
async function withWrites(
  adapter: StorageAdapter,
  { refusing, while: meanwhile, secrets, code }: Refusing,
): Promise<void> {
  const stores = authStores(adapter);
  const app = createTestApp({ stores: authStores(refusing), clock });
  const known = createTestApp({ stores, clock });
  const headers = { Cookie: (await known.signedIn()).jar.field() };
  await stores.refreshTokens.create(familyOf("f1"));
  await stores.states.put("state", "once", START + 60);
  const session = sessionOf("s1", "hash");
  await stores.sessions.create(session);

  const limited = authStores(refusing);
  const writes: readonly (() => Promise<unknown>)[] = [
    () => limited.states.put("secret state", "secret value", START + 60),
    () => limited.states.put("state", "secret value", START + 60),
    () => limited.sessions.create(sessionOf("secret session", "secret hash")),
    () => limited.refreshTokens.rotate(ROTATION),
    () => limited.throttle.reserve({ key: "secret key", rule: WINDOW }, [], START),
    () => limited.keys.save([], null),
  ];
  await meanwhile(async () => {
    for (const write of writes) {
      const error = await assertFails(write(), [...secrets, "secret"]);
      assertMatch(Deno.inspect(error), code);
    }

    assertEquals(await limited.sessions.findByTokenHash("hash"), session);
    assertEquals((await limited.sessions.list("u1")).length, 2);
    assertEquals((await limited.refreshTokens.find("f1"))?.generation, 0);
    assertEquals((await app.router.request("/me", { headers })).status, 200);
    await assertRefused(await inTime(app.browser().login()), FAULT);
  });
  assertEquals(await stores.refreshTokens.rotate(ROTATION), "rotated");
  assertEquals(await stores.states.consume("secret state"), null);
  assertEquals(await stores.states.consume("state"), "once", "unchanged");
  assertEquals((await known.browser().login()).status, 200);
}

const ROTATION = {
  familyId: "f1",
  fromHash: "first",
  toHash: "secret next",
  now: RACE_TIME,
  expiresAt: RACE_TIME + 600,
};
const WINDOW = { kind: "window", limit: 2, seconds: 60 } as const;

const MEGABYTE = 1_048_576;

for (const { name: client, engine } of CLIENTS) {
  engineTest(engine, `get() returns a value of 4 MiB unchanged, over ${client}`, async (url) => {
    await using open = await openFreshAdapter(client, { url, now });
    const value = { text: `${'\u{1f511}é\\"'.repeat(MEGABYTE / 2)}` };
    assert(new TextEncoder().encode(JSON.stringify(value)).length > 4 * MEGABYTE);
    await open.adapter.put("c", "k", { value });
    assertEquals((await open.adapter.get("c", "k"))?.value, value);
  });
}

engineTest(
  "redis",
  "redisAdapter() rejects a value that is too large, and recovers",
  async (url) => {
    await using open = await openFreshAdapter("ioredis", { url, now });
    await using other = await openAdapter("ioredis", { url, place: open.place, now });
    const { adapter } = open;
    await adapter.put("c", "k", { value: "small", unique: "u", index: ["i"] });
    const { version = "" } = await adapter.get("c", "k") ?? {};
    // Redis closes the connection, so the client must reconnect
    const recovers = () =>
      eventually(() => other.adapter.get("c", "k").catch(() => undefined), {
        is: (found) => found?.version === version,
        otherwise: (found) => assertEquals(found, undefined),
      });
    await withSetting(url, ["proto-max-bulk-len", `${MEGABYTE}`], async () => {
      const record = { value: "secret".repeat(MEGABYTE / 3), unique: "v", index: ["j"] } as const;
      const secrets = [...secretsOf(url), "secret"];
      await assertFails(other.adapter.put("c", "k", record), secrets);
      await recovers();
      await assertFails(
        Promise.resolve(other.adapter.atomic?.cas("c", "k", version, record)),
        secrets,
      );
      await recovers();
      assertEquals((await adapter.get("c", "k"))?.value, "small");
      assertEquals((await adapter.find("c", "u"))?.key, "k");
      assertEquals(await adapter.find("c", "v"), null);
      assertEquals(await adapter.list("c", 0, "j"), []);
    });
  },
);

for (const { name: client } of CLIENTS.filter(({ engine }) => engine === "postgres")) {
  const title = `sqlAdapter() over ${client} rejects a key that is too long, and recovers`;
  engineTest("postgres", title, async (url) => {
    await using open = await openFreshAdapter(client, { url, now });
    const { adapter } = open;
    const long = randomText(4_000); // an index entry of PostgreSQL has up to a third of a page, compressed
    const secrets = [...secretsOf(url), long.slice(0, 20), "secret"];
    await adapter.put("c", "k", { value: "there", unique: randomText(2_500) }); // the documented limit
    const error = await assertFails(adapter.put("c", long, { value: "secret" }), secrets);
    assertMatch(Deno.inspect(error), /\b54000\b/); // program_limit_exceeded
    await assertFails(adapter.put("c", "k", { value: "secret", unique: long }), secrets);
    await assertFails(adapter.put("c", "k", { value: "secret", index: [long] }), secrets);
    assertEquals(await adapter.get("c", long), null);
    assertEquals(await adapter.find("c", long), null);
    assertEquals(await adapter.list("c", 0, long), []);
    assertEquals((await adapter.get("c", "k"))?.value, "there");
  });
}

/** A random string, which does not compress. */
function randomText(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  return Array.from(bytes, (byte) => String.fromCharCode(0x30 + byte % 64)).join("");
}

/** Changes a setting of Redis while something runs. */
async function withSetting(
  url: string,
  [name, value]: readonly [name: string, value: string],
  run: () => Promise<void>,
): Promise<void> {
  await using redis = await connectRedis("ioredis", url);
  const [, before] = await redis.send("CONFIG", ["GET", name]) as readonly string[];
  if (before === undefined) throw new Error(`Cannot change Redis: it has no ${name}`);
  await redis.send("CONFIG", ["SET", name, value]);
  try {
    await run();
  } finally {
    await redis.send("CONFIG", ["SET", name, before]);
  }
}
