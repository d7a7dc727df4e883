/** The CSRF check: as middleware, in guards, and its rules. */

import {
  authenticated,
  type AuthStrategy,
  createRouter,
  csrfGuard,
  type CsrfGuardOptions,
  type CsrfRule,
  json,
  noCredential,
  requireAuth,
  type RouteTarget,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { cookiePolicy } from "../../../auth/session/cookie_policy.ts";
import { csrfService } from "../../../auth/session/csrf.ts";
import { untyped } from "../../router/_helpers.ts";
import { type KeyOptions, keyStrategy, ROBOT, strategyOf } from "../_strategies.ts";
import { type BrowserInit, createTestApp, type TestApp, type TestBrowser } from "./_app.ts";

const csrf = csrfService({
  keys: deriveKeys("a secret that only the tests know, kept"),
  cookies: cookiePolicy(),
});
const guard = csrfGuard({ csrf });
const SESSION = "__Host-sid=s";

/** A router with the guard, and the requests that passed it. */
function guarded() {
  const handled: string[] = [];
  const router = createRouter({ before: [guard], onError: () => {} })
    .get("/", () => json({ read: true }))
    .post("/", (req) => {
      handled.push(req.raw.method);
      return json({ done: true });
    })
    .put("/", () => json({ done: handled.push("PUT") }))
    .delete("/", () => json({ done: handled.push("DELETE") }));
  return { router, handled };
}

const JSON_TYPE = { "Content-Type": "application/json" };

/** Header fields of a valid request. */
async function goodHeaders(): Promise<Record<string, string>> {
  const { token, cookies } = await csrf.issue(
    new Request("https://example.com/", { headers: { Cookie: SESSION } }),
  );
  const cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
  return {
    ...JSON_TYPE,
    Cookie: `${SESSION}; ${cookie}`,
    "X-CSRF-Token": token,
    "Sec-Fetch-Site": "same-origin",
  };
}

/** Changes of a valid request for which it is rejected. */
const FORGED: readonly [why: string, change: Readonly<Record<string, string>>][] = [
  ["from another site", { "Sec-Fetch-Site": "cross-site" }],
  ["from a sibling domain", { "Sec-Fetch-Site": "same-site" }],
  ["with an unknown Sec-Fetch-Site", { "Sec-Fetch-Site": "same-planet" }],
  ["without a token", { "X-CSRF-Token": "" }],
  ["with a malformed token", { "X-CSRF-Token": "x" }],
  ["without cookies", { Cookie: "" }],
  ["in another session", { Cookie: "__Host-sid=other" }],
];

for (const [why, change] of FORGED) {
  for (const method of ["POST", "PUT", "DELETE"]) {
    Deno.test(`csrfGuard() rejects ${method} ${why} with a 403 csrf_failed, before the handler`, async () => {
      const { router, handled } = guarded();
      const headers = { ...await goodHeaders(), ...change };
      const response = await router.request("/", { method, headers, body: "{}" });
      assertEquals(response.status, 403);
      assertEquals(response.headers.get("Content-Type"), "application/problem+json");
      const body = await response.json();
      assertEquals(Object.keys(body).sort(), ["code", "detail", "status", "title", "type"]);
      assertEquals(body.code, "csrf_failed");
      assertEquals(handled, []);
    });
  }
}

Deno.test("csrfGuard() answers all forged requests with the same bytes, and discloses no reason", async () => {
  const { router } = guarded();
  const bodies = new Set<string>();
  for (const [, change] of FORGED) {
    const headers = { ...await goodHeaders(), ...change };
    const response = await router.request("/", { method: "POST", headers, body: "{}" });
    bodies.add(JSON.stringify([response.status, [...response.headers], await response.text()]));
  }
  assertEquals(bodies.size, 1);
});

Deno.test("csrfGuard() accepts a valid request, and does not read its body", async () => {
  const router = createRouter({ before: [guard] })
    .post("/", (req) => json({ got: req.content as unknown }));
  const headers = await goodHeaders();
  const response = await router.request("/", { method: "POST", headers, body: '{"a":1}' });
  assertEquals(response.status, 200);
  assertEquals(await response.json(), { got: { a: 1 } });
});

for (const method of ["GET", "HEAD"]) {
  Deno.test(`csrfGuard() accepts ${method}, even from another site`, async () => {
    const { router } = guarded();
    const headers = { "Sec-Fetch-Site": "cross-site", Cookie: SESSION };
    const response = await router.request("/", { method, headers });
    assertEquals(response.status, 200);
    await response.body?.cancel();
  });
}

Deno.test("csrfGuard() rejects multipart, plain and urlencoded form POSTs from another site alike", async () => {
  const { router, handled } = guarded();
  for (
    const type of [
      "multipart/form-data; boundary=x",
      "text/plain",
      "application/x-www-form-urlencoded",
    ]
  ) {
    const headers = { Cookie: SESSION, "Content-Type": type, "Sec-Fetch-Site": "cross-site" };
    const response = await router.request("/", { method: "POST", headers, body: "a=b" });
    assert(response.status === 403 || response.status === 415, String(response.status));
    await response.body?.cancel();
  }
  assertEquals(handled, []);
});

Deno.test("csrfGuard() protects a path with under(), and no other path", async () => {
  const router = createRouter({ onError: () => {} })
    .under("/account", guard)
    .post("/account/name", () => json({ done: true }))
    .post("/webhook", () => json({ done: true }));
  const init = {
    method: "POST",
    headers: { ...JSON_TYPE, "Sec-Fetch-Site": "cross-site" },
    body: "{}",
  };
  const [account, webhook] = [
    await router.request("/account/name", init),
    await router.request("/webhook", init),
  ];
  assertEquals([account.status, webhook.status], [403, 200]);
  await account.body?.cancel();
  await webhook.body?.cancel();
});

Deno.test("csrfGuard() responds 500 if the check itself fails, and does not run the handler", async () => {
  const broken = { ...csrf, check: () => Promise.reject(new Error("no keys")) };
  const handled: string[] = [];
  const router = createRouter({ before: [csrfGuard({ csrf: broken })], onError: () => {} })
    .post("/", () => json({ done: handled.push("POST") }));
  const response = await router.request("/", {
    method: "POST",
    headers: await goodHeaders(),
    body: "{}",
  });
  assertEquals(response.status, 500);
  assertFalse((await response.text()).includes("keys"));
  assertEquals(handled, []);
});

/** Valid and invalid requests, and the status for each mode. */
const MODES: readonly [
  why: string,
  change: Readonly<Record<string, string>>,
  token: number,
  source: number,
][] = [
  ["with a token, from its own page", {}, 200, 200],
  ["without a token, from its own page", { "X-CSRF-Token": "" }, 403, 200],
  ["with a token of another session, from its own page", { Cookie: "__Host-sid=other" }, 403, 200],
  ["with a token, from another site", { "Sec-Fetch-Site": "cross-site" }, 403, 403],
  ["with a token, from a sibling domain", { "Sec-Fetch-Site": "same-site" }, 403, 403],
];

for (const [why, change, token, source] of MODES) {
  Deno.test(`csrfGuard() answers ${token} in token mode, ${source} in origin mode: ${why}`, async () => {
    const modes: readonly [Partial<CsrfGuardOptions>, number][] = [
      [{}, token], // the default is token mode
      [{ mode: "token" }, token],
      [{ mode: "origin" }, source],
    ];
    for (const [options, status] of modes) {
      const handled: string[] = [];
      const router = createRouter({ before: [csrfGuard({ csrf, ...options })], onError: () => {} })
        .post("/", () => json({ done: handled.push("POST") }));
      const headers = { ...await goodHeaders(), ...change };
      const response = await router.request("/", { method: "POST", headers, body: "{}" });
      assertEquals(response.status, status);
      assertEquals(handled.length, status === 200 ? 1 : 0);
      await response.body?.cancel();
    }
  });
}

Deno.test("csrfGuard() in origin mode requires a token if the browser sends no origin", async () => {
  const router = createRouter({ before: [csrfGuard({ csrf, mode: "origin" })], onError: () => {} })
    .post("/", () => json({ done: true }));
  const { "Sec-Fetch-Site": _site, ...headers } = await goodHeaders();
  const { "X-CSRF-Token": _token, ...without } = headers;
  const statuses: number[] = [];
  for (const fields of [headers, without]) {
    const response = await router.request("/", { method: "POST", headers: fields, body: "{}" });
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 403]);
});

for (const ask of ["", "Token", "source", "toString", null, true, false, ["token"]]) {
  Deno.test(`csrfGuard() rejects ${JSON.stringify(ask)} as mode`, () => {
    const options = { csrf, mode: ask } as CsrfGuardOptions;
    assertThrows(() => csrfGuard(options), TypeError, "Cannot create CSRF guard: mode");
  });
}

Deno.test("csrfGuard() rejects the handshake of a WebSocket from another site", async () => {
  for (const mode of ["token", "origin"] as const) {
    const router = createRouter({ before: [csrfGuard({ csrf, mode })], onError: () => {} })
      .get("/", () => json({ done: true }));
    const statuses: number[] = [];
    for (const site of ["cross-site", "same-site", "same-origin"]) {
      const headers = { Cookie: SESSION, Upgrade: "websocket", "Sec-Fetch-Site": site };
      const response = await router.request("/", { headers });
      statuses.push(response.status);
      await response.body?.cancel();
    }
    assertEquals(statuses, [403, 403, 200], mode);
  }
});

// CSRF rules as options of guards.

const { runtime } = createTestApp();

const GIVEN: readonly (readonly [where: string, give: (rule: unknown) => unknown])[] = [
  ["requireAuth()", (csrf) => requireAuth(untyped<never>({ runtime, csrf }))],
  ["withAuthRoutes()", (csrf) => withAuthRoutes(createRouter(), untyped<never>({ runtime, csrf }))],
];

for (const [where, give] of GIVEN) {
  for (const rule of ["Source", "skip", "", true, false, 0, ["token"]]) {
    Deno.test(`${where} rejects ${JSON.stringify(rule)} as a CSRF rule`, () => {
      assertThrows(() => give(rule), TypeError, 'must be "origin", "token" or "insecureSkip"');
    });
  }
}

Deno.test("csrfGuard() rejects insecureSkip as mode", () => {
  const options = untyped<{ csrf: typeof runtime.csrf }>({
    csrf: runtime.csrf,
    mode: "insecureSkip",
  });
  assertThrows(() => csrfGuard(options), TypeError, "mode must be");
});

Deno.test("csrfGuard() rejects unknown options", () => {
  const options = untyped<{ csrf: typeof runtime.csrf }>({ csrf: runtime.csrf, aks: "origin" });
  assertThrows(() => csrfGuard(options), TypeError, "unknown option aks");
});

// Which requests guards check for CSRF: by rule, credential, origin and method, on every kind of route.

/** Header fields about the origin of a request, with and without a browser. */
const SOURCES = {
  "same-origin": { "Sec-Fetch-Site": "same-origin" },
  "same-site": { "Sec-Fetch-Site": "same-site" },
  "cross-site": { "Sec-Fetch-Site": "cross-site" },
  "none": { "Sec-Fetch-Site": "none" },
  "unheard of": { "Sec-Fetch-Site": "same-galaxy" },
  "own Origin": { "Sec-Fetch-Site": undefined, Origin: "https://example.com" },
  "foreign Origin": { "Sec-Fetch-Site": undefined, Origin: "https://evil.example" },
  "sibling's Origin": { "Sec-Fetch-Site": undefined, Origin: "https://app.example.com" },
  "Origin null": { "Sec-Fetch-Site": undefined, Origin: "null" },
  "nothing": { "Sec-Fetch-Site": undefined },
} as const;

const OWN = SOURCES["same-origin"];

type Source = keyof typeof SOURCES;

/** Credentials of a request. Browsers may attach ambient ones automatically. */
const CREDENTIALS: readonly (readonly [
  why: string,
  options: KeyOptions | undefined,
  ambient: boolean,
])[] = [
  ["a session's cookie", undefined, true],
  ["another cookie", { scheme: { type: "cookie", name: "key" } }, true],
  ["a strategy that does not say", { scheme: "unsaid" }, true],
  ["a strategy without a scheme", { scheme: { type: "header", name: "Authorization" } }, true],
  ["authorization, however written", { scheme: { type: "header", name: "aUTHORIZATION" } }, true],
  ["a scheme of no known type", { scheme: { type: "basic" } as unknown as Scheme }, true],
  ["Cookie as a field", { scheme: { type: "header", name: "Cookie" } }, true],
  ["a field that a proxy adds", { ambient: true }, true],
  ["a cookie that says it is no ambient one", {
    scheme: { type: "cookie", name: "key" },
    ambient: false,
  }, false],
  ["a bearer token", { scheme: { type: "bearer" } }, false],
  ["a field of its own", {}, false],
];

type Scheme = NonNullable<AuthStrategy["scheme"]>;

/** Accepted requests with an ambient credential, without and with the page's token. */
const PASSES: Readonly<Record<CsrfRule, (source: Source, token: boolean) => boolean>> = {
  origin: (source, token) => isOwn(source) || (source === "nothing" && token),
  token: (source, token) => token && (isOwn(source) || source === "nothing"),
  insecureSkip: () => true,
};

const RULES: readonly CsrfRule[] = ["origin", "token", "insecureSkip"];

for (const rule of RULES) {
  for (const [why, options, ambient] of CREDENTIALS) {
    Deno.test(`createGuard() applies the rule ${rule} to requests with ${why}`, async () => {
      const app = createApp({ csrf: rule, strategies: options && [keyStrategy(options)] });
      const client = await enter(app, options === undefined);
      const key = options === undefined ? {} : { "X-Key": "good" };
      for (const source of Object.keys(SOURCES) as Source[]) {
        for (const token of [undefined, await client.token()]) {
          const passes = !ambient || PASSES[rule](source, token !== undefined);
          const response = await client.send("/notes", {
            method: "POST",
            json: {},
            headers: { ...SOURCES[source], ...key },
            token: token ?? false,
          });
          const label = `${source}, ${token === undefined ? "no token" : "token"}`;
          assertEquals(await outcomeOf(response), passes ? "201" : "403 csrf_failed", label);
        }
      }
    });
  }
}

const METHODS: readonly (readonly [method: string, checked: boolean])[] = [
  ["GET", false],
  ["HEAD", false],
  ["OPTIONS", false],
  ["POST", true],
  ["PUT", true],
  ["PATCH", true],
  ["DELETE", true],
  ["PROPFIND", true],
  ["get", false],
  ["delete", true],
];

for (const [method, checked] of METHODS) {
  Deno.test(`createGuard() ${checked ? "checks" : "does not check"} the origin of ${method}`, async () => {
    const app = createApp({});
    const seen: string[] = [];
    app.router.all("/any", (req) => (seen.push(req.method), json(1)));
    const client = await enter(app, true);
    const init = { method, headers: SOURCES["cross-site"] };
    assertEquals((await client.send("/any", init)).status, checked ? 403 : 200);
    assertEquals(seen.length, checked ? 0 : 1);
    assertEquals((await client.send("/any", { method })).status, 200);
  });
}

/** Routes that read their bodies in different ways: all are protected by default. */
const ROUTES: readonly (readonly [why: string, path: string, init: () => BrowserInit])[] = [
  ["raw", "/raw", () => ({ body: "text" })],
  ["raw, as a form of another site sends it", "/raw", () => ({ body: new URLSearchParams("a=1") })],
  ["raw, without a body", "/raw", () => ({})],
  ["multipart", "/multipart", () => ({ body: form() })],
  ["JSON with white space in the type", "/json", () => ({
    body: "{}",
    headers: { "Content-Type": "application/json ; charset=utf-8" },
  })],
  ["every method", "/all", () => ({ body: "text" })],
  ["optional", "/optional", () => ({ json: {} })],
  ["behind a mount", "/mounted/notes", () => ({ body: "text" })],
  ["public, with requireAuth()", "/used", () => ({ body: "text" })],
];

for (const [why, path, make] of ROUTES) {
  Deno.test(`createGuard() rejects a sibling's POST without any configuration: ${why}`, async () => {
    const app = createApp({});
    const client = await enter(app, true);
    for (
      const source of ["same-site", "cross-site", "none", "sibling's Origin", "nothing"] as const
    ) {
      const { headers, ...init } = make();
      const fields = { ...headers, ...SOURCES[source] };
      const response = await client.send(path, { method: "POST", ...init, headers: fields });
      assertEquals(await outcomeOf(response), "403 csrf_failed", source);
    }
    const own = await client.send(path, { method: "POST", ...make() });
    assertEquals(own.ok, true, await outcomeOf(own));
    assertEquals(app.ran.length, 1);
  });
}

Deno.test("createGuard() does not check the origin of anonymous requests to optional and public routes", async () => {
  const app = createApp({});
  for (const path of ["/optional", "/open"]) {
    const init = { method: "POST", json: {}, headers: SOURCES["cross-site"] };
    assertEquals((await app.browser().send(path, init)).status, 201);
  }
});

Deno.test("createGuard() applies its own rule instead of the runtime's", async () => {
  const app = createApp({ csrf: "insecureSkip" });
  const { runtime } = app;
  const { post } = app.router as unknown as RouteTarget;
  for (const csrf of RULES) {
    post(`/${csrf}`, () => json(1), {
      auth: false,
      raw: true,
      use: [requireAuth({ runtime, csrf })],
    });
  }
  const client = await enter(app, true);
  const statuses = async (headers: Record<string, string | undefined>, token?: string) => {
    const init = { method: "POST", headers, ...(token === undefined ? {} : { token }) };
    return await Promise.all(
      RULES.map(async (rule) => (await client.send(`/${rule}`, init)).status),
    );
  };
  assertEquals(await statuses(OWN), [200, 403, 200]);
  assertEquals(await statuses(OWN, await client.token()), [200, 200, 200]);
  assertEquals(await statuses(SOURCES["cross-site"]), [403, 403, 200]);
});

Deno.test("createGuard() accepts trusted origins like the application's own", async () => {
  const app = createApp({ trustedOrigins: ["https://app.example.com"] });
  const client = await enter(app, true);
  const from = (Origin: string, site: string) =>
    client.send("/notes", {
      method: "POST",
      json: {},
      headers: { Origin, "Sec-Fetch-Site": site },
    });
  assertEquals((await from("https://app.example.com", "same-site")).status, 201);
  assertEquals((await from("https://app.example.com:8443", "same-site")).status, 403);
  assertEquals((await from("https://other.example.com", "same-site")).status, 403);
});

Deno.test("createGuard() reads the token from the header field of csrfHeader", async () => {
  const app = createApp({ csrf: "token", csrfHeader: "X-Proof" });
  const client = await enter(app, true);
  const token = await client.token();
  const send = (headers: Record<string, string>) =>
    client.send("/notes", { method: "POST", json: {}, headers });
  assertEquals((await send({ "X-CSRF-Token": token })).status, 403);
  assertEquals((await send({ "X-Proof": token })).status, 201);
});

Deno.test("createGuard() emits the reason of a failed CSRF check once", async () => {
  const app = createApp({});
  const client = await enter(app, true);
  await client.send("/notes", { method: "POST", json: {}, headers: SOURCES["cross-site"] });
  await client.send("/notes", { method: "POST", json: {}, headers: SOURCES.nothing });
  const reasons = app.events.map((event) => "reason" in event ? event.reason : event.type);
  assertEquals(reasons, ["cross_origin", "token_missing"]);
});

Deno.test("createGuard() checks the origin of a WebSocket handshake", async () => {
  const app = createApp({});
  app.router.get("/socket", () => json("101 Switching Protocols"));
  const client = await enter(app, true);
  const handshake = { Connection: "Upgrade", Upgrade: "websocket" };
  const statusOf = async (headers: BrowserInit["headers"] = {}) =>
    (await client.send("/socket", { headers: { ...handshake, ...headers } })).status;
  assertEquals(await statusOf(), 200);
  assertEquals(
    await statusOf({ Origin: "https://evil.example", "Sec-Fetch-Site": undefined }),
    403,
  );
  assertEquals(await statusOf(SOURCES["cross-site"]), 403);
  assertEquals(await statusOf(SOURCES.nothing), 403, "a page cannot send a token in a handshake");
});

Deno.test("createGuard() checks by the strategy that authenticated, not by other credentials of the request", async () => {
  const silent = strategyOf(() => noCredential(), { scheme: { type: "cookie", name: "other" } });
  const sure = strategyOf(() => authenticated(ROBOT), { scheme: { type: "bearer" } });
  const app = createApp({ strategies: [silent, sure] });
  const client = await enter(app, true);
  const init = { method: "POST", json: {}, headers: SOURCES["cross-site"] };
  assertEquals(await outcomeOf(await client.send("/notes", init)), "201");
});

interface App extends TestApp {
  readonly ran: string[];
}

function createApp(options: Parameters<typeof createTestApp>[0] & object): App {
  const app = createTestApp({ ...options, strategies: options.strategies ?? [] });
  const ran: string[] = [];
  const { runtime } = app;
  const handler = () => (ran.push("ran"), json("done", { status: 201 }));
  const inner = createRouter<unknown[]>().post("/notes", handler, { raw: true });
  app.router
    .post("/json", handler)
    .post("/raw", handler, { raw: true })
    .post("/multipart", handler, { multipart: true })
    .all("/all", handler)
    .post("/optional", handler, { auth: { mode: "optional" } })
    .post("/open", handler, { auth: false })
    .post("/used", handler, { auth: false, raw: true, use: [requireAuth({ runtime })] })
    .mount("/mounted", inner);
  return { ...app, ran };
}

async function enter(app: TestApp, signedIn: boolean): Promise<TestBrowser> {
  return signedIn ? await app.signedIn() : app.browser();
}

async function outcomeOf(response: Response): Promise<string> {
  const text = await response.text();
  return response.ok ? `${response.status}` : `${response.status} ${JSON.parse(text).code}`;
}

function isOwn(source: Source): boolean {
  return source === "same-origin" || source === "own Origin";
}

function form(): FormData {
  const data = new FormData();
  data.set("a", "1");
  return data;
}
