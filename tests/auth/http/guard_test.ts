/** Guards: authentication, challenges, results of strategies and managers, and the state of a request. */

import {
  applyAuthHeaders,
  AuthError,
  authFailed,
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
  createRouter,
  getPrincipal,
  getSession,
  HttpError,
  json,
  pass,
  type Principal,
  requireAuth,
  requireAuthz,
  type RouteRequest,
  type RouteTarget,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { keyStrategy, managerOf, ROBOT, strategyOf } from "../_strategies.ts";
import { createIssuer } from "../tokens/_bearer.ts";
import {
  createTestApp,
  ORIGIN,
  type TestApp,
  type TestAppOptions,
  type TestBrowser,
} from "./_app.ts";
import { httpOf } from "../_transport.ts";

/** Options of the routes. */
const ROUTES = {
  required: {},
  optional: { auth: { mode: "optional" } },
  public: { auth: false },
  asked: { authorization: { metadata: "allow" } },
  denied: { authorization: { metadata: "deny" } },
  "optional, asked": { auth: { mode: "optional" }, authorization: { metadata: "allow" } },
  "anonymous asked": {
    auth: { mode: "optional" },
    authorization: { metadata: "allow", allowAnonymous: true },
  },
  "anonymous denied": {
    auth: { mode: "optional" },
    authorization: { metadata: "deny", allowAnonymous: true },
  },
  "required, and anonymous asked": { authorization: { metadata: "allow", allowAnonymous: true } },
  "manager throws": { authorization: { metadata: "throw" } },
} as const;

type RouteName = keyof typeof ROUTES;

/** Credentials of the requests; `S` stands for a session's token. */
const REQUESTS = {
  anonymous: {},
  session: { Cookie: "__Host-sid=S" },
  "dead session": { Cookie: "__Host-sid=dead" },
  "session twice": { Cookie: "__Host-sid=S; __Host-sid=S" },
  key: { "X-Key": "good" },
  "wrong key": { "X-Key": "bad" },
  "empty key": { "X-Key": "" },
  "wrong key, session": { "X-Key": "bad", Cookie: "__Host-sid=S" },
  "key, session": { "X-Key": "good", Cookie: "__Host-sid=S" },
  "key, dead session": { "X-Key": "good", Cookie: "__Host-sid=dead" },
  "forged session": { Cookie: "__Host-sid=S", "Sec-Fetch-Site": "cross-site" },
  "forged dead session": { Cookie: "__Host-sid=dead", "Sec-Fetch-Site": "cross-site" },
  "key from another site": { "X-Key": "good", "Sec-Fetch-Site": "cross-site" },
  "other cookies": { Cookie: "sid=S; host-sid=S; \u00a0__Host-sid=S; __host-sid=S" },
} as const;

type RequestName = keyof typeof REQUESTS;

/** Expected status and code, or the sub that the handler saw (`-` for anonymous); `?` if the manager was called. */
const ANONYMOUS: Readonly<Record<RouteName, string>> = {
  required: "401 unauthenticated",
  optional: "-",
  public: "-",
  asked: "401 unauthenticated",
  denied: "401 unauthenticated",
  "optional, asked": "401 unauthenticated",
  "anonymous asked": "- ?",
  "anonymous denied": "403 access_denied ?",
  "required, and anonymous asked": "401 unauthenticated",
  "manager throws": "401 unauthenticated",
};

function known(sub: string): Readonly<Record<RouteName, string>> {
  return {
    required: sub,
    optional: sub,
    public: "-",
    asked: `${sub} ?`,
    denied: "403 access_denied ?",
    "optional, asked": `${sub} ?`,
    "anonymous asked": `${sub} ?`,
    "anonymous denied": "403 access_denied ?",
    "required, and anonymous asked": `${sub} ?`,
    "manager throws": "500 internal_error ?",
  };
}

/** The given outcome on all routes except public ones. */
function refused(outcome: string): Readonly<Record<RouteName, string>> {
  const names = Object.keys(ROUTES) as RouteName[];
  const all = names.map((name) => [name, name === "public" ? "-" : outcome]);
  return Object.fromEntries(all) as Record<RouteName, string>;
}

const OUTCOMES: Readonly<Record<RequestName, Readonly<Record<RouteName, string>>>> = {
  anonymous: ANONYMOUS,
  session: known("u1"),
  "dead session": refused("401 session_expired"),
  "session twice": refused("401 session_ambiguous"),
  key: known("robot"),
  "wrong key": refused("401 invalid_key"),
  "empty key": refused("401 invalid_key"),
  "wrong key, session": refused("401 invalid_key"),
  "key, session": known("robot"),
  "key, dead session": known("robot"),
  "forged session": refused("403 csrf_failed"),
  "forged dead session": refused("401 session_expired"),
  "key from another site": known("robot"),
  "other cookies": ANONYMOUS,
};

const CHALLENGES: Readonly<Record<string, string>> = {
  unauthenticated: "ApiKey, Session",
  session_expired: "Session",
  session_ambiguous: "Session",
  invalid_key: "ApiKey",
};

for (const name of Object.keys(REQUESTS) as RequestName[]) {
  Deno.test(`createGuard() handles every kind of route: ${name}`, async () => {
    const app = createApp();
    const token = await tokenOf(app);
    for (const route of Object.keys(ROUTES) as RouteName[]) {
      const request = requestOf(name, route, token);
      app.asked.length = 0;
      const response = await app.router.fetch(request);
      const wanted = OUTCOMES[name][route];
      const outcome = await outcomeOf(response, app.asked.length);
      assertEquals(outcome, wanted, route);
      const [, code = ""] = wanted.split(" ");
      const isRefused = wanted.startsWith("401");
      assertEquals(response.headers.get("WWW-Authenticate"), isRefused ? CHALLENGES[code] : null);
      assertEquals(request.bodyUsed, response.ok, `${route}: the body is read after the guard`);
    }
  });
}

Deno.test("createGuard() calls strategies once for each request, and none after a decision", async () => {
  const first = keyStrategy({ name: "first", field: "X-First" });
  const second = keyStrategy({ name: "second" });
  const { router } = createTestApp({ strategies: [first, second] });
  await router.request("/me", { headers: { "X-First": "bad", "X-Key": "good" } });
  assertEquals([first.asked.length, second.asked.length], [1, 0]);
  await router.request("/me", { headers: { "X-Key": "good" } });
  assertEquals([first.asked.length, second.asked.length], [2, 1]);
  await router.request("/public", { headers: { "X-Key": "good" } });
  await router.request("/nowhere", { headers: { "X-Key": "good" } });
  assertEquals([first.asked.length, second.asked.length], [2, 1]);
});

Deno.test("createGuard() passes the request and the host's arguments to strategies", async () => {
  const strategy = keyStrategy();
  const { router } = createTestApp({ strategies: [strategy] });
  const request = new Request(`${ORIGIN}/me`);
  await router.fetch(request, { env: 1 }, "context");
  const [context] = strategy.asked;
  assertEquals(context?.request, request);
  assertEquals(context?.args, [{ env: 1 }, "context"]);
});

Deno.test("createGuard() passes principal, metadata, request, pattern and parameters to the manager", async () => {
  const manager = managerOf(() => authorizationAllowed());
  const { router } = createTestApp({ strategies: [keyStrategy()], authorization: manager });
  const metadata = { action: "read", nested: { fields: ["title"] } };
  router.get("/notes/:id/:part?", (req) => json(req.params.id), { authorization: { metadata } });
  const request = new Request(`${ORIGIN}/notes/a%2Fb?x=1`, { headers: { "X-Key": "good" } });
  assertEquals((await router.fetch(request)).status, 200);
  const [[principal, context] = []] = manager.asked;
  assertEquals(principal?.sub, "robot");
  assertEquals(context?.metadata, metadata);
  const transport = httpOf(context);
  assertEquals(transport.request, request);
  assertEquals(transport.route, "/notes/:id/:part?");
  assertEquals({ ...transport.params }, { id: "a/b" });
});

Deno.test("createGuard() responds 400 if a manager reads malformed parameters", async () => {
  const manager = managerOf(() => authorizationAllowed());
  const { router, signedIn } = createTestApp({
    authorization: {
      authorize: (principal, context) => {
        assertEquals(httpOf(context).params.id, "never");
        return manager.authorize(principal, context);
      },
    },
  });
  router.get("/notes/:id", () => json(1), { authorization: { metadata: 1 } });
  const client = await signedIn();
  assertEquals((await client.send("/notes/%zz")).status, 400);
  assertEquals(manager.asked.length, 0);
});

Deno.test("createGuard() emits rejections, without any data of the request", async () => {
  const { router, events, signedIn } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("not on Sundays")),
  });
  router.get("/notes/:id", () => json(1), { authorization: { metadata: 1 } });
  router.get("/open/:id", () => json(1), {
    auth: { mode: "optional" },
    authorization: { metadata: 1, allowAnonymous: true },
  });
  const client = await signedIn();
  await client.send("/notes/7");
  await router.request("/open/7");
  await router.request("/me", { headers: { "X-Key": "secret-of-somebody" } });
  await router.request("/me");
  const at = 1_700_000_000;
  const denied = { type: "authz.denied", at, reason: "not on Sundays" };
  const refused = { code: "invalid_key", message: "nobody's key" };
  assertEquals<unknown[]>(events, [
    { ...denied, sub: "u1", route: "/notes/:id", address: "192.0.2.1" },
    { ...denied, route: "/open/:id" },
    { type: "credential.refused", at, strategy: "key", route: "/me", ...refused },
  ]);
});

Deno.test("createGuard() never sends reasons and messages", async () => {
  const { router, signedIn } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("not on Sundays")),
  });
  router.get("/notes", () => json(1), { authorization: { metadata: "private metadata" } });
  const client = await signedIn();
  const denied = await (await client.send("/notes")).text();
  const wrong = await (await router.request("/me", { headers: { "X-Key": "bad" } })).text();
  for (const word of ["Sundays", "private", "u1", "/notes", "nobody", "bad"]) {
    assertEquals((denied + wrong).includes(word), false, word);
  }
  assertStringIncludes(denied, '"access_denied"');
});

interface App extends TestApp {
  readonly asked: unknown[];
}

function createApp(): App {
  const manager = managerOf((metadata) => {
    if (metadata === "throw") throw new Error("The manager is broken");
    return metadata === "allow" ? authorizationAllowed() : authorizationDenied("no");
  });
  const app = createTestApp({ strategies: [keyStrategy()], authorization: manager });
  const { post } = app.router as unknown as RouteTarget; // the options differ between calls
  for (const [name, options] of Object.entries(ROUTES)) {
    post(pathOf(name), (req) => {
      const { principal } = req as { principal?: { sub: string } };
      return json({ sub: principal?.sub ?? "-" });
    }, options);
  }
  return { ...app, asked: manager.asked };
}

function requestOf(name: RequestName, route: RouteName, token: string): Request {
  const fields: Record<string, string> = {
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/json",
    ...REQUESTS[name],
  };
  if (fields.Cookie !== undefined) fields.Cookie = fields.Cookie.replaceAll("=S", `=${token}`);
  return new Request(ORIGIN + pathOf(route), { method: "POST", headers: fields, body: "{}" });
}

function pathOf(route: string): string {
  return "/" + route.replaceAll(/[ ,]+/g, "-");
}

async function tokenOf({ signedIn, runtime }: TestApp): Promise<string> {
  const client = await signedIn();
  return client.jar.get(runtime.cookies.names.sid) ?? "";
}

async function outcomeOf(response: Response, asked: number): Promise<string> {
  const { code, sub } = await response.json();
  const seen = response.ok ? sub : `${response.status} ${code}`;
  return asked === 0 ? seen : `${seen} ?`;
}

// The client address in events of rejections: errors while reading it do not replace the rejection.

const GOOD = { headers: { "X-Key": "good" } };
const BAD = { headers: { "X-Key": "bad" } };

interface AddressApp extends TestApp {
  /** How often the address was read. */
  readonly asked: () => number;
}

/** An application whose clientAddress fails. */
function createAddressApp(options: TestAppOptions = {}): AddressApp {
  let count = 0;
  const app = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("not on Sundays")),
    deployment: {
      clientAddress: () => {
        count++;
        throw new Error("The proxy protocol is off");
      },
    },
    ...options,
  });
  app.router.get("/denied", () => json(1), { authorization: { metadata: 1 } });
  return { ...app, asked: () => count };
}

Deno.test("createGuard() rejects although clientAddress fails, and warns", async () => {
  const { router, events, warnings, errors } = createAddressApp();
  assertEquals(await codeOf(router.request("/me", BAD)), [401, "invalid_key"]);
  assertEquals(await codeOf(router.request("/denied", GOOD)), [403, "access_denied"]);
  assertEquals(events.map(({ type }) => type), ["credential.refused", "authz.denied"]);
  const warning = "Cannot read client address";
  assertEquals(warnings, [warning, warning]);
  assertEquals(errors, []);
});

Deno.test("createGuard() does not read the address without an event listener", async () => {
  const { router, warnings, asked } = createAddressApp({ events: undefined });
  assertEquals(await codeOf(router.request("/me", BAD)), [401, "invalid_key"]);
  assertEquals(await codeOf(router.request("/denied", GOOD)), [403, "access_denied"]);
  assertEquals([asked(), warnings], [0, []]);
});

// Challenges of a rejected credential, RFC 9110 §11.6.1 and RFC 6750 §3.

const HEADER = { type: "header", name: "X-Made" } as const;

/** The challenge of the failure, the strategy's own challenge, and what the client receives. */
const REFUSAL_CHALLENGES: readonly (readonly [
  why: string,
  said: string | undefined,
  own: string | undefined,
  expected: string,
])[] = [
  ["the challenge of the failure", 'Made error="old"', 'Made realm="a"', 'Made error="old"'],
  ["the challenge of the failure if the strategy has none", "Made later", undefined, "Made later"],
  ["the strategy's if the failure has none", undefined, 'Made realm="a"', 'Made realm="a"'],
  ["the default of the scheme if neither has one", undefined, undefined, "ApiKey"],
];

for (const [why, said, own, expected] of REFUSAL_CHALLENGES) {
  Deno.test(`createGuard() answers an invalid credential with one challenge: ${why}`, async () => {
    const made = strategyOf(() => authFailed("invalid_made", "no", said), {
      scheme: HEADER,
      ...(own === undefined ? {} : { challenge: own }),
    });
    const app = createTestApp({ strategies: [made, keyStrategy()] });
    const { runtime } = app;
    app.router.get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime })] });
    for (const path of ["/me", "/maybe", "/used"]) {
      const response = await app.router.request(path);
      assertEquals(response.status, 401);
      assertEquals(response.headers.get("WWW-Authenticate"), expected, path);
    }
  });
}

const TOKENS: readonly (readonly [
  why: string,
  token: "none" | "made-up" | "old",
  code: string,
  challenge: string,
])[] = [
  ["no token", "none", "unauthenticated", 'Bearer realm="api", Session'],
  [
    "an invalid token",
    "made-up",
    "invalid_token",
    'Bearer realm="api", error="invalid_token", error_description="The token is not valid"',
  ],
  [
    "an expired token",
    "old",
    "token_expired",
    'Bearer realm="api", error="invalid_token", error_description="The token has expired"',
  ],
];

for (const [why, which, code, challenge] of TOKENS) {
  Deno.test(`createGuard() sends the challenge of RFC 6750 §3 to a client with ${why}`, async () => {
    const issuer = await createIssuer();
    const app = createTestApp({ strategies: [issuer.strategy] });
    const token = which === "old" ? await issuer.token() : which;
    issuer.clock.now += 10_000;
    const headers = which === "none" ? new Headers() : { Authorization: `Bearer ${token}` };
    const response = await app.router.request("/me", { headers });
    assertEquals(response.headers.get("WWW-Authenticate"), challenge);
    assertEquals([response.status, (await response.json()).code], [401, code]);
  });
}

// Invalid results and errors of strategies, managers and stores, as from untyped code: none of them grants access.

const FAULT = [500, "internal_error"] as const;

type Rows = readonly (readonly [why: string, make: () => unknown, outcome?: readonly unknown[]])[];

const RESULTS: Rows = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["true", () => true],
  ["false", () => false],
  ["a name", () => "u1"],
  ["a status as a string", () => "authenticated"],
  ["an empty object", () => ({})],
  ["an array", () => [{ status: "authenticated", principal: ROBOT }]],
  ["a principal without a status", () => ROBOT],
  ["a status with white space", () => ({ status: "authenticated ", principal: ROBOT })],
  ["a status in capitals", () => ({ status: "Authenticated", principal: ROBOT })],
  ["an unknown status", () => ({ status: "allowed", principal: ROBOT })],
  ["a boxed status", () => ({ status: new String("authenticated"), principal: ROBOT })],
  ["a flag instead of a status", () => ({ authenticated: true, principal: ROBOT })],
  ["no-credential misspelled", () => ({ status: "no_credential" })],
  ["no principal", () => ({ status: "authenticated" })],
  ["null as principal", () => ({ status: "authenticated", principal: null })],
  ["a string as principal", () => ({ status: "authenticated", principal: "u1" })],
  ["a principal without sub", () => ({ status: "authenticated", principal: {} })],
  ["a principal with an empty sub", () => ({ status: "authenticated", principal: { sub: "" } })],
  ["a principal whose sub is a number", () => ({ status: "authenticated", principal: { sub: 1 } })],
  ["a promise of nothing", () => Promise.resolve()],
  ["a function", () => () => ({ status: "authenticated", principal: ROBOT })],
  ["a response", () => new Response(null, { status: 401 })],
  ["an error that is returned", () => new AuthError("unauthenticated")],
  ["a rejection", () => Promise.reject(new Error("The store is down"))],
  ["a rejection with undefined", () => Promise.reject(undefined)],
  ["an error", () => thrown(new Error("The store is down"))],
  ["a thrown string", () => thrown("no")],
  ["a thrown response", () => thrown(new Response("welcome"))],
  ["an error with status 200", () => thrown(Object.assign(new Error("no"), { status: 200 }))],
  [
    "an HttpError, which is sent",
    () => thrown(new HttpError(429, "slow_down")),
    [429, "slow_down"],
  ],
  [
    "an AuthError, which is sent",
    () => Promise.reject(new AuthError("access_denied")),
    [403, "access_denied"],
  ],
  ["a failure without a code", () => ({ status: "failed" }), [401, "unauthenticated"]],
  [
    "a failure with a principal",
    () => ({ status: "failed", code: "no", message: "", principal: ROBOT }),
    [401, "no"],
  ],
];

for (const [why, make, outcome = FAULT] of RESULTS) {
  Deno.test(`createGuard() rejects if a strategy returns or throws ${why}`, async () => {
    const strategy = strategyOf(make);
    const app = createTestApp({ strategies: [strategy] });
    const { runtime, errors } = app;
    const client = await app.signedIn();
    let ran = 0;
    const handler = () => (ran++, json("ran"));
    app.router
      .get("/guarded", handler)
      .get("/lenient", handler, { auth: { mode: "optional" } })
      .get("/used", handler, { auth: false, use: [requireAuth({ runtime })] })
      .get("/authorized", handler, {
        auth: false,
        use: [requireAuthz({ runtime, metadata: 1, allowAnonymous: true })],
      });
    for (const path of ["/guarded", "/lenient", "/used", "/authorized"]) {
      errors.length = 0;
      assertEquals(await codeOf(client.send(path)), outcome, path);
      assertEquals(errors.length, outcome === FAULT ? 1 : 0, path);
    }
    assertEquals(ran, 0);
  });
}

const ANSWERS: Rows = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["true", () => true],
  ["false", () => false],
  ["a status as a string", () => "allowed"],
  ["an empty object", () => ({})],
  ["a flag", () => ({ allowed: true })],
  ["an array", () => [{ status: "allowed" }]],
  ["a status with white space", () => ({ status: "allowed " })],
  ["a status in capitals", () => ({ status: "ALLOWED" })],
  ["a boxed status", () => ({ status: new String("allowed") })],
  ["an array as status", () => ({ status: ["allowed"] })],
  ["an unknown status", () => ({ status: "authenticated", principal: ROBOT })],
  ["a promise of true", () => Promise.resolve(true)],
  ["a response", () => new Response("welcome")],
  ["an error that is returned", () => new AuthError("access_denied")],
  ["a rejection", () => Promise.reject(new Error("The policy agent is down"))],
  ["a rejection with undefined", () => Promise.reject(undefined)],
  ["an error", () => thrown(new Error("The policy agent is down"))],
  ["a thrown result", () => thrown({ status: "allowed" })],
  ["a denial without a reason", () => ({ status: "denied" }), [403, "access_denied"]],
  ["an HttpError, which is sent", () => thrown(new HttpError(404, "not_found")), [
    404,
    "not_found",
  ]],
];

for (const [why, make, outcome = FAULT] of ANSWERS) {
  Deno.test(`createGuard() rejects if a manager returns or throws ${why}`, async () => {
    const manager = managerOf(make);
    const app = createTestApp({ authorization: manager });
    const { runtime, errors } = app;
    const client = await app.signedIn();
    let ran = 0;
    const handler = () => (ran++, json("ran"));
    const authorization = { metadata: 1 };
    app.router
      .get("/guarded", handler, { authorization })
      .get("/lenient", handler, {
        auth: { mode: "optional" },
        authorization: { metadata: 1, allowAnonymous: true },
      })
      .get("/used", handler, { use: [requireAuthz({ runtime, metadata: 1 })] })
      .get("/own", handler, { use: [requireAuthz({ runtime, metadata: 1, manager })] });
    for (const path of ["/guarded", "/lenient", "/used", "/own"]) {
      errors.length = 0;
      assertEquals(await codeOf(client.send(path)), outcome, path);
      assertEquals(errors.length, outcome === FAULT ? 1 : 0, path);
    }
    assertEquals([ran, manager.asked.length], [0, 4]);
  });
}

const STORES: readonly (readonly [why: string, store: "sessions" | "users", method: string])[] = [
  ["the session", "sessions", "findByTokenHash"],
  ["the user", "users", "findBySub"],
];
const PATHS = ["/me", "/maybe", "/used", "/lenient"] as const;

for (const [why, store, method] of STORES) {
  Deno.test(`createGuard() responds 500, and is never anonymous, if the store fails to read ${why}`, async () => {
    let broken = false;
    const app = createTestApp({
      wrap: (stores) => ({
        [store]: {
          ...stores[store],
          [method](...args: unknown[]) {
            if (broken) return Promise.reject(new Error("The database is down"));
            return Reflect.get(stores[store], method).call(stores[store], ...args);
          },
        },
      }),
    });
    const { runtime, router } = app;
    const client = await app.signedIn();
    router
      .get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime })] })
      .get("/lenient", () => json(1), {
        auth: false,
        use: [requireAuthz({ runtime, metadata: 1, allowAnonymous: true })],
      });
    broken = true;
    for (const path of PATHS) {
      app.errors.length = 0;
      const response = await client.send(path);
      assertEquals(response.headers.getSetCookie(), [], "the session may be valid");
      assertEquals(response.headers.get("Cache-Control"), "no-store");
      assertEquals(await codeOf(response), FAULT, path);
      assertEquals(app.errors.length, 1);
    }
    broken = false;
    assertEquals((await client.send("/me")).status, 200);
  });
}

Deno.test("createGuard() responds 500 without an authorization manager, and reports how to register one", async () => {
  const app = createTestApp();
  app.router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  const client = await app.signedIn();
  assertEquals(await codeOf(client.send("/asked")), FAULT);
  const [error] = app.errors;
  assertInstanceOf(error, TypeError);
  assertStringIncludes(error.message, "AUTHORIZATION_MANAGER");
  assertEquals((await client.send("/me")).status, 200);
});

Deno.test("createGuard() rejects unknown options, and strategies and managers without their method, when it is created", () => {
  const { runtime } = createTestApp();
  const wrong: readonly (() => unknown)[] = [
    () => requireAuth({ runtime, strategy: untyped({}) }),
    () => requireAuth({ runtime, strategy: untyped(null) }),
    () => requireAuth({ runtime, csrf: untyped("none") }),
    () => requireAuth({ runtime, csrf: untyped(false) }),
    () => requireAuth({ runtime, ...untyped<object>({ catch: () => undefined }) }),
    () => requireAuth({ runtime, ...untyped<object>({ strategies: [] }) }),
    () => requireAuthz({ runtime, metadata: 1, manager: untyped<never>({}) }),
    () => requireAuthz({ runtime, metadata: 1, manager: untyped<AuthorizationManager>(null) }),
  ];
  for (const make of wrong) assertThrows(make, TypeError, "Cannot ");
});

Deno.test("createGuard() responds the same inside a router without a guard", async () => {
  const { runtime } = createTestApp({ strategies: [strategyOf(() => true)] });
  const router = createRouter({ finally: [applyAuthHeaders], onError: () => {} })
    .under("/in", requireAuth({ runtime }))
    .get("/in/side", () => json(1));
  for (const path of ["/in/side", "/in/nowhere"]) {
    assertEquals(await codeOf(router.request(ORIGIN + path)), FAULT);
  }
});

function thrown(error: unknown): never {
  throw error;
}

// The state that a guard sets for later calls, and which rejections delete the session's cookie.

/** Positions of the guard when a router is mounted in another one. */
const PLACES: readonly (readonly [why: string, outside: boolean, inside: boolean])[] = [
  ["outside", true, false],
  ["inside", false, true],
  ["outside and inside", true, true],
];

for (const [why, outside, inside] of PLACES) {
  Deno.test(`integration() passes the principal to a mounted router: guard ${why}`, async () => {
    const key = keyStrategy();
    const app = createTestApp({ strategies: [key] });
    const { runtime } = app;
    const shown = (req: RouteRequest) =>
      json({
        principal: getPrincipal(req)?.sub ?? null,
        raw: getPrincipal(req.raw)?.sub ?? null,
        session: getSession(req)?.user.identifier ?? null,
      });
    const inner = createRouter();
    if (inside) withAuthRoutes(inner, { runtime });
    inner.get("/who", shown).get("/open", shown, { auth: false });
    const middle = createRouter().mount("/middle", inner);
    const outer = createRouter();
    if (outside) withAuthRoutes(outer, { runtime });
    outer.mount("/outer", middle);
    const client = await app.signedIn();
    const headers = { Cookie: client.jar.field() };
    const known = { principal: "u1", raw: "u1", session: "ada@example.org" };
    const nobody = { principal: null, raw: null, session: null };
    const get = async (path: string) =>
      await (await outer.request(`/outer/middle${path}`, { headers })).json();
    assertEquals(await get("/who"), known);
    assertEquals(await get("/open"), outside ? known : nobody);
    assertEquals((await outer.request("/outer/middle/who")).status, 401);
    key.asked.length = 0;
    await get("/who");
    assertEquals(key.asked.length, 1, "strategies are called once, whatever the number of guards");
  });
}

Deno.test("getPrincipal() returns the principal of each match, also after the request is passed on", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  const seen: unknown[] = [];
  const look = (req: RouteRequest) => {
    const { principal } = req as { principal?: Principal };
    seen.push([req.route, principal?.sub, getPrincipal(req)?.sub]);
  };
  app.router
    .get("/p/:id", (req) => (look(req), pass()))
    .get("/p/*", (req) => (look(req), pass()), { auth: { mode: "optional" } })
    .get("/p/7", (req) => (look(req), json(1)), { auth: false });
  assertEquals((await app.router.request("/p/7", GOOD)).status, 200);
  assertEquals(seen, [
    ["/p/:id", "robot", "robot"],
    ["/p/*", "robot", "robot"],
    ["/p/7", undefined, "robot"],
  ]);
});

Deno.test("getPrincipal() keeps the principal of one guard if another one finds none", async () => {
  const { runtime } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => ({ status: "allowed" })),
  });
  const strategy = keyStrategy({ name: "other", field: "X-Other" });
  const router = createRouter().get("/", (req) => json(getPrincipal(req)?.sub ?? null), {
    use: [
      requireAuth({ runtime }),
      requireAuthz({ runtime, strategy, metadata: 1, allowAnonymous: true }),
    ],
  });
  assertEquals(await (await router.request("/", GOOD)).json(), "robot");
});

Deno.test("getPrincipal() returns the principal of a request that the manager denies", async () => {
  const { runtime } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => ({ status: "denied" })),
  });
  const seen: unknown[] = [];
  const router = createRouter({ finally: [(_response, req) => void seen.push(getPrincipal(req))] })
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .get("/", () => json(1), { authorization: { metadata: 1 } });
  assertEquals((await router.request("/", GOOD)).status, 403);
  assertEquals((await router.request("/", { headers: { "X-Key": "bad" } })).status, 401);
  assertEquals(seen, [ROBOT, undefined]);
});

Deno.test("getPrincipal() returns undefined without a guard", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/none", (req) => json([getPrincipal(req) ?? null, getSession(req) ?? null]), {
    auth: false,
  });
  const client = await app.signedIn();
  assertEquals(await (await client.send("/none", GOOD)).json(), [null, null]);
  assertEquals(getPrincipal(new Request("https://example.com/")), undefined);
  assertEquals(getSession({ raw: new Request("https://example.com/") }), undefined);
});

Deno.test("getSession() returns a session only for session credentials, and a new object for each request", async () => {
  const app = createTestApp({ strategies: [keyStrategy()] });
  app.router.get("/session", (req) => json(getSession(req)?.session.activeAt ?? null));
  const client = await app.signedIn();
  assertEquals(await (await client.send("/session", GOOD)).json(), null);
  const before = await (await client.send("/session")).json();
  app.clock.now += 600;
  assertEquals(await (await client.send("/session")).json(), before + 600);
});

Deno.test("createGuard() caches for one response only: a request that is sent again is authenticated again", async () => {
  const app = createTestApp({ authorization: managerOf(() => ({ status: "allowed" })) });
  const { runtime } = app;
  const client = await app.signedIn();
  app.router
    .get("/guarded", () => json(1))
    .get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime })] })
    .get("/authorized", () => json(1), {
      auth: false,
      use: [requireAuthz({ runtime, metadata: 1 })],
    });
  const headers = { Cookie: client.jar.field() };
  const paths = ["/guarded", "/used", "/authorized"];
  const requests = paths.map((path) => new Request(ORIGIN + path, { headers }));
  const send = () => Promise.all(requests.map(async (one) => (await app.router.fetch(one)).status));
  assertEquals(await send(), [200, 200, 200]);
  await runtime.sessions.revokeToken(client.jar.get("__Host-sid") ?? "");
  assertEquals(await send(), [401, 401, 401]);
});

/** Which rejections delete the session's cookie. */
const REFUSALS: readonly (readonly [
  why: string,
  path: string,
  prepare: (client: TestBrowser) => Record<string, string>,
  cleared: boolean,
])[] = [
  ["an expired session", "/me", (client) => (client.jar.set("__Host-sid", "dead"), {}), true],
  [
    "an expired session, optional",
    "/maybe",
    (client) => (client.jar.set("__Host-sid", "x"), {}),
    true,
  ],
  [
    "an expired session by requireAuth()",
    "/used",
    ({ jar }) => (jar.set("__Host-sid", "x"), {}),
    true,
  ],
  ["a duplicate cookie", "/me", ({ jar }) => ({
    Cookie: `${jar.field()}; __Host-sid=other`,
  }), true],
  ["a wrong key and a session", "/me", () => ({ "X-Key": "bad" }), false],
  ["a wrong cookie of another strategy", "/me", ({ jar }) => {
    jar.set("__Host-other", "bad");
    return { "X-Other": "bad" };
  }, false],
  [
    "a wrong header field with the name of the cookie",
    "/me",
    () => ({ "__Host-sid": "bad" }),
    false,
  ],
  ["a denied authorization", "/denied", () => ({}), false],
  ["a forgery", "/me", () => ({ Upgrade: "websocket", "Sec-Fetch-Site": "cross-site" }), false],
  ["an anonymous request", "/me", ({ jar }) => (jar.delete("__Host-sid"), {}), false],
  ["an error", "/throws", () => ({}), false],
];

for (const [why, path, prepare, cleared] of REFUSALS) {
  Deno.test(`integration() ${cleared ? "deletes" : "does not delete"} the session's cookie: ${why}`, async () => {
    const other = keyStrategy({
      name: "other",
      field: "X-Other",
      scheme: { type: "cookie", name: "__Host-other" },
    });
    const namesake = keyStrategy({ name: "namesake", field: "__Host-sid" });
    const app = createTestApp({
      strategies: [keyStrategy(), other, namesake],
      authorization: managerOf(() => ({ status: "denied" })),
    });
    app.router
      .get("/denied", () => json(1), { authorization: { metadata: 1 } })
      .get("/used", () => json(1), { auth: false, use: [requireAuth({ runtime: app.runtime })] })
      .get("/throws", () => {
        throw new Error("broken");
      });
    const client = await app.signedIn();
    const response = await client.send(path, { headers: prepare(client) });
    assertEquals(response.ok, false);
    const cookies = cleared ? [app.runtime.cookies.clear("sid")] : [];
    assertEquals(response.headers.getSetCookie(), cookies);
  });
}
