/** What is told of each outcome of the routes of authentication: these events, in this order, and no others. */

import { assertEquals } from "@std/assert";
import { createTestApp, type TestApp, type TestBrowser } from "./_app.ts";
import { ADA, CLIENT, EVE_PASSWORD, PASSWORD, setDisabled } from "../_services.ts";

const { address } = CLIENT;
const WRONG = { ...ADA, password: EVE_PASSWORD };
const EVE = { identifier: "eve", password: EVE_PASSWORD };

/** Members of events that are another each time. */
const RANDOM: readonly string[] = ["sessionId", "at"];

/** [what happens, the events without time and session; `sub` is `new` for an account that is not Ada's] */
const OUTCOMES: readonly (readonly [
  what: string,
  happen: (app: TestApp, page: TestBrowser) => Promise<unknown>,
  events: readonly object[],
])[] = [
  ["a registration", (_app, page) => page.register(EVE), [
    { type: "user.created", sub: "new" },
    { type: "session.created", sub: "new" },
  ]],
  ["a registration of somebody who is there", (_app, page) => page.register(), []],
  [
    "a registration with a weak password",
    (_app, page) => page.register({ ...EVE, password: "x" }),
    [],
  ],
  ["a login", (_app, page) => page.login(), [
    { type: "login.succeeded", sub: "u1", address },
    { type: "session.created", sub: "u1" },
  ]],
  ["a login with a wrong password", (_app, page) => page.login(WRONG), [
    { type: "login.failed", reason: "password_wrong", sub: "u1", address },
  ]],
  ["a login of nobody", (_app, page) => page.login(EVE), [
    { type: "login.failed", reason: "user_unknown", address },
  ]],
  ["a login of somebody whose account is closed", async (app, page) => {
    await setDisabled(app.stores);
    await page.login();
  }, [{ type: "login.failed", reason: "user_disabled", sub: "u1", address }]],
  ["a login of somebody without a password", async ({ stores }, page) => {
    const user = { sub: "u3", identifier: "unset", securityStamp: "s", createdAt: 0 };
    await stores.users.create(user);
    await page.login({ identifier: "unset", password: PASSWORD });
  }, [{ type: "login.failed", reason: "password_unset", sub: "u3", address }]],
  ["a login with what is no password", (_app, page) => page.login({ ...ADA, password: "a\0" }), []],
  ["a login with what is no name", (_app, page) => page.login({ ...ADA, identifier: " " }), []],
  ["a login that is forged", (_app, page) => page.post("/auth/login", ADA, { token: false }), [
    { type: "csrf.failed", reason: "token_missing" },
  ]],
  ["a logout", async (app) => {
    await (await app.signedIn()).logout();
  }, [{ type: "session.revoked", sub: "u1" }]],
  ["a logout of nobody", (_app, page) => page.logout(), []],
  ["a question of nobody", (_app, page) => page.send("/auth/session"), []],
  ["a question in a session", async (app) => {
    await (await app.signedIn()).send("/auth/session");
  }, []],
  ["a question in a session that is past its limit", async (app) => {
    const known = await app.signedIn();
    app.clock.now += 3_600;
    await known.send("/auth/session");
  }, [
    { type: "session.expired", sub: "u1", reason: "idle_limit" },
    {
      type: "credential.refused",
      strategy: "session",
      code: "session_expired",
      message: "The session is unknown or has expired",
      route: "/auth/session",
      address,
    },
  ]],
  ["a token", (_app, page) => page.send("/auth/csrf"), []],
];

for (const [what, happen, expected] of OUTCOMES) {
  Deno.test(`createAuthRoutes() tells of ${what} by ${expected.length} events`, async () => {
    const app = createTestApp();
    await app.signedIn();
    const page = app.browser();
    await page.token();
    app.events.length = 0;
    await happen(app, page);
    const told = app.events.map((event) => {
      const members = Object.entries(event).filter(([name]) => !RANDOM.includes(name));
      const { sub, ...rest } = Object.fromEntries(members);
      if (sub === undefined) return rest;
      return { ...rest, sub: /^u\d$/.test(`${sub}`) ? sub : "new" };
    });
    assertEquals(told, expected as unknown[]);
    for (const event of app.events) assertEquals(event.at, app.clock.now);
    assertEquals([app.warnings, app.errors], [[], []]);
  });
}

Deno.test("createAuthRoutes() answers as ever where the listener fails, and warns of it", async () => {
  const warnings: string[] = [];
  const app = createTestApp({
    events: () => {
      throw new Error("the log is full");
    },
    warn: (message) => void warnings.push(message),
  });
  const page = app.browser();
  assertEquals((await page.register()).status, 201);
  assertEquals((await page.login(WRONG)).status, 401);
  assertEquals((await page.logout()).status, 204);
  assertEquals(warnings.length > 0, true);
  assertEquals(app.errors, []);
});
