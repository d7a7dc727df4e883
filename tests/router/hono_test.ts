import {
  createRouter,
  editHeaders,
  HttpError,
  json,
  type Middleware,
  pass,
  type TypedRouter,
  wrap,
} from "@gatehouse/http";
import { fromHono, honoContext, type HonoMiddleware } from "@gatehouse/http/hono";
import { assert, assertEquals, assertMatch, assertStrictEquals, assertThrows } from "@std/assert";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { basicAuth } from "hono/basic-auth";
import { bearerAuth } from "hono/bearer-auth";
import { bodyLimit } from "hono/body-limit";
import { cache } from "hono/cache";
import { every, except, some } from "hono/combine";
import { compress } from "hono/compress";
import { contextStorage, getContext } from "hono/context-storage";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { cors } from "hono/cors";
import { csrf } from "hono/csrf";
import { getConnInfo } from "hono/deno";
import { etag } from "hono/etag";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import { ipRestriction } from "hono/ip-restriction";
import { jsxRenderer } from "hono/jsx-renderer";
import { jwt, sign } from "hono/jwt";
import { languageDetector } from "hono/language";
import { logger } from "hono/logger";
import { poweredBy } from "hono/powered-by";
import { prettyJSON } from "hono/pretty-json";
import { requestId } from "hono/request-id";
import { routePath } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { timeout } from "hono/timeout";
import { setMetric, timing } from "hono/timing";
import { appendTrailingSlash, trimTrailingSlash } from "hono/trailing-slash";
import { validator } from "hono/validator";
import { codeOf, collectErrors, countedStream, jsonRequest, untyped } from "./_helpers.ts";

const ORIGIN = "https://app.example";
const LONG = "gatehouse ".repeat(500);

/** A router with Hono's middleware before every route. */
function routerWith(...middleware: HonoMiddleware<Context>[]): TypedRouter {
  return createRouter({ before: middleware.map((one) => fromHono(one)), onError: () => {} })
    .get("/", () => json("hello"))
    .get("/text", () => new Response("hello"))
    .get("/long", () => new Response(LONG))
    .get("/id/:id", (req) => json(req.params.id))
    .get("/cookie", () => new Response("c", { headers: [["Set-Cookie", "own=1"]] }))
    .get("/throws", () => {
      throw new Error("secret");
    })
    .get("/rejects", () => Promise.reject(new Error("secret")))
    .get("/teapot", () => {
      throw new HttpError(418, "teapot");
    })
    .post("/echo", (req) => json(req.content));
}

/** A header field of a response, whose body is not read. */
async function fieldOf(
  response: Response | Promise<Response>,
  name: string,
): Promise<string | null> {
  const settled = await response;
  await settled.body?.cancel();
  return settled.headers.get(name);
}

async function statusOf(response: Response | Promise<Response>): Promise<number> {
  const settled = await response;
  await settled.body?.cancel();
  return settled.status;
}

/** Serves a router over a socket. */
async function served(
  fetch: (request: Request) => Response | Promise<Response>,
  use: (origin: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, fetch);
  try {
    await use(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

// cors

/** [why, path, init, status] */
const CORS_ANSWERS: readonly (readonly [string, string, RequestInit, number])[] = [
  ["a route", "/", {}, 200],
  ["HEAD", "/", { method: "HEAD" }, 200],
  ["404", "/nowhere", {}, 404],
  ["405", "/", { method: "DELETE" }, 405],
  ["415", "/echo", { method: "POST", body: "x" }, 415],
  ["a handler that throws", "/throws", {}, 500],
  ["a handler that rejects", "/rejects", {}, 500],
  ["an HttpError", "/teapot", {}, 418],
];

for (const [why, path, init, status] of CORS_ANSWERS) {
  Deno.test(`fromHono(cors()) sets its fields on ${why}`, async () => {
    const response = await routerWith(cors({ exposeHeaders: ["X-A"] })).request(path, init);
    assertEquals([response.status, response.headers.get("Access-Control-Allow-Origin")], [
      status,
      "*",
    ]);
    assertEquals(await fieldOf(response, "Access-Control-Expose-Headers"), "X-A");
  });
}

Deno.test("fromHono(cors()) answers every preflight, with or without a route", async () => {
  const router = routerWith(cors({ origin: [ORIGIN], credentials: true, maxAge: 60 }));
  for (const path of ["/", "/echo", "/nowhere"]) {
    const response = await router.request(path, {
      method: "OPTIONS",
      headers: {
        Origin: ORIGIN,
        "Access-Control-Request-Method": "PUT",
        "Access-Control-Request-Headers": "X-A, X-B",
      },
    });
    assertEquals([response.status, response.body], [204, null]);
    assertEquals(Object.fromEntries(response.headers), {
      "access-control-allow-origin": ORIGIN,
      "access-control-allow-credentials": "true",
      "access-control-max-age": "60",
      "access-control-allow-methods": "GET,HEAD,PUT,POST,DELETE,PATCH,QUERY",
      "access-control-allow-headers": "X-A,X-B",
      "vary": "Origin, Access-Control-Request-Headers",
    });
  }
});

Deno.test("fromHono(cors()) allows the listed origins, and varies by Origin", async () => {
  const router = routerWith(cors({ origin: [ORIGIN, "https://b.example"], credentials: true }));
  for (const [origin, allowed] of [[ORIGIN, ORIGIN], ["https://evil.example", null]] as const) {
    const response = await router.request("/", { headers: { Origin: origin } });
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), allowed);
    assertEquals(response.headers.get("Access-Control-Allow-Credentials"), "true");
    assertEquals(await fieldOf(response, "Vary"), "Origin");
  }
});

Deno.test("fromHono(cors()) answers for one subtree under under(), preflights included", async () => {
  const router = createRouter().under("/api", fromHono(cors())).get("/api/a", () => json(1)).get(
    "/b",
    () => json(1),
  );
  const name = "Access-Control-Allow-Origin";
  assertEquals(await fieldOf(router.request("/api/a"), name), "*");
  assertEquals(await fieldOf(router.request("/api/none"), name), "*");
  assertEquals(await statusOf(router.request("/api/a", { method: "OPTIONS" })), 204);
  assertEquals(await fieldOf(router.request("/b"), name), null);
});

// Headers only

Deno.test("fromHono(secureHeaders()) sets the same fields as in Hono, on every response", async () => {
  const middleware = secureHeaders({
    contentSecurityPolicy: { defaultSrc: ["'self'"] },
    permissionsPolicy: { camera: [] },
  });
  const app = new Hono().use(middleware).get("/", (c) => c.json("hello"));
  const wanted = Object.fromEntries((await app.request("/")).headers);
  const router = routerWith(middleware);
  assertEquals(Object.fromEntries((await router.request("/")).headers), wanted);
  assert("content-security-policy" in wanted);
  for (const path of ["/nowhere", "/throws", "/teapot"]) {
    assertEquals(await fieldOf(router.request(path), "X-Content-Type-Options"), "nosniff");
  }
});

Deno.test("fromHono(poweredBy()) and secureHeaders() undo each other in the order of the list", async () => {
  const field = (router: TypedRouter) => fieldOf(router.request("/"), "X-Powered-By");
  assertEquals(await field(routerWith(secureHeaders(), poweredBy())), null);
  assertEquals(await field(routerWith(poweredBy({ serverName: "G" }), secureHeaders())), "G");
});

Deno.test("fromHono(requestId()) sets the field, and handlers read the variable", async () => {
  const router = createRouter({ before: [fromHono(requestId({ generator: () => "made" }))] })
    .get("/", (req) => json(honoContext(req).get("requestId")));
  const made = await router.request("/");
  assertEquals([await made.json(), made.headers.get("X-Request-Id")], ["made", "made"]);
  const sent = await router.request("/", { headers: { "X-Request-Id": "sent" } });
  assertEquals([await sent.json(), sent.headers.get("X-Request-Id")], ["sent", "sent"]);
  assertEquals(await fieldOf(router.request("/none"), "X-Request-Id"), "made");
});

Deno.test("fromHono(timing()) measures, and handlers add metrics", async () => {
  const router = createRouter({ before: [fromHono(timing())] }).get("/", (req) => {
    setMetric(honoContext<Context>(req), "db", 12.3, "Database");
    return json(1);
  });
  const field = await fieldOf(router.request("/"), "Server-Timing");
  assertMatch(
    field ?? "",
    /^db;dur=12\.3;desc="Database",total;dur=[\d.]+;desc="Total Response Time"$/,
  );
  assertMatch(await fieldOf(router.request("/none"), "Server-Timing") ?? "", /^total;/);
});

Deno.test("fromHono(logger()) prints a line before and one after, for errors too", async () => {
  const lines: string[] = [];
  const router = routerWith(logger((line) => lines.push(line)));
  for (const path of ["/?a=1", "/none", "/throws"]) await statusOf(router.request(path));
  // deno-lint-ignore no-control-regex -- the colours of a terminal
  const plain = lines.map((line) => line.replaceAll(/\x1b\[\d+m| \d+m?s$/g, ""));
  assertEquals(plain, [
    "<-- GET /?a=1",
    "--> GET /?a=1 200",
    "<-- GET /none",
    "--> GET /none 404",
    "<-- GET /throws",
    "--> GET /throws 500",
  ]);
});

// etag, compress, prettyJSON

Deno.test("fromHono(etag()) tags, and answers 304 with the fields that a 304 keeps", async () => {
  const router = routerWith(cors({ origin: [ORIGIN] }), etag());
  const first = await router.request("/text");
  const tag = first.headers.get("ETag") ?? "";
  assertMatch(tag, /^"[\da-f]{40}"$/);
  assertEquals(await first.text(), "hello");
  const headers = { "If-None-Match": `"other", W/${tag}`, Origin: ORIGIN };
  const second = await router.request("/text", { headers });
  assertEquals([second.status, second.body, second.headers.get("ETag")], [304, null, tag]);
  assertEquals(second.headers.get("Content-Type"), null);
  assertEquals(second.headers.get("Vary"), "Origin");
  assertEquals(await fieldOf(router.request("/text", { method: "HEAD" }), "ETag"), tag);
  assertEquals(await fieldOf(router.request("/none"), "ETag"), null);
});

Deno.test("fromHono(etag()) makes weak tags, and keeps the handler's own", async () => {
  assertMatch(
    await fieldOf(routerWith(etag({ weak: true })).request("/text"), "ETag") ?? "",
    /^W\/"/,
  );
  const router = createRouter({ before: [fromHono(etag())] })
    .get("/", () => new Response("x", { headers: { ETag: '"own"' } }));
  assertEquals(await fieldOf(router.request("/"), "ETag"), '"own"');
  const headers = { "If-None-Match": '"own"' };
  assertEquals(await statusOf(router.request("/", { headers })), 304);
});

async function unzipped(response: Response): Promise<string> {
  assert(response.body !== null);
  return await new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).text();
}

Deno.test("fromHono(compress()) compresses long text only", async () => {
  const headers = { "Accept-Encoding": "gzip" };
  const router = routerWith(compress())
    .get("/sized", () => new Response(LONG, { headers: { "Content-Length": "5000" } }))
    .get("/small", () => new Response("s", { headers: { "Content-Length": "1" } }))
    .get("/image", () => new Response(LONG, { headers: { "Content-Type": "image/png" } }))
    .get("/packed", () => new Response(LONG, { headers: { "Content-Encoding": "x" } }));
  for (const path of ["/long", "/sized"]) {
    const response = await router.request(path, { headers });
    assertEquals(response.headers.get("Content-Encoding"), "gzip");
    assertEquals(response.headers.get("Content-Length"), null);
    assertEquals(response.headers.get("Vary"), "Accept-Encoding");
    assertEquals(await unzipped(response), LONG);
  }
  for (const path of ["/small", "/image"]) {
    assertEquals(await fieldOf(router.request(path, { headers }), "Content-Encoding"), null);
  }
  assertEquals(await fieldOf(router.request("/packed", { headers }), "Content-Encoding"), "x");
  assertEquals(await fieldOf(router.request("/long"), "Content-Encoding"), null);
  const head = await router.request("/sized", { method: "HEAD", headers });
  assertEquals([head.headers.get("Content-Encoding"), head.headers.get("Content-Length")], [
    null,
    "5000",
  ]);
  assertEquals(await head.text(), "");
});

Deno.test("fromHono(compress()) and etag() work in both orders, and over a socket", async () => {
  const headers = { "Accept-Encoding": "gzip" };
  const outside = routerWith(compress(), etag());
  const weak = await outside.request("/long", { headers });
  assertMatch(weak.headers.get("ETag") ?? "", /^W\/"/);
  assertEquals(await unzipped(weak), LONG);
  const inside = await routerWith(etag(), compress()).request("/long", { headers });
  assertMatch(inside.headers.get("ETag") ?? "", /^"/);
  assertEquals(await unzipped(inside), LONG);
  await served(outside.fetch, async (origin) => {
    const response = await fetch(`${origin}/long`, { headers });
    assertEquals(await response.text(), LONG);
    const tag = response.headers.get("ETag") ?? "";
    const again = await fetch(`${origin}/long`, { headers: { ...headers, "If-None-Match": tag } });
    assertEquals([again.status, await again.text()], [304, ""]);
  });
});

Deno.test("fromHono(prettyJSON()) indents on request, problems included", async () => {
  const router = routerWith(prettyJSON()).get("/o", () => json({ a: [1] }));
  assertEquals(await (await router.request("/o?pretty")).text(), '{\n  "a": [\n    1\n  ]\n}');
  assertEquals(await (await router.request("/o")).text(), '{"a":[1]}');
  assertMatch(await (await router.request("/none?pretty")).text(), /^\{\n {2}"type"/);
});

// Middleware that rejects

const CREDENTIALS = { Authorization: "Basic " + btoa("ada:pass") };

Deno.test("fromHono(basicAuth()) challenges with its exception's response, in all three places", async () => {
  const auth = fromHono(basicAuth({ username: "ada", password: "pass", realm: "R" }));
  const { errors, onError } = collectErrors();
  const routers = [
    createRouter({ before: [auth], onError }).get("/a/b", () => json("in")),
    createRouter({ onError }).under("/a", auth).get("/a/b", () => json("in")),
    createRouter({ onError }).get("/a/b", () => json("in"), { use: [auth] }),
  ];
  for (const router of routers) {
    const rejected = await router.request("/a/b");
    assertEquals(rejected.status, 401);
    assertEquals(rejected.headers.get("WWW-Authenticate"), 'Basic realm="R"');
    assertEquals(await rejected.text(), "Unauthorized");
    assertEquals(await statusOf(router.request("/a/b", { headers: CREDENTIALS })), 200);
  }
  assertEquals(errors, []);
});

Deno.test("fromHono(basicAuth()) is rejected with the fields of the middleware around it", async () => {
  const auth = basicAuth({ username: "ada", password: "pass" });
  const around = [cors(), requestId({ generator: () => "id" }), secureHeaders()];
  const outer = await routerWith(...around, auth).request("/");
  assertEquals(outer.status, 401);
  assertEquals(outer.headers.get("WWW-Authenticate"), 'Basic realm="Secure Area"');
  assertEquals(outer.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(outer.headers.get("X-Request-Id"), "id");
  assertEquals(await fieldOf(outer, "X-Frame-Options"), "SAMEORIGIN");
  const inner = await routerWith(auth, ...around).request("/");
  assertEquals(await fieldOf(inner, "Access-Control-Allow-Origin"), null);
});

/** [why, middleware, init, status] of a POST with a JSON body. */
const REJECTIONS: readonly (readonly [string, MiddlewareHandler, RequestInit, number])[] = [
  ["bearerAuth() without a token", bearerAuth({ token: "t" }), {}, 401],
  [
    "bearerAuth() with a wrong one",
    bearerAuth({ token: "t" }),
    { headers: { Authorization: "Bearer x" } },
    401,
  ],
  [
    "bearerAuth() with a malformed one",
    bearerAuth({ token: "t" }),
    { headers: { Authorization: "Bear" } },
    400,
  ],
  [
    "bearerAuth() with the token",
    bearerAuth({ token: "t" }),
    { headers: { Authorization: "Bearer t" } },
    200,
  ],
  ["jwt() without a token", jwt({ secret: "s", alg: "HS256" }), {}, 401],
  [
    "csrf() with a form of another site",
    csrf(),
    { headers: { "Content-Type": "text/plain", Origin: "https://evil.example" } },
    403,
  ],
  ["csrf() with JSON", csrf(), {}, 200],
  [
    "ipRestriction() of a denied address",
    ipRestriction(() => "10.0.0.1", { denyList: ["10.0.0.0/8"] }),
    {},
    403,
  ],
  [
    "ipRestriction() of another address",
    ipRestriction(() => "::1", { allowList: ["::1"] }),
    {},
    200,
  ],
  ["bodyLimit() under the limit", bodyLimit({ maxSize: 7 }), {}, 200],
  ["bodyLimit() over it", bodyLimit({ maxSize: 6 }), {}, 413],
  [
    "bodyLimit() over it, with its own response",
    bodyLimit({ maxSize: 6, onError: (c) => c.text("long", 400) }),
    {},
    400,
  ],
  ["some() of which one accepts", some(bearerAuth({ token: "t" }), csrf()), {}, 200],
  ["some() of which none accepts", some(bearerAuth({ token: "t" })), {}, 401],
  ["every() of which one rejects", every(csrf(), bearerAuth({ token: "t" })), {}, 401],
  ["every() of which none rejects", every(csrf(), bodyLimit({ maxSize: 7 })), {}, 200],
  ["except() of this path", except("/echo", bearerAuth({ token: "t" })), {}, 200],
  ["except() of another", except("/other", bearerAuth({ token: "t" })), {}, 401],
];

for (const [why, middleware, init, status] of REJECTIONS) {
  Deno.test(`fromHono() runs ${why} as Hono does: ${status}`, async () => {
    const router = routerWith(middleware);
    const app = new Hono().use(middleware).post("/echo", async (c) => c.json(await c.req.json()));
    for (const streamed of [false, true]) {
      const make = () => {
        const body = streamed ? new Blob(['{"a":1}']).stream() : '{"a":1}';
        const request = jsonRequest("/echo", body, init);
        if (!streamed) request.headers.set("Content-Length", "7");
        return request;
      };
      const [ours, honos] = [await router.fetch(make()), await app.fetch(make())];
      assertEquals([ours.status, honos.status], [status, status]);
      assertEquals(ours.headers.get("WWW-Authenticate"), honos.headers.get("WWW-Authenticate"));
      assertEquals(await ours.text(), await honos.text());
    }
  });
}

Deno.test("fromHono(jwt()) passes the payload to the handler", async () => {
  const router = createRouter().under("/", fromHono(jwt({ secret: "s", alg: "HS256" })))
    .get("/", (req) => json(honoContext(req).get("jwtPayload")));
  const token = await sign({ sub: "ada" }, "s", "HS256");
  const response = await router.request("/", { headers: { Authorization: `Bearer ${token}` } });
  assertEquals(await response.json(), { sub: "ada" });
});

Deno.test("fromHono(timeout()) answers 504, drops the late response, and leaves timely ones unchanged", async () => {
  const late = countedStream(new Uint8Array(1));
  const done = Promise.withResolvers<void>();
  const router = createRouter({ before: [fromHono(cors()), fromHono(timeout(20))] })
    .get("/slow", async () => {
      await done.promise;
      return new Response(late.stream, { headers: { "X-Late": "1" } });
    })
    .get("/fast", () => json(1));
  const response = await router.request("/slow");
  assertEquals([response.status, await response.text()], [504, "Gateway Timeout"]);
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  done.resolve();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals([late.cancelled(), response.headers.get("X-Late")], [true, null]);
  assertEquals(await statusOf(router.request("/fast")), 200);
});

Deno.test("fromHono(trimTrailingSlash()) and appendTrailingSlash() redirect paths that would be a 404", async () => {
  const trimmed = await routerWith(trimTrailingSlash()).request("/text/?a=1");
  assertEquals([trimmed.status, trimmed.headers.get("Location")], [
    301,
    "http://localhost/text?a=1",
  ]);
  const router = createRouter({ before: [fromHono(appendTrailingSlash())] })
    .get("/dir/", () => json(1));
  assertEquals(await fieldOf(router.request("/dir"), "Location"), "http://localhost/dir/");
});

Deno.test("fromHono(languageDetector()) sets its variable and its cookie", async () => {
  const middleware = languageDetector({ supportedLanguages: ["en", "fr"], fallbackLanguage: "en" });
  const router = createRouter({ before: [fromHono(middleware)] }).get(
    "/",
    (req) => json(honoContext(req).get("language"), { headers: [["Set-Cookie", "own=1"]] }),
  );
  const response = await router.request("/", { headers: { "Accept-Language": "fr" } });
  assertEquals(await response.json(), "fr");
  assertEquals(response.headers.getSetCookie().map((cookie) => cookie.split("=")[0]), [
    "language",
    "own",
  ]);
});

Deno.test("fromHono(contextStorage()) reaches handlers", async () => {
  const router = createRouter({ before: [fromHono(requestId()), fromHono(contextStorage())] })
    .get("/", async (req) => {
      await Promise.resolve();
      return json(getContext() === honoContext<Context>(req));
    });
  assertEquals(await (await router.request("/")).json(), true);
});

Deno.test("fromHono(validator()) validates, and the router reads the same body", async () => {
  const check = validator(
    "json",
    (value: { a?: number }, c) => value.a === 1 ? { b: 2 } : c.json({ no: true }, 400),
  );
  const router = createRouter().post("/", (req) => {
    const valid = untyped<{ b: number }>(
      honoContext<Context>(req).req.valid(untyped<never>("json")),
    );
    return json([valid, req.content]);
  }, { use: [fromHono(check)] });
  const good = await router.fetch(jsonRequest("/", '{"a":1}'));
  assertEquals(await good.json(), [{ b: 2 }, { a: 1 }]);
  const bad = await router.fetch(jsonRequest("/", '{"a":2}'));
  assertEquals([bad.status, await bad.json()], [400, { no: true }]);
});

Deno.test("fromHono(jsxRenderer()) returns handlers c.render()", async () => {
  const router = createRouter().get("/", async (req) => {
    const c = honoContext<Context>(req);
    return await c.render(untyped<string>("<p>"));
  }, { use: [fromHono(jsxRenderer(untyped<undefined>(undefined)))] });
  const response = await router.request("/");
  assertEquals(response.headers.get("Content-Type"), "text/html; charset=UTF-8");
  assertEquals(await response.text(), "<!DOCTYPE html>&lt;p&gt;");
});

Deno.test("fromHono(cache()) stores responses", async () => {
  const name = `gatehouse ${crypto.randomUUID()}`;
  let runs = 0;
  const router = createRouter().get("/c", () => json(++runs), {
    use: [fromHono(cache({ cacheName: name, wait: true, cacheControl: "max-age=60" }))],
  });
  try {
    for (let i = 0; i < 2; i++) {
      const response = await router.request("/c");
      assertEquals([await response.json(), response.headers.get("Cache-Control")], [
        1,
        "max-age=60",
      ]);
    }
  } finally {
    await caches.delete(name);
  }
});

Deno.test("fromHono() of all middleware together answers in both orders", async () => {
  const all = [
    logger(() => {}),
    timing(),
    requestId(),
    cors({ origin: [ORIGIN], credentials: true }),
    secureHeaders(),
    compress(),
    etag(),
    poweredBy(),
    prettyJSON(),
    timeout(1000),
    basicAuth({ username: "ada", password: "pass" }),
  ];
  const headers = { ...CREDENTIALS, "Accept-Encoding": "gzip", Origin: ORIGIN };
  for (const stack of [all, all.toReversed()]) {
    const response = await routerWith(...stack).request("/long", { headers });
    assertEquals(response.status, 200);
    for (const name of ["X-Request-Id", "Server-Timing", "ETag", "X-Frame-Options"]) {
      assert(response.headers.has(name), name);
    }
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), ORIGIN);
    assertEquals(response.headers.get("Vary")?.split(", ").sort(), ["Accept-Encoding", "Origin"]);
    assertEquals(await unzipped(response), LONG);
    assertEquals(await statusOf(routerWith(...stack).request("/long")), 401);
  }
});

// The context

Deno.test("fromHono() returns a Hono Context of the request", async () => {
  const seen: unknown[] = [];
  const router = createRouter().get("/users/:id/:file{.+\\.txt}", () => json(1), {
    use: [fromHono(async (c: Context, next) => {
      const { req } = c;
      seen.push(req.method, req.url, req.path, req.header("x-a"), req.header("x-b"));
      seen.push(req.header()["x-a"], req.query("q"), req.query("none"), req.queries("q"));
      seen.push(req.param("id"), { ...req.param() }, req.param("constructor"), routePath(c));
      seen.push(req.raw instanceof Request, c.finalized, c.error, c.env, c.var);
      assertThrows(() => c.executionCtx);
      await next();
      seen.push(c.finalized, c.res.status);
    })],
  });
  const path = "/users/a%2525%41/x%2Fy.txt?q=1&q=%20";
  await statusOf(router.request(path, { headers: { "X-A": "1" } }));
  assertEquals(seen, [
    ...["GET", "http://localhost" + path, "/users/a%2525A/x%2Fy.txt", "1", undefined],
    ...["1", "1", undefined, ["1", " "]],
    ...["a%25A", { id: "a%25A", file: "x/y.txt" }, undefined, "/users/:id/:file{.+\\.txt}"],
    ...[true, false, undefined, {}, {}],
    ...[true, 200],
  ]);
});

Deno.test("fromHono() shows the parameters of the route that is running", async () => {
  const seen: unknown[] = [];
  const note: HonoMiddleware<Context> = async (c, next) => {
    seen.push({ ...c.req.param() });
    await next();
    seen.push({ ...c.req.param() });
  };
  const router = createRouter({ before: [fromHono(note)] })
    .get("/:a", () => pass(), { use: [fromHono(note)] })
    .get("/:b", () => json(1));
  await statusOf(router.request("/x"));
  assertEquals(seen, [{ a: "x" }, { a: "x" }, { b: "x" }, { b: "x" }]);
  seen.length = 0;
  await statusOf(router.request("/x/none"));
  assertEquals(seen, [{}, {}]);
});

/** [why, arguments of fetch, env, whether there is an executionCtx] */
const WORKER = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
const EXTRA: readonly (readonly [string, unknown[], unknown, boolean])[] = [
  ["nothing", [], {}, false],
  ["undefined", [undefined, undefined], {}, false],
  ["an environment", [{ KEY: "k" }], { KEY: "k" }, false],
  ["an environment and an ExecutionContext", [{ KEY: "k" }, WORKER], { KEY: "k" }, true],
  ["an environment and null", [{ KEY: "k" }, null], { KEY: "k" }, false],
  ["an environment and something else", [{ KEY: "k" }, { wait: 1 }], { KEY: "k" }, false],
];

for (const [why, args, env, worker] of EXTRA) {
  Deno.test(`fromHono() takes c.env and c.executionCtx from ${why}`, async () => {
    const seen: unknown[] = [];
    const router = createRouter<unknown[]>({
      before: [fromHono(async (c: Context, next) => {
        seen.push(c.env, worker ? c.executionCtx === WORKER : undefined);
        if (!worker) assertThrows(() => c.executionCtx);
        await next();
      })],
    }).get("/", (_req, ...given) => json(given.length));
    const response = await router.fetch(new Request("http://localhost/"), ...args);
    assertEquals([await response.json(), seen], [args.length, [env, worker ? true : undefined]]);
  });
}

Deno.test("fromHono() fits routers with any arguments, and any MiddlewareHandler", async () => {
  interface Env {
    Bindings: { KEY: string };
    Variables: { user: string };
  }
  interface Worker {
    waitUntil(promise: Promise<unknown>): void;
  }
  const user = createMiddleware<Env>(async (c, next) => {
    c.set("user", c.env.KEY);
    await next();
  });
  const plain: HonoMiddleware = async (c, next) => {
    c.set("plain", 1);
    c.header("X-A", "1");
    await next();
  };
  const router = createRouter<[Env["Bindings"], Worker]>({ before: [fromHono(user)] })
    .under("/", fromHono(plain), fromHono(bearerAuth<Env>({ token: "t" })))
    .get("/:id", (req, env) => {
      const c = honoContext<Context<Env>>(req);
      return json([c.get("user"), c.var.user, c.env.KEY === env.KEY, req.params.id]);
    }, { use: [fromHono(async (c, next) => void (c.set("late", 1), await next()))] });
  const headers = { Authorization: "Bearer t" };
  const response = await router.request("/7", { headers }, { KEY: "k" }, WORKER);
  assertEquals(await response.json(), ["k", "k", true, "7"]);
  const one: TypedRouter<[string]> = createRouter<[string]>({ before: [fromHono(plain)] });
  const none: TypedRouter = createRouter({ before: [fromHono(user), () => {}] });
  assertEquals(one.routes.length + none.routes.length, 0);
});

Deno.test("fromHono() under Deno.serve supplies the connection to getConnInfo()", async () => {
  const router = createRouter({
    before: [
      fromHono(async (c: Context) => await Promise.resolve(c.json(getConnInfo(c).remote.address))),
    ],
  });
  await served(router.fetch, async (origin) => {
    assertEquals(await (await fetch(origin)).json(), "127.0.0.1");
  });
});

Deno.test("honoContext() is one for all middleware of a request, the handler, hooks, and no other request", async () => {
  const seen: unknown[] = [];
  const note: Middleware = fromHono(async (c: Context, next) => {
    seen.push(c);
    c.set("count", (c.get("count") ?? 0) + 1);
    await next();
  });
  const router = createRouter({
    before: [note, note],
    catch: (_error, req) => void seen.push(honoContext(req)),
    finally: [(_response, req) => void seen.push(honoContext(req))],
    onError: (_error, req) => void seen.push(honoContext(req)),
  }).under("/", note).get("/", (req) => {
    seen.push(honoContext(req));
    throw new Error(`${honoContext(req).get("count")}`);
  }, { use: [note] });
  assertEquals(await statusOf(router.request("/")), 500);
  assertEquals([seen.length, new Set(seen).size], [8, 1]);
  assertEquals(untyped<Context>(seen[0]).get("count"), 4);
  await statusOf(router.request("/none"));
  assertEquals(new Set(seen).size, 2);
});

Deno.test("honoContext() throws if no Hono middleware ran", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({ onError }).get("/", (req) => json(honoContext(req).var));
  assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
  assertMatch(String(errors[0]), /^TypeError: Cannot get Hono's context: no Hono middleware ran$/);
});

Deno.test("honoContext() makes responses whose fields are not duplicated", async () => {
  const router = createRouter({
    before: [fromHono(async (c: Context, next) => {
      c.header("X-A", "1");
      setCookie(c, "a", "1");
      c.status(201);
      await next();
    })],
  }).get("/", (req) => {
    const c = honoContext<Context>(req);
    setCookie(c, "b", "2");
    return c.json({ made: getCookie(c, "sent") });
  });
  const response = await router.request("/", { headers: { Cookie: "sent=s" } });
  assertEquals([response.status, await response.json()], [201, { made: "s" }]);
  assertEquals(response.headers.get("X-A"), "1");
  assertEquals(response.headers.getSetCookie(), ["a=1; Path=/", "b=2; Path=/"]);
});

// Custom middleware, compared with the same in Hono

type Custom = (c: Context, next: () => Promise<void>) => Promise<Response | void>;

/** [what it does, middleware] */
const CUSTOM: readonly (readonly [string, Custom])[] = [
  ["nothing", (_c, next) => next()],
  ["a field by c.res before next()", async (c, next) => {
    c.res.headers.set("X-A", "1");
    c.res.headers.append("X-A", "2");
    await next();
  }],
  ["a field by c.header() after next()", async (c, next) => {
    await next();
    c.header("X-A", "1");
    c.header("X-A", "2", { append: true });
    c.header("Content-Type");
  }],
  ["a field by c.res after next()", async (c, next) => {
    await next();
    c.res.headers.set("Content-Type", "text/x");
  }],
  ["a cookie after next()", async (c, next) => {
    await next();
    setCookie(c, "late", "1");
    deleteCookie(c, "old");
  }],
  ["another response", async (c, next) => {
    await next();
    c.res = new Response(`[${await c.res.text()}]`, { status: 202, headers: { "X-New": "1" } });
  }],
  ["a copy of the response", async (c, next) => {
    await next();
    c.res = new Response(c.res.body, c.res);
  }],
  ["another response without the first's fields", async (c, next) => {
    await next();
    c.res = undefined;
    c.res = new Response("new");
  }],
  ["c.text()", async (c) => await Promise.resolve(c.text("t", 203, { "X-A": "1" }))],
  ["c.json() with everything before it", async (c) => {
    c.header("X-A", "1");
    setCookie(c, "a", "1");
    c.status(226);
    return await Promise.resolve(c.json({ a: 1 }));
  }],
  ["c.body() of null", async (c) => await Promise.resolve(c.body(null, 204))],
  ["c.html()", async (c) => await Promise.resolve(c.html("<p>"))],
  ["c.redirect()", async (c) => await Promise.resolve(c.redirect("/é", 303))],
  ["a response made by hand", async () => await Promise.resolve(new Response("by hand"))],
  ["c.res assigned without next()", async (c) => {
    c.res = await Promise.resolve(new Response("assigned"));
  }],
  ["c.res assigned before next(), which is kept", async (c, next) => {
    c.res = new Response("first");
    await next();
  }],
  ["a response returned after next(), which is ignored", async (c, next) => {
    await next();
    return c.text("ignored", 500);
  }],
  ["an HTTPException with a message", async () => {
    throw await Promise.resolve(new HTTPException(409, { message: "conflict" }));
  }],
  ["an HTTPException with a response, after fields", async (c) => {
    c.header("X-A", "1");
    const res = new Response("res", { headers: { "X-Res": "1" } });
    throw await Promise.resolve(new HTTPException(402, { res }));
  }],
  ["an HTTPException that is thrown at once", () => {
    throw new HTTPException(409, { message: "conflict" });
  }],
  ["a body that is read before next()", async (c, next) => {
    const text = await c.req.text();
    await next();
    c.header("X-Body", `${text.length} ${(await c.req.text()).length}`);
  }],
  ["the methods of a stack", async (c, next) => {
    c.set("a", 1);
    await next();
    c.header("X-Var", `${c.get("a")}${c.var.a}${c.get("none")}`);
    c.header("X-Status", `${c.res.status} ${c.finalized} ${c.req.method}`);
  }],
];

/** Status, header fields and body of a response. */
async function wholeOf(
  given: Response | Promise<Response>,
): Promise<readonly [number, readonly string[], string]> {
  const response = await given;
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [response.status, fields, await response.text()];
}

for (const [what, middleware] of CUSTOM) {
  Deno.test(`fromHono() of middleware with ${what} answers as in Hono`, async () => {
    const answer = () => new Response("answer", { headers: [["Set-Cookie", "own=1"]] });
    const app = new Hono().use(middleware).all("/", answer);
    const routers = [
      createRouter({ before: [fromHono(middleware)] }).get("/", answer),
      createRouter().under("/", fromHono(middleware)).get("/", answer),
      createRouter().get("/", answer, { use: [fromHono(middleware)] }),
      createRouter({ before: [fromHono((_c, next) => next()), fromHono(middleware)] })
        .get("/", answer),
      createRouter({ before: [fromHono(middleware), fromHono((_c, next) => next())] })
        .get("/", answer),
      createRouter({ before: [fromHono(middleware), wrap(async (_req, next) => await next())] })
        .get("/", answer),
    ];
    const wanted = await wholeOf(app.request("/"));
    for (const router of routers) assertEquals(await wholeOf(router.request("/")), wanted);
  });
}

// Where ours preserves more than Hono

Deno.test("fromHono() applies c.header() from before next() to any response", async () => {
  const router = routerWith(async (c, next) => {
    c.header("X-A", "1");
    c.header("Content-Type", "text/x");
    c.header("Vary", "Accept");
    await next();
  }).get("/vary", () => new Response(null, { headers: { "X-A": "own", Vary: "Origin" } }));
  for (const path of ["/", "/none", "/throws", "/teapot"]) {
    assertEquals(await fieldOf(router.request(path), "X-A"), "1");
  }
  const response = await router.request("/");
  assertEquals(await fieldOf(response, "Content-Type"), "application/json");
  const united = await router.request("/vary");
  assertEquals([united.headers.get("X-A"), united.headers.get("Vary")], ["1", "Origin, Accept"]);
});

/** [why, middleware, cookies of a response that has own=1] */
const COOKIES: readonly (readonly [string, Custom[], string[]])[] = [
  ["set before next()", [cookie("a")], ["a=1", "own=1"]],
  ["set twice", [cookie("a"), cookie("b")], ["a=1", "b=1", "own=1"]],
  ["set after next()", [cookieLater("a")], ["own=1", "a=1"]],
  ["set on both sides", [cookie("a"), cookieLater("b"), cookie("c")], [
    "a=1",
    "c=1",
    "own=1",
    "b=1",
  ]],
  ["equal to the response's", [cookie("own")], ["own=1"]],
  ["after a copy of the response", [cookie("a"), async (c, next) => {
    await next();
    c.res = new Response(c.res.body, c.res);
  }, cookieLater("b")], ["a=1", "own=1", "b=1"]],
  ["after a replaced response", [
    cookie("a"),
    async () => await Promise.resolve(new Response(null, { headers: [["Set-Cookie", "x=1"]] })),
  ], ["a=1", "x=1"]],
  ["after an exception", [cookie("a"), () => {
    throw new HTTPException(400, { res: new Response(null, { headers: [["Set-Cookie", "x=1"]] }) });
  }], ["a=1", "x=1"]],
];

function cookie(name: string): Custom {
  return async (c, next) => {
    c.header("Set-Cookie", `${name}=1`, { append: true });
    await next();
  };
}

function cookieLater(name: string): Custom {
  return async (c, next) => {
    await next();
    c.header("Set-Cookie", `${name}=1`, { append: true });
  };
}

for (const [why, middleware, cookies] of COOKIES) {
  Deno.test(`fromHono() neither loses nor duplicates a cookie ${why}`, async () => {
    const response = await routerWith(...middleware).request("/cookie");
    await response.body?.cancel();
    assertEquals(response.headers.getSetCookie(), cookies);
  });
}

Deno.test("fromHono() keeps its fields where other middleware replaces the response", async () => {
  const router = createRouter({
    before: [
      fromHono(cors()),
      fromHono(cookie("a")),
      wrap(async (_req, next) => {
        await (await next()).body?.cancel();
        return json("replaced");
      }),
      fromHono(cookie("inner")),
    ],
  }).get("/", () => json(1));
  const response = await router.request("/");
  assertEquals(await response.json(), "replaced");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(response.headers.getSetCookie(), ["a=1"]);
});

Deno.test("fromHono() keeps the changes of middleware between it and the handler", async () => {
  const router = createRouter({
    before: [
      fromHono(cors()),
      wrap(async (_req, next) =>
        editHeaders(await next(), (headers) => headers.set("Access-Control-Allow-Origin", "mine"))
      ),
      fromHono((_c, next) => next()),
    ],
  }).get("/", () => json(1));
  assertEquals(await fieldOf(router.request("/"), "Access-Control-Allow-Origin"), "mine");
});

Deno.test("fromHono() returns the same response object if nothing changes", async () => {
  const response = new Response("same", {
    headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]],
  });
  const silent: Custom = (_c, next) => next();
  const router = createRouter({
    before: [fromHono(silent), fromHono(logger(() => {})), fromHono(contextStorage())],
  }).get("/", () => response, { use: [fromHono(silent)] });
  assertStrictEquals(await router.request("/"), response);
  assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
  const edited = createRouter({
    before: [fromHono(cors()), fromHono(secureHeaders()), fromHono(requestId())],
  }).get("/", () => response);
  assertStrictEquals(await edited.request("/"), response);
  assertEquals(await response.text(), "same");
});

Deno.test("fromHono() works on responses whose fields are immutable", async () => {
  await served(() => new Response("far", { headers: { "X-Far": "1" } }), async (origin) => {
    const stacks: Custom[][] = [
      [secureHeaders()],
      [cors(), secureHeaders(), etag()],
      [secureHeaders(), async (c) => {
        c.res = await fetch(origin);
      }],
      [secureHeaders(), async () => await fetch(origin)],
    ];
    for (const stack of stacks) {
      const router = createRouter({ before: stack.map((one) => fromHono(one)) })
        .get("/", () => fetch(origin));
      const response = await router.request("/");
      assertEquals([response.headers.get("X-Far"), response.headers.get("X-Frame-Options")], [
        "1",
        "SAMEORIGIN",
      ]);
      assertEquals(await response.text(), "far");
    }
    const router = routerWith(secureHeaders()).get("/r", () => Response.redirect(origin, 307));
    assertEquals(await fieldOf(router.request("/r"), "X-Frame-Options"), "SAMEORIGIN");
  });
});

Deno.test("fromHono() lets a WebSocket through all middleware", async () => {
  const router = createRouter({
    before: [cors({ origin: [ORIGIN] }), secureHeaders(), timing(), etag(), compress()]
      .map((one) => fromHono<Context>(one)),
  }).get("/", (req) => {
    const { socket, response } = Deno.upgradeWebSocket(req.raw);
    socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
    return response;
  }).get("/hono", (req) => json(req.path), {
    use: [fromHono(async (c: Context) => {
      const { socket, response } = Deno.upgradeWebSocket(c.req.raw);
      socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
      return await Promise.resolve(response);
    })],
  });
  await served(router.fetch, async (origin) => {
    for (const path of ["/", "/hono"]) {
      const answer = Promise.withResolvers<unknown>();
      const closed = Promise.withResolvers<void>();
      const socket = new WebSocket(origin.replace("http", "ws") + path);
      socket.onopen = () => socket.send("hi");
      socket.onmessage = ({ data }) => answer.resolve(data);
      socket.onerror = () => answer.reject(new Error("no socket"));
      socket.onclose = () => closed.resolve();
      assertEquals(await answer.promise, "echo hi");
      socket.close();
      await closed.promise;
    }
  });
});

// Bodies

Deno.test("fromHono() lets the router read bodies that Hono's readers read", async () => {
  const readers: Custom[] = [
    async (c, next) => void (await c.req.json(), await next()),
    async (c, next) => void (await c.req.text(), await c.req.text(), await next()),
    async (c, next) => void (await c.req.arrayBuffer(), await next()),
    async (c, next) => void (await c.req.blob(), await next()),
    async (c, next) => void (await c.req.raw.clone().text(), await next()),
  ];
  for (const stack of [...readers.map((reader) => [reader]), readers]) {
    const response = await routerWith(...stack).fetch(jsonRequest("/echo", '{"é":1}'));
    assertEquals([response.status, await response.json()], [200, { "é": 1 }]);
  }
});

Deno.test("fromHono() lets the router and mounts read forms that Hono read", async () => {
  const read: Custom = async (c, next) => void (await c.req.parseBody(), await next());
  const router = createRouter({ before: [fromHono(read), fromHono(bodyLimit({ maxSize: 9999 }))] })
    .post("/form", (req) => json(req.content.get("a")), { multipart: true })
    .mount("/app", {
      fetch: async (request: Request) => json((await request.formData()).get("a")),
    });
  for (const path of ["/form", "/app/x"]) {
    const body = new FormData();
    body.set("a", "1");
    const response = await router.request(path, { method: "POST", body });
    assertEquals(await response.json(), "1");
  }
});

Deno.test("fromHono() keeps the router's own limit on a body that Hono read", async () => {
  const router = createRouter({
    maxBodyBytes: 5,
    before: [fromHono(async (c: Context, next) => void (await c.req.text(), await next()))],
  }).post("/", (req) => json(req.content));
  assertEquals(await codeOf(router.fetch(jsonRequest("/", "[1,2,3]"))), [413, "payload_too_large"]);
});

Deno.test("fromHono() streams: the first chunk arrives before the last is produced", async () => {
  const router = createRouter({
    before: [cors(), secureHeaders(), requestId(), timing(), poweredBy(), compress()]
      .map((one) => fromHono<Context>(one)),
  }).get("/", () => {
    const { stream, controller } = opened();
    controller.enqueue(new TextEncoder().encode("first"));
    last = () => (controller.enqueue(new TextEncoder().encode("last")), controller.close());
    return new Response(stream, { headers: { "Content-Type": "text/plain" } });
  });
  let last = () => {};
  await served(router.fetch, async (origin) => {
    const response = await fetch(origin, { headers: { "Accept-Encoding": "identity" } });
    assert(response.body !== null);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    assertEquals((await reader.read()).value, "first");
    last();
    assertEquals((await reader.read()).value, "last");
    assertEquals((await reader.read()).done, true);
  });
});

function opened(): {
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
} {
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (given) => void (controller = given),
  });
  assert(controller !== undefined);
  return { stream, controller };
}

// Errors

Deno.test("fromHono() of middleware that throws is a 500 reported to onError", async () => {
  const failures: Custom[] = [
    () => {
      throw new Error("secret");
    },
    () => Promise.reject(new Error("secret")),
    async (_c, next) => {
      await next();
      throw new Error("secret");
    },
    () => Promise.reject("text"),
    () => Promise.reject(Object.assign(new Error("secret"), { getResponse: 1 })),
  ];
  for (const failure of failures) {
    const { errors, onError } = collectErrors();
    const seen: unknown[] = [];
    const outer: Custom = async (c, next) => {
      await next();
      seen.push(c.error, c.res.status, c.res.headers.get("Access-Control-Allow-Origin"));
    };
    const router = createRouter({
      onError,
      before: [fromHono(cors()), fromHono(outer), fromHono(failure)],
    }).get("/", () => json(1));
    const response = await router.request("/");
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    assertEquals(await codeOf(response), [500, "internal_error"]);
    assertEquals(errors.length, 1);
    assertEquals(seen, [errors[0] instanceof Error ? errors[0] : undefined, 500, "*"]);
  }
});

Deno.test("fromHono() shows middleware an HTTPException of other middleware in c.error", async () => {
  const seen: unknown[] = [];
  const { errors, onError } = collectErrors();
  const router = createRouter({
    onError,
    catch: () => void seen.push("catch"),
    before: [
      fromHono(async (c: Context, next) => {
        await next();
        seen.push(c.error instanceof HTTPException, c.res.status);
      }),
      fromHono(async (_c, next) => {
        await next();
        throw new HTTPException(409, { message: "late" });
      }),
    ],
  }).get("/", () => json(1));
  const response = await router.request("/");
  assertEquals([response.status, await response.text()], [409, "late"]);
  assertEquals([seen, errors], [[true, 409], []]);
});

Deno.test("fromHono() shows middleware the response to a handler's error, which it may replace", async () => {
  const seen: unknown[] = [];
  const router = routerWith(async (c, next) => {
    await next();
    seen.push(c.error, c.res.status);
    if (c.res.status === 418) c.res = c.text("no tea", 503);
  });
  for (const path of ["/throws", "/rejects"]) await statusOf(router.request(path));
  const response = await router.request("/teapot");
  assertEquals([response.status, await response.text()], [503, "no tea"]);
  assertEquals(seen, [undefined, 500, undefined, 500, undefined, 418]);
});

Deno.test("fromHono() answers c.notFound() with the router's 404", async () => {
  const router = routerWith(cors(), async (c) => await c.notFound());
  const response = await router.request("/");
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  assertEquals(await codeOf(response), [404, "not_found"]);
});

/** [why, middleware] */
const MISTAKES: readonly (readonly [string, HonoMiddleware<Context>])[] = [
  ["calls next() twice", async (_c, next) => {
    await next();
    await next();
  }],
  ["calls next() twice at once", async (_c, next) => {
    await Promise.all([next(), next()]);
  }],
  ["neither responds nor calls next()", () => Promise.resolve()],
  [
    "returns a value that is not a response",
    () => untyped<Promise<void>>(Promise.resolve({ status: 200 })),
  ],
  ["returns nothing at all", () => untyped<Promise<void>>(undefined)],
];

for (const [why, middleware] of MISTAKES) {
  Deno.test(`fromHono() of middleware that ${why} is a 500`, async () => {
    let handled = 0;
    const { errors, onError } = collectErrors();
    const router = createRouter({ onError, before: [fromHono(middleware)] })
      .get("/", () => json(++handled));
    assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
    assertEquals([errors.length, handled <= 1], [1, true]);
    assert(errors[0] instanceof TypeError);
  });
}

Deno.test("fromHono() returns middleware that only a router can run", () => {
  assertThrows(() => untyped<() => unknown>(fromHono(cors()))(), TypeError, "only a router");
});
