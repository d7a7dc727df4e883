/** The catalogue "Guards, stores, keys", single requests at a guard; rows are only added. */

import {
  createRouter,
  getPrincipal,
  json,
  pass,
  requireAuth,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { createTestApp, ORIGIN } from "../auth/http/_app.ts";
import { keyStrategy } from "../auth/_strategies.ts";
import { codeOf, rawRequest, untyped } from "../router/_helpers.ts";

/** Fields that name a user. None of them selects the principal. */
const CLAIMS: readonly (readonly [source: string, what: string, make: () => Request])[] = [
  ["ATTACKS", "userId in the body", () => post({ userId: "u2", sub: "u2", by: "u2" })],
  ["neighbour", "a principal in the body", () => post({ principal: { sub: "u2" } })],
  ["neighbour", "userId in the query", () => post({}, {}, "?userId=u2&sub=u2&principal[sub]=u2")],
  ["neighbour", "X-User and similar fields", () => post({}, { "X-User": "u2", "X-User-Id": "u2" })],
  ["neighbour", "X-Forwarded-User", () => post({}, { "X-Forwarded-User": "u2" })],
  ["neighbour", "From and X-Remote-User", () => post({}, { From: "u2", "X-Remote-User": "u2" })],
  ["neighbour", "Authorization that no strategy reads", () => post({}, { Authorization: "u2" })],
  ["neighbour", "Basic credentials", () => post({}, { Authorization: "Basic dTI6cGFzc3dvcmQ=" })],
  ["neighbour", "cookies of other names", () => post({}, { Cookie: "sub=u2; userId=u2; user=u2" })],
];

for (const [source, what, make] of CLAIMS) {
  Deno.test(`[${source}] subject: ${what} → the principal is unchanged or absent`, async () => {
    const app = createTestApp();
    const seen: unknown[] = [];
    app.router.post(
      "/do",
      (req) => (seen.push(req.principal.sub, getPrincipal(req)?.sub), json(1)),
    );
    const { jar } = await app.signedIn();
    const alone = make();
    assertEquals(await codeOf(app.router.fetch(alone)), [401, "unauthenticated"]);
    const request = make();
    const others = request.headers.get("Cookie");
    request.headers.set("Cookie", [jar.field(), ...(others === null ? [] : [others])].join("; "));
    assertEquals((await app.router.fetch(request)).status, 200);
    assertEquals(seen, ["u1", "u1"]);
  });
}

Deno.test("[neighbour] subject: an own __proto__ in the body → 400, and no principal", async () => {
  const app = createTestApp();
  const { jar } = await app.signedIn();
  const body = '{"__proto__":{"sub":"u2","principal":{"sub":"u2"}}}';
  const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" };
  const init = { method: "POST", headers: { ...headers, Cookie: jar.field() }, body };
  assertEquals(await codeOf(app.router.request("/notes", init)), [400, "invalid_json"]);
  assertEquals(getPrincipal(new Request(ORIGIN)), undefined);
});

Deno.test("[neighbour] subject: a handler that writes to the principal → TypeError, and later requests are unaffected", async () => {
  const app = createTestApp();
  app.router.get("/write", (req) => {
    const principal = untyped<{ sub: string; amr?: string[] }>(req.principal);
    assertThrows(() => principal.sub = "u2", TypeError);
    assertThrows(() => principal.amr?.push("hwk"), TypeError);
    return json(principal.sub);
  });
  const client = await app.signedIn();
  assertEquals(await (await client.send("/write")).json(), "u1");
});

/** Places where a session token is not a credential. */
const PLACES: readonly (readonly [
  what: string,
  path: (token: string) => string,
  headers: (token: string) => Record<string, string>,
])[] = [
  ["in the query", (token) => `/me?__Host-sid=${token}&sid=${token}`, () => ({})],
  ["as a bearer token", () => "/me", (token) => ({ Authorization: `Bearer ${token}` })],
  ["in a field of the cookie's name", () => "/me", (token) => ({ "__Host-sid": token })],
  ["in a cookie without the prefix", () => "/me", (token) => ({ Cookie: `sid=${token}` })],
  ["under __Secure-", () => "/me", (token) => ({ Cookie: `__Secure-sid=${token}` })],
  ["in a cookie in other case", () => "/me", (token) => ({ Cookie: `__host-sid=${token}` })],
  ["after a no-break space", () => "/me", (token) => ({ Cookie: `\u00a0__Host-sid=${token}` })],
  [
    "in the value of another cookie",
    () => "/me",
    (token) => ({ Cookie: `a="b; x=__Host-sid=${token}"` }),
  ],
  ["in Cookie2", () => "/me", (token) => ({ Cookie2: `__Host-sid=${token}` })],
  ["in Set-Cookie", () => "/me", (token) => ({ "Set-Cookie": `__Host-sid=${token}` })],
];

for (const [what, path, headers] of PLACES) {
  Deno.test(`[GHSA-r5rp-j6wh-rvv4] token: ${what} → anonymous`, async () => {
    const app = createTestApp();
    const { jar } = await app.signedIn();
    const token = jar.get("__Host-sid") ?? "";
    const response = await app.router.request(path(token), { headers: headers(token) });
    assertEquals(await codeOf(response), [401, "unauthenticated"]);
    assertEquals(
      (await app.router.request("/me", { headers: { Cookie: jar.field() } })).status,
      200,
    );
  });
}

/** Several credentials in one request. */
const PAIRS: readonly (readonly [
  source: string,
  what: string,
  headers: (token: string) => Record<string, string>,
  outcome: readonly unknown[],
])[] = [
  ["ATTACKS", "a session and an invalid key", (token) => ({
    Cookie: `__Host-sid=${token}`,
    "X-Key": "bad",
  }), [401, "invalid_key"]],
  ["neighbour", "a session and an empty key", (token) => ({
    Cookie: `__Host-sid=${token}`,
    "X-Key": "",
  }), [401, "invalid_key"]],
  ["neighbour", "a session and two keys", (token) => ({
    Cookie: `__Host-sid=${token}`,
    "X-Key": "good, good",
  }), [401, "invalid_key"]],
  ["ATTACKS", "two sessions, one of them valid", (token) => ({
    Cookie: `__Host-sid=${token}; __Host-sid=evil`,
  }), [401, "session_ambiguous"]],
  ["neighbour", "two sessions in reverse order", (token) => ({
    Cookie: `__Host-sid=evil; __Host-sid=${token}`,
  }), [401, "session_ambiguous"]],
];

for (const [source, what, headers, outcome] of PAIRS) {
  Deno.test(`[${source}] chain: ${what} → 401 on every kind of route`, async () => {
    const app = createTestApp({ strategies: [keyStrategy()] });
    const { jar } = await app.signedIn();
    for (const path of ["/me", "/maybe"]) {
      const init = { headers: headers(jar.get("__Host-sid") ?? "") };
      assertEquals(await codeOf(app.router.request(path, init)), outcome);
    }
  });
}

/** Other spellings of a guarded path. */
const TARGETS: readonly string[] = [
  "/vault/x",
  "/vault/%78",
  "/%76ault/x",
  "/vault/x?auth=false",
  "/vault/x#public",
  "/public/../vault/x",
  "/public/%2e%2e/vault/x",
  "/public/..%2fvault/x",
  "/public%2f..%2fvault/x",
  "/./vault/x",
  "//vault/x",
  "/vault//x",
  "/vault/./x",
  "/vault/x/",
  "/vault/x%00",
  "/vault/x%zz",
  "/vault;a=b/x",
  "/VAULT/x",
  "/vault/x/../x",
  "\\vault\\x",
];

for (const target of TARGETS) {
  Deno.test(`[CVE-2026-29087] spelling: ${JSON.stringify(target)} → no access without a session`, async () => {
    const { runtime } = createTestApp();
    let ran = 0;
    const secret = () => (ran++, json("secret"));
    const routers = [
      withAuthRoutes(createRouter(), { runtime }).get("/vault/:name", secret)
        .get("/public/*", () => json("open"), { auth: false }),
      withAuthRoutes(createRouter(), { runtime })
        .mount("/vault", createRouter().get("/:name", secret))
        .mount("/public", createRouter().get("/*", () => json("open")), { auth: false }),
      createRouter().under("/vault", requireAuth({ runtime })).get("/vault/:name", secret)
        .mount("/public", createRouter().get("/*", () => json("open"))),
      createRouter().under("/vault", requireAuth({ runtime }))
        .mount("/vault", createRouter().get("/:name", secret)),
    ];
    const methods = ["GET", "HEAD", "OPTIONS", "POST"];
    for (const router of routers) {
      for (const method of methods) {
        const response = await router.fetch(rawRequest(target, { method }));
        assertEquals((await response.text()).includes("secret"), false);
      }
    }
    assertEquals(ran, 0);
  });
}

/** Header fields that override the path or method on some servers. */
const FIELDS: readonly string[] = [
  "X-HTTP-Method-Override",
  "X-Method-Override",
  "X-Original-URL",
  "X-Rewrite-URL",
  "X-Forwarded-Prefix",
  "X-Middleware-Subrequest",
];

for (const field of FIELDS) {
  Deno.test(`[CVE-2025-29927] header: ${field} → no access`, async () => {
    const { router } = createTestApp();
    for (const value of ["GET", "/public", "middleware:middleware:middleware"]) {
      const headers = { [field]: value, "Content-Type": "application/json" };
      assertEquals((await router.request("/me", { headers })).status, 401);
      const init = { method: "POST", headers, body: "{}" };
      assertEquals((await router.request("/notes", init)).status, 401);
    }
  });
}

/** Requests with a session that is older than a route allows. */
const STALE: readonly (readonly [source: string, what: string, path: string, init: RequestInit])[] =
  [
    ["ATTACKS", "a session older than maxAge", "/vault", {}],
    ["neighbour", "HEAD", "/vault", { method: "HEAD" }],
    ["neighbour", "an encoded path", "/%76ault", {}],
    ["neighbour", "a mounted route", "/mount/x", {}],
    ["neighbour", "an optional route that passes", "/passes", {}],
    ["neighbour", "a route with another guard before it", "/twice", {}],
    ["neighbour", "max_age and auth_time in the query", "/vault?max_age=99999&auth_time=1e10", {}],
    ["neighbour", "fields that name a time", "/vault", {
      headers: { "X-Auth-Time": "9999999999", "Date": "Thu, 01 Jan 1970 00:00:00 GMT" },
    }],
    ["neighbour", "a cookie that names methods", "/mfa", { headers: { Cookie: "amr=mfa" } }],
    ["neighbour", "a method in the body", "/mfa", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: '{"amr":["mfa"]}',
    }],
    ["neighbour", "a body that is never read", "/vault", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{",
    }],
  ];

for (const [source, what, path, init] of STALE) {
  Deno.test(`[${source}] step-up: ${what} → 401, and the handler does not run`, async () => {
    const app = createTestApp();
    let ran = 0;
    const secret = () => (ran++, json("secret"));
    const recent = { auth: { maxAge: 900 } };
    app.router
      .get("/vault", secret, recent)
      .post("/vault", secret, recent)
      .all("/mfa", secret, { auth: { amr: ["mfa"] } })
      .mount("/mount", createRouter<unknown[]>().get("/x", secret), recent)
      .get("/passes", () => pass(), { auth: { mode: "optional" } })
      .get("/passes", secret, recent)
      .get("/twice", secret, {
        use: [
          requireAuth({ runtime: app.runtime }),
          requireAuth({ runtime: app.runtime, maxAge: 1 }),
        ],
      });
    const { jar } = await app.signedIn();
    app.clock.now += 901;
    const headers = new Headers(init.headers);
    const others = headers.get("Cookie");
    headers.set("Cookie", [jar.field(), ...(others === null ? [] : [others])].join("; "));
    headers.set("Sec-Fetch-Site", "same-origin");
    const response = await app.router.request(path, { ...init, headers });
    assertEquals(response.status, 401);
    assertEquals(app.events.map((event) => "reason" in event && event.reason), [
      "insufficient_authentication",
    ]);
    assertEquals(response.headers.getSetCookie(), []);
    assertEquals(ran, 0);
  });
}

function post(body: object, headers: Record<string, string> = {}, query = ""): Request {
  const fields = {
    "Content-Type": "application/json",
    "Sec-Fetch-Site": "same-origin",
    ...headers,
  };
  return new Request(`${ORIGIN}/do${query}`, {
    method: "POST",
    headers: fields,
    body: JSON.stringify(body),
  });
}
