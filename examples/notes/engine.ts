/**
 * The database that everything is kept in: Deno KV, PostgreSQL or Redis.
 *
 * @module
 */

import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { redisAdapter } from "@gatehouse/http/auth/stores/redis";
import { sqlAdapter } from "@gatehouse/http/auth/stores/sql";
import type { StorageAdapter } from "@gatehouse/http/auth";
import { StartError } from "./start_error.ts";

/** Where {@linkcode openEngine} looks. */
export interface EngineSources {
  /** The value of the environment variable `DATABASE_URL`. */
  readonly databaseUrl: string | undefined;
  /** The value of the environment variable `REDIS_URL`. */
  readonly redisUrl: string | undefined;
  /** The folder of Deno KV, which is there. */
  readonly folder: string;
}

/** A database that is open. */
export interface Engine {
  /** What everything is kept by. */
  readonly adapter: StorageAdapter;
  /** What people call it: `Deno KV, in the folder .data`. */
  readonly name: string;
  /** Whether processes elsewhere have a part in it: they need the same secret. */
  readonly isShared: boolean;
  /** Closes it. */
  close(): Promise<void>;
}

/** How long the database may take to answer at the start, and a statement at any time. */
const PATIENCE_MS = 10_000;
/** How often Redis is asked whether it is still there. */
const PING_MS = 2_000;
/** The longest wait before it is tried again. */
const RETRY_MS = 2_000;

/**
 * Opens the database that is asked for: Deno KV in the folder if none is.
 *
 * @throws {StartError} If two are asked for, or it does not answer.
 */
export async function openEngine(sources: EngineSources): Promise<Engine> {
  const { databaseUrl, redisUrl, folder } = sources;
  if (isGiven(databaseUrl) && isGiven(redisUrl)) {
    throw new StartError("there are both DATABASE_URL and REDIS_URL; leave one of them out");
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
    throw new StartError(`the database in ${folder} does not open: ${why}`, { cause });
  }
}

async function openPostgres(url: string): Promise<Engine> {
  requireScheme("DATABASE_URL", url, ["postgres:", "postgresql:"]);
  const { default: postgres } = await import("postgres");
  try {
    const sql = postgres(url, {
      connect_timeout: PATIENCE_MS / 1000,
      connection: { statement_timeout: PATIENCE_MS },
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
    throw unusable("DATABASE_URL", cause);
  }
}

async function openRedis(url: string): Promise<Engine> {
  requireScheme("REDIS_URL", url, ["redis:", "rediss:"]);
  const { createClient } = await import("@redis/client");
  try {
    let connected = false;
    const client = createClient({
      url,
      disableOfflineQueue: true, // a request must hear now that Redis is away, not be done when nobody waits
      pingInterval: PING_MS,
      socket: {
        connectTimeout: PATIENCE_MS,
        socketTimeout: PATIENCE_MS,
        reconnectStrategy: (tries) => connected && Math.min(RETRY_MS, 50 * 2 ** tries),
      },
    });
    client.on("error", () => {}); // whoever asks hears of it
    await client.connect();
    connected = true;
    const adapter = redisAdapter((command, args) => client.sendCommand([command, ...args]));
    return { adapter, name: "Redis", isShared: true, close: () => client.close() };
  } catch (cause) {
    throw unusable("REDIS_URL", cause);
  }
}

function isGiven(url: string | undefined): url is string {
  return url !== undefined && url !== "";
}

function requireScheme(variable: string, url: string, schemes: readonly string[]): void {
  if (schemes.some((scheme) => url.startsWith(`${scheme}//`))) return;
  throw new StartError(`${variable} does not begin with ${schemes[0]}//`);
}

/** Of what a client says, only the kind: the rest may quote the address, and the password in it. */
function unusable(variable: string, cause: unknown): StartError {
  const { code, message, constructor } = Object(cause);
  const [kind] = /^[A-Z]{4,}\b/.exec(String(message)) ?? []; // as Redis replies it
  const why = [code, kind, constructor?.name].find((one) => /^\w{1,40}$/.test(String(one ?? "")));
  return new StartError(`the database of ${variable} does not answer as it should: ${why}`, {
    cause,
  });
}
