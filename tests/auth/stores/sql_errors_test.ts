import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { type SqlAdapter, sqlAdapter, type SqlRow } from "../../../auth/stores/sql.ts";
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
  Deno.test(`sqlAdapter() gives nothing away of an error that has what was written in ${why}`, async () => {
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

Deno.test("sqlAdapter() keeps of an error what tells why: its name, code and message", async () => {
  const refused = Object.assign(new TypeError('relation "gatehouse" does not exist: k1 of notes'), {
    code: "42P01",
    detail: "more",
  });
  const adapter = sqlAdapter({ query: () => throwAtOnce(refused), dialect: "postgres" });
  const { message, cause } = await assertRejects(() => adapter.get("notes", "k1"), Error);
  assertEquals(message, "Cannot read record: the database failed");
  assert(cause instanceof Error);
  assertEquals(cause.message, 'relation "gatehouse" does not exist: *** of notes');
  assertEquals({ ...cause }, { name: "TypeError", code: "42P01" }); // no detail
  assertEquals(cause.stack, undefined); // it would begin with the message
  assertStringIncludes(Deno.inspect(cause), "42P01");
});

Deno.test("sqlAdapter() takes for a name or code only what is one", async () => {
  const named = Object.assign(new TypeError("no"), { name: "by a@example.org", code: "not ok" });
  const adapter = sqlAdapter({ query: () => throwAtOnce(named), dialect: "postgres" });
  const { cause } = await assertRejects(() => adapter.get("notes", "k1"), Error);
  assertEquals({ ...cause as Error }, { name: "TypeError" } as Error);
});

const LEFT_OUT = "The message quotes what was sent, and is left out";

/** Texts that are sent, and what is said of them. */
const QUOTED: readonly (readonly [why: string, text: string, message: string, said: string])[] = [
  ["a short one", "k1", "bad: k1, 'k1'", "bad: ***, '***'"],
  ["a short one that is within words", "ad", "bad: ad made", "bad: *** made"],
  ["one character, which tells nothing", "k", "bad: k", "bad: k"],
  ["a pattern", "a|b.*(c)", "bad: a|b.*(c)", "bad: ***"],
  ["what stands for a match", "$&", "bad: $&", "bad: ***"],
  ["no letters", "-/-", "bad: -/-", "bad: ***"],
  ["a picture", "🔑", "bad: 🔑", "bad: ***"],
  ["eleven characters", "twelve less", "bad: twelve less", "bad: ***"],
  ["twelve characters", "twelve chars", "bad: twelve chars", LEFT_OUT],
  [
    "eleven characters of a text",
    "all of twelve characters",
    "bad:twelve char",
    "bad:twelve char",
  ],
  ["twelve characters of a text", "all of twelve characters", "bad:twelve charaX", LEFT_OUT],
  ["the start of a very long text", "x".repeat(5_000_000), "x".repeat(400), LEFT_OUT],
];

for (const [why, text, message, said] of QUOTED) {
  Deno.test(`sqlAdapter() hides of a message what it quotes, and leaves the rest: ${why}`, async () => {
    const adapter = sqlAdapter({
      query: () => throwAtOnce(new Error(message)),
      dialect: "postgres",
    });
    const { cause } = await assertRejects(() => adapter.find("notes", text), Error);
    assertEquals((cause as Error).message, said);
  });
}

Deno.test("sqlAdapter() hides all of a text that begins like another", async () => {
  const adapter = sqlAdapter({
    query: () => throwAtOnce(new Error("bad: ad-1 behind ad")),
    dialect: "postgres",
  });
  for (const [value, after] of [["ad", "ad-1"], ["ad-1", "ad"]] as const) {
    const { cause } = await assertRejects(() => adapter.list("notes", 0, value, { after }), Error);
    assertEquals((cause as Error).message, "bad: *** behind ***");
  }
});

/** How a message may have a text that is nowhere twelve characters long as it is. */
const WRITINGS: readonly (readonly [why: string, write: (text: string) => string])[] = [
  ["JSON", (text) => JSON.stringify(text)],
  ["JSON in JSON", (text) => JSON.stringify(JSON.stringify(text))],
  ["JSON in JSON in JSON", (text) => JSON.stringify(JSON.stringify(JSON.stringify(text)))],
  ["a URL", (text) => encodeURIComponent(text)],
  ["a URL in small letters", (text) => encodeURIComponent(text).toLowerCase()],
  ["a URL in a URL", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["a URL in JSON", (text) => JSON.stringify([encodeURIComponent(`"${text}"`)])],
  ["JSON in a URL", (text) => encodeURIComponent(JSON.stringify(text))],
  ["a form", (text) => `${new URLSearchParams({ text })}`],
  ["escapes by number", (text) => text.replace(/\W/g, (one) => `\\u00${hex(one)}`)],
];

for (const [why, write] of WRITINGS) {
  Deno.test(`sqlAdapter() leaves out a message that quotes what was sent as ${why}`, async () => {
    for (const text of ['a "b\\c\nd "e\\f\ng "h\\i\nj "k', ' "\n" \\']) {
      const adapter = sqlAdapter({
        query: () => throwAtOnce(new Error(`bad: ${write(text)}`)),
        dialect: "postgres",
      });
      const { cause } = await assertRejects(() => adapter.find("notes", text), Error);
      assertEquals((cause as Error).message, LEFT_OUT);
    }
  });
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, "0");
}

Deno.test("sqlAdapter() cuts a long message, and keeps what is short", async () => {
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

/** What the index says that refuses a text, by client. */
const REFUSALS: readonly (readonly [why: string, error: unknown])[] = [
  ["a code", Object.assign(new Error("Schlüssel doppelt"), { code: "23505" })],
  [
    "the index's name",
    new Error('duplicate key value violates unique constraint "gatehouse_uniq"'),
  ],
];
const FAILURES: readonly (readonly [why: string, error: unknown])[] = [
  ["a connection that drops", Object.assign(new Error("ended"), { code: "ECONNRESET" })],
  ["an error that nobody understands", new Error("D1_ERROR")],
];

Deno.test("sqlAdapter() says taken if a writing failed and another has the unique text, whatever the error", async () => {
  for (const [why, error] of [...REFUSALS, ...FAILURES]) {
    for (const expected of [undefined, null, "read"] as const) {
      using sqlite = await openMigrated();
      await sqlite.made.put("notes", "mine", { value: 1 });
      const version = (await sqlite.made.get("notes", "mine"))?.version ?? "";
      // Another process is first, between the look at who has the text and the writing
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

Deno.test("sqlAdapter() tries a writing again that the index refused, if the other has gone meanwhile", async () => {
  for (const [why, error] of REFUSALS) {
    using sqlite = await openMigrated();
    let refused = 0;
    const adapter = sqlite.adapter({
      query(text, params) {
        if (text.startsWith("INSERT") && refused++ < 12) throw error;
        return sqlite.query(text, params);
      },
    });
    assertEquals((await adapter.atomic.cas("notes", "k", null, RECORD)).status, "ok", why);
    refused = 0;
    await adapter.put("notes", "k", RECORD);
    assertEquals(refused, 13, why);
  }
});

Deno.test("sqlAdapter() ends if the index refuses a writing for ever", async () => {
  const [, error] = REFUSALS[0] ?? [];
  using sqlite = await openMigrated();
  let writes = 0;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (!text.startsWith("INSERT")) return sqlite.query(text, params);
      writes++;
      throw error;
    },
  });
  assertEquals((await adapter.atomic.cas("notes", "k", null, RECORD)).status, "lost");
  await assertRejects(() => adapter.put("notes", "k", RECORD), Error, "others keep changing it");
  assert(writes < 100);
});

Deno.test("sqlAdapter() does not try again what may have been written", async () => {
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
          assertStringIncludes(failed.message, "keep record");
          assertEquals(writes, 1, why);
        }
        assertEquals(sqlite.rows().length, isWritten ? 2 : 0);
      }
    }
  }
});

Deno.test("sqlAdapter() tries again what PostgreSQL undid, a few times", async () => {
  const undoing =
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
    await Promise.all(SQL_CALLS.map(([, call]) => undoing(code, 3)(call)));
    const get = undoing(code, 99);
    await assertRejects(() => get((adapter) => adapter.get("notes", "k")), Error, "failed");
  }
});

Deno.test("sqlAdapter() gives the first error if it cannot even look afterwards", async () => {
  const adapter = sqlAdapter({
    query: (text) => {
      throw new Error(text.startsWith("SELECT") ? "second" : "first");
    },
    dialect: "postgres",
  });
  const { message, cause } = await assertRejects(() => adapter.put("notes", "k", RECORD), Error);
  assertEquals(message, "Cannot keep record: the database failed");
  assertEquals((cause as Error).message, "first");
});
