import { Buffer } from "node:buffer";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { type RedisAdapter, redisAdapter } from "../../../auth/stores/redis.ts";
import { fakeRedis } from "./_redis.ts";

const now = () => 1_700_000_000;
const VERSION = "version of 22 letters!";

/** What is no adapter. */
const REFUSED: readonly (readonly [
  why: string,
  make: () => unknown,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["no function", () => redisAdapter(Object("send")), TypeError],
  ["options that are none", () => redisAdapter(fakeRedis().send, Object("{a}:")), TypeError],
  ["a misspelt option", () => make({ prefixes: "{a}:" }), TypeError],
  ["a clock that is none", () => make({ now: 1_700_000_000 }), TypeError],
  ["a prefix that is no text", () => make({ prefix: 1 }), TypeError],
  ["a prefix with a NUL", () => make({ prefix: "{a}\0" }), TypeError],
  ["a prefix with half a surrogate pair", () => make({ prefix: "{a}\ud83d" }), TypeError],
  ["no prefix", () => make({ prefix: "" }), RangeError],
  ["a prefix whose keys a cluster keeps apart", () => make({ prefix: "gatehouse:" }), RangeError],
  ["an empty hash tag", () => make({ prefix: "{}:" }), RangeError],
  ["an empty hash tag before another", () => make({ prefix: "{}{a}:" }), RangeError],
  ["half a hash tag", () => make({ prefix: "{a" }), RangeError],
  ["the other half", () => make({ prefix: "a}" }), RangeError],
];

/** One record, as clients give it. */
const SHAPES: readonly (readonly [why: string, version: unknown, json: unknown, end: unknown])[] = [
  ["text", VERSION, `{"a":1}`, "1700000000.5"],
  ["bytes", bytes(VERSION), bytes(`{"a":1}`), bytes("1700000000.5")],
  ["what Node makes of bytes", Buffer.from(VERSION), Buffer.from(`{"a":1}`), 1_700_000_000.5],
];

/** What is no reply of Redis to a question for a record. */
const NO_REPLIES: readonly (readonly [why: string, reply: unknown])[] = [
  ["text", "OK"],
  ["nothing", null],
  ["a value that was read as JSON", [VERSION, { a: 1 }, null]],
  ["a value that is no JSON", [VERSION, "secret", null]],
  ["a truth", [VERSION, true, null]],
];

/** Where a record is kept. */
const KEYS: readonly (readonly [why: string, collection: string, key: string, redis: string])[] = [
  ["plain words", "users", "u1", "{gatehouse}:users:record:u1"],
  ["no words", "", "", "{gatehouse}::record:"],
  ["a key with a colon", "users", "a:b", "{gatehouse}:users:record:a:b"],
  ["a collection with a colon", "users:a", "b", "{gatehouse}:users%3Aa:record:b"],
  ["a collection like an escape", "users%3Aa", "b", "{gatehouse}:users%253Aa:record:b"],
  ["a hash tag", "{a}", "{b}", "{gatehouse}:%7Ba%7D:record:{b}"],
];

for (const [why, make, error] of REFUSED) {
  Deno.test(`redisAdapter() refuses ${why}`, () => {
    assertThrows(make, error, "Cannot ");
  });
}

for (const [why, collection, key, expected] of KEYS) {
  Deno.test(`redisAdapter() names a record by its collection and key: ${why}`, async () => {
    const { send, sent } = fakeRedis([null, null, null]);
    assertEquals(await redisAdapter(send, { now }).get(collection, key), null);
    assertEquals(sent, [["HMGET", expected, "v", "j", "e"]]);
  });
}

Deno.test("redisAdapter() puts its prefix before the key of every script", async () => {
  const { send, sent } = fakeRedis("lost", "lost", "ok", null, null, []);
  const { atomic, find, list, delete: remove } = redisAdapter(send, { prefix: "app{x}/", now });
  await atomic.cas("c", "k", null, { value: 1 });
  await atomic.cas("c", "k", null, null);
  await remove("c", "k");
  await atomic.take("c", "k");
  await find("c", "u");
  await list("c", 1, "i");
  assertEquals(
    sent.map(([command, , count, key, time, name]) => [command, count, key, time, name]),
    [
      ...Array(4).fill(["EVALSHA", "1", "app{x}/c:record:k", "1700000000", "k"]),
      ["EVALSHA", "1", "app{x}/c:unique:u", "1700000000", "u"],
      ["EVALSHA", "1", "app{x}/c:index:1:i", "1700000000", "1:i"],
    ],
  );
});

for (const [why, version, json, end] of SHAPES) {
  Deno.test(`redisAdapter() reads records that are ${why}`, async () => {
    const record = { value: { a: 1 }, version: VERSION, expiresAt: 1_700_000_000.5 };
    const keyed = { key: "k", ...record };
    const key = typeof version === "string" ? "k" : bytes("k");
    assertEquals(await over([version, json, end]).get("c", "k"), record);
    assertEquals(await over([key, version, json, end]).find("c", "u"), keyed);
    assertEquals(await over([[key, version, json, end]]).list("c", 0, "i"), [keyed]);
    assertEquals(await over(json).atomic.take("c", "k"), { a: 1 });
  });
}

Deno.test("redisAdapter() reads an end that a client gives as a bigint", async () => {
  const { expiresAt } = await over([VERSION, "1", 9_000_000_000n]).get("c", "k") ?? {};
  assertEquals(expiresAt, 9_000_000_000);
});

Deno.test("redisAdapter() reads bytes to the letter, those of a byte order mark too", async () => {
  const keyed = [bytes("\uFEFFk"), VERSION, bytes(`"\uFEFFv"`), null];
  assertEquals(await over(keyed).find("c", "u"), {
    key: "\uFEFFk",
    value: "\uFEFFv",
    version: VERSION,
  });
});

for (const absent of [null, undefined]) {
  Deno.test(`redisAdapter() reads ${absent} as nothing`, async () => {
    assertEquals(await over([absent, absent, absent]).get("c", "k"), null);
    assertEquals(await over(absent).find("c", "u"), null);
    assertEquals(await over(absent).atomic.take("c", "k"), null);
    const { version } = await over([VERSION, "1", absent]).get("c", "k") ?? {};
    assertEquals(version, VERSION);
  });
}

for (const [why, reply] of NO_REPLIES) {
  Deno.test(`redisAdapter() refuses what Redis does not reply, and does not quote it: ${why}`, async () => {
    const refused = [
      () => over(reply).get("c", "k"),
      () => over(Array.isArray(reply) ? ["k", ...reply] : reply ?? []).find("c", "u"),
      () => over(Array.isArray(reply) ? [["k", ...reply]] : reply).list("c", 0, "i"),
      () => over(reply).atomic.cas("c", "k", null, null),
    ];
    for (const attempt of refused) {
      const error = await assertRejects(attempt, Error);
      assertMatch(error.message, /^Cannot read (?:record|reply of Redis): /);
      assertEquals(Deno.inspect(error).includes("secret"), false);
    }
  });
}

Deno.test("put() and cas() say what became of a write, and its version", async () => {
  const { send, sent } = fakeRedis("ok", "taken", bytes("lost"), "ok", "taken");
  const { put, atomic } = redisAdapter(send, { now });
  const record = { value: "v", unique: "u", index: [undefined, "j"], expiresAt: 1.5 } as const;
  const made = await atomic.cas("c", "k", null, record);
  assert(made.status === "ok");
  assertMatch(made.version, /^[\w-]{22}$/);
  assertEquals(await atomic.cas("c", "k", "x", record), { status: "taken" });
  assertEquals(await atomic.cas("c", "k", "x", record), { status: "lost" });
  await put("c", "k", record);
  await assertRejects(() => put("c", "k", record), Error, "another one has its unique text");
  const versions = sent.map(([, , , , , , , version]) => version);
  assertEquals(versions[0], made.version);
  assertEquals(new Set(versions).size, 5);
  assertEquals(sent.map((command) => [command[6], ...command.slice(8)]), [
    ["-", `"v"`, "=1.5", "=u", "", "=j"],
    ["=x", `"v"`, "=1.5", "=u", "", "=j"],
    ["=x", `"v"`, "=1.5", "=u", "", "=j"],
    ["*", `"v"`, "=1.5", "=u", "", "=j"],
    ["*", `"v"`, "=1.5", "=u", "", "=j"],
  ]);
});

Deno.test("list() asks for pages, each behind the one before", async () => {
  const { send, sent } = fakeRedis(page(0, 500), page(500, 500), page(1000, 3));
  const { list } = redisAdapter(send, { now });
  assertEquals((await list("c", 0, "i", { reverse: true })).length, 1003);
  assertEquals(sent.map((command) => command.slice(6)), [
    ["500", "<", ""],
    ["500", "<", "=k499"],
    ["500", "<", "=k999"],
  ]);
});

Deno.test("list() asks for no more than its limit", async () => {
  const { send, sent } = fakeRedis(page(0, 500), page(500, 2));
  const { list } = redisAdapter(send, { now });
  assertEquals((await list("c", 0, "i", { limit: 502, after: "" })).length, 502);
  assertEquals(sent.map((command) => command.slice(6)), [["500", "", "="], ["2", "", "=k499"]]);
  sent.length = 0;
  assertEquals(await list("c", 0, "i", { limit: 0 }), []);
  assertEquals(sent, []);
  for (const limit of [-1, 1.5, NaN, -Infinity, 2 ** 60]) {
    await assertRejects(() => list("c", 0, "i", { limit }), RangeError, "Cannot list records");
  }
});

Deno.test("redisAdapter() gives no version for what is not there any more", async () => {
  const { atomic } = redisAdapter(fakeRedis("ok").send, { prefix: undefined, now: undefined });
  assertEquals(await atomic.cas("c", "k", VERSION, null), { status: "ok", version: "" });
});

Deno.test("redisAdapter() asks its clock each time, and whether it gives seconds", async () => {
  let time = 1_700_000_000.25;
  const { send, sent } = fakeRedis(null);
  const { atomic, get } = redisAdapter(send, { now: () => time });
  await atomic.take("c", "k");
  time = 5;
  await atomic.take("c", "k");
  assertEquals(sent.map((command) => command[4]), ["1700000000.25", "5"]);
  for (time of [1_700_000_000_000, NaN]) {
    await assertRejects(() => get("c", "k"), RangeError, "Invalid clock");
    await assertRejects(() => atomic.take("c", "k"), RangeError, "Invalid clock");
  }
  assertEquals(sent.length, 2);
});

function make(options: Record<string, unknown>): RedisAdapter {
  return redisAdapter(fakeRedis().send, options);
}

function over(reply: unknown): RedisAdapter {
  return redisAdapter(fakeRedis(reply).send, { now });
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Records, as Redis lists them. */
function page(from: number, count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, at) => [`k${from + at}`, VERSION, "1", null]);
}
