/**
 * The Lua scripts of {@linkcode redisAdapter}, for Lua 5.1 to 5.4.
 *
 * A script gets one key as `KEYS[1]` and derives the other keys from it, so that a client that adds a prefix to keys adds it to
 * all. It reads everything before it writes, and its first write is one that a full server rejects: a script runs completely
 * or not at all. Numbers are passed on as the strings that came in.
 *
 * @module
 */

import { SKEW_SECONDS } from "../../_clock.ts";

/** The purpose of a command, named in the message of its failure. */
export type RedisPurpose =
  | "read record"
  | "find record"
  | "list records"
  | "write record"
  | "delete record"
  | "take record";

/** A script. */
export interface RedisScript {
  /** Starts the part of its key after the collection. */
  readonly start: string;
  readonly purpose: RedisPurpose;
  readonly lua: string;
  /** The SHA-1 of its source, cached. */
  sha?: string;
}

/** Starts the key of a record. */
export const RECORD = "record:";
/** Starts the key of a unique value, which holds the key of its record. */
const UNIQUE = "unique:";
/** Starts the sorted set of an indexed value's records by key; then `0:` or `1:`. */
const INDEX = "index:";
/** Starts the sorted set of those of them that expire, by expiry. */
const ENDS = "ends:";

/** Expired records that a write removes from an index: more than it adds, so that the index shrinks. */
const PRUNED = 100;

/** The longest time to live, in milliseconds. A record with a longer one does not expire in Redis. */
const MAX_TTL = "4503599627370496";

/**
 * Sets `base`, the prefix of a collection's keys. ARGV: 1 the current time, 2 the end of `KEYS[1]`.
 *
 * An index has two sorted sets: one with all scores 0, which Redis orders by bytes, and one by expiry. If all records of an
 * index expire, both sets expire too.
 */
function prelude(start: string): string {
  return `local now, name = tonumber(ARGV[1]), ARGV[2]
local base = string.sub(KEYS[1], 1, #KEYS[1] - #name - ${start.length})

local function read(key)
  return redis.call("HMGET", base .. "${RECORD}" .. key, "v", "e", "u", "a", "b")
end

local function lives(record)
  return record[1] and not (record[2] and now >= tonumber(record[2]))
end

local function expire(key, at)
  local ms = at and math.ceil((tonumber(at) + ${SKEW_SECONDS} - now) * 1000)
  if ms and ms < ${MAX_TTL} then
    redis.call("PEXPIRE", key, string.format("%.0f", ms))
  else
    redis.call("PERSIST", key)
  end
end

local function tidy(index)
  local members, ends = base .. "${INDEX}" .. index, base .. "${ENDS}" .. index
  local past = string.format("%.17g", now - ${SKEW_SECONDS})
  local gone = redis.call("ZRANGEBYSCORE", ends, "-inf", past, "LIMIT", "0", "${PRUNED}")
  for _, key in ipairs(gone) do
    redis.call("ZREM", members, key)
    redis.call("ZREM", ends, key)
  end
  local last = redis.call("ZREVRANGE", ends, "0", "0", "WITHSCORES")[2]
  local all = redis.call("ZCARD", members) == redis.call("ZCARD", ends)
  expire(members, all and last)
  expire(ends, all and last)
end

local function leave(index, key)
  redis.call("ZREM", base .. "${INDEX}" .. index, key)
  redis.call("ZREM", base .. "${ENDS}" .. index, key)
  tidy(index)
end
`;
}

/** Deletes a record and its index entries. */
const REMOVE = `
local function remove(key, record)
  redis.call("DEL", base .. "${RECORD}" .. key)
  local holder = record[3] and base .. "${UNIQUE}" .. record[3]
  if holder and redis.call("GET", holder) == key then redis.call("DEL", holder) end
  if record[4] then leave("0:" .. record[4], key) end
  if record[5] then leave("1:" .. record[5], key) end
end
`;

/**
 * Compares a record with the expected version. ARGV: 3 `*` for any, `-` for none or an expired one, `=` and a version.
 */
const EXPECT = `
local record = read(name)
local function expected()
  return ARGV[3] == "*" or ARGV[3] == (lives(record) and "=" .. record[1] or "-")
end
`;

/**
 * Writes a record. ARGV: 4 its new version, 5 its value, 6 to 9 its expiry, unique value and both indexed values, each after
 * `=`, or empty. Returns `ok` again if a client sends it twice because the first reply was lost.
 */
export const WRITE_SCRIPT: RedisScript = {
  start: RECORD,
  purpose: "write record",
  lua: prelude(RECORD) + REMOVE + EXPECT + `
local version, value = ARGV[4], ARGV[5]
local function given(arg) return arg ~= "" and string.sub(arg, 2) end
local at, unique, first, second = given(ARGV[6]), given(ARGV[7]), given(ARGV[8]), given(ARGV[9])

if record[1] == version then return "ok" end
if not expected() then return "lost" end

local holder = unique and base .. "${UNIQUE}" .. unique
local other = holder and redis.call("GET", holder)
local past = nil
if other and other ~= name then
  local held = read(other)
  if held[3] == unique then
    if lives(held) then return "taken" end
    past = held
  end
end

redis.call("HSET", KEYS[1], "v", version, "j", value)
local function set(field, text)
  if text then redis.call("HSET", KEYS[1], field, text) else redis.call("HDEL", KEYS[1], field) end
end
set("e", at)
set("u", unique)
set("a", first)
set("b", second)
expire(KEYS[1], at)

if past then remove(other, past) end
if record[3] and record[3] ~= unique then
  local former = base .. "${UNIQUE}" .. record[3]
  if redis.call("GET", former) == name then redis.call("DEL", former) end
end
if unique then
  redis.call("SET", holder, name)
  expire(holder, at)
end

local function join(tag, former, text)
  if former and former ~= text then leave(tag .. former, name) end
  if not text then return end
  local index = tag .. text
  redis.call("ZADD", base .. "${INDEX}" .. index, "0", name)
  if at then
    redis.call("ZADD", base .. "${ENDS}" .. index, at, name)
  else
    redis.call("ZREM", base .. "${ENDS}" .. index, name)
  end
  tidy(index)
end
join("0:", record[4], first)
join("1:", record[5], second)
return "ok"
`,
};

/** Deletes a record. */
export const REMOVE_SCRIPT: RedisScript = {
  start: RECORD,
  purpose: "delete record",
  lua: prelude(RECORD) + REMOVE + EXPECT + `
if not expected() then return "lost" end
remove(name, record)
return "ok"
`,
};

/** Deletes a record and returns its value. */
export const TAKE_SCRIPT: RedisScript = {
  start: RECORD,
  purpose: "take record",
  lua: prelude(RECORD) + REMOVE + `
local record = read(name)
if not lives(record) then return false end
local value = redis.call("HGET", KEYS[1], "j")
remove(name, record)
return value
`,
};

/** Finds a record by its unique value; returns its key, version, value and expiry. */
export const FIND_SCRIPT: RedisScript = {
  start: UNIQUE,
  purpose: "find record",
  lua: prelude(UNIQUE) + `
local key = redis.call("GET", KEYS[1])
if not key then return false end
local record = read(key)
if not lives(record) or record[3] ~= name then return false end
return { key, record[1], redis.call("HGET", base .. "${RECORD}" .. key, "j"), record[2] }
`,
};

/**
 * Lists records of an indexed value, each as {@linkcode FIND_SCRIPT} returns it, and removes index entries without a record.
 * ARGV: 3 the limit, 4 `<` for descending order, 5 the key to start after, after `=`, or empty.
 */
export const LIST_SCRIPT: RedisScript = {
  start: INDEX,
  purpose: "list records",
  lua: prelude(INDEX) + `
local field = string.sub(name, 1, 1) == "0" and 4 or 5
local text = string.sub(name, 3)
local limit, reverse, after = tonumber(ARGV[3]), ARGV[4] == "<", string.sub(ARGV[5], 2)
local from = ARGV[5] ~= "" and "(" .. after or reverse and "+" or "-"
local command = reverse and "ZREVRANGEBYLEX" or "ZRANGEBYLEX"

local found, gone = {}, {}
while #found < limit do
  local wanted = limit - #found
  local keys = redis.call(command, KEYS[1], from, reverse and "-" or "+", "LIMIT", "0", wanted)
  for _, key in ipairs(keys) do
    local record = read(key)
    if not record[1] or record[field] ~= text then
      table.insert(gone, key)
    elseif lives(record) then
      local value = redis.call("HGET", base .. "${RECORD}" .. key, "j")
      table.insert(found, { key, record[1], value, record[2] })
    end
    from = "(" .. key
  end
  if #keys < wanted then break end
end
for _, key in ipairs(gone) do leave(name, key) end
return found
`,
};
