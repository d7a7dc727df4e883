/** POST /auth/logout, GET /auth/session and GET /auth/csrf. */

import {
  authenticated,
  authFailed,
  type AuthStrategy,
  createPrincipal,
  noCredential,
  type Principal,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse, assertMatch, assertNotEquals } from "@std/assert";
import { ADA, repeat, setDisabled, types } from "../_services.ts";
import { createTestApp, type TestApp, type TestBrowser } from "./_app.ts";
import { assertRefused, cookiesOf, FORGED, type Refusal, seen } from "./_routes.ts";

const BARE = "Path=/; Secure; HttpOnly; SameSite=Lax";
const GONE =
  "__Host-sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax";

/** Asserts the response of a logout: no body, the session's cookie deleted, and a new token. */
async function assertSignedOut(response: Response): Promise<void> {
  const [sid = "", presid = "", csrf = "", ...others] = response.headers.getSetCookie();
  assertEquals([sid, others], [GONE, []]);
  const values = cookiesOf(response);
  assertEquals(presid, `__Host-presid=${values["__Host-presid"]}; ${BARE}`);
  assertEquals(csrf, `__Host-csrf=${values["__Host-csrf"]}; ${BARE}`);
  assertEquals([...response.headers].filter(([name]) => name !== "set-cookie"), [
    ["cache-control", "no-store"],
    ["vary", "Cookie"],
  ]);
  assertEquals([response.status, await response.text()], [204, ""]);
}

/** Cookies of the browser, and how many sessions are revoked. */
const PRESENTED: readonly (readonly [
  why: string,
  page: (app: TestApp) => Promise<TestBrowser> | TestBrowser,
  ended: number,
])[] = [
  ["a session", (app) => app.signedIn(), 1],
  ["a persistent session", (app) => app.signedIn({ remember: true }), 1],
  ["no session", (app) => app.browser(), 0],
  ["an unknown session", (app) => withSid(app, "A".repeat(43)), 0],
  ["a malformed session cookie", (app) => withSid(app, "planted"), 0],
  ["a session that was revoked before", async (app) => {
    const page = await app.signedIn();
    await app.runtime.sessions.revokeToken(page.jar.get("__Host-sid") ?? "");
    app.events.length = 0;
    return page;
  }, 0],
  ["an expired session", async (app) => {
    const page = await app.signedIn();
    app.clock.now += 1_000_000;
    return page;
  }, 1],
  ["a session of a deleted user", async (app) => {
    const page = await app.signedIn();
    await app.stores.users.delete("u1");
    return page;
  }, 1],
];

function withSid({ browser }: TestApp, sid: string): TestBrowser {
  const page = browser();
  page.jar.set("__Host-sid", sid);
  return page;
}

for (const [why, open, ended] of PRESENTED) {
  Deno.test(`POST /auth/logout of ${why} is a 204 that deletes the cookie`, async () => {
    const app = createTestApp();
    const page = await open(app);
    const sid = page.jar.get("__Host-sid") ?? "";
    await page.token();
    await assertSignedOut(await page.logout());
    assertEquals(types(app.events), repeat(ended, () => "session.revoked"));
    assertEquals(await app.runtime.sessions.verify(sid), undefined);
    assertEquals(app.hasher.calls, []);
  });
}

Deno.test("POST /auth/logout responds the same when repeated", async () => {
  const page = await createTestApp().signedIn();
  for (let i = 0; i < 3; i++) await assertSignedOut(await page.logout());
});

Deno.test("POST /auth/logout responds the same to 20 concurrent requests", async () => {
  const { signedIn, runtime, events } = createTestApp();
  const page = await signedIn();
  const [sid = "", token] = [page.jar.get("__Host-sid"), await page.token()];
  const Cookie = page.jar.field();
  const send = () => page.send("/auth/logout", { method: "POST", token, headers: { Cookie } });
  const responses = await Promise.all(repeat(20, send));
  for (const response of responses) await assertSignedOut(response);
  assertEquals(await runtime.sessions.verify(sid), undefined);
  assertEquals(new Set(types(events)), new Set(["session.revoked"]));
});

Deno.test("POST /auth/logout revokes the session and invalidates its token, also for copies", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  const token = await page.token();
  const copy = app.browser();
  copy.keep([`__Host-sid=${page.jar.get("__Host-sid")}; ${BARE}`]);
  copy.keep([`__Host-csrf=${page.jar.get("__Host-csrf")}; ${BARE}`]);
  assertEquals((await copy.send("/me")).status, 200);
  const other = await app.signedIn();
  await page.logout();

  for (const client of [page, copy]) {
    assertEquals((await client.send("/me")).status, 401);
    assertEquals((await client.post("/notes", {}, { token })).status, 401);
  }
  await assertRefused(await page.post("/auth/login", ADA, { token }), FORGED);
  assertEquals((await other.send("/me")).status, 200);
  assertNotEquals(await page.token(), token);
  assertEquals((await page.login()).status, 200);
});

Deno.test("POST /auth/logout revokes the refresh families of its session only", async () => {
  const { signedIn, stores, clock } = createTestApp();
  const page = await signedIn();
  const { session } = await (await page.send("/auth/session")).json();
  const until = clock.now + 1_000;
  const fresh = { sub: "u1", securityStamp: "s", currentHash: "h", generation: 0, revoked: false };
  const from = { createdAt: clock.now, authTime: clock.now, amr: ["pwd"] };
  const times = { ...from, expiresAt: until, familyExpiresAt: until };
  for (const [id, sessionId] of [["one", session.id], ["two", session.id], ["other", "s9"]]) {
    await stores.refreshTokens.create({ id: `${id}`, sessionId, ...fresh, ...times });
  }
  await page.logout();
  const revoked = async (id: string) => (await stores.refreshTokens.find(id))?.revoked ?? true;
  assertEquals([await revoked("one"), await revoked("two")], [true, true]);
  assertEquals(await revoked("other"), false);
});

Deno.test("POST /auth/logout keeps the device cookie, so that the user cannot be locked out", async () => {
  const { browser } = createTestApp();
  const page = browser();
  await page.register();
  const dev = page.jar.get("__Host-dev");
  await page.logout();
  assert(dev !== undefined && page.jar.get("__Host-dev") === dev);
});

Deno.test("POST /auth/logout with two session cookies is a 403, since they are ambiguous", async () => {
  const { signedIn, runtime } = createTestApp();
  const page = await signedIn();
  const token = await page.token();
  const sid = page.jar.get("__Host-sid") ?? "";
  for (const second of [sid, "x"]) {
    const Cookie = `${page.jar.field()}; __Host-sid=${second}`;
    const response = await page.post("/auth/logout", undefined, { token, headers: { Cookie } });
    await assertRefused(response, FORGED);
  }
  assert(await runtime.sessions.verify(sid) !== undefined);
});

Deno.test("POST /auth/logout of a session that does not match the token is a 403", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  await page.token();
  const other = (await app.signedIn()).jar.get("__Host-sid") ?? "";
  page.jar.set("__Host-sid", other);
  await assertRefused(await page.logout(), FORGED);
  assert(await app.runtime.sessions.verify(other) !== undefined);
});

Deno.test("POST /auth/logout is not undone by a concurrent touch of the session", async () => {
  for (const first of ["touch", "revoke"] as const) {
    let other: (() => Promise<unknown>) | undefined;
    const run = async () => {
      const now = other;
      other = undefined;
      await now?.();
    };
    const app = createTestApp({
      wrap: ({ sessions }) => ({
        sessions: {
          ...sessions,
          async touch(...args) {
            if (first === "touch") await run();
            return await sessions.touch(...args);
          },
          async revoke(id) {
            if (first === "revoke") await run();
            await sessions.revoke(id);
          },
        },
      }),
    });
    const page = await app.signedIn();
    await page.token();
    const [sid = "", Cookie] = [page.jar.get("__Host-sid"), page.jar.field()];
    app.clock.now += 120;
    const ask = () => page.send("/me", { headers: { Cookie } });
    if (first === "touch") {
      other = () => page.logout();
      assertEquals((await ask()).status, 401);
    } else {
      other = ask;
      assertEquals((await page.logout()).status, 204);
    }
    assertEquals(await app.runtime.sessions.verify(sid), undefined);
    assertEquals((await ask()).status, 401);
  }
});

Deno.test("POST /auth/logout during a hundred guarded requests leaves no session", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  await page.token();
  const Cookie = page.jar.field();
  app.clock.now += 120;
  const ask = async () => {
    const response = await page.send("/me", { headers: { Cookie } });
    await response.body?.cancel();
    return response.status;
  };
  const asked = repeat(50, ask);
  const ended = page.logout();
  const statuses = await Promise.all([...asked, ...repeat(50, ask)]);
  assertEquals((await ended).status, 204);
  assertEquals(statuses.filter((status) => status !== 200 && status !== 401), []);
  assertEquals(await ask(), 401);
});

// GET /auth/session: the signed-in user, without private members.

const SESSION_GONE =
  "__Host-sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax";
const HOUR = 3_600;

const UNAUTHENTICATED: Refusal = {
  status: 401,
  code: "unauthenticated",
  headers: { "www-authenticate": "Session" },
};

/** A 401 that deletes the session's cookie. */
function ended(code: string): Refusal {
  return {
    status: 401,
    code,
    headers: { "www-authenticate": "Session", "set-cookie": SESSION_GONE },
  };
}

/** A strategy that accepts `X-Key: good`. */
function keyStrategy(principal: Principal): AuthStrategy {
  return {
    name: "key",
    scheme: { type: "header", name: "X-Key" },
    // deno-lint-ignore require-await -- a real strategy reads a store
    async authenticate({ request }) {
      const key = request.headers.get("X-Key");
      if (key === null) return noCredential();
      return key === "good" ? authenticated(principal) : authFailed("invalid_key", `not ${key}`);
    },
  };
}

const CLAIMS = { email: "ada@example.org", nested: { token: "claimed-token" } };

const ROBOT: Principal = createPrincipal({
  sub: "robot",
  method: "key",
  amr: ["hwk"],
  acr: "urn:silver",
  authTime: 1_600_000_000,
  scope: ["notes:read"],
  claims: CLAIMS,
});

Deno.test("GET /auth/session returns principal, session and user, and sets nothing", async () => {
  const { signedIn, clock, stores } = createTestApp();
  const page = await signedIn();
  const response = await page.send("/auth/session");
  const [session] = await stores.sessions.list("u1");
  const { id = "", tokenHash = "", securityStamp = "" } = session ?? {};
  const amr = ["pwd"];
  const authTime = clock.now;
  const times = { createdAt: authTime, activeAt: authTime, expiresAt: authTime + 24 * HOUR };
  const body = JSON.stringify({
    principal: { sub: "u1", method: "session", amr, authTime, sessionId: id },
    session: { id, sub: "u1", ...times, authTime, amr },
    user: { sub: "u1", identifier: "ada@example.org" },
  });
  assertEquals(await seen(response), {
    status: 200,
    headers: [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["vary", "Cookie"],
    ],
    body,
  });
  for (const secret of [tokenHash, securityStamp, page.jar.get("__Host-sid") ?? "", "pbkdf2"]) {
    assertFalse(body.includes(secret));
  }
});

Deno.test("GET /auth/session returns the last use of the session", async () => {
  const { signedIn, clock } = createTestApp();
  const page = await signedIn();
  for (const [seconds, noted] of [[59, 0], [1, 60], [59, 60], [100, 219]] as const) {
    clock.now += seconds;
    const { session } = await (await page.send("/auth/session")).json();
    assertEquals(session.activeAt - session.createdAt, noted);
  }
});

Deno.test("GET /auth/session answers HEAD with the same header fields", async () => {
  const page = await createTestApp().signedIn();
  const [get, head] = [
    await seen(await page.send("/auth/session")),
    await seen(await page.send("/auth/session", { method: "HEAD" })),
  ];
  assertEquals(head, { ...get, body: "" });
});

Deno.test("GET /auth/session rejects anonymous requests, and sets nothing", async () => {
  await assertRefused(await createTestApp().browser().send("/auth/session"), UNAUTHENTICATED);
});

/** What happens to a session before the request. */
const ENDED: readonly (readonly [
  why: string,
  end: (app: TestApp, sid: string) => unknown,
  status: number,
])[] = [
  ["was revoked", ({ runtime }, sid) => runtime.sessions.revokeToken(sid), 401],
  ["was revoked with all others", ({ runtime }) => runtime.sessions.revokeAll("u1"), 401],
  ["belongs to a disabled user", (app) => setDisabled(app.stores), 401],
  ["belongs to a deleted user", ({ stores }) => stores.users.delete("u1"), 401],
  [
    "belongs to a user whose password was reset",
    ({ runtime }) => runtime.passwords.reset("u1", "babbage built engines"),
    401,
  ],
  ["was not used for one second less than an hour", (app) => app.clock.now += HOUR - 1, 200],
  ["was not used for an hour", (app) => app.clock.now += HOUR, 401],
];

for (const [why, end, status] of ENDED) {
  Deno.test(`GET /auth/session is ${status} for a session that ${why}`, async () => {
    const app = createTestApp();
    const page = await app.signedIn();
    await end(app, page.jar.get("__Host-sid") ?? "");
    const response = await page.send("/auth/session");
    if (status === 401) await assertRefused(response, ended("session_expired"));
    else assertEquals(response.status, 200);
  });
}

Deno.test("GET /auth/session expires at the absolute limit, however often it is requested", async () => {
  const { signedIn, clock } = createTestApp();
  const page = await signedIn();
  for (let hours = 0.5; hours < 24; hours += 0.5) {
    clock.now += HOUR / 2;
    assertEquals((await page.send("/auth/session")).status, 200, `${hours}`);
  }
  clock.now += HOUR / 2 - 1;
  assertEquals((await page.send("/auth/session")).status, 200);
  clock.now += 1;
  await assertRefused(await page.send("/auth/session"), ended("session_expired"));
});

/** Values of `Cookie` without a session. */
const COOKIES: readonly (readonly [why: string, cookie: string, refusal: Refusal])[] = [
  ["an unknown session", `__Host-sid=${"A".repeat(43)}`, ended("session_expired")],
  ["a malformed token", "__Host-sid=x", ended("session_expired")],
  ["an empty cookie", "__Host-sid=", ended("session_expired")],
  ["two sessions", "__Host-sid=a; __Host-sid=b", ended("session_ambiguous")],
  ["a name after a non-breaking space", "\u00a0__Host-sid=a", UNAUTHENTICATED],
  ["other names", "sid=a; __Secure-sid=a; __host-sid=a; X__Host-sid=a", UNAUTHENTICATED],
];

for (const [why, Cookie, refusal] of COOKIES) {
  Deno.test(`GET /auth/session rejects ${why} with ${refusal.code}`, async () => {
    const response = await createTestApp().browser().send("/auth/session", { headers: { Cookie } });
    await assertRefused(response, refusal);
  });
}

Deno.test("GET /auth/session returns the principal of a custom strategy, without claims or session", async () => {
  const { browser } = createTestApp({ strategies: [keyStrategy(ROBOT)] });
  const response = await browser().send("/auth/session", { headers: { "X-Key": "good" } });
  assertEquals(await seen(response), {
    status: 200,
    headers: [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["vary", "Cookie, X-Key"],
    ],
    body: JSON.stringify({
      principal: {
        sub: "robot",
        method: "key",
        amr: ["hwk"],
        acr: "urn:silver",
        authTime: 1_600_000_000,
        scope: ["notes:read"],
      },
    }),
  });
});

Deno.test("GET /auth/session returns only known members of a principal", async () => {
  const row = { ...ROBOT, email: "ada@example.org", token: "secret", id_token: "a.b.c" };
  const { browser } = createTestApp({ strategies: [keyStrategy(row)] });
  const response = await browser().send("/auth/session", { headers: { "X-Key": "good" } });
  const { principal } = await response.json();
  const names = ["acr", "amr", "authTime", "method", "scope", "sub"];
  assertEquals(Object.keys(principal).sort(), names);
});

Deno.test("GET /auth/session prefers an explicit credential to the session cookie", async () => {
  const app = createTestApp({ strategies: [keyStrategy(ROBOT)] });
  const page = await app.signedIn();
  const asRobot = await (await page.send("/auth/session", { headers: { "X-Key": "good" } })).json();
  assertEquals([asRobot.principal.sub, asRobot.session, asRobot.user], [
    "robot",
    undefined,
    undefined,
  ]);
  await assertRefused(await page.send("/auth/session", { headers: { "X-Key": "bad" } }), {
    status: 401,
    code: "invalid_key",
    headers: { vary: "Cookie, X-Key", "www-authenticate": "ApiKey" },
  });
  assert(page.jar.names().includes("__Host-sid"), "the session is valid");
  const asAda = await (await page.send("/auth/session")).json();
  assertEquals([asAda.principal.sub, asAda.user.sub], ["u1", "u1"]);
});

Deno.test("GET /auth/session sends every challenge to anonymous requests", async () => {
  const { browser } = createTestApp({ strategies: [keyStrategy(ROBOT)] });
  const response = await browser().send("/auth/session");
  assertEquals(response.headers.get("WWW-Authenticate"), "ApiKey, Session");
  await response.body?.cancel();
});

// GET /auth/csrf: a token, which is a new one only if the old one is invalid.

const TOKEN_REGEXP = /^[0-9a-f]{64}\.[0-9a-f]{64}$/;

Deno.test("GET /auth/csrf returns token and header field, and sets the two cookies to which the token is bound", async () => {
  const page = createTestApp().browser();
  const response = await page.send("/auth/csrf");
  const { "__Host-presid": presid, "__Host-csrf": csrf = "" } = cookiesOf(response);
  assertMatch(csrf, TOKEN_REGEXP);
  assertEquals(await seen(response), {
    status: 200,
    headers: [
      ["cache-control", "no-store"],
      ["content-type", "application/json"],
      ["set-cookie", `__Host-presid=${presid}; ${BARE}`],
      ["set-cookie", `__Host-csrf=${csrf}; ${BARE}`],
      ["vary", "Cookie"],
    ],
    body: JSON.stringify({ csrfToken: csrf, header: "X-CSRF-Token" }),
  });
});

Deno.test("GET /auth/csrf returns two pages of a browser the same token, and sets it once", async () => {
  for (const signedIn of [false, true]) {
    const app = createTestApp();
    const page = signedIn ? await app.signedIn() : app.browser();
    const first = await page.send("/auth/csrf");
    const second = await page.send("/auth/csrf");
    const names = Object.keys(cookiesOf(first));
    assertEquals(names, signedIn ? ["__Host-csrf"] : ["__Host-presid", "__Host-csrf"]);
    assertEquals(second.headers.getSetCookie(), []);
    assertEquals(await first.json(), await second.json());
  }
});

Deno.test("GET /auth/csrf returns two browsers different tokens", async () => {
  const { browser, signedIn } = createTestApp();
  const tokens = [
    await browser().token(),
    await browser().token(),
    await (await signedIn()).token(),
    await (await signedIn()).token(),
  ];
  assertEquals(new Set(tokens).size, 4);
});

Deno.test("GET /auth/csrf returns the token of the login, which differs from those before the login and after the logout", async () => {
  const { browser } = createTestApp();
  const page = browser();
  const before = await page.token();
  const { csrfToken } = await (await page.register()).json();
  const during = (await (await page.send("/auth/csrf")).json()).csrfToken;
  assertEquals(during, csrfToken);
  await page.logout();
  const after = (await (await page.send("/auth/csrf")).json()).csrfToken;
  assertEquals(new Set([before, during, after]).size, 3);
});

Deno.test("GET /auth/csrf after a logout returns the token whose cookie the logout set", async () => {
  const page = await createTestApp().signedIn();
  const { "__Host-csrf": set } = cookiesOf(await page.logout());
  const response = await page.send("/auth/csrf");
  assertEquals((await response.json()).csrfToken, set);
  assertEquals(response.headers.getSetCookie(), []);
});

Deno.test("GET /auth/csrf responds for an expired session too, and the token is valid for a login", async () => {
  for (const sid of ["A".repeat(43), "planted", ""]) {
    const app = createTestApp();
    await app.signedIn();
    const page = app.browser();
    page.jar.set("__Host-sid", sid);
    assertEquals((await page.send("/auth/csrf")).status, 200);
    assertEquals((await page.login()).status, 200);
    assertEquals((await page.send("/me")).status, 200);
  }
});

/** Invalid cookies in place of the token's. */
const CSRF_COOKIES: readonly string[] = [
  "",
  "x",
  `${"0".repeat(64)}.${"0".repeat(64)}`,
  `${"A".repeat(64)}.${"A".repeat(64)}`,
];

for (const cookie of CSRF_COOKIES) {
  Deno.test(`GET /auth/csrf replaces the invalid cookie "${cookie.slice(0, 8)}"`, async () => {
    const page = createTestApp().browser();
    page.jar.set("__Host-csrf", cookie);
    const response = await page.send("/auth/csrf");
    const { csrfToken } = await response.json();
    assertMatch(csrfToken, TOKEN_REGEXP);
    assertNotEquals(csrfToken, cookie);
    assertEquals(cookiesOf(response)["__Host-csrf"], csrfToken);
  });
}

Deno.test("GET /auth/csrf replaces the token of another session", async () => {
  const app = createTestApp();
  const [one, two] = [await app.signedIn(), await app.signedIn()];
  const token = await one.token();
  two.jar.set("__Host-csrf", token);
  assertNotEquals((await (await two.send("/auth/csrf")).json()).csrfToken, token);
});

Deno.test("GET /auth/csrf answers HEAD with the cookies, but without the token", async () => {
  const page = createTestApp().browser();
  const response = await page.send("/auth/csrf", { method: "HEAD" });
  assertEquals([response.status, await response.text()], [200, ""]);
  const csrf = cookiesOf(response)["__Host-csrf"];
  assertEquals((await (await page.send("/auth/csrf")).json()).csrfToken, csrf);
});

Deno.test("GET /auth/csrf with two session cookies is a 403", async () => {
  const page = createTestApp().browser();
  for (const name of ["__Host-sid", "__Host-presid"]) {
    const headers = { Cookie: `${name}=a; ${name}=b` };
    await assertRefused(await page.send("/auth/csrf", { headers }), FORGED);
  }
});

Deno.test("GET /auth/csrf returns the configured header field, which the routes read", async () => {
  const app = createTestApp({ csrfHeader: "X-Own" });
  await app.signedIn();
  const page = app.browser();
  const { csrfToken, header } = await (await page.send("/auth/csrf")).json();
  assertEquals(header, "X-Own");
  await assertRefused(await page.post("/auth/logout"), FORGED);
  const headers = { "X-Own": csrfToken };
  assertEquals((await page.post("/auth/logout", undefined, { headers })).status, 204);
});

Deno.test("GET /auth/csrf does not allow other sites to read its response", async () => {
  const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
  const response = await createTestApp().browser().send("/auth/csrf", { headers });
  const names = [...response.headers.keys()];
  assert(!names.some((name) => name.startsWith("access-control-")), names.join());
  assertEquals(response.status, 200);
  await response.body?.cancel();
});
