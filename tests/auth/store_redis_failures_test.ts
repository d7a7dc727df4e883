import { assertEquals, assertRejects } from "@std/assert";
import { redisAdapter } from "../../auth/store_redis.ts";
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

/** Errors that hold what was sent, each made of the command. */
const QUOTING: readonly (readonly [why: string, quote: (command: readonly string[]) => unknown])[] =
  [
    [
      "a member, as ioredis does",
      ([name, ...args]) => Object.assign(new Error("ERR wrong"), { command: { name, args } }),
    ],
    ["a message", (command) => new Error(`ERR wrong, args beginning with: ${command.join(" ")}`)],
    [
      "a message as JSON, as Upstash's client does",
      (command) => new Error(`ERR wrong, command was: ${JSON.stringify(command)}`),
    ],
    [
      "a message that is cut off",
      (command) => new Error(`ERR ${command.map((arg) => arg.slice(0, 32)).join("', '")}`),
    ],
    ["a message that has only a part of it, as JSON", (command) => {
      return new Error(`ERR wrong: ${command.slice(7).map((arg) => JSON.stringify(arg)).join()}`);
    }],
    ["a stack", (command) => Object.assign(new Error("wrong"), { stack: command.join(" ") })],
    ["a cause", (command) => new Error("wrong", { cause: command })],
    ["a code", (command) => Object.assign(new Error("wrong"), { code: command.join(" ") })],
    ["its name", (command) => Object.assign(new Error("wrong"), { name: command.join(" ") })],
    ["its class", (command) =>
      new (class extends Error {
        static override name = command.join(" ");
      })("wrong")],
    ["nothing but it", (command) => command.join(" ")],
    ["a list", (command) => command],
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
    const read = [() => get("c", "k"), () => find("c", "u"), () => list("c", 0, "i")];
    const written = [
      () => put("c", "k", { value: 1 }),
      () => remove("c", "k"),
      () => atomic.cas("c", "k", null, { value: 1 }),
      () => atomic.cas("c", "k", null, null),
      () => atomic.take("c", "k"),
    ];
    for (const [attempts, purpose] of [[read, "read from"], [written, "write to"]] as const) {
      for (const attempt of attempts) {
        const error = await assertRejects(attempt, Error);
        assertEquals(error.message, `Cannot ${purpose} Redis: ${expected}`);
        assertEquals(error.cause instanceof Error && error.cause.message, message);
      }
    }
    assertEquals(sent.length, read.length + written.length);
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
    assertEquals(message, `Cannot read from Redis: ${expected}`);
    assertEquals(cause instanceof Error && cause.message, error.message);
  }
});

for (const [why, quote] of QUOTING) {
  Deno.test(`redisAdapter() has nothing of a record in its errors, whatever a client has in ${why}`, async () => {
    const { put, atomic, find } = redisAdapter((command, args) => {
      return Promise.reject(quote([command, ...args]));
    }, { now });
    const record = {
      value: { hash: "secret value" },
      unique: "secret unique",
      index: ["secret i"],
    };
    for (
      const attempt of [
        () => put("c", "secret key", { ...record, index: ["secret i"] }),
        () => atomic.cas("c", "secret key", "secret version", { value: "secret value" }),
        () => atomic.take("c", "secret key"),
        () => find("c", "secret unique"),
      ]
    ) {
      const error = await assertRejects(attempt, Error, "Redis: ");
      const shown = Deno.inspect(error, { depth: 10, showHidden: true });
      assertEquals(shown.includes("secret"), false, shown);
    }
  });
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}
