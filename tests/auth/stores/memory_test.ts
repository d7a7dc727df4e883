import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SKEW_SECONDS } from "../../../auth/_clock.ts";
import { inMemoryAuthStores, memoryAdapter } from "../../../auth/stores/memory.ts";
import type { RefreshFamily, Session, UserPatch } from "../../../auth/stores/types.ts";
import type { ThrottleKey, ThrottleRule } from "../../../auth/throttle/rule.ts";
import { randomNumbers } from "../../static/_random.ts";
import { END, FAMILY, SESSION, START, USER } from "./_store_records.ts";

// tests/contracts tests what every adapter must do; this file tests only in-memory storage.

const now = () => START;

function newSession(id: string): Session {
  return { ...SESSION, id, tokenHash: `hash ${id}` };
}

function newFamily(id: string): RefreshFamily {
  return { ...FAMILY, id, expiresAt: END };
}

for (
  const [why, options, error] of [
    ["a time that is not a function", { now: START }, TypeError],
    ["maxThrottleKeys of 0", { maxThrottleKeys: 0 }, RangeError],
    ["fractional maxThrottleKeys", { maxThrottleKeys: 1.5 }, RangeError],
    ["maxThrottleKeys that is NaN", { maxThrottleKeys: NaN }, RangeError],
    ["infinite maxThrottleKeys", { maxThrottleKeys: Infinity }, RangeError],
    ["maxThrottleKeys as a string", { maxThrottleKeys: "100" }, RangeError],
  ] as const
) {
  Deno.test(`memoryAdapter() and inMemoryAuthStores() reject ${why}`, () => {
    for (const make of [memoryAdapter, inMemoryAuthStores]) {
      const given = options as Parameters<typeof make>[0];
      assertThrows(() => make(given), error, "Cannot create memory adapter: ");
    }
  });
}

Deno.test("inMemoryAuthStores() uses the system clock by default", async () => {
  const { states } = inMemoryAuthStores();
  await states.put("past", 1, Date.now() / 1000 - 2);
  await states.put("future", 2, Date.now() / 1000 + 600);
  assertEquals(await states.consume("past"), null);
  assertEquals(await states.consume("future"), 2);
});

Deno.test("inMemoryAuthStores() creates independent stores", async () => {
  const [first, second] = [inMemoryAuthStores(), inMemoryAuthStores()];
  await first.users.create(USER);
  assertEquals(await second.users.findBySub("u1"), null);
  await first.keys.save([], null);
  assertEquals(await second.keys.load(), null);
});

Deno.test("inMemoryAuthStores() keeps signing keys that are not encrypted", () => {
  assertEquals(inMemoryAuthStores().keys.persistent, false);
});

/** Whether a value and everything in it is frozen. */
function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

Deno.test("memoryAdapter() returns frozen values from every read, and does not freeze its input", async () => {
  const { get, find, list, put, atomic } = memoryAdapter({ now });
  const value = { list: [{ a: 1 }], object: { b: {} } };
  const record = { value, unique: "v", index: ["i"] } as const;
  await put("c", "put", record);
  await atomic?.cas("c", "cas", null, { value });
  const found = [
    (await get("c", "put"))?.value,
    (await get("c", "cas"))?.value,
    (await find("c", "v"))?.value,
    (await list("c", 0, "i"))[0]?.value,
    await atomic?.take?.("c", "cas"),
  ];
  for (const read of found) {
    assertEquals(read, value);
    assert(isDeepFrozen(read));
  }
  assert(
    !Object.isFrozen(value) && !Object.isFrozen(value.list) && !Object.isFrozen(value.list[0]),
  );
});

Deno.test("memoryAdapter() orders keys by code points, not by UTF-16 code units", async () => {
  const { list, put } = memoryAdapter({ now });
  for (const key of ["\u{1f511}", "\uff5e", "a\u{1f511}", "a", "a\uff5e", ""]) {
    await put("c", key, { value: 1, index: ["i"] });
  }
  const keys = (await list("c", 0, "i")).map(({ key }) => key);
  assertEquals(keys, ["", "a", "a\uff5e", "a\u{1f511}", "\uff5e", "\u{1f511}"]);
});

/** An adapter, and how many of some records are still in memory at END + SKEW_SECONDS. */
function expiringAdapter() {
  let time = START;
  const adapter = memoryAdapter({ now: () => time });
  const setTime = (seconds: number) => void (time = seconds);
  /** Reads with a slow clock, for which no record has expired. */
  async function countStored(keys: readonly string[]): Promise<number> {
    const before = time;
    time = 0;
    const found = await Promise.all(keys.map((key) => adapter.get("c", key)));
    time = before;
    return found.filter((record) => record !== null).length;
  }
  return { adapter, setTime, countStored };
}

const KEYS: readonly string[] = Array.from({ length: 3_000 }, (_, i) => `${i}`);

Deno.test("memoryAdapter() frees many expired records within a third as many writes", async () => {
  const { adapter, setTime, countStored } = expiringAdapter();
  for (const key of KEYS) await adapter.put("c", key, { value: 1, expiresAt: END });
  setTime(END + SKEW_SECONDS);
  assertEquals(await countStored(KEYS), 3_000);
  for (let i = 0; i < 1_000; i++) await adapter.put("c", "k", { value: i });
  assert(await countStored(KEYS) <= 2);
});

Deno.test("memoryAdapter() frees no record that has not expired, wherever it was added", async () => {
  const { adapter, setTime, countStored } = expiringAdapter();
  for (const [i, key] of KEYS.entries()) {
    await adapter.put("c", key, { value: 1, ...(i % 10 === 0 ? { expiresAt: END } : {}) });
  }
  setTime(END + SKEW_SECONDS);
  for (let i = 0; i < 1_100; i++) await adapter.put("c", "k", { value: i });
  assertEquals(await countStored(KEYS), 2_700);
});

Deno.test("memoryAdapter() keeps at most half as many expired records as others, in a steady stream", async () => {
  const { adapter, setTime, countStored } = expiringAdapter();
  const life = 100;
  const keys: string[] = [];
  for (let i = 0; i < 10_000; i++) {
    setTime(START + i);
    keys.push(`${i}`);
    const expiresAt = START + i + life - SKEW_SECONDS; // its memory may be freed after it expired
    await adapter.put("c", `${i}`, { value: 1, expiresAt });
    if (i % 97 === 0) assert(await countStored(keys.slice(-2_000)) <= 1.5 * life + 10);
  }
});

Deno.test("users.create() rejects a taken sub without writing it into the error", async () => {
  const { users } = inMemoryAuthStores({ now });
  await users.create(USER);
  const taken = () => users.create({ ...USER, identifier: "bob" });
  await assertRejects(taken, Error, "Cannot create user: the sub is taken");
});

Deno.test("users.update() ignores members that a patch cannot have", async () => {
  const { users } = inMemoryAuthStores({ now });
  await users.create(USER);
  const { version = "" } = await users.findBySub("u1") ?? {};
  const patch = { sub: "u2", role: "admin", version, createdAt: 0, passwordHash: undefined };
  assertEquals(await users.update("u1", version, patch as object), "updated");
  const found = await users.findBySub("u1");
  assertEquals(found, { ...USER, version: found?.version ?? "" });
  assertEquals(await users.update("u1", version, {}), "lost");
});

Deno.test("users.update() disables and enables an account only with a new stamp", async () => {
  const { users } = inMemoryAuthStores({ now });
  await users.create(USER);
  const { version = "" } = await users.findBySub("u1") ?? {};
  const found = await users.findBySub("u1");
  for (const disabled of [true, false, 0, "true"]) {
    const patch = { disabled } as unknown as UserPatch; // untyped patches of JavaScript
    await assertRejects(() => users.update("u1", version, patch), TypeError, "securityStamp");
    assertEquals(await users.findBySub("u1"), found);
  }
  const patch = { disabled: true, securityStamp: "next" };
  assertEquals(await users.update("u1", version, patch), "updated");
});

Deno.test("sessions.create() rejects a taken id or token, and keeps the session", async () => {
  let time = START;
  const { sessions } = inMemoryAuthStores({ now: () => time });
  const first = newSession("s1");
  await sessions.create(first);
  for (const changes of [{ id: "s2" }, { tokenHash: "other" }]) {
    const session = { ...first, ...changes, sub: "u2" };
    await assertRejects(() => sessions.create(session), Error, "Cannot create session: ");
    assertEquals(await sessions.list("u2"), []);
  }
  assertEquals(await sessions.findByTokenHash("hash s1"), first);
  assertEquals(await sessions.findByTokenHash("other"), null);
  time = first.expiresAt;
  const later = { ...first, id: "s2", expiresAt: time + 600 };
  await sessions.create(later); // the token of an expired session is free
  assertEquals(await sessions.list("u1"), [later]);
});

Deno.test("refreshTokens.create() rejects a taken id, and keeps the family", async () => {
  const { refreshTokens } = inMemoryAuthStores({ now });
  await refreshTokens.create(newFamily("f1"));
  await refreshTokens.revoke({ familyId: "f1" });
  const again = () => refreshTokens.create({ ...newFamily("f1"), sub: "u2" });
  await assertRejects(again, Error, "Cannot create refresh family: its id is taken");
  assertEquals(await refreshTokens.find("f1"), { ...newFamily("f1"), revoked: true });
});

Deno.test("refreshTokens.rotate() uses the time of the rotation, and never outlives the family", async () => {
  const { refreshTokens } = inMemoryAuthStores({ now });
  const end = START + 600;
  await refreshTokens.create({ ...newFamily("f1"), expiresAt: end + 600 });
  const rotation = { familyId: "f1", fromHash: "hash", toHash: "next", expiresAt: end + 600 };
  assertEquals(await refreshTokens.rotate({ ...rotation, now: end }), "expired");
  assertEquals(await refreshTokens.rotate({ ...rotation, now: end - 1 }), "rotated");
});

for (
  const [why, value] of [
    ["undefined", undefined],
    ["a function", () => {}],
    ["a bigint", 1n],
  ] as const
) {
  Deno.test(`states.put() rejects ${why}: it is not JSON`, async () => {
    const { states } = inMemoryAuthStores({ now });
    await states.put("k", "earlier", START + 600);
    await assertRejects(() => states.put("k", value, START + 600), TypeError);
    assertEquals(await states.consume("k"), "earlier");
  });
}

const ONCE: ThrottleRule = { kind: "window", limit: 1, seconds: 3_600 };
const HUNDRED: ThrottleRule = { kind: "window", limit: 100, seconds: 3_600 };
const FIVE: ThrottleRule = {
  kind: "backoff",
  free: 5,
  wait: 30,
  maxWait: 3_600,
  forget: 86_400,
};
const TWICE: ThrottleRule = { kind: "window", limit: 2, seconds: 3_600 };

function one(key: string, rule: ThrottleRule): ThrottleKey {
  return { key, rule };
}

/** How many attempts under a key are allowed now, which depends on the remembered attempts. */
async function left(
  { throttle }: Pick<ReturnType<typeof inMemoryAuthStores>, "throttle">,
  key: ThrottleKey,
): Promise<number> {
  let count = 0;
  while ((await throttle.reserve(key, [], START)).allowed) count++;
  return count;
}

Deno.test("throttle.reserve() beyond maxThrottleKeys forgets the key with the fewest attempts", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 3 });
  const three: ThrottleRule = { kind: "window", limit: 3, seconds: 3_600 };
  for (const key of ["a", "b", "c", "a", "d"]) {
    await stores.throttle.reserve(one(key, three), [], START);
  }
  assertEquals(await left(stores, one("a", three)), 1, "a had two attempts");
  assertEquals(await left(stores, one("d", three)), 2, "d is new");
});

Deno.test("throttle.reserve() forgets nothing up to the limit", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 100 });
  const keys = Array.from({ length: 100 }, (_, i) => `${i}`);
  for (const key of keys) await stores.throttle.reserve(one(key, TWICE), [], START);
  for (const key of keys) assertEquals(await left(stores, one(key, TWICE)), 1, key);
});

Deno.test("throttle.reserve() forgets no locked key, however many others are added", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 10 });
  for (let i = 0; i < 10; i++) await stores.throttle.reserve(one(`locked ${i}`, ONCE), [], START);
  for (let i = 0; i < 1_000; i++) {
    await stores.throttle.reserve(one(`other ${i}`, TWICE), [], START);
  }
  for (let i = 0; i < 10; i++) {
    assertEquals(await left(stores, one(`locked ${i}`, ONCE)), 0, `locked ${i}`);
  }
});

Deno.test("throttle.reserve() may forget a key whose lock has expired", async () => {
  let time = START;
  const { throttle } = inMemoryAuthStores({ now: () => time, maxThrottleKeys: 2 });
  const key = one("k", { kind: "backoff", free: 1, wait: 30, maxWait: 3_600, forget: 86_400 });
  await throttle.reserve(key, [], START);
  const later = time = START + 30; // the next wait would be 60 seconds
  for (const key of ["a", "a", "b", "b"]) await throttle.reserve(one(key, HUNDRED), [], later);
  assertEquals(await throttle.reserve(key, [], later), { allowed: true, recorded: [] });
  assertEquals(await throttle.reserve(key, [], later), { allowed: false, retryAfter: 30 });
});

Deno.test("throttle.reserve() remembers attempts between and during floods", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 100 });
  const flood = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await stores.throttle.reserve(one(crypto.randomUUID(), HUNDRED), [], START);
    }
  };
  let allowed = 0;
  for (let round = 0; round < 40; round++) {
    await flood(round % 2 === 0 ? 250 : 3);
    for (let i = 0; i < 5; i++) {
      if ((await stores.throttle.reserve(one("victim", HUNDRED), [], START)).allowed) allowed++;
    }
  }
  assertEquals(allowed, 100); // and not 200
});

Deno.test("throttle.reserve() remembers a key with two attempts among keys with one", async () => {
  for (const rule of [HUNDRED, FIVE]) {
    const stores = inMemoryAuthStores({ now, maxThrottleKeys: 1_000 });
    for (let i = 0; i < 2; i++) await stores.throttle.reserve(one("victim", rule), [], START);
    for (let i = 0; i < 10_000; i++) {
      await stores.throttle.reserve(one(`made up ${i}`, rule), [], START);
    }
    const most = rule === FIVE ? 5 : 100;
    assertEquals(await left(stores, one("victim", rule)), most - 2, rule.kind);
  }
});

/** An adapter with room for some unexpired counters, and a function that writes them like the throttle. */
function countingAdapter(maxThrottleKeys: number) {
  let time = START;
  const { put, get, delete: remove } = memoryAdapter({ now: () => time, maxThrottleKeys });
  return {
    setTime: (seconds: number) => void (time = seconds),
    count: (key: string, failures: number, lockedUntil = 0) =>
      put("throttle", key, { value: { failures, lockedUntil, expiresAt: END }, expiresAt: END }),
    remove: (key: string) => remove("throttle", key),
    isKept: async (key: string) => await get("throttle", key) !== null,
    async kept(keys: readonly string[]): Promise<readonly string[]> {
      const found = await Promise.all(keys.map((key) => get("throttle", key)));
      return keys.filter((_, i) => found[i] !== null);
    },
  };
}

const LOCKED = 1_000;
const LETTERS = ["a", "b", "c", "d"];

/** Attempts under four keys, the maximum, and which of them remain when a fifth is added. */
const FULL: readonly [why: string, failures: readonly number[], kept: string][] = [
  ["the one with the fewest attempts, the first", [1, 2, 3, 4], "bcd"],
  ["the one with the fewest attempts, the last", [4, 3, 2, 1], "abc"],
  ["the one with the fewest attempts, between others", [2, 1, 2, 2], "acd"],
  ["a key with many attempts if the others are locked", [LOCKED, 9, LOCKED, LOCKED], "acd"],
  ["none if all are locked", [LOCKED, LOCKED, LOCKED, LOCKED], "abcd"],
];
for (const [why, failures, left] of FULL) {
  Deno.test(`memoryAdapter() with maxThrottleKeys forgets ${why}`, async () => {
    const { count, kept } = countingAdapter(4);
    for (const [i, letter] of LETTERS.entries()) {
      const attempts = failures[i] ?? 0;
      await count(letter, attempts, attempts === LOCKED ? END : 0);
    }
    await count("new", 1);
    assertEquals((await kept(LETTERS)).join(""), left);
    assertEquals(await kept(["new"]), ["new"]);
  });
}

Deno.test("memoryAdapter() with maxThrottleKeys returns to the limit when no key is locked", async () => {
  const { count, kept, setTime } = countingAdapter(1_000);
  for (const key of KEYS.slice(0, 2_000)) await count(key, 1, START + 100);
  assertEquals((await kept(KEYS)).length, 2_000);
  setTime(START + 100);
  const later = Array.from({ length: 1_010 }, (_, i) => `later ${i}`);
  for (const [i, key] of later.entries()) {
    await count(key, 1);
    if (i === 99) assertEquals((await kept([...KEYS, ...later])).length, 1_900, "two for one");
  }
  assertEquals((await kept([...KEYS, ...later])).length, 1_000);
});

Deno.test("memoryAdapter() with maxThrottleKeys keeps many attempts through a flood of 50 times as many keys", async () => {
  for (const at of [0, 1, 50, 98, 99]) {
    const { count, isKept } = countingAdapter(100);
    for (let i = 0; i < 100; i++) await count(i === at ? "heavy" : `early ${i}`, i === at ? 2 : 1);
    for (let i = 0; i < 5_000; i++) {
      await count(`flood ${i}`, 1);
      if (i % 10 === 0) assert(await isKept("heavy"), `at ${at}, after ${i}`);
    }
    assert(await isKept("heavy"));
  }
});

Deno.test("memoryAdapter() with maxThrottleKeys keeps a fifth with many attempts, and the one with the most", async () => {
  const random = randomNumbers(28);
  const { count, kept, isKept } = countingAdapter(1_000);
  for (const [i, key] of KEYS.slice(0, 1_000).entries()) {
    await count(key, i % 5 === 0 ? 50 + random(50) : 1);
  }
  await count("heaviest", 200);
  for (let i = 0; i < 20_000; i++) await count(`flood ${i}`, 1);
  const heavy = await kept(KEYS.slice(0, 1_000).filter((_, i) => i % 5 === 0));
  assert(await isKept("heaviest"));
  assert(heavy.length > 190, `${heavy.length} of 200 are left`);
});

Deno.test("memoryAdapter() with maxThrottleKeys never exceeds it while no key is locked", async () => {
  const random = randomNumbers(4);
  const { count, remove, kept } = countingAdapter(50);
  for (let i = 0; i < 5_000; i++) {
    await count(`${random(200)}`, random(5));
    if (random(10) === 0) await remove(`${random(200)}`);
    if (i % 50 === 0) assert((await kept(KEYS.slice(0, 200))).length <= 50);
  }
});

Deno.test("memoryAdapter() with maxThrottleKeys limits no other collection", async () => {
  const { put, list } = memoryAdapter({ now, maxThrottleKeys: 1 });
  for (const key of ["a", "b", "c"]) await put("users", key, { value: 1, index: ["i"] });
  assertEquals((await list("users", 0, "i")).length, 3);
});
