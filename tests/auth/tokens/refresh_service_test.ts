import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import type { RefreshFamily } from "../../../auth/stores/types.ts";
import { DAY, failure, familyOf, STAMPED, withRefresh, withStore } from "./_refresh.ts";
import { repeat, START, types } from "../_services.ts";

const GRANTED = {
  sessionId: "session 1",
  scope: ["notes:read", "notes:write"],
  data: { clientId: "app", deep: { list: [1, null] } },
};

Deno.test("issue() begins a family, and keeps the digest of its secret alone", async () => {
  const kept: RefreshFamily[] = [];
  const { refresh, events } = await withRefresh(withStore((store) => ({
    create(family) {
      kept.push(family);
      return store.create(family);
    },
  })));
  const issued = await refresh.issue({ ...STAMPED, acr: "urn:example:aal2" }, GRANTED);
  assertMatch(issued.refreshToken, /^[\w-]{22}\.[\w-]{43}$/);
  const [id = "", secret = ""] = issued.refreshToken.split(".");
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

Deno.test("issue() leaves out what is not known", async () => {
  const services = await withRefresh();
  const options = { sessionId: undefined, scope: undefined, data: undefined };
  const family = await familyOf(services, await services.refresh.issue(STAMPED, options));
  for (const member of ["acr", "sessionId", "scope", "data"]) assert(!(member in family), member);
});

Deno.test("issue() makes another family each time", async () => {
  const { refresh } = await withRefresh();
  const issued = await Promise.all(repeat(20, () => refresh.issue(STAMPED)));
  assertEquals(new Set(issued.map(({ familyId }) => familyId)).size, 20);
  assertEquals(new Set(issued.map(({ refreshToken }) => refreshToken.split(".")[1])).size, 20);
  for (const { refreshToken } of issued) {
    assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
  }
});

Deno.test("rotate() gives the next token and what the family stands for, and tells of it", async () => {
  const services = await withRefresh();
  const { refresh, clock, events, asked } = services;
  const first = await refresh.issue({ ...STAMPED, acr: "urn:example:aal2" }, GRANTED);
  clock.now += DAY;
  asked.length = 0;
  const second = await refresh.rotate(first.refreshToken);
  const [id, secret = ""] = second.refreshToken.split(".");
  assertEquals(id, first.familyId);
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

Deno.test("rotate() goes on with each next token, and the sign-in stays the first one", async () => {
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

Deno.test("rotate() takes no secret of another family", async () => {
  const services = await withRefresh();
  const { refresh } = services;
  const [a, b] = [await refresh.issue(STAMPED), await refresh.issue(STAMPED)];
  const mixed = `${a.familyId}.${b.refreshToken.split(".")[1]}`;
  assertEquals(await failure(() => refresh.rotate(mixed)), "reused");
  assertEquals((await familyOf(services, a)).revoked, true);
  assertEquals((await refresh.rotate(b.refreshToken)).familyId, b.familyId);
});

const MALFORMED: readonly [why: string, of: (token: string) => unknown][] = [
  ["empty", () => ""],
  ["a dot", () => "."],
  ["the family alone", (token) => token.slice(0, 22)],
  ["the family and a dot", (token) => token.slice(0, 23)],
  ["the secret alone", (token) => token.slice(23)],
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
  ["bits of no byte in the family", (token) => `${token.slice(0, 21)}B${token.slice(22)}`],
  ["bits of no byte in the secret", (token) => `${token.slice(0, -1)}B`],
  ["1 MB", () => "A".repeat(1_000_000)],
  ["a number", () => 1e42],
  ["null", () => null],
  ["absent", () => undefined],
  ["a list of a token", (token) => [token]],
  ["an object that says it is a token", (token) => ({ toString: () => token })],
];
for (const [why, of] of MALFORMED) {
  Deno.test(`rotate() and revoke() ask the store for no token that cannot be one: ${why}`, async () => {
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

Deno.test("rotate() refuses a family that nobody knows, and tells nobody", async () => {
  const { refresh, asked, events } = await withRefresh();
  const { refreshToken } = await refresh.issue(STAMPED);
  asked.length = 0;
  const unknown = `${"A".repeat(22)}${refreshToken.slice(22)}`;
  assertEquals(await failure(() => refresh.rotate(unknown)), "not_found");
  assertEquals(asked, ["find"]);
  assertEquals(events, []);
});

Deno.test("rotate() takes what is stored for no token", async () => {
  const services = await withRefresh();
  const issued = await services.refresh.issue(STAMPED);
  const { currentHash } = await familyOf(services, issued);
  const digest = `${issued.familyId}.${currentHash}`;
  assertEquals(await failure(() => services.refresh.rotate(digest)), "reused");
});

Deno.test("revoke() ends the family for good, may be repeated, and ends no other", async () => {
  const services = await withRefresh();
  const { refresh, events } = services;
  const [a, b] = [await refresh.issue(STAMPED), await refresh.issue(STAMPED)];
  for (const _ of repeat(2, () => 0)) await refresh.revoke(a.refreshToken);
  assertEquals(await failure(() => refresh.rotate(a.refreshToken)), "revoked");
  assertEquals(await failure(() => refresh.rotate(a.refreshToken)), "revoked");
  assertEquals((await familyOf(services, a)).generation, 0);
  assertEquals(events, []);
  assertEquals((await refresh.rotate(b.refreshToken)).familyId, b.familyId);
});

Deno.test("revoke() ends the family by a token that was exchanged, or by a wrong secret", async () => {
  const { refresh, events } = await withRefresh();
  const wrong = (token: string) => `${token.slice(0, 23)}${"A".repeat(43)}`;
  for (const present of [(token: string) => token, wrong]) {
    const first = await refresh.issue(STAMPED);
    const second = await refresh.rotate(first.refreshToken);
    events.length = 0;
    await refresh.revoke(present(first.refreshToken));
    assertEquals(await failure(() => refresh.rotate(second.refreshToken)), "revoked");
    assertEquals(events, []);
  }
});

Deno.test("revoke() of a family that nobody knows does nothing", async () => {
  const { refresh } = await withRefresh();
  const { refreshToken } = await refresh.issue(STAMPED);
  await refresh.revoke(`${"A".repeat(22)}${refreshToken.slice(22)}`);
  assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
});

Deno.test("rotate() and revoke() need no object around them", async () => {
  const { rotate, revoke, issue } = (await withRefresh()).refresh;
  const { refreshToken } = await rotate((await issue(STAMPED)).refreshToken);
  await revoke(refreshToken);
  assertEquals(await failure(() => rotate(refreshToken)), "revoked");
});

Deno.test("rotate() succeeds although a listener fails", async () => {
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

Deno.test("issue() rejects where the store does", async () => {
  const down = () => Promise.reject(new Error("The store is out of order"));
  const { refresh } = await withRefresh(withStore(() => ({ create: down })));
  await assertRejects(() => refresh.issue(STAMPED), Error, "out of order");
});
