/** GET /auth/session: who is signed in, and nothing that is not for the client. */

import {
  authenticated,
  authFailed,
  type AuthStrategy,
  createPrincipal,
  noCredential,
  type Principal,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { createTestApp, type TestApp } from "./_app.ts";
import { assertRefused, type Refusal, seen } from "./_routes.ts";
import { setDisabled } from "../_services.ts";

const GONE =
  "__Host-sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax";
const HOUR = 3_600;

const UNAUTHENTICATED: Refusal = {
  status: 401,
  code: "unauthenticated",
  headers: { "www-authenticate": "Session" },
};

/** A 401 that takes the session's cookie away. */
function ended(code: string): Refusal {
  return { status: 401, code, headers: { "www-authenticate": "Session", "set-cookie": GONE } };
}

/** A strategy that takes `X-Key: good` for a principal. */
function keyStrategy(principal: Principal): AuthStrategy {
  return {
    name: "key",
    scheme: { type: "header", name: "X-Key" },
    // deno-lint-ignore require-await -- a real one asks a store
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

Deno.test("GET /auth/session answers principal, session and user, and sets nothing", async () => {
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

Deno.test("GET /auth/session tells when the session was used last", async () => {
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

Deno.test("GET /auth/session refuses whoever presents nothing, and sets nothing", async () => {
  await assertRefused(await createTestApp().browser().send("/auth/session"), UNAUTHENTICATED);
});

/** What happens to a session before somebody asks. */
const ENDED: readonly (readonly [
  why: string,
  end: (app: TestApp, sid: string) => unknown,
  status: number,
])[] = [
  ["was revoked", ({ runtime }, sid) => runtime.sessions.revokeToken(sid), 401],
  ["was ended everywhere", ({ runtime }) => runtime.sessions.revokeAll("u1"), 401],
  ["is of somebody whose account is closed", (app) => setDisabled(app.stores), 401],
  ["is of somebody who is gone", ({ stores }) => stores.users.delete("u1"), 401],
  [
    "is of somebody whose password was reset",
    ({ runtime }) => runtime.passwords.reset("u1", "babbage built engines"),
    401,
  ],
  ["was not used for a second less than an hour", (app) => app.clock.now += HOUR - 1, 200],
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

Deno.test("GET /auth/session ends with the absolute limit, however often it is asked", async () => {
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

/** Values of `Cookie` that are no session. */
const COOKIES: readonly (readonly [why: string, cookie: string, refusal: Refusal])[] = [
  ["a made-up session", `__Host-sid=${"A".repeat(43)}`, ended("session_expired")],
  ["no token", "__Host-sid=x", ended("session_expired")],
  ["an empty cookie", "__Host-sid=", ended("session_expired")],
  ["two sessions", "__Host-sid=a; __Host-sid=b", ended("session_ambiguous")],
  ["a name with a blank that is none before it", "\u00a0__Host-sid=a", UNAUTHENTICATED],
  ["other names", "sid=a; __Secure-sid=a; __host-sid=a; X__Host-sid=a", UNAUTHENTICATED],
];

for (const [why, Cookie, refusal] of COOKIES) {
  Deno.test(`GET /auth/session refuses ${why} by ${refusal.code}`, async () => {
    const response = await createTestApp().browser().send("/auth/session", { headers: { Cookie } });
    await assertRefused(response, refusal);
  });
}

Deno.test("GET /auth/session answers for a strategy of the application's own, without claims or session", async () => {
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

Deno.test("GET /auth/session shows nothing of a principal but a principal's own members", async () => {
  const row = { ...ROBOT, email: "ada@example.org", token: "secret", id_token: "a.b.c" };
  const { browser } = createTestApp({ strategies: [keyStrategy(row)] });
  const response = await browser().send("/auth/session", { headers: { "X-Key": "good" } });
  const { principal } = await response.json();
  const names = ["acr", "amr", "authTime", "method", "scope", "sub"];
  assertEquals(Object.keys(principal).sort(), names);
});

Deno.test("GET /auth/session takes a credential that somebody put there before the session's cookie", async () => {
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
  assert(page.jar.names().includes("__Host-sid"), "the session is not to blame");
  const asAda = await (await page.send("/auth/session")).json();
  assertEquals([asAda.principal.sub, asAda.user.sub], ["u1", "u1"]);
});

Deno.test("GET /auth/session names every way in where nobody is", async () => {
  const { browser } = createTestApp({ strategies: [keyStrategy(ROBOT)] });
  const response = await browser().send("/auth/session");
  assertEquals(response.headers.get("WWW-Authenticate"), "ApiKey, Session");
  await response.body?.cancel();
});
