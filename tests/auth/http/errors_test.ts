import {
  AuthError,
  type AuthErrorCode,
  authorizationDenied,
  createRouter,
  HttpError,
  json,
  problem,
  redirect,
  type RefusalHandler,
  withAuthErrors,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf, collectErrors, problemOf, untyped } from "../../router/_helpers.ts";
import { createTestApp } from "./_app.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";

const STATUSES: Readonly<Record<AuthErrorCode, number>> = {
  access_denied: 403,
  csrf_failed: 403,
  identifier_unavailable: 409,
  insufficient_scope: 403,
  invalid_credentials: 401,
  invalid_identifier: 400,
  invalid_refresh_token: 401,
  invalid_token: 401,
  service_unavailable: 503,
  session_ambiguous: 401,
  session_expired: 401,
  throttled: 429,
  token_expired: 401,
  too_many_keys: 409,
  unauthenticated: 401,
  weak_password: 422,
  wrong_password: 422,
};

for (const [code, status] of Object.entries(STATUSES) as [AuthErrorCode, number][]) {
  Deno.test(`withAuthErrors() answers ${code} as the router itself does`, async () => {
    const options = { detail: "Say why", reason: "never say", headers: { "Retry-After": "3" } };
    const answers = await Promise.all(
      [createRouter({ catch: withAuthErrors() }), createRouter()].map(async (router) => {
        router.get("/", () => fail(new AuthError(code, options)));
        const response = await router.request("/");
        return [await problemOf(response.clone()), [...response.headers]];
      }),
    );
    assertEquals(answers[0], answers[1]);
    const [[{ status: sent, code: name, detail }] = [{}]] = answers as [[Record<string, unknown>]];
    assertEquals([sent, name, detail], [status, code, "Say why"]);
    assertEquals(JSON.stringify(answers).includes("never say"), false);
  });
}

Deno.test("withAuthErrors() leaves other errors to the next one, and what is no error of a client's", async () => {
  const { errors, onError } = collectErrors();
  const asked: AuthError[] = [];
  const handler: RefusalHandler = (error) => void asked.push(error) as undefined;
  const router = createRouter({ catch: withAuthErrors(handler), onError })
    .get("/error", () => fail(new Error("broken")))
    .get("/http", () => fail(new HttpError(418, "teapot")))
    .get("/busy", () => fail(new AuthError("service_unavailable", { cause: new Error("down") })))
    .get("/alike", () => fail(Object.assign(new Error(), { name: "AuthError", status: 200 })));
  assertEquals(await codeOf(router.request("/error")), [500, "internal_error"]);
  assertEquals(await codeOf(router.request("/http")), [418, "teapot"]);
  assertEquals(await codeOf(router.request("/alike")), [500, "internal_error"]);
  assertEquals(asked, []);
  assertEquals(await codeOf(router.request("/busy")), [503, "service_unavailable"]);
  assertEquals(asked.length, 1);
  assertEquals(errors.length, 3, "the operator is told of all but the teapot");
});

Deno.test("withAuthErrors() asks the handler with the error, the request and what the host hands on", async () => {
  const asked: unknown[][] = [];
  const router = createRouter<unknown[]>({
    catch: withAuthErrors((error, req, ...args) => {
      asked.push([error.code, error.status, req.route, ...args]);
      return Promise.resolve(undefined);
    }),
  }).get("/notes/:id", () => fail(new AuthError("unauthenticated", { code: "no_ticket" })));
  const response = await router.fetch(new Request("https://example.com/notes/7"), "env", 1);
  assertEquals(await codeOf(response), [401, "no_ticket"]);
  assertEquals(asked, [["no_ticket", 401, "/notes/:id", "env", 1]]);
});

Deno.test("withAuthErrors() tells the handler why, which the client is not told", async () => {
  const reasons: unknown[] = [];
  const app = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("not on Sundays")),
    integration: { catch: ({ reason }) => void reasons.push(reason) },
  });
  app.router.get("/denied", () => json(1), { authorization: { metadata: 1 } });
  await app.router.request("/me", { headers: { "X-Key": "bad" } });
  await app.router.request("/denied", { headers: { "X-Key": "good" } });
  assertEquals(reasons, ["nobody's key", "not on Sundays"]);
});

/** What a handler may do instead of answering well. */
const HANDLERS: readonly (readonly [why: string, handler: unknown, outcome: readonly unknown[]])[] =
  [
    ["it throws", () => fail(new Error("broken")), [500, "internal_error"]],
    ["it rejects", () => Promise.reject(new Error("broken")), [500, "internal_error"]],
    ["it throws the refusal", (error: Error) => fail(error), [401, "unauthenticated"]],
    ["it throws another", () => fail(new AuthError("throttled")), [429, "throttled"]],
    ["it returns null", () => null, [500, "internal_error"]],
    ["it returns true", () => true, [500, "internal_error"]],
    ["it returns the error", (error: Error) => error, [500, "internal_error"]],
    ["it returns nothing", () => undefined, [401, "unauthenticated"]],
    ["it answers", () => problem(404, "not_found"), [404, "not_found"]],
  ];

for (const [why, handler, outcome] of HANDLERS) {
  Deno.test(`withAuthErrors() never lets a refused request pass: ${why}`, async () => {
    const { runtime } = createTestApp();
    let ran = 0;
    const router = withAuthRoutes(createRouter({ onError: () => {} }), {
      runtime,
      catch: untyped(handler),
    }).get("/", () => (ran++, json(1)));
    assertEquals(await codeOf(router.request("/")), outcome);
    assertEquals(ran, 0);
  });
}

Deno.test("withAuthErrors() keeps cookies, Vary and no-store on a page that answers", async () => {
  const app = createTestApp({
    strategies: [keyStrategy()],
    integration: {
      catch: ({ status }) => status === 401 ? redirect("/sign-in", 303) : undefined,
    },
  });
  const client = app.browser();
  client.jar.set("__Host-sid", "dead");
  const response = await client.send("/me");
  assertEquals([response.status, response.headers.get("Location")], [303, "/sign-in"]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Vary"), "X-Key, Cookie");
  assertEquals(client.jar.names(), [], "the dead cookie went with the page");
});

Deno.test("withAuthErrors() of an integration comes before the router's own catch", async () => {
  const { runtime } = createTestApp();
  const seen: unknown[] = [];
  const router = createRouter({
    catch: (error) => {
      seen.push(error);
      return new Response("mine", { status: 418 });
    },
  }).withAuth(runtime.integration({ routes: false }))
    .get("/", () => json(1))
    .get("/other", () => fail(new Error("broken")), { auth: false });
  assertEquals((await router.request("/")).status, 401);
  assertEquals(seen, []);
  assertEquals((await router.request("/other")).status, 418);
});

Deno.test("withAuthErrors() refuses a handler that is no function", () => {
  for (const handler of [null, true, "page", {}]) {
    assertThrows(
      () => withAuthErrors(untyped(handler)),
      TypeError,
      "Cannot create error handler: handler must be a function",
    );
  }
});

/** Strategies' own codes. */
const CODES: readonly (readonly [given: unknown, sent: string])[] = [
  ["invalid_api_key", "invalid_api_key"],
  ["a".repeat(64), "a".repeat(64)],
  ["a".repeat(65), "unauthenticated"],
  ["", "unauthenticated"],
  ["Invalid", "unauthenticated"],
  ["invalid key", "unauthenticated"],
  ["invalid-key", "unauthenticated"],
  ["invalid\n", "unauthenticated"],
  ["ungültig", "unauthenticated"],
  ["<script>", "unauthenticated"],
  [null, "unauthenticated"],
  [404, "unauthenticated"],
  [["invalid"], "unauthenticated"],
  [{ toString: () => "invalid" }, "unauthenticated"],
];

for (const [given, sent] of CODES) {
  Deno.test(`createGuard() sends a strategy's code only if it is one: ${JSON.stringify(given)}`, async () => {
    const app = createTestApp({ strategies: [keyStrategy({ code: untyped(given) })] });
    const response = await app.router.request("/me", { headers: { "X-Key": "bad" } });
    assertEquals(await codeOf(response), [401, sent]);
    const [event] = app.events;
    assertEquals(event?.type === "credential.refused" && event.strategy, "key");
  });
}

function fail(error: unknown): never {
  throw error;
}
