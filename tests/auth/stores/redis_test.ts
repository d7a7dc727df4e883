import { Buffer } from "node:buffer";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { type RedisAdapter, redisAdapter } from "../../../auth/stores/engines/redis.ts";
import { assertTellsNothing, CALLS, LEAKS } from "./_client_errors.ts";
import { fakeRedis } from "./_redis.ts";

const now = () => 1_700_000_000;
const VERSION = "version of 22 letters!";

/** Invalid arguments. */
const INVALID: readonly (readonly [
  why: string,
  make: () => unknown,
  error: typeof TypeError | typeof RangeError,
])[] = [
  ["a client instead of a function", () => redisAdapter(Object("send")), TypeError],
  ["a string as options", () => redisAdapter(fakeRedis().send, Object("{a}:")), TypeError],
  ["an unknown option", () => make({ prefixes: "{a}:" }), TypeError],
  ["a number as clock", () => make({ now: 1_700_000_000 }), TypeError],
  ["a prefix that is not a string", () => make({ prefix: 1 }), TypeError],
  ["a prefix with a NUL", () => make({ prefix: "{a}\0" }), TypeError],
  ["a prefix with a lone surrogate", () => make({ prefix: "{a}\ud83d" }), TypeError],
  ["an empty prefix", () => make({ prefix: "" }), RangeError],
  ["a prefix without a hash tag", () => make({ prefix: "gatehouse:" }), RangeError],
  ["an empty hash tag", () => make({ prefix: "{}:" }), RangeError],
  ["an empty hash tag before another", () => make({ prefix: "{}{a}:" }), RangeError],
  ["an unclosed hash tag", () => make({ prefix: "{a" }), RangeError],
  ["an unopened hash tag", () => make({ prefix: "a}" }), RangeError],
];

/** One record, as clients return it. */
const SHAPES: readonly (readonly [why: string, version: unknown, json: unknown, end: unknown])[] = [
  ["strings", VERSION, `{"a":1}`, "1700000000.5"],
  ["bytes", bytes(VERSION), bytes(`{"a":1}`), bytes("1700000000.5")],
  ["Node buffers", Buffer.from(VERSION), Buffer.from(`{"a":1}`), 1_700_000_000.5],
];

/** Values that Redis cannot reply to a read of a record. */
const UNEXPECTED_REPLIES: readonly (readonly [why: string, reply: unknown])[] = [
  ["a string", "OK"],
  ["null", null],
  ["a value that the client parsed", [VERSION, { a: 1 }, null]],
  ["a value that is not JSON", [VERSION, "secret", null]],
  ["a boolean", [VERSION, true, null]],
];

/** Keys of records. */
const KEYS: readonly (readonly [why: string, collection: string, key: string, redis: string])[] = [
  ["plain strings", "users", "u1", "{gatehouse}:users:record:u1"],
  ["empty strings", "", "", "{gatehouse}::record:"],
  ["a key with a colon", "users", "a:b", "{gatehouse}:users:record:a:b"],
  ["a collection with a colon", "users:a", "b", "{gatehouse}:users%3Aa:record:b"],
  ["a collection like an escape", "users%3Aa", "b", "{gatehouse}:users%253Aa:record:b"],
  ["a hash tag", "{a}", "{b}", "{gatehouse}:%7Ba%7D:record:{b}"],
];

for (const [why, make, error] of INVALID) {
  Deno.test(`redisAdapter() rejects ${why}`, () => {
    assertThrows(make, error, "Cannot ");
  });
}

for (const [why, collection, key, expected] of KEYS) {
  Deno.test(`redisAdapter() derives a key from collection and key: ${why}`, async () => {
    const { send, sent } = fakeRedis([null, null, null]);
    assertEquals(await redisAdapter(send, { now }).get(collection, key), null);
    assertEquals(sent, [["HMGET", expected, "v", "j", "e"]]);
  });
}

Deno.test("redisAdapter() passes its prefix in the key of every script", async () => {
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
  Deno.test(`redisAdapter() reads records returned as ${why}`, async () => {
    const record = { value: { a: 1 }, version: VERSION, expiresAt: 1_700_000_000.5 };
    const keyed = { key: "k", ...record };
    const key = typeof version === "string" ? "k" : bytes("k");
    assertEquals(await over([version, json, end]).get("c", "k"), record);
    assertEquals(await over([key, version, json, end]).find("c", "u"), keyed);
    assertEquals(await over([[key, version, json, end]]).list("c", 0, "i"), [keyed]);
    assertEquals(await over(json).atomic.take("c", "k"), { a: 1 });
  });
}

Deno.test("redisAdapter() reads an expiry returned as a bigint", async () => {
  const { expiresAt } = await over([VERSION, "1", 9_000_000_000n]).get("c", "k") ?? {};
  assertEquals(expiresAt, 9_000_000_000);
});

Deno.test("redisAdapter() keeps a leading byte order mark when it decodes bytes", async () => {
  const keyed = [bytes("\uFEFFk"), VERSION, bytes(`"\uFEFFv"`), null];
  assertEquals(await over(keyed).find("c", "u"), {
    key: "\uFEFFk",
    value: "\uFEFFv",
    version: VERSION,
  });
});

for (const absent of [null, undefined]) {
  Deno.test(`redisAdapter() reads ${absent} as absent`, async () => {
    assertEquals(await over([absent, absent, absent]).get("c", "k"), null);
    assertEquals(await over(absent).find("c", "u"), null);
    assertEquals(await over(absent).atomic.take("c", "k"), null);
    const { version } = await over([VERSION, "1", absent]).get("c", "k") ?? {};
    assertEquals(version, VERSION);
  });
}

for (const [why, reply] of UNEXPECTED_REPLIES) {
  Deno.test(`redisAdapter() rejects an unexpected reply without quoting it: ${why}`, async () => {
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

Deno.test("put() and cas() return the status of a write and its version", async () => {
  const { send, sent } = fakeRedis("ok", "taken", bytes("lost"), "ok", "taken");
  const { put, atomic } = redisAdapter(send, { now });
  const record = { value: "v", unique: "u", index: [undefined, "j"], expiresAt: 1.5 } as const;
  const made = await atomic.cas("c", "k", null, record);
  assert(made.status === "ok");
  assertMatch(made.version, /^[\w-]{22}$/);
  assertEquals(await atomic.cas("c", "k", "x", record), { status: "taken" });
  assertEquals(await atomic.cas("c", "k", "x", record), { status: "lost" });
  await put("c", "k", record);
  await assertRejects(() => put("c", "k", record), Error, "another record has its unique string");
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

Deno.test("list() requests page after page", async () => {
  const { send, sent } = fakeRedis(page(0, 500), page(500, 500), page(1000, 3));
  const { list } = redisAdapter(send, { now });
  assertEquals((await list("c", 0, "i", { reverse: true })).length, 1003);
  assertEquals(sent.map((command) => command.slice(6)), [
    ["500", "<", ""],
    ["500", "<", "=k499"],
    ["500", "<", "=k999"],
  ]);
});

Deno.test("list() requests no more than its limit", async () => {
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

Deno.test("redisAdapter() returns an empty version after a delete", async () => {
  const { atomic } = redisAdapter(fakeRedis("ok").send, { prefix: undefined, now: undefined });
  assertEquals(await atomic.cas("c", "k", VERSION, null), { status: "ok", version: "" });
});

Deno.test("redisAdapter() reads its clock for every call, and rejects milliseconds", async () => {
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

const NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

/** Error replies of Redis and errors of clients. */
const FAILURES: readonly (readonly [why: string, message: string])[] = [
  ["memory is full", "OOM command not allowed when used memory > 'maxmemory'."],
  [
    "memory is full, in older versions",
    "ERR Error running script (call to f_1): @user_script:9: -OOM command not allowed",
  ],
  ["the server is a replica", "-READONLY You can't write against a read only replica."],
  ["the server is starting", "LOADING Redis is loading the dataset in memory"],
  ["a key has another type", "WRONGTYPE Operation"],
  ["the message only mentions an unknown script", "the cause was NOSCRIPT"],
  ["the connection is closed", "Connection is closed."],
  ["the message is empty", ""],
];

/** Replies to the digest of an unknown script. */
const UNKNOWN_SCRIPT: readonly (readonly [why: string, reply: () => unknown])[] = [
  ["as Redis words it", () => new Error(NO_SCRIPT)],
  ["with the type byte of the reply", () => new Error(`-${NO_SCRIPT}`)],
  ["with an error kind before it", () => new Error(`ERR ${NO_SCRIPT}`)],
];

for (const [why, reply] of UNKNOWN_SCRIPT) {
  Deno.test(`redisAdapter() sends the source of an unknown script: ${why}`, async () => {
    const { send, sent } = fakeRedis(reply(), null, null);
    const { atomic } = redisAdapter(send, { now });
    assertEquals(await atomic.take("c", "k"), null);
    assertEquals(await atomic.take("c", "l"), null);
    assertEquals(sent.map(([command]) => command), ["EVALSHA", "EVAL", "EVALSHA"]);
    const [[, sha = "", ...rest] = [""], [, lua = "", ...again] = [""], [, later] = [""]] = sent;
    assertEquals(again, rest);
    assertEquals(sha, await sha1(lua));
    assertEquals(later, sha);
  });
}

Deno.test("redisAdapter() treats an error returned as a value as a rejection", async () => {
  const { sent, send } = fakeRedis(null);
  const replies: unknown[] = [new Error(NO_SCRIPT), new Error("OOM command not allowed")];
  const given = redisAdapter(async (command, args) => {
    await send(command, args);
    return replies.shift();
  }, { now });
  await assertRejects(() => given.delete("c", "k"), Error, "Redis failed");
  assertEquals(sent.length, 2);
});

for (const [why, message] of FAILURES) {
  Deno.test(`redisAdapter() rejects without a retry if ${why}`, async () => {
    const { send, sent } = fakeRedis(new Error(message));
    const { get, find, list, put, delete: remove, atomic } = redisAdapter(send, { now });
    const attempts: readonly (readonly [purpose: string, attempt: () => Promise<unknown>])[] = [
      ["read record", () => get("c", "k")],
      ["find record", () => find("c", "u")],
      ["list records", () => list("c", 0, "i")],
      ["write record", () => put("c", "k", { value: 1 })],
      ["delete record", () => remove("c", "k")],
      ["write record", () => atomic.cas("c", "k", null, { value: 1 })],
      ["delete record", () => atomic.cas("c", "k", null, null)],
      ["take record", () => atomic.take("c", "k")],
    ];
    for (const [purpose, attempt] of attempts) {
      const error = await assertRejects(attempt, Error);
      assertEquals(error.message, `Cannot ${purpose}: Redis failed`);
      assertEquals(error.cause instanceof Error && error.cause.message, message);
    }
    assertEquals(sent.length, attempts.length);
  });
}

Deno.test("redisAdapter() keeps the code of a client's error, or its class", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  class ClientClosedError extends Error {}
  for (
    const [error, expected] of [
      [refused, { name: "Error", code: "ECONNREFUSED" }],
      [new ClientClosedError("The client is closed"), { name: "ClientClosedError" }],
      [new TypeError("redis.call is not a function"), { name: "TypeError" }],
      [Object.assign(new Error("no"), { code: 7 }), { name: "Error", code: 7 }],
    ] as const
  ) {
    const { get } = redisAdapter(fakeRedis(error).send, { now });
    const { message, cause } = await assertRejects(() => get("c", "k"), Error);
    assertEquals(message, "Cannot read record: Redis failed");
    assertEquals({ ...cause as Error }, expected as unknown as Error);
    assertEquals((cause as Error).message, error.message);
  }
});

for (const [why, leak] of LEAKS) {
  Deno.test(`redisAdapter() does not disclose what an error quotes in ${why}`, async () => {
    const adapter = redisAdapter(
      (command, args) => Promise.reject(leak([command, ...args])),
      { now },
    );
    for (const [name, call] of CALLS) {
      const error = await assertRejects(() => call(adapter), Error, "Redis failed", name);
      assertTellsNothing(error, name);
    }
  });
}

Deno.test("redisAdapter() keeps a message that quotes only the collection", async () => {
  const message = "HTTP 500: 1 node of {gatehouse}:notes: is away";
  const adapter = redisAdapter(fakeRedis(new Error(message)).send, { now });
  for (const [name, call] of CALLS) {
    const { cause } = await assertRejects(() => call(adapter), Error, undefined, name);
    assertEquals((cause as Error).message, message, name);
  }
});

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}

function make(options: Record<string, unknown>): RedisAdapter {
  return redisAdapter(fakeRedis().send, options);
}

function over(reply: unknown): RedisAdapter {
  return redisAdapter(fakeRedis(reply).send, { now });
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A page of records, as Redis returns it. */
function page(from: number, count: number): readonly unknown[] {
  return Array.from({ length: count }, (_, at) => [`k${from + at}`, VERSION, "1", null]);
}
