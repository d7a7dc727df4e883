import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { sqlAdapter, type SqlAdapterOptions, type SqlRow } from "../../../auth/stores/sql.ts";
import { openMigrated, openSqlite, START } from "./_sql.ts";

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

Deno.test("sqlAdapter() prints the schema that it makes", () => {
  assertEquals(sqlAdapter(OPTIONS).schema, SQLITE_SCHEMA);
  const postgres = sqlAdapter({ ...OPTIONS, dialect: "postgres", table: "auth.records" });
  assertEquals(postgres.schema, POSTGRES_SCHEMA);
});

Deno.test("sqlAdapter() works on a schema that others made, and migrate() adds nothing to it", async () => {
  using sqlite = openSqlite();
  for (const statement of SQLITE_SCHEMA.split(";\n").slice(0, -1)) {
    await sqlite.query(statement, []);
  }
  const adapter = sqlite.adapter();
  sqlite.said.length = 0;
  await adapter.migrate();
  assertEquals(sqlite.said.map(({ text }) => text.slice(0, 6)), ["SELECT"]);
  await adapter.put("notes", "k", { value: 1, unique: "u", index: ["i", "j"] });
  assertEquals((await adapter.find("notes", "u"))?.value, 1);
});

const BAD_OPTIONS: readonly (readonly [why: string, options: unknown, error: typeof Error])[] = [
  ["no options", null, TypeError],
  ["an option that is misspelt", { ...OPTIONS, tabel: "auth" }, TypeError],
  ["no query", { dialect: "sqlite" }, TypeError],
  ["a client in place of a function", { ...OPTIONS, query: {} }, TypeError],
  ["no dialect", { query: OPTIONS.query }, TypeError],
  ["a dialect that is not known", { ...OPTIONS, dialect: "mysql" }, TypeError],
  ["a dialect of every object", { ...OPTIONS, dialect: "constructor" }, TypeError],
  ["a time in place of a clock", { ...OPTIONS, now: START }, TypeError],
  ["a table that is no text", { ...OPTIONS, table: 1 }, TypeError],
  ["a list of tables", { ...OPTIONS, table: ["gatehouse"] }, TypeError],
  ["no table", { ...OPTIONS, table: "" }, RangeError],
  ["a quoted table", { ...OPTIONS, table: '"gatehouse"' }, RangeError],
  ["a table that ends its quotes", { ...OPTIONS, table: 'a"; DROP TABLE a; --' }, RangeError],
  ["a table with a NUL", { ...OPTIONS, table: "a\0" }, RangeError],
  ["a table with a line end", { ...OPTIONS, table: "gatehouse\n" }, RangeError],
  [
    "large letters, which PostgreSQL would take for small",
    { ...OPTIONS, table: "Auth" },
    RangeError,
  ],
  ["a digit in front", { ...OPTIONS, table: "1auth" }, RangeError],
  ["a database, schema and table", { ...OPTIONS, table: "a.b.c" }, RangeError],
  ["a schema without a table", { ...OPTIONS, table: "auth." }, RangeError],
  ["a schema whose name would be cut", { ...OPTIONS, table: `${"a".repeat(49)}.auth` }, RangeError],
  ["a name whose indexes would be cut", { ...OPTIONS, table: "a".repeat(49) }, RangeError],
];

for (const [why, options, error] of BAD_OPTIONS) {
  Deno.test(`sqlAdapter() refuses ${why}`, () => {
    const { message } = assertThrows(() => sqlAdapter(options as SqlAdapterOptions), error);
    assert(message.startsWith("Cannot create SQL adapter: "), message);
  });
}

Deno.test("sqlAdapter() takes every name of a table that needs quotes", async () => {
  for (const table of ["user", "order", "main.select", "_", "a".repeat(48)]) {
    using sqlite = openSqlite();
    const adapter = sqlite.adapter({ table });
    await adapter.migrate();
    await adapter.migrate();
    await adapter.put("notes", "k", { value: table, index: ["i"] });
    assertEquals((await adapter.list("notes", 0, "i"))[0]?.value, table);
  }
});

Deno.test("sqlAdapter() refuses a clock that gives milliseconds, when it is asked", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter({ now: () => START * 1000 });
  await assertRejects(() => adapter.put("notes", "k", { value: 1 }), RangeError, "Invalid clock");
  await assertRejects(() => adapter.get("notes", "k"), RangeError, "Invalid clock");
  assertEquals(sqlite.said, []);
});

Deno.test("sqlAdapter() keeps two tables of one database apart", async () => {
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

Deno.test("sqlAdapter() says no text of a record in a statement, only beside it", async () => {
  using sqlite = await openMigrated();
  const { made, said } = sqlite;
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
  assert(said.length > 7);
  for (const { text } of said) assert(!text.includes("DROP") && !text.includes("x'"), text);
  assertEquals(sqlite.rows(), []);
});

Deno.test("sqlAdapter() gives no version for what is not there any more", async () => {
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
  ["an index that is a part of a statement", "0 = 0 --" as unknown as number],
  ["less than no record", 0, -1],
  ["half a record", 0, 0.5],
  ["no number of records", 0, NaN],
  ["a number as text", 0, "1" as unknown as number],
];

for (const [why, index, limit] of BAD_LISTS) {
  Deno.test(`sqlAdapter() list() refuses ${why}`, async () => {
    using sqlite = await openMigrated();
    const options = limit === undefined ? {} : { limit };
    await assertRejects(() => sqlite.made.list("notes", index as 0, "i", options), RangeError);
    assertEquals(sqlite.said, []);
  });
}

/** How clients give rows, each as it is set up somewhere. */
const ROWS: readonly (readonly [why: string, change: (row: SqlRow) => SqlRow])[] = [
  ["frozen rows", (row) => Object.freeze({ ...row })],
  ["rows without a prototype", (row) => Object.assign(Object.create(null), row)],
  [
    "numbers as text",
    (row) => mapValues(row, (value) => typeof value === "number" ? `${value}` : value),
  ],
  [
    "numbers as bigint",
    (row) => mapValues(row, (value) => typeof value === "number" ? BigInt(value) : value),
  ],
  ["undefined for NULL", (row) => mapValues(row, (value) => value ?? undefined)],
  [
    "names in camelCase",
    (row) => mapNames(row, (name) => name.replace(/_./g, (at) => at[1]?.toUpperCase() ?? "")),
  ],
  ["columns by number too", (row) => ({ ...row, ...Object.values(row) })],
];

for (const [why, change] of ROWS) {
  Deno.test(`sqlAdapter() reads ${why}`, async () => {
    using sqlite = await openMigrated();
    const adapter = sqlite.adapter({
      query: async (text, params) => Object.freeze((await sqlite.query(text, params)).map(change)),
    });
    const expected = { value: { a: 1 }, expiresAt: START + 60 };
    await adapter.put("notes", "k", { ...expected, unique: "u", index: ["i"] });
    await adapter.put("notes", "lasting", { value: 2 });
    const { version, ...found } = await adapter.get("notes", "k") ?? { version: "" };
    assertEquals(found, expected);
    assertEquals(await adapter.find("notes", "u"), { key: "k", version, ...expected });
    assertEquals(await adapter.list("notes", 0, "i"), [{ key: "k", version, ...expected }]);
    assertEquals(Object.keys(await adapter.get("notes", "lasting") ?? {}), ["value", "version"]);
    assertEquals((await adapter.atomic.cas("notes", "k", version, { value: 3 })).status, "ok");
    assertEquals(await adapter.atomic.take("notes", "k"), 3);
  });
}

function mapValues(row: SqlRow, change: (value: unknown) => unknown): SqlRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(value)]));
}

function mapNames(row: SqlRow, change: (name: string) => string): SqlRow {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [change(name), value]));
}

const BAD_ANSWERS: readonly (readonly [why: string, answer: unknown, error: typeof Error])[] = [
  ["a result in place of its rows", { rows: [] }, TypeError],
  ["nothing", undefined, TypeError],
  ["rows without names", [["1", "v", null]], TypeError],
  ["a row that is null", [null], TypeError],
  ["a row without a value", [{ key: "k", version: "v", expires: null }], Error],
  ["a row without a version", [{ key: "k", value: "1", expires: null }], Error],
  ["a value that is no JSON", [{ key: "k", value: "secret", version: "v" }], Error],
  ["a value that the client has read", [{ key: "k", value: { a: 1 }, version: "v" }], Error],
  ["a number that the client has read", [{ key: "k", value: 1, version: "v" }], Error],
  ["a value of NULL", [{ key: "k", value: null, version: "v" }], Error],
  ["an end that is no number", [{ value: "1", version: "v", expires: "soon" }], Error],
  ["an end that is an empty text", [{ key: "k", value: "1", version: "v", expires: "" }], Error],
  ["an end that is a blank text", [{ key: "k", value: "1", version: "v", expires: " " }], Error],
];

for (const [why, answer, error] of BAD_ANSWERS) {
  Deno.test(`sqlAdapter() refuses ${why}`, async () => {
    const adapter = sqlAdapter({ ...OPTIONS, query: () => answer as SqlRow[] });
    const thrown = await assertRejects(() => adapter.get("notes", "k"), error);
    assert(thrown.message.startsWith("Cannot read record: "), thrown.message);
    assert(!Deno.inspect(thrown).includes("secret"));
  });
}

Deno.test("sqlAdapter() refuses a row without a key where it looks for one", async () => {
  const query = () => [{ value: "1", version: "v", expires: null }];
  const { find, list } = sqlAdapter({ ...OPTIONS, query });
  for (const call of [() => find("notes", "u"), () => list("notes", 0, "i")]) {
    await assertRejects(call, Error, "Cannot read record: ");
  }
});
