/** The journey of an account on a table of the application: sign-up, sign-in, being disabled and enabled, deletion. */

import { authStores } from "@gatehouse/http";
import {
  sqlAdapter,
  type SqlQuery,
  sqlUserStore,
  sqlUserTable,
} from "@gatehouse/http/auth/stores/sql";
import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createTestApp } from "../auth/http/_app.ts";
import { ADA, START } from "../auth/_services.ts";

Deno.test("A user of the application's table signs up, is disabled, enabled and deleted", async () => {
  const database = new DatabaseSync(":memory:");
  const query: SqlQuery = (text, params) => database.prepare(text).all(...params);
  const names = { dialect: "sqlite", table: "members", columns: { sub: "id" } } as const;
  for (const statement of sqlUserTable(names)) database.exec(statement);
  const adapter = sqlAdapter({ dialect: "sqlite", query, now: () => START });
  await adapter.migrate();
  const stores = { ...authStores(adapter), ...sqlUserStore({ ...names, query }) };
  const app = createTestApp({ stores });
  const page = app.browser();

  assertEquals((await page.register()).status, 201);
  assertEquals((await page.register()).status, 409);
  assertEquals((await page.send("/me")).status, 200);
  const rows = database.prepare("SELECT id, identifier FROM members").all();
  assertEquals(rows.map(({ identifier }) => identifier), [ADA.identifier]);
  const sub = String(rows[0]?.id);

  await app.runtime.users.update(sub, { attributes: { plan: "free" } });
  await stores.emails.save({ sub, email: ADA.identifier, verifiedAt: 5 }, null);
  const account = await app.runtime.users.find(sub);
  assertEquals(account?.attributes, { plan: "free" });
  assertEquals([account?.email, account?.emailVerifiedAt], [ADA.identifier, 5]);

  assertEquals(await app.runtime.users.disable(sub), true);
  assertEquals((await page.send("/me")).status, 401);
  assertEquals((await app.browser().login()).status, 401);
  assertEquals(database.prepare("SELECT disabled FROM members").get()?.disabled, 1);
  assertEquals(await app.runtime.users.enable(sub), true);
  assertEquals((await page.send("/me")).status, 401, "the session was revoked");
  const again = app.browser();
  assertEquals((await again.login()).status, 200);
  assertEquals((await again.send("/me")).status, 200);

  await app.runtime.users.remove(sub);
  assertEquals((await again.send("/me")).status, 401);
  assertEquals(database.prepare("SELECT * FROM members").all(), []);
  assertEquals(app.errors, []);
  database.close();
});
