/** What a refresh service is told, and when it asks for what goes with the next token. */

import { assertEquals, assertRejects } from "@std/assert";
import { foreignSecret, STAMPED, type WithRefresh, withRefresh } from "./_refresh.ts";
import { patchUser, refusal, setDisabled } from "../_services.ts";

/** Why there is no next token, though the family is known. */
const REFUSED: readonly (readonly [
  why: string,
  refuse: (services: WithRefresh) => unknown,
  reason: string,
])[] = [
  ["the account is closed", ({ stores }) => setDisabled(stores), "user_disabled"],
  ["the account is gone", ({ stores }) => stores.users.delete("u1"), "user_unknown"],
  [
    "the password is another",
    ({ stores }) => patchUser(stores, { securityStamp: "s2" }),
    "stamp_changed",
  ],
  ["the token has ended", ({ clock }) => clock.now += 1_209_600, "expired"],
];

for (const [why, refuse, reason] of REFUSED) {
  Deno.test(`rotate() prepares nothing where ${why}`, async () => {
    const services = await withRefresh();
    const { refreshToken } = await services.refresh.issue(STAMPED);
    await refuse(services);
    const prepared: unknown[] = [];
    const prepare = (grant: unknown) => Promise.resolve(void prepared.push(grant));
    const error = await refusal(() => services.refresh.rotate(refreshToken, { prepare }));
    assertEquals([error.reason, prepared], [reason, []]);
  });
}

Deno.test("rotate() prepares nothing for a secret that is not the current one", async () => {
  const { refresh } = await withRefresh();
  const first = await refresh.issue(STAMPED);
  let count = 0;
  const prepare = () => Promise.resolve(void count++);
  await refusal(() => refresh.rotate(foreignSecret(first), { prepare }));
  assertEquals(count, 0);
});

Deno.test("rotate() uses nothing up where what goes with the next token cannot be had", async () => {
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

Deno.test("rotate() goes by one time, however long what goes with the next token takes", async () => {
  const { refresh, clock } = await withRefresh();
  const { refreshToken, expiresAt } = await refresh.issue(STAMPED);
  const asked = clock.now = expiresAt - 1;
  const prepare = () => Promise.resolve(void (clock.now += 60));
  const next = await refresh.rotate(refreshToken, { prepare });
  assertEquals(next.expiresAt, asked + 1_209_600);
});
