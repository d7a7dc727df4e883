/** Routes that require a recent sign-in, or one by certain methods or in a context: the options `amr`, `acr` and `maxAge`. */

import {
  apiKeyService,
  apiKeyStrategy,
  authenticated,
  type AuthStrategy,
  createContainer,
  createPrincipal,
  createRouter,
  inMemoryAuthStores,
  json,
  type JwtClaims,
  mountStatic,
  type Principal,
  requireAuth,
  type RequireAuthOptions,
  requireAuthz,
  resourceServer,
  type TypedRouter,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { strategyOf } from "../_strategies.ts";
import { ADA, START } from "../_services.ts";
import { createIssuer } from "../tokens/_bearer.ts";
import { createTestApp, type TestApp } from "./_app.ts";
import { createApp, GOOD, open } from "./_require.ts";

const MINUTE = 60;
const REFUSED = [401, "insufficient_authentication"] as const;
const CHALLENGE = 'Bearer error="insufficient_user_authentication"';

/** The challenges of RFC 9470 §3 and §6.1, of routes that require what the examples do. */
const EXAMPLES: readonly (readonly [options: RequireAuthOptions, challenge: string])[] = [
  [{ acr: ["myACR"] }, `${CHALLENGE}, acr_values="myACR"`],
  [{ maxAge: 5 }, `${CHALLENGE}, max_age="5"`],
  [{ acr: ["gold", "silver"], maxAge: 60 }, `${CHALLENGE}, acr_values="gold silver", max_age="60"`],
];

for (const [options, challenge] of EXAMPLES) {
  Deno.test(`requireAuth() challenges as RFC 9470 §3 does: ${challenge.slice(CHALLENGE.length)}, 9470-3`, async () => {
    const { strategy, clock, token } = await createIssuer();
    const now = () => clock.now;
    const runtime = resourceServer({ strategies: [strategy], now, container: createContainer() });
    const router = createRouter().get("/", () => json("in"), {
      use: [requireAuth({ runtime, scope: "any", ...options })],
    });
    const send = async (claims: JwtClaims) =>
      await router.request("/", { headers: { Authorization: `Bearer ${await token(claims)}` } });
    const refused = await send({ auth_time: START - 100, acr: "other" });
    assertEquals(refused.headers.get("WWW-Authenticate"), challenge);
    assertEquals(await codeOf(refused), REFUSED);
    const acr = options.acr?.at(-1);
    assertEquals((await send({ auth_time: START, ...(acr && { acr }) })).status, 200);
  });
}

/** [options, what the client is told, who signed in with a password 61 seconds ago] */
const DETAILS: readonly (readonly [options: RequireAuthOptions, detail: string])[] = [
  [{ maxAge: 60 }, "The last sign-in is too long ago"],
  [{ amr: ["mfa"] }, "The sign-in lacks the authentication method mfa"],
  [{ amr: ["pwd", "hwk", "mfa"] }, "The sign-in lacks the authentication method hwk, mfa"],
  [{ amr: ["mfa"], maxAge: 60 }, "The sign-in lacks the authentication method mfa"],
  [{ acr: ["gold"] }, "The sign-in lacks the authentication method gold"],
  [
    { amr: ["mfa"], acr: ["gold", "silver"] },
    "The sign-in lacks the authentication method mfa, gold or silver",
  ],
];

for (const [options, detail] of DETAILS) {
  Deno.test(`requireAuth() tells who is rejected by ${JSON.stringify(options)} what is missing`, async () => {
    const clock = { now: START };
    const old = { sub: "u1", method: "card", authTime: START - 61, amr: ["pwd"] };
    const runtime = serverOf(() => createPrincipal(old, { now: () => clock.now }), clock);
    const router = createRouter()
      .get("/", () => json("in"), { use: [requireAuth({ runtime, ...options })] });
    const response = await router.request("/");
    assertEquals([response.status, (await response.json()).detail], [401, detail]);
  });
}

/** The context of a principal: [why, acr, options, whether it passes] */
const CONTEXTS: readonly (readonly [
  why: string,
  acr: string | undefined,
  options: { readonly amr?: readonly string[]; readonly acr: readonly string[] },
  passes: boolean,
])[] = [
  ["the context", "gold", { acr: ["gold"] }, true],
  ["one of two contexts", "silver", { acr: ["gold", "silver"] }, true],
  ["another context", "bronze", { acr: ["gold", "silver"] }, false],
  ["both in one", "gold silver", { acr: ["gold", "silver"] }, false],
  ["a part of the name", "gol", { acr: ["gold"] }, false],
  ["other case", "Gold", { acr: ["gold"] }, false],
  ["no context", undefined, { acr: ["gold"] }, false],
  ["context and method", "gold", { acr: ["gold"], amr: ["pwd"] }, true],
  ["the context without the method", "gold", { acr: ["gold"], amr: ["mfa"] }, false],
];

for (const [why, acr, options, passes] of CONTEXTS) {
  Deno.test(`auth: ${JSON.stringify(options)} ${passes ? "accepts" : "rejects"} ${why}, 9470-3`, async () => {
    const clock = { now: START };
    const principal = createPrincipal(
      { sub: "u1", method: "card", authTime: START, amr: ["pwd"], acr },
      { now: () => clock.now },
    );
    const router = withAuthRoutes(createRouter(), { runtime: serverOf(() => principal, clock) })
      .get("/", (req) => json(req.principal.sub), { auth: options });
    const response = await router.request("/");
    if (passes) assertEquals(response.status, 200);
    else assertEquals(await codeOf(response), REFUSED);
  });
}

/** The principal of a credential, START is now: [why, authTime, amr, options, whether it passes] */
const PRINCIPALS: readonly (readonly [
  why: string,
  authTime: number | undefined,
  amr: readonly string[] | undefined,
  options: { readonly amr?: readonly string[]; readonly maxAge?: number },
  passes: boolean,
])[] = [
  ["a sign-in now", START, ["pwd"], { maxAge: 900 }, true],
  ["the last second", START - 900, ["pwd"], { maxAge: 900 }, true],
  ["a second too late", START - 901, ["pwd"], { maxAge: 900 }, false],
  ["the shortest time", START - 1, ["pwd"], { maxAge: 1 }, true],
  ["no time", undefined, ["pwd"], { maxAge: 900 }, false],
  ["no time, which is not the year 1970", 0, ["pwd"], { maxAge: Number.MAX_SAFE_INTEGER }, false],
  ["the clock of another process that is ahead", START + 300, ["pwd"], { maxAge: 1 }, true],
  ["a method", START, ["mfa"], { amr: ["mfa"] }, true],
  ["one method of several", START, ["pwd", "otp", "mfa"], { amr: ["mfa"] }, true],
  ["all methods", START, ["mfa", "hwk"], { amr: ["hwk", "mfa"] }, true],
  ["one of two methods", START, ["mfa"], { amr: ["hwk", "mfa"] }, false],
  ["another method", START, ["pwd"], { amr: ["mfa"] }, false],
  ["a part of the name", START, ["mfa2"], { amr: ["mfa"] }, false],
  ["other case, RFC 8176 §2", START, ["MFA"], { amr: ["mfa"] }, false],
  ["an empty list of methods", START, [], { amr: ["mfa"] }, false],
  ["no list of methods", START, undefined, { amr: ["mfa"] }, false],
  ["methods at an unknown time", 0, ["mfa"], { amr: ["mfa"] }, true],
  ["method and time", START, ["mfa"], { amr: ["mfa"], maxAge: 60 }, true],
  ["the method too long ago", START - 61, ["mfa"], { amr: ["mfa"], maxAge: 60 }, false],
  ["the time without the method", START, ["pwd"], { amr: ["mfa"], maxAge: 60 }, false],
];

for (const [why, authTime, amr, options, passes] of PRINCIPALS) {
  Deno.test(`auth: ${JSON.stringify(options)} ${passes ? "accepts" : "rejects"} ${why}, as requireAuth() does`, async () => {
    const clock = { now: START };
    const principal = createPrincipal(
      { sub: "u1", method: "card", authTime, amr },
      { now: () => clock.now },
    );
    const runtime = serverOf(() => principal, clock);
    const auth = { mode: "required", ...options } as const;
    const router = withAuthRoutes(createRouter(), { runtime })
      .get("/route", (req) => json(req.principal.sub), { auth })
      .mount("/mount", createRouter().get("/x", () => json("u1")), { auth })
      .get("/public", () => json("u1"), {
        auth: false,
        use: [requireAuth({ runtime, ...options })],
      })
      .get("/managed", () => json("u1"), {
        auth: false,
        use: [requireAuthz({ runtime, metadata: 1, ...options })],
      });
    for (const path of ["/route", "/mount/x", "/public", "/managed"]) {
      const response = router.request(path);
      if (passes) assertEquals([path, (await response).status], [path, 200]);
      else assertEquals([path, ...await codeOf(response)], [path, ...REFUSED]);
    }
  });
}

/** Principals that did not come from `createPrincipal()`, which rejects these times. */
const FORGED: readonly (readonly [why: string, authTime: unknown])[] = [
  ["milliseconds", START * 1000],
  ["further in the future than clocks differ", START + 301],
  ["NaN", NaN],
  ["no time", undefined],
  ["infinity", Infinity],
  ["a negative time", -1],
];

for (const [why, authTime] of FORGED) {
  Deno.test(`auth: { maxAge } rejects an authTime that is ${why}`, async () => {
    const principal = untyped<Principal>({ sub: "u1", method: "card", amr: ["mfa"], authTime });
    const runtime = serverOf(() => principal, { now: START });
    const router = withAuthRoutes(createRouter(), { runtime })
      .get("/", () => json(1), { auth: { maxAge: Number.MAX_SAFE_INTEGER } });
    assertEquals(await codeOf(router.request("/")), REFUSED);
  });
}

/** A resource server with one strategy, that has a principal for every request. */
function serverOf(say: () => Principal, clock: { readonly now: number }) {
  const strategy: AuthStrategy = strategyOf(() => authenticated(say()), {
    scheme: { type: "header", name: "X-Card" },
  });
  return resourceServer({
    strategies: [strategy],
    authorization: { authorize: () => ({ status: "allowed" }) },
    now: () => clock.now,
    container: createContainer(),
  });
}

/** An application with a route for recent sign-ins, and one for two factors. */
function createStepUpApp(options: Parameters<typeof createTestApp>[0] = {}): TestApp {
  const app = createTestApp(options);
  app.router
    .get("/recent", (req) => json(req.principal.sub), { auth: { maxAge: 900 }, scope: "any" })
    .get("/mfa", (req) => json(req.principal.sub), { auth: { amr: ["mfa"] }, scope: "any" })
    .post("/recent", (req) => json(req.principal.sub), { auth: { maxAge: 900 }, scope: "any" });
  return app;
}

Deno.test("auth: { maxAge } passes again after another sign-in, and the session stays valid between", async () => {
  const app = createStepUpApp();
  const client = app.browser();
  await client.register();
  assertEquals((await client.send("/recent")).status, 200);
  app.clock.now += 20 * MINUTE;
  const before = client.jar.get("__Host-sid");
  app.events.length = 0;

  const refused = await client.send("/recent");
  assertEquals(refused.headers.get("WWW-Authenticate"), "Session");
  assertEquals(refused.headers.get("Cache-Control"), "no-store");
  assertEquals(refused.headers.get("Content-Type"), "application/problem+json");
  assertEquals(refused.headers.get("Vary"), "Cookie");
  assertEquals(refused.headers.getSetCookie(), []);
  assertEquals(await codeOf(refused), REFUSED);
  const [event] = app.events;
  assertEquals(event?.type === "authz.denied" && [event.reason, event.route, event.sub], [
    "insufficient_authentication",
    "/recent",
    (await (await client.send("/me")).json()).sub,
  ]);
  assertEquals(app.events.length, 1);
  assertEquals(client.jar.get("__Host-sid"), before);

  assertEquals((await client.login()).status, 200);
  assertEquals(client.jar.get("__Host-sid") === before, false);
  assertEquals((await client.send("/recent")).status, 200);
  assertEquals((await client.post("/recent", {})).status, 200);
});

Deno.test("auth: { maxAge } is not renewed by the use of a session", async () => {
  const app = createStepUpApp();
  const client = app.browser();
  await client.register();
  for (let minute = 0; minute < 15; minute++) {
    app.clock.now += MINUTE;
    assertEquals((await client.send("/recent")).status, 200);
  }
  app.clock.now += 1;
  assertEquals((await client.send("/me")).status, 200);
  assertEquals(await codeOf(client.send("/recent")), REFUSED);
});

Deno.test("auth: { amr } rejects a session by password that has no second factor", async () => {
  const app = createStepUpApp();
  const client = app.browser();
  await client.register();
  assertEquals(await codeOf(client.send("/mfa")), REFUSED);
});

Deno.test("auth: { maxAge } comes after authentication and the CSRF check, and before schemas, scopes and the body", async () => {
  const app = createStepUpApp();
  app.router.get("/limited", () => json(1), { auth: { maxAge: 1 }, scope: ["notes:read"] });
  const client = app.browser();
  assertEquals(await codeOf(client.send("/recent")), [401, "unauthenticated"]);
  const wrong = { headers: { Cookie: "__Host-sid=x" } };
  assertEquals(await codeOf(client.send("/recent", wrong)), [401, "session_expired"]);
  await client.register();
  app.clock.now += 20 * MINUTE;
  const foreign = { method: "POST", json: {}, headers: { "Sec-Fetch-Site": "cross-site" } };
  assertEquals(await codeOf(client.send("/recent", foreign)), [403, "csrf_failed"]);
  assertEquals(
    await codeOf(client.post("/recent", {}, { headers: { "Content-Type": "x/y" } })),
    REFUSED,
  );
  assertEquals(await codeOf(client.send("/limited")), REFUSED);
});

Deno.test("auth: { maxAge } knows the sign-in of an access token after a refresh, and names the time, RFC 9470 §3", async () => {
  const app = createStepUpApp({ jwt: { issuer: "https://example.com", audience: "notes" } });
  const { passwords, tokens } = app.runtime;
  const first = await tokens?.issue(await passwords.createUser({ ...ADA }));
  const send = (path: string, token = "") =>
    app.router.request(path, { headers: { Authorization: `Bearer ${token}` } });
  assertEquals((await send("/recent", first?.accessToken)).status, 200);
  app.clock.now += 20 * MINUTE;
  const { accessToken } = await tokens?.refresh(first?.refreshToken ?? "") ?? {};
  assertEquals((await send("/me", accessToken)).status, 200);
  const refused = await send("/recent", accessToken);
  assertEquals(refused.headers.get("WWW-Authenticate"), `${CHALLENGE}, max_age="900"`);
  assertEquals(refused.headers.get("Cache-Control"), "no-store");
  assertEquals(await codeOf(refused), REFUSED);
  const factor = await send("/mfa", accessToken);
  assertEquals(factor.headers.get("WWW-Authenticate"), CHALLENGE);
  assertEquals(await codeOf(factor), REFUSED);
  const again = await tokens?.issue(await passwords.verify({ ...ADA }, { address: undefined }));
  assertEquals((await send("/recent", again?.accessToken)).status, 200);
});

Deno.test("auth: { maxAge } and { amr } reject API keys, even new ones", async () => {
  const stores = inMemoryAuthStores({ now: () => 0 });
  const clock = { now: START };
  const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
  const app = createStepUpApp({ stores, clock, strategies: [apiKeyStrategy({ apiKeys })] });
  const { sub } = await app.runtime.passwords.createUser({ ...ADA });
  const { key } = await apiKeys.create(sub, { scope: [] });
  const headers = { "X-API-Key": key };
  assertEquals((await app.router.request("/me", { headers })).status, 200);
  for (const path of ["/recent", "/mfa"]) {
    const refused = await app.router.request(path, { headers });
    assertEquals(refused.headers.get("WWW-Authenticate"), "ApiKey, Session");
    assertEquals(await codeOf(refused), REFUSED);
  }
});

/** Claims of tokens of another issuer. */
const CLAIMS: readonly (readonly [why: string, claims: JwtClaims, status: number])[] = [
  ["auth_time and amr", { auth_time: START - 900, amr: ["mfa"] }, 200],
  ["an old auth_time", { auth_time: START - 901, amr: ["mfa"] }, 401],
  ["iat, which is not the sign-in", { iat: START, amr: ["mfa"] }, 401],
  ["auth_time without amr", { auth_time: START }, 401],
  ["acr in place of amr", { auth_time: START, acr: "mfa" }, 401],
  ["amr as a string", { auth_time: START, amr: "mfa" }, 401],
];

for (const [why, claims, status] of CLAIMS) {
  Deno.test(`auth: { amr, maxAge } of a resource server answers ${status} to a token with ${why}`, async () => {
    const { strategy, clock, token } = await createIssuer();
    const now = () => clock.now;
    const runtime = resourceServer({ strategies: [strategy], now, container: createContainer() });
    const router = withAuthRoutes(createRouter(), { runtime })
      .get("/", () => json(1), { auth: { amr: ["mfa"], maxAge: 900 }, scope: "any" });
    const headers = { Authorization: `Bearer ${await token(claims)}` };
    assertEquals((await router.request("/", { headers })).status, status);
  });
}

Deno.test("auth: { maxAge } of a mount and of a mounted route must both pass", async () => {
  const app = createTestApp();
  const { runtime } = app;
  const inner = () =>
    withAuthRoutes(createRouter<unknown[]>(), { runtime })
      .get("/plain", () => json(1))
      .get("/five", () => json(1), { auth: { maxAge: 5 * MINUTE } })
      .get("/public", () => json(1), { auth: false });
  app.router
    .mount("/outer", inner(), { auth: { maxAge: 10 * MINUTE } })
    .mount("/open", inner(), { auth: false })
    .mount(
      "/files",
      mountStatic("/", { directory: "none", package: { version: 1, entries: {} } }),
      {
        auth: { maxAge: 10 * MINUTE },
      },
    );
  const client = app.browser();
  await client.register();
  const statuses = async () => {
    const paths = ["/outer/plain", "/outer/five", "/outer/public", "/open/five", "/files/a"];
    const responses = await Promise.all(paths.map((path) => client.send(path)));
    return responses.map(({ status }) => status);
  };
  assertEquals(await statuses(), [200, 200, 200, 200, 404]);
  app.clock.now += 6 * MINUTE;
  assertEquals(await statuses(), [200, 401, 200, 401, 404]);
  app.clock.now += 5 * MINUTE;
  assertEquals(await statuses(), [401, 401, 401, 401, 401]);
});

Deno.test("requireAuth() with maxAge protects with use, under and before, and rejects an old session", async () => {
  const app = createApp();
  const { runtime } = app;
  const guard = requireAuth({ runtime, maxAge: 900 });
  const routers: readonly TypedRouter[] = [
    open().get("/x", () => json(1), { use: [guard] }),
    open().under("/", guard).get("/x", () => json(1)),
    open({ before: [guard] }).get("/x", () => json(1)),
  ];
  const client = await app.signedIn();
  const headers = { Cookie: client.jar.field(), "Sec-Fetch-Site": "same-origin" };
  for (const router of routers) {
    assertEquals((await router.request("/x", { headers })).status, 200);
    assertEquals(await codeOf(router.request("/x", GOOD)), REFUSED); // the robot's key has no time
    assertEquals(await codeOf(router.request("/x")), [401, "unauthenticated"]);
  }
  app.clock.now += 901;
  for (const router of routers) {
    assertEquals(await codeOf(router.request("/x", { headers })), REFUSED);
  }
});

Deno.test("requireAuth() reads amr and maxAge once", async () => {
  const app = createApp();
  const { runtime } = app;
  const options = { runtime, amr: ["mfa"], maxAge: 900 };
  const router = open().get("/x", () => json(1), { use: [requireAuth(options)] });
  options.amr.length = 0;
  options.maxAge = Infinity;
  const client = await app.signedIn();
  const headers = { Cookie: client.jar.field(), "Sec-Fetch-Site": "same-origin" };
  assertEquals(await codeOf(router.request("/x", { headers })), REFUSED);
});

/** Options that `requireAuth()` and `requireAuthz()` reject. */
const INVALID: readonly (readonly [why: string, options: object])[] = [
  ["amr without a method", { amr: [] }],
  ["amr as a string", { amr: "mfa" }],
  ["amr with an empty string", { amr: ["mfa", ""] }],
  ["amr with a hole", { amr: [, "mfa"] }],
  ["amr that is null", { amr: null }],
  ["acr without a context", { acr: [] }],
  ["acr as a string", { acr: "gold" }],
  ["maxAge 0", { maxAge: 0 }],
  ["a negative maxAge", { maxAge: -1 }],
  ["a fraction", { maxAge: 1.5 }],
  ["NaN", { maxAge: NaN }],
  ["infinity", { maxAge: Infinity }],
  ["maxAge as a string", { maxAge: "900" }],
  ["maxAge that is null", { maxAge: null }],
  ["a misspelt name", { maxage: 900 }],
];

for (const [why, options] of INVALID) {
  Deno.test(`requireAuth() and requireAuthz() reject ${why}`, () => {
    const { runtime } = createApp();
    const all = untyped<{ maxAge: number }>(options);
    assertThrows(() => requireAuth({ runtime, ...all }), Error, "Cannot create guard: ");
    const rest = { runtime, metadata: 1, ...all };
    assertThrows(() => requireAuthz(rest), Error, "Cannot create guard: ");
  });
}

Deno.test("requireAuthz() rejects amr and maxAge with allowAnonymous", () => {
  const { runtime } = createApp();
  for (const options of [{ maxAge: 900 }, { amr: ["mfa"] }, { acr: ["gold"] }]) {
    assertThrows(
      () => requireAuthz({ runtime, metadata: 1, allowAnonymous: true, ...options }),
      TypeError,
      "allowAnonymous is true",
    );
  }
});
