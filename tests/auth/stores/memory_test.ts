import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { RefreshFamily, Session, UserPatch } from "../../../auth/stores/types.ts";
import type { ThrottleKey, ThrottleRule } from "../../../auth/throttle/rule.ts";
import { END, FAMILY, SESSION, START, USER } from "./_store_records.ts";

// What every store must do is in tests/contracts; this is what only stores in memory promise.

const now = () => START;

function newSession(id: string): Session {
  return { ...SESSION, id, tokenHash: `hash ${id}` };
}

function newFamily(id: string): RefreshFamily {
  return { ...FAMILY, id, expiresAt: END };
}

for (
  const [why, options, error] of [
    ["a time that is no function", { now: START }, TypeError],
    ["no throttle keys", { maxThrottleKeys: 0 }, RangeError],
    ["half a throttle key", { maxThrottleKeys: 1.5 }, RangeError],
    ["throttle keys without number", { maxThrottleKeys: NaN }, RangeError],
    ["throttle keys without end", { maxThrottleKeys: Infinity }, RangeError],
    ["throttle keys as text", { maxThrottleKeys: "100" }, RangeError],
  ] as const
) {
  Deno.test(`inMemoryAuthStores() refuses ${why}`, () => {
    assertThrows(
      () => inMemoryAuthStores(options as Parameters<typeof inMemoryAuthStores>[0]),
      error,
      "Cannot create stores: ",
    );
  });
}

Deno.test("inMemoryAuthStores() goes by the system's clock", async () => {
  const { states } = inMemoryAuthStores();
  await states.put("past", 1, Date.now() / 1000 - 2);
  await states.put("future", 2, Date.now() / 1000 + 600);
  assertEquals(await states.consume("past"), null);
  assertEquals(await states.consume("future"), 2);
});

Deno.test("inMemoryAuthStores() makes stores that share nothing with others", async () => {
  const [first, second] = [inMemoryAuthStores(), inMemoryAuthStores()];
  await first.users.create(USER);
  assertEquals(await second.users.findBySub("u1"), null);
  await first.keys.save([], null);
  assertEquals(await second.keys.load(), null);
});

/** Whether a value is frozen through and through. */
function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

Deno.test("inMemoryAuthStores() gives records that are frozen, before and after a change", async () => {
  const { users, sessions, credentials, refreshTokens, keys } = inMemoryAuthStores({ now });
  await users.create(USER);
  await sessions.create(newSession("s1"));
  await credentials.create({
    id: "c1",
    sub: "u1",
    publicKey: "key",
    algorithm: -7,
    signCount: 0,
    transports: ["usb"],
    backupEligible: false,
    backedUp: false,
    createdAt: START,
  });
  await refreshTokens.create(newFamily("f1"));
  const key = { kid: "k", alg: "ES256", key: { kty: "EC" }, createdAt: START, activeAt: START };
  await keys.save([key], null);
  const readAll = async (): Promise<Record<string, unknown>> => ({
    user: await users.findBySub("u1"),
    identifier: await users.findByIdentifier("ada"),
    session: await sessions.findByTokenHash("hash s1"),
    sessions: await sessions.list("u1"),
    credential: await credentials.find("c1"),
    credentials: await credentials.list("u1"),
    family: await refreshTokens.find("f1"),
    ring: await keys.load(),
  });
  const assertFrozen = async () => {
    for (const [name, record] of Object.entries(await readAll())) {
      assert(record !== null && isDeepFrozen(record), name);
    }
  };
  await assertFrozen();
  const user = await users.findBySub("u1");
  await users.update("u1", user?.version ?? "", { disabled: true, securityStamp: "next" });
  await sessions.touch("s1", START, START + 60);
  await credentials.updateSignCount("c1", 0, 1);
  const rotation = { familyId: "f1", fromHash: "hash", toHash: "next", now: START };
  await refreshTokens.rotate({ ...rotation, expiresAt: START + 600 });
  await assertFrozen();
  await refreshTokens.revoke({ sub: "u1" });
  await assertFrozen();
});

Deno.test("inMemoryAuthStores() leaves what it is given as it is", async () => {
  const { sessions } = inMemoryAuthStores({ now });
  const session = newSession("s1");
  await sessions.create(session);
  assertEquals([Object.isFrozen(session), Object.isFrozen(session.amr)], [false, false]);
});

Deno.test("users.create() rejects a taken sub and says nothing of it", async () => {
  const { users } = inMemoryAuthStores({ now });
  await users.create(USER);
  const taken = () => users.create({ ...USER, identifier: "bob" });
  await assertRejects(taken, Error, "Cannot create user: the sub is taken");
});

Deno.test("users.update() takes nothing from a patch but what a patch has", async () => {
  const { users } = inMemoryAuthStores({ now });
  await users.create(USER);
  const { version = "" } = await users.findBySub("u1") ?? {};
  const patch = { sub: "u2", role: "admin", version, createdAt: 0, passwordHash: undefined };
  assertEquals(await users.update("u1", version, patch as object), "updated");
  const found = await users.findBySub("u1");
  assertEquals(found, { ...USER, version: found?.version ?? "" });
  assertEquals(await users.update("u1", version, {}), "lost");
});

Deno.test("users.update() closes and opens an account under a new stamp alone", async () => {
  const { users } = inMemoryAuthStores({ now });
  await users.create(USER);
  const { version = "" } = await users.findBySub("u1") ?? {};
  const found = await users.findBySub("u1");
  for (const disabled of [true, false, 0, "true"]) {
    const patch = { disabled } as unknown as UserPatch; // what JavaScript may hand over
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
  await sessions.create(later); // the token of a session that has ended is free
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

Deno.test("refreshTokens.rotate() goes by the time of the rotation, and never past the family", async () => {
  const { refreshTokens } = inMemoryAuthStores({ now });
  const end = START + 600;
  await refreshTokens.create({ ...newFamily("f1"), expiresAt: end + 600 });
  const rotation = { familyId: "f1", fromHash: "hash", toHash: "next", expiresAt: end + 600 };
  assertEquals(await refreshTokens.rotate({ ...rotation, now: end }), "expired");
  assertEquals(await refreshTokens.rotate({ ...rotation, now: end - 1 }), "rotated");
});

for (
  const [why, value] of [
    ["nothing", undefined],
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

for (
  const kind of [
    "sessions",
    "touched sessions",
    "revoked sessions",
    "states",
    "refresh families",
    "throttle keys",
  ]
) {
  Deno.test(`inMemoryAuthStores() gives back the memory of ${kind} that come and go`, async () => {
    // The heap has room for less than half of them
    const script = new URL("./memory_main.ts", import.meta.url).href;
    const flags = ["--no-prompt", "--no-lock", "--v8-flags=--max-old-space-size=24"];
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", ...flags, script, kind, "100000"],
      stderr: "null",
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "done\n");
  });
}

const ONCE: ThrottleRule = { kind: "window", limit: 1, seconds: 3_600 };
const TWICE: ThrottleRule = { kind: "window", limit: 2, seconds: 3_600 };

function one(key: string, rule: ThrottleRule): readonly ThrottleKey[] {
  return [{ key, rule }];
}

/** How many attempts under a key are allowed now, which says whether an earlier one is remembered. */
async function left(
  { throttle }: Pick<ReturnType<typeof inMemoryAuthStores>, "throttle">,
  claims: readonly ThrottleKey[],
): Promise<number> {
  let count = 0;
  while ((await throttle.reserve(claims, START)).allowed) count++;
  return count;
}

Deno.test("throttle.reserve() forgets the key whose last attempt is longest ago", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 3 });
  const three: ThrottleRule = { kind: "window", limit: 3, seconds: 3_600 };
  for (const key of ["a", "b", "c", "a", "d"]) {
    await stores.throttle.reserve(one(key, three), START);
  }
  assertEquals(await left(stores, one("a", three)), 1, "a was used again");
  assertEquals(await left(stores, one("c", three)), 2, "c is younger than b");
  assertEquals(await left(stores, one("d", three)), 2, "d is the youngest");
  assertEquals(await left(stores, one("b", three)), 3, "b made room for d");
});

Deno.test("throttle.reserve() forgets nothing up to the limit", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 100 });
  const keys = Array.from({ length: 100 }, (_, i) => `${i}`);
  for (const key of keys) await stores.throttle.reserve(one(key, TWICE), START);
  for (const key of keys) assertEquals(await left(stores, one(key, TWICE)), 1, key);
});

Deno.test("throttle.reserve() forgets no locked key, however many others come", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 10 });
  for (let i = 0; i < 10; i++) await stores.throttle.reserve(one(`locked ${i}`, ONCE), START);
  for (let i = 0; i < 1_000; i++) await stores.throttle.reserve(one(`other ${i}`, TWICE), START);
  for (let i = 0; i < 10; i++) {
    assertEquals(await left(stores, one(`locked ${i}`, ONCE)), 0, `locked ${i}`);
  }
});

Deno.test("throttle.reserve() forgets a key whose lock has ended like any other", async () => {
  const { throttle } = inMemoryAuthStores({ now, maxThrottleKeys: 2 });
  const claims = one("k", { kind: "backoff", free: 1, wait: 30, maxWait: 3_600, forget: 86_400 });
  await throttle.reserve(claims, START);
  const later = START + 30; // the next wait would be 60 seconds
  for (const key of ["a", "b"]) await throttle.reserve(one(key, TWICE), later);
  assertEquals(await throttle.reserve(claims, later), { allowed: true });
  assertEquals(await throttle.reserve(claims, later), { allowed: false, retryAfter: 30 });
});

const HUNDRED: ThrottleRule = { kind: "window", limit: 100, seconds: 3_600 };
const FIVE: ThrottleRule = {
  kind: "backoff",
  free: 5,
  wait: 30,
  maxWait: 3_600,
  forget: 86_400,
};

Deno.test("throttle.reserve() remembers 99 guesses at a victim through 200,000 keys that are made up", async () => {
  const stores = inMemoryAuthStores({ now });
  const { throttle } = stores;
  for (let i = 0; i < 99; i++) await throttle.reserve(one("victim", HUNDRED), START);
  for (let i = 0; i < 200_000; i++) await throttle.reserve(one(`made up ${i}`, HUNDRED), START);
  assertEquals(await left(stores, one("victim", HUNDRED)), 1);
  assertEquals(await left(stores, one("made up 0", HUNDRED)), 100, "the flood was forgotten");
});

Deno.test("throttle.reserve() remembers guesses between two floods, and during one", async () => {
  const stores = inMemoryAuthStores({ now, maxThrottleKeys: 100 });
  const flood = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await stores.throttle.reserve(one(crypto.randomUUID(), HUNDRED), START);
    }
  };
  let allowed = 0;
  for (let round = 0; round < 40; round++) {
    await flood(round % 2 === 0 ? 250 : 3);
    for (let i = 0; i < 5; i++) {
      if ((await stores.throttle.reserve(one("victim", HUNDRED), START)).allowed) allowed++;
    }
  }
  assertEquals(allowed, 100); // and not 200
});

Deno.test("throttle.reserve() remembers an attempt that is two, if nobody else has made two", async () => {
  for (const rule of [HUNDRED, FIVE]) {
    const stores = inMemoryAuthStores({ now, maxThrottleKeys: 1_000 });
    for (let i = 0; i < 2; i++) await stores.throttle.reserve(one("victim", rule), START);
    for (let i = 0; i < 10_000; i++) {
      await stores.throttle.reserve(one(`made up ${i}`, rule), START);
    }
    const most = rule === FIVE ? 5 : 100;
    assertEquals(await left(stores, one("victim", rule)), most - 2, rule.kind);
  }
});
