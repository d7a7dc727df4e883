/** PostgreSQL without a server: every statement as a server would run it, one after the other. */

import { type Pglite, startPglite } from "./_pglite.ts";
import { sqlAdapters } from "./_sql.ts";
import { registerAdapter } from "./storage_adapter.ts";

let pglite: Pglite;

Deno.test.beforeAll(async () => {
  pglite = startPglite();
  await pglite.query("CREATE SCHEMA auth", []);
});

Deno.test.afterAll(() => pglite.close());

registerAdapter(sqlAdapters("sqlAdapter() on PGlite", async () => {
  const { query } = pglite;
  const [found] = await query("SELECT to_regclass('auth.gatehouse') IS NOT NULL AS there", []);
  if (found?.there === true) await query("DELETE FROM auth.gatehouse", []);
  return { dialect: "postgres", table: "auth.gatehouse", queries: [query, query] };
}));
