import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  type SqlQuery,
  type SqlRow,
  sqlUserStore,
  type SqlUserStoreOptions,
  sqlUserTable,
} from "../../../auth/stores/engines/sql.ts";
import { assertCopied, explainUsers, newUser, readSql } from "./_sql_users.ts";

const OPTIONS: SqlUserStoreOptions = { query: () => [], dialect: "sqlite" };

/** SQLite in memory. */
function openDatabase():
  & { readonly database: DatabaseSync; readonly query: SqlQuery }
  & Disposable {
  const database = new DatabaseSync(":memory:");
  return {
    database,
    query: (text, params) => database.prepare(text).all(...params),
    [Symbol.dispose]: () => database.close(),
  };
}

/** SQLite with an empty table of users. */
function openUsers(options: Partial<SqlUserStoreOptions> = {}) {
  const opened = openDatabase();
  const { query: _, ...names } = { dialect: "sqlite" as const, ...options };
  for (const statement of sqlUserTable(names)) opened.database.exec(statement);
  return { ...opened, ...sqlUserStore({ query: opened.query, dialect: "sqlite", ...options }) };
}

Deno.test("sqlUserTable() returns the DDL of docs/stores.md", async () => {
  const statements = sqlUserTable({ dialect: "postgres" });
  assertEquals(statements, await readSql("CREATE TABLE IF NOT EXISTS"));
});

Deno.test("sqlUserTable() quotes other names, for both dialects", () => {
  const columns = { sub: "id", email: "Mail", attributes: null };
  const names = { table: "app.Members", columns };
  const index = "CREATE UNIQUE INDEX IF NOT EXISTS";
  assertEquals(sqlUserTable({ dialect: "sqlite", ...names }), [
    `CREATE TABLE IF NOT EXISTS "app"."Members" (
  "id" TEXT NOT NULL PRIMARY KEY,
  "identifier" TEXT NOT NULL UNIQUE,
  "password_hash" TEXT,
  "security_stamp" TEXT NOT NULL,
  "disabled" BOOLEAN,
  "pending_removal" TEXT,
  "created_at" BIGINT NOT NULL,
  "version" TEXT NOT NULL,
  "Mail" TEXT,
  "email_verified_at" BIGINT,
  "email_version" TEXT
)`,
    `${index} "app"."Members_verified_email"\n  ON "Members" ("Mail") ` +
    `WHERE "email_verified_at" IS NOT NULL`,
  ]);
  const [table = "", on] = sqlUserTable({ dialect: "postgres", ...names });
  assertStringIncludes(table, `"app"."Members" (\n  "id" TEXT COLLATE "C" NOT NULL PRIMARY KEY,`);
  assertEquals(
    on,
    `${index} "Members_verified_email"\n  ON "app"."Members" ("Mail") ` +
      `WHERE "email_verified_at" IS NOT NULL`,
  );
});

const BAD_NAMES: readonly (readonly [why: string, options: unknown, error: typeof Error])[] = [
  ["null as options", null, TypeError],
  ["an unknown option", { dialect: "sqlite", tabel: "users" }, TypeError],
  ["no dialect", {}, TypeError],
  ["an unknown dialect", { dialect: "mysql" }, TypeError],
  ["a table that is not a string", { dialect: "sqlite", table: 1 }, TypeError],
  ["an array of tables", { dialect: "sqlite", table: ["users"] }, TypeError],
  ["columns that are null", { dialect: "sqlite", columns: null }, TypeError],
  ["an unknown member", { dialect: "sqlite", columns: { name: "name" } }, TypeError],
  ["a member of every object", { dialect: "sqlite", columns: { constructor: "x" } }, TypeError],
  ["a column that is null", { dialect: "sqlite", columns: { sub: null } }, TypeError],
  ["a column that is an array", { dialect: "sqlite", columns: { sub: ["id"] } }, TypeError],
  ["one column twice", { dialect: "sqlite", columns: { identifier: "email" } }, RangeError],
  ["one column twice for SQLite", { dialect: "sqlite", columns: { sub: "EMAIL" } }, RangeError],
  ...[
    ["", "an empty name"],
    ["a b", "a space"],
    ["1a", "a leading digit"],
    ["a\n", "a line break"],
    ["a\0", "a NUL"],
    ["é", "a letter that is not ASCII"],
    ["a-b", "a hyphen"],
    ["a$1", "a placeholder"],
    ['"a"', "quotes"],
    ['a"; DROP TABLE users; --', "SQL after a closing quote"],
    ["a, b", "two names"],
    ["a.b.c", "three names"],
    ["a.", "a schema without a table"],
    [".a", "a table after a dot"],
    ["a".repeat(64), "a name that PostgreSQL truncates"],
  ].flatMap(([name, why]) => [
    [`${why} in a table`, { dialect: "sqlite", table: name }, RangeError] as const,
    [`${why} in a column`, { dialect: "sqlite", columns: { sub: name } }, RangeError] as const,
  ]),
  ["a table's name in a column", { dialect: "sqlite", columns: { sub: "users.sub" } }, RangeError],
];

for (const [why, options, error] of BAD_NAMES) {
  Deno.test(`sqlUserStore() and sqlUserTable() reject ${why}`, () => {
    assertThrows(() => sqlUserTable(options as SqlUserStoreOptions), error);
    const all = options === null ? null : { query: OPTIONS.query, ...options as object };
    assertThrows(() => sqlUserStore(all as SqlUserStoreOptions), error);
  });
}

Deno.test("sqlUserStore() rejects a client instead of a function", () => {
  const options = { dialect: "sqlite", query: {} } as unknown as SqlUserStoreOptions;
  assertThrows(() => sqlUserStore(options), TypeError, "query must be a function");
});

Deno.test("sqlUserStore() writes the columns of the table, and leaves those of the application", async () => {
  using open = openUsers({ table: "main.members", columns: { sub: "id", disabled: "isDisabled" } });
  const { database, users, emails } = open;
  database.exec("ALTER TABLE members ADD COLUMN credits INTEGER NOT NULL DEFAULT 10");
  database.exec("ALTER TABLE members ADD COLUMN note TEXT");
  await users.create(newUser("u1", { passwordHash: "h1", attributes: { a: 1 } }));
  database.exec("UPDATE members SET credits = 9, note = 'mine'");
  const { version = "" } = await users.findBySub("u1") ?? {};
  await users.update("u1", version, { disabled: true, securityStamp: "s2", passwordHash: null });
  await emails.save({ sub: "u1", email: "ada@example.com", verifiedAt: 7 }, null);
  const row = database.prepare("SELECT * FROM members").get() as SqlRow;
  assertEquals({ ...row, version: "", email_version: "" }, {
    id: "u1",
    identifier: "u1@example.com",
    password_hash: null,
    security_stamp: "s2",
    isDisabled: 1,
    pending_removal: null,
    attributes: '{"a":1}',
    created_at: 5,
    version: "",
    email: "ada@example.com",
    email_verified_at: 7,
    email_version: "",
    credits: 9,
    note: "mine",
  });
  await emails.delete("u1");
  assertEquals(
    database.prepare("SELECT credits, email FROM members").all().map((one) => ({ ...one })),
    [
      { credits: 9, email: null },
    ],
  );
});

Deno.test("sqlUserStore() separates the versions of a user and of the address", async () => {
  using open = openUsers();
  const { users, emails } = open;
  const address = { sub: "u1", email: "ada@example.com" };
  assertEquals(await emails.save(address, null), "lost", "the user does not exist");
  await users.create(newUser("u1"));
  const user = await users.findBySub("u1");
  assertEquals(await emails.save(address, null), "saved");
  const email = await emails.findBySub("u1");
  assertEquals(await users.findBySub("u1"), user);
  assertEquals(await users.update("u1", user?.version ?? "", { passwordHash: "h" }), "updated");
  assertEquals(await emails.findBySub("u1"), email);
  assertEquals(await emails.save({ ...address, verifiedAt: 9 }, email?.version ?? ""), "saved");
  await users.delete("u1");
  assertEquals(await emails.findByEmail(address.email), null);
});

Deno.test("sqlUserStore() reads rows of the application, also an address without a version", async () => {
  using open = openUsers();
  const { database, users, emails } = open;
  database.exec(
    "INSERT INTO users (sub, identifier, security_stamp, created_at, version, email) " +
      "VALUES ('u1', 'ada', 's1', 5, '0', 'ada@example.com')",
  );
  assertEquals(await users.findByIdentifier("ada"), {
    ...newUser("u1"),
    identifier: "ada",
    version: "0",
  });
  const found = await emails.findBySub("u1");
  assertEquals(found, { sub: "u1", email: "ada@example.com", version: "" });
  const verified = { sub: "u1", email: "ada@example.com", verifiedAt: 6 };
  assertEquals(await emails.save(verified, null), "lost");
  assertEquals(await emails.save(verified, ""), "saved");
  assertEquals(await emails.save(verified, ""), "lost");
});

Deno.test("sqlUserStore() inserts absent members by the column's default", async () => {
  using open = openDatabase();
  const { database, query } = open;
  const [table = "", index = ""] = sqlUserTable({ dialect: "sqlite" });
  database.exec(table.replace('"disabled" BOOLEAN', '"disabled" BOOLEAN NOT NULL DEFAULT FALSE'));
  database.exec(index);
  const { users } = sqlUserStore({ dialect: "sqlite", query });
  await users.create(newUser("u1"));
  assertEquals((await users.findBySub("u1"))?.disabled, false);
});

Deno.test("sqlUserStore() without a column of attributes rejects writing them", async () => {
  using open = openUsers({ columns: { attributes: null } });
  const { users } = open;
  const message = "columns.attributes is null";
  await assertRejects(() => users.create(newUser("u1", { attributes: {} })), TypeError, message);
  assertEquals(await users.create(newUser("u1")), "created");
  const { version = "" } = await users.findBySub("u1") ?? {};
  await assertRejects(() => users.update("u1", version, { attributes: {} }), TypeError, message);
  assertEquals(await users.update("u1", version, { attributes: null }), "updated");
});

Deno.test("The table of users can be referenced and joined, and a deletion cascades", async () => {
  using open = openUsers();
  const { database, users } = open;
  database.exec(
    "CREATE TABLE notes (title TEXT, owner TEXT NOT NULL REFERENCES users (sub) ON DELETE CASCADE);" +
      "CREATE TABLE invoices (owner TEXT NOT NULL REFERENCES users (sub))",
  );
  for (const sub of ["u1", "u2"]) await users.create(newUser(sub));
  database.exec(
    "INSERT INTO notes VALUES ('a', 'u1'), ('b', 'u2'); INSERT INTO invoices VALUES ('u2')",
  );
  assertThrows(() => database.exec("INSERT INTO notes VALUES ('c', 'u3')"), Error, "FOREIGN KEY");
  await users.delete("u1");
  const join = "SELECT title, identifier FROM notes JOIN users ON sub = owner";
  assertEquals(database.prepare(join).all().map((row) => ({ ...row })), [
    { title: "b", identifier: "u2@example.com" },
  ]);
  await assertRejects(() => users.delete("u2"), Error, "Cannot delete user: the database failed");
  assertEquals((await users.findBySub("u2"))?.sub, "u2");
});

Deno.test("The query of docs/stores.md copies users of an adapter on SQLite", async () => {
  using open = openDatabase();
  await assertCopied({ dialect: "sqlite", query: open.query }, "json_extract");
});

Deno.test("sqlUserStore() finds every row by an index on SQLite", async () => {
  using open = openUsers();
  const { query } = open;
  const plans = await explainUsers({ dialect: "sqlite", query }, async (text, params) => {
    const rows = await query(`EXPLAIN QUERY PLAN ${text}`, params);
    return rows.map(({ detail }) => detail).join("\n");
  });
  assertEquals(plans.length, 12);
  for (const [text, plan] of plans) assertEquals(/SCAN|TEMP/.exec(plan), null, `${text}\n${plan}`);
});
