/** DESIGN §6: parameters follow from the path and the schemas, and metadata completes them. */

import {
  createRouter,
  type ParameterObject,
  type RouterOptions,
  type RouteSchema,
  type StandardSchemaV1,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import {
  answer,
  type Build,
  documentOf,
  operation,
  parametersOf,
  queryParameters,
  refusalOf,
  routesOf,
  validatorOf,
} from "./_helpers.ts";

/** The parameters of a GET route, at the path of its last template. */
function parameters(
  pattern: string,
  schema: RouteSchema = {},
  written: readonly ParameterObject[] = [],
): readonly ParameterObject[] {
  const document = documentOf((router) =>
    router.get(pattern, answer, { schema, openapi: { parameters: written } })
  );
  return parametersOf(document, `GET ${Object.keys(document.paths).at(-1)}`);
}

const WILDCARD_NOTE = "The rest of the path; its slashes are not encoded";

type PathCase = readonly [
  why: string,
  pattern: string,
  told: Partial<ParameterObject>,
  params?: StandardSchemaV1,
];

const IN_PATH: readonly PathCase[] = [
  ["without a schema", "/:p", { schema: { type: "string" } }],
  ["that matches an expression", "/:p{[0-9]+}", {
    schema: { type: "string", pattern: "^(?:[0-9]+)$" },
  }],
  ["of alternatives", "/:p{a|b}", { schema: { type: "string", pattern: "^(?:a|b)$" } }],
  ["whose expression is invalid in Unicode mode", "/:p{[\\w-.]+}", {
    description: "Matches `(?:[\\w-.]+)`",
    schema: { type: "string" },
  }],
  [
    "with a schema",
    "/:p",
    { schema: { type: "string", minLength: 2 } },
    z.object({
      p: z.string().min(2),
    }),
  ],
  ["with a schema that says more than its expression", "/:p{[0-9]+}", {
    schema: { type: "integer", minimum: 1, maximum: 9007199254740991 },
  }, z.object({ p: z.coerce.number().int().min(1) })],
  ["with a description in its schema", "/:p", {
    description: "Which one",
    schema: { type: "string" },
  }, z.object({ p: z.string().describe("Which one") })],
  [
    "with a schema that does not name it",
    "/:p",
    { schema: { type: "string" } },
    z.record(
      z.string(),
      z.string(),
    ),
  ],
  ["that is optional in the route, and in its schema", "/:p?", {
    schema: { type: "string", format: "uuid" },
  }, validatorOf({ properties: { p: { type: "string", format: "uuid" } } })],
  [
    "whose schema is transformed",
    "/:p",
    { schema: { type: "string" } },
    z.object({
      p: z.string(),
    }).transform(({ p }) => p),
  ],
];

for (const [why, pattern, told, params] of IN_PATH) {
  Deno.test(`generateOpenAPI() describes a path parameter ${why}`, () => {
    const schema = params === undefined ? {} : { params };
    assertEquals(parameters(pattern, schema), [{ name: "p", in: "path", required: true, ...told }]);
  });
}

Deno.test("generateOpenAPI() describes a wildcard", () => {
  assertEquals(parameters("/files/*"), [{
    name: "path",
    in: "path",
    required: true,
    description: WILDCARD_NOTE,
    schema: { type: "string" },
  }]);
});

Deno.test("generateOpenAPI() uses no schema for a wildcard, which binds no parameter", () => {
  const [path] = parameters("/files/*", { params: z.object({ path: z.int().optional() }) });
  assertEquals([path?.description, path?.schema], [WILDCARD_NOTE, { type: "string" }]);
});

const text = { type: "string" };
const query = z.object({ q: z.string().describe("From the schema"), n: z.int().min(0).max(9) });
const n = {
  name: "n",
  in: "query",
  required: true,
  schema: { type: "integer", minimum: 0, maximum: 9 },
};

const COMPLETED: readonly (readonly [
  why: string,
  written: ParameterObject,
  told: Partial<ParameterObject>,
])[] = [
  ["an example", { name: "q", in: "query", example: "milk" }, { example: "milk" }],
  ["another description", { name: "q", in: "query", description: "Mine" }, { description: "Mine" }],
  ["that it is deprecated", { name: "q", in: "query", deprecated: true }, { deprecated: true }],
  ["that it may be missing", { name: "q", in: "query", required: false }, { required: false }],
  ["another schema", { name: "q", in: "query", schema: { type: "integer" } }, {
    schema: { type: "integer" },
  }],
];

for (const [why, written, told] of COMPLETED) {
  Deno.test(`generateOpenAPI() completes a parameter by ${why}`, () => {
    const derived = {
      name: "q",
      in: "query",
      required: true,
      description: "From the schema",
      schema: text,
    };
    assertEquals(parameters("/a", { query }, [written]), [{ ...derived, ...told }, n] as unknown);
  });
}

Deno.test("generateOpenAPI() replaces a parameter's schema by content of the metadata", () => {
  const content = { "application/json": { schema: { type: "object" } } };
  const [q] = parameters("/a", { query }, [{ name: "q", in: "query", content }]);
  assertEquals(q, {
    name: "q",
    in: "query",
    required: true,
    description: "From the schema",
    content,
  });
});

Deno.test("generateOpenAPI() appends parameters of the metadata, as strings by default", () => {
  const written: ParameterObject[] = [
    { name: "If-Match", in: "header" },
    { name: "theme", in: "cookie", schema: { enum: ["dark"] } },
    { name: "more", in: "query", content: { "application/json": {} } },
    { name: "id", in: "path", description: "Which one" },
  ];
  assertEquals(parameters("/a/:id", {}, written), [
    {
      name: "id",
      in: "path",
      required: true,
      description: "Which one",
      schema: { type: "string" },
    },
    { name: "If-Match", in: "header", schema: { type: "string" } },
    { name: "theme", in: "cookie", schema: { enum: ["dark"] } },
    { name: "more", in: "query", content: { "application/json": {} } },
  ]);
});

Deno.test("generateOpenAPI() requires a path parameter, whatever the metadata says", () => {
  const [id] = parameters("/:id", {}, [{ name: "id", in: "path", required: false }]);
  assertEquals(id?.required, true);
});

Deno.test("generateOpenAPI() writes an optional parameter's metadata where the path has it", () => {
  const document = documentOf((router) =>
    router.get("/a/:id?", answer, {
      openapi: { parameters: [{ name: "id", in: "path", example: "7" }] },
    })
  );
  assertEquals(parametersOf(document, "GET /a"), []);
  assertEquals(parametersOf(document, "GET /a/{id}")[0]?.example, "7");
});

Deno.test("generateOpenAPI() matches a parameter by its name in the route, and a wildcard as path", () => {
  const document = documentOf((router) =>
    router.get("/a/:id", answer)
      .put("/a/:user", answer, {
        schema: { params: z.object({ user: z.string().min(3) }) },
        openapi: { parameters: [{ name: "user", in: "path", description: "Theirs" }] },
      })
      .delete("/a/*", answer, {
        openapi: { parameters: [{ name: "path", in: "path", description: "All" }] },
      })
  );
  assertEquals(parametersOf(document, "PUT /a/{id}"), [{
    name: "id",
    in: "path",
    required: true,
    description: "Theirs",
    schema: { type: "string", minLength: 3 },
  }]);
  assertEquals(parametersOf(document, "DELETE /a/{id}")[0]?.description, "All");
});

Deno.test("generateOpenAPI() keeps the rest of a query that the metadata describes in part", () => {
  const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
  const schema = { query: z.object({ since: z.date(), limit: z.coerce.number().optional() }) };
  assertEquals(parameters("/", schema, [since]), [
    { ...since, required: true },
    { name: "limit", in: "query", schema: { type: "number" } },
  ]);
});

Deno.test("generateOpenAPI() uses the metadata where a schema cannot be converted", () => {
  const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
  const id: ParameterObject = { name: "id", in: "path", schema: { type: "integer" } };
  const schema = { params: z.object({ id: z.bigint() }), query: z.map(z.string(), z.date()) };
  assertEquals(parameters("/:id", schema, [since, id]), [{ ...id, required: true }, since]);
});

Deno.test("generateOpenAPI() uses the metadata for a schema without JSON Schema", () => {
  const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
  const { "~standard": props } = validatorOf({});
  const query = { "~standard": { ...props, jsonSchema: undefined } };
  assertEquals(parameters("/a", { query }, [since]), [since]);
});

const REFUSED: readonly (readonly [why: string, build: Build, line: string])[] = [
  [
    "a written path parameter that the path does not have",
    (router) =>
      router.get("/a/:id", answer, { openapi: { parameters: [{ name: "di", in: "path" }] } }),
    'GET /a/:id: parameter "di" is not in the path',
  ],
  [
    "a written path parameter where the path has none",
    (router) => router.get("/a", answer, { openapi: { parameters: [{ name: "id", in: "path" }] } }),
    'GET /a: parameter "id" is not in the path',
  ],
  [
    "a schema that requires a parameter that the path does not have",
    (router) => router.get("/a/:id", answer, { schema: { params: z.object({ di: z.string() }) } }),
    'GET /a/:id: parameter "di" is not in the path',
  ],
  [
    "a duplicate parameter in the metadata",
    (router) =>
      router.get("/a", answer, {
        openapi: { parameters: [{ name: "x", in: "query" }, { name: "x", in: "query" }] },
      }),
    'GET /a: duplicate parameter "x"',
  ],
  [
    "a duplicate header field, whose name is case-insensitive",
    (router) =>
      router.get("/a", answer, {
        openapi: { parameters: [{ name: "X-A", in: "header" }, { name: "x-a", in: "header" }] },
      }),
    'GET /a: duplicate parameter "x-a"',
  ],
  [
    "a parameter with a schema and content, OpenAPI 3.1 §4.8.12.2",
    (router) =>
      router.get("/a", answer, {
        openapi: {
          parameters: [{ name: "x", in: "query", schema: {}, content: { "text/plain": {} } }],
        },
      }),
    'GET /a: parameter "x" has both a schema and content',
  ],
  [
    "a parameter with content of several media types",
    (router) =>
      router.get("/a", answer, {
        openapi: {
          parameters: [{ name: "x", in: "query", content: { "text/plain": {}, "text/csv": {} } }],
        },
      }),
    'GET /a: parameter "x" must have content of exactly one media type',
  ],
];

for (const [why, build, line] of REFUSED) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    assertEquals(refusalOf(() => documentOf(build)), [line]);
  });
}

const Range = z.object({ from: z.date() }).meta({ id: "Range" });

const HALF_WRITTEN: readonly (readonly [why: string, query: StandardSchemaV1])[] = [
  ["a member", z.object({ since: z.date(), until: z.date() })],
  ["a member's named schema", z.object({ since: z.date(), range: Range })],
  ["members of any name", z.record(z.string(), z.date())],
];

for (const [why, query] of HALF_WRITTEN) {
  Deno.test(`generateOpenAPI() rejects a query of which ${why} is neither JSON nor in the metadata`, () => {
    const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
    const [line = "", ...others] = refusalOf(() => parameters("/a", { query }, [since]));
    assertEquals(others, []);
    assert(line.startsWith("GET /a: its schema (zod) gives no JSON Schema: date "), line);
  });
}

const Sort = z.enum(["asc", "desc"]).meta({ id: "Sort", description: "Order" });
const ByName = z.object({ by: z.literal("name"), name: z.string() });
const ByKey = z.object({ by: z.literal("key"), key: z.string(), name: z.string().optional() });
const SelfUnion: z.ZodType = z.union([z.object({ a: z.string() }), z.lazy(() => SelfUnion)]);
const SelfParts: z.ZodType = z.intersection(
  z.object({ a: z.string() }),
  z.lazy(() => SelfParts),
);

const QUERIES: readonly (readonly [
  why: string,
  query: StandardSchemaV1,
  told: readonly Omit<ParameterObject, "in">[],
])[] = [
  ["a member", z.object({ q: z.string() }), [{ name: "q", required: true, schema: text }]],
  ["an optional member", z.object({ q: z.string().optional() }), [{ name: "q", schema: text }]],
  ["a member with a default", z.object({ n: z.coerce.number().default(20) }), [
    { name: "n", schema: { type: "number", default: 20 } },
  ]],
  ["a member with a description", z.object({ q: z.string().describe("What to look for") }), [
    { name: "q", required: true, description: "What to look for", schema: text },
  ]],
  ["a list, which a name that repeats is", z.object({ tag: z.array(z.string()).optional() }), [
    { name: "tag", schema: { type: "array", items: text } },
  ]],
  ["a schema with a name", z.object({ sort: Sort }), [
    { name: "sort", required: true, schema: { $ref: "#/components/schemas/Sort" } },
  ]],
  ["a schema with a name, and a description", z.object({ sort: Sort.describe("By age") }), [
    {
      name: "sort",
      required: true,
      description: "By age",
      schema: { $ref: "#/components/schemas/Sort" },
    },
  ]],
  ["a schema with a name, and a default", z.object({ sort: Sort.default("asc") }), [
    {
      name: "sort",
      schema: { default: "asc", allOf: [{ $ref: "#/components/schemas/Sort" }] },
    },
  ]],
  ["an object with a name", z.object({ q: z.string() }).meta({ id: "Query" }), [
    { name: "q", required: true, schema: text },
  ]],
  ["an optional object", z.object({ q: z.string() }).optional(), [
    { name: "q", required: true, schema: text },
  ]],
  [
    "both parts of an intersection",
    z.intersection(
      z.object({ a: z.string() }),
      z.object({ b: z.string().optional() }),
    ),
    [{ name: "a", required: true, schema: text }, { name: "b", schema: text }],
  ],
  [
    "what all alternatives require",
    z.union([
      z.object({ a: z.string(), b: z.string() }),
      z.object({ a: z.string(), c: z.string() }),
    ]),
    [
      { name: "a", required: true, schema: text },
      { name: "b", schema: text },
      { name: "c", schema: text },
    ],
  ],
  ["what alternatives say of one name", z.discriminatedUnion("by", [ByName, ByKey]), [
    {
      name: "by",
      required: true,
      schema: { anyOf: [{ ...text, const: "name" }, { ...text, const: "key" }] },
    },
    { name: "name", schema: text },
    { name: "key", schema: text },
  ]],
  ["an alternative that is itself", SelfUnion, [{ name: "a", schema: text }]],
  ["a part that is itself", SelfParts, [{ name: "a", required: true, schema: text }]],
  ["any name", z.record(z.string(), z.string()), [{
    name: "query",
    style: "form",
    explode: true,
    schema: { type: "object", propertyNames: text, additionalProperties: text },
  }]],
  [
    "an alternative that is the only one",
    validatorOf({
      oneOf: [{ type: "object", properties: { a: text }, required: ["a"] }],
    }),
    [{ name: "a", required: true, schema: text }],
  ],
  [
    "any name, where one alternative takes it",
    z.union([
      z.object({ a: z.string() }),
      z.record(z.string(), z.string()),
    ]),
    [
      { name: "a", schema: text },
      {
        name: "query",
        style: "form",
        explode: true,
        schema: { type: "object", propertyNames: text, additionalProperties: text },
      },
    ],
  ],
  [
    "names that match an expression",
    validatorOf({
      type: "object",
      patternProperties: { "^x-": text },
    }),
    [{
      name: "query",
      style: "form",
      explode: true,
      schema: { type: "object", patternProperties: { "^x-": text } },
    }],
  ],
  ["other names beside one", z.object({ query: z.string() }).catchall(z.string()), [
    { name: "query", required: true, schema: text },
    {
      name: "query_2",
      style: "form",
      explode: true,
      schema: { type: "object", additionalProperties: text },
    },
  ]],
  ["no other names, where they are refused", z.strictObject({ q: z.string() }), [
    { name: "q", required: true, schema: text },
  ]],
  ["anything, which describes nothing", z.any(), []],
];

for (const [why, query, told] of QUERIES) {
  Deno.test(`generateOpenAPI() creates query parameters for ${why}`, () => {
    assertEquals(queryParameters(query), told.map((one) => ({ ...one, in: "query" })));
  });
}

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
  ["/{a}", ["/%7Ba%7D"], "a literal brace is not a parameter"],
  ["/%3Aid", ["/%3Aid"], "a literal colon is not a parameter"],
  ["/a%2A", ["/a%2A"], "a literal asterisk is not a wildcard"],
  ["/%3Fa%23", ["/%3Fa%23"], "a literal question mark starts no query"],
  ["/a%2Fb/50%25", ["/a%2Fb/50%25"], "escapes that paths keep stay"],
  ["/~a;b=c,d&e@f", ["/~a;b=c,d&e@f"], "sub-delimiters stay, RFC 3986 §3.3"],
  ["/\ud800", ["/%EF%BF%BD"], "a lone surrogate is replaced"],
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

Deno.test("generateOpenAPI() keeps the first names of paths that differ only in names", () => {
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

Deno.test("generateOpenAPI() writes a path's methods in a fixed order", () => {
  const document = documentOf((router) => {
    for (const method of METHODS.toReversed()) {
      router[method.toLowerCase() as "get"]("/a", answer);
    }
  });
  assertEquals(routesOf(document), METHODS.map((method) => `${method} /a`));
});

Deno.test("generateOpenAPI() writes a GET route without the implicit HEAD", () => {
  assertEquals(routesOf(documentOf((router) => router.get("/a", answer))), ["GET /a"]);
});

Deno.test("generateOpenAPI() writes all() as the methods that no earlier route has", () => {
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

Deno.test("generateOpenAPI() rejects a route after all(), which answers first", () => {
  assertEquals(
    refusalOf(() => documentOf((router) => router.all("/a", answer).get("/a", answer))),
    ["GET /a: ALL /a has the same path and method; set openapi: false on one"],
  );
});

Deno.test("generateOpenAPI() rejects a route after all() for a method that all() is not documented for", () => {
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

Deno.test("generateOpenAPI() matches an inner parameter by its name, and a shadowed outer one not at all", () => {
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
  Deno.test(`generateOpenAPI() creates an operationId for ${why}`, () => {
    const document = documentOf(build);
    const found = routesOf(document).map((route) => operation(document, route).operationId);
    assertEquals(found, ids);
  });
}

const SAME_PATH = "has the same path and method; set openapi: false on one";

const REFUSED_PATH: readonly (readonly [why: string, build: Build, lines: readonly string[]])[] = [
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

for (const [why, build, lines] of REFUSED_PATH) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    assertEquals(refusalOf(() => documentOf(build)), lines);
  });
}

Deno.test("generateOpenAPI() ignores the same path with openapi: false", () => {
  const document = documentOf((router) =>
    router.get("/a/:b{[0-9]+}", answer).get("/a/:b", answer, { openapi: false })
  );
  assertEquals(routesOf(document), ["GET /a/{b}"]);
});
