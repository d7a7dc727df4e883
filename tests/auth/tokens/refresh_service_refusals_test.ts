/** Whom `rotate()` refuses, and what that costs: nothing, unless the secret is one that was exchanged before. */

import { assertEquals } from "@std/assert";
import type { IssuedRefreshToken, RefreshFailure } from "../../../auth/tokens/refresh_types.ts";
import type { User } from "../../../auth/stores/types.ts";
import { type Begun, begun, DAY, failure, familyOf, foreignSecret, STAMPED } from "./_refresh.ts";
import { patchUser, repeat, setDisabled, START, types } from "../_services.ts";

/** What a store gives for a user who may not enter. */
const USERS: readonly [
  why: string,
  user: (user: User | null) => User | null,
  reason: RefreshFailure,
][] = [
  ["nobody", () => null, "user_unknown"],
  ["a disabled one", (user) => user && { ...user, disabled: true }, "user_disabled"],
  [
    "one that is disabled in SQLite",
    (user) => user && { ...user, disabled: 1 as unknown as boolean },
    "user_disabled",
  ],
  ["one with another stamp", (user) => user && { ...user, securityStamp: "s2" }, "stamp_changed"],
];
for (const [why, change, reason] of USERS) {
  Deno.test(`rotate() refuses the current token where the users give ${why}, and keeps it`, async () => {
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

  Deno.test(`rotate() revokes the family by an old token even where the users give ${why}`, async () => {
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
  ["the user is disabled by hand", ({ stores }) => setDisabled(stores), "user_disabled"],
  ["the user is disabled by the service", ({ accounts }) => accounts.disable("u1"), "revoked"],
  ["the user was disabled and is enabled again", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }, "revoked"],
  ["the user is gone", ({ stores }) => stores.users.delete("u1"), "user_unknown"],
  ["the user is removed", ({ accounts }) => accounts.remove("u1"), "revoked"],
  [
    "the stamp has changed",
    ({ stores }) => patchUser(stores, { securityStamp: "s2" }),
    "stamp_changed",
  ],
  [
    "the password was reset",
    ({ passwords }) => passwords.reset("u1", "a long new password"),
    "revoked",
  ],
  ["all sessions were ended", ({ sessions }) => sessions.revokeAll("u1"), "revoked"],
  [
    "all sessions but another were ended",
    ({ sessions }) => sessions.revokeOthers("u1", "session 2"),
    "revoked",
  ],
];
for (const [why, end, reason] of ENDS) {
  Deno.test(`rotate() refuses a token once ${why}`, async () => {
    const services = await begun();
    const { refresh, issued } = services;
    await end(services);
    for (const _ of repeat(3, () => 0)) {
      assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), reason);
    }
  });
}

Deno.test("rotate() goes on where the user changed the identifier", async () => {
  const { refresh, issued, accounts } = await begun();
  await accounts.changeIdentifier("u1", "countess");
  assertEquals((await refresh.rotate(issued.refreshToken)).sub, "u1");
});

Deno.test("rotate() refuses a token once its own session was ended, and goes on once another was", async () => {
  const services = await begun();
  const { refresh, sessions } = services;
  const [a, b] = [await sessions.create(STAMPED), await sessions.create(STAMPED)];
  const issue = ({ session }: typeof a) => refresh.issue(STAMPED, { sessionId: session.id });
  const [ofA, ofB] = [await issue(a), await issue(b)];
  await sessions.revokeToken(a.token);
  assertEquals(await failure(() => refresh.rotate(ofA.refreshToken)), "revoked");
  assertEquals((await refresh.rotate(ofB.refreshToken)).sessionId, b.session.id);
});

Deno.test("rotate() of a token from before one or many rotations revokes the family, and tells once", async () => {
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

Deno.test("rotate() of a secret that never was revokes the family that it names", async () => {
  const { refresh, issued, events } = await begun();
  assertEquals(await failure(() => refresh.rotate(foreignSecret(issued))), "reused");
  assertEquals(await failure(() => refresh.rotate(issued.refreshToken)), "revoked");
  assertEquals(events, [
    { type: "refresh.reuse_detected", at: START, sub: "u1", familyId: issued.familyId },
  ]);
});

/** A copy of the users that at times gives what they were, or will be. */
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
