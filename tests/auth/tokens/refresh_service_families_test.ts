/** Refresh families: what users see of the sign-ins of their API clients, concurrency, and failures of stores. */

import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type { RefreshFamily, RefreshTokenStore } from "../../../auth/stores/types.ts";
import type { RefreshFailure, RotatedRefreshToken } from "../../../auth/tokens/refresh_types.ts";
import { patchUser, repeat, setDisabled, START, types } from "../_services.ts";
import {
  type Begun,
  begun,
  DAY,
  failure,
  familyOf,
  foreignSecret,
  GRANTED,
  listIds,
  type RefreshOptions,
  STAMPED,
  withEve,
  withOdd,
  withRefresh,
  withStore,
} from "./_refresh.ts";

Deno.test("list() returns the families of a user, newest first, with their grants", async () => {
  const { refresh, clock } = await withEve();
  const a = await refresh.issue({ ...STAMPED, acr: "urn:example:aal2" }, GRANTED);
  clock.now += DAY;
  const b = await refresh.issue({ ...STAMPED, authTime: clock.now, amr: [] });
  await refresh.issue({ ...STAMPED, sub: "u2", securityStamp: "s2" });
  assertEquals(await refresh.list("u1"), [
    {
      familyId: b.familyId,
      createdAt: START + DAY,
      expiresAt: START + 15 * DAY,
      amr: [],
      authTime: START + DAY,
    },
    {
      familyId: a.familyId,
      createdAt: START,
      expiresAt: START + 14 * DAY,
      ...GRANTED,
      amr: ["pwd", "otp"],
      authTime: START - 5,
    },
  ]);
  assertEquals((await refresh.list("u2")).length, 1);
  for (const sub of ["nobody", "", "U1", "__proto__", b.familyId]) {
    assertEquals(await refresh.list(sub), [], sub);
  }
});

Deno.test("list() returns a family once, as of its last rotation", async () => {
  const { refresh, clock } = await withRefresh();
  let { refreshToken, familyId } = await refresh.issue(STAMPED);
  for (let day = 1; day <= 20; day++) {
    clock.now = START + day * DAY;
    ({ refreshToken, familyId } = await refresh.rotate(refreshToken));
    const [info, ...others] = await refresh.list("u1");
    const expiresAt = START + Math.min(day + 14, 30) * DAY;
    const { amr, authTime } = STAMPED;
    assertEquals(info, { familyId, createdAt: START, expiresAt, amr, authTime });
    assertEquals(others, []);
  }
});

Deno.test("list() returns no digest, secret or stamp, and no members that a store adds", async () => {
  const extra = { ip: "192.0.2.1", tokenHash: "the digest", passwordHash: "the hash" };
  const services = await withOdd({ ...extra, acr: null }, GRANTED);
  const { refresh, issued } = services;
  const second = await refresh.rotate(issued.refreshToken);
  await refresh.issue(STAMPED, GRANTED);
  const listed = await refresh.list("u1");
  assertEquals(listed.length, 2);
  const written = JSON.stringify(listed);
  const { currentHash } = await familyOf(services, issued);
  const secrets = [issued, second].map(({ refreshToken }) => refreshToken.split(".")[1] ?? "?");
  const hidden = [...secrets, ...Object.values(extra), currentHash, '"s1"', "Hash", "stamp"];
  for (const text of hidden) assert(!written.includes(text), text);
  const names = ["amr", "authTime", "createdAt", "data", "expiresAt", "familyId", "scope"];
  for (const info of listed) assertEquals(Object.keys(info).sort(), [...names, "sessionId"]);
});

Deno.test("list() omits null members", async () => {
  const { refresh, issued } = await withOdd({ sessionId: null, scope: null }, GRANTED);
  const [info] = await refresh.list("u1");
  assertEquals(info?.familyId, issued.familyId);
  assert(info !== undefined && !("sessionId" in info) && !("scope" in info));
});

const ENDED: readonly [why: string, end: (begun: Begun) => Promise<unknown>][] = [
  ["was revoked by its token", ({ refresh, issued }) => refresh.revoke(issued.refreshToken)],
  ["was revoked by its user", ({ refresh, issued }) => refresh.revokeById("u1", issued.familyId)],
  ["was revoked with its session", ({ sessions }) => sessions.revoke("u1", "session 1")],
  ["was revoked with all sessions", ({ sessions }) => sessions.revokeAll("u1")],
  [
    "was revoked with the password",
    ({ passwords }) => passwords.reset("u1", "babbage built engines"),
  ],
  ["was revoked with the account", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }],
  [
    "was revoked after reuse",
    ({ refresh, issued }) => failure(() => refresh.rotate(foreignSecret(issued))),
  ],
  [
    "has another stamp, although it was not revoked",
    ({ stores }) => patchUser(stores, { securityStamp: "s9" }),
  ],
  ["belongs to a disabled user", ({ stores }) => setDisabled(stores)],
  ["belongs to a deleted user", ({ stores }) => stores.users.delete("u1")],
];
for (const [why, end] of ENDED) {
  Deno.test(`list() omits a family that ${why}`, async () => {
    const services = await begun({}, GRANTED);
    assertEquals(await listIds(services), [services.issued.familyId]);
    await end(services);
    assertEquals(await listIds(services), []);
  });
}

type Limits = NonNullable<RefreshOptions["refresh"]>;

const TIMES: readonly [why: string, today: Limits, after: number, listed: boolean][] = [
  ["before its token expires", {}, 14 * DAY - 1, true],
  ["when its token expires", {}, 14 * DAY, false],
  ["after its token expired", {}, 14 * DAY + 1, false],
  ["after the family expired", {}, 30 * DAY + 1, false],
  ["before a lower limit of tokens", { lifetime: 600 }, 599, true],
  ["at a lower limit of tokens", { lifetime: 600 }, 600, false],
  ["before a lower limit of families", { familyLifetime: 600 }, 599, true],
  ["at a lower limit of families", { familyLifetime: 600 }, 600, false],
  ["after its token expired, under a higher limit", { lifetime: 30 * DAY }, 14 * DAY, false],
  ["created while the clock was 300 s ahead", {}, -300, true],
  ["created while the clock was 301 s ahead", {}, -301, false],
];
for (const [why, today, after, listed] of TIMES) {
  Deno.test(`list() ${listed ? "returns" : "omits"} what rotate() would ${listed ? "accept" : "reject"}: ${why}`, async () => {
    const { stores, issued } = await begun({}, GRANTED);
    const services = await withRefresh({ stores, refresh: today });
    services.clock.now = START + after;
    const infos = await services.refresh.list("u1");
    assertEquals(infos.map(({ familyId }) => familyId), listed ? [issued.familyId] : []);
    // Expires according to the current limits, not to those at its creation
    for (const { expiresAt } of infos) {
      services.clock.now = expiresAt - 1;
      assertEquals((await services.refresh.list("u1")).length, 1);
      services.clock.now = expiresAt;
      assertEquals((await services.refresh.list("u1")).length, 0);
    }
    services.clock.now = START + after;
    const attempt = () => services.refresh.rotate(issued.refreshToken);
    if (listed) assertEquals((await attempt()).sub, "u1");
    else assertEquals(await failure(attempt), "expired");
  });
}

const REVOKED: readonly [revoked: unknown, listed: boolean][] = [
  [1, false],
  ["t", false],
  ["false", false],
  [new Date(0), false],
  [0, true],
  [null, true],
  [undefined, true],
];
for (const [revoked, listed] of REVOKED) {
  Deno.test(`list() and revokeById() ${listed ? "find" : "do not find"} family whose revoked is ${typeof revoked} ${revoked}`, async () => {
    const services = await withOdd({ revoked }, GRANTED);
    assertEquals((await services.refresh.list("u1")).length, listed ? 1 : 0);
    assertEquals(await services.refresh.revokeById("u1", services.issued.familyId), listed);
  });
}

const UNREADABLE: readonly [member: keyof RefreshFamily, values: readonly unknown[]][] = [
  ["id", [null, undefined, "", 7]],
  ["sub", [null, undefined, "", 7]],
  ["securityStamp", [null, undefined, "", 7]],
  ["currentHash", [null, undefined, "", 7]],
  ["createdAt", [null, undefined, `${START}`, NaN]],
  ["expiresAt", [null, undefined, `${START}`, Infinity]],
  ["familyExpiresAt", [null, undefined, `${START}`, NaN]],
  ["authTime", [null, undefined, new Date(0), NaN]],
  ["generation", [null, undefined, "0", 0.5]],
  ["amr", [null, undefined, "pwd", [7]]],
  ["scope", ["notes:read", {}, [null]]],
];
for (const [member, values] of UNREADABLE) {
  Deno.test(`list() and revokeById() reject with an error if the store returns another type of ${member}`, async () => {
    for (const value of values) {
      const { refresh, issued } = await withOdd({ [member]: value }, GRANTED);
      const message = `Cannot use refresh family: the stored ${member} must be `;
      const attempts = [() => refresh.list("u1"), () => refresh.revokeById("u1", issued.familyId)];
      for (const attempt of attempts) {
        const error = await assertRejects(attempt, TypeError, message, `${value}`);
        assert(!error.message.includes(`${START}`));
      }
    }
  });
}

Deno.test("list() and revokeById() reject if a store rejects", async () => {
  const down = () => Promise.reject(new Error("The store is out of order"));
  const { refresh } = await withRefresh(withStore(() => ({ list: down, find: down })));
  const unended = await begun(withStore(() => ({ revoke: down })), GRANTED);
  const attempts = [
    () => refresh.list("u1"),
    () => refresh.revokeById("u1", "A".repeat(22)),
    () => unended.refresh.revokeById("u1", unended.issued.familyId),
  ];
  for (const attempt of attempts) await assertRejects(attempt, Error, "out of order");
  assertEquals(await listIds(unended), [unended.issued.familyId]);
});

Deno.test("list() and revokeById() work without this", async () => {
  const { issue, list, revokeById: end } = (await withRefresh()).refresh;
  const { familyId } = await issue(STAMPED);
  assertEquals((await list("u1")).length, 1);
  assertEquals(await end("u1", familyId), true);
  assertEquals(await list("u1"), []);
});

Deno.test("revokeById() revokes one family, returns true once, and keeps the others", async () => {
  const services = await withRefresh();
  const { refresh, events } = services;
  const [a, b] = [await refresh.issue(STAMPED), await refresh.issue(STAMPED)];
  const second = await refresh.rotate(a.refreshToken);
  events.length = 0;
  const before = await familyOf(services, a);
  assertEquals(await refresh.revokeById("u1", a.familyId), true);
  assertEquals(await familyOf(services, a), { ...before, revoked: true });
  for (const _ of repeat(2, () => 0)) {
    assertEquals(await refresh.revokeById("u1", a.familyId), false);
  }
  for (const { refreshToken } of [a, second]) {
    assertEquals(await failure(() => refresh.rotate(refreshToken)), "revoked");
  }
  assertEquals(await listIds(services), [b.familyId]);
  assertEquals((await refresh.rotate(b.refreshToken)).familyId, b.familyId);
  assertEquals(events.map(({ type }) => type), ["refresh.revoked", "refresh.rotated"]);
});

Deno.test("revokeById() does not revoke a family of another user, and answers as for an unknown one", async () => {
  const services = await withEve();
  const { refresh, asked, events } = services;
  const issued = await refresh.issue(STAMPED, GRANTED);
  const eves = await refresh.issue({ ...STAMPED, sub: "u2", securityStamp: "s2" }, GRANTED);
  const before = await familyOf(services, issued);
  const traces: unknown[] = [];
  for (const id of [issued.familyId, "A".repeat(22)]) {
    asked.length = 0;
    traces.push([await refresh.revokeById("u2", id), [...asked]]);
  }
  assertEquals(traces, [[false, ["find"]], [false, ["find"]]]);
  for (const sub of ["", "U1", "u1 ", "u", "__proto__", undefined as unknown as string]) {
    assertEquals(await refresh.revokeById(sub, issued.familyId), false);
  }
  assertEquals(await familyOf(services, issued), before);
  assertEquals(events, []);
  assertEquals((await refresh.rotate(issued.refreshToken)).sub, "u1");
  assertEquals((await refresh.rotate(eves.refreshToken)).sub, "u2");
});

const NO_IDS: readonly [why: string, of: (family: RefreshFamily, token: string) => unknown][] = [
  ["empty", () => ""],
  ["the handle", (_, token) => token.split(".")[0]],
  ["the whole token", (_, token) => token],
  ["the digest", ({ currentHash }) => currentHash],
  ["the session", ({ sessionId }) => sessionId],
  ["the user", ({ sub }) => sub],
  ["a trailing space", ({ id }) => `${id} `],
  ["a part", ({ id }) => id.slice(0, -1)],
  ["the prototype", () => "__proto__"],
  ["a pattern", () => "%"],
  ["absent", () => undefined],
  ["null", () => null],
  ["an array", ({ id }) => [id]],
  ["an object that converts to the id", ({ id }) => ({ toString: () => id })],
];
for (const [why, of] of NO_IDS) {
  Deno.test(`revokeById() revokes nothing for an invalid family id: ${why}`, async () => {
    const services = await begun({}, GRANTED);
    const { refresh, issued, asked } = services;
    const id = of(await familyOf(services, issued), issued.refreshToken) as string;
    asked.length = 0;
    assertEquals(await refresh.revokeById("u1", id), false);
    assert(!asked.includes("revoke"));
    assertEquals((await refresh.rotate(issued.refreshToken)).sub, "u1");
  });
}

Deno.test("revokeById() revokes nothing if a store returns another family", async () => {
  let found: RefreshFamily | null = null;
  const services = await withRefresh(withStore(() => ({ find: () => Promise.resolve(found) })));
  const { refresh, stores, asked } = services;
  const { familyId } = await refresh.issue(STAMPED);
  [found = null] = await stores.refreshTokens.list("u1");
  const query = { $ne: "" } as unknown as string;
  for (const id of [query, familyId.toLowerCase(), `${familyId} `]) {
    assertEquals(await refresh.revokeById("u1", id), false);
  }
  assert(!asked.includes("revoke"));
  assertEquals(await refresh.revokeById("u1", familyId), true);
});

Deno.test("revokeById() revokes a family with an expired token or another stamp too", async () => {
  const services = await begun({}, GRANTED);
  const { refresh, stores, clock, issued } = services;
  clock.now += 14 * DAY;
  await patchUser(stores, { securityStamp: "s9" });
  assertEquals(await refresh.revokeById("u1", issued.familyId), true);
  assertEquals((await familyOf(services, issued)).revoked, true);
});

Deno.test("revokeById() keeps the session and its other families", async () => {
  const services = await withRefresh();
  const { refresh, sessions } = services;
  const { token, session } = await sessions.create(STAMPED);
  const options = { sessionId: session.id };
  const [a, b] = [await refresh.issue(STAMPED, options), await refresh.issue(STAMPED, options)];
  assertEquals(await refresh.revokeById("u1", a.familyId), true);
  assertEquals((await sessions.verify(token))?.session.id, session.id);
  assertEquals(await listIds(services), [b.familyId]);
});

Deno.test("revokeById() concurrent with rotate() leaves no valid token", async () => {
  for (const at of [0, 1, 5, 9]) {
    const services = await begun({}, GRANTED);
    const { refresh, issued } = services;
    const tokens: string[] = [issued.refreshToken];
    const rotate = async () =>
      void tokens.push((await refresh.rotate(tokens[0] ?? "")).refreshToken);
    const end = async () => void await refresh.revokeById("u1", issued.familyId);
    await Promise.allSettled(repeat(10, (i) => i === at ? end() : rotate()));
    for (const token of tokens) await failure(() => refresh.rotate(token));
    assertEquals(await listIds(services), []);
  }
});

Deno.test("rotate() returns the next token to one of 50 concurrent calls, and the others revoke it", async () => {
  const services = await begun();
  const { refresh, issued, events } = services;
  const attempts = repeat(50, () => refresh.rotate(issued.refreshToken));
  const settled = await Promise.allSettled(attempts);
  const won = settled.flatMap((each): RotatedRefreshToken[] =>
    each.status === "fulfilled" ? [each.value] : []
  );
  assertEquals(won.length, 1);
  const lost = settled.filter(({ status }) => status === "rejected");
  assertEquals(lost.length, 49);
  for (const each of lost) {
    await failure(() => Promise.reject((each as PromiseRejectedResult).reason));
  }
  assertEquals((await familyOf(services, issued)).revoked, true);
  const newest = won[0]?.refreshToken ?? "";
  assertEquals(await failure(() => refresh.rotate(newest)), "revoked");
  assertEquals(types(events).sort(), ["refresh.reuse_detected", "refresh.rotated"]);
});

Deno.test("rotate() concurrent with revoke() leaves no valid token", async () => {
  for (const at of [0, 1, 5, 9]) {
    const { refresh, issued } = await begun();
    const works = repeat(
      10,
      (i) => i === at ? refresh.revoke(issued.refreshToken) : refresh.rotate(issued.refreshToken),
    );
    const settled = await Promise.allSettled(works);
    for (const each of settled) {
      const { refreshToken = "" } = each.status === "fulfilled" ? each.value ?? {} : {};
      if (refreshToken !== "") await failure(() => refresh.rotate(refreshToken));
    }
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "revoked");
  }
});

const KILLED: readonly [
  when: string,
  rotate: (store: RefreshTokenStore) => RefreshTokenStore["rotate"],
  expected: { readonly generation: number; readonly old: RefreshFailure | "valid" },
][] = [
  ["before", () => killed, { generation: 0, old: "valid" }],
  ["after", (store) => async (rotation) => {
    await store.rotate(rotation);
    return await killed();
  }, { generation: 1, old: "reused" }],
];
for (const [when, rotate, { generation, old }] of KILLED) {
  Deno.test(`rotate() killed ${when} the write of the store leaves the ${old === "valid" ? "old" : "next"} token valid, and no other`, async () => {
    let isKilled = true;
    const services = await begun(withStore((store) => ({
      rotate: (rotation) => (isKilled ? rotate(store) : store.rotate)(rotation),
    })));
    const { refresh, issued, events } = services;
    const before = await familyOf(services, issued);
    await assertRejects(() => refresh.rotate(issued.refreshToken), Error, "killed");
    assertEquals(events, []);
    const family = await familyOf(services, issued);
    assertEquals([family.generation, family.revoked], [generation, false]);
    assertEquals(family.currentHash === before.currentHash, old === "valid");
    isKilled = false;
    if (old === "valid") {
      const next = await refresh.rotate(issued.refreshToken);
      assertNotEquals(next.refreshToken, issued.refreshToken);
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "reused");
    } else {
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), old);
    }
    assertEquals((await familyOf(services, issued)).revoked, true);
  });
}

Deno.test("rotate() whose response is lost keeps the next token valid until the old one is reused", async () => {
  const { refresh, issued } = await begun();
  const lost = await refresh.rotate(issued.refreshToken);
  const next = await refresh.rotate(lost.refreshToken);
  assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "reused");
  assertEquals(await failure(() => refresh.rotate(next.refreshToken)), "revoked");
});

const DOWN: readonly [what: string, options: RefreshOptions][] = [
  ["find() rejects", withStore(() => ({ find: () => Promise.reject(outOfOrder()) }))],
  ["find() throws", withStore(() => ({ find: throwing }))],
  ["rotate() rejects", withStore(() => ({ rotate: () => Promise.reject(outOfOrder()) }))],
  ["rotate() throws", withStore(() => ({ rotate: throwing }))],
  ["users reject", {
    wrap: ({ users }) => ({ users: { ...users, findBySub: () => Promise.reject(outOfOrder()) } }),
  }],
  ["users throw", { wrap: ({ users }) => ({ users: { ...users, findBySub: throwing } }) }],
];
for (const [what, options] of DOWN) {
  Deno.test(`rotate() passes on the error if the store's ${what}`, async () => {
    const { refresh, issued, events } = await begun(options);
    await assertRejects(() => refresh.rotate(issued.refreshToken), Error, "out of order");
    assertEquals(events, []);
  });
}

const ANSWERS: readonly unknown[] = [undefined, null, true, false, "", "ok", "ROTATED", 1, {}, [
  "rotated",
]];
for (const answer of ANSWERS) {
  Deno.test(`rotate() rejects if the store returns ${JSON.stringify(answer)}`, async () => {
    const rotate = () => Promise.resolve(answer as "rotated");
    const { refresh, issued, events } = await begun(withStore(() => ({ rotate })));
    const attempt = () => refresh.rotate(issued.refreshToken);
    await assertRejects(attempt, TypeError, "Cannot rotate refresh token: the store");
    assertEquals(events, []);
  });
}

for (const outcome of ["reused", "expired", "revoked", "not_found"] as const) {
  Deno.test(`rotate() reports the store's outcome ${outcome}`, async () => {
    const rotate = () => Promise.resolve(outcome);
    const { refresh, issued, events } = await begun(withStore(() => ({ rotate })));
    assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), outcome);
    assertEquals(types(events), outcome === "reused" ? ["refresh.reuse_detected"] : []);
  });
}

Deno.test("revoke() rejects if the store rejects", async () => {
  const { refresh, issued } = await begun(withStore(() => ({
    revoke: () => Promise.reject(outOfOrder()),
  })));
  await assertRejects(() => refresh.revoke(issued.refreshToken), Error, "out of order");
});

function killed(): Promise<never> {
  return Promise.reject(new Error("The process was killed"));
}

function outOfOrder(): Error {
  return new Error("The store is out of order");
}

function throwing(): never {
  throw outOfOrder();
}

const KINDS: readonly (readonly [why: string, data: unknown, limit: number])[] = [
  ["without data", undefined, 100],
  ["of tokenService()", { clientId: "app", audience: "api", isDefaultScope: true }, 100],
  ["granted by an authorization server", { clientId: "app", audience: "api" }, 105],
  ["with other data", { device: "phone" }, 105],
];
for (const [why, data, limit] of KINDS) {
  Deno.test(`issue() keeps at most ${limit} of 105 families ${why}, the newest, and no other ones less`, async () => {
    const services = await withEve();
    const { refresh, clock, events } = services;
    const grant = await refresh.issue(STAMPED, { data: { clientId: "a grant" } });
    const eves = await refresh.issue({ ...STAMPED, sub: "u2", securityStamp: "s2" });
    const ids: string[] = [];
    for (const _ of repeat(105, () => 0)) {
      clock.now++;
      ids.unshift((await refresh.issue(STAMPED, { data })).familyId);
    }
    assertEquals(await listIds(services), [...ids.slice(0, limit), grant.familyId]);
    assertEquals(types(events), repeat(105 - limit, () => "refresh.revoked"));
    for (const { refreshToken } of [grant, eves]) await refresh.rotate(refreshToken);
  });
}

Deno.test("issue() counts no families that were revoked, so that a client that signs out costs nothing", async () => {
  const services = await withRefresh();
  const { refresh, stores } = services;
  const first = await refresh.issue(STAMPED);
  for (const _ of repeat(120, () => 0)) {
    await refresh.revoke((await refresh.issue(STAMPED)).refreshToken);
  }
  assertEquals(await listIds(services), [first.familyId]);
  assertEquals((await stores.refreshTokens.list("u1")).length, 1);
  assertEquals((await refresh.rotate(first.refreshToken)).sub, "u1");
});
