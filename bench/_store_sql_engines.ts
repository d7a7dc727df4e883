/**
 * The SQL engines of `stores.ts`: a file of SQLite, PGlite in memory, and a server of PostgreSQL.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { POSTGRES_JS } from "../tests/engines/versions.ts";
import {
  bareSql,
  migrate,
  type Parameter,
  type Row,
  type SqlOver,
  statements,
  storesOver,
  TABLE,
} from "./_store_sql.ts";
import type { EngineOptions, StoreEngine } from "./_store_types.ts";

const PGLITE = "npm:@electric-sql/pglite@0.5.16";

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
  const { read, swap, shortest } = statements("?");
  const run = (text: string) => {
    const statement = database.prepare(text);
    return (params: Parameter[]) =>
      Promise.resolve(statement.all(...params) as unknown as readonly Row[]);
  };
  const { version } = database.prepare("SELECT sqlite_version() AS version").get() ?? {};
  return {
    title: `SQLite ${version} in a file, node:sqlite`,
    bound: true,
    stores: (onStatement) => storesOver(over, onStatement),
    bare: bareSql({ read: run(read), swap: run(swap), shortest: run(shortest) }, options.now),
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

/** The part of PGlite that is used here. */
interface Pglite {
  query<R>(text: string, params: Parameter[]): Promise<{ readonly rows: readonly R[] }>;
  close(): Promise<void>;
}

/** PostgreSQL within this process, in memory. */
export async function openPglite(options: EngineOptions): Promise<StoreEngine> {
  const { PGlite }: { readonly PGlite: new () => Pglite } = await import(PGLITE);
  const database = new PGlite();
  const over: SqlOver = {
    ...options,
    dialect: "postgres",
    query: async (text, params) => (await database.query<PgRow>(text, params)).rows,
  };
  await migrate(over);
  const { read, swap, shortest } = statements("$");
  const run = (text: string) => async (params: Parameter[]) =>
    (await database.query<Row>(text, params)).rows;
  return {
    title: `PostgreSQL ${await serverVersion(over)} in memory, ${PGLITE.slice(4)}`,
    bound: true,
    stores: (onStatement) => storesOver(over, onStatement),
    bare: bareSql({ read: run(read), swap: run(swap), shortest: run(shortest) }, options.now),
    size: () => tableSize(over),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

/** The part of postgres.js that is used here. */
interface PostgresJs {
  <R>(texts: TemplateStringsArray, ...values: readonly unknown[]): Promise<readonly R[]>;
  unsafe(
    text: string,
    params: Parameter[],
    options?: { readonly prepare?: boolean },
  ): Promise<readonly PgRow[]>;
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
  return {
    title: `PostgreSQL ${await serverVersion(over)}, ${POSTGRES_JS.slice(4)}`,
    bound: true,
    stores: (onStatement) => storesOver(over, onStatement),
    bare: bareSql(postgresClient(sql), options.now),
    size: () => tableSize(over),
    async [Symbol.asyncDispose]() {
      await sql.unsafe(`DROP TABLE ${TABLE}`, []);
      await sql.end();
    },
  };
}

/** Its statements as templates, which it prepares. */
function postgresClient(sql: PostgresJs): Parameters<typeof bareSql>[0] {
  return {
    read: ([collection, key, now]) =>
      sql`SELECT value, version, expires_at FROM gatehouse_bench
        WHERE collection = ${collection} AND key = ${key}
          AND (expires_at IS NULL OR expires_at > ${now})`,
    swap: ([collection, key, value, version, end, unique, first, second, now, from]) =>
      sql`UPDATE gatehouse_bench SET value = ${value}, version = ${version}, expires_at = ${end},
          uniq = ${unique}, index_0 = ${first}, index_1 = ${second}
        WHERE collection = ${collection} AND key = ${key} AND version = ${from}
          AND (expires_at IS NULL OR expires_at > ${now})
          AND NOT EXISTS (SELECT 1 FROM gatehouse_bench AS other
            WHERE other.collection = ${collection} AND other.uniq = ${unique} AND other.key <> ${key})
        RETURNING version`,
    shortest: ([collection, key, value, version, from]) =>
      sql`UPDATE gatehouse_bench SET value = ${value}, version = ${version}
        WHERE collection = ${collection} AND key = ${key} AND version = ${from}
        RETURNING version`,
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
