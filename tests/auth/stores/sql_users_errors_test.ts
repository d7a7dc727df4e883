import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import {
  type SqlQuery,
  type SqlRow,
  sqlUserStore,
  type SqlUserStores,
  sqlUserTable,
} from "../../../auth/stores/engines/sql.ts";
import { pausesOf } from "../_pauses.ts";
import { newUser } from "./_sql_users.ts";

type Call = (stores: SqlUserStores) => Promise<unknown>;

const SECRET = "ada@example.org";

/** Every call. */
const CALLS: readonly (readonly [name: string, call: Call])[] = [
  ["users.create()", ({ users }) => users.create({ ...newUser(SECRET), identifier: SECRET })],
  ["users.findByIdentifier()", ({ users }) => users.findByIdentifier(SECRET)],
  ["users.findBySub()", ({ users }) => users.findBySub(SECRET)],
  ["users.list()", ({ users }) => users.list({ limit: 5, after: SECRET })],
  ["users.update()", ({ users }) => users.update(SECRET, SECRET, { passwordHash: SECRET })],
  ["users.delete()", ({ users }) => users.delete(SECRET)],
  ["emails.findBySub()", ({ emails }) => emails.findBySub(SECRET)],
  ["emails.findByEmail()", ({ emails }) => emails.findByEmail(SECRET)],
  ["emails.save()", ({ emails }) => emails.save({ sub: SECRET, email: SECRET }, null)],
  ["emails.delete()", ({ emails }) => emails.delete(SECRET)],
];

/** SQLite in memory with the statements of a table; `answer` may replace what a statement returns. */
function openWith(
  ddl: readonly string[],
  answer?: (text: string, run: () => readonly SqlRow[]) => readonly SqlRow[],
): SqlUserStores & { readonly database: DatabaseSync; readonly query: SqlQuery } & Disposable {
  const database = new DatabaseSync(":memory:");
  for (const statement of ddl) database.exec(statement);
  const query: SqlQuery = (text, params) => {
    const run = () => database.prepare(text).all(...params);
    return answer === undefined ? run() : answer(text, run);
  };
  const stores = sqlUserStore({ dialect: "sqlite", query });
  return { ...stores, database, query, [Symbol.dispose]: () => database.close() };
}

const DDL = sqlUserTable({ dialect: "sqlite" });
const [TABLE = "", INDEX = ""] = DDL;

async function causeOf(call: () => Promise<unknown>, message: string): Promise<Error> {
  const { cause } = await assertRejects(call, Error, message);
  assert(cause instanceof Error);
  return cause;
}

Deno.test("sqlUserStore() names a missing table at the first call, whichever it is", async () => {
  for (const [name, call] of CALLS) {
    using open = openWith([]);
    const cause = await causeOf(() => call(open), "the database failed");
    assertEquals(cause.message, "no such table: users", name);
    for (const statement of DDL) open.database.exec(statement);
    await call(open); // the table was created later
  }
});

// SQLite would take an unknown column in quotes for a string
for (const [, column = ""] of TABLE.matchAll(/^ {2}"(\w+)"/gm)) {
  Deno.test(`sqlUserStore() names the missing column ${column} at the first call`, async () => {
    const ddl = TABLE.replace(`"${column}"`, '"other"').replaceAll("NOT NULL", "");
    for (const [, call] of CALLS) {
      using open = openWith([ddl]);
      const cause = await causeOf(() => call(open), "Cannot read columns of user table");
      assertEquals(cause.message, `no such column: mine.${column}`);
    }
  });
}

const WITHOUT_INDEX: readonly (readonly [member: string, ddl: readonly string[]])[] = [
  ["sub", [TABLE.replace("PRIMARY KEY", ""), INDEX]],
  ["identifier", [TABLE.replace("UNIQUE", ""), INDEX]],
  ["email", [TABLE]],
  ["email", [TABLE, INDEX.replace("UNIQUE", "")]],
  ["email", [TABLE, INDEX.replace("IS NOT NULL", "> 0")]],
];

for (const [member, ddl] of WITHOUT_INDEX) {
  Deno.test(`sqlUserStore() rejects a table without a unique index of ${member}: ${ddl[1]}`, async () => {
    using open = openWith(ddl);
    for (const [, call] of CALLS) {
      await causeOf(() => call(open), `Cannot use user table without a unique index of ${member}`);
    }
  });
}

Deno.test("sqlUserStore() checks the table once", async () => {
  const texts: string[] = [];
  using open = openWith(DDL, (text, run) => {
    texts.push(text);
    return run();
  });
  for (const [, call] of CALLS) await call(open);
  assertEquals(texts.filter((text) => text.includes("WHERE FALSE")).length, 4);
});

Deno.test("sqlUserStore() does not disclose what an error quotes", async () => {
  for (const [name, call] of CALLS) {
    const stores = sqlUserStore({
      dialect: "postgres",
      query(text, params) {
        if (text.includes("WHERE FALSE")) return [];
        throw Object.assign(new Error(`failed: ${params.join()}`), { code: "XX000", params });
      },
    });
    const cause = await causeOf(() => call(stores), "the database failed");
    assertEquals({ ...cause }, { name: "Error", code: "XX000" } as unknown as Error, name);
    assertEquals(cause.message, "Message omitted: it quotes what was sent", name);
  }
});

/** What a column may contain, in the type of some client, and what is read. */
const VALUES: readonly (readonly [result: string, value: unknown, expected: unknown])[] = [
  ["created", "1700000000", { createdAt: 1_700_000_000 }],
  ["created", 1_700_000_000n, { createdAt: 1_700_000_000 }],
  ["created", "", TypeError],
  ["created", "2026-01-01", TypeError],
  ["created", 1.5, TypeError],
  ["created", null, TypeError],
  ["created", true, TypeError],
  ["disabled", true, { disabled: true }],
  ["disabled", 1n, { disabled: true }],
  ["disabled", "t", { disabled: true }],
  ["disabled", "0", { disabled: false }],
  ["disabled", false, { disabled: false }],
  ["disabled", null, {}],
  ["disabled", "yes", TypeError],
  ["disabled", 2, TypeError],
  ["hash", null, {}],
  ["hash", new Uint8Array(1), TypeError],
  ["stamp", null, TypeError],
  ["version", 1, TypeError],
  ["attributes", '{"a":[1]}', { attributes: { a: [1] } }],
  ["attributes", "[]", TypeError],
  ["attributes", "{", TypeError],
  ["attributes", { a: 1 }, TypeError],
];

for (const [result, value, expected] of VALUES) {
  const what = `${Deno.inspect(value)} as ${result}`;
  Deno.test(`sqlUserStore() ${expected === TypeError ? "rejects" : "reads"} ${what}`, async () => {
    using open = openWith(DDL, (text, run) => {
      const rows = run();
      return text.includes(` AS ${result}`)
        ? rows.map((row) => ({ ...row, [result]: value }))
        : rows;
    });
    await open.users.create(newUser("u1"));
    if (expected === TypeError) {
      const { message } = await assertRejects(() => open.users.findBySub("u1"), TypeError);
      assertStringIncludes(message, "Cannot use user: the stored ");
      return;
    }
    const { version = "" } = await open.users.findBySub("u1") ?? {};
    const read = await open.users.findBySub("u1");
    assertEquals(read, { ...newUser("u1"), version, ...expected as object });
  });
}

Deno.test("sqlUserStore() rejects strings and times that a column cannot hold", async () => {
  using open = openWith(DDL);
  const { users, emails } = open;
  for (const bad of ["a\0", "\ud83d"]) {
    await assertRejects(() => users.create(newUser("u1", { identifier: bad })), TypeError);
    await assertRejects(() => users.create(newUser("u1", { passwordHash: bad })), TypeError);
    await assertRejects(() => users.findBySub(bad), TypeError);
    await assertRejects(() => emails.save({ sub: "u1", email: bad }, null), TypeError);
  }
  await assertRejects(() => users.create(newUser("u1", { createdAt: 1.5 })), RangeError);
  const address = { sub: "u1", email: "a@b", verifiedAt: NaN };
  await assertRejects(() => emails.save(address, null), RangeError);
  await assertRejects(() => users.list({ limit: 1.5 }), RangeError);
  assertEquals(await users.list({ limit: 0 }), []);
});

/** Fails a write after it was made, as a connection that drops before the response. */
function dropAfter(start: string) {
  return openWith(DDL, (text, run) => {
    const rows = run();
    if (text.startsWith(start) && !text.includes("WHERE FALSE")) throw new Error("closed");
    return rows;
  });
}

Deno.test("sqlUserStore() rejects if the connection drops after a write, whose outcome is unknown", async () => {
  using create = dropAfter("INSERT");
  const failed = "Cannot create user: the database failed";
  await assertRejects(() => create.users.create(newUser("u1")), Error, failed);
  assertEquals(await create.users.create(newUser("u2", newUser("u1"))), "identifier_taken");

  using update = dropAfter("UPDATE");
  await update.users.create(newUser("u1"));
  const { version = "" } = await update.users.findBySub("u1") ?? {};
  await assertRejects(
    () => update.users.update("u1", version, { passwordHash: "h" }),
    Error,
    "database failed",
  );
  assertEquals((await update.users.findBySub("u1"))?.passwordHash, "h");
  const address = { sub: "u1", email: "a@b" };
  await assertRejects(() => update.emails.save(address, null), Error, "database failed");
  assertEquals((await update.emails.findBySub("u1"))?.email, "a@b");
});

Deno.test("sqlUserStore() throws a unique violation that no other user explains", async () => {
  let writes = 0;
  using open = openWith(DDL, (text, run) => {
    if (text.includes("WHERE FALSE") || text.startsWith("SELECT")) return run();
    writes++;
    throw Object.assign(new Error("duplicate key: users_handle"), { code: "23505" });
  });
  await pausesOf(async () => {
    const cause = await causeOf(() => open.users.create(newUser("u1")), "Cannot create user");
    assertEquals(cause.message, "duplicate key: users_handle");
  });
  assertEquals(writes, 20);
});
