/**
 * `refreshReuseSeconds`: a refresh token whose answer was lost gets the same answer again. RFC 9700 §4.14.2 demands that a reuse is
 * detected: it still is, as soon as two parties have used the one successor.
 */

import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { userService } from "../../../auth/mod.ts";
import { RACERS } from "../../_effort.ts";
import { assertTokenError, claimsOf, type ServerSite, serverSite } from "./_site.ts";
import { granted, isAlive, lastRefusal, refreshAs, tokensOf } from "./_tokens.ts";

const SECONDS = 10;
const OFFLINE = { scope: "openid offline_access notes:read notes:write" } as const;

const site = () => serverSite({ server: { refreshReuseSeconds: SECONDS } });

const refresh = async (at: ServerSite, token: string, changes = {}) =>
  await tokensOf(await refreshAs(at, "spa", token, changes));

Deno.test("refreshTokens() answers a token again with the same successor, and new access tokens", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  const second = await refresh(at, first.refresh_token);
  at.app.clock.now += SECONDS - 1;
  const again = await refresh(at, first.refresh_token);
  assertEquals(again.refresh_token, second.refresh_token);
  assertNotEquals(again.access_token, second.access_token);
  assertEquals(claimsOf(again.access_token)["gid"], claimsOf(first.access_token)["gid"]);
  assertEquals(await isAlive(at, again), [true, true]);
});

Deno.test("refreshTokens() narrows the scope of a repeated answer as of any other", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  await refresh(at, first.refresh_token);
  const again = await refresh(at, first.refresh_token, { scope: "notes:read" });
  assertEquals(again.scope, "notes:read");
});

/** When a second use of the first token ends the grant. */
const REUSES:
  readonly (readonly [why: string, between: (at: ServerSite, next: string) => Promise<unknown>])[] =
    [
      ["after its successor was used", async (at, next) => await refresh(at, next)],
      ["when the time is over", (at) => Promise.resolve(at.app.clock.now += SECONDS)],
    ];

for (const [why, between] of REUSES) {
  Deno.test(`refreshTokens() ends the grant for a second use ${why} (GHSA-392p-2q2v-4372)`, async () => {
    const at = site();
    const first = await granted(at, OFFLINE);
    const second = await refresh(at, first.refresh_token);
    await between(at, second.refresh_token);
    await assertTokenError(await refreshAs(at, "spa", first.refresh_token), "invalid_grant");
    assertEquals(at.app.events.some(({ type }) => type === "refresh.reuse_detected"), true);
    assertEquals(await isAlive(at, second), [false, false]);
  });
}

Deno.test("refreshTokens() ends the grant when two parties have the one successor", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  const own = await refresh(at, first.refresh_token);
  const thief = await refresh(at, first.refresh_token);
  assertEquals(thief.refresh_token, own.refresh_token);
  const next = await refresh(at, own.refresh_token);
  at.app.clock.now += SECONDS;
  await assertTokenError(await refreshAs(at, "spa", thief.refresh_token), "invalid_grant");
  assertEquals(await isAlive(at, next), [false, false]);
});

Deno.test("refreshTokens() repeats no answer for another client, and the grant is still valid", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  const second = await refresh(at, first.refresh_token);
  for (const clientId of ["web", "post", "cli"]) {
    await assertTokenError(await refreshAs(at, clientId, first.refresh_token), "invalid_grant");
    assertEquals(lastRefusal(at), "client_mismatch");
  }
  assertEquals(await isAlive(at, second), [true, true]);
});

Deno.test("refreshTokens() repeats no answer for a user who was disabled, or a grant that was revoked", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  await refresh(at, first.refresh_token);
  await at.server.revokeGrant("u1", `${claimsOf(first.access_token)["gid"]}`);
  await assertTokenError(await refreshAs(at, "spa", first.refresh_token), "invalid_grant");
  const other = site();
  const tokens = await granted(other, OFFLINE);
  await refresh(other, tokens.refresh_token);
  await userService(other.app.stores).disable("u1");
  await assertTokenError(await refreshAs(other, "spa", tokens.refresh_token), "invalid_grant");
});

Deno.test("refreshTokens() gives all of many concurrent requests one successor", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  const all = await Promise.all(
    Array.from({ length: RACERS }, () => refresh(at, first.refresh_token)),
  );
  const successors = new Set(all.map(({ refresh_token }) => refresh_token));
  assertEquals(successors.size, 1);
  const [last] = all;
  assertEquals(last === undefined ? [] : await isAlive(at, last), [true, true]);
});

Deno.test("AuthorizationServer stores nothing from which a successor follows without the token", async () => {
  const at = site();
  const first = await granted(at, OFFLINE);
  const second = await refresh(at, first.refresh_token);
  const [family] = await at.app.stores.refreshTokens.list("u1");
  const stored = JSON.stringify(family);
  for (const token of [first.refresh_token, second.refresh_token]) {
    assertEquals(stored.includes(token.split(".")[1] ?? token), false);
  }
});

for (const refreshReuseSeconds of [0, -1, 1.5, 61, NaN, "10"]) {
  Deno.test(`AuthorizationServer refuses refreshReuseSeconds: ${refreshReuseSeconds}`, () => {
    const server = { refreshReuseSeconds: refreshReuseSeconds as number };
    assertThrows(() => serverSite({ server }), RangeError, "reuseSeconds");
  });
}
