import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import type { SqlQuery } from "../../auth/stores/engines/sql.ts";
import { registerContracts } from "./_contract.ts";
import { sqlUserStores } from "./_sql_users.ts";

registerContracts(sqlUserStores("sqlUserStore() on SQLite in memory", () => {
  const database = new DatabaseSync(":memory:");
  return { dialect: "sqlite", queries: [queryOf(database)], dispose: () => database.close() };
}));

// Two connections share the file only
registerContracts(
  sqlUserStores("sqlUserStore() on a file of SQLite, with other names", async () => {
    const folder = await Deno.makeTempDir({ prefix: "sqlite_" });
    const databases = [1, 2].map(() => {
      const database = new DatabaseSync(join(folder, "app.db"), { timeout: 5_000 });
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
      return database;
    });
    const [first, second] = databases.map(queryOf) as [SqlQuery, SqlQuery];
    return {
      dialect: "sqlite",
      table: "main.Members",
      columns: {
        sub: "id",
        identifier: "login",
        emailVerifiedAt: "emailVerified",
        version: "order",
      },
      queries: [first, second],
      async dispose() {
        for (const database of databases) database.close();
        await Deno.remove(folder, { recursive: true });
      },
    };
  }),
);

// Calls that take some turns
registerContracts(sqlUserStores("sqlUserStore() on SQLite with latency", () => {
  const database = new DatabaseSync(":memory:");
  const farAway = (turns: number): SqlQuery => async (text, params) => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const rows = database.prepare(text).all(...params);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    return rows;
  };
  return {
    dialect: "sqlite",
    queries: [farAway(1), farAway(4), farAway(2)],
    dispose: () => database.close(),
  };
}));

function queryOf(database: DatabaseSync): SqlQuery {
  return (text, params) => database.prepare(text).all(...params);
}
