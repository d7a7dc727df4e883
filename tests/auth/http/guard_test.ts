import { authorizationAllowed, authorizationDenied, json, type RouteTarget } from "@gatehouse/http";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { createTestApp, ORIGIN, type TestApp } from "./_app.ts";

/** What routes ask of the guard. */
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

/** What requests carry; `S` stands for a session's token. */
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

/** Status and code, or who the handler saw (`-` nobody); `?` where the manager was asked. */
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

/** Refused everywhere but where nobody looks. */
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
  Deno.test(`createGuard() meets every kind of route: ${name}`, async () => {
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
      assertEquals(request.bodyUsed, response.ok, `${route}: the body is read behind the guard`);
    }
  });
}

Deno.test("createGuard() asks strategies once for each request, and none that follows a decision", async () => {
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

Deno.test("createGuard() shows strategies the request, and what the host hands on", async () => {
  const strategy = keyStrategy();
  const { router } = createTestApp({ strategies: [strategy] });
  const request = new Request(`${ORIGIN}/me`);
  await router.fetch(request, { env: 1 }, "context");
  const [context] = strategy.asked;
  assertEquals(context?.request, request);
  assertEquals(context?.args, [{ env: 1 }, "context"]);
});

Deno.test("createGuard() shows the manager principal, metadata, request, pattern and parameters", async () => {
  const manager = managerOf(() => authorizationAllowed());
  const { router } = createTestApp({ strategies: [keyStrategy()], authorization: manager });
  const metadata = { action: "read", nested: { fields: ["title"] } };
  router.get("/notes/:id/:part?", (req) => json(req.params.id), { authorization: { metadata } });
  const request = new Request(`${ORIGIN}/notes/a%2Fb?x=1`, { headers: { "X-Key": "good" } });
  assertEquals((await router.fetch(request)).status, 200);
  const [[principal, context] = []] = manager.asked;
  assertEquals(principal?.sub, "robot");
  assertEquals(context?.metadata, metadata);
  assertEquals(context?.transport.kind, "http");
  assertEquals(context?.transport.request, request);
  assertEquals(context?.transport.route, "/notes/:id/:part?");
  assertEquals({ ...context?.transport.params }, { id: "a/b" });
});

Deno.test("createGuard() lets a manager's question about malformed parameters be a 400, and no pass", async () => {
  const manager = managerOf(() => authorizationAllowed());
  const { router, signedIn } = createTestApp({
    authorization: {
      authorize: (principal, context) => {
        assertEquals(context.transport.params.id, "never");
        return manager.authorize(principal, context);
      },
    },
  });
  router.get("/notes/:id", () => json(1), { authorization: { metadata: 1 } });
  const client = await signedIn();
  assertEquals((await client.send("/notes/%zz")).status, 400);
  assertEquals(manager.asked.length, 0);
});

Deno.test("createGuard() tells of refusals by events, and of nothing that was sent", async () => {
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
  const { post } = app.router as unknown as RouteTarget; // whose options may differ from call to call
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
