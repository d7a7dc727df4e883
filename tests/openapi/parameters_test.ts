/** DESIGN §6: parameters follow from the path and the schemas, and metadata completes them. */

import type { ParameterObject, RouteSchema, StandardSchemaV1 } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import {
  answer,
  type Build,
  documentOf,
  parametersOf,
  refusalOf,
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
  ["whose expression is none for Unicode", "/:p{[\\w-.]+}", {
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

Deno.test("generateOpenAPI() notes what a wildcard is", () => {
  assertEquals(parameters("/files/*"), [{
    name: "path",
    in: "path",
    required: true,
    description: WILDCARD_NOTE,
    schema: { type: "string" },
  }]);
});

Deno.test("generateOpenAPI() takes no schema for a wildcard, which binds no parameter", () => {
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

Deno.test("generateOpenAPI() replaces a parameter's schema by written content", () => {
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

Deno.test("generateOpenAPI() adds written parameters behind its own, as text if nothing else", () => {
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

Deno.test("generateOpenAPI() requires a path parameter, whatever is written", () => {
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

Deno.test("generateOpenAPI() knows a parameter by its route's name, and a wildcard as path", () => {
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

Deno.test("generateOpenAPI() keeps the rest of a query, of which a part is written", () => {
  const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
  const schema = { query: z.object({ since: z.date(), limit: z.coerce.number().optional() }) };
  assertEquals(parameters("/", schema, [since]), [
    { ...since, required: true },
    { name: "limit", in: "query", schema: { type: "number" } },
  ]);
});

Deno.test("generateOpenAPI() takes what is written for what a schema cannot say", () => {
  const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
  const id: ParameterObject = { name: "id", in: "path", schema: { type: "integer" } };
  const schema = { params: z.object({ id: z.bigint() }), query: z.map(z.string(), z.date()) };
  assertEquals(parameters("/:id", schema, [since, id]), [{ ...id, required: true }, since]);
});

Deno.test("generateOpenAPI() takes what is written for a schema that says nothing at all", () => {
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
    "a written parameter that stands twice",
    (router) =>
      router.get("/a", answer, {
        openapi: { parameters: [{ name: "x", in: "query" }, { name: "x", in: "query" }] },
      }),
    'GET /a: duplicate parameter "x"',
  ],
  [
    "a header field that stands twice, since its name has no case",
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
  Deno.test(`generateOpenAPI() refuses ${why}`, () => {
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
  Deno.test(`generateOpenAPI() refuses a query of which ${why} is neither JSON nor written`, () => {
    const since: ParameterObject = { name: "since", in: "query", schema: { format: "date" } };
    const [line = "", ...others] = refusalOf(() => parameters("/a", { query }, [since]));
    assertEquals(others, []);
    assert(line.startsWith("GET /a: its schema (zod) gives no JSON Schema: date "), line);
  });
}
