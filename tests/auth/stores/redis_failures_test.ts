import { assertEquals, assertRejects } from "@std/assert";
import { redisAdapter } from "../../../auth/stores/redis.ts";
import { assertTellsNothing, CALLS, LEAKS } from "./_client_errors.ts";
import { fakeRedis } from "./_redis.ts";

const now = () => 1_700_000_000;
const NO_SCRIPT = "NOSCRIPT No matching script. Please use EVAL.";

/** What Redis says, or a client, and what comes of it. */
const FAILURES: readonly (readonly [why: string, message: string, expected: string])[] = [
  ["full", "OOM command not allowed when used memory > 'maxmemory'.", "OOM, its memory is full"],
  [
    "full, as older ones say it",
    "ERR Error running script (call to f_1): @user_script:9: -OOM command not allowed",
    "OOM, its memory is full",
  ],
  [
    "a replica",
    "-READONLY You can't write against a read only replica.",
    "READONLY, it is a replica, and takes no writes",
  ],
  [
    "starting",
    "LOADING Redis is loading the dataset in memory",
    "LOADING, it is still loading what it has",
  ],
  [
    "somebody else's keys",
    "WRONGTYPE Operation",
    "WRONGTYPE, the prefix is used by something else",
  ],
  ["a script that is not known, but not so", "the cause was NOSCRIPT", "Error"],
  ["a name of every object", "constructor", "Error"],
  ["anything", "Connection is closed.", "Error"],
  ["nothing", "", "Error"],
];

/** How clients say that a script is not known. */
const UNKNOWN_SCRIPT: readonly (readonly [why: string, reply: () => unknown])[] = [
  ["as Redis says it", () => new Error(NO_SCRIPT)],
  ["with the type of the reply", () => new Error(`-${NO_SCRIPT}`)],
  ["with a kind before it", () => new Error(`ERR ${NO_SCRIPT}`)],
];

for (const [why, reply] of UNKNOWN_SCRIPT) {
  Deno.test(`redisAdapter() sends a script whose digest is not known: ${why}`, async () => {
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

Deno.test("redisAdapter() takes an error that is given as a reply for one", async () => {
  const { sent, send } = fakeRedis(null);
  const replies: unknown[] = [new Error(NO_SCRIPT), new Error("OOM command not allowed")];
  const given = redisAdapter(async (command, args) => {
    await send(command, args);
    return replies.shift();
  }, { now });
  await assertRejects(() => given.delete("c", "k"), Error, "OOM");
  assertEquals(sent.length, 2);
});

for (const [why, message, expected] of FAILURES) {
  Deno.test(`redisAdapter() says why Redis failed, and sends nothing again: ${why}`, async () => {
    const { send, sent } = fakeRedis(new Error(message));
    const { get, find, list, put, delete: remove, atomic } = redisAdapter(send, { now });
    const attempts: readonly (readonly [purpose: string, attempt: () => Promise<unknown>])[] = [
      ["read record", () => get("c", "k")],
      ["find record", () => find("c", "u")],
      ["list records", () => list("c", 0, "i")],
      ["keep record", () => put("c", "k", { value: 1 })],
      ["remove record", () => remove("c", "k")],
      ["keep record", () => atomic.cas("c", "k", null, { value: 1 })],
      ["remove record", () => atomic.cas("c", "k", null, null)],
      ["take record", () => atomic.take("c", "k")],
    ];
    for (const [purpose, attempt] of attempts) {
      const error = await assertRejects(attempt, Error);
      assertEquals(error.message, `Cannot ${purpose}: Redis failed, ${expected}`);
      assertEquals(error.cause instanceof Error && error.cause.message, message);
    }
    assertEquals(sent.length, attempts.length);
  });
}

Deno.test("redisAdapter() says the platform's code of a failure, or its class", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  class ClientClosedError extends Error {}
  for (
    const [error, expected] of [
      [refused, "ECONNREFUSED"],
      [new ClientClosedError("The client is closed"), "ClientClosedError"],
      [new TypeError("redis.call is not a function"), "TypeError"],
      [Object.assign(new Error("no"), { code: 7 }), "Error"],
    ] as const
  ) {
    const { get } = redisAdapter(fakeRedis(error).send, { now });
    const { message, cause } = await assertRejects(() => get("c", "k"), Error);
    assertEquals(message, `Cannot read record: Redis failed, ${expected}`);
    assertEquals(cause instanceof Error && cause.message, error.message);
  }
});

for (const [why, leak] of LEAKS) {
  Deno.test(`redisAdapter() gives nothing away of an error that has what was sent in ${why}`, async () => {
    const adapter = redisAdapter(
      (command, args) => Promise.reject(leak([command, ...args])),
      { now },
    );
    for (const [name, call] of CALLS) {
      const error = await assertRejects(() => call(adapter), Error, "Redis failed, ", name);
      assertTellsNothing(error, name);
    }
  });
}

Deno.test("redisAdapter() keeps of a message what is no text of a record", async () => {
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
