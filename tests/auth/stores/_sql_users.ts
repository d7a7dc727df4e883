/**
 * Users on a table of the application, for tests on both dialects.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  sqlAdapter,
  type SqlDialect,
  type SqlParameter,
  type SqlQuery,
  sqlUserStore,
  sqlUserTable,
} from "../../../auth/stores/engines/sql.ts";
import { authStores } from "../../../auth/stores/repo.ts";
import type { NewUser } from "../../../auth/stores/types.ts";

const STORES_PAGE = new URL("../../../docs/stores.md", import.meta.url);

/** A database. */
export interface Database {
  readonly dialect: SqlDialect;
  readonly query: SqlQuery;
}

/** A user with a password. */
export function newUser(sub: string, more: Partial<NewUser> = {}): NewUser {
  return { sub, identifier: `${sub}@example.com`, securityStamp: "s1", createdAt: 5, ...more };
}

/** The statements of a block of SQL in docs/stores.md, without `;`. */
export async function readSql(start: string): Promise<readonly string[]> {
  const page = await Deno.readTextFile(STORES_PAGE);
  const blocks = [...page.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, sql = ""]) => sql);
  const found = blocks.filter((sql) => sql.includes(start));
  assertEquals(found.length, 1, start);
  return (found[0] ?? "").split(/;\n/).filter((statement) => statement.trim() !== "");
}

/** Copies users of an adapter by the query of docs/stores.md, which starts a member by `start`. */
export async function assertCopied({ dialect, query }: Database, start: string): Promise<void> {
  const adapter = sqlAdapter({ dialect, query });
  await adapter.migrate();
  const before = authStores(adapter);
  const odd = dialect === "sqlite" ? "a\0b\ud83d" : "b"; // the page says so
  const users: readonly NewUser[] = [
    newUser("u1"),
    newUser("U2", {
      identifier: "Ключ'🔑\n\"",
      passwordHash: "$scrypt$ln=1",
      disabled: true,
      pendingRemoval: "identity:i1",
      attributes: { plan: "free", seats: null, text: `${odd}'"\\ é\n`, deep: [{ a: [1.5] }] },
    }),
    newUser("u3", { disabled: false, attributes: {}, createdAt: 1_700_000_000 }),
  ];
  for (const user of users) assertEquals(await before.users.create(user), "created");
  const email = "ada@example.com";
  for (const [sub, verifiedAt] of [["u1", 1_700_000_007], ["u3", undefined]] as const) {
    const address = { sub, email, ...(verifiedAt === undefined ? {} : { verifiedAt }) };
    assertEquals(await before.emails.save(address, null), "saved");
  }

  for (const statement of sqlUserTable({ dialect })) await query(statement, []);
  for (const statement of await readSql(start)) await query(statement, []);

  const after = sqlUserStore({ dialect, query });
  const all = { limit: 100 };
  assertEquals(await after.users.list(all), await before.users.list(all));
  for (const { sub } of users) {
    assertEquals(await after.emails.findBySub(sub), await before.emails.findBySub(sub), sub);
  }
  assertEquals((await after.emails.findByEmail(email))?.sub, "u1");
  const { version = "" } = await after.users.findBySub("u1") ?? {};
  assertEquals(await after.users.update("u1", version, { securityStamp: "s2" }), "updated");
}

/** The query plan of each statement of a store that reads or changes users; `explain` returns the plan of one. */
export async function explainUsers(
  { dialect, query }: Database,
  explain: (text: string, params: SqlParameter[]) => Promise<string> | string,
): Promise<readonly (readonly [text: string, plan: string])[]> {
  const plans = new Map<string, string>();
  const { users, emails } = sqlUserStore({
    dialect,
    async query(text, params) {
      const isInsert = text.startsWith("INSERT");
      if (!isInsert && !text.includes("WHERE FALSE")) plans.set(text, await explain(text, params));
      return await query(text, params);
    },
  });
  await users.create(newUser("p1"));
  const { version = "" } = await users.findBySub("p1") ?? {};
  await users.findByIdentifier("p1@example.com");
  await users.list({ limit: 5, after: "a" });
  await users.update("p1", "lost", { passwordHash: "h" });
  await users.update("p1", version, { identifier: "p1" });
  await emails.save({ sub: "p1", email: "a@b", verifiedAt: 5 }, null);
  await emails.save({ sub: "p1", email: "a@b", verifiedAt: 5 }, null);
  await emails.findByEmail("a@b");
  await emails.findBySub("p1");
  await emails.delete("p1");
  await users.delete("p1");
  return [...plans];
}
