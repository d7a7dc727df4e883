/**
 * Connections to Redis over two clients, with a separate key prefix for each test.
 *
 * @module
 */

import {
  redisAdapter,
  type RedisAdapterOptions,
  type RedisSend,
} from "../../auth/stores/engines/redis.ts";
import type { RedisAdapter } from "../../auth/stores/engines/redis.ts";
import { IOREDIS, NODE_REDIS } from "./versions.ts";

/** A client library. */
export type RedisClientName = "ioredis" | "node-redis";

/** A connection. */
export interface RedisConnection extends AsyncDisposable {
  /** Sends a command. */
  readonly send: RedisSend;
}

/** Time limit and retries of a client. */
export interface ConnectionOptions {
  /** Time limit of a command, if the client has one. @default none */
  readonly timeoutMs?: number;
  /** Whether commands are repeated after a dropped connection, the default of ioredis. @default {false} */
  readonly resends?: boolean;
}

const CONNECT: {
  readonly [C in RedisClientName]: (
    url: string,
    options: ConnectionOptions,
  ) => Promise<RedisConnection>;
} = {
  ioredis: connectIoredis,
  "node-redis": connectNodeRedis,
};

/** Connects to a server. */
export function connectRedis(
  client: RedisClientName,
  url: string,
  options: ConnectionOptions = {},
): Promise<RedisConnection> {
  return CONNECT[client](url, options);
}

/** An empty prefix in Redis, and two connections. */
export interface RedisPlace {
  /** Starts its keys. */
  readonly prefix: string;
  /** One adapter for each connection. */
  readonly adapters: readonly [RedisAdapter, RedisAdapter];
  /** Its first connection. */
  readonly send: RedisSend;
  /** Its keys, sorted. */
  keys(): Promise<string[]>;
  /** Time to live of each key, in milliseconds; -1 if it does not expire. */
  times(): Promise<Map<string, number>>;
  /** Deletes its keys and closes the connections. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens an empty prefix, which is empty again at the end of the block. */
export async function openRedis(
  url: string,
  { client = "ioredis", ...options }: RedisAdapterOptions & { readonly client?: RedisClientName },
): Promise<RedisPlace> {
  const { prefix = `{test-${crypto.randomUUID()}}:` } = options;
  await using opened = new AsyncDisposableStack();
  const first = opened.use(await connectRedis(client, url));
  const second = opened.use(await connectRedis(client, url));
  const keys = () => keysOf(first.send, prefix);
  const connections = opened.move();
  return {
    prefix,
    adapters: [
      redisAdapter(first.send, { ...options, prefix }),
      redisAdapter(second.send, { ...options, prefix }),
    ],
    send: first.send,
    keys,
    async times() {
      const times = new Map<string, number>();
      for (const key of await keys()) times.set(key, Number(await first.send("PTTL", [key])));
      return times;
    },
    async [Symbol.asyncDispose]() {
      await removeKeys(first.send, prefix);
      await connections.disposeAsync();
    },
  };
}

/** Deletes every key with a prefix. */
export async function removeKeys(send: RedisSend, prefix: string): Promise<void> {
  const left = await keysOf(send, prefix);
  if (left.length > 0) await send("DEL", left);
}

async function keysOf(send: RedisSend, prefix: string): Promise<string[]> {
  const found = await send("KEYS", [`${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`]);
  return (found as string[]).sort();
}

/** The part of ioredis that is used. */
interface Ioredis {
  readonly status: string;
  call(command: string, ...args: string[]): Promise<unknown>;
  on(event: "error" | "end", listener: () => void): void;
  disconnect(): void;
}

async function connectIoredis(
  url: string,
  { timeoutMs, resends = false }: ConnectionOptions,
): Promise<RedisConnection> {
  const { Redis } = await import(IOREDIS) as {
    Redis: new (url: string, options: Record<string, unknown>) => Ioredis;
  };
  const redis = new Redis(url, {
    ...(resends ? {} : { maxRetriesPerRequest: 0 }), // commands in flight fail
    retryStrategy: () => 50,
    ...(timeoutMs === undefined ? {} : { commandTimeout: timeoutMs }),
  });
  redis.on("error", () => {}); // without it every failure is printed
  const ended = new Promise<void>((resolve) => redis.on("end", resolve));
  return {
    send: (command, args) => redis.call(command, ...args),
    async [Symbol.asyncDispose]() {
      const isWaiting = redis.status === "reconnecting"; // then no connection ends
      redis.disconnect();
      if (!isWaiting) await ended;
    },
  };
}

/** The part of node-redis that is used. */
interface NodeRedis {
  on(event: "error", listener: () => void): void;
  connect(): Promise<unknown>;
  sendCommand(args: readonly string[]): Promise<unknown>;
  destroy(): void;
}

async function connectNodeRedis(
  url: string,
  { timeoutMs }: ConnectionOptions,
): Promise<RedisConnection> {
  const { createClient } = await import(NODE_REDIS) as {
    createClient: (options: Record<string, unknown>) => NodeRedis;
  };
  const redis = createClient({
    url,
    disableOfflineQueue: true, // a command that cannot be sent fails
    socket: {
      reconnectStrategy: () => 50,
      ...(timeoutMs === undefined ? {} : { socketTimeout: timeoutMs }),
    },
  });
  redis.on("error", () => {}); // without it a dropped connection ends the process
  await redis.connect();
  return {
    send: (command, args) => redis.sendCommand([command, ...args]),
    [Symbol.asyncDispose]: () => Promise.resolve(redis.destroy()),
  };
}
