import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { redisAdapter } from "../../auth/stores/engines/redis.ts";
import type { StoredRecord } from "../../auth/stores/adapter.ts";
import { engineTest } from "./_engines.ts";
import { connectRedis, openRedis } from "./_redis.ts";

const START = 1_700_000_000;
const FULL: StoredRecord = { value: { a: 1 }, unique: "u", index: ["i", "j"] };
const ENDING: StoredRecord = { ...FULL, expiresAt: START + 600 };

/** The commands that docs/stores.md lists. */
const COMMANDS = (
  "del get set hdel hget hmget hset persist pexpire zadd zcard zrangebylex zrangebyscore zrem " +
  "zrevrange zrevrangebylex"
).split(" ");

engineTest("redis", "redisAdapter() sends its scripts again after SCRIPT FLUSH", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [adapter, other] = place.adapters;
  await adapter.put("c", "k", FULL);
  const flush = () => place.send("SCRIPT", ["FLUSH"]);
  await flush();
  assertEquals((await other.find("c", "u"))?.key, "k");
  await flush();
  assertEquals((await other.list("c", 0, "i")).length, 1);
  const version = (await adapter.get("c", "k"))?.version ?? "";
  await flush();
  const outcomes = await Promise.all(Array.from({ length: 50 }, async (_, at) => {
    if (at === 25) await flush();
    return await (at % 2 === 0 ? adapter : other).atomic.cas("c", "k", version, { value: at });
  }));
  const won = outcomes.filter(({ status }) => status === "ok");
  assertEquals(won.length, 1);
  await flush();
  assertEquals(typeof await other.atomic.take("c", "k"), "number");
  await flush();
  await adapter.delete("c", "k");
  assertEquals(await place.keys(), []);
});

engineTest("redis", "cas() returns ok twice if a client sends it twice", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const twice = redisAdapter(async (command, args) => {
    if (command.startsWith("EVAL")) await place.send(command, args).catch(() => {});
    return await place.send(command, args);
  }, { prefix: place.prefix, now: () => START });
  const made = await twice.atomic.cas("c", "k", null, FULL);
  assert(made.status === "ok");
  const next = await twice.atomic.cas("c", "k", made.version, { value: 2, unique: "v" });
  assert(next.status === "ok");
  assertEquals(await place.adapters[0].get("c", "k"), { value: 2, version: next.version });
  assertEquals(await twice.atomic.cas("c", "k", made.version, FULL), { status: "lost" });
});

engineTest("redis", "redisAdapter() needs only the documented commands", async (url) => {
  await using place = await openRedis(url, { now: () => START });
  const [name, password] = [crypto.randomUUID(), crypto.randomUUID()];
  const rights = [...COMMANDS, "eval", "evalsha"].map((command) => `+${command}`);
  const keys = `~${place.prefix}*`;
  await place.send("ACL", ["SETUSER", name, "on", `>${password}`, "-@all", keys, ...rights]);
  try {
    const own = new URL(url);
    own.username = name;
    own.password = password;
    await using connection = await connectRedis("node-redis", own.href);
    const adapter = redisAdapter(connection.send, { prefix: place.prefix, now: () => START });
    await place.send("SCRIPT", ["FLUSH"]);
    for (const record of [ENDING, FULL, { ...ENDING, unique: "v", index: ["j", "i"] } as const]) {
      await adapter.put("c", "k", record);
    }
    assertEquals((await adapter.get("c", "k"))?.value, FULL.value);
    assertEquals((await adapter.find("c", "v"))?.key, "k");
    for (const reverse of [false, true]) {
      assertEquals((await adapter.list("c", 0, "j", { reverse })).length, 1);
    }
    assertEquals(await adapter.atomic.take("c", "k"), FULL.value);
    const other = redisAdapter(connection.send, { prefix: "{other}:", now: () => START });
    const refused = await assertRejects(() => other.get("c", "k"), Error);
    assertMatch(String(refused.cause), /NOPERM/);
  } finally {
    await place.send("ACL", ["DELUSER", name]);
  }
});
