/** What POST /auth/register and /auth/login answer, to the last member and attribute, and what a sign-in ends. */

import { type AuthStores, inMemoryAuthStores } from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createTestApp, type TestApp } from "./_app.ts";
import { assertRefused, cookiesOf, CREDENTIALS_REFUSED, FORGED, throttledFor } from "./_routes.ts";
import { ADA, EVE_PASSWORD, PASSWORD, types } from "../_services.ts";

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

Deno.test("POST /auth/login keeps a persistent session beyond the browser's window, and a visit's session not", async () => {
  for (const [remember, status] of [[true, 200], [false, 401]] as const) {
    const { browser, signedIn } = createTestApp();
    await signedIn();
    const page = browser();
    assertEquals((await page.login({ ...ADA, remember })).status, 200);
    page.close();
    assertEquals((await page.send("/auth/session")).status, status);
  }
});

Deno.test("POST /auth/login sets Max-Age by the limit of the application's own", async () => {
  const { browser, signedIn } = createTestApp({
    session: { persistent: { absolute: 34_560_000, idle: 600 } },
  });
  await signedIn();
  const response = await browser().login({ ...ADA, remember: true });
  assertEquals(attributesOf(response)[0], ["__Host-sid", KEPT]);
});

Deno.test("POST /auth/login shares the session's cookie alone where there is a domain", async () => {
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

/** What the browser may present as its session when somebody signs in. */
const PRESENTED: readonly (readonly [
  why: string,
  /** Puts it into the jar. */
  token: (app: TestApp) => Promise<string>,
  ended: number,
])[] = [
  ["that nobody began", () => Promise.resolve("A".repeat(43)), 0],
  ["that is no token at all", () => Promise.resolve("planted"), 0],
  ["of her own", async (app) => (await app.signedIn()).jar.get("__Host-sid") ?? "", 1],
  ["that has been over for long", async (app) => {
    const token = (await app.signedIn()).jar.get("__Host-sid") ?? "";
    app.clock.now += 10 * DAY;
    return token;
  }, 1],
  ["that an attacker planted, and is in himself", async (app) => {
    const attacker = app.browser();
    assertEquals((await attacker.register(EVE)).status, 201);
    return attacker.jar.get("__Host-sid") ?? "";
  }, 1],
];

for (const [why, plant, ended] of PRESENTED) {
  for (const path of ["/auth/login", "/auth/register"]) {
    Deno.test(`POST ${path} begins a new session in place of one ${why}`, async () => {
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

Deno.test("POST /auth/login in a signed-in browser ends the session, what was derived from it, and its token", async () => {
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

Deno.test("POST /auth/login that is refused leaves the session that is there", async () => {
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

Deno.test("POST /auth/login tells of it, in order", async () => {
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

Deno.test("POST /auth/login of two people in one browser, one after the other, leaves the second one in", async () => {
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

Deno.test("POST /auth/login makes no browser known where nobody counts, and needs two stores only", async () => {
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
