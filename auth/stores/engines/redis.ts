/**
 * Storage adapter for Redis and Valkey.
 *
 * @module
 */

import { exactClock } from "../../_clock.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../../_options.ts";
import { randomId } from "../../_random.ts";
import { readFields, type RedisSend, runScript } from "./_redis_client.ts";
import {
  optionalString,
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
import { checkList, checkStrings, encodeRecord, isExpired, uniqueTaken } from "../_records.ts";
import type {
  AtomicHook,
  CasResult,
  KeyedRecord,
  ListRecordsOptions,
  StorageAdapter,
  StoredRecord,
  Versioned,
} from "../adapter.ts";

export type { RedisSend } from "./_redis_client.ts";

/** Options of {@linkcode redisAdapter}. */
export interface RedisAdapterOptions {
  /**
   * Starts every key. It must have a hash tag, a string in braces, so that a cluster maps all keys to one slot.
   *
   * @default {"{gatehouse}:"}
   */
  readonly prefix?: string | undefined;
  /** The current time, in seconds since the epoch; the clock of Redis is not used. @default the system clock */
  readonly now?: (() => number) | undefined;
}

/** A storage adapter over Redis. */
export interface RedisAdapter extends StorageAdapter {
  /** Compare-and-swap, and taking a record once, one script each. */
  readonly atomic: Required<AtomicHook>;
}

const ACTION = "Cannot create Redis adapter";
const OPTIONS: OptionNames<RedisAdapterOptions> = { prefix: true, now: true };

/** Redis Cluster hashes the first string in braces, if it is not empty. */
const HASH_TAG_REGEXP = /^[^{]*\{[^}]+\}/;

/** Records that one script reads at most, because a script blocks Redis. */
const PAGE = 500;

/**
 * Stores records in Redis 6.2 or later, or Valkey, through any client. `authStores(redisAdapter(send))` creates all stores over
 * it.
 *
 * The server needs `maxmemory-policy noeviction`: eviction would delete sessions and revocations. Reads must go to the primary.
 * Disable the client's retries of commands and its parsing of JSON, and set a time limit for commands. See docs/stores.md for
 * clients, required commands, clusters and durability: a crash or failover of Redis undoes its last writes.
 *
 * @param send Sends a command.
 * @throws {TypeError} If `send` is not a function, or an option is unknown or of another type.
 * @throws {RangeError} If the prefix has no hash tag.
 * @returns An adapter. Its calls reject with an `Error` whose `cause` has the client's name, code and message, without what was
 *   sent.
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
    throw new TypeError(`${ACTION}: send must be a function`);
  }
  rejectUnknownOptions(ACTION, options, OPTIONS);
  checkOptionalFunction(ACTION, "now", options.now);
  const prefix = checkPrefix(options.prefix ?? "{gatehouse}:");
  const context: RedisContext = { send, prefix, now: exactClock(options.now) };
  return {
    get: (collection, key) => get(context, collection, key),
    find: (collection, unique) => find(context, collection, unique),
    list: (collection, index, value, which) => list(context, collection, [index, value], which),
    async put(collection, key, record) {
      const { status } = await write(context, [collection, key], { expected: "*", record });
      if (status !== "ok") throw uniqueTaken();
    },
    async delete(collection, key) {
      await remove(context, [collection, key], "*");
    },
    atomic: {
      cas(collection, key, expected, next) {
        const wanted: Expected = expected === null ? "-" : `=${expected}`;
        return next === null
          ? remove(context, [collection, key], wanted)
          : write(context, [collection, key], { expected: wanted, record: next });
      },
      take: (collection, key) => take(context, collection, key),
    },
  };
}

interface RedisContext {
  readonly send: RedisSend;
  readonly prefix: string;
  readonly now: () => number;
}

type RecordKey = readonly [collection: string, key: string];

/** `*` for any version, `-` for no record, `=` and a version. */
type Expected = "*" | "-" | `=${string}`;

function checkPrefix(prefix: string): string {
  checkStrings(prefix);
  if (HASH_TAG_REGEXP.test(prefix)) return prefix;
  throw new RangeError(
    `${ACTION}: prefix must have a hash tag, for example {gatehouse}:`,
  );
}

/** The encoded collection has no colon and no brace, so keys of two collections never collide. */
function keyOf(
  { prefix }: RedisContext,
  [collection, start, name]: readonly [string, string, string],
) {
  return `${prefix}${encodeURIComponent(collection)}:${start}${name}`;
}

async function get(
  context: RedisContext,
  collection: string,
  key: string,
): Promise<Versioned | null> {
  checkStrings(collection, key);
  const now = context.now();
  const reply = await readFields(context.send, {
    key: keyOf(context, [collection, RECORD, key]),
    args: ["v", "j", "e"],
    secrets: [key],
  });
  const found = readVersioned(replyArray(reply));
  return found === null || isExpired(found.expiresAt, now) ? null : found;
}

async function find(
  context: RedisContext,
  collection: string,
  unique: string,
): Promise<KeyedRecord | null> {
  checkStrings(collection, unique);
  const reply = await run(context, FIND_SCRIPT, { about: [collection, unique] });
  return reply === null || reply === undefined ? null : readKeyed(reply);
}

async function list(
  context: RedisContext,
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
    const reply = await run(context, LIST_SCRIPT, {
      about: [collection, `${index}:${value}`],
      args: [`${wanted}`, reverse ? "<" : "", optional(from)],
      secrets: [value, from],
    });
    const records = replyArray(reply).map(readKeyed);
    found.push(...records);
    if (records.length < wanted) break;
    from = records.at(-1)?.key;
  }
  return found;
}

async function write(
  context: RedisContext,
  [collection, key]: RecordKey,
  { expected, record }: { readonly expected: Expected; readonly record: StoredRecord },
): Promise<CasResult> {
  checkStrings(collection, key);
  const { text, expiresAt, unique, index: [first, second] } = encodeRecord(record);
  const version = randomId();
  const expiry = expiresAt === undefined ? undefined : `${expiresAt}`;
  const reply = await run(context, WRITE_SCRIPT, {
    about: [collection, key],
    args: [expected, version, text, ...[expiry, unique, first, second].map(optional)],
    secrets: [expected.slice(1), text, unique, first, second],
  });
  return readResult(reply, version);
}

async function remove(
  context: RedisContext,
  [collection, key]: RecordKey,
  expected: Expected,
): Promise<CasResult> {
  checkStrings(collection, key);
  const reply = await run(context, REMOVE_SCRIPT, {
    about: [collection, key],
    args: [expected],
    secrets: [expected.slice(1)],
  });
  return readResult(reply, "");
}

async function take(
  context: RedisContext,
  collection: string,
  key: string,
): Promise<unknown | null> {
  checkStrings(collection, key);
  const text = optionalString(await run(context, TAKE_SCRIPT, { about: [collection, key] }));
  return text === undefined ? null : readValue(text);
}

/** A call of a script. */
interface Call {
  /** The end of its key: a record's key, a unique value, or an index and an indexed value. */
  readonly about: readonly [collection: string, name: string];
  readonly args?: readonly string[];
  /** The arguments that must not be logged, besides the name. */
  readonly secrets?: readonly (string | undefined)[];
}

function run(
  context: RedisContext,
  script: RedisScript,
  { about: [collection, name], args = [], secrets = [] }: Call,
): Promise<unknown> {
  return runScript(context.send, script, {
    key: keyOf(context, [collection, script.start, name]),
    args: [`${context.now()}`, name, ...args],
    secrets: [name, ...secrets.filter((one) => one !== undefined)],
  });
}

/** Encodes an optional string as an argument. */
function optional(value: string | undefined): string {
  return value === undefined ? "" : `=${value}`;
}
