/** The catalogue "Sessions, cookies, CSRF" against the routes of authentication: requests, and why they are rejected. */

import { cookiePolicy, csrfService, deriveKeys } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import {
  type BrowserInit,
  createTestApp,
  ORIGIN,
  type TestApp,
  type TestBrowser,
} from "../auth/http/_app.ts";
import { assertRefused, FORGED, throttledFor } from "../auth/http/_routes.ts";
import { WEBAUTHN } from "../auth/http/_passkeys.ts";
import { newCredential } from "../contracts/_credentials.ts";
import { ADA, EVE_PASSWORD, repeat, types } from "../auth/_services.ts";

interface Scene {
  readonly app: TestApp;
  /** Ada's signed-in browser, and the token of her page. */
  readonly victim: TestBrowser;
  readonly token: string;
  /** The attacker's own session, and its token. */
  readonly attacker: TestBrowser;
  readonly attackersToken: string;
}

type Forgery = (scene: Scene) => BrowserInit | Promise<BrowserInit>;

const NO_SITE = { "Sec-Fetch-Site": undefined };
const EVIL = "https://evil.example";
const ZEROS = `${"0".repeat(64)}.${"0".repeat(64)}`;

/** A valid request of the victim's page, except for its header fields. */
function from(headers: BrowserInit["headers"] = {}): Forgery {
  return ({ token }) => ({ token, headers });
}

/** Requests that a victim's browser is made to send, and why they are rejected. */
const FORGERIES: readonly (readonly [why: string, forge: Forgery, reason: string])[] = [
  ["from another site, with the token", from({ "Sec-Fetch-Site": "cross-site" }), "cross_origin"],
  ["from another site, without a token", () => ({
    token: false,
    headers: { "Sec-Fetch-Site": "cross-site", Origin: EVIL },
  }), "cross_origin"],
  ["from a sibling domain", from({ "Sec-Fetch-Site": "same-site" }), "cross_origin"],
  ["from the address bar", from({ "Sec-Fetch-Site": "none" }), "cross_origin"],
  [
    "from an unknown Sec-Fetch-Site value",
    from({ "Sec-Fetch-Site": "same-planet" }),
    "cross_origin",
  ],
  ["from a sandboxed frame", from({ ...NO_SITE, Origin: "null" }), "cross_origin"],
  ["from another origin", from({ ...NO_SITE, Origin: EVIL }), "cross_origin"],
  [
    "from a sibling origin",
    from({ ...NO_SITE, Origin: "https://a.example.com" }),
    "cross_origin",
  ],
  [
    "from a host name with the origin as its prefix",
    from({ ...NO_SITE, Origin: `${ORIGIN}.evil.example` }),
    "cross_origin",
  ],
  ["from another port", from({ ...NO_SITE, Origin: `${ORIGIN}:8443` }), "cross_origin"],
  [
    "from a page over plain HTTP",
    from({ ...NO_SITE, Origin: "http://example.com" }),
    "cross_origin",
  ],
  ["from an origin with a path", from({ ...NO_SITE, Origin: `${ORIGIN}/` }), "cross_origin"],
  ["from two origins", from({ ...NO_SITE, Origin: `${ORIGIN}, ${EVIL}` }), "cross_origin"],
  ["from an empty origin", from({ ...NO_SITE, Origin: "" }), "cross_origin"],
  [
    "from another site with a false Referer",
    from({
      "Sec-Fetch-Site": "cross-site",
      Origin: EVIL,
      Referer: `${ORIGIN}/`,
    }),
    "cross_origin",
  ],
  ["from its own page, without a token", () => ({ token: false }), "token_missing"],
  [
    "from a client that is not a browser, without a token",
    () => ({ token: false, headers: NO_SITE }),
    "token_missing",
  ],
  ["with an empty token", () => ({ token: "" }), "token_missing"],
  ["with the token in another field", ({ token }) => ({
    token: false,
    headers: { "X-XSRF-Token": token, "CSRF-Token": token, Authorization: token },
  }), "token_missing"],
  ["with another token", () => ({ token: "x" }), "token_malformed"],
  ["with the token twice", ({ token }) => ({ token: `${token}, ${token}` }), "token_malformed"],
  [
    "with the token in capitals",
    ({ token }) => ({ token: token.toUpperCase() }),
    "token_malformed",
  ],
  ["with a truncated token", ({ token }) => ({ token: token.slice(0, -1) }), "token_malformed"],
  [
    "with the attacker's token",
    ({ attackersToken }) => ({ token: attackersToken }),
    "token_differs_from_cookie",
  ],
  ["with the attacker's token and cookie", ({ attackersToken, victim }) => {
    victim.jar.set("__Host-csrf", attackersToken);
    return { token: attackersToken };
  }, "token_of_another_session"],
  ["with the attacker's token, cookie and presid", ({ attackersToken, victim }) => {
    victim.jar.set("__Host-csrf", attackersToken);
    victim.jar.set("__Host-presid", "A".repeat(43));
    return { token: attackersToken };
  }, "token_of_another_session"],
  ["with equal but unsigned cookie and token", ({ victim }) => {
    victim.jar.set("__Host-csrf", ZEROS);
    return { token: ZEROS };
  }, "token_of_another_session"],
  ["with cookie and token signed with another secret", async ({ victim }) => {
    const keys = deriveKeys("another secret that only the tests know");
    const page = new Request(ORIGIN, { headers: { Cookie: victim.jar.field() } });
    const csrf = csrfService({ keys, cookies: cookiePolicy() });
    const { token } = await csrf.issue(page, victim.jar.get("__Host-sid"));
    victim.jar.set("__Host-csrf", token);
    return { token };
  }, "token_of_another_session"],
  ["with the token from before the login", async ({ app, victim }) => {
    const page = app.browser();
    const token = await page.token();
    victim.jar.set("__Host-csrf", token);
    victim.jar.set("__Host-presid", page.jar.get("__Host-presid") ?? "");
    return { token };
  }, "token_of_another_session"],
  ["with the token but without its cookie", ({ token, victim }) => {
    victim.jar.delete("__Host-csrf");
    return { token };
  }, "token_differs_from_cookie"],
  ["with the token in the session of the attacker", ({ token, victim, attacker }) => {
    victim.jar.set("__Host-sid", attacker.jar.get("__Host-sid") ?? "");
    return { token };
  }, "token_of_another_session"],
  ["with the token but without the session", ({ token, victim }) => {
    victim.jar.delete("__Host-sid");
    return { token };
  }, "token_of_another_session"],
  ["with two token cookies", ({ token, victim }) => ({
    token,
    headers: { Cookie: `${victim.jar.field()}; __Host-csrf=${token}` },
  }), "cookie_ambiguous"],
  ["with two sessions", ({ token, victim }) => ({
    token,
    headers: { Cookie: `__Host-sid=x; ${victim.jar.field()}` },
  }), "cookie_ambiguous"],
  ["by a form", () => ({
    token: false,
    body: new URLSearchParams({ identifier: ADA.identifier, password: ADA.password }),
    headers: { "Sec-Fetch-Site": "cross-site", Origin: EVIL },
  }), "cross_origin"],
  ["by a multipart form of a sibling domain", () => {
    const body = new FormData();
    body.set("identifier", ADA.identifier);
    return { token: false, body, headers: { "Sec-Fetch-Site": "same-site" } };
  }, "cross_origin"],
  ["by a form that imitates JSON", () => ({
    token: false,
    body: '{"identifier":"a","password":"="}',
    headers: { ...NO_SITE, "Content-Type": "text/plain" },
  }), "token_missing"],
];

/** The attacked actions. Each would succeed if the request were not forged. */
const TARGETS: readonly (readonly [path: string, json: unknown])[] = [
  ["/auth/register", { identifier: "grace", password: EVE_PASSWORD }],
  ["/auth/login", ADA],
  ["/auth/logout", {}],
  ["/auth/webauthn/register/options", {}],
  ["/auth/webauthn/login/options", {}],
  ["/auth/webauthn/credentials/rename", { id: "c1", name: "Mine" }],
  ["/auth/webauthn/credentials/remove", { id: "c1" }],
];

/** Ada's passkey. */
const PASSKEY = newCredential("c1");

/** Whether a browser may have sent this origin: "null" and invalid values are not in events. */
function isOrigin(origin: string | null): boolean {
  return origin !== null && /^https?:\/\/[a-z.]+(?::\d+)?$/.test(origin);
}

async function createScene(): Promise<Scene> {
  const app = createTestApp({ webauthn: WEBAUTHN });
  await app.stores.credentials.create(PASSKEY);
  const victim = await app.signedIn();
  const attacker = app.browser();
  await attacker.register({ identifier: "eve@example.org", password: EVE_PASSWORD });
  const [token, attackersToken] = [await victim.token(), await attacker.token()];
  app.events.length = 0;
  app.hasher.calls.length = 0;
  return { app, victim, attacker, token, attackersToken };
}

for (const [why, forge, reason] of FORGERIES) {
  for (const [path, json] of TARGETS) {
    Deno.test(`POST ${path} ${why} is rejected`, async () => {
      const scene = await createScene();
      const { app, victim } = scene;
      const sid = victim.jar.get("__Host-sid") ?? "";
      const forged = await forge(scene);
      const sent = forged.body === undefined ? { json } : {};
      await assertRefused(await victim.send(path, { method: "POST", ...sent, ...forged }), FORGED);
      const origin = new Headers(forged.headers as HeadersInit | undefined).get("Origin");
      const details = reason === "cross_origin" && isOrigin(origin) ? { origin } : {};
      const event = { type: "csrf.failed", at: app.clock.now, reason, ...details };
      assertEquals(app.events, [event] as unknown[]);
      assertEquals(app.hasher.calls, []);
      assertEquals((await app.runtime.sessions.list("u1")).length, 1);
      assertEquals((await app.runtime.sessions.verify(sid))?.user.sub, "u1");
      assertEquals(await app.stores.users.findByIdentifier("grace"), null);
      assertEquals(await app.stores.credentials.find("c1"), PASSKEY);
    });
  }
}

/** Places where a valid token is ignored. */
const PLACES: readonly (readonly [
  where: string,
  place: (token: string) => { query?: string; json: object },
])[] = [
  ["the query", (token) => ({ query: `?X-CSRF-Token=${token}&csrfToken=${token}`, json: ADA })],
  ["the body", (token) => ({
    json: { ...ADA, csrfToken: token, "X-CSRF-Token": token, _csrf: token },
  })],
];

for (const [where, place] of PLACES) {
  Deno.test(`POST /auth/login does not look for the token in ${where}`, async () => {
    const { victim, token } = await createScene();
    const { query = "", json } = place(token);
    const init = { method: "POST", json, token: false } as const;
    await assertRefused(await victim.send(`/auth/login${query}`, init), FORGED);
    await assertRefused(await victim.send(`/auth/logout${query}`, init), FORGED);
  });
}

for (const [path] of TARGETS) {
  Deno.test(`POST ${path} rejects a forged request before its body is read, and before it is counted`, async () => {
    const { app, victim, token } = await createScene();
    let asked = 0;
    const headers = { "Sec-Fetch-Site": "same-site", "Content-Type": "application/json" };
    for (const _ of repeat(200, () => 0)) {
      const body = new ReadableStream({ pull: () => void asked++ }, { highWaterMark: 0 });
      await assertRefused(
        await victim.send(path, { method: "POST", body, token, headers }),
        FORGED,
      );
    }
    assertEquals([asked, app.hasher.calls], [0, []]);
    assertEquals(new Set(types(app.events)), new Set(["csrf.failed"]));
    const page = app.browser();
    assertEquals((await page.login()).status, 200);
    const grace = { identifier: "grace", password: EVE_PASSWORD };
    assertEquals((await page.register(grace)).status, 201);
  });
}

Deno.test("POST /auth/login accepts a token from a client that is not a browser: no other site can forge that", async () => {
  const { app, victim } = await createScene();
  assertEquals((await victim.post("/auth/login", ADA, { headers: NO_SITE })).status, 200);
  const headers = { ...NO_SITE, Origin: ORIGIN };
  assertEquals((await victim.post("/auth/logout", undefined, { headers })).status, 204);
  assertEquals(app.errors, []);
});

Deno.test("POST /auth/login from a trusted origin still requires the token", async () => {
  const app = createTestApp({ trustedOrigins: ["https://app.example.net"] });
  const victim = await app.signedIn();
  const headers = { "Sec-Fetch-Site": "cross-site", Origin: "https://app.example.net" };
  const refused = await victim.send("/auth/login", { method: "POST", json: ADA, headers });
  await assertRefused(refused, FORGED);
  assertEquals((await victim.post("/auth/login", ADA, { headers })).status, 200);
});

Deno.test("GET /auth/session and /auth/csrf from another site have no effect, and are not counted", async () => {
  const { app, victim } = await createScene();
  const headers = { "Sec-Fetch-Site": "cross-site", Origin: EVIL };
  for (const path of ["/auth/session", "/auth/csrf"]) {
    const response = await victim.send(path, { headers });
    assertEquals([response.status, response.headers.getSetCookie()], [200, []]);
    await response.body?.cancel();
  }
  assertEquals(app.events, []);
});

Deno.test("POST /auth/login, when throttled, rejects a forged request as a forgery", async () => {
  const { app } = await createScene();
  const page = app.browser();
  for (const _ of repeat(5, () => 0)) await page.login({ ...ADA, password: EVE_PASSWORD });
  await assertRefused(await page.login(), throttledFor(30));
  await assertRefused(await page.post("/auth/login", ADA, { token: false }), FORGED);
});

for (const csrf of ["origin", "token", "insecureSkip"] as const) {
  Deno.test(`POST /auth/login, register, logout and the routes of passkeys require the token even if guards use csrf ${csrf}`, async () => {
    const page = await createTestApp({ csrf, webauthn: WEBAUTHN }).signedIn();
    await page.token();
    for (const [path, json] of TARGETS) {
      const siblings = { "Sec-Fetch-Site": "same-site" };
      await assertRefused(await page.post(path, json, { token: false }), FORGED);
      await assertRefused(await page.post(path, json, { headers: siblings }), FORGED);
    }
  });
}
