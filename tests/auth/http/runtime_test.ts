import {
  AUTH_RUNTIME,
  createContainer,
  defaultContainer,
  getAuthRuntime,
  inMemoryAuthStores,
  json,
  registerAuth,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse, assertMatch, assertThrows } from "@std/assert";
import { codeOf } from "../../router/_helpers.ts";
import { createTestApp, ORIGIN, type TestApp, type TestAppOptions } from "./_app.ts";
import { ADA, fail, refusal, SECRET, START, types } from "../_services.ts";
import { keyStrategy } from "../_strategies.ts";

Deno.test("AUTH_RUNTIME is the name that applications may write", () => {
  assertEquals(AUTH_RUNTIME, "auth.Runtime");
});

Deno.test("getAuthRuntime() finds what registerAuth() made, or says what to do", () => {
  const { container, runtime } = createTestApp();
  assertEquals(getAuthRuntime(container), runtime);
  for (const empty of [createContainer(), defaultContainer]) {
    assertThrows(
      () => getAuthRuntime(empty),
      TypeError,
      "Cannot find authentication: call registerAuth() first, or pass the option runtime",
    );
  }
});

Deno.test("AuthRuntime has strategies in the order in which they are tried: the session's cookie last", () => {
  const { runtime } = createTestApp({ strategies: [keyStrategy(), keyStrategy({ name: "b" })] });
  assertEquals(runtime.strategy.strategies.map(({ name }) => name), ["key", "b", "session"]);
});

/** What a secret signs, and whether it still holds when another takes its place. */
const ROTATIONS: readonly (readonly [
  why: string,
  next: string | readonly string[],
  holds: boolean,
])[] = [
  ["the same secret", SECRET, true],
  ["a new one in front of it", ["another secret of 32 bytes or more", SECRET], true],
  ["a new one behind it", [SECRET, "another secret of 32 bytes or more"], true],
  ["a new one in its place", "another secret of 32 bytes or more", false],
];

for (const [why, secret, holds] of ROTATIONS) {
  Deno.test(`AuthRuntime over ${why}: session, token and known browser ${holds ? "hold" : "as they must"}`, async () => {
    const stores = inMemoryAuthStores({ now: () => 0 });
    const first = createTestApp({ stores, csrf: "token" });
    const client = first.browser();
    await client.register();
    const token = await client.token();
    const second = createTestApp({ stores, csrf: "token", secret });
    const other = second.browser();
    for (const name of client.jar.names()) other.jar.set(name, client.jar.get(name) ?? "");
    assertEquals((await other.send("/me")).status, 200, "sessions need no key");
    const response = await other.send("/notes", { method: "POST", json: {}, token });
    assertEquals(response.status, holds ? 201 : 403);
    const request = new Request(ORIGIN, { headers: { Cookie: client.jar.field() } });
    const known = second.runtime.client(request);
    assertEquals(known.device, client.jar.get("__Host-dev"));
    assertEquals(await isKnownBrowser(second, known), holds);
  });
}

Deno.test("AuthRuntime takes a session's limits and its own clock", async () => {
  const app = createTestApp({ session: { absolute: 100, idle: 50 } });
  const client = await app.signedIn();
  app.clock.now += 49;
  assertEquals((await client.send("/me")).status, 200);
  app.clock.now += 49;
  assertEquals((await client.send("/me")).status, 200);
  app.clock.now += 2;
  assertEquals(await codeOf(client.send("/me")), [401, "session_expired"]);
  assertEquals(app.events.map(({ type, at }) => [type, at]), [
    ["session.expired", START + 100],
    ["credential.refused", START + 100],
  ]);
});

Deno.test("AuthRuntime hands clock, events and warnings to every service", async () => {
  const app = createTestApp({ cookie: { domain: "example.com" } });
  const { runtime, events, warnings, clock } = app;
  assertEquals(warnings.length, 1, "the cookie's domain is warned of");
  assertEquals([runtime.now(), runtime.events === undefined], [START, false]);
  clock.now += 7;
  const authentication = await runtime.passwords.createUser({ ...ADA }, { sub: "u1" });
  await runtime.sessions.create(authentication);
  await refusal(() => runtime.passwords.verify({ ...ADA, password: "x" }, { address: undefined }));
  await refusal(() => runtime.csrf.check(new Request(ORIGIN, { method: "POST" })));
  await runtime.users.remove("u1");
  assertEquals(types(events), [
    "user.created",
    "session.created",
    "login.failed",
    "csrf.failed",
    "user.removed",
  ]);
  assertEquals(events.every(({ at }) => at === START + 7), true);
});

Deno.test("AuthRuntime lets a broken listener break no request, and warns of it", async () => {
  const app = createTestApp({
    strategies: [keyStrategy()],
    events: () => {
      throw new Error("The log is full");
    },
  });
  const headers = { "X-Key": "bad" };
  assertEquals(await codeOf(app.router.request("/me", { headers })), [401, "invalid_key"]);
  assertMatch(app.warnings.join(), /credential\.refused/);
});

Deno.test("AuthRuntime is a 500 by a clock in milliseconds, and no session that never ends", async () => {
  const app = createTestApp({ now: () => START * 1000 });
  const client = app.browser();
  client.jar.set("__Host-sid", "A".repeat(43));
  assertFalse((await client.send("/me")).ok);
  assertFalse((await app.browser().register()).ok);
});

Deno.test("AuthRuntime without a throttle counts nothing, and makes no browser known", async () => {
  const { stores, ...app } = createTestApp({ throttle: "insecureSkip" });
  assertEquals(app.runtime.throttle, undefined);
  const client = app.browser();
  await client.register();
  assertFalse(client.jar.names().includes("__Host-dev"));
  const wrong = { ...ADA, password: "wrong" };
  await fail(20, () => app.runtime.passwords.verify(wrong, { address: "192.0.2.1" }));
  assertEquals((await client.login()).status, 200);
  const { throttle: _, ...without } = stores;
  const options = { secret: SECRET, container: createContainer(), stores: without };
  assert(registerAuth({ ...options, throttle: "insecureSkip" }));
});

Deno.test("AuthRuntime takes the rules of its throttle", async () => {
  const browser = { kind: "window", limit: 2, seconds: 60 } as const;
  const { runtime, clock } = createTestApp({ throttle: { browser } });
  await runtime.passwords.createUser({ ...ADA });
  const wrong = { ...ADA, password: "x" };
  const codeOfAttempt = async () =>
    (await refusal(() => runtime.passwords.verify(wrong, { address: "192.0.2.1" }))).code;
  assertEquals(await codeOfAttempt(), "invalid_credentials");
  assertEquals(await codeOfAttempt(), "invalid_credentials");
  assertEquals(await codeOfAttempt(), "throttled");
  clock.now += 60;
  assertEquals(await codeOfAttempt(), "invalid_credentials");
});

/** The client, by what came in. */
const CLIENTS: readonly (readonly [
  why: string,
  options: TestAppOptions,
  headers: Record<string, string>,
  args: readonly unknown[],
  address: string | undefined,
])[] = [
  [
    "Deno.serve",
    {},
    {},
    [{ remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } }],
    "192.0.2.7",
  ],
  ["Bun", {}, {}, [{ requestIP: () => ({ address: "192.0.2.8" }) }], "192.0.2.8"],
  ["nobody", {}, {}, [], undefined],
  [
    "a field that anybody can send",
    {},
    { "X-Forwarded-For": "203.0.113.1" },
    [{ remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } }],
    "192.0.2.7",
  ],
  [
    "a trusted proxy",
    { trustedProxies: ["192.0.2.0/24"] },
    { "X-Forwarded-For": "203.0.113.1" },
    [{ remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } }],
    "203.0.113.1",
  ],
  [
    "a reader of the application's own",
    { clientAddress: (request) => request.headers.get("X-Real") ?? undefined },
    { "X-Real": "203.0.113.9" },
    [],
    "203.0.113.9",
  ],
];

for (const [why, options, headers, args, address] of CLIENTS) {
  Deno.test(`client() knows the address by ${why}`, () => {
    const { runtime } = createTestApp(options);
    const request = new Request(ORIGIN, { headers });
    assertEquals(runtime.client(request, ...args), { address });
    assertEquals(runtime.client({ raw: request }, ...args), { address });
  });
}

Deno.test("client() takes a known browser only where its cookie is there once", () => {
  const { runtime } = createTestApp();
  const deviceOf = (Cookie: string) =>
    runtime.client(new Request(ORIGIN, { headers: { Cookie } })).device;
  assertEquals(deviceOf("__Host-dev=a"), "a");
  assertEquals(deviceOf("__Host-dev=a; __Host-dev=b"), undefined);
  assertEquals(deviceOf("dev=a"), undefined);
});

Deno.test("routes() are those of the runtime, and closed to new accounts if it says so", () => {
  const { runtime } = createTestApp();
  const pathsOf = (routes = runtime.routes()) => routes.map(({ path }) => path);
  assertEquals(pathsOf(), ["/register", "/login", "/logout", "/session", "/csrf"]);
  assertEquals(pathsOf(runtime.routes({ registration: "closed" })), pathsOf().slice(1));
  assertThrows(() => runtime.routes({ registration: "no" as "open" }), TypeError, "registration");
});

Deno.test("integration() leaves the routes out, or closes registration", async () => {
  const none = createTestApp({ integration: { routes: false } });
  assertEquals((await none.browser().send("/auth/csrf")).status, 404);
  const closed = createTestApp({ integration: { routes: { registration: "closed" } } });
  assertEquals((await closed.browser().send("/auth/csrf")).status, 200);
  assertEquals((await closed.browser().register()).status, 404);
});

Deno.test("integration() has a document say what guards ask for", () => {
  const app = createTestApp({
    strategies: [keyStrategy({ name: "robots" })],
    authorization: { authorize: () => ({ status: "allowed" }) },
  });
  app.router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  const { components, paths } = app.router.openapi({ title: "t", version: "1" });
  assertEquals(Object.values(components?.securitySchemes ?? {}), [
    { type: "apiKey", in: "header", name: "X-Key" },
    { type: "apiKey", in: "cookie", name: "__Host-sid" },
  ]);
  const [key = "", session = ""] = Object.keys(components?.securitySchemes ?? {});
  const either = [{ [key]: [] }, { [session]: [] }];
  const seen = ["/me", "/maybe", "/public", "/asked"].map((path) => {
    const { security, responses } = paths[path]?.get ?? {};
    return [security, Object.keys(responses ?? {}).filter((status) => /^40/.test(status))];
  });
  assertEquals<unknown>(seen, [
    [either, ["401"]],
    [[...either, {}], ["401"]],
    [[], []],
    [either, ["401", "403"]],
  ]);
});

/** Whether the throttle has a bucket of its own for a browser: strangers have used up the account's. */
async function isKnownBrowser(
  { runtime }: TestApp,
  client: { readonly address: string | undefined },
): Promise<boolean> {
  const wrong = { ...ADA, password: "wrong" };
  const strangers = { address: "203.0.113.5" };
  const attempt = (by: typeof client) => refusal(() => runtime.passwords.verify(wrong, by));
  for (let i = 0; i < 8; i++) await attempt(strangers);
  assertEquals((await attempt(strangers)).code, "throttled");
  return (await attempt({ ...client, address: strangers.address })).code === "invalid_credentials";
}
