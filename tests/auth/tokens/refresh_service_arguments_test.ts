/** What `issue()` is given by application code, and what stores give back that have types of their own. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { IssueRefreshTokenOptions } from "../../../auth/tokens/refresh_types.ts";
import type { RefreshFamily } from "../../../auth/stores/types.ts";
import { failure, familyOf, STAMPED, withOdd, withRefresh, withStore } from "./_refresh.ts";
import { START } from "../_services.ts";

const UNSOUND: readonly [why: string, authentication: object][] = [
  ["an empty sub", { ...STAMPED, sub: "" }],
  ["a sub that is a number", { ...STAMPED, sub: 7 }],
  ["an empty stamp", { ...STAMPED, securityStamp: "" }],
  ["no stamp", { ...STAMPED, securityStamp: undefined }],
  ["no time", { ...STAMPED, authTime: undefined }],
  ["a time in milliseconds", { ...STAMPED, authTime: START * 1_000 }],
  ["a time that has not come", { ...STAMPED, authTime: START + 301 }],
  ["no methods", { ...STAMPED, amr: undefined }],
  ["methods that are one text", { ...STAMPED, amr: "pwd" }],
  ["nothing", {}],
];
for (const [why, authentication] of UNSOUND) {
  Deno.test(`issue() refuses an authentication with ${why}`, async () => {
    const { refresh, asked } = await withRefresh();
    const attempt = () => refresh.issue(authentication as typeof STAMPED);
    const message = "Cannot issue refresh token: the authentication must have";
    await assertRejects(attempt, TypeError, message);
    assertEquals(asked, []);
  });
}

const LOOP: Record<string, unknown> = { secret: "a member's name is no business of a log" };
LOOP.itself = LOOP;

const OPTIONS: readonly [why: string, options: Record<string, unknown>, message: string][] = [
  ["an empty session", { sessionId: "" }, "sessionId must be a non-empty string"],
  ["a session that is null", { sessionId: null }, "sessionId must be a non-empty string"],
  [
    "a session that is an object",
    { sessionId: { id: "s1" } },
    "sessionId must be a non-empty string",
  ],
  ["scopes in one text", { scope: "notes:read notes:write" }, "scope is no list"],
  ["scopes that are null", { scope: null }, "scope is no list"],
  ["an empty scope", { scope: ["notes:read", ""] }, "scope has a word"],
  ["two scopes in one", { scope: ["notes:read notes:write"] }, "scope has a word"],
  ["a scope with a quotation mark", { scope: ['a"b'] }, "scope has a word"],
  ["a scope with a backslash", { scope: ["a\\b"] }, "scope has a word"],
  ["a scope with a line feed", { scope: ["a\n"] }, "scope has a word"],
  ["a scope with NUL", { scope: ["\0"] }, "scope has a word"],
  ["a scope with DEL", { scope: ["\x7f"] }, "scope has a word"],
  ["a scope beyond ASCII", { scope: ["notizen:ändern"] }, "scope has a word"],
  ["the same scope twice", { scope: ["a", "a"] }, "scope has a word"],
  ["a scope that is a number", { scope: [7] }, "scope is no list"],
  ["data that is a function", { data: () => 0 }, "data must be JSON"],
  ["data that is a symbol", { data: Symbol("data") }, "data must be JSON"],
  ["data with a big number", { data: { id: 7n } }, "data must be JSON"],
  ["data that holds itself", { data: LOOP }, "data must be JSON"],
];
for (const [why, options, message] of OPTIONS) {
  Deno.test(`issue() refuses ${why}`, async () => {
    const { refresh, asked } = await withRefresh();
    const attempt = () => refresh.issue(STAMPED, options as IssueRefreshTokenOptions);
    const type = message === "scope must not have" ? RangeError : TypeError;
    const error = await assertRejects(attempt, type, `Cannot issue refresh token: ${message}`);
    assert(!error.message.includes("secret"));
    assertEquals(asked, []);
  });
}

const SCOPES: readonly [why: string, scope: readonly string[]][] = [
  ["none at all", []],
  ["the first and the last characters there are", ["!", "#", "[", "]", "~"]],
  ["an address", ["https://api.example.com/notes.read"]],
];
for (const [why, scope] of SCOPES) {
  Deno.test(`issue() takes scopes, and rotate() gives them back: ${why}`, async () => {
    const { refresh } = await withRefresh();
    const { refreshToken } = await refresh.issue(STAMPED, { scope });
    assertEquals((await refresh.rotate(refreshToken)).scope, scope);
  });
}

for (const data of [null, 0, "", "text", false, [], {}, { a: [1, { b: null }] }]) {
  Deno.test(`issue() takes data, and rotate() gives it back: ${JSON.stringify(data)}`, async () => {
    const { refresh } = await withRefresh();
    const { refreshToken } = await refresh.issue(STAMPED, { data });
    assertEquals((await refresh.rotate(refreshToken)).data, data);
  });
}

Deno.test("issue() copies lists and data before a store has them", async () => {
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
    Deno.test(`rotate() lets nobody in, and loudly, where ${member} is ${typeof value} ${value}`, async () => {
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
  ["a text column", "true", true],
  ["PostgreSQL's own letter", "t", true],
  ["a text that says no, which nobody is to guess", "false", true],
  ["when it was revoked", new Date(0), true],
  ["SQLite and MySQL: zero", 0, false],
  ["a 64-bit zero", 0n, false],
  ["a column that was never set", null, false],
  ["a record without the member", undefined, false],
];
for (const [why, revoked, over] of REVOKED) {
  Deno.test(`rotate() ${over ? "refuses" : "takes"} a token of a family whose revoked is: ${why}`, async () => {
    const { refresh, issued: { refreshToken } } = await withOdd({ revoked });
    if (over) assertEquals(await failure(() => refresh.rotate(refreshToken)), "revoked");
    else assertEquals((await refresh.rotate(refreshToken)).sub, "u1");
  });
}

Deno.test("rotate() gives nothing of what a store adds, and nothing of null", async () => {
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
