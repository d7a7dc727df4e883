/**
 * Redis, as the tests reach it: through two clients, in a place of its own for each case.
 *
 * @module
 */

import { redisAdapter, type RedisAdapterOptions, type RedisSend } from "../../auth/store_redis.ts";
import type { RedisAdapter } from "../../auth/store_redis.ts";
import { IOREDIS, NODE_REDIS } from "./versions.ts";

/** A client that the tests know. */
export type RedisClientName = "ioredis" | "node-redis";

/** A connection. */
export interface RedisConnection extends AsyncDisposable {
  /** Sends a command. */
  readonly send: RedisSend;
}

/** Every client. */
export const REDIS_CLIENTS: readonly RedisClientName[] = ["ioredis", "node-redis"];

/** Connects. */
export async function connectRedis(client: RedisClientName, url: string): Promise<RedisConnection> {
  switch (client) {
    case "ioredis": {
      const { Redis }: IoredisModule = await import(IOREDIS);
      const redis = new Redis(url, {
        lazyConnect: true,
        maxRetriesPerRequest: 0, // what is under way when a connection drops fails, and is not sent again
        commandTimeout: 30_000,
      });
      redis.on("error", () => {}); // commands fail as well
      await redis.connect();
      return {
        send: (command, args) => redis.call(command, ...args),
        [Symbol.asyncDispose]: async () => void await redis.quit(),
      };
    }
    case "node-redis": {
      const { createClient }: NodeRedisModule = await import(NODE_REDIS);
      const redis = createClient({ url, disableOfflineQueue: true });
      redis.on("error", () => {}); // commands fail as well
      await redis.connect();
      return {
        send: (command, args) => redis.sendCommand([command, ...args]),
        [Symbol.asyncDispose]: async () => await redis.close(),
      };
    }
  }
}

/** An empty place in Redis, and several ways to it. */
export interface RedisPlace {
  /** What its keys start with. */
  readonly prefix: string;
  /** One adapter for each connection. */
  readonly adapters: readonly [RedisAdapter, RedisAdapter];
  /** Its first connection. */
  readonly send: RedisSend;
  /** Its keys, sorted. */
  keys(): Promise<string[]>;
  /** How long each of its keys has to live, in milliseconds; -1 is for ever. */
  times(): Promise<Map<string, number>>;
  /** Empties it, and closes its connections. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens an empty place; it is empty again at the end of the block. */
export async function openRedis(
  url: string,
  { client = "ioredis", ...options }: RedisAdapterOptions & { readonly client?: RedisClientName },
): Promise<RedisPlace> {
  const { prefix = `{test-${crypto.randomUUID()}}:` } = options;
  await using opened = new AsyncDisposableStack();
  const first = opened.use(await connectRedis(client, url));
  const second = opened.use(await connectRedis(client, url));
  const keys = async () => {
    const found = await first.send("KEYS", [`${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`]);
    return (found as string[]).sort();
  };
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
      const left = await keys();
      if (left.length > 0) await first.send("DEL", left);
      await connections.disposeAsync();
    },
  };
}

interface IoredisModule {
  readonly Redis: new (
    url: string,
    options: {
      readonly lazyConnect: true;
      readonly maxRetriesPerRequest: 0;
      readonly commandTimeout: number;
    },
  ) => {
    on(event: "error", listener: () => void): unknown;
    connect(): Promise<void>;
    call(command: string, ...args: readonly string[]): Promise<unknown>;
    quit(): Promise<unknown>;
  };
}

interface NodeRedisModule {
  createClient(options: { readonly url: string; readonly disableOfflineQueue: true }): {
    on(event: "error", listener: () => void): unknown;
    connect(): Promise<unknown>;
    sendCommand(args: readonly string[]): Promise<unknown>;
    close(): Promise<void>;
  };
}
