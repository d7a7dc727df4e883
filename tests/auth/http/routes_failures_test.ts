/** A store that fails at any step of the routes of authentication: a 500, no cookie, and nothing that stays half done. */

import type { AuthStores } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp, type TestApp, type TestBrowser } from "./_app.ts";
import { assertRefused, FAULT } from "./_routes.ts";
import { ADA, EVE_PASSWORD, repeat, types } from "../_services.ts";

const EVE = { identifier: "eve@example.org", password: EVE_PASSWORD };
const MESSAGE = "db password=hunter2";

/** Which method of which store fails next; none by default. */
interface Fault {
  at?: string;
}

/** Stores whose methods can be made to fail: by a promise, or by throwing at once. */
function brittle(stores: AuthStores, fault: Fault, atOnce: boolean): AuthStores {
  const wrap = (name: string, store: object) =>
    new Proxy(store, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          if (fault.at !== `${name}.${String(method)}`) return value.apply(target, args);
          if (atOnce) throw new Error(MESSAGE);
          return Promise.reject(new Error(MESSAGE));
        };
      },
    });
  return Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, wrap(name, store)]),
  ) as unknown as AuthStores;
}

interface BrittleApp extends TestApp {
  readonly fault: Fault;
}

function createBrittleApp(atOnce: boolean): BrittleApp {
  const fault: Fault = {};
  const app = createTestApp({ wrap: (stores) => brittle(stores, fault, atOnce) });
  return { ...app, fault };
}

/** [route, whether the browser is signed in, what fails, what was told before] */
const STEPS: readonly (readonly [
  route: string,
  isIn: boolean,
  at: string,
  told: readonly string[],
])[] = [
  ["register", false, "throttle.reserve", []],
  ["register", false, "users.create", []],
  ["register", false, "sessions.create", ["user.created"]],
  ["register", true, "sessions.findByTokenHash", ["user.created"]],
  ["register", true, "sessions.revoke", ["user.created"]],
  ["register", true, "sessions.create", ["user.created", "session.revoked"]],
  ["login", false, "throttle.reserve", []],
  ["login", false, "users.findByIdentifier", []],
  ["login", false, "throttle.succeed", []],
  ["login", false, "sessions.create", ["login.succeeded"]],
  ["login", true, "sessions.findByTokenHash", ["login.succeeded"]],
  ["login", true, "sessions.revoke", ["login.succeeded"]],
  ["login", true, "sessions.create", ["login.succeeded", "session.revoked"]],
  ["logout", true, "sessions.findByTokenHash", []],
  ["logout", true, "sessions.revoke", []],
  ["session", true, "sessions.findByTokenHash", []],
  ["session", true, "users.findBySub", []],
  ["session", true, "sessions.touch", []],
];

function ask(page: TestBrowser, route: string): Promise<Response> {
  switch (route) {
    case "register":
      return page.register(EVE);
    case "login":
      return page.login();
    case "logout":
      return page.logout();
    default:
      return page.send(`/auth/${route}`);
  }
}

for (const [route, isIn, at, told] of STEPS) {
  for (const atOnce of [false, true]) {
    const how = `${isIn ? "signed in" : "anonymous"}, ${atOnce ? "thrown" : "rejected"}`;
    Deno.test(`/auth/${route} is a 500 without a cookie where ${at} fails (${how})`, async () => {
      const app = createBrittleApp(atOnce);
      const known = await app.signedIn();
      const page = isIn ? known : app.browser();
      await page.token();
      const before = page.jar.field();
      app.clock.now += 120;
      app.fault.at = at;
      await assertRefused(await ask(page, route), FAULT);
      assertEquals(app.errors.map((error) => `${error}`), [`Error: ${MESSAGE}`]);
      assertEquals(types(app.events), told);
      assertEquals([page.jar.field(), app.warnings], [before, []]);

      delete app.fault.at; // and when the store is back, so is everything
      const again = app.browser();
      if (route === "register" && told.includes("user.created")) {
        assertEquals((await again.login(EVE)).status, 200);
      } else if (route === "register") {
        assertEquals((await again.register(EVE)).status, 201);
      }
      assertEquals((await again.login()).status, 200);
      if (isIn && !told.includes("session.revoked")) {
        assertEquals((await page.send("/auth/session")).status, 200);
      }
      assertEquals((await page.logout()).status, 204);
    });
  }
}

Deno.test("/auth/csrf asks no store", async () => {
  const app = createTestApp({
    wrap: (stores) =>
      Object.fromEntries(
        Object.keys(stores).map((name) => [
          name,
          new Proxy({}, {
            get: () => () => Promise.reject(new Error(MESSAGE)),
          }),
        ]),
      ) as unknown as AuthStores,
  });
  const page = app.browser();
  page.jar.set("__Host-sid", "A".repeat(43));
  assertEquals((await page.send("/auth/csrf")).status, 200);
});

Deno.test("/auth/login that the store failed at the end of is not counted as a guess", async () => {
  const app = createBrittleApp(false);
  await app.signedIn();
  const page = app.browser();
  for (const _ of repeat(10, () => 0)) {
    app.fault.at = "sessions.create";
    assertEquals((await page.login()).status, 500);
  }
  delete app.fault.at;
  assertEquals((await page.login()).status, 200);
});

Deno.test("/auth/register that loses its session leaves an identifier that is taken, and a password that fits", async () => {
  const app = createBrittleApp(false);
  const page = app.browser();
  app.fault.at = "sessions.create";
  await assertRefused(await page.register(), FAULT);
  delete app.fault.at;
  assertEquals((await page.register()).status, 409);
  assertEquals((await page.login({ ...ADA, remember: true })).status, 200);
});
