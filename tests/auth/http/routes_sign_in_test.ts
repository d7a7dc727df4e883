/** POST /auth/login and /auth/register: responses, cookies, events, and failing stores. */

import { type AuthStores, inMemoryAuthStores } from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { ADA, CLIENT, EVE_PASSWORD, PASSWORD, repeat, setDisabled, types } from "../_services.ts";
import { createTestApp, type TestApp, type TestBrowser } from "./_app.ts";
import {
  assertRefused,
  cookiesOf,
  CREDENTIALS_REFUSED,
  FAULT,
  FORGED,
  prepared,
  type Refusal,
  throttledFor,
} from "./_routes.ts";

const BARE = "Path=/; Secure; HttpOnly; SameSite=Lax";
const KEPT = "Path=/; Max-Age=34560000; Secure; HttpOnly; SameSite=Lax";
const LASTING = "Path=/; Max-Age=2592000; Secure; HttpOnly; SameSite=Lax";
const EVE = { identifier: "eve@example.org", password: EVE_PASSWORD };
const DAY = 86_400;

/** The attributes of each cookie, by its name, in the order in which they are set. */
function attributesOf(
  response: Response,
): readonly (readonly [name: string, attributes: string])[] {
  return response.headers.getSetCookie().map((cookie) => {
    const [pair = "", ...attributes] = cookie.split("; ");
    return [pair.slice(0, pair.indexOf("=")), attributes.join("; ")];
  });
}

/** [path, body, status, seconds of the session, attributes of its cookie] */
const SIGN_INS: readonly (readonly [
  path: string,
  body: object,
  status: number,
  seconds: number,
  sid: string,
])[] = [
  ["/auth/register", EVE, 201, DAY, BARE],
  ["/auth/login", ADA, 200, DAY, BARE],
  ["/auth/login", { ...ADA, remember: false }, 200, DAY, BARE],
  ["/auth/login", { ...ADA, remember: true }, 200, 30 * DAY, LASTING],
];

for (const [path, body, status, seconds, sid] of SIGN_INS) {
  const asked = JSON.stringify(Object.keys(body));
  Deno.test(`POST ${path} with ${asked} for ${seconds} s answers with session and token, and sets three cookies`, async () => {
    const { browser, clock, signedIn, stores } = createTestApp();
    await signedIn();
    const page = browser();
    await page.token();
    clock.now += 5;
    const headers = { "User-Agent": "Browser/1.0" };
    const response = await page.post(path, body, { headers });
    const cookies = cookiesOf(response);
    assertEquals(attributesOf(response), [["__Host-sid", sid], ["__Host-csrf", BARE], [
      "__Host-dev",
      KEPT,
    ]]);
    assertMatch(cookies["__Host-sid"] ?? "", /^[\w-]{43}$/);
    assertMatch(cookies["__Host-csrf"] ?? "", /^[0-9a-f]{64}\.[0-9a-f]{64}$/);
    const fields = [...response.headers].filter(([name]) => name !== "set-cookie");
    assertEquals(fields, [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["vary", "Cookie"],
    ]);

    const { identifier } = body as typeof ADA;
    const { sub = "" } = await stores.users.findByIdentifier(identifier) ?? {};
    const text = await response.text();
    const sessionId = JSON.parse(text).session.id;
    assertMatch(sessionId, /^[\w-]{22}$/);
    const amr = ["pwd"];
    const authTime = clock.now;
    const times = { createdAt: authTime, activeAt: authTime, expiresAt: authTime + seconds };
    const persistent = seconds > DAY ? { persistent: true } : {};
    const session = { id: sessionId, sub, ...times, ...persistent, authTime, amr };
    assertEquals([response.status, text], [
      status,
      JSON.stringify({
        principal: { sub, method: "password", amr, authTime, sessionId },
        session: { ...session, userAgent: "Browser/1.0" },
        user: { sub, identifier },
        csrfToken: cookies["__Host-csrf"],
      }),
    ]);
    assertEquals((await page.send("/me")).status, 200);
  });
}

Deno.test("POST /auth/login keeps only a persistent session after the browser is closed", async () => {
  for (const [remember, status] of [[true, 200], [false, 401]] as const) {
    const { browser, signedIn } = createTestApp();
    await signedIn();
    const page = browser();
    assertEquals((await page.login({ ...ADA, remember })).status, 200);
    page.close();
    assertEquals((await page.send("/auth/session")).status, status);
  }
});

Deno.test("POST /auth/login sets Max-Age by the configured limit", async () => {
  const { browser, signedIn } = createTestApp({
    session: { persistent: { absolute: 34_560_000, idle: 600 } },
  });
  await signedIn();
  const response = await browser().login({ ...ADA, remember: true });
  assertEquals(attributesOf(response)[0], ["__Host-sid", KEPT]);
});

Deno.test("POST /auth/login shares only the session's cookie if a domain is configured", async () => {
  const { browser, signedIn, warnings } = createTestApp({
    cookie: { domain: "example.com", sameSite: "Strict" },
  });
  await signedIn();
  const page = browser();
  const response = await page.login();
  const rest = "Secure; HttpOnly; SameSite=Strict";
  assertEquals(attributesOf(response), [
    ["__Secure-sid", `Path=/; Domain=example.com; ${rest}`],
    ["__Host-csrf", `Path=/; ${rest}`],
    ["__Host-dev", `Path=/; Max-Age=34560000; ${rest}`],
  ]);
  assertEquals((await page.send("/me")).status, 200);
  const ended = await page.logout();
  const expires = "Expires=Thu, 01 Jan 1970 00:00:00 GMT";
  assertEquals(attributesOf(ended)[0], [
    "__Secure-sid",
    `Path=/; Domain=example.com; ${expires}; ${rest}`,
  ]);
  assertEquals(warnings.length, 1);
});

/** Session cookies that a browser may present at a sign-in. */
const PRESENTED: readonly (readonly [
  why: string,
  /** Returns the value for the jar. */
  token: (app: TestApp) => Promise<string>,
  ended: number,
])[] = [
  ["that is unknown", () => Promise.resolve("A".repeat(43)), 0],
  ["that is malformed", () => Promise.resolve("planted"), 0],
  ["of the same user", async (app) => (await app.signedIn()).jar.get("__Host-sid") ?? "", 1],
  ["that has expired", async (app) => {
    const token = (await app.signedIn()).jar.get("__Host-sid") ?? "";
    app.clock.now += 10 * DAY;
    return token;
  }, 1],
  ["that an attacker planted, who is signed in with it", async (app) => {
    const attacker = app.browser();
    assertEquals((await attacker.register(EVE)).status, 201);
    return attacker.jar.get("__Host-sid") ?? "";
  }, 1],
];

for (const [why, plant, ended] of PRESENTED) {
  for (const path of ["/auth/login", "/auth/register"]) {
    Deno.test(`POST ${path} replaces a session cookie ${why} by a new session`, async () => {
      const app = createTestApp();
      await app.signedIn();
      const planted = await plant(app);
      const page = app.browser();
      page.jar.set("__Host-sid", planted);
      await page.token();
      app.events.length = 0;
      const body = path === "/auth/login" ? ADA : { identifier: "grace", password: PASSWORD };
      const response = await page.post(path, body);
      assertEquals(response.status, path === "/auth/login" ? 200 : 201);
      const sid = page.jar.get("__Host-sid") ?? "";
      assertNotEquals(sid, planted);
      assertEquals(await app.runtime.sessions.verify(planted), undefined);
      assert(await app.runtime.sessions.verify(sid) !== undefined);
      const told = types(app.events);
      assertEquals(told.filter((type) => type === "session.revoked").length, ended);
      assertEquals(told.filter((type) => type === "session.created").length, 1);

      const attacker = app.browser();
      attacker.jar.set("__Host-sid", planted);
      assertEquals((await attacker.send("/me")).status, 401);
    });
  }
}

Deno.test("POST /auth/login in a signed-in browser revokes the session and what was issued with it", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  const token = await page.token();
  const { sessionId, sub } = (await (await page.send("/auth/session")).json()).principal;
  const fresh = { sub, securityStamp: "s", currentHash: "h", generation: 0, revoked: false };
  const until = app.clock.now + DAY;
  const from = { createdAt: app.clock.now, authTime: app.clock.now, amr: ["pwd"] };
  const times = { ...from, expiresAt: until, familyExpiresAt: until };
  await app.stores.refreshTokens.create({ id: "mine", sessionId, ...fresh, ...times });
  await app.stores.refreshTokens.create({ id: "other", sessionId: "s9", ...fresh, ...times });
  assertEquals((await page.login()).status, 200);
  assertEquals((await app.stores.refreshTokens.find("mine"))?.revoked ?? true, true);
  assertEquals((await app.stores.refreshTokens.find("other"))?.revoked, false);
  await assertRefused(await page.post("/auth/logout", undefined, { token }), FORGED);
  assertEquals((await page.send("/me")).status, 200);
});

Deno.test("POST /auth/login that is rejected keeps the existing session", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  const sid = page.jar.get("__Host-sid");
  for (let i = 0; i < 5; i++) {
    await assertRefused(await page.login({ ...EVE }), CREDENTIALS_REFUSED);
  }
  await assertRefused(await page.login({ ...EVE }), throttledFor(30));
  await assertRefused(await page.register(ADA), {
    status: 409,
    code: "identifier_unavailable",
    detail: "The identifier is taken",
  });
  assertEquals(page.jar.get("__Host-sid"), sid);
  assertEquals((await page.send("/me")).status, 200);
});

Deno.test("POST /auth/login emits its events in order", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  const { session: { id: first } } = await (await page.send("/auth/session")).json();
  await page.login();
  const { session: { id: second } } = await (await page.send("/auth/session")).json();
  const at = app.clock.now;
  assertEquals(app.events, [
    { type: "login.succeeded", at, sub: "u1", address: "192.0.2.1" },
    { type: "session.revoked", at, sub: "u1", sessionId: first },
    { type: "session.created", at, sub: "u1", sessionId: second },
  ]);
});

Deno.test("POST /auth/login of two users in one browser, in turn, leaves the second one signed in", async () => {
  const { browser, signedIn } = createTestApp();
  await signedIn();
  const page = browser();
  await page.register(EVE);
  const eve = page.jar.get("__Host-sid") ?? "";
  await page.login();
  assertEquals((await (await page.send("/me")).json()).sub, "u1");
  const other = browser();
  other.jar.set("__Host-sid", eve);
  assertEquals((await other.send("/me")).status, 401);
});

Deno.test("POST /auth/login sets no device cookie without a throttle, and needs two stores only", async () => {
  const { users, sessions } = inMemoryAuthStores({ now: () => 0 });
  const stores = { users, sessions } as AuthStores;
  const { browser } = createTestApp({ stores, throttle: "insecureSkip" });
  const page = browser();
  assertEquals((await page.register()).status, 201);
  for (let i = 0; i < 10; i++) assertEquals((await page.login(EVE)).status, 401);
  const response = await page.login();
  assertEquals(Object.keys(cookiesOf(response)), ["__Host-sid", "__Host-csrf"]);
  assertEquals((await page.logout()).status, 204);
});

// POST /auth/register: taken identifiers, weak passwords, the count of registrations.

const TAKEN: Refusal = {
  status: 409,
  code: "identifier_unavailable",
  detail: "The identifier is taken",
};

/** [why, identifier of the existing account, identifier of the new one] */
const SAME: readonly (readonly [why: string, first: string, second: string])[] = [
  ["identical", "ada@example.org", "ada@example.org"],
  ["in capitals", "ada@example.org", "ADA@EXAMPLE.ORG"],
  ["in full-width characters", "ada@example.org", "ａｄａ＠example.org"],
  ["in full-width capitals", "ada@example.org", "ＡＤＡ＠ＥＸＡＭＰＬＥ．ＯＲＧ"],
  ["with spaces around", "ada@example.org", " ada@example.org\t"],
  ["with a decomposed accent", "rené", "rene\u0301"],
  ["with a composed accent", "rene\u0301", "René"],
  ["with a ligature", "ﬁona", "fiona"],
];

for (const [why, first, second] of SAME) {
  Deno.test(`POST /auth/register rejects an identifier that is taken, ${why}`, async () => {
    const { browser, stores, hasher, events } = createTestApp();
    const made = await browser().register({ identifier: first, password: PASSWORD });
    const { user } = await made.json();
    events.length = 0;
    hasher.calls.length = 0;
    const page = browser();
    const credentials = { identifier: second, password: EVE_PASSWORD };
    await assertRefused(await page.register(credentials), TAKEN);
    assertEquals(page.jar.names(), ["__Host-csrf", "__Host-presid"]);
    assertEquals([hasher.calls, events], [["hash"], []]);
    assertEquals((await stores.sessions.list(user.sub)).length, 1);
    assertEquals((await page.login(credentials)).status, 401);
    assertEquals((await page.login({ identifier: second, password: PASSWORD })).status, 200);
  });
}

Deno.test("POST /auth/register returns the canonical identifier", async () => {
  const response = await createTestApp().browser().register({
    identifier: " ＡＤＡ@Example.org ",
    password: PASSWORD,
  });
  assertEquals((await response.json()).user.identifier, "ada@example.org");
});

Deno.test("POST /auth/register called 20 times concurrently for one identifier creates one account", async () => {
  const { browser, events } = createTestApp({ hashing: { waiting: 4_000 } });
  const pages = await Promise.all(repeat(20, async () => {
    const page = browser();
    await page.token();
    return page;
  }));
  const statuses = await Promise.all(pages.map(async (page) => {
    const response = await page.register();
    await response.body?.cancel();
    return response.status;
  }));
  assertEquals(statuses.sort(), [201, ...repeat(19, () => 409)]);
  assertEquals(types(events).filter((type) => type === "user.created").length, 1);
  assertEquals(types(events).filter((type) => type === "session.created").length, 1);
});

/** Reasons for which a password is rejected. */
const WEAK: readonly (readonly [why: string, password: string, codes: readonly string[]])[] = [
  ["too short", "kelp-x9", ["too_short"]],
  ["too long", "ab1".repeat(100), ["too_long"]],
  ["the identifier", "grace@example.org", ["contextual"]],
  ["a repetition", "aaaaaaaaaaaaaaaaaaaa", ["repetitive"]],
];

for (const [why, password, codes] of WEAK) {
  Deno.test(`POST /auth/register rejects a password that is ${why}, and sends the reason`, async () => {
    const app = await prepared();
    const response = await app.page.register({ identifier: "grace@example.org", password });
    const text = await response.text();
    const { violations, ...problem } = JSON.parse(text);
    assertEquals(problem, {
      type: "about:blank",
      title: "Unprocessable Content",
      status: 422,
      code: "weak_password",
      detail: "Choose another password",
    });
    const found = violations.map((violation: { code: string }) => violation.code);
    assertEquals(codes.filter((code) => !found.includes(code)), [], found.join());
    for (const violation of violations) {
      assertEquals(Object.keys(violation), ["in", "pointer", "code", "message"]);
      assertEquals([violation.in, violation.pointer], ["body", "/password"]);
    }
    assertEquals(text.includes(password), false);
    assertEquals(response.headers.getSetCookie(), []);
    assertEquals([app.hasher.calls, app.events], [[], []]);
  });
}

Deno.test("POST /auth/register applies the configured policy", async () => {
  const { browser } = createTestApp({ passwordPolicy: { minLength: 8 } });
  assertEquals((await browser().register({ ...ADA, password: "x9-kelp!" })).status, 201);
});

Deno.test("POST /auth/register counts registrations of an address before anything is hashed", async () => {
  const { browser, clock, hasher, events } = createTestApp();
  const register = (i: number, address: string) =>
    browser({ address }).register({ identifier: `user${i}`, password: PASSWORD });
  for (let i = 0; i < 20; i++) assertEquals((await register(i, "192.0.2.1")).status, 201);
  hasher.calls.length = 0;
  events.length = 0;
  await assertRefused(await register(20, "192.0.2.1"), throttledFor(3_600));
  await assertRefused(await register(0, "192.0.2.1"), throttledFor(3_600));
  assertEquals(hasher.calls, []);
  const { now: at } = clock;
  const refused = { attempt: "registration", retryAfter: 3_600, address: "192.0.2.1" };
  assertEquals(events, repeat(2, () => ({ type: "login.throttled", at, ...refused })) as unknown[]);
  assertEquals((await register(21, "192.0.2.2")).status, 201);
  clock.now += 3_599;
  await assertRefused(await register(22, "192.0.2.1"), throttledFor(1));
  clock.now += 1;
  assertEquals((await register(22, "192.0.2.1")).status, 201);
});

Deno.test("POST /auth/register called 40 times concurrently from one address creates 20 accounts", async () => {
  const { browser, events } = createTestApp({ hashing: { waiting: 4_000 } });
  const responses = await Promise.all(repeat(40, async (i) => {
    const page = browser();
    await page.token();
    return await page.register({ identifier: `user${i}`, password: PASSWORD });
  }));
  assertEquals(responses.filter(({ status }) => status === 429).length, 20);
  assertEquals(types(events).filter((type) => type === "user.created").length, 20);
});

Deno.test("POST /auth/register sets a device cookie for the new account", async () => {
  const { browser } = createTestApp();
  const page = browser();
  await page.register();
  await page.logout();
  const attacker = browser();
  for (let i = 0; i < 6; i++) {
    await attacker.login({ ...ADA, password: "not valid for her account" });
  }
  assertEquals((await attacker.login()).status, 429);
  assertEquals((await page.login()).status, 200);
});

for (const identifier of ["__proto__", "constructor", "tostring", "0", "undefined", "null"]) {
  Deno.test(`POST /auth/register accepts ${identifier} like any other name`, async () => {
    const page = createTestApp().browser();
    assertEquals((await page.login({ identifier, password: PASSWORD })).status, 401);
    assertEquals((await page.register({ identifier, password: PASSWORD })).status, 201);
    assertEquals((await (await page.send("/auth/session")).json()).user.identifier, identifier);
    assertEquals((await page.register({ identifier, password: PASSWORD })).status, 409);
  });
}

// Events of each outcome of the routes of authentication: exactly these, in this order.

const { address } = CLIENT;
const WRONG = { ...ADA, password: EVE_PASSWORD };
const EVE_WRONG = { identifier: "eve", password: EVE_PASSWORD };

/** Members of events that differ each time. */
const RANDOM: readonly string[] = ["sessionId", "at"];

/** [request, the events without time and session; `sub` is `new` for an account that is not Ada's] */
const OUTCOMES: readonly (readonly [
  what: string,
  happen: (app: TestApp, page: TestBrowser) => Promise<unknown>,
  events: readonly object[],
])[] = [
  ["a registration", (_app, page) => page.register(EVE_WRONG), [
    { type: "user.created", sub: "new" },
    { type: "session.created", sub: "new" },
  ]],
  ["a registration of a taken identifier", (_app, page) => page.register(), []],
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
  ["a login of an unknown user", (_app, page) => page.login(EVE_WRONG), [
    { type: "login.failed", reason: "user_unknown", address },
  ]],
  ["a login of a disabled user", async (app, page) => {
    await setDisabled(app.stores);
    await page.login();
  }, [{ type: "login.failed", reason: "user_disabled", sub: "u1", address }]],
  ["a login of a user without a password", async ({ stores }, page) => {
    const user = { sub: "u3", identifier: "unset", securityStamp: "s", createdAt: 0 };
    await stores.users.create(user);
    await page.login({ identifier: "unset", password: PASSWORD });
  }, [{ type: "login.failed", reason: "password_unset", sub: "u3", address }]],
  ["a login with an invalid password", (_app, page) => page.login({ ...ADA, password: "a\0" }), []],
  [
    "a login with an invalid identifier",
    (_app, page) => page.login({ ...ADA, identifier: " " }),
    [],
  ],
  [
    "a login without a CSRF token",
    (_app, page) => page.post("/auth/login", ADA, { token: false }),
    [
      { type: "csrf.failed", reason: "token_missing" },
    ],
  ],
  ["a logout", async (app) => {
    await (await app.signedIn()).logout();
  }, [{ type: "session.revoked", sub: "u1" }]],
  ["a logout without a session", (_app, page) => page.logout(), []],
  ["GET /auth/session without a session", (_app, page) => page.send("/auth/session"), []],
  ["GET /auth/session in a session", async (app) => {
    await (await app.signedIn()).send("/auth/session");
  }, []],
  ["GET /auth/session in an expired session", async (app) => {
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
  Deno.test(`createAuthRoutes() for ${what} emits ${expected.length} events`, async () => {
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

Deno.test("createAuthRoutes() responds as usual if the listener fails, and warns", async () => {
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

// A store that fails at any step of the routes of authentication: a 500, no cookie, and no incomplete changes.

const MESSAGE = "db password=hunter2";

/** The method of a store that fails next; none by default. */
interface Fault {
  at?: string;
}

/** Stores whose methods can be made to fail: by rejecting or by throwing. */
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

/** [route, whether the browser is signed in, what fails, events before the failure] */
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
  ["login", false, "throttle.reset", []],
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

      delete app.fault.at; // everything works when the store has recovered
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

Deno.test("/auth/csrf calls no store", async () => {
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

Deno.test("/auth/login is not counted as a guess if the store failed at its end", async () => {
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

Deno.test("/auth/register that fails to create the session leaves an account with a valid password", async () => {
  const app = createBrittleApp(false);
  const page = app.browser();
  app.fault.at = "sessions.create";
  await assertRefused(await page.register(), FAULT);
  delete app.fault.at;
  assertEquals((await page.register()).status, 409);
  assertEquals((await page.login({ ...ADA, remember: true })).status, 200);
});
