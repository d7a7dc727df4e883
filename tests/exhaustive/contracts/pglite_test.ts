/** PostgreSQL without a server: it runs statements like a server, but sequentially. */

import { registerContracts } from "../../contracts/_contract.ts";
import { limitRacers } from "../../contracts/_helpers.ts";
import { type Pglite, startPglite } from "../../contracts/_pglite.ts";
import { sqlAdapters } from "../../contracts/_sql.ts";
import { sqlUserStores } from "../../contracts/_sql_users.ts";
import { registerAdapter } from "../../contracts/storage_adapter.ts";

limitRacers(24); // more racers would only wait longer for the one connection

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

registerContracts(sqlUserStores("sqlUserStore() on PGlite", async () => {
  const { query } = pglite;
  await query("DROP TABLE IF EXISTS auth.members", []);
  return { dialect: "postgres", table: "auth.members", queries: [query, query] };
}));
