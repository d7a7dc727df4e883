import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type SqlAdapter,
  sqlAdapter,
  type SqlAdapterOptions,
  type SqlQuery,
  type SqlRow,
} from "../../../auth/stores/engines/sql.ts";
import { pausesOf } from "../_pauses.ts";
import { openMigrated, openSqlite, START } from "./_sql.ts";
import { explainAll } from "./_sql_plans.ts";

const OPTIONS: SqlAdapterOptions = { query: () => [], dialect: "sqlite" };

const SQLITE_SCHEMA = `CREATE TABLE IF NOT EXISTS "gatehouse" (
  collection TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  version TEXT NOT NULL,
  expires_at DOUBLE PRECISION,
  uniq TEXT,
  index_0 TEXT,
  index_1 TEXT,
  PRIMARY KEY (collection, key)
);
CREATE UNIQUE INDEX IF NOT EXISTS "gatehouse_uniq"
  ON "gatehouse" (collection, uniq) WHERE uniq IS NOT NULL;
CREATE INDEX IF NOT EXISTS "gatehouse_index_0"
  ON "gatehouse" (collection, index_0, key) WHERE index_0 IS NOT NULL;
CREATE INDEX IF NOT EXISTS "gatehouse_index_1"
  ON "gatehouse" (collection, index_1, key) WHERE index_1 IS NOT NULL;
CREATE INDEX IF NOT EXISTS "gatehouse_expires_at"
  ON "gatehouse" (expires_at) WHERE expires_at IS NOT NULL;
`;

const POSTGRES_SCHEMA = `CREATE TABLE IF NOT EXISTS "auth"."records" (
  collection TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  expires_at DOUBLE PRECISION,
  uniq TEXT COLLATE "C",
  index_0 TEXT COLLATE "C",
  index_1 TEXT COLLATE "C",
  PRIMARY KEY (collection, key)
);
CREATE UNIQUE INDEX IF NOT EXISTS "records_uniq"
  ON "auth"."records" (collection, uniq) WHERE uniq IS NOT NULL;
CREATE INDEX IF NOT EXISTS "records_index_0"
  ON "auth"."records" (collection, index_0, key) WHERE index_0 IS NOT NULL;
CREATE INDEX IF NOT EXISTS "records_index_1"
  ON "auth"."records" (collection, index_1, key) WHERE index_1 IS NOT NULL;
CREATE INDEX IF NOT EXISTS "records_expires_at"
  ON "auth"."records" (expires_at) WHERE expires_at IS NOT NULL;
`;

Deno.test("sqlAdapter() returns the schema that migrate() creates", () => {
  assertEquals(sqlAdapter(OPTIONS).schema, SQLITE_SCHEMA);
  const postgres = sqlAdapter({ ...OPTIONS, dialect: "postgres", table: "auth.records" });
  assertEquals(postgres.schema, POSTGRES_SCHEMA);
});

Deno.test("sqlAdapter() works on a schema that was created by other means, and migrate() only inspects it", async () => {
  using sqlite = openSqlite();
  for (const statement of SQLITE_SCHEMA.split(";\n").slice(0, -1)) {
    await sqlite.query(statement, []);
  }
  const adapter = sqlite.adapter();
  sqlite.log.length = 0;
  await adapter.migrate();
  assertEquals(sqlite.log.map(({ text }) => text.slice(0, 6)), ["SELECT"]);
  await adapter.put("notes", "k", { value: 1, unique: "u", index: ["i", "j"] });
  assertEquals((await adapter.find("notes", "u"))?.value, 1);
});

const BAD_OPTIONS: readonly (readonly [why: string, options: unknown, error: typeof Error])[] = [
  ["null as options", null, TypeError],
  ["an unknown option", { ...OPTIONS, tabel: "auth" }, TypeError],
  ["no query", { dialect: "sqlite" }, TypeError],
  ["a client instead of a function", { ...OPTIONS, query: {} }, TypeError],
  ["no dialect", { query: OPTIONS.query }, TypeError],
  ["an unknown dialect", { ...OPTIONS, dialect: "mysql" }, TypeError],
  [
    "a dialect that is a property of every object",
    { ...OPTIONS, dialect: "constructor" },
    TypeError,
  ],
  ["a number as clock", { ...OPTIONS, now: START }, TypeError],
  ["a table that is not a string", { ...OPTIONS, table: 1 }, TypeError],
  ["an array of tables", { ...OPTIONS, table: ["gatehouse"] }, TypeError],
  ["an empty table name", { ...OPTIONS, table: "" }, RangeError],
  ["a quoted table", { ...OPTIONS, table: '"gatehouse"' }, RangeError],
  [
    "a table name that closes its quotes",
    { ...OPTIONS, table: 'a"; DROP TABLE a; --' },
    RangeError,
  ],
  ["a table name with a NUL", { ...OPTIONS, table: "a\0" }, RangeError],
  ["a table name with a line break", { ...OPTIONS, table: "gatehouse\n" }, RangeError],
  [
    "upper-case letters, which PostgreSQL folds when unquoted",
    { ...OPTIONS, table: "Auth" },
    RangeError,
  ],
  ["a leading digit", { ...OPTIONS, table: "1auth" }, RangeError],
  ["a database, schema and table", { ...OPTIONS, table: "a.b.c" }, RangeError],
  ["a schema without a table", { ...OPTIONS, table: "auth." }, RangeError],
  [
    "a schema whose name would be truncated",
    { ...OPTIONS, table: `${"a".repeat(49)}.auth` },
    RangeError,
  ],
  [
    "a name whose index names would be truncated",
    { ...OPTIONS, table: "a".repeat(49) },
    RangeError,
  ],
];

for (const [why, options, error] of BAD_OPTIONS) {
  Deno.test(`sqlAdapter() rejects ${why}`, () => {
    const { message } = assertThrows(() => sqlAdapter(options as SqlAdapterOptions), error);
    assert(message.startsWith("Cannot create SQL adapter: "), message);
  });
}

Deno.test("sqlAdapter() accepts table names that need quotes", async () => {
  for (const table of ["user", "order", "main.select", "_", "a".repeat(48)]) {
    using sqlite = openSqlite();
    const adapter = sqlite.adapter({ table });
    await adapter.migrate();
    await adapter.migrate();
    await adapter.put("notes", "k", { value: table, index: ["i"] });
    assertEquals((await adapter.list("notes", 0, "i"))[0]?.value, table);
  }
});

Deno.test("sqlAdapter() rejects a call if its clock returns milliseconds", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter({ now: () => START * 1000 });
  await assertRejects(() => adapter.put("notes", "k", { value: 1 }), RangeError, "Invalid clock");
  await assertRejects(() => adapter.get("notes", "k"), RangeError, "Invalid clock");
  assertEquals(sqlite.log, []);
});

Deno.test("sqlAdapter() separates two tables of one database", async () => {
  using sqlite = openSqlite();
  const [first, second] = [sqlite.adapter(), sqlite.adapter({ table: "other" })];
  for (const adapter of [first, second]) await adapter.migrate();
  await first.put("notes", "k", { value: 1, unique: "u" });
  assertEquals(await second.get("notes", "k"), null);
  assertEquals(
    (await second.atomic.cas("notes", "l", null, { value: 2, unique: "u" })).status,
    "ok",
  );
});

Deno.test("sqlAdapter() passes every string of a record as a parameter", async () => {
  using sqlite = await openMigrated();
  const { made, log } = sqlite;
  const hostile = "x'; DROP TABLE gatehouse; --\"";
  const record = { value: hostile, unique: hostile, index: [hostile, hostile] } as const;
  await made.put(hostile, hostile, record);
  const version = (await made.get(hostile, hostile))?.version ?? "";
  assertEquals((await made.atomic.cas(hostile, hostile, version, record)).status, "ok");
  assertEquals((await made.atomic.cas(hostile, "b", hostile, record)).status, "lost");
  assertEquals((await made.find(hostile, hostile))?.key, hostile);
  assertEquals((await made.list(hostile, 1, hostile, { after: "", limit: 9 })).length, 1);
  assertEquals(await made.atomic.take(hostile, hostile), hostile);
  await made.delete(hostile, hostile);
  assert(log.length > 7);
  for (const { text } of log) assert(!text.includes("DROP") && !text.includes("x'"), text);
  assertEquals(sqlite.rows(), []);
});

Deno.test("sqlAdapter() returns an empty version after a delete", async () => {
  using sqlite = openSqlite();
  const { atomic, ...adapter } = sqlite.adapter({ table: undefined, now: undefined });
  await adapter.migrate();
  await adapter.put("notes", "k", { value: 1 });
  const version = (await adapter.get("notes", "k"))?.version ?? "";
  assertEquals(await atomic.cas("notes", "k", version, null), { status: "ok", version: "" });
  assertEquals(await atomic.cas("notes", "k", null, null), { status: "ok", version: "" });
});

const BAD_LISTS: readonly (readonly [why: string, index: number, limit?: number])[] = [
  ["a third index", 2],
  ["an index that contains SQL", "0 = 0 --" as unknown as number],
  ["a negative limit", 0, -1],
  ["a fractional limit", 0, 0.5],
  ["NaN as limit", 0, NaN],
  ["a string as limit", 0, "1" as unknown as number],
];

for (const [why, index, limit] of BAD_LISTS) {
  Deno.test(`sqlAdapter() list() rejects ${why}`, async () => {
    using sqlite = await openMigrated();
    const options = limit === undefined ? {} : { limit };
    await assertRejects(() => sqlite.made.list("notes", index as 0, "i", options), RangeError);
    assertEquals(sqlite.log, []);
  });
}

/** Rows as clients return them, depending on their configuration. */
const ROWS: readonly (readonly [why: string, change: (row: SqlRow) => SqlRow])[] = [
  ["frozen rows", (row) => Object.freeze({ ...row })],
  ["rows without a prototype", (row) => Object.assign(Object.create(null), row)],
  [
    "numbers as strings",
    (row) => mapValues(row, (value) => typeof value === "number" ? `${value}` : value),
  ],
  [
    "numbers as bigint",
    (row) => mapValues(row, (value) => typeof value === "number" ? BigInt(value) : value),
  ],
  ["undefined for NULL", (row) => mapValues(row, (value) => value ?? undefined)],
  [
    "column names in camelCase",
    (row) => mapNames(row, (name) => name.replace(/_./g, (at) => at[1]?.toUpperCase() ?? "")),
  ],
  ["columns by position too", (row) => ({ ...row, ...Object.values(row) })],
];

for (const [why, change] of ROWS) {
  Deno.test(`sqlAdapter() reads ${why}`, async () => {
    using sqlite = await openMigrated();
    const adapter = sqlite.adapter({
      query: async (text, params) => Object.freeze((await sqlite.query(text, params)).map(change)),
    });
    const expected = { value: { a: 1 }, expiresAt: START + 60 };
    await adapter.put("notes", "k", { ...expected, unique: "u", index: ["i"] });
    await adapter.put("notes", "persistent", { value: 2 });
    const { version, ...found } = await adapter.get("notes", "k") ?? { version: "" };
    assertEquals(found, expected);
    assertEquals(await adapter.find("notes", "u"), { key: "k", version, ...expected });
    assertEquals(await adapter.list("notes", 0, "i"), [{ key: "k", version, ...expected }]);
    assertEquals(Object.keys(await adapter.get("notes", "persistent") ?? {}), ["value", "version"]);
    assertEquals((await adapter.atomic.cas("notes", "k", version, { value: 3 })).status, "ok");
    assertEquals(await adapter.atomic.take("notes", "k"), 3);
  });
}

// postgres.js returns them after a query on the same connection failed midway
Deno.test("sqlAdapter() reads the rows of a sparse array", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter({
    async query(text, params) {
      const sparse: SqlRow[] = [];
      for (const [index, row] of (await sqlite.query(text, params)).entries()) {
        sparse[index + 2] = row;
      }
      return sparse;
    },
  });
  await adapter.put("notes", "k", { value: 1, unique: "u", index: ["i"] });
  const { version = "" } = await adapter.get("notes", "k") ?? {};
  assertEquals(await adapter.get("notes", "k"), { value: 1, version });
  assertEquals((await adapter.find("notes", "u"))?.key, "k");
  assertEquals((await adapter.list("notes", 0, "i")).map(({ key }) => key), ["k"]);
  const taken = await adapter.atomic.cas("notes", "other", null, { value: 2, unique: "u" });
  assertEquals(taken.status, "taken");
  assertEquals(await adapter.atomic.take("notes", "k"), 1);
  assertEquals(await adapter.get("notes", "k"), null);
});

function mapValues(row: SqlRow, change: (value: unknown) => unknown): SqlRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)]));
}

function mapNames(row: SqlRow, change: (name: string) => string): SqlRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [change(name), value]));
}

const INVALID_ROWS: readonly (readonly [why: string, result: unknown, error: typeof Error])[] = [
  ["a result object instead of its rows", { rows: [] }, TypeError],
  ["undefined", undefined, TypeError],
  ["rows as arrays", [["1", "v", null]], TypeError],
  ["a row that is null", [null], TypeError],
  ["a row without a value", [{ key: "k", version: "v", expires: null }], Error],
  ["a row without a version", [{ key: "k", value: "1", expires: null }], Error],
  ["a value that is not JSON", [{ key: "k", value: "secret", version: "v" }], Error],
  ["a value that the client has parsed", [{ key: "k", value: { a: 1 }, version: "v" }], Error],
  ["a number that the client has parsed", [{ key: "k", value: 1, version: "v" }], Error],
  ["a value of NULL", [{ key: "k", value: null, version: "v" }], Error],
  ["an expiry that is not a number", [{ value: "1", version: "v", expires: "soon" }], Error],
  [
    "an expiry that is an empty string",
    [{ key: "k", value: "1", version: "v", expires: "" }],
    Error,
  ],
  [
    "an expiry that is a blank string",
    [{ key: "k", value: "1", version: "v", expires: " " }],
    Error,
  ],
];

for (const [why, result, error] of INVALID_ROWS) {
  Deno.test(`sqlAdapter() rejects ${why}`, async () => {
    const adapter = sqlAdapter({ ...OPTIONS, query: () => result as SqlRow[] });
    const thrown = await assertRejects(() => adapter.get("notes", "k"), error);
    assert(thrown.message.startsWith("Cannot read record: "), thrown.message);
    assert(!Deno.inspect(thrown).includes("secret"));
  });
}

Deno.test("sqlAdapter() find() and list() reject a row without a key", async () => {
  const query = () => [{ value: "1", version: "v", expires: null }];
  const { find, list } = sqlAdapter({ ...OPTIONS, query });
  for (const call of [() => find("notes", "u"), () => list("notes", 0, "i")]) {
    await assertRejects(call, Error, "Cannot read record: ");
  }
});

Deno.test("migrate() creates the table and its indexes once", async () => {
  using sqlite = openSqlite();
  const adapter = sqlite.adapter();
  await adapter.migrate();
  await adapter.put("notes", "k", { value: 1 });
  sqlite.log.length = 0;
  for (let time = 0; time < 3; time++) await adapter.migrate();
  assertEquals(sqlite.log.map(({ text }) => text.split(" ", 1)[0]), [
    "SELECT",
    "SELECT",
    "SELECT",
  ]);
  assertEquals((await adapter.get("notes", "k"))?.value, 1);
});

Deno.test("migrate() completes an interrupted migration", async () => {
  for (let made = 0; made < 5; made++) {
    using sqlite = openSqlite();
    const adapter = sqlite.adapter();
    const statements = adapter.schema.split(";\n").slice(0, made);
    for (const statement of statements) await sqlite.query(statement, []);
    await adapter.migrate();
    const found = await sqlite.query("SELECT name FROM sqlite_master WHERE sql IS NOT NULL", []);
    assertEquals(found.length, 5);
  }
});

Deno.test("migrate() creates a table if another schema has one of the same name", async () => {
  using sqlite = openSqlite();
  const [first, second] = [
    sqlite.adapter({ table: "main.gatehouse" }),
    sqlite.adapter({ table: "temp.gatehouse" }),
  ];
  await first.migrate();
  await second.migrate();
  await second.put("notes", "k", { value: 2, unique: "u" });
  assertEquals(await first.get("notes", "k"), null);
  assertEquals((await second.find("notes", "u"))?.value, 2);
});

Deno.test("migrate() may be called concurrently", async () => {
  using sqlite = openSqlite();
  const adapters = Array.from({ length: 20 }, () => sqlite.adapter());
  await Promise.all(adapters.map((adapter) => adapter.migrate()));
  for (const [index, adapter] of adapters.entries()) {
    await adapter.put("notes", "k", { value: index });
  }
  assertEquals(sqlite.rows().length, 1);
});

Deno.test("migrate() retries if another process migrates concurrently", async () => {
  using sqlite = openSqlite();
  let failures = 3;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (text.startsWith("CREATE") && failures-- > 0) {
        throw new Error('duplicate key violates "pg_type_typname_nsp_index"');
      }
      return sqlite.query(text, params);
    },
  });
  await adapter.migrate();
  await adapter.put("notes", "k", { value: 1 });
  assertEquals(failures, -5);
});

Deno.test("migrate() rejects after some attempts with the error of the database", async () => {
  let attempts = 0;
  const adapter = sqlAdapter({
    query() {
      attempts++;
      throw new Error("permission denied for schema public");
    },
    dialect: "postgres",
  });
  const error = await assertRejects(() => adapter.migrate(), Error, "Cannot inspect schema");
  assert(Deno.inspect(error).includes("permission denied for schema public"));
  assertEquals(attempts, 6);
});

/** Seconds for which an expired record is retained: the clocks of two processes may differ by that. */
const SKEW = 300;

Deno.test("sweep() deletes only records that expired five minutes ago", async () => {
  using sqlite = await openMigrated();
  const { made } = sqlite;
  for (const end of [START - 1, START, START + 0.5, START + 1]) {
    await made.put("notes", `expires at ${end}`, { value: 1, expiresAt: end, unique: `${end}` });
  }
  await made.put("notes", "persistent", { value: 1 });
  const sweepAt = async (time: number) => {
    sqlite.time = time;
    return [await made.sweep(), sqlite.rows().length];
  };
  assertEquals(await sweepAt(START + SKEW - 2), [0, 5]);
  assertEquals(await sweepAt(START + SKEW - 1), [1, 4]);
  assertEquals(await sweepAt(START + SKEW), [1, 3]);
  assertEquals(await sweepAt(START + SKEW + 1), [2, 1]);
  assertEquals(await sweepAt(START + 1e9), [0, 1]);
  assertEquals((await made.get("notes", "persistent"))?.value, 1);
});

Deno.test("sweep() deletes batches of a thousand until none is left", async () => {
  using sqlite = await openMigrated();
  const { made, log } = sqlite;
  await fill(made, 2_500);
  sqlite.time = START + SKEW;
  log.length = 0;
  assertEquals(await made.sweep(), 2_500);
  assertEquals(log.length, 3);
  assertEquals(sqlite.rows(), []);
});

Deno.test("sweep() rejects if the database fails", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter({ query: failing(sqlite.query) });
  await assertRejects(() => adapter.sweep(), Error, "Cannot delete expired records");
});

Deno.test("put() and cas() delete a batch of expired records every five minutes", async () => {
  using sqlite = await openMigrated();
  const { log } = sqlite;
  const adapter = sqlite.adapter();
  const writes: readonly (() => Promise<unknown>)[] = [
    () => adapter.put("notes", "k", { value: 1 }),
    () => adapter.atomic.cas("notes", "l", null, { value: 1 }),
  ];
  /** Seconds after the start, and the number of sweeps of a write at that time. */
  const cases = [[0, 1], [0, 0], [299, 0], [300, 1], [301, 0], [599, 0], [10_000, 1]] as const;
  for (const [index, [after, sweeps]] of cases.entries()) {
    sqlite.time = START + after;
    log.length = 0;
    await writes[index % 2]?.();
    assertEquals(log.filter(({ text }) => text.includes("LIMIT 1000")).length, sweeps, `${after}`);
  }
});

Deno.test("put() sweeps every second while more than a batch has expired", async () => {
  using sqlite = await openMigrated();
  await fill(sqlite.made, 2_500);
  sqlite.log.length = 0;
  const adapter = sqlite.adapter();
  const left: number[] = [];
  for (const after of [0, 0, 1, 1, 2, 3]) {
    sqlite.time = START + SKEW + after;
    await adapter.put("notes", "persistent", { value: 1 });
    left.push(sqlite.rows().length - 1);
  }
  assertEquals(left, [1_500, 1_500, 500, 500, 0, 0]);
  const sweeps = sqlite.log.filter(({ text }) => text.includes("LIMIT 1000"));
  assertEquals(sweeps.length, 3, "a partial batch ends the backlog");
});

Deno.test("put() sweeps after the clock was set back", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter();
  sqlite.time = START + 1e9;
  await adapter.put("notes", "persistent", { value: 1 });
  sqlite.time = START;
  await adapter.put("notes", "k", { value: 1, expiresAt: START - SKEW });
  assertEquals(sqlite.rows().length, 1);
});

Deno.test("put() and cas() await the sweep and ignore its failure", async () => {
  using sqlite = await openMigrated();
  let sweeping = 0;
  const adapter = sqlite.adapter({
    query: failing(sqlite.query, async () => {
      sweeping++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      sweeping--;
    }),
  });
  await adapter.put("notes", "k", { value: 1 });
  assertEquals(sweeping, 0, "a worker may stop when the response is sent");
  sqlite.time += 300;
  assertEquals((await adapter.atomic.cas("notes", "l", null, { value: 1 })).status, "ok");
  assertEquals(sweeping, 0);
  assertEquals(sqlite.rows().length, 2);
});

Deno.test("get(), find(), list(), delete() and take() do not sweep", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter();
  await adapter.get("notes", "k");
  await adapter.find("notes", "k");
  await adapter.list("notes", 0, "k");
  await adapter.delete("notes", "k");
  await adapter.atomic.take("notes", "k");
  assertEquals(sqlite.log.length, 5);
});

async function fill(adapter: SqlAdapter, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await adapter.put("notes", `k${index}`, { value: 1, expiresAt: START });
  }
}

/** A client whose sweeps fail. */
function failing(query: SqlQuery, before?: () => Promise<void>): SqlQuery {
  return async (text, params) => {
    if (!text.includes("LIMIT 1000")) return await query(text, params);
    await before?.();
    throw new Error("deadlock detected");
  };
}

/** Failures that repeat a number of times, and the longest pause after each, in milliseconds. */
const PAUSES: readonly {
  readonly why: string;
  readonly code: string;
  readonly call: (adapter: SqlAdapter) => Promise<unknown>;
  readonly failures: number;
  readonly most: (time: number) => number;
}[] = [
  {
    why: "a serialization failure",
    code: "40001",
    call: (adapter) => adapter.get("notes", "k"),
    failures: 40,
    most: (time) => Math.min(2 ** time, 100),
  },
  {
    why: "a concurrent migration",
    code: "23505",
    call: (adapter) => adapter.migrate(),
    failures: 5,
    most: (time) => 25 * 2 ** time,
  },
];

for (const { why, code, call, failures, most } of PAUSES) {
  Deno.test(`sqlAdapter() backs off exponentially with jitter after ${why}`, async () => {
    let left = failures;
    const adapter = sqlAdapter({
      query() {
        if (left-- > 0) throw Object.assign(new Error("conflict"), { code });
        return [];
      },
      dialect: "postgres",
    });
    const pauses = await pausesOf(() => call(adapter));
    assertEquals(pauses.length, failures);
    for (const [index, ms] of pauses.entries()) {
      const longest = most(index + 1);
      assert(ms >= longest / 2 && ms < longest, `${ms} ms at pause ${index + 1}`);
    }
    const parts = pauses.map((ms, index) => ms / most(index + 1));
    assert(new Set(parts).size > 2, "pauses must differ");
  });
}

Deno.test("sqlAdapter() retries with the same parameters if the client changes its array", async () => {
  using sqlite = await openMigrated();
  await sqlite.made.put("notes", "k", { value: 1 });
  let left = 3;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (left-- <= 0) return sqlite.query(text, params);
      params.length = 0;
      throw Object.assign(new Error("could not serialize"), { code: "40001" });
    },
  });
  assertEquals((await adapter.get("notes", "k"))?.value, 1);
});

Deno.test("sqlAdapter() writes if the holder of the unique value is deleted before it is read", async () => {
  for (const write of ["put", "create", "update"] as const) {
    using sqlite = await openMigrated();
    const { made } = sqlite;
    await made.put("notes", "other", { value: 1, unique: "u" });
    if (write === "update") await made.put("notes", "k", { value: 2 });
    const version = (await made.get("notes", "k"))?.version ?? null;
    let reads = 0;
    const adapter = sqlite.adapter({
      async query(text, params) {
        // another process deletes the holder first
        if (text.includes(" OR uniq = ") && ++reads === 1) await made.delete("notes", "other");
        return await sqlite.query(text, params);
      },
    });
    const record = { value: 3, unique: "u" };
    if (write === "put") await adapter.put("notes", "k", record);
    else assertEquals((await adapter.atomic.cas("notes", "k", version, record)).status, "ok");
    assertEquals([(await made.find("notes", "u"))?.value, reads], [3, 1], write);
  }
});

Deno.test("sqlAdapter() uses an index for every statement on SQLite", async () => {
  using sqlite = openSqlite();
  const { query } = sqlite;
  await explainAll({ query, dialect: "sqlite" }, async ({ text, params }) => {
    const rows = await query(`EXPLAIN QUERY PLAN ${text}`, [...params]);
    return rows.map(({ detail }) => detail).join("\n").replace("autoindex_gatehouse_1", "pkey");
  });
});
