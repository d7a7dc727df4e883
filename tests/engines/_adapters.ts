/**
 * Adapters over real clients: how an application opens them.
 *
 * @module
 */

import type { StorageAdapter } from "../../auth/storage_adapter.ts";
import { redisAdapter, type RedisSend } from "../../auth/store_redis.ts";
import { sqlAdapter, type SqlParameter, type SqlRow } from "../../auth/store_sql.ts";
import type { Engine } from "./_engines.ts";
import { IOREDIS, NODE_POSTGRES, NODE_REDIS, POSTGRES_JS } from "./versions.ts";

/** A client library. */
export type Client = "postgres.js" | "node-postgres" | "ioredis" | "node-redis";

/** What is known of a client. */
export interface ClientInfo {
  readonly name: Client;
  readonly engine: Engine;
}

/** Every client. */
export const CLIENTS: readonly ClientInfo[] = [
  { name: "postgres.js", engine: "postgres" },
  { name: "node-postgres", engine: "postgres" },
  { name: "ioredis", engine: "redis" },
  { name: "node-redis", engine: "redis" },
];

/** Where and how an adapter keeps things. */
export interface AdapterOptions {
  readonly url: string;
  /** Small letters and digits: what keeps tests apart on one engine. */
  readonly place: string;
  readonly now: () => number;
  /** After how long a statement is given up, where the client can do that. @default never */
  readonly timeoutMs?: number;
  /** How many connections there are at most; Redis has one. @default {10} */
  readonly connections?: number;
  /** Whether what was under way when a connection dropped is sent again: what ioredis does by itself. @default {false} */
  readonly resends?: boolean;
}

/** An adapter with its connections. */
export interface OpenAdapter extends AsyncDisposable {
  readonly adapter: StorageAdapter;
  /** Removes all that was ever kept in the place. */
  remove(): Promise<void>;
}

/** A place that no other test has. */
export function freshPlace(): string {
  return `place_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** Opens an adapter. What it needs in its place is there. */
export async function openAdapter(client: Client, options: AdapterOptions): Promise<OpenAdapter> {
  const open = await OPENERS[client](options);
  try {
    await open.prepare?.();
    return open;
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

/** Opens an adapter in a place of its own, which is gone at the end. */
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

const OPENERS: { readonly [C in Client]: (options: AdapterOptions) => Promise<Opened> } = {
  "postgres.js": openPostgresJs,
  "node-postgres": openNodePostgres,
  ioredis: openIoredis,
  "node-redis": openNodeRedis,
};

/** The part of postgres.js that is used. */
interface PostgresJs {
  unsafe(text: string, params: SqlParameter[]): Promise<SqlRow[]>;
  /** @param options How long queries may take to end, in seconds. */
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
    end: () => sql.end({ timeout: 0.25 }), // it waits for connections that dropped in the middle of something
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
  pool.on("error", () => {}); // without it, an idle connection that drops ends the process
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
    prepare: () => adapter.migrate(),
    remove: async () => void await query(`DROP TABLE IF EXISTS "${place}"`, []),
    [Symbol.asyncDispose]: end,
  };
}

/** The part of ioredis that is used. */
interface Ioredis {
  readonly status: string;
  call(command: string, ...args: string[]): Promise<unknown>;
  on(event: "error" | "end", listener: () => void): void;
  disconnect(): void;
}

async function openIoredis(options: AdapterOptions): Promise<Opened> {
  const { url, place, now, timeoutMs, resends = false } = options;
  const { Redis } = await import(IOREDIS) as {
    Redis: new (url: string, options: Record<string, unknown>) => Ioredis;
  };
  const redis = new Redis(url, {
    ...(resends ? {} : { maxRetriesPerRequest: 0 }), // what is under way fails
    retryStrategy: () => 50,
    ...(timeoutMs === undefined ? {} : { commandTimeout: timeoutMs }),
  });
  redis.on("error", () => {}); // without it, each failure is printed
  const ended = new Promise<void>((resolve) => redis.on("end", resolve));
  return redisOpened({
    ...{ place, now },
    send: (command, args) => redis.call(command, ...args),
    async end() {
      const isWaiting = redis.status === "reconnecting"; // then there is nothing that ends
      redis.disconnect();
      if (!isWaiting) await ended;
    },
  });
}

/** The part of node-redis that is used. */
interface NodeRedis {
  on(event: "error", listener: () => void): void;
  connect(): Promise<unknown>;
  sendCommand(args: readonly string[]): Promise<unknown>;
  destroy(): void;
}

async function openNodeRedis({ url, place, now, timeoutMs }: AdapterOptions): Promise<Opened> {
  const { createClient } = await import(NODE_REDIS) as {
    createClient: (options: Record<string, unknown>) => NodeRedis;
  };
  const redis = createClient({
    url,
    disableOfflineQueue: true, // what cannot be sent fails
    socket: {
      reconnectStrategy: () => 50,
      ...(timeoutMs === undefined ? {} : { socketTimeout: timeoutMs }),
    },
  });
  redis.on("error", () => {}); // without it, a connection that drops ends the process
  await redis.connect();
  return redisOpened({
    ...{ place, now },
    send: (command, args) => redis.sendCommand([command, ...args]),
    end: () => Promise.resolve(redis.destroy()),
  });
}

function redisOpened({ place, now, send, end }: {
  readonly place: string;
  readonly now: () => number;
  readonly send: RedisSend;
  readonly end: () => Promise<void>;
}): Opened {
  const prefix = `{${place}}:`;
  return {
    adapter: redisAdapter(send, { prefix, now }),
    async remove() {
      for (let cursor = "0", isFirst = true; isFirst || cursor !== "0"; isFirst = false) {
        const reply = await send("SCAN", [cursor, "MATCH", `${prefix}*`, "COUNT", "1000"]);
        const [next = "0", keys = []] = reply as [string, string[]];
        if (keys.length > 0) await send("DEL", keys);
        cursor = next;
      }
    },
    [Symbol.asyncDispose]: end,
  };
}
