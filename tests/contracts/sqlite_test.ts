import { join } from "@std/path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { SqlQuery } from "../../auth/stores/engines/sql.ts";
import { sqlAdapters } from "./_sql.ts";
import { registerAdapter } from "./storage_adapter.ts";

registerAdapter(sqlAdapters("sqlAdapter() on SQLite in memory", () => {
  const database = new DatabaseSync(":memory:");
  const query = queryOf(database);
  return { dialect: "sqlite", queries: [query, query], dispose: () => database.close() };
}));

// Two connections share the file only
registerAdapter(sqlAdapters("sqlAdapter() on a file of SQLite", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sqlite_" });
  const databases = [1, 2].map(() => {
    const database = new DatabaseSync(join(folder, "gatehouse.db"), { timeout: 5_000 });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
    return database;
  });
  const [first, second] = databases.map(preparedQueryOf) as [SqlQuery, SqlQuery];
  return {
    dialect: "sqlite",
    queries: [first, second],
    async dispose() {
      for (const database of databases) database.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}));

// Synchronous calls, and calls that take some turns
registerAdapter(sqlAdapters("sqlAdapter() on SQLite with latency", () => {
  const database = new DatabaseSync(":memory:");
  const query = queryOf(database);
  const farAway = (turns: number): SqlQuery => async (text, params) => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const rows = await query(text, params);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    return rows;
  };
  return {
    dialect: "sqlite",
    table: "main.gatehouse_auth",
    queries: [farAway(1), farAway(4), farAway(2)],
    dispose: () => database.close(),
  };
}));

function queryOf(database: DatabaseSync): SqlQuery {
  return (text, params) => database.prepare(text).all(...params);
}

/** Like fast clients. */
function preparedQueryOf(database: DatabaseSync): SqlQuery {
  const prepared = new Map<string, StatementSync>();
  return (text, params) => {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return statement.all(...params);
  };
}
