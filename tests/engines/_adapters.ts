/**
 * Adapters over real clients, opened as an application does.
 *
 * @module
 */

import type { StorageAdapter } from "../../auth/stores/adapter.ts";
import { redisAdapter } from "../../auth/stores/engines/redis.ts";
import {
  sqlAdapter,
  type SqlParameter,
  type SqlQuery,
  type SqlRow,
} from "../../auth/stores/engines/sql.ts";
import type { Engine } from "./_engines.ts";
import {
  type ConnectionOptions,
  connectRedis,
  type RedisClientName,
  removeKeys,
} from "./_redis.ts";
import { NODE_POSTGRES, POSTGRES_JS } from "./versions.ts";

/** A client library. */
export type Client = "postgres.js" | "node-postgres" | RedisClientName;

/** A client and its engine. */
export interface ClientInfo {
  readonly name: Client;
  readonly engine: Engine;
}

/** Every client: its engine, and how it is opened. */
const CLIENT_TABLE: {
  readonly [C in Client]: {
    readonly engine: Engine;
    open(options: AdapterOptions): Promise<Opened>;
  };
} = {
  "postgres.js": { engine: "postgres", open: openPostgresJs },
  "node-postgres": { engine: "postgres", open: openNodePostgres },
  ioredis: { engine: "redis", open: (options) => openRedis("ioredis", options) },
  "node-redis": { engine: "redis", open: (options) => openRedis("node-redis", options) },
};

/** Every client. */
export const CLIENTS: readonly ClientInfo[] = (Object.keys(CLIENT_TABLE) as Client[])
  .map((name) => ({ name, engine: CLIENT_TABLE[name].engine }));

/** Where and how an adapter stores records. */
export interface AdapterOptions extends ConnectionOptions {
  readonly url: string;
  /** Lower-case letters and digits: separates the tests of one engine. */
  readonly place: string;
  readonly now: () => number;
  /** Most connections; Redis has one. @default {10} */
  readonly connections?: number;
}

/** An adapter with its connections. */
export interface OpenAdapter extends AsyncDisposable {
  readonly adapter: StorageAdapter;
  /** Runs a statement, on PostgreSQL. */
  readonly query?: SqlQuery;
  /** Deletes everything in the place. */
  remove(): Promise<void>;
}

/** A place of its own for a test. */
export function freshPlace(): string {
  return `place_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Opens an adapter and creates its table, if it needs one. */
export async function openAdapter(client: Client, options: AdapterOptions): Promise<OpenAdapter> {
  const open = await CLIENT_TABLE[client].open(options);
  try {
    await open.prepare?.();
    return open;
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens an adapter in a place of its own, which is deleted at the end. */
export async function openFreshAdapter(
  client: Client,
  options: Omit<AdapterOptions, "place">,
): Promise<OpenAdapter & { readonly place: string }> {
  const place = freshPlace();
  const open = await openAdapter(client, { ...options, place });
  return {
    ...open,
    place,
    async [Symbol.asyncDispose]() {
      await open.remove();
      await open[Symbol.asyncDispose]();
    },
  };
}

interface Opened extends OpenAdapter {
  prepare?(): Promise<void>;
}

/** The part of postgres.js that is used. */
interface PostgresJs {
  unsafe(text: string, params: SqlParameter[]): Promise<SqlRow[]>;
  /** @param options Time limit for running queries, in seconds. */
  end(options: { readonly timeout: number }): Promise<void>;
}

async function openPostgresJs({ url, connections = 10, ...rest }: AdapterOptions): Promise<Opened> {
  const { default: connect } = await import(POSTGRES_JS) as {
    default: (url: string, options: Record<string, unknown>) => PostgresJs;
  };
  const sql = connect(url, { max: connections, onnotice() {}, connect_timeout: 5, backoff: 0.05 });
  return sqlOpened({
    ...rest,
    query: async (text, params) => await sql.unsafe(text, [...params]),
    end: () => sql.end({ timeout: 0.25 }), // it would wait for connections that dropped during a query
  });
}

/** The part of node-postgres that is used. */
interface NodePostgresPool {
  query(text: string, params: readonly SqlParameter[]): Promise<{ readonly rows: SqlRow[] }>;
  on(event: "error", listener: () => void): void;
  end(): Promise<void>;
}

async function openNodePostgres(options: AdapterOptions): Promise<Opened> {
  const { url, connections = 10, timeoutMs, ...rest } = options;
  const { default: { Pool } } = await import(NODE_POSTGRES) as {
    default: { Pool: new (options: Record<string, unknown>) => NodePostgresPool };
  };
  const pool = new Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: 5_000,
    ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs }),
  });
  pool.on("error", () => {}); // without it a dropped idle connection ends the process
  return sqlOpened({
    ...rest,
    query: async (text, params) => (await pool.query(text, params)).rows,
    end: () => pool.end(),
  });
}

function sqlOpened({ place, now, query, end }: {
  readonly place: string;
  readonly now: () => number;
  readonly query: (text: string, params: readonly SqlParameter[]) => Promise<readonly SqlRow[]>;
  readonly end: () => Promise<void>;
}): Opened {
  const adapter = sqlAdapter({ query, dialect: "postgres", table: place, now });
  return {
    adapter,
    query,
    prepare: () => adapter.migrate(),
    remove: async () => void await query(`DROP TABLE IF EXISTS "${place}"`, []),
    [Symbol.asyncDispose]: end,
  };
}

async function openRedis(
  client: RedisClientName,
  { url, place, now, ...options }: AdapterOptions,
): Promise<Opened> {
  const { send, [Symbol.asyncDispose]: end } = await connectRedis(client, url, options);
  const prefix = `{${place}}:`;
  return {
    adapter: redisAdapter(send, { prefix, now }),
    remove: () => removeKeys(send, prefix),
    [Symbol.asyncDispose]: end,
  };
}
