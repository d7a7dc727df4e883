/**
 * Everything of authentication in Redis, over any client.
 *
 * @module
 */

import { exactClock } from "../_clock.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { randomId } from "../_random.ts";
import { readFields, type RedisSend, runScript } from "./_redis_client.ts";
import {
  optionalText,
  readKeyed,
  readResult,
  readValue,
  readVersioned,
  replyArray,
} from "./_redis_reply.ts";
import {
  FIND_SCRIPT,
  LIST_SCRIPT,
  RECORD,
  type RedisScript,
  REMOVE_SCRIPT,
  TAKE_SCRIPT,
  WRITE_SCRIPT,
} from "./_redis_scripts.ts";
import { checkList, checkStrings, encodeRecord, isExpired, uniqueTaken } from "./_records.ts";
import type {
  AtomicHook,
  CasResult,
  KeyedRecord,
  ListRecordsOptions,
  StorageAdapter,
  StoredRecord,
  Versioned,
} from "./adapter.ts";

export type { RedisSend } from "./_redis_client.ts";

/** Options of {@linkcode redisAdapter}. */
export interface RedisAdapterOptions {
  /**
   * What all keys start with. Has a hash tag, a text in braces, so that a cluster keeps all of them in one slot.
   *
   * @default {"{gatehouse}:"}
   */
  readonly prefix?: string | undefined;
  /** The time, in seconds since the epoch; Redis' own decides nothing. */
  readonly now?: (() => number) | undefined;
}

/** Redis, as stores use it. */
export interface RedisAdapter extends StorageAdapter {
  /** What Redis decides for all its clients in one order. */
  readonly atomic: Required<AtomicHook>;
}

const ACTION = "Cannot create Redis adapter";
const OPTIONS: OptionNames<RedisAdapterOptions> = { prefix: true, now: true };

/** A text in braces: what Redis Cluster looks at of a key, if it is the first and not empty. */
const HASH_TAG_REGEXP = /^[^{]*\{[^}]+\}/;

/** Records that one script reads; Redis does nothing else meanwhile. */
const PAGE = 500;

/**
 * Keeps records in Redis 6.2 or later, or Valkey, through any client.
 *
 * ```ts ignore
 * redisAdapter((command, args) => redis.call(command, ...args)); // npm:ioredis, a Cluster too
 * redisAdapter((command, args) => client.sendCommand([command, ...args])); // npm:redis
 * redisAdapter((command, args) => cluster.sendCommand("{gatehouse}:", false, [command, ...args]));
 * redisAdapter((command, args) => redis.sendCommand(command, [...args])); // jsr:@db/redis
 * redisAdapter((command, args) => client.send(command, [...args])); // Bun's own
 * redisAdapter(async (command, args) => { // Upstash, and what else speaks its REST
 *   const body = JSON.stringify([command, ...args]);
 *   const response = await fetch(url, { method: "POST", headers: { authorization }, body });
 *   const { result, error } = await response.json();
 *   if (error !== undefined) throw new Error(error);
 *   return result;
 * });
 * ```
 *
 * **Client.** Reads have to come from the primary. A client's own reading of JSON has to be off
 * (`automaticDeserialization: false` of npm:@upstash/redis). One that sends a command again when a connection breaks may do
 * twice what Redis did: a compare-and-swap hears `ok` both times, but a value that was taken is gone the second time, and a
 * write undoes what came between. Turn that off and set a time limit for commands, or requests wait for as long as Redis is
 * away:
 *
 * ```ts ignore
 * new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: 5_000 }); // npm:ioredis
 * createClient({ // npm:redis; a connection that is silent for five seconds is taken for broken, and made anew
 *   url,
 *   disableOfflineQueue: true,
 *   pingInterval: 2_000,
 *   socket: { socketTimeout: 5_000, reconnectStrategy: () => 500 },
 * });
 * ```
 *
 * Both want a listener, `redis.on("error", ...)`: without one, npm:ioredis prints each connection that fails, and with
 * npm:redis the first one ends the process. The adapter itself sends again only a script that Redis says it does not know.
 *
 * **Server.** Set `maxmemory-policy noeviction`: any other throws away sessions, and revoked things with their revocation. The
 * user of the connection needs `EVAL`, `EVALSHA` and, over `~{gatehouse}:*`, `DEL GET SET HDEL HGET HMGET HSET PERSIST PEXPIRE
 * ZADD ZCARD ZRANGEBYLEX ZRANGEBYSCORE ZREM ZREVRANGE ZREVRANGEBYLEX`. Scripts make the keys of a record's indexes themselves:
 * that is fine within a slot of Redis Cluster, and Dragonfly is told by the scripts' first line, but a proxy that insists on
 * declared keys refuses them. On a cluster everything is on one node.
 *
 * **Durability.** Redis says that a write is done before it is on a disk (`appendfsync everysec` loses up to two seconds in
 * a crash, `always` none; without `appendonly`, all since the last snapshot) or on a replica (a failover loses what had not
 * arrived; `min-replicas-to-write` makes that less, not nothing). What is lost is undone: a refresh token that was rotated
 * works again, and who has its successor is signed out by the first use of it; an ended session or a revoked API key is back;
 * a state that was used can be used again; throttled attempts are forgotten. Where that cannot be, keep these in an SQL
 * database.
 *
 * Records are there as long as any clock may take them to be, five minutes behind their end, and then Redis removes them
 * by itself with everything that finds them.
 *
 * @param send Sends a command.
 * @throws {TypeError} If `send` or an option is not what it has to be.
 * @throws {RangeError} If the prefix has no hash tag.
 * @returns An adapter, with `atomic`. It rejects with an `Error` whose `cause` has the name, code and message of what
 *   the client threw, without what was sent.
 *
 * @example
 * ```ts ignore
 * import { authStores } from "@gatehouse/http";
 * import { redisAdapter } from "@gatehouse/http/auth/stores/redis";
 * import { Redis } from "npm:ioredis@^6";
 *
 * const redis = new Redis("redis://127.0.0.1:6379", { maxRetriesPerRequest: 0, commandTimeout: 5_000 });
 * redis.on("error", console.error);
 * const stores = authStores(redisAdapter((command, args) => redis.call(command, ...args)));
 * ```
 */
export function redisAdapter(
  send: RedisSend,
  options: RedisAdapterOptions = {},
): RedisAdapter {
  if (typeof send !== "function") {
    throw new TypeError(`${ACTION}: send is not a function`);
  }
  rejectUnknownOptions(ACTION, options, OPTIONS);
  checkOptionalFunction(ACTION, "now", options.now);
  const prefix = checkPrefix(options.prefix ?? "{gatehouse}:");
  const place: Place = { send, prefix, now: exactClock(options.now) };
  return {
    get: (collection, key) => get(place, collection, key),
    find: (collection, unique) => find(place, collection, unique),
    list: (collection, index, value, which) => list(place, collection, [index, value], which),
    async put(collection, key, record) {
      const { status } = await write(place, [collection, key], { expected: "*", record });
      if (status !== "ok") throw uniqueTaken();
    },
    async delete(collection, key) {
      await remove(place, [collection, key], "*");
    },
    atomic: {
      cas(collection, key, expected, next) {
        const wanted: Expected = expected === null ? "-" : `=${expected}`;
        return next === null
          ? remove(place, [collection, key], wanted)
          : write(place, [collection, key], { expected: wanted, record: next });
      },
      take: (collection, key) => take(place, collection, key),
    },
  };
}

interface Place {
  readonly send: RedisSend;
  readonly prefix: string;
  readonly now: () => number;
}

type At = readonly [collection: string, key: string];

/** `*` for any, `-` for none, `=` and a version. */
type Expected = "*" | "-" | `=${string}`;

function checkPrefix(prefix: string): string {
  checkStrings(prefix);
  if (HASH_TAG_REGEXP.test(prefix)) return prefix;
  throw new RangeError(
    `${ACTION}: the prefix has no hash tag, as {gatehouse}: has`,
  );
}

/** A collection's name has no colon then, and no brace: where it ends is never in doubt. */
function keyOf({ prefix }: Place, [collection, start, text]: readonly [string, string, string]) {
  return `${prefix}${encodeURIComponent(collection)}:${start}${text}`;
}

async function get(place: Place, collection: string, key: string): Promise<Versioned | null> {
  checkStrings(collection, key);
  const now = place.now();
  const reply = await readFields(place.send, {
    key: keyOf(place, [collection, RECORD, key]),
    args: ["v", "j", "e"],
    texts: [key],
  });
  const found = readVersioned(replyArray(reply));
  return found === null || isExpired(found.expiresAt, now) ? null : found;
}

async function find(
  place: Place,
  collection: string,
  unique: string,
): Promise<KeyedRecord | null> {
  checkStrings(collection, unique);
  const reply = await run(place, FIND_SCRIPT, { about: [collection, unique] });
  return reply === null || reply === undefined ? null : readKeyed(reply);
}

async function list(
  place: Place,
  collection: string,
  [index, value]: readonly [index: 0 | 1, value: string],
  options: ListRecordsOptions = {},
): Promise<readonly KeyedRecord[]> {
  checkStrings(collection, value);
  checkList(index, options);
  const { limit = Infinity, after, reverse = false } = options;
  const found: KeyedRecord[] = [];
  let from = after;
  while (found.length < limit) {
    const wanted = Math.min(PAGE, limit - found.length);
    const reply = await run(place, LIST_SCRIPT, {
      about: [collection, `${index}:${value}`],
      args: [`${wanted}`, reverse ? "<" : "", optional(from)],
      texts: [value, from],
    });
    const records = replyArray(reply).map(readKeyed);
    found.push(...records);
    if (records.length < wanted) break;
    from = records.at(-1)?.key;
  }
  return found;
}

async function write(
  place: Place,
  [collection, key]: At,
  { expected, record }: { readonly expected: Expected; readonly record: StoredRecord },
): Promise<CasResult> {
  checkStrings(collection, key);
  const { text, expiresAt, unique, index: [first, second] } = encodeRecord(record);
  const version = randomId();
  const end = expiresAt === undefined ? undefined : `${expiresAt}`;
  const reply = await run(place, WRITE_SCRIPT, {
    about: [collection, key],
    args: [expected, version, text, ...[end, unique, first, second].map(optional)],
    texts: [expected.slice(1), text, unique, first, second],
  });
  return readResult(reply, version);
}

async function remove(place: Place, [collection, key]: At, expected: Expected): Promise<CasResult> {
  checkStrings(collection, key);
  const reply = await run(place, REMOVE_SCRIPT, {
    about: [collection, key],
    args: [expected],
    texts: [expected.slice(1)],
  });
  return readResult(reply, "");
}

async function take(place: Place, collection: string, key: string): Promise<unknown | null> {
  checkStrings(collection, key);
  const text = optionalText(await run(place, TAKE_SCRIPT, { about: [collection, key] }));
  return text === undefined ? null : readValue(text);
}

/** What a script is run for. */
interface Call {
  readonly about: readonly [collection: string, text: string];
  readonly args?: readonly string[];
  /** What of the arguments nobody must read in a log. What it is about is, too. */
  readonly texts?: readonly (string | undefined)[];
}

function run(
  place: Place,
  script: RedisScript,
  { about: [collection, text], args = [], texts = [] }: Call,
): Promise<unknown> {
  return runScript(place.send, script, {
    key: keyOf(place, [collection, script.start, text]),
    args: [`${place.now()}`, text, ...args],
    texts: [text, ...texts.filter((one) => one !== undefined)],
  });
}

/** A text that may be absent, as an argument. */
function optional(text: string | undefined): string {
  return text === undefined ? "" : `=${text}`;
}
