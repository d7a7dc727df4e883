/**
 * Repeated rotations: what is checked when the store says `repeated`, since a moment later the family may have changed. The flow is
 * in `tests/auth/server/refresh_reuse_test.ts`.
 */

import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import { digestText } from "../../../auth/_kdf.ts";
import type { RefreshFamily, User } from "../../../auth/stores/types.ts";
import { repeatableRefreshService } from "../../../auth/tokens/repeatable_refresh.ts";
import { createServices, START } from "../_services.ts";
import { STAMPED } from "./_refresh.ts";

const SECONDS = 10;
const ADA = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };

/** A service, a token that was rotated once, and what the stores answer from then on. */
async function rotated() {
  const { stores, clock } = createServices();
  await stores.users.create({ ...ADA, passwordHash: "$pbkdf2-sha256$the hash" });
  const change: {
    family: (family: RefreshFamily) => RefreshFamily | null;
    user: (user: User) => User | null;
    outcome?: "repeated";
  } = { family: (family) => family, user: (user) => user };
  const service = repeatableRefreshService({
    refreshTokens: {
      ...stores.refreshTokens,
      rotate: async (rotation) => change.outcome ?? await stores.refreshTokens.rotate(rotation),
      async find(id) {
        const family = await stores.refreshTokens.find(id);
        return family && change.family(family);
      },
    },
    users: {
      ...stores.users,
      async findBySub(sub) {
        const user = await stores.users.findBySub(sub);
        return user && change.user(user);
      },
    },
    now: () => clock.now,
  }, SECONDS);
  const { refreshToken, familyId } = await service.issue(STAMPED);
  const next = await service.rotate(refreshToken);
  const stored = async () => {
    const family = await stores.refreshTokens.find(familyId);
    if (family === null) throw new Error("The family is missing");
    return family;
  };
  return { service, clock, change, refreshToken, next, stored };
}

const secretOf = (token: string) => token.split(".")[1] ?? "";

Deno.test("repeatableRefreshService() computes the successor of the secret and a salt of its own", async () => {
  const { service, refreshToken, next, stored } = await rotated();
  const { previous } = await stored();
  assertMatch(previous?.salt ?? "", /^[\w-]{43}$/);
  assertEquals([previous?.hash, previous?.until], [
    await digestText(secretOf(refreshToken)),
    START + SECONDS,
  ]);
  // Other processes, and the next version, must compute the same
  assertEquals(
    secretOf(next.refreshToken),
    await digestText(`successor\n${previous?.salt}\n${secretOf(refreshToken)}`),
  );
  await service.rotate(next.refreshToken);
  assertNotEquals((await stored()).previous?.salt, previous?.salt);
});

/** What may have changed between the answer of the store and the look at the family. */
const CHANGES: readonly (readonly [
  why: string,
  reason: string,
  family: (family: RefreshFamily) => RefreshFamily | null,
  user?: (user: User) => User | null,
])[] = [
  ["was deleted", "reused", () => null],
  ["was revoked", "reused", (family) => ({ ...family, revoked: true })],
  ["keeps no rotation", "reused", ({ previous: _, ...family }) => family],
  ["was rotated by another secret", "reused", (family) => ({
    ...family,
    previous: { hash: "other", salt: "salt", until: START + SECONDS },
  })],
  ["was rotated too long ago", "reused", (family) => ({
    ...family,
    previous: { hash: "", salt: "", ...family.previous, until: START },
  })],
  ["has expired", "reused", (family) => ({ ...family, expiresAt: START })],
  ["has a user who was deleted", "stamp_changed", (family) => family, () => null],
  ["has a user who was disabled", "stamp_changed", (family) => family, (user) => ({
    ...user,
    disabled: true,
  })],
  ["has a user with a new password", "stamp_changed", (family) => family, (user) => ({
    ...user,
    securityStamp: "s2",
  })],
];

for (const [why, reason, family, user] of CHANGES) {
  Deno.test(`repeatableRefreshService() repeats nothing of a family that ${why} meanwhile`, async () => {
    const { service, change, refreshToken } = await rotated();
    change.outcome = "repeated";
    let looks = 0;
    change.family = (found) => ++looks === 1 ? found : family(found);
    if (user !== undefined) change.user = user;
    let prepared = 0;
    const prepare = () => Promise.resolve(void prepared++);
    const error = await assertRejects(() => service.rotate(refreshToken, { prepare }), AuthError);
    assertEquals([error.code, error.reason], ["invalid_refresh_token", reason]);
    assertEquals([looks, prepared], [2, 0]);
  });
}

Deno.test("repeatableRefreshService() prepares a repeated answer, whose refusal is passed on", async () => {
  const { service, refreshToken, next } = await rotated();
  const prepared: unknown[] = [];
  const again = await service.rotate(refreshToken, {
    prepare: ({ sub, familyId }) => Promise.resolve(void prepared.push([sub, familyId])),
  });
  assertEquals(again, next);
  assertEquals(prepared, [["u1", next.familyId]]);
  const refuse = () => Promise.reject(new RangeError("refused"));
  await assertRejects(() => service.rotate(refreshToken, { prepare: refuse }), RangeError);
});

Deno.test("repeatableRefreshService() passes on all other errors", async () => {
  const { service, clock, change, refreshToken } = await rotated();
  const malformed = await assertRejects(() => service.rotate("x"), AuthError);
  assertEquals(malformed.reason, "malformed");
  change.family = () => {
    throw new TypeError("store");
  };
  await assertRejects(() => service.rotate(refreshToken), TypeError, "store");
  change.family = (family) => family;
  clock.now += SECONDS;
  const late = await assertRejects(() => service.rotate(refreshToken), AuthError);
  assertEquals(late.reason, "reused");
});
