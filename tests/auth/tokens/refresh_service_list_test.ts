/** What users see of the sign-ins of their programs. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { RefreshFamily } from "../../../auth/stores/types.ts";
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
import { patchUser, setDisabled, START } from "../_services.ts";

Deno.test("list() gives the families of a user, the newest first, and what each stands for", async () => {
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

Deno.test("list() gives a family once, and where its last rotation has left it", async () => {
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

Deno.test("list() shows no digest, no secret and no stamp, and nothing that a store adds", async () => {
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
  const hidden = [...secrets, ...Object.values(extra), currentHash, "s1", "Hash", "stamp"];
  for (const text of hidden) assert(!written.includes(text), text);
  const names = ["amr", "authTime", "createdAt", "data", "expiresAt", "familyId", "scope"];
  for (const info of listed) assertEquals(Object.keys(info).sort(), [...names, "sessionId"]);
});

Deno.test("list() says nothing of null", async () => {
  const { refresh, issued } = await withOdd({ sessionId: null, scope: null }, GRANTED);
  const [info] = await refresh.list("u1");
  assertEquals(info?.familyId, issued.familyId);
  assert(info !== undefined && !("sessionId" in info) && !("scope" in info));
});

const ENDED: readonly [why: string, end: (begun: Begun) => Promise<unknown>][] = [
  ["was revoked by its token", ({ refresh, issued }) => refresh.revoke(issued.refreshToken)],
  ["was ended by its user", ({ refresh, issued }) => refresh.revokeById("u1", issued.familyId)],
  ["ended with its session", ({ sessions }) => sessions.revoke("u1", "session 1")],
  ["ended with all sessions", ({ sessions }) => sessions.revokeAll("u1")],
  ["ended with the password", ({ passwords }) => passwords.reset("u1", "a long new password")],
  ["ended with the account", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }],
  ["ended by reuse", ({ refresh, issued }) => failure(() => refresh.rotate(foreignSecret(issued)))],
  [
    "is under another stamp, although nobody revoked it",
    ({ stores }) => patchUser(stores, { securityStamp: "s9" }),
  ],
  ["is of a user who is disabled", ({ stores }) => setDisabled(stores)],
  ["is of a user who is gone", ({ stores }) => stores.users.delete("u1")],
];
for (const [why, end] of ENDED) {
  Deno.test(`list() leaves out a family that ${why}`, async () => {
    const services = await begun({}, GRANTED);
    assertEquals(await listIds(services), [services.issued.familyId]);
    await end(services);
    assertEquals(await listIds(services), []);
  });
}

type Limits = NonNullable<RefreshOptions["refresh"]>;

const TIMES: readonly [why: string, today: Limits, after: number, listed: boolean][] = [
  ["before its token's end", {}, 14 * DAY - 1, true],
  ["from its token's end on", {}, 14 * DAY, false],
  ["after its token's end", {}, 14 * DAY + 1, false],
  ["after its own end", {}, 30 * DAY + 1, false],
  ["before a lower limit of tokens", { lifetime: 600 }, 599, true],
  ["from a lower limit of tokens on", { lifetime: 600 }, 600, false],
  ["before a lower limit of families", { familyLifetime: 600 }, 599, true],
  ["from a lower limit of families on", { familyLifetime: 600 }, 600, false],
  ["past its end under a higher limit", { lifetime: 30 * DAY }, 14 * DAY, false],
  ["made while the clock was 300 s ahead", {}, -300, true],
  ["made while the clock was 301 s ahead", {}, -301, false],
];
for (const [why, today, after, listed] of TIMES) {
  Deno.test(`list() ${listed ? "gives" : "leaves out"} what rotate() would ${listed ? "take" : "refuse"}: ${why}`, async () => {
    const { stores, issued } = await begun({}, GRANTED);
    const services = await withRefresh({ stores, refresh: today });
    services.clock.now = START + after;
    const infos = await services.refresh.list("u1");
    assertEquals(infos.map(({ familyId }) => familyId), listed ? [issued.familyId] : []);
    // Says when the token ends by the limits of today, not when it was to end
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
  Deno.test(`list() and end() ${listed ? "know" : "know no"} family whose revoked is ${typeof revoked} ${revoked}`, async () => {
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
  Deno.test(`list() and end() reject, and loudly, where the store gives another type of ${member}`, async () => {
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

Deno.test("list() and end() reject where a store does", async () => {
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

Deno.test("list() and end() need no object around them", async () => {
  const { issue, list, revokeById: end } = (await withRefresh()).refresh;
  const { familyId } = await issue(STAMPED);
  assertEquals((await list("u1")).length, 1);
  assertEquals(await end("u1", familyId), true);
  assertEquals(await list("u1"), []);
});
