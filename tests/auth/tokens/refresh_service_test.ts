/** Refresh tokens: rotation, reuse, limits, and invalid options and records. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { authStores } from "../../../auth/stores/repo.ts";
import { sqlAdapter } from "../../../auth/stores/engines/sql.ts";
import { digestText } from "../../../auth/_kdf.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { RefreshFamily, User } from "../../../auth/stores/types.ts";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import type {
  IssuedRefreshToken,
  IssueRefreshTokenOptions,
  RefreshFailure,
  RefreshServiceOptions,
} from "../../../auth/tokens/refresh_types.ts";
import { patchUser, refusal, repeat, setDisabled, START, types } from "../_services.ts";
import {
  type Begun,
  begun,
  DAY,
  failure,
  familyOf,
  foreignSecret,
  type RefreshOptions,
  STAMPED,
  withOdd,
  type WithRefresh,
  withRefresh,
  withStore,
} from "./_refresh.ts";

const GRANTED = {
  sessionId: "session 1",
  scope: ["notes:read", "notes:write"],
  data: { clientId: "app", deep: { list: [1, null] } },
};

Deno.test("issue() creates a family and stores only the digest of its secret", async () => {
  const kept: RefreshFamily[] = [];
  const { refresh, events } = await withRefresh(withStore((store) => ({
    create(family) {
      kept.push(family);
      return store.create(family);
    },
  })));
  const issued = await refresh.issue({ ...STAMPED, acr: "urn:example:aal2" }, GRANTED);
  assertMatch(issued.refreshToken, /^[\w-]{22}\.[\w-]{43}$/);
  const [handle = "", secret = ""] = issued.refreshToken.split(".");
  const id = await digestText(handle);
  assertEquals(issued, {
    refreshToken: issued.refreshToken,
    expiresAt: START + 14 * DAY,
    familyId: id,
  });
  assertEquals(kept, [{
    id,
    ...STAMPED,
    acr: "urn:example:aal2",
    ...GRANTED,
    currentHash: await digestText(secret),
    generation: 0,
    revoked: false,
    createdAt: START,
    expiresAt: START + 14 * DAY,
    familyExpiresAt: START + 30 * DAY,
  }]);
  assert(!JSON.stringify(kept).includes(secret));
  assertEquals(events, []);
});

Deno.test("issue() omits unknown members", async () => {
  const services = await withRefresh();
  const options = { sessionId: undefined, scope: undefined, data: undefined };
  const family = await familyOf(services, await services.refresh.issue(STAMPED, options));
  for (const member of ["acr", "sessionId", "scope", "data"]) assert(!(member in family), member);
});

Deno.test("issue() creates a new family each time", async () => {
  const { refresh } = await withRefresh();
  const issued = await Promise.all(repeat(20, () => refresh.issue(STAMPED)));
  assertEquals(new Set(issued.map(({ familyId }) => familyId)).size, 20);
  assertEquals(new Set(issued.map(({ refreshToken }) => refreshToken.split(".")[1])).size, 20);
  for (const { refreshToken } of issued) {
    assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
  }
});

Deno.test("rotate() returns the next token and the grant, and emits refresh.rotated", async () => {
  const services = await withRefresh();
  const { refresh, clock, events, asked } = services;
  const first = await refresh.issue({ ...STAMPED, acr: "urn:example:aal2" }, GRANTED);
  clock.now += DAY;
  asked.length = 0;
  const second = await refresh.rotate(first.refreshToken);
  const [handle = "", secret = ""] = second.refreshToken.split(".");
  assertEquals(handle, first.refreshToken.split(".")[0]);
  assertEquals(await digestText(handle), first.familyId);
  assertNotEquals(second.refreshToken, first.refreshToken);
  assertEquals(second, {
    refreshToken: second.refreshToken,
    expiresAt: START + 15 * DAY,
    familyId: first.familyId,
    ...STAMPED,
    acr: "urn:example:aal2",
    ...GRANTED,
  });
  const { currentHash, generation, expiresAt } = await familyOf(services, first);
  const kept = [await digestText(secret), 1, START + 15 * DAY];
  assertEquals([currentHash, generation, expiresAt], kept);
  const told = { sub: "u1", familyId: first.familyId, sessionId: "session 1" };
  assertEquals(events, [{ type: "refresh.rotated", at: clock.now, ...told }]);
  assertEquals(asked, ["find", "rotate"]);
});

Deno.test("rotate() works with each next token, and keeps the original sign-in", async () => {
  const { refresh, clock, events } = await withRefresh();
  let { refreshToken, familyId } = await refresh.issue(STAMPED);
  const seen = new Set([refreshToken]);
  for (const _ of repeat(20, () => 0)) {
    clock.now += DAY;
    const next = await refresh.rotate(refreshToken);
    const { sub, securityStamp, authTime, amr } = next;
    assertEquals({ sub, securityStamp, authTime, amr }, STAMPED);
    assertEquals(["acr", "sessionId", "scope", "data"].filter((member) => member in next), []);
    assertEquals(next.familyId, familyId);
    ({ refreshToken, familyId } = next);
    seen.add(refreshToken);
  }
  assertEquals(seen.size, 21);
  assertEquals(types(events), repeat(20, () => "refresh.rotated"));
  assert(events.every((event) => !("sessionId" in event)));
});

Deno.test("rotate() keeps families of one user apart", async () => {
  const { refresh } = await withRefresh();
  const [a, b] = [await refresh.issue(STAMPED), await refresh.issue(STAMPED)];
  await refresh.rotate(a.refreshToken);
  assertEquals(await failure(() => refresh.rotate(a.refreshToken)), "reused");
  assertEquals((await refresh.rotate(b.refreshToken)).familyId, b.familyId);
});

Deno.test("rotate() rejects a secret of another family", async () => {
  const services = await withRefresh();
  const { refresh } = services;
  const [a, b] = [await refresh.issue(STAMPED), await refresh.issue(STAMPED)];
  const mixed = a.refreshToken.slice(0, 23) + b.refreshToken.slice(23);
  assertEquals(await failure(() => refresh.rotate(mixed)), "reused");
  assertEquals((await familyOf(services, a)).revoked, true);
  assertEquals((await refresh.rotate(b.refreshToken)).familyId, b.familyId);
});

const MALFORMED: readonly [why: string, of: (token: string) => unknown][] = [
  ["empty", () => ""],
  ["a dot", () => "."],
  ["only the family", (token) => token.slice(0, 22)],
  ["the family and a dot", (token) => token.slice(0, 23)],
  ["only the secret", (token) => token.slice(23)],
  ["without its first character", (token) => token.slice(1)],
  ["without its last character", (token) => token.slice(0, -1)],
  ["one character longer", (token) => `${token}A`],
  ["one character longer in the family", (token) => `A${token}`],
  ["three parts", (token) => `${token}.`],
  ["another separator", (token) => token.replace(".", "_")],
  ["padding", (token) => `${token.slice(0, -1)}=`],
  ["the plain alphabet", (token) => `${token.slice(0, -2)}+A`],
  ["a line feed at the end", (token) => `${token}\n`],
  ["white space before it", (token) => ` ${token}`],
  ["NUL at the end", (token) => `${token}\0`],
  ["other letters", (token) => `${token.slice(0, -2)}éA`],
  ["a non-zero trailing bit in the family", (token) => `${token.slice(0, 21)}B${token.slice(22)}`],
  ["a non-zero trailing bit in the secret", (token) => `${token.slice(0, -1)}B`],
  ["1 MB", () => "A".repeat(1_000_000)],
  ["a number", () => 1e42],
  ["null", () => null],
  ["absent", () => undefined],
  ["an array of a token", (token) => [token]],
  ["an object that converts to a token", (token) => ({ toString: () => token })],
];
for (const [why, of] of MALFORMED) {
  Deno.test(`rotate() and revoke() do not read the store for a malformed token: ${why}`, async () => {
    const { refresh, asked, events } = await withRefresh();
    const { refreshToken } = await refresh.issue(STAMPED);
    asked.length = 0;
    const token = of(refreshToken) as string;
    assertEquals(await failure(() => refresh.rotate(token)), "malformed");
    await refresh.revoke(token);
    assertEquals(asked, []);
    assertEquals(events, []);
    assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
  });
}

Deno.test("rotate() rejects an unknown family, and emits nothing", async () => {
  const { refresh, asked, events } = await withRefresh();
  const { refreshToken } = await refresh.issue(STAMPED);
  asked.length = 0;
  const unknown = `${"A".repeat(22)}${refreshToken.slice(22)}`;
  assertEquals(await failure(() => refresh.rotate(unknown)), "not_found");
  assertEquals(asked, ["find"]);
  assertEquals(events, []);
});

Deno.test("rotate() rejects stored values as tokens", async () => {
  const services = await withRefresh();
  const issued = await services.refresh.issue(STAMPED);
  const { currentHash } = await familyOf(services, issued);
  for (
    const [token, reason] of [
      [`${issued.familyId}.${currentHash}`, "malformed"],
      [`${issued.familyId.slice(0, 21)}A.${currentHash}`, "not_found"],
    ] as const
  ) {
    assertEquals(await failure(() => services.refresh.rotate(token)), reason);
  }
  assertEquals((await services.refresh.rotate(issued.refreshToken)).sub, "u1");
});

Deno.test("revoke() revokes the family, is idempotent, and revokes no other", async () => {
  const services = await withRefresh();
  const { refresh, events } = services;
  const [a, b] = [await refresh.issue(STAMPED), await refresh.issue(STAMPED)];
  for (const _ of repeat(2, () => 0)) await refresh.revoke(a.refreshToken);
  assertEquals(await failure(() => refresh.rotate(a.refreshToken)), "revoked");
  assertEquals(await failure(() => refresh.rotate(a.refreshToken)), "revoked");
  assertEquals((await familyOf(services, a)).generation, 0);
  assertEquals(events, [
    { type: "refresh.revoked", at: START, sub: "u1", familyId: a.familyId },
  ]);
  assertEquals((await refresh.rotate(b.refreshToken)).familyId, b.familyId);
});

Deno.test("revoke() revokes the family by a token that was exchanged, or by a wrong secret", async () => {
  const { refresh, events } = await withRefresh();
  const wrong = (token: string) => `${token.slice(0, 23)}${"A".repeat(43)}`;
  for (const present of [(token: string) => token, wrong]) {
    const first = await refresh.issue(STAMPED);
    const second = await refresh.rotate(first.refreshToken);
    events.length = 0;
    await refresh.revoke(present(first.refreshToken));
    assertEquals(await failure(() => refresh.rotate(second.refreshToken)), "revoked");
    assertEquals(types(events), ["refresh.revoked"]);
  }
});

Deno.test("revoke() of an unknown family does nothing", async () => {
  const { refresh } = await withRefresh();
  const { refreshToken } = await refresh.issue(STAMPED);
  await refresh.revoke(`${"A".repeat(22)}${refreshToken.slice(22)}`);
  assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
});

Deno.test("rotate() and revoke() work without this", async () => {
  const { rotate, revoke, issue } = (await withRefresh()).refresh;
  const { refreshToken } = await rotate((await issue(STAMPED)).refreshToken);
  await revoke(refreshToken);
  assertEquals(await failure(() => rotate(refreshToken)), "revoked");
});

Deno.test("rotate() succeeds even if a listener throws", async () => {
  const { stores, clock } = await withRefresh();
  const warnings: string[] = [];
  const refresh = refreshService({
    ...stores,
    now: () => clock.now,
    events: () => Promise.reject(new Error("The listener is out of order")),
    warn: (message) => void warnings.push(message),
  });
  const { refreshToken } = await refresh.issue(STAMPED);
  assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(warnings, ["Cannot deliver event refresh.rotated: the listener failed"]);
});

Deno.test("issue() passes on errors of the store", async () => {
  const down = () => Promise.reject(new Error("The store is out of order"));
  const { refresh } = await withRefresh(withStore(() => ({ create: down })));
  await assertRejects(() => refresh.issue(STAMPED), Error, "out of order");
});

/** Why there is no next token, though the family is known. */
const REFUSED: readonly (readonly [
  why: string,
  refuse: (services: WithRefresh) => unknown,
  reason: string,
])[] = [
  ["the user is disabled", ({ stores }) => setDisabled(stores), "user_disabled"],
  ["the user is deleted", ({ stores }) => stores.users.delete("u1"), "user_unknown"],
  [
    "the password was changed",
    ({ stores }) => patchUser(stores, { securityStamp: "s2" }),
    "stamp_changed",
  ],
  ["the token has expired", ({ clock }) => clock.now += 1_209_600, "expired"],
];

for (const [why, refuse, reason] of REFUSED) {
  Deno.test(`rotate() does not call prepare if ${why}`, async () => {
    const services = await withRefresh();
    const { refreshToken } = await services.refresh.issue(STAMPED);
    await refuse(services);
    const prepared: unknown[] = [];
    const prepare = (grant: unknown) => Promise.resolve(void prepared.push(grant));
    const error = await refusal(() => services.refresh.rotate(refreshToken, { prepare }));
    assertEquals([error.reason, prepared], [reason, []]);
  });
}

Deno.test("rotate() does not call prepare for a secret that is not the current one", async () => {
  const { refresh } = await withRefresh();
  const first = await refresh.issue(STAMPED);
  let count = 0;
  const prepare = () => Promise.resolve(void count++);
  await refusal(() => refresh.rotate(foreignSecret(first), { prepare }));
  assertEquals(count, 0);
});

Deno.test("rotate() does not use up the token if prepare rejects", async () => {
  const { refresh, asked } = await withRefresh();
  const { refreshToken } = await refresh.issue(STAMPED);
  asked.length = 0;
  const prepare = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    throw new Error("no keys");
  };
  await assertRejects(() => refresh.rotate(refreshToken, { prepare }), Error, "no keys");
  assertEquals(asked, ["find"]);
  assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
});

Deno.test("rotate() uses one time, however long prepare takes", async () => {
  const { refresh, clock } = await withRefresh();
  const { refreshToken, expiresAt } = await refresh.issue(STAMPED);
  const asked = clock.now = expiresAt - 1;
  const prepare = () => Promise.resolve(void (clock.now += 60));
  const next = await refresh.rotate(refreshToken, { prepare });
  assertEquals(next.expiresAt, asked + 1_209_600);
});

/** Users of a store that have no access. */
const USERS: readonly [
  why: string,
  user: (user: User | null) => User | null,
  reason: RefreshFailure,
][] = [
  ["nobody", () => null, "user_unknown"],
  ["a disabled user", (user) => user && { ...user, disabled: true }, "user_disabled"],
  [
    "a user who is disabled by a number, as in SQLite",
    (user) => user && { ...user, disabled: 1 as unknown as boolean },
    "user_disabled",
  ],
  [
    "a user with another stamp",
    (user) => user && { ...user, securityStamp: "s2" },
    "stamp_changed",
  ],
];
for (const [why, change, reason] of USERS) {
  Deno.test(`rotate() rejects the current token if the user store returns ${why}, and keeps it`, async () => {
    const services = await lagging(change);
    const { refresh, users, issued, events, clock } = services;
    const before = await familyOf(services, issued);
    users.lag = true;
    for (const _ of repeat(3, () => 0)) {
      clock.now += 60;
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), reason);
      const { generation: _, ...kept } = await familyOf(services, issued);
      const { generation: __, ...was } = before;
      assertEquals(kept, was);
    }
    assertEquals(events, []);
    users.lag = false;
    const next = await refresh.rotate(issued.refreshToken);
    assertEquals(next.expiresAt, clock.now + 14 * DAY);
    assertEquals(types(events), ["refresh.rotated"]);
  });

  Deno.test(`rotate() revokes the family by an old token even if the user store returns ${why}`, async () => {
    const services = await lagging(change);
    const { refresh, users, issued, events } = services;
    const second = await refresh.rotate(issued.refreshToken);
    events.length = 0;
    users.lag = true;
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "reused");
    users.lag = false;
    assertEquals(await failure(() => refresh.rotate(second.refreshToken)), "revoked");
    assertEquals(types(events), ["refresh.reuse_detected"]);
  });
}

const ENDS: readonly [
  why: string,
  end: (services: Begun) => Promise<unknown>,
  reason: RefreshFailure,
][] = [
  ["the user is disabled in the store only", ({ stores }) => setDisabled(stores), "user_disabled"],
  ["the user is disabled by the service", ({ accounts }) => accounts.disable("u1"), "revoked"],
  ["the user was disabled and is enabled again", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }, "revoked"],
  [
    "the user is deleted in the store only",
    ({ stores }) => stores.users.delete("u1"),
    "user_unknown",
  ],
  ["the user is deleted by the service", ({ accounts }) => accounts.remove("u1"), "revoked"],
  [
    "the stamp has changed",
    ({ stores }) => patchUser(stores, { securityStamp: "s2" }),
    "stamp_changed",
  ],
  [
    "the password was reset",
    ({ passwords }) => passwords.reset("u1", "babbage built engines"),
    "revoked",
  ],
  ["all sessions were revoked", ({ sessions }) => sessions.revokeAll("u1"), "revoked"],
  [
    "all sessions but another were revoked",
    ({ sessions }) => sessions.revokeOthers("u1", "session 2"),
    "revoked",
  ],
];
for (const [why, end, reason] of ENDS) {
  Deno.test(`rotate() rejects a token once ${why}`, async () => {
    const services = await begun();
    const { refresh, issued } = services;
    await end(services);
    for (const _ of repeat(3, () => 0)) {
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), reason);
    }
  });
}

Deno.test("rotate() works after the user changed the identifier", async () => {
  const { refresh, issued, accounts } = await begun();
  await accounts.changeIdentifier("u1", "countess");
  assertEquals((await refresh.rotate(issued.refreshToken)).sub, "u1");
});

Deno.test("rotate() rejects a token after its session is revoked, and keeps tokens of others", async () => {
  const services = await begun();
  const { refresh, sessions } = services;
  const [a, b] = [await sessions.create(STAMPED), await sessions.create(STAMPED)];
  const issue = ({ session }: typeof a) => refresh.issue(STAMPED, { sessionId: session.id });
  const [ofA, ofB] = [await issue(a), await issue(b)];
  await sessions.revokeToken(a.token);
  assertEquals(await failure(() => refresh.rotate(ofA.refreshToken)), "revoked");
  assertEquals((await refresh.rotate(ofB.refreshToken)).sessionId, b.session.id);
});

Deno.test("rotate() of a token from before one or more rotations revokes the family, and emits that once", async () => {
  for (const rotations of [1, 2, 10]) {
    const { refresh, issued, events, clock } = await begun({}, { sessionId: "session 1" });
    let newest: IssuedRefreshToken = issued;
    for (const _ of repeat(rotations, () => 0)) newest = await refresh.rotate(newest.refreshToken);
    events.length = 0;
    clock.now += 60;
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "reused");
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "revoked");
    assertEquals(await failure(() => refresh.rotate(newest.refreshToken)), "revoked");
    const told = { sub: "u1", familyId: issued.familyId, sessionId: "session 1" };
    assertEquals(events, [{ type: "refresh.reuse_detected", at: clock.now, ...told }]);
  }
});

Deno.test("rotate() of an unknown secret revokes the family in the token", async () => {
  const { refresh, issued, events } = await begun();
  assertEquals(await failure(() => refresh.rotate(foreignSecret(issued))), "reused");
  assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "revoked");
  assertEquals(events, [
    { type: "refresh.reuse_detected", at: START, sub: "u1", familyId: issued.familyId },
  ]);
});

/** A user store that can return past or future records. */
async function lagging(
  change: (user: User | null) => User | null,
): Promise<Begun & { readonly users: { lag: boolean } }> {
  const users = { lag: false };
  const services = await begun({
    wrap: (stores) => ({
      users: {
        ...stores.users,
        async findBySub(sub) {
          const user = await stores.users.findBySub(sub);
          return users.lag ? change(user) : user;
        },
      },
    }),
  });
  return { ...services, users };
}

type Limits = NonNullable<RefreshOptions["refresh"]>;

const UNUSED: readonly [limits: Limits, after: number, alive: boolean][] = [
  [{}, 14 * DAY - 1, true],
  [{}, 14 * DAY - 0.001, true],
  [{}, 14 * DAY, false],
  [{}, 14 * DAY + 1, false],
  [{}, 30 * DAY, false],
  [{ lifetime: 60 }, 59, true],
  [{ lifetime: 60 }, 60, false],
  [{ lifetime: 1, familyLifetime: 1 }, 0, true],
  [{ lifetime: 1, familyLifetime: 1 }, 1, false],
  [{ familyLifetime: 600 }, 599, true],
  [{ familyLifetime: 600 }, 600, false],
  [{ lifetime: 400 * DAY, familyLifetime: 400 * DAY }, 400 * DAY - 1, true],
  [{ lifetime: 400 * DAY, familyLifetime: 400 * DAY }, 400 * DAY, false],
];
for (const [limits, after, alive] of UNUSED) {
  Deno.test(`rotate() ${alive ? "accepts" : "rejects"} a token after ${after} s, with ${JSON.stringify(limits)}`, async () => {
    const services = await begun({ refresh: limits });
    services.clock.now += after;
    await requireAlive(services, alive);
  });
}

const STEADY: readonly [after: number, alive: boolean][] = [
  [30 * DAY - 1, true],
  [30 * DAY, false],
  [30 * DAY + 1, false],
];
for (const [after, alive] of STEADY) {
  Deno.test(`rotate() ${alive ? "accepts" : "rejects"} a token of a family in steady use after ${after} s`, async () => {
    const services = await begun();
    const { refresh, clock } = services;
    let { issued } = services;
    for (let day = 1; day < 30; day++) {
      clock.now = START + day * DAY;
      issued = await refresh.rotate(issued.refreshToken);
      assertEquals(issued.expiresAt, START + Math.min(day + 14, 30) * DAY);
      assertEquals((await familyOf(services, issued)).expiresAt, issued.expiresAt);
    }
    clock.now = START + after;
    await requireAlive({ ...services, issued }, alive);
  });
}

Deno.test("rotate() counts a token's lifetime from its own creation", async () => {
  const services = await begun({ refresh: { lifetime: 60 } });
  const { refresh, clock } = services;
  let { issued } = services;
  for (const _ of [1, 2, 3]) {
    clock.now += 59;
    issued = await refresh.rotate(issued.refreshToken);
    assertEquals(issued.expiresAt, clock.now + 60);
  }
  clock.now += 60;
  await requireAlive({ ...services, issued }, false);
});

const CHANGED: readonly [
  why: string,
  limits: Limits,
  after: number,
  expected: { readonly fresh: boolean; readonly rotated: boolean },
][] = [
  ["before the lower family limit", { familyLifetime: 600 }, 599, { fresh: true, rotated: true }],
  ["at the lower family limit", { familyLifetime: 600 }, 600, { fresh: false, rotated: false }],
  ["before the lower lifetime", { lifetime: 600 }, 599, { fresh: true, rotated: true }],
  ["at the lower lifetime, which a rotated token does not reach", { lifetime: 600 }, 600, {
    fresh: false,
    rotated: true,
  }],
  ["before the expiry of its creation", { lifetime: 30 * DAY }, 14 * DAY - 1, {
    fresh: true,
    rotated: true,
  }],
  ["at the expiry of its creation", { lifetime: 30 * DAY }, 14 * DAY, {
    fresh: false,
    rotated: true,
  }],
  ["at the expiry of the rotated token", { lifetime: 30 * DAY }, 14 * DAY + 300, {
    fresh: false,
    rotated: false,
  }],
];
for (const [why, limits, after, expected] of CHANGED) {
  for (const kind of ["fresh", "rotated"] as const) {
    Deno.test(`rotate() applies the current limits to an old family: ${kind}, ${why}`, async () => {
      const { stores, refresh, clock, issued: first } = await begun();
      clock.now = START + 300;
      const issued = kind === "fresh" ? first : await refresh.rotate(first.refreshToken);
      const today = await withRefresh({ stores, refresh: limits });
      today.clock.now = START + after;
      await requireAlive({ ...today, issued }, expected[kind]);
    });
  }
}

Deno.test("rotate() applies lower limits", async () => {
  const { stores, refresh, issued } = await begun();
  const second = await refresh.rotate(issued.refreshToken);
  const limits = { lifetime: 600, familyLifetime: 1_000 };
  const today = await withRefresh({ stores, refresh: limits });
  const third = await today.refresh.rotate(second.refreshToken);
  assertEquals(third.expiresAt, START + 600);
  today.clock.now = START + 599;
  const fourth = await today.refresh.rotate(third.refreshToken);
  assertEquals(fourth.expiresAt, START + 1_000);
  today.clock.now = START + 1_000;
  await requireAlive({ ...today, issued: fourth }, false);
});

Deno.test("rotate() does not accept an expired token at a second attempt", async () => {
  const { stores, issued } = await begun();
  const today = await withRefresh({ stores, refresh: { lifetime: 600 } });
  today.clock.now = START + 600;
  for (const _ of [1, 2, 3]) await requireAlive({ ...today, issued }, false);
});

Deno.test("rotate() under higher limits keeps the stored expiry of the family", async () => {
  const { stores, issued } = await begun();
  const limits = { lifetime: 60 * DAY, familyLifetime: 60 * DAY };
  const today = await withRefresh({ stores, refresh: limits });
  assertEquals((await today.refresh.rotate(issued.refreshToken)).expiresAt, START + 30 * DAY);
});

const AHEAD: readonly [ahead: number, alive: boolean][] = [
  [1, true],
  [300, true],
  [301, false],
  [DAY, false],
  [10 * 365 * DAY, false],
];
for (const [ahead, alive] of AHEAD) {
  Deno.test(`rotate() ${alive ? "accepts" : "rejects"} a token of a family that was created while the clock was ${ahead} s ahead`, async () => {
    const services = await begun();
    services.clock.now = START - ahead;
    await requireAlive(services, alive);
  });
}

Deno.test("rotate() of an old secret revokes the family even beyond a current limit", async () => {
  const { stores, refresh, issued } = await begun();
  await refresh.rotate(issued.refreshToken);
  const today = await withRefresh({ stores, refresh: { familyLifetime: 600 } });
  today.clock.now = START + 600;
  const { refresh: { rotate } } = today;
  assertEquals(await failure(() => rotate(issued.refreshToken)), "reused");
  assertEquals((await familyOf(today, issued)).revoked, true);
  assertEquals(await failure(() => rotate(issued.refreshToken)), "revoked");
});

Deno.test("rotate() does not read the user of an expired token", async () => {
  const services = await begun({
    wrap: ({ users }) => ({
      users: { ...users, findBySub: () => Promise.reject(new Error("The users were read")) },
    }),
  });
  services.clock.now += 14 * DAY;
  await requireAlive(services, false);
});

for (const now of [START * 1_000, NaN, Infinity, `${START}`]) {
  Deno.test(`issue() and rotate() reject a clock that returns ${typeof now} ${now}`, async () => {
    const services = await begun();
    const { refresh, clock, issued } = services;
    clock.now = now as number;
    for (
      const attempt of [
        () => refresh.issue(STAMPED),
        () => refresh.rotate(issued.refreshToken),
      ]
    ) await assertRejects(attempt, RangeError, "Invalid clock");
    clock.now = START;
    await requireAlive(services, true);
  });
}

const WRONG: readonly [why: string, limits: Limits][] = [
  ["a limit of zero", { lifetime: 0 }],
  ["negative", { lifetime: -1 }],
  ["a fraction", { lifetime: 1.5 }],
  ["a fraction for the family", { familyLifetime: DAY + 0.5 }],
  ["NaN", { lifetime: NaN }],
  ["NaN for the family", { familyLifetime: NaN }],
  ["Infinity for the family", { familyLifetime: Infinity }],
  ["a string", { lifetime: "600" as unknown as number }],
  ["null", { lifetime: null as unknown as number }],
  ["longer than the family's", { lifetime: 601, familyLifetime: 600 }],
  ["longer than the family's by default", { lifetime: 30 * DAY + 1 }],
  ["longer than 400 days", { familyLifetime: 400 * DAY + 1 }],
  ["a day in milliseconds", { familyLifetime: DAY * 1_000 }],
];
for (const [why, limits] of WRONG) {
  Deno.test(`refreshService() rejects limits: ${why}`, () => {
    const given = { ...inMemoryAuthStores(), ...limits };
    assertThrows(() => refreshService(given), RangeError, "Cannot create refresh service: ");
  });
}

Deno.test("refreshService() requires refreshTokens and users", () => {
  const { refreshTokens, users } = inMemoryAuthStores();
  const swapped = { refreshTokens: users, users: refreshTokens };
  for (const options of [undefined, null, {}, { refreshTokens }, { users }, swapped]) {
    const given = options as unknown as RefreshServiceOptions;
    const message = "Cannot create refresh service: refreshTokens or users are missing";
    assertThrows(() => refreshService(given), TypeError, message);
  }
});

/** Asserts that the token is valid, or is rejected without being revoked, and that nothing is emitted. */
async function requireAlive(services: Begun, alive: boolean): Promise<void> {
  const { refresh, issued, events } = services;
  events.length = 0;
  if (alive) {
    assertEquals((await refresh.rotate(issued.refreshToken)).familyId, issued.familyId);
    return;
  }
  assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "expired");
  assertEquals((await familyOf(services, issued)).revoked, false);
  assertEquals(events, []);
}

const UNSOUND: readonly [why: string, authentication: object][] = [
  ["an empty sub", { ...STAMPED, sub: "" }],
  ["a sub that is a number", { ...STAMPED, sub: 7 }],
  ["an empty stamp", { ...STAMPED, securityStamp: "" }],
  ["no stamp", { ...STAMPED, securityStamp: undefined }],
  ["no authTime", { ...STAMPED, authTime: undefined }],
  ["an authTime in milliseconds", { ...STAMPED, authTime: START * 1_000 }],
  ["an authTime in the future", { ...STAMPED, authTime: START + 301 }],
  ["no methods", { ...STAMPED, amr: undefined }],
  ["methods as one string", { ...STAMPED, amr: "pwd" }],
  ["nothing", {}],
];
for (const [why, authentication] of UNSOUND) {
  Deno.test(`issue() rejects an authentication with ${why}`, async () => {
    const { refresh, asked } = await withRefresh();
    const attempt = () => refresh.issue(authentication as typeof STAMPED);
    const message = "Cannot issue refresh token: the authentication must have";
    await assertRejects(attempt, TypeError, message);
    assertEquals(asked, []);
  });
}

const LOOP: Record<string, unknown> = { secret: "names of members must not be in logs" };
LOOP.itself = LOOP;

const OPTIONS: readonly [why: string, options: Record<string, unknown>, message: string][] = [
  ["an empty session", { sessionId: "" }, "sessionId must be a non-empty string"],
  ["a session that is null", { sessionId: null }, "sessionId must be a non-empty string"],
  [
    "a session that is an object",
    { sessionId: { id: "s1" } },
    "sessionId must be a non-empty string",
  ],
  ["scopes in one string", { scope: "notes:read notes:write" }, "scope must be an array"],
  ["scopes that are null", { scope: null }, "scope must be an array"],
  ["an empty scope", { scope: ["notes:read", ""] }, "scope must not have"],
  ["two scopes in one string", { scope: ["notes:read notes:write"] }, "scope must not have"],
  ["a scope with a quotation mark", { scope: ['a"b'] }, "scope must not have"],
  ["a scope with a backslash", { scope: ["a\\b"] }, "scope must not have"],
  ["a scope with a line feed", { scope: ["a\n"] }, "scope must not have"],
  ["a scope with NUL", { scope: ["\0"] }, "scope must not have"],
  ["a scope with DEL", { scope: ["\x7f"] }, "scope must not have"],
  ["a non-ASCII scope", { scope: ["notizen:ändern"] }, "scope must not have"],
  ["a duplicate scope", { scope: ["a", "a"] }, "scope must not have"],
  ["a scope that is a number", { scope: [7] }, "scope must be an array"],
  ["data that is a function", { data: () => 0 }, "data must be JSON"],
  ["data that is a symbol", { data: Symbol("data") }, "data must be JSON"],
  ["data with a bigint", { data: { id: 7n } }, "data must be JSON"],
  ["cyclic data", { data: LOOP }, "data must be JSON"],
];
for (const [why, options, message] of OPTIONS) {
  Deno.test(`issue() rejects ${why}`, async () => {
    const { refresh, asked } = await withRefresh();
    const attempt = () => refresh.issue(STAMPED, options as IssueRefreshTokenOptions);
    const type = message === "scope must not have" ? RangeError : TypeError;
    const error = await assertRejects(attempt, type, `Cannot issue refresh token: ${message}`);
    assert(!error.message.includes("secret"));
    assertEquals(asked, []);
  });
}

const SCOPES: readonly [why: string, scope: readonly string[]][] = [
  ["no scopes", []],
  ["the first and the last allowed characters", ["!", "#", "[", "]", "~"]],
  ["a URL", ["https://api.example.com/notes.read"]],
];
for (const [why, scope] of SCOPES) {
  Deno.test(`issue() stores scopes, which rotate() returns: ${why}`, async () => {
    const { refresh } = await withRefresh();
    const { refreshToken } = await refresh.issue(STAMPED, { scope });
    assertEquals((await refresh.rotate(refreshToken)).scope, scope);
  });
}

for (const data of [null, 0, "", "text", false, [], {}, { a: [1, { b: null }] }]) {
  Deno.test(`issue() stores data, which rotate() returns: ${JSON.stringify(data)}`, async () => {
    const { refresh } = await withRefresh();
    const { refreshToken } = await refresh.issue(STAMPED, { data });
    assertEquals((await refresh.rotate(refreshToken)).data, data);
  });
}

Deno.test("issue() copies arrays and data before it stores them", async () => {
  const [amr, scope, data] = [["pwd"], ["a"], { client: { id: "app" } }];
  const kept: RefreshFamily[] = [];
  const { refresh } = await withRefresh(withStore((store) => ({
    create(family) {
      kept.push(family);
      return store.create(family);
    },
  })));
  await refresh.issue({ ...STAMPED, amr }, { scope, data });
  [amr[0], scope[0], data.client.id] = ["none", "admin", "evil"];
  assertEquals(kept.map(({ amr, scope, data }) => ({ amr, scope, data })), [
    { amr: ["pwd"], scope: ["a"], data: { client: { id: "app" } } },
  ]);
});

const NO_TEXTS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
const NO_TIMES: readonly unknown[] = [null, undefined, `${START}`, BigInt(START), new Date(0), NaN];
const NO_NUMBERS: readonly unknown[] = [null, undefined, "0", 0n, 0.5, NaN];
const NO_LISTS: readonly unknown[] = ['["pwd"]', "pwd", 7, {}, [7], [null], new Set(["pwd"])];
const UNREADABLE: readonly [
  member: keyof RefreshFamily,
  type: string,
  values: readonly unknown[],
][] = [
  ["id", "a non-empty string", NO_TEXTS],
  ["sub", "a non-empty string", NO_TEXTS],
  ["securityStamp", "a non-empty string", NO_TEXTS],
  ["currentHash", "a non-empty string", NO_TEXTS],
  ["createdAt", "a number of seconds", NO_TIMES],
  ["expiresAt", "a number of seconds", NO_TIMES],
  ["familyExpiresAt", "a number of seconds", NO_TIMES],
  ["authTime", "a number of seconds", NO_TIMES],
  ["generation", "an integer", NO_NUMBERS],
  ["amr", "an array of strings", [null, undefined, ...NO_LISTS]],
  ["scope", "an array of strings", NO_LISTS],
];
for (const [member, type, values] of UNREADABLE) {
  for (const value of values) {
    Deno.test(`rotate() rejects with an error if ${member} is ${typeof value} ${value}`, async () => {
      const services = await withOdd({ [member]: value });
      const { refresh, issued, events, odd } = services;
      const message = `Cannot use refresh family: the stored ${member} must be ${type}`;
      await assertRejects(() => refresh.rotate(issued.refreshToken), TypeError, message);
      assertEquals(events, []);
      odd.patch = {};
      const { generation, revoked } = await familyOf(services, issued);
      assertEquals([generation, revoked], [0, false]);
    });
  }
}

const REVOKED: readonly [why: string, revoked: unknown, over: boolean][] = [
  ["SQLite and MySQL: a number", 1, true],
  ["a string column", "true", true],
  ["PostgreSQL's own letter", "t", true],
  ["a string that means no, which is not interpreted", "false", true],
  ["when it was revoked", new Date(0), true],
  ["SQLite and MySQL: zero", 0, false],
  ["a 64-bit zero", 0n, false],
  ["a column that was never set", null, false],
  ["a record without the member", undefined, false],
];
for (const [why, revoked, over] of REVOKED) {
  Deno.test(`rotate() ${over ? "rejects" : "accepts"} a token of a family whose revoked is: ${why}`, async () => {
    const { refresh, issued: { refreshToken } } = await withOdd({ revoked });
    if (over) assertEquals(await failure(() => refresh.rotate(refreshToken)), "revoked");
    else assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
  });
}

Deno.test("rotate() returns no members that a store adds, and no null members", async () => {
  const nulls = { acr: null, sessionId: null, scope: null, data: undefined };
  const { refresh, issued, events } = await withOdd({
    ...nulls,
    ip: "192.0.2.1",
    version: 3,
  });
  const { familyId, expiresAt, refreshToken: _, ...grant } = await refresh.rotate(
    issued.refreshToken,
  );
  assertEquals(grant, STAMPED);
  assertEquals(events, [{ type: "refresh.rotated", at: START, sub: "u1", familyId }]);
  assert(expiresAt > START);
});

Deno.test("rotate() stores nothing that prepare writes into the grant", async () => {
  using database = new DatabaseSync(":memory:");
  const adapter = sqlAdapter({
    dialect: "sqlite",
    query: (text, params) => database.prepare(text).all(...params),
  });
  await adapter.migrate();
  const stores = authStores(adapter);
  const { sub, securityStamp } = STAMPED;
  await stores.users.create({ sub, identifier: "ada", securityStamp, createdAt: START });
  const refresh = refreshService(stores);
  const options = { scope: ["read"], data: { tenant: "a" } };
  const { refreshToken } = await refresh.issue(STAMPED, options);
  const first = await refresh.rotate(refreshToken, {
    prepare(grant) {
      (grant.scope as string[]).push("admin");
      (grant.amr as string[]).push("mfa");
      (grant.data as { tenant: string }).tenant = "b";
      return Promise.resolve();
    },
  });
  const { scope, data, amr } = await refresh.rotate(first.refreshToken);
  assertEquals([scope, data, amr], [options.scope, options.data, STAMPED.amr]);
});

Deno.test("rotate() costs three statements on SQL: family, user, compare-and-swap; issue() two", async () => {
  using database = new DatabaseSync(":memory:");
  let statements = 0;
  const adapter = sqlAdapter({
    dialect: "sqlite",
    query(text, params) {
      statements++;
      return database.prepare(text).all(...params);
    },
  });
  await adapter.migrate();
  const stores = authStores(adapter);
  const { sub, securityStamp } = STAMPED;
  await stores.users.create({ sub, identifier: "ada", securityStamp, createdAt: START });
  const refresh = refreshService(stores);
  statements = 0;
  const { refreshToken } = await refresh.issue(STAMPED);
  assertEquals(statements, 2); // the list of the user's, the family
  statements = 0;
  const next = await refresh.rotate(refreshToken);
  assertEquals(statements, 3);
  await refusal(() => refresh.rotate(refreshToken));
  assertEquals((await refusal(() => refresh.rotate(next.refreshToken))).reason, "revoked");
});
