/** `no-store` of responses with session cookies and of refusals, whatever runs around the guard. */

import {
  applyAuthHeaders,
  authorizationDenied,
  createRouter,
  editHeaders,
  type FetchHandler,
  json,
  type Middleware,
  requireAuth,
  requireAuthz,
  type ResponseHook,
  routerBuilder,
  type RouteRequest,
  type RouterOptions,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { fromHono } from "@gatehouse/http/hono";
import { assert, assertEquals } from "@std/assert";
import { Hono } from "hono";
import { ADA } from "../_services.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { createTestApp, ORIGIN } from "./_app.ts";

const PUBLIC = "public, max-age=60";

const publish: ResponseHook<unknown[]> = (response) =>
  editHeaders(response, (headers) => headers.set("Cache-Control", PUBLIC));
const published = wrap<unknown[]>(async (_req, next) =>
  editHeaders(await next(), (headers) => headers.set("Cache-Control", PUBLIC))
);
const replaced = wrap<unknown[]>(async (_req, next) => {
  const { body, status, headers } = await next();
  const copy = new Headers(headers);
  copy.set("Cache-Control", PUBLIC);
  return new Response(body, { status, headers: copy });
});
const honoBefore = fromHono(async (c, next) => {
  c.header("Cache-Control", PUBLIC);
  await next();
});
const honoAfter = fromHono(async (c, next) => {
  await next();
  c.header("Cache-Control", PUBLIC);
});

/** Places where something makes every response public. */
const PLACES:
  readonly (readonly [what: string, make: (inner: Inner) => FetchHandler<unknown[]>])[] = [
    ["a wrapper in before", (inner) => inner({ before: [published] })],
    ["a wrapper in before that copies", (inner) => inner({ before: [replaced] })],
    ["Hono's middleware, before next()", (inner) => inner({ before: [honoBefore] })],
    ["Hono's middleware, after next()", (inner) => inner({ before: [honoAfter] })],
    ["a finally hook", (inner) => inner({ finally: [publish] })],
    ["a wrapper of under()", (inner) => inner({}, [published])],
    ["Hono's middleware of under()", (inner) => inner({}, [honoBefore])],
    ["a wrapper of an outer router", (inner) => {
      return createRouter<unknown[]>({ before: [published] }).mount("/", inner());
    }],
    ["Hono's middleware of an outer router", (inner) => {
      return createRouter<unknown[]>({ before: [honoBefore] }).mount("/", inner());
    }],
    ["a finally hook of an outer router", (inner) => {
      return createRouter<unknown[]>({ finally: [publish] }).mount("/", inner());
    }],
    ["two outer routers", (inner) => {
      const middle = createRouter<unknown[]>({ finally: [publish] }).mount("/", inner());
      return createRouter<unknown[]>({ before: [published] }).mount("/", middle);
    }],
  ];

/** Creates the router with authentication. */
type Inner = (
  options?: RouterOptions<unknown[]>,
  under?: readonly Middleware<unknown[]>[],
) => FetchHandler<unknown[]>;

for (const [what, make] of PLACES) {
  for (const how of ["withAuthRoutes()", "the builder", "requireAuth()"] as const) {
    Deno.test(`applyAuthHeaders comes last with ${how}, after ${what} that publishes responses`, async () => {
      const { runtime, inner } = await createInner(how);
      const app = make(inner);
      const get = async (path: string, headers: Record<string, string> = {}) => {
        const response = await app.fetch(new Request(ORIGIN + path, { headers }));
        await response?.body?.cancel();
        assert(response !== undefined);
        return [
          response.status,
          response.headers.get("Cache-Control"),
          response.headers.getSetCookie().map((cookie) => cookie.split("=")[0]),
        ];
      };
      const { sid, csrf } = runtime.cookies.names;
      assertEquals(await get("/enter"), [200, "no-store", [sid, csrf]]);
      assertEquals(await get("/me"), [401, "no-store", []]);
      assertEquals(await get("/me", { Cookie: `${sid}=dead` }), [401, "no-store", [sid]]);
      assertEquals(await get("/me", { "X-Key": "bad" }), [401, "no-store", []]);
      assertEquals(await get("/denied", { "X-Key": "good" }), [403, "no-store", []]);
      assertEquals(await get("/shared"), [200, PUBLIC, []], "no guard");
      assertEquals(
        await get("/me", { "X-Key": "good" }),
        [200, PUBLIC, []],
        "as the application says",
      );
    });
  }
}

async function createInner(how: "withAuthRoutes()" | "the builder" | "requireAuth()") {
  const { runtime } = createTestApp({
    strategies: [keyStrategy()],
    authorization: managerOf(() => authorizationDenied("denied")),
    throttle: "insecureSkip",
  });
  const authentication = await runtime.passwords.createUser({ ...ADA });
  const enter = async (req: RouteRequest) => (await runtime.signIn(req, authentication), json(1));
  const inner: Inner = (options = {}, under = []) => {
    if (how === "requireAuth()") {
      const { finally: hooks = [] } = options;
      return createRouter<unknown[]>({ ...options, finally: [...hooks, applyAuthHeaders] })
        .under("/", ...under)
        .get("/enter", enter)
        .get("/me", () => json(1), { use: [requireAuth({ runtime })] })
        .get("/denied", () => json(1), { use: [requireAuthz({ runtime, metadata: 1 })] })
        .get("/shared", () => json(1));
    }
    const router = how === "the builder"
      ? routerBuilder<unknown[]>().withAuth(runtime.integration({ routes: false }))
        .use(...options.before ?? []).finally(...options.finally ?? []).build()
      : withAuthRoutes(createRouter<unknown[]>(options), { runtime });
    return router
      .under("/", ...under)
      .get("/enter", enter, { auth: false })
      .get("/me", () => json(1))
      .get("/denied", () => json(1), { authorization: { metadata: 1 } })
      .get("/shared", () => json(1), { auth: false });
  };
  return { runtime, inner };
}

Deno.test("applyAuthHeaders applies in a router that Hono calls, whose middleware sets the field before next()", async () => {
  const { runtime, inner } = await createInner("withAuthRoutes()");
  const router = inner();
  const hono = new Hono()
    .use(async (c, next) => {
      c.header("Cache-Control", PUBLIC);
      await next();
    })
    .mount("/mounted", async (request) => await router.fetch(request) ?? new Response())
    .all("/*", async (c) => await router.fetch(c.req.raw) ?? new Response());
  for (const path of ["/mounted/me", "/me", "/mounted/enter", "/enter"]) {
    const { headers } = await hono.request(ORIGIN + path);
    assertEquals(headers.get("Cache-Control"), "no-store", path);
    const names = headers.getSetCookie().map((cookie) => cookie.split("=")[0]);
    const { sid, csrf } = runtime.cookies.names;
    assertEquals(names, path.endsWith("/enter") ? [sid, csrf] : []);
  }
});
