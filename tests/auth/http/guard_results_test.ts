/** What strategies, managers and stores from code without types may say or throw: none of it is a pass. */

import {
  applyAuthHeaders,
  AuthError,
  type AuthorizationManager,
  createRouter,
  HttpError,
  json,
  requireAuth,
  requireAuthz,
} from "@gatehouse/http";
import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { createTestApp, ORIGIN } from "./_app.ts";
import { managerOf, ROBOT, strategyOf } from "../_strategies.ts";

const FAULT = [500, "internal_error"] as const;

type Rows = readonly (readonly [why: string, make: () => unknown, outcome?: readonly unknown[]])[];

const RESULTS: Rows = [
  ["nothing", () => undefined],
  ["null", () => null],
  ["true", () => true],
  ["false, which is no way to say no", () => false],
  ["a name", () => "u1"],
  ["a status as text", () => "authenticated"],
  ["an empty object", () => ({})],
  ["a list", () => [{ status: "authenticated", principal: ROBOT }]],
  ["a principal alone", () => ROBOT],
  ["a status with white space", () => ({ status: "authenticated ", principal: ROBOT })],
  ["a status in capitals", () => ({ status: "Authenticated", principal: ROBOT })],
  ["a status of another kind", () => ({ status: "allowed", principal: ROBOT })],
  ["a boxed status", () => ({ status: new String("authenticated"), principal: ROBOT })],
  ["a flag for a status", () => ({ authenticated: true, principal: ROBOT })],
  ["no-credential misspelt", () => ({ status: "no_credential" })],
  ["no principal", () => ({ status: "authenticated" })],
  ["null for a principal", () => ({ status: "authenticated", principal: null })],
  ["a name for a principal", () => ({ status: "authenticated", principal: "u1" })],
  ["a principal without sub", () => ({ status: "authenticated", principal: {} })],
  ["a principal with an empty sub", () => ({ status: "authenticated", principal: { sub: "" } })],
  ["a principal whose sub is a number", () => ({ status: "authenticated", principal: { sub: 1 } })],
  ["a promise of nothing", () => Promise.resolve()],
  ["a function", () => () => ({ status: "authenticated", principal: ROBOT })],
  ["a response", () => new Response(null, { status: 401 })],
  ["an error that is not thrown", () => new AuthError("unauthenticated")],
  ["a rejection", () => Promise.reject(new Error("The store is down"))],
  ["a rejection with nothing", () => Promise.reject(undefined)],
  ["an error", () => thrown(new Error("The store is down"))],
  ["a thrown text", () => thrown("no")],
  ["a thrown response", () => thrown(new Response("welcome"))],
  ["an error that says 200", () => thrown(Object.assign(new Error("no"), { status: 200 }))],
  [
    "an HttpError, which is the answer",
    () => thrown(new HttpError(429, "slow_down")),
    [429, "slow_down"],
  ],
  [
    "an AuthError, which is the answer",
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
  Deno.test(`createGuard() takes no result of a strategy for a pass: ${why}`, async () => {
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
  ["false, which is no way to say no", () => false],
  ["a status as text", () => "allowed"],
  ["an empty object", () => ({})],
  ["a flag", () => ({ allowed: true })],
  ["a list", () => [{ status: "allowed" }]],
  ["a status with white space", () => ({ status: "allowed " })],
  ["a status in capitals", () => ({ status: "ALLOWED" })],
  ["a boxed status", () => ({ status: new String("allowed") })],
  ["a list as status", () => ({ status: ["allowed"] })],
  ["a status of another kind", () => ({ status: "authenticated", principal: ROBOT })],
  ["a promise of true", () => Promise.resolve(true)],
  ["a response", () => new Response("welcome")],
  ["an error that is not thrown", () => new AuthError("access_denied")],
  ["a rejection", () => Promise.reject(new Error("The policy agent is down"))],
  ["a rejection with nothing", () => Promise.reject(undefined)],
  ["an error", () => thrown(new Error("The policy agent is down"))],
  ["a thrown result", () => thrown({ status: "allowed" })],
  ["a denial without a reason", () => ({ status: "denied" }), [403, "access_denied"]],
  ["an HttpError, which is the answer", () => thrown(new HttpError(404, "not_found")), [
    404,
    "not_found",
  ]],
];

for (const [why, make, outcome = FAULT] of ANSWERS) {
  Deno.test(`createGuard() takes no answer of a manager for a pass: ${why}`, async () => {
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
  Deno.test(`createGuard() is a 500, never anonymous, where the store fails to find ${why}`, async () => {
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
      assertEquals(response.headers.getSetCookie(), [], "the session may be alive");
      assertEquals(response.headers.get("Cache-Control"), "no-store");
      assertEquals(await codeOf(response), FAULT, path);
      assertEquals(app.errors.length, 1);
    }
    broken = false;
    assertEquals((await client.send("/me")).status, 200);
  });
}

Deno.test("createGuard() is a 500 where nobody made an authorization manager, and says to the operator what to do", async () => {
  const app = createTestApp();
  app.router.get("/asked", () => json(1), { authorization: { metadata: 1 } });
  const client = await app.signedIn();
  assertEquals(await codeOf(client.send("/asked")), FAULT);
  const [error] = app.errors;
  assertInstanceOf(error, TypeError);
  assertStringIncludes(error.message, "AUTHORIZATION_MANAGER");
  assertEquals((await client.send("/me")).status, 200);
});

Deno.test("createGuard() refuses an unknown option, and a strategy or a manager without its method, when it is made", () => {
  const { runtime } = createTestApp();
  const wrong: readonly (() => unknown)[] = [
    () => requireAuth({ runtime, strategy: untyped({}) }),
    () => requireAuth({ runtime, strategy: untyped(null) }),
    () => requireAuth({ runtime, csrf: untyped("none") }),
    () => requireAuth({ runtime, csrf: untyped(false) }),
    () => requireAuth({ runtime, ...untyped<object>({ catch: () => undefined }) }),
    () => requireAuth({ runtime, ...untyped<object>({ strategies: [] }) }),
    () => requireAuthz({ runtime, metadata: 1, manager: untyped({}) }),
    () => requireAuthz({ runtime, metadata: 1, manager: untyped<AuthorizationManager>(null) }),
  ];
  for (const make of wrong) assertThrows(make, TypeError, "Cannot ");
});

Deno.test("createGuard() answers alike behind a router without a guard of its own", async () => {
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
