/** Header fields and cookies that authentication adds to responses. */

import {
  applyAuthHeaders,
  AuthError,
  createRouter,
  editHeaders,
  empty,
  json,
  redirect,
  requireAuth,
  type RouteRequest,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { queueCookies, stateOf } from "../../../auth/http/_request_state.ts";
import { within, withServer } from "../../attacks/_raw.ts";
import { createApp, fail } from "../_made.ts";
import { keyStrategy } from "../_strategies.ts";
import { createTestApp } from "./_app.ts";

/** `Vary` of a response to a signed-in user, by the handler's own `Vary`. */
const VARIES: readonly (readonly [given: string | undefined, sent: string])[] = [
  [undefined, "X-Key, Cookie"],
  ["Accept", "Accept, X-Key, Cookie"],
  ["Accept-Language, Accept", "Accept-Language, Accept, X-Key, Cookie"],
  ["cookie", "cookie, X-Key"],
  ["COOKIE ,x-key", "COOKIE ,x-key"],
  ["X-Cookie", "X-Cookie, X-Key, Cookie"],
  ["*", "*"],
  ["Accept, *", "Accept, *"],
  ["Accept,", "Accept,, X-Key, Cookie"],
];

for (const [given, sent] of VARIES) {
  Deno.test(`applyAuthHeaders adds to Vary, after ${given ?? "nothing"}`, async () => {
    const app = createApp(() => json(1, given === undefined ? {} : { headers: { Vary: given } }));
    const client = await app.signedIn();
    assertEquals((await client.send("/made")).headers.get("Vary"), sent);
  });
}

Deno.test("applyAuthHeaders joins two Vary fields of the handler", async () => {
  const app = createApp(() => json(1, { headers: [["Vary", "Accept"], ["Vary", "cookie"]] }));
  const client = await app.signedIn();
  assertEquals((await client.send("/made")).headers.get("Vary"), "Accept, cookie, X-Key");
});

/** `Cache-Control`, by client and by the handler's own value. */
const CACHES: readonly (readonly [
  why: string,
  path: string,
  signedIn: boolean,
  cacheControl: string | null,
  vary: string | null,
])[] = [
  ["a guarded route", "/me", true, "no-store", "X-Key, Cookie"],
  ["a refusal", "/me", false, "no-store", "X-Key, Cookie"],
  ["an optional route with a principal", "/maybe", true, "no-store", "X-Key, Cookie"],
  ["an optional route without a principal", "/maybe", false, null, "X-Key, Cookie"],
  ["a public route", "/public", true, null, null],
  ["an unknown path", "/nowhere", true, null, null],
  ["another method", "/maybe-not", true, null, null],
  [
    "a private response of the handler",
    "/private",
    true,
    "private, max-age=60",
    "X-Key, Cookie",
  ],
  ["a public response of the handler to one user", "/shared", true, "public", "X-Key, Cookie"],
  ["an error of the handler", "/throws", true, "no-store", "X-Key, Cookie"],
  ["a rejection by the handler", "/refuses", true, "no-store", "X-Key, Cookie"],
  [
    "a rejection of an anonymous request by the handler",
    "/refuses-all",
    false,
    null,
    "X-Key, Cookie",
  ],
  ["a redirect", "/redirect", true, "no-store", "X-Key, Cookie"],
  ["an immutable redirect", "/immutable", true, "no-store", "X-Key, Cookie"],
  ["an immutable error", "/immutable-error", true, "no-store", "X-Key, Cookie"],
  ["an empty response", "/empty", true, "no-store", "X-Key, Cookie"],
];

for (const [why, path, signedIn, cacheControl, vary] of CACHES) {
  Deno.test(`applyAuthHeaders keeps responses for one client out of caches: ${why}`, async () => {
    const app = createApp(() => json(1));
    const cached = (value: string) => () => json(1, { headers: { "cache-control": value } });
    app.router
      .post("/maybe-not", () => json(1))
      .get("/private", cached("private, max-age=60"))
      .get("/shared", cached("public"))
      .get("/throws", () => fail(new Error("The handler is broken")))
      .get("/refuses", () => fail(new AuthError("access_denied")))
      .get("/refuses-all", () => fail(new AuthError("access_denied")), {
        auth: { mode: "optional" },
      })
      .get("/redirect", () => redirect("/elsewhere"))
      .get("/immutable", () => Response.redirect("https://example.com/elsewhere"))
      .get("/immutable-error", () => fetch("data:text/plain,from%20elsewhere"))
      .get("/empty", () => empty());
    const client = signedIn ? await app.signedIn() : app.browser();
    for (const method of ["GET", "HEAD"]) {
      const response = await client.send(path, { method });
      await response.body?.cancel();
      assertEquals(response.headers.get("Cache-Control"), cacheControl);
      assertEquals(response.headers.get("Vary"), vary);
      assertEquals(response.headers.getSetCookie(), []);
    }
  });
}

Deno.test("applyAuthHeaders runs before the router's own hooks, which may overwrite its header fields", async () => {
  const { runtime } = createApp(() => json(1));
  const seen: (string | null)[] = [];
  const router = createRouter<unknown[]>({
    finally: [(response) => void seen.push(response.headers.get("Cache-Control"))],
  }).withAuth(runtime.integration({ routes: { registration: "open" } })).get("/", () => json(1));
  await router.request("/", { headers: { "X-Key": "good" } });
  assertEquals(seen, ["no-store"]);
});

Deno.test("applyAuthHeaders does not change responses without a guard", async () => {
  const given = json(1);
  const router = createRouter({ finally: [applyAuthHeaders] }).get("/", () => given);
  assert((await router.fetch(new Request("https://example.com/"))) === given);
  assertEquals([...given.headers.keys()], ["content-type"]);
});

Deno.test("applyAuthHeaders returns the same response object if it switches protocols", async () => {
  const given = new Response(null, { status: 101 });
  const app = createApp((req) => (queueCookies(stateOf(req), ["__Host-late=1"]), given));
  const response = await app.router.request("/made", { headers: { "X-Key": "good" } });
  assert(response === given, "it belongs to the socket");
});

Deno.test("applyAuthHeaders does not prevent a guarded WebSocket from opening, over a socket", async () => {
  const app = createTestApp();
  const { runtime } = app;
  app.router
    .get("/socket", greet)
    .get("/used", greet, { auth: false, use: [requireAuth({ runtime })] });
  const client = await app.signedIn();
  await withServer((request, info) => app.router.fetch(request, info), async (port) => {
    const origin = `http://127.0.0.1:${port}`;
    for (const path of ["/socket", "/used"]) {
      const headers = { Cookie: client.jar.field(), Origin: origin };
      assertEquals(await openSocket(port, path, headers), "101: hello u1");
      assertNotEquals(await openSocket(port, path, { Origin: origin }), "101: hello u1");
      const foreign = { ...headers, Origin: "https://evil.example" };
      assertEquals(await openSocket(port, path, foreign), "403");
    }
  });
});

function greet(req: RouteRequest): Response {
  const { socket, response } = Deno.upgradeWebSocket(req.raw);
  queueCookies(stateOf(req), ["__Host-late=1"]); // a response of this type cannot be copied
  const { principal = { sub: "u1" } } = req as { principal?: { sub: string } };
  socket.onopen = () => {
    socket.send(`hello ${principal.sub}`);
    socket.close();
  };
  return response;
}

/** Opens a WebSocket manually, since its class does not report rejections: the status, and the first frame's text. */
async function openSocket(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<string> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  await connection.write(new TextEncoder().encode(lines.join("\r\n") + "\r\n\r\n"));
  const buffer = new Uint8Array(4096);
  let text = "";
  const isWhole = () => /^HTTP\/1.1 (?!101)|\r\n\r\n..hello u1/.test(text);
  while (!isWhole()) {
    const count = await within(connection.read(buffer), "the answer");
    if (count === null) break;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
  }
  const status = text.slice(9, 12);
  if (status !== "101") return status;
  // The masked close frame of a client
  await connection.write(new Uint8Array([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]));
  return `101: ${text.slice(text.indexOf("hello"), text.indexOf("hello") + 8)}`;
}

// Cookies that guards and sign-ins queue, and how `applyAuthHeaders` sets them.

Deno.test("applyAuthHeaders sets cookies on every response, which then is not cached", async () => {
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

Deno.test("applyAuthHeaders sets cookies once if several routers of a request use it", async () => {
  const app = createApp(() => json(1));
  const inner = createRouter<unknown[]>({ finally: [applyAuthHeaders, applyAuthHeaders] })
    .get("/set", (req) => (queueCookies(stateOf(req), ["__Host-a=1"]), json(1)));
  app.router.mount("/inner", inner);
  const response = await app.router.request("/inner/set", { headers: { "X-Key": "good" } });
  assertEquals(response.headers.getSetCookie(), ["__Host-a=1"]);
  assertEquals(response.headers.get("Vary"), "X-Key, Cookie");
});

Deno.test("applyAuthHeaders of an outer router sets cookies of a mounted router without it", async () => {
  const app = createApp(() => json(1));
  const inner = createRouter<unknown[]>()
    .get("/set", (req) => (queueCookies(stateOf(req), ["__Host-a=1"]), json(1)));
  app.router.mount("/inner", inner, { auth: false });
  const response = await app.router.request("/inner/set");
  assertEquals(response.headers.getSetCookie(), ["__Host-a=1"]);
});

Deno.test("applyAuthHeaders does not add a client's cookies to a response that is reused", async () => {
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

/** Wrappers around a route or a router that change the response. */
const WRAPPERS: readonly (readonly [why: string, change: (response: Response) => Response])[] = [
  ["replaced", () => json("replaced", { headers: { "Cache-Control": "public" } })],
  ["copied", (response) => new Response(response.body, response)],
  ["lost in an error", () => fail(new Error("The wrapper is broken"))],
  ["unchanged", (response) => response],
  [
    "made public in place",
    (response) => editHeaders(response, (headers) => headers.set("Cache-Control", "public")),
  ],
];

for (const [why, change] of WRAPPERS) {
  Deno.test(`applyAuthHeaders sets cookies once, if a wrapper has the response ${why}`, async () => {
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

Deno.test("applyAuthHeaders deletes the cookie of an invalid session on a wrapper's error page", async () => {
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

Deno.test("applyAuthHeaders sets only the last cookie of a name that changes after the guard", async () => {
  const app = createTestApp();
  const router = withAuthRoutes(
    createRouter<unknown[]>({
      before: [wrap(async (req, next) => {
        const response = await next();
        await app.runtime.signOut(req); // a wrapper that revokes what the route has created
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
