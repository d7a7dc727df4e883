/** How users end the sign-ins of their programs. */

import { assert, assertEquals } from "@std/assert";
import type { RefreshFamily } from "../../../auth/stores/types.ts";
import {
  begun,
  DAY,
  failure,
  familyOf,
  GRANTED,
  listIds,
  STAMPED,
  withEve,
  withRefresh,
  withStore,
} from "./_refresh.ts";
import { patchUser, repeat } from "../_services.ts";

Deno.test("end() ends one family of the user for good, says so once, and ends no other", async () => {
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
  assertEquals(events.map(({ type }) => type), ["refresh.rotated"]);
});

Deno.test("end() does not touch a family of another user, and tells it from none by nothing", async () => {
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
  ["the whole token", (_, token) => token],
  ["the digest", ({ currentHash }) => currentHash],
  ["the session", ({ sessionId }) => sessionId],
  ["the user", ({ sub }) => sub],
  ["white space behind", ({ id }) => `${id} `],
  ["a part", ({ id }) => id.slice(0, -1)],
  ["the prototype", () => "__proto__"],
  ["a pattern", () => "%"],
  ["absent", () => undefined],
  ["null", () => null],
  ["a list", ({ id }) => [id]],
  ["an object that says it is the id", ({ id }) => ({ toString: () => id })],
];
for (const [why, of] of NO_IDS) {
  Deno.test(`end() ends nothing by what is no id of a family: ${why}`, async () => {
    const services = await begun({}, GRANTED);
    const { refresh, issued, asked } = services;
    const id = of(await familyOf(services, issued), issued.refreshToken) as string;
    asked.length = 0;
    assertEquals(await refresh.revokeById("u1", id), false);
    assert(!asked.includes("revoke"));
    assertEquals((await refresh.rotate(issued.refreshToken)).sub, "u1");
  });
}

Deno.test("end() ends nothing where a store finds by a query, or is not exact in its texts", async () => {
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

Deno.test("end() ends a family whose token has ended, or that is under another stamp, as well", async () => {
  const services = await begun({}, GRANTED);
  const { refresh, stores, clock, issued } = services;
  clock.now += 14 * DAY;
  await patchUser(stores, { securityStamp: "s9" });
  assertEquals(await refresh.revokeById("u1", issued.familyId), true);
  assertEquals((await familyOf(services, issued)).revoked, true);
});

Deno.test("end() of a family leaves its session, and the session's other families", async () => {
  const services = await withRefresh();
  const { refresh, sessions } = services;
  const { token, session } = await sessions.create(STAMPED);
  const options = { sessionId: session.id };
  const [a, b] = [await refresh.issue(STAMPED, options), await refresh.issue(STAMPED, options)];
  assertEquals(await refresh.revokeById("u1", a.familyId), true);
  assertEquals((await sessions.verify(token))?.session.id, session.id);
  assertEquals(await listIds(services), [b.familyId]);
});

Deno.test("end() beside rotate() leaves nothing that is valid", async () => {
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
