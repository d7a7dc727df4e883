/** Cookies that guards and sign-ins queue, and what `applyAuthHeaders` makes of them. */

import {
  applyAuthHeaders,
  AuthError,
  createRouter,
  editHeaders,
  empty,
  json,
  requireAuth,
  type RouteRequest,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { queueCookies, stateOf } from "../../../auth/http/_request_state.ts";
import { createTestApp } from "./_app.ts";
import { createApp, fail } from "../_made.ts";
import { keyStrategy } from "../_strategies.ts";

Deno.test("applyAuthHeaders sets cookies on whatever answers, and then nothing is kept", async () => {
  const makers: readonly (() => Response | Promise<Response>)[] = [
    () => json(1),
    () => json(1, { headers: { "Cache-Control": "public, max-age=60" } }),
    () => Response.redirect("https://example.com/elsewhere"),
    () => fetch("data:text/plain,from%20elsewhere"),
    () => empty(304),
    () => fail(new Error("The handler is broken")),
    () => fail(new AuthError("access_denied")),
  ];
  for (const make of makers) {
    const app = createApp((req) => {
      queueCookies(stateOf(req), ["__Host-a=1; Path=/; Secure; HttpOnly", "__Host-b=2"]);
      queueCookies(stateOf(req), ["__Host-a=3; Path=/; Secure; HttpOnly"]);
      return make();
    });
    const response = await app.router.request("/made", { headers: { "X-Key": "good" } });
    await response.body?.cancel();
    assertEquals(response.headers.getSetCookie(), [
      "__Host-a=3; Path=/; Secure; HttpOnly",
      "__Host-b=2",
    ]);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
  }
});

Deno.test("applyAuthHeaders keeps cookies that the handler sets", async () => {
  const app = createApp((req) => {
    queueCookies(stateOf(req), ["__Host-a=1"]);
    return json(1, { headers: [["Set-Cookie", "theme=dark"], ["Set-Cookie", "size=2"]] });
  });
  const response = await app.router.request("/made", { headers: { "X-Key": "good" } });
  assertEquals(response.headers.getSetCookie(), ["theme=dark", "size=2", "__Host-a=1"]);
});

Deno.test("applyAuthHeaders sets cookies once, where several routers of a request have it", async () => {
  const app = createApp(() => json(1));
  const inner = createRouter<unknown[]>({ finally: [applyAuthHeaders, applyAuthHeaders] })
    .get("/set", (req) => (queueCookies(stateOf(req), ["__Host-a=1"]), json(1)));
  app.router.mount("/inner", inner);
  const response = await app.router.request("/inner/set", { headers: { "X-Key": "good" } });
  assertEquals(response.headers.getSetCookie(), ["__Host-a=1"]);
  assertEquals(response.headers.get("Vary"), "X-Key, Cookie");
});

Deno.test("applyAuthHeaders sets cookies of a mounted router that lacks it, by the outer one", async () => {
  const app = createApp(() => json(1));
  const inner = createRouter<unknown[]>()
    .get("/set", (req) => (queueCookies(stateOf(req), ["__Host-a=1"]), json(1)));
  app.router.mount("/inner", inner, { auth: false });
  const response = await app.router.request("/inner/set");
  assertEquals(response.headers.getSetCookie(), ["__Host-a=1"]);
});

Deno.test("applyAuthHeaders leaves no client's cookies in a response that is given again and again", async () => {
  const kept = json("the same for all");
  let count = 0;
  const app = createApp((req) => {
    if (count++ === 0) queueCookies(stateOf(req), ["__Host-a=1"]);
    return kept;
  });
  const get = () => app.router.request("/made", { headers: { "X-Key": "good" } });
  assertEquals((await get()).headers.getSetCookie(), ["__Host-a=1"]);
  assertEquals(kept.headers.getSetCookie(), []);
});

/** Wrappers around a route or a router that send something else than what comes back. */
const WRAPPERS: readonly (readonly [why: string, change: (response: Response) => Response])[] = [
  ["replaced", () => json("replaced", { headers: { "Cache-Control": "public" } })],
  ["copied", (response) => new Response(response.body, response)],
  ["lost in an error", () => fail(new Error("The wrapper is broken"))],
  ["left alone", (response) => response],
  [
    "made public in place",
    (response) => editHeaders(response, (headers) => headers.set("Cache-Control", "public")),
  ],
];

for (const [why, change] of WRAPPERS) {
  Deno.test(`applyAuthHeaders sets cookies once, where a wrapper has the response ${why}`, async () => {
    const wrapper = wrap<unknown[]>(async (_req, next) => change(await next()));
    const { runtime } = createTestApp({ strategies: [keyStrategy()] });
    const handler = (req: RouteRequest) => (queueCookies(stateOf(req), ["__Host-a=1"]), json(1));
    const onError = () => {};
    const routers = {
      use: withAuthRoutes(createRouter<unknown[]>({ onError }), { runtime })
        .get("/", handler, { use: [wrapper] }),
      under: withAuthRoutes(createRouter<unknown[]>({ onError }).under("/", wrapper), { runtime })
        .get("/", handler),
      before: withAuthRoutes(createRouter<unknown[]>({ onError, before: [wrapper] }), { runtime })
        .get("/", handler),
      requireAuth: createRouter<unknown[]>({
        onError,
        before: [wrapper],
        finally: [applyAuthHeaders],
      }).get("/", handler, { use: [requireAuth({ runtime })] }),
    };
    for (const [place, router] of Object.entries(routers)) {
      const { headers } = await router.request("/", { headers: { "X-Key": "good" } });
      assertEquals(headers.getSetCookie(), ["__Host-a=1"], place);
      assertEquals(headers.get("Cache-Control"), "no-store", place);
      assertEquals(headers.get("Vary"), "X-Key, Cookie", place);
    }
  });
}

Deno.test("applyAuthHeaders takes a dead session's cookie away behind an error page of a wrapper's", async () => {
  const { runtime } = createTestApp();
  const page = wrap(async (_req, next) =>
    (await next()).status === 401 ? new Response("Sign in", { status: 401 }) : empty()
  );
  const router = withAuthRoutes(createRouter({ before: [page] }), { runtime })
    .get("/", () => json(1));
  const response = await router.request("/", { headers: { Cookie: "__Host-sid=dead" } });
  assertEquals(await response.text(), "Sign in");
  assertEquals(response.headers.getSetCookie(), [runtime.cookies.clear("sid")]);
});

Deno.test("applyAuthHeaders leaves the last cookie of a name alone, where it changes behind the guard", async () => {
  const app = createTestApp();
  const router = withAuthRoutes(
    createRouter<unknown[]>({
      before: [wrap(async (req, next) => {
        const response = await next();
        await app.runtime.signOut(req); // a wrapper that ends what the route has begun
        return response;
      })],
    }),
    { runtime: app.runtime },
  ).get("/in", async (req) => {
    queueCookies(stateOf(req), ["__Host-sid=begun"]);
    return json(await Promise.resolve(1), { headers: { "Set-Cookie": "theme=dark" } });
  });
  const Cookie = (await app.signedIn()).jar.field();
  const response = await router.request("/in", { headers: { Cookie } });
  assertEquals(response.status, 200);
  const names = response.headers.getSetCookie().map((cookie) => cookie.split("=")[0]);
  assertEquals(names.filter((name) => name === "__Host-sid").length, 1);
  assertEquals(names[0], "theme");
  const [cleared] = response.headers.getSetCookie().filter((one) => one.startsWith("__Host-sid="));
  assertEquals(cleared?.startsWith("__Host-sid=; "), true);
});
