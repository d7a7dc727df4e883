/**
 * The SQL engines of `stores.ts`: a file of SQLite, PGlite in memory, and a server of PostgreSQL.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { PGlite } from "@electric-sql/pglite";
import { POSTGRES_JS } from "../tests/engines/versions.ts";
import {
  bareSql,
  migrate,
  type Parameter,
  type PrepareSql,
  type Row,
  type SqlOver,
  storesOver,
  TABLE,
} from "./_store_sql.ts";
import type { EngineOptions, StoreEngine } from "./_store_types.ts";

/** SQLite of the runtime, in a file. */
export async function openSqlite(folder: string, options: EngineOptions): Promise<StoreEngine> {
  const path = `${folder}/sqlite.db`;
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  const prepared = new Map<string, StatementSync>();
  const over: SqlOver = {
    ...options,
    dialect: "sqlite",
    query(text, params) {
      let statement = prepared.get(text);
      if (statement === undefined) prepared.set(text, statement = database.prepare(text));
      return statement.all(...params);
    },
  };
  await migrate(over);
  const prepare: PrepareSql = (text) => {
    const statement = database.prepare(text);
    return (params) => Promise.resolve(statement.all(...params) as unknown as readonly Row[]);
  };
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() ?? {};
  return {
    title: `SQLite ${version} in a file, node:sqlite`,
    bound: true,
    stores: (onStatement) => storesOver(over, onStatement),
    bare: bareSql(over, prepare),
    async size() {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return (await Deno.stat(path)).size;
    },
    [Symbol.asyncDispose]() {
      database.close();
      return Promise.resolve();
    },
  };
}

/** PostgreSQL within this process, in memory. */
export async function openPglite(options: EngineOptions): Promise<StoreEngine> {
  const database = new PGlite();
  const over: SqlOver = {
    ...options,
    dialect: "postgres",
    query: async (text, params) => (await database.query<PgRow>(text, params)).rows,
  };
  await migrate(over);
  const prepare: PrepareSql = (text) => async (params) =>
    (await database.query<Row>(text, params)).rows;
  const { version = "" } =
    (await database.query<{ version: string }>("SELECT version()")).rows[0] ?? {};
  return {
    title: `${/^\S+ \S+ \(PGlite \S+\)/.exec(version)?.[0]} in memory`,
    bound: true,
    stores: (onStatement) => storesOver(over, onStatement),
    bare: bareSql(over, prepare),
    size: () => tableSize(over),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** The part of postgres.js that is used here. */
interface PostgresJs {
  unsafe<R = PgRow>(
    text: string,
    params: Parameter[],
    options?: { readonly prepare?: boolean },
  ): Promise<readonly R[]>;
  end(): Promise<void>;
}

type ConnectPostgres = (url: string, options: { onnotice(): void }) => PostgresJs;

type PgRow = Readonly<Record<string, unknown>>;

/** A server of PostgreSQL, by postgres.js with its defaults: ten connections. */
export async function openPostgres(url: string, options: EngineOptions): Promise<StoreEngine> {
  const { default: connect }: { readonly default: ConnectPostgres } = await import(POSTGRES_JS);
  const sql = connect(url, { onnotice() {} });
  const over: SqlOver = {
    ...options,
    dialect: "postgres",
    query: (text, params) => sql.unsafe(text, params, { prepare: true }),
  };
  await migrate(over);
  const prepare: PrepareSql = (text) => (params) =>
    sql.unsafe<Row>(text, params, { prepare: true });
  return {
    title: `PostgreSQL ${await serverVersion(over)}, ${POSTGRES_JS.slice(4)}`,
    bound: true,
    stores: (onStatement) => storesOver(over, onStatement),
    bare: bareSql(over, prepare),
    size: () => tableSize(over),
    async [Symbol.asyncDispose]() {
      await sql.unsafe(`DROP TABLE ${TABLE}`, []);
      await sql.end();
    },
  };
}

async function serverVersion({ query }: SqlOver): Promise<string> {
  const [row] = await query("SHOW server_version", []);
  return String(row?.server_version).split(" ")[0] ?? "";
}

async function tableSize({ query }: SqlOver): Promise<number> {
  const [row] = await query(`SELECT pg_total_relation_size('${TABLE}') AS bytes`, []);
  return Number(row?.bytes);
}
