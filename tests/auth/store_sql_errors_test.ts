import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  type SqlAdapter,
  sqlAdapter,
  type SqlParameter,
  type SqlRow,
} from "../../auth/store_sql.ts";
import { openMigrated, START } from "./_sql.ts";

const SECRET = "ada@example.org";
const RECORD = {
  value: { token: SECRET },
  unique: SECRET,
  index: [SECRET, `${SECRET} "2"`],
} as const;

/** What clients throw, with all that they have written in it. */
const ERRORS: readonly (readonly [why: string, error: (params: SqlParameter[]) => unknown])[] = [
  [
    "fields of its own",
    (params) =>
      Object.assign(new Error("duplicate key value violates a constraint"), {
        code: "23514",
        detail: `Failing row contains (${params.join(", ")})`,
        parameters: params,
        query: "INSERT",
      }),
  ],
  ["its message", (params) => new Error(`Failed query: INSERT\nparams: ${params.join(",")}`)],
  ["JSON in its message", (params) => new TypeError(`Cannot send ${JSON.stringify(params)}`)],
  ["errors in it", (params) => new AggregateError([new Error(params.join())], "2 errors")],
  ["its cause", (params) => new Error("failed", { cause: new Error(params.join()) })],
  ["no error", (params) => params],
  ["a text", (params) => params.join()],
];

const CALLS: readonly (readonly [string, (adapter: SqlAdapter) => Promise<unknown>])[] = [
  ["get()", (adapter) => adapter.get("notes", SECRET)],
  ["find()", (adapter) => adapter.find("notes", SECRET)],
  ["list()", (adapter) => adapter.list("notes", 0, SECRET, { after: SECRET })],
  ["put()", (adapter) => adapter.put("notes", SECRET, RECORD)],
  ["delete()", (adapter) => adapter.delete("notes", SECRET)],
  ["cas() that makes", ({ atomic }) => atomic.cas("notes", SECRET, null, RECORD)],
  ["cas() that changes", ({ atomic }) => atomic.cas("notes", SECRET, SECRET, RECORD)],
  ["cas() that removes", ({ atomic }) => atomic.cas("notes", SECRET, SECRET, null)],
  ["cas() of nothing to nothing", ({ atomic }) => atomic.cas("notes", SECRET, null, null)],
  ["take()", async ({ atomic }) => await atomic.take?.("notes", SECRET)],
  ["sweep()", (adapter) => adapter.sweep()],
];

for (const [why, makeError] of ERRORS) {
  Deno.test(`sqlAdapter() gives nothing away of an error that has what was written in ${why}`, async () => {
    for (const [name, call] of CALLS) {
      for (const query of [throwAtOnce, rejectLater]) {
        const adapter = sqlAdapter({
          query: (_, params) => query(makeError(params)),
          dialect: "postgres",
          now: () => START,
        });
        const error = await assertRejects(() => call(adapter), Error, "the database failed", name);
        assertEquals(error.name, "Error");
        const shown = Deno.inspect(error, { depth: 9 });
        for (const text of [SECRET, JSON.stringify(SECRET), "token", '2\\"']) {
          assert(!shown.includes(text), `${name}: ${shown}`);
        }
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
  const refused = Object.assign(new TypeError('relation "gatehouse" does not exist: k'), {
    code: "42P01",
    detail: "more",
  });
  const adapter = sqlAdapter({ query: () => throwAtOnce(refused), dialect: "postgres" });
  const { message, cause } = await assertRejects(() => adapter.get("notes", "k"), Error);
  assertEquals(message, "Cannot read record: the database failed");
  assert(cause instanceof Error);
  assertEquals(cause.message, 'relation "gatehouse" does not exist: ***');
  assertEquals({ ...cause }, { name: "TypeError", code: "42P01" }); // no detail
  assertStringIncludes(Deno.inspect(cause), "42P01");
});

Deno.test("sqlAdapter() gives nothing away of a long value, and of one that looks like a pattern", async () => {
  for (const value of ["x".repeat(5_000_000), "$&", "a|b.*(c)[d]{e}^f\\g", "🔑", "-/-"]) {
    const adapter = sqlAdapter({
      query: (_, params) => throwAtOnce(new Error(`bad: ${params.join(" ")}`)),
      dialect: "postgres",
    });
    const { cause } = await assertRejects(() => adapter.put("notes", value, { value }), Error);
    assertEquals((cause as Error).message.replace(/\*\*\* +/g, ""), "bad: notes ");
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
          "another one has its unique text",
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
        if (text.startsWith("INSERT") && refused++ < 2) throw error;
        return sqlite.query(text, params);
      },
    });
    assertEquals((await adapter.atomic.cas("notes", "k", null, RECORD)).status, "ok", why);
    refused = 0;
    await adapter.put("notes", "k", RECORD);
    assertEquals(refused, 3, why);
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
          assertStringIncludes(failed.message, "write record");
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
    await Promise.all(CALLS.map(([, call]) => undoing(code, 3)(call)));
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
  assertEquals(message, "Cannot write record: the database failed");
  assertEquals((cause as Error).message, "first");
});
