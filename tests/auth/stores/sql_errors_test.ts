import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type SqlAdapter, sqlAdapter, type SqlRow } from "../../../auth/stores/engines/sql.ts";
import { assertTellsNothing, CALLS, LEAKS } from "./_client_errors.ts";
import { openMigrated, START } from "./_sql.ts";

const SECRET = "ada@example.org";
const RECORD = {
  value: { token: SECRET },
  unique: SECRET,
  index: [SECRET, `${SECRET} "2"`],
} as const;

const SQL_CALLS: readonly (readonly [string, (adapter: SqlAdapter) => Promise<unknown>])[] = [
  ...CALLS,
  ["sweep()", (adapter) => adapter.sweep()],
];

for (const [why, leak] of LEAKS) {
  Deno.test(`sqlAdapter() does not disclose what an error quotes in ${why}`, async () => {
    for (const [name, call] of SQL_CALLS) {
      for (const query of [throwAtOnce, rejectLater]) {
        const adapter = sqlAdapter({
          query: (_, params) => query(leak(params.map(String))),
          dialect: "postgres",
          now: () => START,
        });
        const error = await assertRejects(() => call(adapter), Error, "the database failed", name);
        assertEquals(error.name, "Error");
        assertTellsNothing(error, name);
      }
    }
  });
}

function throwAtOnce(error: unknown): never {
  throw error;
}

function rejectLater(error: unknown): Promise<never> {
  return Promise.reject(error);
}

Deno.test("sqlAdapter() keeps the name, code and message of an error", async () => {
  const refused = Object.assign(new TypeError('relation "gatehouse" does not exist: k1 of notes'), {
    code: "42P01",
    detail: "more",
  });
  const adapter = sqlAdapter({ query: () => throwAtOnce(refused), dialect: "postgres" });
  const { message, cause } = await assertRejects(() => adapter.get("notes", "k1"), Error);
  assertEquals(message, "Cannot read record: the database failed");
  assert(cause instanceof Error);
  assertEquals(cause.message, 'relation "gatehouse" does not exist: *** of notes');
  assertEquals({ ...cause }, { name: "TypeError", code: "42P01" }); // without detail
  assertEquals(cause.stack, undefined); // a stack begins with the message
  assertStringIncludes(Deno.inspect(cause), "42P01");
});

Deno.test("sqlAdapter() drops a name or code that is not an identifier", async () => {
  const named = Object.assign(new TypeError("no"), { name: "by a@example.org", code: "not ok" });
  const adapter = sqlAdapter({ query: () => throwAtOnce(named), dialect: "postgres" });
  const { cause } = await assertRejects(() => adapter.get("notes", "k1"), Error);
  assertEquals({ ...cause as Error }, { name: "TypeError" } as Error);
});

const OMITTED = "Message omitted: it quotes what was sent";

/** Strings that are sent, the client's message, and the reported message. */
const QUOTED: readonly (readonly [why: string, text: string, message: string, kept: string])[] = [
  ["a short string", "k1", "bad: k1, 'k1'", "bad: ***, '***'"],
  ["a short string that is also part of words", "ad", "bad: ad made", "bad: *** made"],
  ["a single character, which is not secret", "k", "bad: k", "bad: k"],
  ["a string that is a pattern", "a|b.*(c)", "bad: a|b.*(c)", "bad: ***"],
  ["a replacement pattern", "$&", "bad: $&", "bad: ***"],
  ["a string without letters", "-/-", "bad: -/-", "bad: ***"],
  ["an emoji", "🔑", "bad: 🔑", "bad: ***"],
  ["eleven characters", "twelve less", "bad: twelve less", "bad: ***"],
  ["twelve characters", "twelve chars", "bad: twelve chars", OMITTED],
  [
    "eleven characters of a string",
    "all of twelve characters",
    "bad:twelve char",
    "bad:twelve char",
  ],
  ["twelve characters of a string", "all of twelve characters", "bad:twelve charaX", OMITTED],
  ["the start of a very long string", "x".repeat(5_000_000), "x".repeat(400), OMITTED],
];

for (const [why, text, message, kept] of QUOTED) {
  Deno.test(`sqlAdapter() redacts only the quoted part of a message: ${why}`, async () => {
    const adapter = sqlAdapter({
      query: () => throwAtOnce(new Error(message)),
      dialect: "postgres",
    });
    const { cause } = await assertRejects(() => adapter.find("notes", text), Error);
    assertEquals((cause as Error).message, kept);
  });
}

Deno.test("sqlAdapter() redacts a string that starts with another one", async () => {
  const adapter = sqlAdapter({
    query: () => throwAtOnce(new Error("bad: ad-1 after ad")),
    dialect: "postgres",
  });
  for (const [value, after] of [["ad", "ad-1"], ["ad-1", "ad"]] as const) {
    const { cause } = await assertRejects(() => adapter.list("notes", 0, value, { after }), Error);
    assertEquals((cause as Error).message, "bad: *** after ***");
  }
});

/** Encodings of a string in which no twelve characters stay as they are. */
const ENCODINGS: readonly (readonly [why: string, encode: (text: string) => string])[] = [
  ["JSON", (text) => JSON.stringify(text)],
  ["JSON in JSON", (text) => JSON.stringify(JSON.stringify(text))],
  ["JSON in JSON in JSON", (text) => JSON.stringify(JSON.stringify(JSON.stringify(text)))],
  ["a URL", (text) => encodeURIComponent(text)],
  ["a URL in lower case", (text) => encodeURIComponent(text).toLowerCase()],
  ["a URL in a URL", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["a URL in JSON", (text) => JSON.stringify([encodeURIComponent(`"${text}"`)])],
  ["JSON in a URL", (text) => encodeURIComponent(JSON.stringify(text))],
  ["a form", (text) => `${new URLSearchParams({ text })}`],
  ["numeric escapes", (text) => text.replace(/\W/g, (one) => `\\u00${hex(one)}`)],
];

for (const [why, encode] of ENCODINGS) {
  Deno.test(`sqlAdapter() omits a message that quotes what was sent as ${why}`, async () => {
    for (const text of ['a "b\\c\nd "e\\f\ng "h\\i\nj "k', ' "\n" \\']) {
      const adapter = sqlAdapter({
        query: () => throwAtOnce(new Error(`bad: ${encode(text)}`)),
        dialect: "postgres",
      });
      const { cause } = await assertRejects(() => adapter.find("notes", text), Error);
      assertEquals((cause as Error).message, OMITTED);
    }
  });
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, "0");
}

Deno.test("sqlAdapter() truncates a message of more than 300 characters", async () => {
  for (const [length, shown] of [[300, 300], [301, 301], [1_000_000, 301]] as const) {
    const adapter = sqlAdapter({
      query: () => throwAtOnce(new Error("-".repeat(length))),
      dialect: "postgres",
    });
    const { cause } = await assertRejects(() => adapter.get("notes", "k1"), Error);
    const { message } = cause as Error;
    assertEquals([message.length, message.endsWith("…")], [shown, length > 300]);
  }
});

/** A violation of the unique index, as PostgreSQL reports it. */
const VIOLATION = Object.assign(new Error("Schlüssel doppelt"), { code: "23505" });

/** Errors that do not prove that nothing was written. */
const FAILURES: readonly (readonly [why: string, error: unknown])[] = [
  ["a connection that drops", Object.assign(new Error("ended"), { code: "ECONNRESET" })],
  ["an unknown error", new Error("D1_ERROR")],
  ["a violation without a code", new Error('violates unique constraint "gatehouse_uniq"')],
  [
    "another error of the index",
    Object.assign(new Error('exceeds maximum for index "gatehouse_uniq"'), { code: "54000" }),
  ],
];

Deno.test("sqlAdapter() returns taken if a write failed and another record has the unique value, whatever the error", async () => {
  for (const [why, error] of [["a violation", VIOLATION] as const, ...FAILURES]) {
    for (const expected of [undefined, null, "read"] as const) {
      using sqlite = await openMigrated();
      await sqlite.made.put("notes", "mine", { value: 1 });
      const version = (await sqlite.made.get("notes", "mine"))?.version ?? "";
      // Another process writes between the check of the unique value and the write
      const adapter = sqlite.adapter({
        query: async (text, params) => {
          if (!text.startsWith("INSERT") && !text.startsWith("UPDATE")) {
            return sqlite.query(text, params);
          }
          await sqlite.made.put("notes", "other", { value: 2, unique: "u" });
          throw error;
        },
      });
      const record = { value: 3, unique: "u" };
      if (expected === undefined) {
        await assertRejects(
          () => adapter.put("notes", "mine", record),
          Error,
          "another record has its unique string",
        );
      } else {
        const [key, read] = expected === null ? ["new", null] as const : ["mine", version] as const;
        assertEquals((await adapter.atomic.cas("notes", key, read, record)).status, "taken", why);
      }
      assertEquals((await sqlite.made.find("notes", "u"))?.key, "other");
    }
  }
});

Deno.test("sqlAdapter() retries a write that violated the unique index if the holder is gone", async () => {
  using sqlite = await openMigrated();
  let violations = 0;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (text.startsWith("INSERT") && violations++ < 12) throw VIOLATION;
      return sqlite.query(text, params);
    },
  });
  assertEquals((await adapter.atomic.cas("notes", "k", null, RECORD)).status, "ok");
  violations = 0;
  await adapter.put("notes", "k", RECORD);
  assertEquals(violations, 13);
});

Deno.test("sqlAdapter() does not retry a write that may have been made", async () => {
  for (const [why, error] of FAILURES) {
    for (const isWritten of [true, false]) {
      for (const record of [RECORD, { value: 1 }]) {
        using sqlite = await openMigrated();
        let writes = 0;
        const adapter = sqlite.adapter({
          async query(text, params): Promise<readonly SqlRow[]> {
            if (!text.startsWith("INSERT")) return await sqlite.query(text, params);
            writes++;
            if (isWritten) await sqlite.query(text, params);
            throw error;
          },
        });
        for (
          const write of [
            () => adapter.put("notes", "k", record),
            () => adapter.atomic.cas("notes", "l", null, { value: 1 }),
          ]
        ) {
          writes = 0;
          const failed = await assertRejects(write, Error, "the database failed", why);
          assertStringIncludes(failed.message, "write record");
          assertEquals(writes, 1, why);
        }
        assertEquals(sqlite.rows().length, isWritten ? 2 : 0);
      }
    }
  }
});

Deno.test("sqlAdapter() retries every call that PostgreSQL rolled back", async () => {
  const rollBack =
    (code: string, times: number) => async (call: (adapter: SqlAdapter) => unknown) => {
      using sqlite = await openMigrated();
      let left = times;
      await call(sqlite.adapter({
        query(text, params) {
          if (left-- > 0) throw Object.assign(new Error("could not serialize"), { code });
          return sqlite.query(text, params);
        },
      }));
    };
  for (const code of ["40001", "40P01"]) {
    await Promise.all(SQL_CALLS.map(([, call]) => rollBack(code, 3)(call)));
  }
});

Deno.test("sqlAdapter() rejects with the first error if the read after it fails too", async () => {
  const adapter = sqlAdapter({
    query: (text) => {
      throw new Error(text.startsWith("SELECT") ? "second" : "first");
    },
    dialect: "postgres",
  });
  const { message, cause } = await assertRejects(() => adapter.put("notes", "k", RECORD), Error);
  assertEquals(message, "Cannot write record: the database failed");
  assertEquals((cause as Error).message, "first");
});

/** The cause that find() rejects with if the client throws something. */
async function causeOf(thrown: unknown, text = "text"): Promise<Error> {
  const adapter = sqlAdapter({
    query() {
      throw thrown;
    },
    dialect: "postgres",
  });
  const { cause } = await assertRejects(() => adapter.find("notes", text), Error);
  assert(cause instanceof Error);
  return cause;
}

class DatabaseFault extends Error {}

const named = (name: string) => Object.assign(new Error("no"), { name });
const coded = (code: unknown) => Object.assign(new Error("no"), { code });

/** Errors of a client, and the reported name and code. */
const NAMES: readonly (readonly [why: string, thrown: unknown, kept: Record<string, unknown>])[] = [
  ["a class that sets no name", new DatabaseFault("no"), { name: "DatabaseFault" }],
  ["a name of three letters", named("Bad"), { name: "Bad" }],
  ["a name of two letters", named("No"), { name: "Error" }],
  ["a name of forty letters", named("N".repeat(40)), { name: "N".repeat(40) }],
  ["a name of forty-one letters", named("N".repeat(41)), { name: "Error" }],
  ["a number as code", coded(5), { name: "Error", code: 5 }],
  ["an object as code", coded({ a: 1 }), { name: "Error" }],
];

for (const [why, thrown, kept] of NAMES) {
  Deno.test(`sqlAdapter() keeps a valid name and code of an error: ${why}`, async () => {
    assertEquals({ ...await causeOf(thrown) } as unknown, kept);
  });
}

const LINE = "-".repeat(300);

/** A string that is sent, the client's message, and the reported message. */
const MESSAGES: readonly (readonly [why: string, text: string, message: unknown, kept: string])[] =
  [
    ["an object", "text", { toString: () => "text" }, ""],
    ["a word that starts with what was sent", "ad", "bad: adder", "bad: adder"],
    ["what was sent, in upper case", "ad", "bad: AD", "bad: AD"],
    ["only what was sent", "twelve chars", "twelve chars", OMITTED],
    ["what was sent, after the end", "twelve chars", `${LINE}twelve chars`, `${LINE}…`],
    [
      "control characters in JSON",
      "a\bb\fc\bd\fe\bf\fg\bh",
      JSON.stringify("a\bb\fc\bd\fe\bf\fg\bh"),
      OMITTED,
    ],
    [
      "escapes in upper case",
      "a\nb\nc\nd\ne\nf\ng\n",
      "a\\u000Ab\\u000Ac\\u000Ad\\u000Ae\\u000Af\\u000Ag",
      OMITTED,
    ],
  ];

for (const [why, text, message, kept] of MESSAGES) {
  Deno.test(`sqlAdapter() keeps the parts of a client's message that disclose nothing: ${why}`, async () => {
    assertEquals((await causeOf({ message }, text)).message, kept);
  });
}

Deno.test("sqlAdapter() keeps times and counts in a client's message", async () => {
  const message = "slow at 1700000000, LIMIT 25";
  const adapter = sqlAdapter({
    query: () => Promise.reject(new Error(message)),
    dialect: "postgres",
    now: () => 1_700_000_000,
  });
  const { cause } = await assertRejects(() => adapter.list("c", 0, "text", { limit: 25 }), Error);
  assert(cause instanceof Error);
  assertEquals(cause.message, message);
});
