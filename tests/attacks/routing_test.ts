/** The catalogue "Routing and content": one row per attack; rows are only added. Paths go over a plain socket. */

import {
  createRouter,
  HttpError,
  json,
  redirect,
  type RouteRequest,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { inheritedNames, rawRequest, seeded } from "../router/_helpers.ts";
import { rawFetch, withServer } from "./_raw.ts";

/** An application with scopes, parameters, wildcards and mounts; `reached` lists the protected handlers that ran unguarded. */
function fortress(): { router: TypedRouter; reached: string[] } {
  const reached: string[] = [];
  const admitted = new WeakSet<Headers>();
  const guard = (req: RouteRequest): Response | undefined => {
    if (req.headers.get("X-Key") !== "good") return json("denied", { status: 401 });
    admitted.add(req.headers);
    return undefined;
  };
  const secret = (req: RouteRequest): Response => {
    if (!admitted.has(req.headers)) reached.push(req.path);
    return json("secret");
  };
  const inner = createRouter()
    .get("/admin", (req) => (reached.push(`inner ${req.path}`), json("secret")))
    .get("/admin/*", (req) => (reached.push(`inner ${req.path}`), json("secret")))
    .get("/public/:x", () => json("public"));
  const router = createRouter()
    .under("/auth", guard).under("/:tenant/admin", guard).under("/sub/admin", guard).under(
      "/any/:x/admin",
      guard,
    )
    .under("/café/private", guard)
    .all("/auth/login", secret).all("/auth/*", secret)
    .get("/:tenant/admin/:page", secret).get("/café/private", secret)
    .mount("/sub", inner).mount("/any/:x", inner)
    .get("/p/:x", (req) => json(req.params.x)).get("/w/*", (req) => json(req.path));
  return { router, reached };
}

/** [source, why, raw target, status] */
const SPELLINGS:
  readonly (readonly [source: string, why: string, target: string, status: number])[] = [
    ["baseline", "the plain path", "/auth/login", 401],
    ["GHSA-x732-6j76-qmhm", "a double slash before", "//auth/login", 404],
    ["GHSA-x732-6j76-qmhm", "three slashes before", "///auth/login", 404],
    ["GHSA-x732-6j76-qmhm", "a double slash inside", "/auth//login", 401],
    ["GHSA-9hp6-4448-45g2", "an encoded letter of the route", "/auth/%6Cogin", 401],
    ["GHSA-9hp6-4448-45g2", "an encoded letter of the scope", "/%61uth/login", 401],
    ["GHSA-9hp6-4448-45g2", "every letter encoded", "/%61%75%74%68/%6c%6f%67%69%6e", 401],
    ["GHSA-9hp6-4448-45g2", "a doubly encoded letter", "/%2561uth/login", 404],
    ["ATTACKS", "a trailing slash", "/auth/login/", 401],
    ["ATTACKS", "capitals", "/AUTH/login", 404],
    ["ATTACKS", "a dot segment before", "/x/../auth/login", 404],
    ["neighbour", "an encoded dot segment before", "/x/%2e%2e/auth/login", 404],
    ["neighbour", "a single dot before", "/./auth/login", 404],
    ["neighbour", "a single encoded dot before", "/%2e/auth/login", 404],
    ["neighbour", "a dot segment inside", "/auth/x/../login", 401],
    ["neighbour", "a dot segment that leaves the scope", "/auth/../auth/login", 401],
    ["neighbour", "an encoded slash between scope and route", "/auth%2Flogin", 404],
    ["neighbour", "an encoded slash before", "/%2Fauth/login", 404],
    ["neighbour", "a backslash before", "/\\auth/login", 404],
    ["neighbour", "a backslash between scope and route", "/auth\\login", 404],
    ["neighbour", "an encoded backslash between scope and route", "/auth%5Clogin", 404],
    ["neighbour", "a path parameter of other servers", "/auth;x=1/login", 404],
    ["neighbour", "a path parameter after the route", "/auth/login;x=1", 401],
    ["neighbour", "an encoded NUL after the scope", "/auth%00/login", 404],
    ["neighbour", "an encoded NUL after the route", "/auth/login%00", 401],
    ["neighbour", "a malformed escape after the route", "/auth/login%zz", 401],
    ["neighbour", "a malformed escape in the scope's segment", "/aut%68%zz/login", 404],
    ["neighbour", "an overlong slash", "/auth%C0%AFlogin", 404],
    ["neighbour", "an encoded space after the scope", "/auth%20/login", 404],
    ["neighbour", "an encoded tab", "/auth%09/login", 404],
    ["neighbour", "an encoded line feed", "/auth/login%0a", 401],
    ["neighbour", "full-width letters", "/ａｕｔｈ/login", 404],
    ["neighbour", "an encoded question mark", "/auth/login%3F", 401],
    ["neighbour", "a fragment, which no client sends", "/auth/login#x", 401],
    ["neighbour", "a query that looks like another path", "/auth/login?/../../p/x", 401],
    ["neighbour", "the scope in a query", "/?/auth/login", 404],
    ["neighbour", "the absolute form", "http://localhost/auth/login", 401],
    ["neighbour", "the absolute form with an encoded letter", "http://localhost/%61uth/login", 401],
    ["neighbour", "the absolute form of another host", "http://evil.example/auth/login", 401],
    [
      "neighbour",
      "the absolute form with user information",
      "http://localhost@evil.example/p/x",
      400,
    ],
    [
      "neighbour",
      "the absolute form with a fragment before the path",
      "http://localhost#/auth/login",
      404,
    ],
    ["neighbour", "unencoded UTF-8", "/café/private", 401],
    ["neighbour", "UTF-8 encoded", "/caf%C3%A9/privat%65", 401],
    ["neighbour", "UTF-8 decomposed", "/cafe%CC%81/private", 404],
    ["neighbour", "UTF-8 as Latin-1", "/caf%E9/private", 404],
    ["neighbour", "a scope after a parameter", "/acme/admin/users", 401],
    ["neighbour", "a scope after a parameter, encoded", "/acme/%61dmin/users", 401],
    ["neighbour", "a scope after a parameter with an encoded slash", "/a%2Fb/admin/users", 401],
    ["neighbour", "a scope after a parameter with a malformed escape", "/%E0/%61dmin/users", 404],
    ["neighbour", "a scope after an empty parameter", "//admin/users", 404],
    ["GHSA-2gcr-mfcq-wcc3", "a mount's path after an encoded prefix", "/%73ub/admin", 401],
    ["ATTACKS", "a dot segment inside a mount", "/sub/public/../admin", 404],
    ["ATTACKS", "a double slash inside a mount", "/sub//admin", 404],
    ["ATTACKS", "an encoded dot segment inside a mount", "/sub/%2e%2e/admin", 404],
    ["neighbour", "a partly encoded dot segment inside a mount", "/sub/public/.%2E/admin", 404],
    ["neighbour", "a single dot inside a mount", "/sub/./admin", 404],
    [
      "neighbour",
      "a backslash inside a mount, which is an ordinary character",
      "/sub/public/..\\admin",
      200,
    ],
    ["neighbour", "a backslash after a mount", "/sub\\admin", 404],
    ["neighbour", "an encoded letter inside a mount", "/sub/%61dmin/x", 401],
    ["neighbour", "a malformed escape inside a mount", "/sub/admin%", 404],
    ["neighbour", "a malformed escape in a mount's parameter", "/any/%E0/%61dmin", 404],
    ["neighbour", "dots in a mount's parameter", "/any/../admin", 401],
  ];

for (const [source, why, target, status] of SPELLINGS) {
  Deno.test(`[${source}] ${why} reaches nothing unguarded: ${target}`, async () => {
    const { router, reached } = fortress();
    await withServer(router.fetch, async (port) => {
      const response = await rawFetch(port, target);
      assertEquals(response.status, status);
      assert(!response.text.includes("secret"));
    });
    assertEquals(reached, []);
  });
}

Deno.test("[property] no spelling reaches a handler without its guard", () => {
  const random = seeded(11);
  const { router, reached } = fortress();
  const segments = [
    ..."auth %61uth AUTH login %6Cogin admin %61dmin sub %73ub any public acme café caf%C3%A9 private x p w p w"
      .split(" "),
    ..."admin admin sub any auth login .. . %2e%2e .%2e %2e %E0%A4%A %zz %00 %25 %2561uth ; %20 %2F %5C \\ * :tenant"
      .split(" "),
    "",
    "\t",
    "public/../admin",
    "x\\..\\admin",
  ];
  const joints = [
    "/",
    "/",
    "/",
    "/",
    "/",
    "/",
    "/",
    "/",
    "//",
    "\\",
    "%2F",
    "/./",
    "/../",
    ";/",
    "?",
    "#",
  ];
  const statuses = new Map<number, number>();
  for (let i = 0; i < 30_000; i++) {
    let target = "";
    for (const segment of random.list(1, 4, () => random.pick(segments))) {
      target += random.pick(joints) + segment;
    }
    const response = router.fetch(
      rawRequest(target.startsWith("%") || target.startsWith(";") ? "/" + target : target),
    );
    assert(response instanceof Response);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  assertEquals(reached, []); // no request carries the key
  for (const status of [200, 401, 404]) {
    assert((statuses.get(status) ?? 0) > 100, JSON.stringify([...statuses]));
  }
});

Deno.test("[property] a mounted router runs no handler that the outer router's scopes did not check", () => {
  const random = seeded(12);
  const reached: string[] = [];
  const inner = createRouter().all("/admin/*", () => (reached.push("admin"), json(1))).all(
    "/*",
    () => json(1),
  );
  for (const prefix of ["/sub", "/:x", "/a/:x", "/", "/sub/", "/%73ub"]) {
    const base = prefix === "/" ? "" : prefix.replace(/\/$/, "");
    const outer = createRouter().under(`${base}/admin`, () => json(1, { status: 401 })).mount(
      prefix,
      inner,
    );
    const starts = [
      "/sub",
      "/%73ub",
      "/x",
      "/a/x",
      "/a/%zz",
      "/%E0",
      "/a",
      "",
      "/sub/",
      "/*",
      "/..",
      "/a/..",
    ];
    const rest = [
      "/admin",
      "/%61dmin",
      "/public",
      "/..",
      "/%2e%2e",
      "/.",
      "//",
      "\\",
      "/",
      "/admin%",
      "%2Fadmin",
      "/x",
      "\t",
      "?",
      "%5Cadmin",
    ];
    for (let i = 0; i < 3000; i++) {
      const target = random.pick(starts) + random.list(1, 5, () => random.pick(rest)).join("");
      outer.fetch(rawRequest(target));
      assertEquals(reached, [], `${target} under ${prefix}`);
    }
  }
});

/** [source, why, pattern of the guard, raw target] A dot of a regular expression matches no line break by itself. */
const LINE_BREAKS: readonly (readonly [
  source: string,
  why: string,
  pattern: string,
  target: string,
])[] = [
  ["baseline", "the plain path", "/admin/:rest{.+}", "/admin/users"],
  ["ATTACKS", "a line feed", "/admin/:rest{.+}", "/admin/%0A"],
  ["ATTACKS", "a carriage return", "/admin/:rest{.+}", "/admin/%0D"],
  ["ATTACKS", "a line separator", "/admin/:rest{.+}", "/admin/%E2%80%A8"],
  ["neighbour", "a paragraph separator", "/admin/:rest{.+}", "/admin/%E2%80%A9"],
  ["neighbour", "a line feed before a name", "/admin/:rest{.+}", "/admin/%0Ausers"],
  ["neighbour", "a line feed after a name", "/admin/:rest{.+}", "/admin/users%0A"],
  ["neighbour", "a line feed between segments", "/admin/:rest{.+}", "/admin/users%0A/7"],
  ["neighbour", "two line breaks", "/admin/:rest{.+}", "/admin/%0D%0A"],
  ["neighbour", "an emoji of two code units", "/admin/:rest{.+}", "/admin/%F0%9F%A6%80"],
  ["neighbour", "a lazy dot", "/admin/:rest{.+?}", "/admin/a%0Ab"],
  ["neighbour", "a dot in a group", "/admin/:rest{(a|.)+}", "/admin/%0A"],
  ["neighbour", "a dot beside an escaped one", "/admin/:rest{[a-z]+\\..+}", "/admin/a.%0A"],
  ["neighbour", "an optional parameter", "/admin/:rest{.+}?", "/admin/%0A"],
  ["neighbour", "a parameter", "/admin/:rest", "/admin/%0A"],
  ["neighbour", "a negated class", "/admin/:rest{[^.]+}", "/admin/%0A"],
  ["neighbour", "a class of one segment", "/:area{[^/]+}/:rest{.+}", "/admin%0A/x%0A"],
  ["neighbour", "a wildcard", "/admin/*", "/admin/%0A"],
];

for (const [source, why, pattern, target] of LINE_BREAKS) {
  Deno.test(`[${source}] ${why} does not pass the guard at ${pattern}: ${target}`, async () => {
    const reached: string[] = [];
    const note = (req: RouteRequest): Response => (reached.push(req.path), json("secret"));
    const router = createRouter()
      .all(pattern, () => json("denied", { status: 401 }))
      .all("/admin/*", note).all("*", note);
    await withServer(router.fetch, async (port) => {
      assertEquals([(await rawFetch(port, target)).status, reached], [401, []]);
    });
  });
}

for (const prefix of ["/admin", "/:area", "/:area{[^/]+}", "/:area{[^./]+?}"]) {
  Deno.test(`[neighbour] a line break does not pass the middleware under ${prefix}`, async () => {
    const reached: string[] = [];
    const router = createRouter()
      .under(prefix, () => json("denied", { status: 401 }))
      .all("*", (req) => (reached.push(req.path), json("secret")));
    await withServer(router.fetch, async (port) => {
      for (const target of ["/admin/%0A", "/admin/%E2%80%A8/x", "/admin/x%0D"]) {
        assertEquals([(await rawFetch(port, target)).status, reached], [401, []], target);
      }
    });
  });
}

/** [source, why, raw target, status, text of the body] */
const DECODING: readonly (readonly [
  source: string,
  why: string,
  target: string,
  status: number,
  body?: string,
])[] = [
  ["ATTACKS", "a truncated UTF-8 sequence in a parameter", "/p/%E0%A4%A", 400],
  ["ATTACKS", "an encoded slash, which separates no segments", "/p/a%2Fb", 200, '"a/b"'],
  ["ATTACKS", "a doubly encoded letter, decoded once", "/p/%2541", 200, '"%41"'],
  ["neighbour", "a doubly encoded slash, decoded once", "/p/a%252Fb", 200, '"a%2Fb"'],
  ["neighbour", "a triply encoded slash, decoded once", "/p/a%25252Fb", 200, '"a%252Fb"'],
  ["neighbour", "an encoded backslash", "/p/a%5cb", 200, '"a\\\\b"'],
  ["neighbour", "a raw backslash", "/p/a\\b", 200, '"a\\\\b"'],
  ["neighbour", "dots, which are ordinary characters in a parameter", "/p/..", 200, '".."'],
  ["neighbour", "dots after an encoded slash", "/p/..%2F..%2Fetc", 200, '"../../etc"'],
  ["neighbour", "a plus, which is not a space in a path", "/p/a+b", 200, '"a+b"'],
  ["neighbour", "a lone percent", "/p/%", 400],
  ["neighbour", "an encoded NUL", "/p/a%00b", 400],
  ["neighbour", "an overlong NUL", "/p/a%C0%80b", 400],
  ["neighbour", "a surrogate", "/p/%ED%A0%80", 400],
  ["neighbour", "a JavaScript-style escape", "/p/%u0041", 400],
  ["neighbour", "a malformed escape under a wildcard", "/w/a/%zz", 400],
  ["neighbour", "an encoded slash under a wildcard", "/w/a%2Fb", 200, '"/w/a%2Fb"'],
];

for (const [source, why, target, status, body] of DECODING) {
  Deno.test(`[${source}] ${why} is ${status}: ${target}`, async () => {
    await withServer(fortress().router.fetch, async (port) => {
      const response = await rawFetch(port, target);
      assertEquals(response.status, status);
      if (body === undefined) assertEquals(JSON.parse(response.body).code, "invalid_target");
      else assertEquals(response.body, body);
    });
  });
}

/** [source, Host field, what must not be reached] Invalid Host fields, RFC 9112 §3.2. */
const HOSTS: readonly (readonly [why: string, host: string])[] = [
  ["a backslash", "localhost\\admin"],
  ["user information", "admin@localhost"],
  ["a space", "local host"],
  ["two hosts", "localhost, evil.example"],
  ["an escape", "local%68ost"],
];

for (const [why, host] of HOSTS) {
  Deno.test(`[neighbour] a Host field with ${why} is a 400 and reaches nothing: ${host}`, async () => {
    const reached: string[] = [];
    const note = (req: RouteRequest): Response => (reached.push(req.path), json("in"));
    const router = createRouter().get("/admin", note).get("/admin/:x", note).get("/admin//:x", note)
      .get("/", note).get("/:x", note);
    await withServer(router.fetch, async (port) => {
      const response = await rawFetch(port, "/users", { headers: [`Host: ${host}`] });
      assertEquals([response.status, reached], [400, []]);
    });
  });
}

/**
 * Deno.serve builds the URL from Host, so a Host field can contain a path. Reading the field would cost every
 * request 15 to 50 % of what a bare server costs; the requirement is that all handlers and guards see the same path.
 */
for (
  const host of ["localhost/admin", "localhost/admin/", "localhost/admin?", "localhost/admin#"]
) {
  Deno.test(`[neighbour] a Host field with a path runs the guards of that path: ${host}`, async () => {
    const reached: string[] = [];
    const router = createRouter()
      .under("/admin", () => json("denied", { status: 403 }))
      .get("*", (req) => (reached.push(req.path), json("in")));
    await withServer(router.fetch, async (port) => {
      const response = await rawFetch(port, "/users", { headers: [`Host: ${host}`] });
      assertEquals([response.status, reached], [403, []]);
    });
  });
}

/** [source, method, header lines, target] None of them may reach the DELETE or POST handler. */
const METHODS: readonly (readonly [
  source: string,
  method: string,
  headers: readonly string[],
  target: string,
  status: number,
])[] = [
  ["ATTACKS", "HEAD", [], "/item", 405],
  ["ATTACKS", "GET", ["X-HTTP-Method-Override: DELETE"], "/item", 405],
  ["ATTACKS", "HEAD", ["X-HTTP-Method-Override: DELETE"], "/item", 405],
  ["neighbour", "GET", ["X-HTTP-Method: DELETE"], "/item", 405],
  ["neighbour", "GET", ["X-Method-Override: DELETE"], "/item", 405],
  ["neighbour", "GET", [], "/item?_method=DELETE", 405],
  ["neighbour", "PUT", ["X-HTTP-Method-Override: DELETE", "Content-Length: 0"], "/item", 405],
  ["neighbour", "delete", [], "/item", 405],
  ["neighbour", "DELETEX", [], "/item", 405],
  ["neighbour", "constructor", [], "/item", 405],
  ["neighbour", "__proto__", [], "/item", 405],
  ["neighbour", "toString", [], "/item", 405],
  ["neighbour", "ALL", [], "/item", 405],
  ["neighbour", "TRACE", [], "/item", 405],
  ["neighbour", "OPTIONS", [], "/item", 204],
];

for (const [source, method, headers, target, status] of METHODS) {
  Deno.test(`[${source}] ${method} ${target} ${headers.join(" ")} reaches no mutating handler`, async () => {
    let mutated = 0;
    const router = createRouter().delete("/item", () => json(mutated++)).post(
      "/item",
      () => json(mutated++),
      { raw: true },
    );
    await withServer(router.fetch, async (port) => {
      const response = await rawFetch(port, target, { method, headers });
      assertEquals([response.status, mutated], [status, 0]);
      assertEquals(response.headers.get("Allow")?.split(", ").sort().join(), "DELETE,OPTIONS,POST");
    });
  });
}

/** Methods that a new request writes in capitals, or refuses. */
for (const method of ["post", "Delete", "get", "TRACE", "track"]) {
  Deno.test(`[neighbour] ${method} at a mount is a 404: no application sees another method than the middleware`, async () => {
    const reached: string[] = [];
    const app = { fetch: (request: Request) => (reached.push(request.method), new Response()) };
    const errors: unknown[] = [];
    const router = createRouter({ onError: (error) => void errors.push(error) })
      .mount("/own", createRouter().all("/*", (req) => app.fetch(req.raw))).mount("/any", app);
    await withServer(router.fetch, async (port) => {
      for (const target of ["/own/a", "/any/a"]) {
        const { status } = await rawFetch(port, target, { method });
        assertEquals([status, reached, errors], [404, [], []], target);
      }
    });
  });
}

/** [source, why, query, what the handler sees] */
const QUERIES:
  readonly (readonly [source: string, why: string, target: string, entries: unknown])[] = [
    ["ATTACKS", "a query after a fragment", "/q#?a=1", []],
    ["ATTACKS", "a repeated name", "/q?a=1&a=2", [["a", ["1", "2"]]]],
    ["ATTACKS", "__proto__", "/q?__proto__=x", [["__proto__", "x"]]],
    ["neighbour", "__proto__, encoded and repeated", "/q?%5F_proto__=x&__proto__=y", [[
      "__proto__",
      ["x", "y"],
    ]]],
    ["ATTACKS", "brackets", "/q?a[b]=c", [["a[b]", "c"]]],
    ["neighbour", "brackets around __proto__", "/q?__proto__[admin]=1&a[__proto__]=2", [[
      "__proto__[admin]",
      "1",
    ], ["a[__proto__]", "2"]]],
    ["neighbour", "constructor.prototype", "/q?constructor.prototype.admin=1&constructor=2", [[
      "constructor.prototype.admin",
      "1",
    ], ["constructor", "2"]]],
  ];

for (const [source, why, target, entries] of QUERIES) {
  Deno.test(`[${source}] ${why} in a query has no effect on prototypes: ${target}`, async () => {
    const router = createRouter().get(
      "/q",
      (req) => json([Object.entries(req.query), inheritedNames(req.query)]),
    );
    await withServer(router.fetch, async (port) => {
      assertEquals(JSON.parse((await rawFetch(port, target)).body), [entries, []]);
    });
    assertEquals(Reflect.get({}, "admin"), undefined);
  });
}

for (const text of ["%0d%0aSet-Cookie:%20x=1", "a%0aX-Evil:%201", "%00"]) {
  Deno.test(`[neighbour] a line break in a parameter does not split the response: ${text}`, async () => {
    const router = createRouter({ onError: () => {} }).get(
      "/go/:to",
      (req) => redirect(req.params.to),
    );
    await withServer(router.fetch, async (port) => {
      const { headers, text: answer } = await rawFetch(port, `/go/${text}`);
      assertEquals([headers.get("Set-Cookie"), headers.get("X-Evil")], [null, null], answer);
    });
  });
}

for (
  const [why, target, method] of [["404", "/<script>alert(1)</script>", "GET"], [
    "405",
    "/p/<script>",
    "PUT",
  ], ["400", "/p/<script>%zz", "GET"]] as const
) {
  Deno.test(`[neighbour] a ${why} does not reflect the request`, async () => {
    await withServer(fortress().router.fetch, async (port) => {
      const response = await rawFetch(port, `${target}?<script>`, { method });
      assertEquals(String(response.status), why);
      assertEquals(response.headers.get("Content-Type"), "application/problem+json");
      assert(!/script/i.test(response.text), response.text);
    });
  });
}

Deno.test("[neighbour] an HttpError's message is sent, its cause and stack are not", async () => {
  const router = createRouter().get("/", () => {
    throw new HttpError(409, "taken", { detail: "told", cause: new Error("secret") });
  });
  await withServer(router.fetch, async (port) => {
    const response = await rawFetch(port, "/");
    assert(
      response.text.includes("told") && !/secret|routing_test|at /.test(response.body),
      response.text,
    );
  });
});
