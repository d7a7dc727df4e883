/** DESIGN §6, "Paths": what becomes of patterns, methods and the names of operations. */

import { createRouter, type RouterOptions } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import {
  answer,
  type Build,
  documentOf,
  operation,
  parametersOf,
  refusalOf,
  routesOf,
} from "./_helpers.ts";

const TEMPLATES: readonly (readonly [pattern: string, paths: readonly string[], why: string])[] = [
  ["/", ["/"], "the root is a path"],
  ["/users", ["/users"], "a literal stays"],
  ["/users/:id", ["/users/{id}"], ":id is OpenAPI's {id}"],
  ["/a/:b/c/:d", ["/a/{b}/c/{d}"], "each parameter is one"],
  ["/users/:id?", ["/users", "/users/{id}"], "OpenAPI has no optional path parameters"],
  ["/:id?", ["/", "/{id}"], "an optional first segment leaves the root"],
  ["/users/:id{[0-9]+}", ["/users/{id}"], "the expression goes to the parameter's schema"],
  ["/users/:id{[0-9]+}?", ["/users", "/users/{id}"], "both at once"],
  ["/files/*", ["/files/{path}"], "a wildcard is a parameter"],
  ["*", ["/{path}"], "a wildcard of everything"],
  ["/:path/*", ["/{path}/{path_2}"], "its name may be taken"],
  ["/:a-b/:c_d", ["/{a-b}/{c_d}"], "names that templates take stay"],
  ["/:a$b/:a_b", ["/{a_b}/{a_b_2}"], "readers of templates take no $"],
  ["/größe", ["/gr%C3%B6%C3%9Fe"], "a path is a URL's, RFC 3986 §3.3"],
  ["/gr%C3%B6%C3%9Fe", ["/gr%C3%B6%C3%9Fe"], "what is encoded is not encoded twice"],
  ["/a b", ["/a%20b"], "a space is encoded"],
  ["/{a}", ["/%7Ba%7D"], "a literal brace is no parameter"],
  ["/%3Aid", ["/%3Aid"], "a literal colon is no parameter"],
  ["/a%2A", ["/a%2A"], "a literal asterisk is no wildcard"],
  ["/%3Fa%23", ["/%3Fa%23"], "a literal question mark starts no query"],
  ["/a%2Fb/50%25", ["/a%2Fb/50%25"], "escapes that paths keep stay"],
  ["/~a;b=c,d&e@f", ["/~a;b=c,d&e@f"], "sub-delimiters stay, RFC 3986 §3.3"],
  ["/\ud800", ["/%EF%BF%BD"], "half a character is none"],
  ["/a/", ["/a/"], "a slash at the end is part of the path"],
];

for (const [pattern, paths, why] of TEMPLATES) {
  Deno.test(`generateOpenAPI() writes ${JSON.stringify(pattern)} as ${paths}: ${why}`, () => {
    const document = documentOf((router) => router.get(pattern, answer));
    assertEquals(Object.keys(document.paths), paths);
    for (const path of paths) {
      const names = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name);
      const parameters = parametersOf(document, `GET ${path}`);
      assertEquals(parameters.map(({ name }) => name), names);
      for (const { in: place, required } of parameters) {
        assertEquals([place, required], ["path", true]);
      }
    }
  });
}

Deno.test("generateOpenAPI() keeps the first names of paths that differ in names alone", () => {
  const document = documentOf((router) =>
    router.get("/users/:id/:n", answer).put("/users/:user/:n", answer).delete("/users/:x/*", answer)
  );
  assertEquals(routesOf(document), [
    "GET /users/{id}/{n}",
    "PUT /users/{id}/{n}",
    "DELETE /users/{id}/{n}",
  ]);
});

const METHODS = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"];

Deno.test("generateOpenAPI() writes a path's methods in one order", () => {
  const document = documentOf((router) => {
    for (const method of METHODS.toReversed()) {
      router[method.toLowerCase() as "get"]("/a", answer);
    }
  });
  assertEquals(routesOf(document), METHODS.map((method) => `${method} /a`));
});

Deno.test("generateOpenAPI() writes a GET route without the HEAD that it answers too", () => {
  assertEquals(routesOf(documentOf((router) => router.get("/a", answer))), ["GET /a"]);
});

Deno.test("generateOpenAPI() writes all() as the methods that no route before it has", () => {
  const document = documentOf((router) =>
    router.get("/a", answer).all("/a", answer).post("/b/:id", answer).all("/b/:x?", answer)
  );
  assertEquals(routesOf(document), [
    "GET /a",
    "PUT /a",
    "POST /a",
    "DELETE /a",
    "PATCH /a",
    "GET /b/{id}",
    "PUT /b/{id}",
    "POST /b/{id}",
    "DELETE /b/{id}",
    "PATCH /b/{id}",
    "GET /b",
    "PUT /b",
    "POST /b",
    "DELETE /b",
    "PATCH /b",
  ]);
  assertEquals(operation(document, "GET /a").operationId, "get_a");
  assertEquals(operation(document, "PUT /a").summary, "PUT /a");
});

Deno.test("generateOpenAPI() refuses a route behind all(), which answers first", () => {
  assertEquals(
    refusalOf(() => documentOf((router) => router.all("/a", answer).get("/a", answer))),
    ["GET /a: ALL /a has the same path and method; set openapi: false on one"],
  );
});

Deno.test("generateOpenAPI() refuses a route behind all() for a method that all() is not documented for", () => {
  for (const method of ["head", "options"] as const) {
    assertEquals(
      refusalOf(() => documentOf((router) => router.all("/a", answer)[method]("/a", answer))),
      [`${method.toUpperCase()} /a: ALL /a has the same path and method; set openapi: false on one`],
    );
  }
});

const LEFT_OUT: readonly (readonly [why: string, build: Build])[] = [
  ["a route that says openapi: false", (router) => router.get("/a", answer, { openapi: false })],
  [
    "a mount of another application",
    (router) => router.mount("/a", { fetch: () => new Response() }),
  ],
  [
    "a mount of a route that says openapi: false",
    (router) => router.mount("/a", createRouter().get("/b", answer, { openapi: false })),
  ],
];

for (const [why, build] of LEFT_OUT) {
  Deno.test(`generateOpenAPI() leaves out ${why}`, () => {
    assertEquals(documentOf(build).paths, {});
  });
}

const MOUNTS: readonly (readonly [prefix: string, path: string, written: string])[] = [
  ["/", "/b", "/b"],
  ["/a", "/", "/a"],
  ["/a/", "/b", "/a/b"],
  ["/a", "/b/:id", "/a/b/{id}"],
  ["/:org", "/:id", "/{org}/{id}"],
  ["/orgs/:id", "/users/:id", "/orgs/{id}/users/{id_2}"],
  ["/orgs/:id{[0-9]+}", "/*", "/orgs/{id}/{path}"],
  ["/:id", "/a{b}", "/{id}/a%7Bb%7D"],
];

for (const [prefix, path, written] of MOUNTS) {
  Deno.test(`generateOpenAPI() writes ${path} of a router at ${prefix} as ${written}`, () => {
    const inner = createRouter().get(path, answer);
    assertEquals(routesOf(documentOf((router) => router.mount(prefix, inner))), [`GET ${written}`]);
  });
}

Deno.test("generateOpenAPI() writes prefixes, and mounts in mounts", () => {
  const options: RouterOptions = { prefix: "/v1" };
  const innermost = createRouter(options).get("/c/:id?", answer);
  const inner = createRouter(options).get("/b", answer).mount("/m", innermost);
  const outer = createRouter(options).mount("/n", inner).mount("/o", innermost);
  assertEquals(routesOf(documentOf(() => outer)), [
    "GET /v1/n/v1/b",
    "GET /v1/n/v1/m/v1/c",
    "GET /v1/n/v1/m/v1/c/{id}",
    "GET /v1/o/v1/c",
    "GET /v1/o/v1/c/{id}",
  ]);
});

Deno.test("generateOpenAPI() knows an inner parameter by its own name, and an outer one not at all", () => {
  const inner = createRouter().get("/users/:id", answer, {
    openapi: { parameters: [{ name: "id", in: "path", description: "The user" }] },
  });
  const document = documentOf((router) => router.mount("/orgs/:id", inner));
  assertEquals(parametersOf(document, "GET /orgs/{id}/users/{id_2}"), [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
    {
      name: "id_2",
      in: "path",
      required: true,
      description: "The user",
      schema: { type: "string" },
    },
  ]);
});

const IDS: readonly (readonly [why: string, build: Build, ids: readonly string[]])[] = [
  ["method and path", (router) => router.get("/users/:id", answer), ["get_users_id"]],
  ["the method at the root", (router) => router.get("/", answer), ["get"]],
  ["letters and digits only", (router) => router.get("/a-b/:c$d/*", answer), ["get_a_b_c_d_path"]],
  [
    "a number where that is taken",
    (router) => router.get("/a/b", answer).get("/a-b", answer).get("/a/:b", answer),
    ["get_a_b", "get_a_b_2", "get_a_b_3"],
  ],
  [
    "what is written by hand",
    (router) => router.get("/a", answer, { openapi: { operationId: "List-A.1~_" } }),
    ["List-A.1~_"],
  ],
  [
    "a number where a later route says the same by hand",
    (router) => router.get("/a", answer).get("/b", answer, { openapi: { operationId: "get_a" } }),
    ["get_a_2", "get_a"],
  ],
  [
    "what is written by hand, and a number on the path with the parameter",
    (router) => router.get("/a/:id?", answer, { openapi: { operationId: "a" } }),
    ["a", "a_2"],
  ],
  [
    "what is written by hand, and the method of each",
    (router) => router.all("/a", answer, { openapi: { operationId: "a" } }),
    ["a_get", "a_put", "a_post", "a_delete", "a_patch"],
  ],
];

for (const [why, build, ids] of IDS) {
  Deno.test(`generateOpenAPI() makes an operationId of ${why}`, () => {
    const document = documentOf(build);
    const found = routesOf(document).map((route) => operation(document, route).operationId);
    assertEquals(found, ids);
  });
}

const SAME_PATH = "has the same path and method; set openapi: false on one";

const REFUSED: readonly (readonly [why: string, build: Build, lines: readonly string[]])[] = [
  [
    "two routes of one method and path",
    (router) => router.get("/a", answer).get("/a", answer),
    [`GET /a: GET /a ${SAME_PATH}`],
  ],
  [
    "two routes that differ in the names of their parameters",
    (router) => router.get("/a/:b", answer).get("/a/:c", answer),
    [`GET /a/:c: GET /a/:b ${SAME_PATH}`],
  ],
  [
    "two routes that differ in their expressions, which templates cannot say",
    (router) => router.get("/a/:b{[0-9]+}", answer).get("/a/:b", answer),
    [`GET /a/:b: GET /a/:b{[0-9]+} ${SAME_PATH}`],
  ],
  [
    "a parameter and a wildcard in one place",
    (router) => router.get("/a/:b", answer).get("/a/*", answer),
    [`GET /a/*: GET /a/:b ${SAME_PATH}`],
  ],
  [
    "a route, and another without its optional parameter",
    (router) => router.get("/a/:b?", answer).get("/a", answer),
    [`GET /a: GET /a/:b? ${SAME_PATH}`],
  ],
  [
    "a route that a mounted router has too",
    (router) => router.get("/a/b", answer).mount("/a", createRouter().get("/b", answer)),
    [`GET /a/b: GET /a/b ${SAME_PATH}`],
  ],
  [
    "all() twice",
    (router) => router.all("/a", answer).all("/a", answer),
    [`ALL /a: ALL /a ${SAME_PATH}`],
  ],
  [
    "one operationId on two routes",
    (router) => {
      for (const path of ["/a", "/b"]) router.get(path, answer, { openapi: { operationId: "a" } });
    },
    ['GET /b: duplicate operationId "a"'],
  ],
  [
    "operationIds that are not safe in a URL",
    (router) => {
      for (const operationId of ["", "a b", "größe", "a/b"]) {
        router.get(`/${encodeURIComponent(operationId)}x`, answer, { openapi: { operationId } });
      }
    },
    ["", "a b", "größe", "a/b"].map((id) =>
      `GET /${encodeURIComponent(id)}x: operationId "${id}" must be a non-empty ` +
      "string of A-Z a-z 0-9 . _ ~ -"
    ),
  ],
];

for (const [why, build, lines] of REFUSED) {
  Deno.test(`generateOpenAPI() refuses ${why}`, () => {
    assertEquals(refusalOf(() => documentOf(build)), lines);
  });
}

Deno.test("generateOpenAPI() takes the same path under openapi: false for none", () => {
  const document = documentOf((router) =>
    router.get("/a/:b{[0-9]+}", answer).get("/a/:b", answer, { openapi: false })
  );
  assertEquals(routesOf(document), ["GET /a/{b}"]);
});
