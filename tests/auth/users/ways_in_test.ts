/** Removal of passwords and passkeys: a user always keeps a way to sign in. */

import { assert, assertEquals, AssertionError, assertRejects } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { authStores } from "../../../auth/stores/repo.ts";
import type { AuthStores, UserPatch } from "../../../auth/stores/types.ts";
import { removeWayIn, type WayIn } from "../../../auth/users/ways_in.ts";
import { memoryAdapters } from "../../contracts/_memory_adapter.ts";
import { naiveAdapter } from "../../contracts/_naive_adapter.ts";
import { credentialOf } from "../../contracts/_races.ts";
import { repeat, START } from "../_services.ts";

const now = () => START;
const PASSWORD: WayIn = { kind: "password" };
const passkey = (id: string): WayIn => ({ kind: "passkey", id });

/** What a user can sign in with. */
interface Ways {
  readonly passwordHash?: string | undefined;
  readonly passkeys?: readonly string[];
  readonly pendingRemoval?: string;
}

/** Stores with the user `u1`, and a user `u9` with a passkey. */
async function withUser(
  { passwordHash, passkeys = [], pendingRemoval }: Ways,
  stores: AuthStores = inMemoryAuthStores({ now }),
): Promise<AuthStores> {
  const base = { securityStamp: "stamp", createdAt: START };
  await stores.users.create({
    ...base,
    sub: "u1",
    identifier: "ada",
    ...(passwordHash === undefined ? {} : { passwordHash }),
    ...(pendingRemoval === undefined ? {} : { pendingRemoval }),
  });
  await stores.users.create({ ...base, sub: "u9", identifier: "eve" });
  for (const id of passkeys) await stores.credentials.create(credentialOf(id));
  await stores.credentials.create({ ...credentialOf("eve's"), sub: "u9" });
  return stores;
}

/** What the user can sign in with now. A passkey whose removal has begun must not sign in. */
async function waysOf({ users, credentials }: AuthStores): Promise<string[]> {
  const { passwordHash, pendingRemoval } = await users.findBySub("u1") ?? {};
  const ids = (await credentials.list("u1")).map(({ id }) => id);
  const password = passwordHash === undefined ? [] : ["password"];
  return [...password, ...ids.filter((id) => id !== pendingRemoval)].sort();
}

const REMOVALS: readonly (readonly [
  why: string,
  ways: Ways,
  way: WayIn,
  outcome: "removed" | "not_found" | "last",
  rest: readonly string[],
])[] = [
  ["one of two passkeys", { passkeys: ["a", "b"] }, passkey("a"), "removed", ["b"]],
  [
    "the only passkey beside a password",
    { passwordHash: "hash", passkeys: ["a"] },
    passkey("a"),
    "removed",
    ["password"],
  ],
  [
    "the password beside a passkey",
    { passwordHash: "hash", passkeys: ["a"] },
    PASSWORD,
    "removed",
    ["a"],
  ],
  ["the last passkey", { passkeys: ["a"] }, passkey("a"), "last", ["a"]],
  ["the password alone", { passwordHash: "hash" }, PASSWORD, "last", ["password"]],
  ["a password that there is not", { passkeys: ["a"] }, PASSWORD, "not_found", ["a"]],
  ["an unknown passkey", { passkeys: ["a", "b"] }, passkey("c"), "not_found", ["a", "b"]],
  ["another user's passkey", { passkeys: ["a", "b"] }, passkey("eve's"), "not_found", ["a", "b"]],
  ["an empty id", { passkeys: ["a", "b"] }, passkey(""), "not_found", ["a", "b"]],
  ["of a user without any", {}, PASSWORD, "not_found", []],
  [
    "the last passkey beside one whose removal has begun",
    { passkeys: ["a", "b"], pendingRemoval: "a" },
    passkey("b"),
    "last",
    ["b"],
  ],
  [
    "the password beside a passkey whose removal has begun",
    { passwordHash: "hash", passkeys: ["a"], pendingRemoval: "a" },
    PASSWORD,
    "last",
    ["password"],
  ],
  [
    "the passkey whose removal has begun",
    { passkeys: ["a", "b"], pendingRemoval: "a" },
    passkey("a"),
    "removed",
    ["b"],
  ],
  [
    "a passkey after one that was deleted",
    { passkeys: ["b", "c"], pendingRemoval: "a" },
    passkey("b"),
    "removed",
    ["c"],
  ],
  [
    "a passkey beside a removal of another user's",
    { passkeys: ["a", "b"], pendingRemoval: "eve's" },
    passkey("a"),
    "removed",
    ["b"],
  ],
];

for (const [why, ways, way, outcome, rest] of REMOVALS) {
  Deno.test(`removeWayIn() is ${outcome}: ${why}`, async () => {
    const stores = await withUser(ways);
    const before = await stores.users.findBySub("u1");
    assertEquals(await removeWayIn(stores, "u1", way), outcome);
    assertEquals(await waysOf(stores), rest);
    const listed = (await stores.credentials.list("u1")).map(({ id }) => id).sort();
    assertEquals(listed, rest.filter((one) => one !== "password"), "no removal is left open");
    assertEquals((await stores.credentials.list("u9")).length, 1, "another user's stays");
    const after = await stores.users.findBySub("u1");
    const isBegun = outcome === "removed" && ways.pendingRemoval !== (way.id ?? "");
    assertEquals(after?.version !== before?.version, isBegun, "written only if it begins");
    assertEquals(after?.securityStamp, before?.securityStamp, "sessions stay valid");
  });
}

Deno.test("removeWayIn() does not find an unknown user", async () => {
  const stores = await withUser({ passkeys: ["a"] });
  assertEquals(await removeWayIn(stores, "u2", passkey("a")), "not_found");
  assertEquals(await waysOf(stores), ["a"]);
});

Deno.test("removeWayIn() without a store of passkeys keeps the password", async () => {
  const { users } = await withUser({ passwordHash: "hash", passkeys: ["a"] });
  assertEquals(await removeWayIn({ users }, "u1", PASSWORD), "last");
  assertEquals(await removeWayIn({ users }, "u1", passkey("a")), "not_found");
});

for (const passwordHash of [null, "", 0, new Uint8Array([36])]) {
  Deno.test(`removeWayIn() does not count a passwordHash that is no password: ${typeof passwordHash} ${passwordHash}`, async () => {
    const { users, credentials } = await withUser({ passkeys: ["a"] });
    const odd = {
      ...users,
      async findBySub(sub: string) {
        const user = await users.findBySub(sub);
        return user && { ...user, passwordHash: passwordHash as string };
      },
    };
    assertEquals(await removeWayIn({ users: odd, credentials }, "u1", passkey("a")), "last");
    assertEquals(await removeWayIn({ users: odd, credentials }, "u1", PASSWORD), "not_found");
  });
}

/** What 200 concurrent requests remove, and how many ways remain. */
const RACES: readonly (readonly [why: string, ways: Ways])[] = [
  ["a password and a passkey", { passwordHash: "hash", passkeys: ["a"] }],
  ["2 passkeys", { passkeys: ["a", "b"] }],
  ["3 passkeys", { passkeys: ["a", "b", "c"] }],
  ["4 passkeys", { passkeys: ["a", "b", "c", "d"] }],
  ["5 passkeys", { passkeys: ["a", "b", "c", "d", "e"] }],
  ["a password and 4 passkeys", { passwordHash: "hash", passkeys: ["a", "b", "c", "d"] }],
];

/** Removes every way of a user by 200 concurrent calls, and requires that one remains. */
async function raceAll(
  processes: readonly [AuthStores, ...AuthStores[]],
  given: Ways,
): Promise<void> {
  const { passwordHash, passkeys = [] } = given;
  const stores = await withUser(given, processes[0]);
  const ways = [...(passwordHash === undefined ? [] : [PASSWORD]), ...passkeys.map(passkey)];
  const outcomes = await Promise.all(repeat(200, (racer) => {
    const way = ways[racer % ways.length] ?? PASSWORD;
    return removeWayIn(processes[racer % processes.length] ?? stores, "u1", way);
  }));
  assertEquals((await waysOf(stores)).length, 1);
  const { pendingRemoval } = await stores.users.findBySub("u1") ?? {};
  const left = (await stores.credentials.list("u1")).map(({ id }) => id);
  assert(!left.includes(pendingRemoval ?? ""), "no removal is left open");
  const removed = outcomes.filter((outcome) => outcome === "removed").length;
  assert(removed >= ways.length - 1 && outcomes.includes("last"), `${removed} removed`);
}

/** Processes whose calls of one database take so many turns. */
function storesOf(turns: readonly [number, ...number[]]): readonly [AuthStores, ...AuthStores[]] {
  const [first, ...others] = memoryAdapters({ now, turns });
  return [authStores(first), ...others.map(authStores)];
}

const TURNS = [[0], [1], [1, 4, 2], [3, 1, 7, 2]] as const;
for (const [why, ways] of RACES) {
  for (const turns of TURNS) {
    Deno.test(`removeWayIn() leaves one way to 200 concurrent removals of ${why}, latency ${turns}`, async () => {
      await raceAll(storesOf(turns), ways);
    });
  }

  Deno.test(`removeWayIn() over a naive adapter fails the race of ${why}`, async () => {
    const stores = authStores(naiveAdapter({ now }));
    await assertRejects(() => raceAll([stores], ways), AssertionError);
  });
}

Deno.test("removeWayIn() leaves one way to a removal of the password and of the last passkey, wherever they interleave", async () => {
  for (const delay of repeat(24, (turns) => turns)) {
    for (const first of [PASSWORD, passkey("a")]) {
      const ways = { passwordHash: "hash", passkeys: ["a"] };
      const stores = await withUser(ways, storesOf([2])[0]);
      const second = first === PASSWORD ? passkey("a") : PASSWORD;
      const later = async () => {
        for (const _ of repeat(delay, () => 0)) await Promise.resolve();
        return await removeWayIn(stores, "u1", second);
      };
      const outcomes = await Promise.all([removeWayIn(stores, "u1", first), later()]);
      assertEquals(outcomes.toSorted(), ["last", "removed"], `${first.kind} ${delay}`);
      assertEquals((await waysOf(stores)).length, 1);
    }
  }
});

/** Stores in which the deletion of passkeys fails once, as in a crash after the removal has begun. */
async function withCrash(ways: Ways): Promise<AuthStores> {
  const stores = await withUser(ways);
  let fails = true;
  const remove = stores.credentials.delete;
  const credentials = {
    ...stores.credentials,
    delete(id: string) {
      if (!fails) return remove(id);
      fails = false;
      return Promise.reject(new Error("The store is out of order"));
    },
  };
  return { ...stores, credentials };
}

/** What a user may do after a removal of the passkey `a` was interrupted. */
const AFTER_CRASH: readonly (readonly [
  why: string,
  ways: Ways,
  way: WayIn,
  outcome: "removed" | "not_found" | "last",
  rest: readonly string[],
])[] = [
  ["the same removal again", { passkeys: ["a", "b"] }, passkey("a"), "removed", ["b"]],
  ["the other passkey, which is the last", { passkeys: ["a", "b"] }, passkey("b"), "last", ["b"]],
  ["another passkey", { passkeys: ["a", "b", "c"] }, passkey("b"), "removed", ["c"]],
  ["an unknown passkey", { passkeys: ["a", "b"] }, passkey("x"), "not_found", ["b"]],
  ["the password, which is the last", { passwordHash: "hash", passkeys: ["a"] }, PASSWORD, "last", [
    "password",
  ]],
];
for (const [why, ways, way, outcome, rest] of AFTER_CRASH) {
  Deno.test(`removeWayIn() finishes an interrupted removal, and does not count its passkey: ${why}`, async () => {
    const stores = await withCrash(ways);
    await assertRejects(() => removeWayIn(stores, "u1", passkey("a")), Error, "out of order");
    assertEquals((await stores.users.findBySub("u1"))?.pendingRemoval, "a");
    assert(await stores.credentials.find("a") !== null);
    assertEquals(await removeWayIn(stores, "u1", way), outcome);
    assertEquals(await stores.credentials.find("a"), null);
    assertEquals(await waysOf(stores), rest);
  });
}

Deno.test("removeWayIn() begins no removal while the interrupted one cannot be finished", async () => {
  const stores = await withUser({ passkeys: ["a", "b", "c"], pendingRemoval: "a" });
  const fail = () => Promise.reject(new Error("The store is out of order"));
  const broken = { ...stores, credentials: { ...stores.credentials, delete: fail } };
  await assertRejects(() => removeWayIn(broken, "u1", passkey("b")), Error, "out of order");
  assertEquals((await stores.users.findBySub("u1"))?.pendingRemoval, "a");
  assertEquals(await waysOf(stores), ["b", "c"]);
});

Deno.test("removeWayIn() decides again if the user was changed meanwhile, and gives up after 5 attempts", async () => {
  const stores = await withUser({ passwordHash: "hash", passkeys: ["a"] });
  const patches: UserPatch[] = [];
  const users = {
    ...stores.users,
    update(_sub: string, _version: string, patch: UserPatch) {
      patches.push(patch);
      return Promise.resolve("lost" as const);
    },
  };
  const error = await assertRejects(
    () => removeWayIn({ ...stores, users }, "u1", passkey("a")),
    AuthError,
  );
  assertEquals([error.code, error.reason], ["service_unavailable", "update_conflict"]);
  assertEquals(patches, repeat(5, () => ({ pendingRemoval: "a" })));
  assertEquals(await waysOf(stores), ["a", "password"]);
});
