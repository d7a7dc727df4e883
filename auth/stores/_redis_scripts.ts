/**
 * What Redis does in one step, in its own language: Lua 5.1, and what 5.4 runs as well (Dragonfly).
 *
 * A script gets the key of what it is about as `KEYS[1]` and makes the others of it, so a client that puts something in
 * front of keys puts it in front of all. It reads everything before it writes anything, and what it writes first is what a
 * full server refuses: a script is done as a whole or not at all. Numbers come as text, and go on as the same text.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";

/** What a command is for, in the message of its failure: as the other adapters say it. */
export type RedisPurpose =
  | "read record"
  | "find record"
  | "list records"
  | "keep record"
  | "remove record"
  | "take record";

/** A script. */
export interface RedisScript {
  /** What the key starts with that it gets, behind its collection. */
  readonly start: string;
  readonly purpose: RedisPurpose;
  readonly lua: string;
  /** The SHA-1 of its text, once somebody asked for it. */
  sha?: string;
}

/** Starts the key of a record, behind its collection. */
export const RECORD = "record:";
/** Starts the key that has the key of the record with a `unique` text. */
const UNIQUE = "unique:";
/** Starts the set of a text's records in the order of their keys, and then `0:` or `1:`. */
const INDEX = "index:";
/** Starts the set of those that end, in the order of their ends. */
const ENDS = "ends:";

/** How many that have ended a write removes from an index: more than it adds, so that an index shrinks. */
const PRUNED = 100;

/** The longest time to live in milliseconds; what is longer is for ever. */
const MAX_TTL = "4503599627370496";

/**
 * Sets `base`, what the keys of a collection start with. ARGV: 1 the time, 2 what `KEYS[1]` ends with.
 *
 * Indexes are two sets: one whose scores are all 0, which Redis sorts by bytes, and one of ends. If all of an index end,
 * so do its sets. The first line is for Dragonfly, which otherwise takes declared keys only.
 */
function prelude(start: string): string {
  return `--!df flags=allow-undeclared-keys
local now, name = tonumber(ARGV[1]), ARGV[2]
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

/** Removes a record with everything that finds it. */
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
 * Whether a record is the one that was read. ARGV: 3 `*` for any, `-` for none or one that has ended, `=` and a
 * version.
 */
const EXPECT = `
local record = read(name)
local function expected()
  return ARGV[3] == "*" or ARGV[3] == (lives(record) and "=" .. record[1] or "-")
end
`;

/**
 * Writes a record. ARGV: 4 the version it is to have, 5 its value, 6 to 9 its end, `unique` and both texts of its index,
 * each behind `=` or not there. A client that sends this twice because it heard nothing hears `ok` twice.
 */
export const WRITE_SCRIPT: RedisScript = {
  start: RECORD,
  purpose: "keep record",
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

/** Removes a record. */
export const REMOVE_SCRIPT: RedisScript = {
  start: RECORD,
  purpose: "remove record",
  lua: prelude(RECORD) + REMOVE + EXPECT + `
if not expected() then return "lost" end
remove(name, record)
return "ok"
`,
};

/** Removes a record and gives its value. */
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

/** Finds a record by its `unique` text, and gives its key, version, value and end. */
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
 * Lists records of an index, each as {@linkcode FIND_SCRIPT} gives it, and forgets those that are not there any more.
 * ARGV: 3 the most, 4 `<` for the last first, 5 the key behind which they start, behind `=`, or nothing.
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
