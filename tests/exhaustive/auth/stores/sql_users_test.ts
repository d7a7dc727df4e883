/** Users on a table of the application in PGlite, which takes seconds to start. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { sqlUserStore, sqlUserTable } from "../../../../auth/stores/engines/sql.ts";
import { assertCopied, explainUsers, newUser, readSql } from "../../../auth/stores/_sql_users.ts";
import { type Pglite, startPglite } from "../../../contracts/_pglite.ts";

let pglite: Pglite;

Deno.test.beforeAll(() => {
  pglite = startPglite();
});

Deno.test.afterAll(() => pglite.close());

Deno.test("The query of docs/stores.md copies users of an adapter on PostgreSQL", async () => {
  const { query } = pglite;
  await assertCopied({ dialect: "postgres", query }, "::json");
});

Deno.test("sqlUserStore() works on the table of docs/stores.md, with a foreign key and other columns", async () => {
  const { query } = pglite;
  await query("CREATE SCHEMA docs", []);
  await query("SET search_path = docs", []);
  for (const statement of await readSql("CREATE TABLE IF NOT EXISTS")) await query(statement, []);
  await query("ALTER TABLE users ADD COLUMN credits INTEGER NOT NULL DEFAULT 10", []);
  await query(
    "CREATE TABLE notes (title TEXT, owner TEXT REFERENCES users (sub) ON DELETE CASCADE)",
    [],
  );
  const { users, emails } = sqlUserStore({ dialect: "postgres", table: "docs.users", query });
  for (const sub of ["u1", "u2"]) await users.create(newUser(sub));
  await query("INSERT INTO notes VALUES ('a', 'u1'), ('b', 'u2')", []);
  await query("UPDATE users SET credits = 9", []);
  const { version = "" } = await users.findBySub("u2") ?? {};
  await users.update("u2", version, { disabled: true, securityStamp: "s2" });
  await emails.save({ sub: "u2", email: "a@b", verifiedAt: 2 ** 40 }, null);
  assertEquals((await emails.findByEmail("a@b"))?.verifiedAt, 2 ** 40);
  await users.delete("u1");
  const join = "SELECT title, credits, disabled FROM notes JOIN users ON sub = owner";
  assertEquals(await query(join, []), [{ title: "b", credits: 9, disabled: true }]);
  await query("SET search_path = public", []);
});

Deno.test("sqlUserStore() names what is missing on PostgreSQL", async () => {
  const { query } = pglite;
  const names = { dialect: "postgres", table: "members" } as const;
  const { users, emails } = sqlUserStore({ ...names, query });
  const causeOf = async (call: () => Promise<unknown>) => {
    const { message, cause } = await assertRejects(call, Error);
    assert(cause instanceof Error);
    return [message, cause.message];
  };
  const [, table = ""] = await causeOf(() => users.findBySub("u1"));
  assertEquals(table, 'error: relation "members" does not exist');
  for (const statement of sqlUserTable(names)) await query(statement, []);

  await query("ALTER TABLE members RENAME email_version TO other", []);
  const [, column = ""] = await causeOf(() => users.list({ limit: 1 }));
  assertEquals(column, "error: column mine.email_version does not exist");
  await query("ALTER TABLE members RENAME other TO email_version", []);

  await query("DROP INDEX members_verified_email", []);
  const [email] = await causeOf(() => emails.findByEmail("a@b"));
  assertEquals(
    email,
    "Cannot use user table without a unique index of email: the database failed",
  );
  await query("CREATE UNIQUE INDEX all_emails ON members (email)", []);
  assertEquals(await users.create(newUser("u1")), "created", "a stricter index will do");
});

Deno.test("sqlUserStore() finds every row by an index on PostgreSQL", async () => {
  const { query } = pglite;
  for (const statement of sqlUserTable({ dialect: "postgres" })) await query(statement, []);
  await query("SET enable_seqscan = off", []); // the table is small
  const plans = await explainUsers({ dialect: "postgres", query }, async (text, params) => {
    const rows = await query(`EXPLAIN ${text}`, params);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
  assertEquals(plans.length, 12);
  for (const [text, plan] of plans) {
    assertEquals(/Seq Scan|Sort/.exec(plan), null, `${text}\n${plan}`);
  }
});
