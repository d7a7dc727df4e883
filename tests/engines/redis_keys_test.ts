import { assert, assertEquals, assertGreater, assertLessOrEqual } from "@std/assert";
import { redisAdapter, type RedisSend } from "../../auth/stores/engines/redis.ts";
import type { StoredRecord } from "../../auth/stores/adapter.ts";
import { engineTest } from "./_engines.ts";
import { eventually } from "./_faults.ts";
import { openRedis } from "./_redis.ts";

const START = 1_700_000_000;
const MINUTES_MS = 60_000;
const FULL: StoredRecord = { value: { a: 1 }, unique: "u", index: ["i", "j"] };
const ENDING: StoredRecord = { ...FULL, expiresAt: START + 600 };

/** Clocks that differ from that of Redis. */
const CLOCKS: readonly (readonly [why: string, time: number])[] = [
  ["at the epoch", 0],
  ["years behind", START],
  ["decades ahead", 4_000_000_000],
];

engineTest("redis", "redisAdapter() sets a time to live on all keys of a record", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [adapter] = place.adapters;
  await adapter.put("c", "k", ENDING);
  const times = await place.times();
  assertEquals([...times.keys()], [
    `${place.prefix}c:ends:0:i`,
    `${place.prefix}c:ends:1:j`,
    `${place.prefix}c:index:0:i`,
    `${place.prefix}c:index:1:j`,
    `${place.prefix}c:record:k`,
    `${place.prefix}c:unique:u`,
  ]);
  for (const [key, time] of times) {
    assertGreater(time, 14 * MINUTES_MS, key);
    assertLessOrEqual(time, 15 * MINUTES_MS, key); // five more minutes, for slower clocks
  }
  await adapter.put("c", "k", FULL);
  assertEquals([...(await place.times()).values()], [-1, -1, -1, -1]); // the sets of expiries are gone
});

engineTest("redis", "redisAdapter() lets an index expire with its last record", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [adapter] = place.adapters;
  const time = async () => (await place.times()).get(`${place.prefix}c:index:0:i`) ?? -2;
  const put = (key: string, minutes?: number) =>
    adapter.put("c", key, {
      value: 1,
      index: ["i"],
      expiresAt: minutes === undefined ? undefined : START + minutes * 60,
    });
  await put("a", 10);
  await put("b", 60);
  await put("c", 1);
  assertGreater(await time(), 64 * MINUTES_MS, "the latest expiry");
  await put("d");
  assertEquals(await time(), -1, "a record without expiry");
  await put("d", 20);
  assertGreater(await time(), 64 * MINUTES_MS, "the record expires now");
  await adapter.delete("c", "b");
  assertLessOrEqual(await time(), 25 * MINUTES_MS, "the latest record is deleted");
  assertGreater(await time(), 24 * MINUTES_MS);
  await put("d");
  await adapter.delete("c", "d");
  assertLessOrEqual(await time(), 15 * MINUTES_MS, "the record without expiry is deleted");
});

engineTest("redis", "redisAdapter() deletes all keys of a record", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [adapter] = place.adapters;
  const { atomic } = adapter;
  for (const record of [FULL, ENDING]) {
    await adapter.put("c", "k", record);
    await adapter.delete("c", "k");
    assertEquals(await place.keys(), [], "delete()");
    await adapter.put("c", "k", record);
    assertEquals(await atomic.take("c", "k"), record.value);
    assertEquals(await place.keys(), [], "take()");
    const made = await atomic.cas("c", "k", null, record);
    assert(made.status === "ok");
    assertEquals((await atomic.cas("c", "k", made.version, null)).status, "ok");
    assertEquals(await place.keys(), [], "cas()");
    await adapter.put("c", "k", record);
    await adapter.put("c", "k", { value: 2 });
    assertEquals(await place.keys(), [`${place.prefix}c:record:k`], "index entries");
    await adapter.delete("c", "k");
  }
});

engineTest(
  "redis",
  "redisAdapter() lets a record that expired long ago be deleted by Redis",
  async (url) => {
    await using place = await openRedis(url, { now: () => START });
    const [adapter] = place.adapters;
    await adapter.put("c", "k", { ...FULL, expiresAt: START - 298 });
    assertGreater((await place.keys()).length, 0); // for a clock that is five minutes slow
    await eventually(() => place.keys(), { is: ({ length }) => length === 0 });
  },
);

engineTest("redis", "redisAdapter() prunes an index when it writes to it", async (url) => {
  let time = START;
  await using place = await openRedis(url, { now: () => time });
  const [adapter] = place.adapters;
  const members = () => place.send("ZCARD", [`${place.prefix}c:index:0:i`]).then(Number);
  for (let at = 0; at < 30; at++) {
    await adapter.put("c", `k${at}`, { value: at, index: ["i"], expiresAt: START + 10 });
  }
  await adapter.put("c", "last", { value: 1, index: ["i"] });
  time = START + 309;
  await adapter.put("c", "last", { value: 2, index: ["i"] });
  assertEquals(await members(), 31, "retained for slower clocks");
  time = START + 310;
  await adapter.put("c", "last", { value: 3, index: ["i"] });
  assertEquals(await members(), 1);
});

engineTest(
  "redis",
  "redisAdapter() lets an index expire after it was pruned",
  async (url) => {
    let time = START;
    await using place = await openRedis(url, { now: () => time });
    const [adapter] = place.adapters;
    await adapter.put("c", "past", { value: 1, index: ["i"], expiresAt: START + 10 });
    time = START + 3_600;
    await adapter.put("c", "k", { value: 2, index: ["i"], expiresAt: time + 600 });
    for (const [key, left] of await place.times()) assertGreater(left, 0, key);
  },
);

engineTest("redis", "list() removes index entries whose record is lost", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [adapter] = place.adapters;
  for (const key of ["a", "b", "c"]) await adapter.put("c", key, { value: key, index: ["i", "j"] });
  await place.send("DEL", [`${place.prefix}c:record:a`, `${place.prefix}c:record:b`]);
  await adapter.put("c", "b", { value: "elsewhere", index: ["x"] });
  const listed = await adapter.list("c", 0, "i", { limit: 1 });
  assertEquals(listed.map(({ key }) => key), ["c"]);
  assertEquals(await place.send("ZRANGE", [`${place.prefix}c:index:0:i`, "0", "-1"]), ["c"]);
});

engineTest(
  "redis",
  "redisAdapter() frees a unique value whose record is lost",
  async (url) => {
    await using place = await openRedis(url, { now: () => START });
    const [adapter] = place.adapters;
    await adapter.put("c", "a", { value: 1, unique: "u" });
    await place.send("DEL", [`${place.prefix}c:record:a`]);
    assertEquals(await adapter.find("c", "u"), null);
    await adapter.put("c", "a", { value: 2, unique: "v" });
    assertEquals(await adapter.find("c", "u"), null);
    await adapter.put("c", "b", { value: 3, unique: "u" });
    assertEquals((await adapter.find("c", "u"))?.key, "b");
  },
);

engineTest(
  "redis",
  "redisAdapter() keeps a unique value that another record got after its key was lost",
  async (url) => {
    await using place = await openRedis(url, { now: () => START });
    const [adapter] = place.adapters;
    const leaving = [
      () => adapter.delete("c", "a"),
      () => adapter.atomic.take("c", "a"),
      () => adapter.put("c", "a", { value: 1 }),
    ];
    for (const leave of leaving) {
      await adapter.put("c", "a", { value: 1, unique: "u" });
      await place.send("DEL", [`${place.prefix}c:unique:u`]);
      await adapter.put("c", "b", { value: 2, unique: "u" });
      await leave();
      assertEquals((await adapter.find("c", "u"))?.key, "b");
      await adapter.delete("c", "b");
    }
  },
);

engineTest(
  "redis",
  "redisAdapter() deletes an expired record whose unique value is reused",
  async (url) => {
    let time = START;
    await using place = await openRedis(url, { now: () => time });
    const [adapter] = place.adapters;
    await adapter.put("c", "a", ENDING);
    time = START + 600;
    await adapter.put("c", "b", { value: 2, unique: "u" });
    time = START; // a process with a slower clock
    assertEquals(await adapter.get("c", "a"), null);
    assertEquals(await adapter.list("c", 0, "i"), []);
    assertEquals(await place.keys(), [`${place.prefix}c:record:b`, `${place.prefix}c:unique:u`]);
  },
);

for (const [why, time] of CLOCKS) {
  engineTest("redis", `redisAdapter() uses its own clock, ${why}`, async (url) => {
    let now = time;
    await using place = await openRedis(url, { now: () => now });
    const [adapter, other] = place.adapters;
    await adapter.put("c", "k", { ...FULL, expiresAt: time + 60 });
    for (const key of await place.keys()) {
      assertGreater((await place.times()).get(key) ?? 0, 5 * MINUTES_MS, key);
    }
    for (const [later, there] of [[0, 1], [59.9, 1], [60, 0], [1e6, 0], [-1e5, 1]] as const) {
      now = time + later;
      assertEquals((await other.get("c", "k"))?.value, there === 1 ? { a: 1 } : undefined);
      assertEquals((await other.find("c", "u"))?.key, there === 1 ? "k" : undefined);
      assertEquals((await other.list("c", 0, "i")).length, there);
    }
  });
}

engineTest(
  "redis",
  "redisAdapter() separates prefixes, also those that are patterns",
  async (url) => {
    await using place = await openRedis(url, { now: () => START });
    const other = redisAdapter(place.send, { prefix: `${place.prefix}[*]?\\:`, now: () => START });
    await place.adapters[0].put("c", "k", FULL);
    assertEquals(await other.get("c", "k"), null);
    assertEquals(await other.find("c", "u"), null);
    await other.put("c", "k", { ...FULL, value: 2 });
    await place.adapters[0].delete("c", "k");
    assertEquals((await other.find("c", "u"))?.value, 2);
  },
);

engineTest("redis", "redisAdapter() preserves every byte of strings", async (url) => {
  const first = "\ufeff\u0001\r\n\t\u007f\u0080\u2028\ufffd\u{10ffff}$-1\r\n";
  for (const client of ["ioredis", "node-redis"] as const) {
    await using place = await openRedis(url, { client, now: () => START });
    const [adapter, other] = place.adapters;
    const value = { text: `${first}\u0000\ud800`, big: 2 ** 53 - 1, small: 5e-324, list: [] };
    await adapter.put(first, first, { value, unique: first, index: [first, first] });
    const version = (await other.get(first, first))?.version ?? "";
    const expected = { key: first, value, version };
    assertEquals(await other.find(first, first), expected);
    assertEquals(await other.list(first, 1, first), [expected]);
    assertEquals(await other.list(first, 1, first.slice(1)), []);
    assertEquals(await other.atomic.take(first, first), value);
  }
});

engineTest("redis", "list() returns ten thousand sessions of a user in pages", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [adapter, other] = place.adapters;
  const keys = Array.from({ length: 10_000 }, (_, at) => `s${at}`).sort();
  const value = { userAgent: "x".repeat(200) };
  await Promise.all(keys.map((key) =>
    adapter.put("sessions", key, {
      value,
      unique: `id of ${key}`,
      index: ["u1"],
      expiresAt: START + 600,
    })
  ));
  const before = await recordReads(place.send);
  const found: string[] = [];
  for (let page = 0; page < 200; page++) {
    const options = { limit: 50, after: found.at(-1) };
    found.push(...(await other.list("sessions", 0, "u1", options)).map(({ key }) => key));
  }
  assertEquals(found, keys);
  assertEquals((await other.list("sessions", 0, "u1", { reverse: true })).length, 10_000);
  const reads = await recordReads(place.send) - before;
  assertEquals(reads, 2 * keys.length, "a page reads only its own records");
});

/** How often scripts and clients have read a record since the server started. */
async function recordReads(send: RedisSend): Promise<number> {
  const stats = String(await send("INFO", ["commandstats"]));
  return Number(/^cmdstat_hmget:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
}
