/**
 * Opens the database of the service: Deno KV, PostgreSQL or Redis.
 *
 * @module
 */

import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { redisAdapter } from "@gatehouse/http/auth/stores/redis";
import { sqlAdapter } from "@gatehouse/http/auth/stores/sql";
import type { StorageAdapter } from "@gatehouse/http/auth";
import { StartError } from "./start_error.ts";

/** Configuration of {@linkcode openEngine}. */
export interface EngineSources {
  /** The value of the environment variable `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
  /** The value of the environment variable `REDIS_URL`. */
  readonly redisUrl: string | undefined;
  /** The existing folder for Deno KV. */
  readonly folder: string;
}

/** An open database. */
export interface Engine {
  /** Stores all records. */
  readonly adapter: StorageAdapter;
  /** Display name: `Deno KV, in the folder .data`. */
  readonly name: string;
  /** Whether processes of other machines may use it, which then need the same secret. */
  readonly isShared: boolean;
  /** Closes it. */
  close(): Promise<void>;
}

/** Time limit for connecting, and for a statement or command. */
const TIMEOUT_MS = 10_000;
/** Interval between pings of Redis. */
const PING_MS = 2_000;
/** The longest pause before Redis is reconnected. */
const RETRY_MS = 2_000;

/**
 * Opens the configured database, by default Deno KV in the folder.
 *
 * @throws {StartError} If two are configured, or the database cannot be opened.
 */
export async function openEngine(sources: EngineSources): Promise<Engine> {
  const { databaseUrl, redisUrl, folder } = sources;
  if (isGiven(databaseUrl) && isGiven(redisUrl)) {
    throw new StartError("DATABASE_URL and REDIS_URL are both set; unset one of them");
  }
  if (isGiven(databaseUrl)) return await openPostgres(databaseUrl);
  if (isGiven(redisUrl)) return await openRedis(redisUrl);
  return await openKv(folder);
}

async function openKv(folder: string): Promise<Engine> {
  try {
    const kv = await Deno.openKv(`${folder}/notes.sqlite3`);
    return {
      adapter: denoKvAdapter(kv),
      name: `Deno KV, in the folder ${folder}`,
      isShared: false,
      close: () => Promise.resolve(kv.close()),
    };
  } catch (cause) {
    const [why = ""] = (cause instanceof Error ? cause.message : "").split("\n", 1);
    throw new StartError(`cannot open the database in ${folder}: ${why}`, { cause });
  }
}

async function openPostgres(url: string): Promise<Engine> {
  requireScheme("DATABASE_URL", url, ["postgres:", "postgresql:"]);
  const { default: postgres } = await import("postgres");
  try {
    const sql = postgres(url, {
      connect_timeout: TIMEOUT_MS / 1000,
      connection: { statement_timeout: TIMEOUT_MS },
      onnotice: () => {},
    });
    const close = () => sql.end({ timeout: 1 });
    try {
      await sql`SELECT 1`;
      const adapter = sqlAdapter({
        dialect: "postgres",
        query: (text, params) => sql.unsafe(text, params, { prepare: sql.options.prepare }),
      });
      await adapter.migrate();
      return { adapter, name: "PostgreSQL", isShared: true, close };
    } catch (error) {
      await close();
      throw error;
    }
  } catch (cause) {
    throw connectError("DATABASE_URL", cause);
  }
}

async function openRedis(url: string): Promise<Engine> {
  requireScheme("REDIS_URL", url, ["redis:", "rediss:"]);
  const { createClient } = await import("@redis/client");
  try {
    let connected = false;
    const client = createClient({
      url,
      disableOfflineQueue: true, // a request must fail while Redis is away, not run after the client has given up
      pingInterval: PING_MS,
      socket: {
        connectTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        reconnectStrategy: (tries) => connected && Math.min(RETRY_MS, 50 * 2 ** tries),
      },
    });
    client.on("error", () => {}); // the failing command reports it
    await client.connect();
    connected = true;
    const adapter = redisAdapter((command, args) => client.sendCommand([command, ...args]));
    return { adapter, name: "Redis", isShared: true, close: () => client.close() };
  } catch (cause) {
    throw connectError("REDIS_URL", cause);
  }
}

function isGiven(url: string | undefined): url is string {
  return url !== undefined && url !== "";
}

function requireScheme(variable: string, url: string, schemes: readonly string[]): void {
  if (schemes.some((scheme) => url.startsWith(`${scheme}//`))) return;
  throw new StartError(`${variable} must start with ${schemes[0]}//`);
}

/** Reports only the code or class of a client's error: the message may quote the URL with its password. */
function connectError(variable: string, cause: unknown): StartError {
  const { code, message, constructor } = Object(cause);
  const [kind] = /^[A-Z]{4,}\b/.exec(String(message)) ?? []; // as Redis replies it
  const why = [code, kind, constructor?.name].find((one) => /^\w{1,40}$/.test(String(one ?? "")));
  return new StartError(`cannot connect to ${variable}: ${why}`, {
    cause,
  });
}
