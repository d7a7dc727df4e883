/**
 * The engines of `stores.ts` that find records by a key: memory, Deno KV in a file, and a server of Redis.
 *
 * @module
 */

import { type AuthStores, authStores, inMemoryAuthStores } from "@gatehouse/http/auth";
import { type DenoKv, denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { redisAdapter, type RedisSend } from "@gatehouse/http/auth/stores/redis";
import { WRITE_SCRIPT } from "../auth/stores/engines/_redis_scripts.ts";
import { IOREDIS } from "../tests/engines/versions.ts";
import type { BareClient, BareFamily, EngineOptions, StoreEngine } from "./_store_types.ts";

/** What all keys start with, here and on a server. */
const NAME = "gatehouse_bench";
const FAMILIES = "refresh_families";

/** Our stores in memory, beside JSON in a `Map`. */
export function openMemory({ now }: EngineOptions): Promise<StoreEngine> {
  const stores = inMemoryAuthStores({ now });
  const records = new Map<string, { readonly text: string; readonly version: string }>();
  const keep = (collection: string, key: string, value: unknown) =>
    records.set(`${collection}:${key}`, { text: JSON.stringify(value), version: "" });
  const both: AuthStores = {
    ...stores,
    users: {
      ...stores.users,
      create(user) {
        keep("users", user.sub, user);
        return stores.users.create(user);
      },
    },
    sessions: {
      ...stores.sessions,
      create(session) {
        keep("sessions", session.tokenHash, session);
        return stores.sessions.create(session);
      },
    },
    refreshTokens: {
      ...stores.refreshTokens,
      create(family) {
        keep(FAMILIES, family.id, family);
        return stores.refreshTokens.create(family);
      },
    },
  };
  const swap: BareClient["swap"] = ({ id, from, to, next }) => {
    const key = `${FAMILIES}:${id}`;
    const isSame = records.get(key)?.version === from;
    if (isSame) records.set(key, { text: JSON.stringify(next), version: to });
    return Promise.resolve(isSame);
  };
  return Promise.resolve({
    title: "memory, a Map",
    bound: false,
    stores: () => both,
    bare: {
      read(collection, key) {
        const { text = "null", version = "" } = records.get(`${collection}:${key}`) ?? {};
        return Promise.resolve({ value: JSON.parse(text), version });
      },
      swap,
      swapShortest: swap,
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
}

/** Deno KV of the runtime, in a file. */
export async function openDenoKv(folder: string, { now }: EngineOptions): Promise<StoreEngine> {
  const path = `${folder}/kv.db`;
  const kv = await Deno.openKv(path);
  const prefix = [NAME];
  return {
    title: `Deno ${Deno.version.deno}, Deno KV in a file`,
    bound: true,
    stores: (onStatement) =>
      authStores(denoKvAdapter(onStatement === undefined ? kv : counted(kv, onStatement), {
        prefix,
        now,
      })),
    bare: bareKv(kv, now),
    async size() {
      const files = await Promise.all(["", "-wal"].map((end) => Deno.stat(`${path}${end}`)));
      return files.reduce((sum, { size }) => sum + size, 0);
    },
    [Symbol.asyncDispose]() {
      kv.close();
      return Promise.resolve();
    },
  };
}

function counted(kv: DenoKv, onStatement: () => void): DenoKv {
  return {
    getMany(keys) {
      onStatement();
      return kv.getMany(keys);
    },
    list: (range, options) => kv.list(range, options),
    atomic() { // each one is committed
      onStatement();
      return kv.atomic();
    },
  };
}

/** What an entry of Deno KV holds. */
interface KvContent {
  readonly value: unknown;
}

function bareKv(kv: Deno.Kv, now: () => number): BareClient {
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const keyOf = (collection: string, key: string) => [NAME, "record", collection, key];
  const begin = ({ id, from, next }: Parameters<BareClient["swap"]>[0]) => {
    const { sub, sessionId, familyExpiresAt } = next;
    const content = { value: next, index: [sub, sessionId], expiresAt: familyExpiresAt };
    const expireIn = (familyExpiresAt + 300 - now()) * 1000;
    const key = keyOf(FAMILIES, id);
    const atomic = kv.atomic()
      .check({ key, versionstamp: from })
      .set(key, encoder.encode(JSON.stringify(content)), { expireIn });
    return { atomic, expireIn };
  };
  return {
    async read<Value>(collection: string, key: string) {
      const { value, versionstamp } = await kv.get<Uint8Array>(keyOf(collection, key));
      if (versionstamp === null) throw new Error("Cannot read record: there is none");
      const content: KvContent = JSON.parse(decoder.decode(value));
      return { value: content.value as Value, version: versionstamp };
    },
    async swap(one) {
      const { id, next: { sub, sessionId } } = one;
      const { atomic, expireIn } = begin(one);
      for (const [index, text] of [sub, sessionId].entries()) {
        if (text === undefined) continue;
        atomic.set([NAME, "index", FAMILIES, `${index}`, text, id], true, { expireIn });
      }
      return (await atomic.commit()).ok;
    },
    swapShortest: async (one) => (await begin(one).atomic.commit()).ok,
  };
}

/** The part of ioredis that is used here. */
interface IoRedis {
  call(command: string, ...args: readonly string[]): Promise<unknown>;
  hmget(key: string, ...fields: readonly string[]): Promise<readonly (string | null)[]>;
  script(command: "LOAD", lua: string): Promise<string>;
  evalsha(sha: string, keys: number, ...args: readonly string[]): Promise<unknown>;
  info(section: string): Promise<string>;
  keys(pattern: string): Promise<string[]>;
  unlink(...keys: readonly string[]): Promise<unknown>;
  quit(): Promise<unknown>;
}

interface IoRedisModule {
  readonly Redis: new (url: string) => IoRedis;
}

/** Compares the version of a record, and sets both it and the value. */
const SHORTEST_SCRIPT = `
if redis.call("HGET", KEYS[1], "v") ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "v", ARGV[2], "j", ARGV[3])
return 1
`;

/** A server of Redis, by ioredis with its defaults: one connection. */
export async function openRedis(url: string, { now }: EngineOptions): Promise<StoreEngine> {
  const { Redis }: IoRedisModule = await import(IOREDIS);
  const redis = new Redis(url);
  const prefix = `{${NAME}}:`;
  await removeAll(redis, prefix);
  const send: RedisSend = (command, args) => redis.call(command, ...args);
  const version = /^redis_version:(\S+)/m.exec(await redis.info("server"))?.[1];
  return {
    title: `Redis ${version}, ${IOREDIS.slice(4)}`,
    bound: true,
    stores: (onStatement) =>
      authStores(redisAdapter(
        onStatement === undefined ? send : (command, args) => {
          onStatement();
          return send(command, args);
        },
        { prefix, now },
      )),
    bare: await bareRedis(redis, { prefix, now }),
    size: async () => Number(/^used_memory:(\d+)/m.exec(await redis.info("memory"))?.[1]),
    async [Symbol.asyncDispose]() {
      await removeAll(redis, prefix);
      await redis.quit();
    },
  };
}

async function bareRedis(
  redis: IoRedis,
  { prefix, now }: EngineOptions & { readonly prefix: string },
): Promise<BareClient> {
  const write = await redis.script("LOAD", WRITE_SCRIPT.lua);
  const shortest = await redis.script("LOAD", SHORTEST_SCRIPT);
  const keyOf = (collection: string, key: string) => `${prefix}${collection}:record:${key}`;
  return {
    async read(collection, key) {
      const [version, text] = await redis.hmget(keyOf(collection, key), "v", "j", "e");
      return { value: JSON.parse(text ?? ""), version: version ?? "" };
    },
    async swap({ id, from, to, next }) {
      const { sub, sessionId, familyExpiresAt }: BareFamily = next;
      const reply = await redis.evalsha(
        ...[write, 1, keyOf(FAMILIES, id), `${now()}`, id, `=${from}`, to] as const,
        ...[JSON.stringify(next), `=${familyExpiresAt}`, "", `=${sub}`],
        sessionId === undefined ? "" : `=${sessionId}`,
      );
      return reply === "ok";
    },
    async swapShortest({ id, from, to, next }) {
      const key = keyOf(FAMILIES, id);
      return await redis.evalsha(shortest, 1, key, from, to, JSON.stringify(next)) === 1;
    },
  };
}

async function removeAll(redis: IoRedis, prefix: string): Promise<void> {
  const keys = await redis.keys(`${prefix}*`);
  for (let i = 0; i < keys.length; i += 1000) await redis.unlink(...keys.slice(i, i + 1000));
}
