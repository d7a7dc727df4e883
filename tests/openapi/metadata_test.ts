/** DESIGN §6: what metadata says by hand, in whatever form it says it. */

import {
  Controller,
  defaultRegistry,
  Endpoint,
  generateOpenAPI,
  Get,
  json,
  type OpenApiDocument,
  type SchemaObject,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { answer, documentOf, operation, refusalOf } from "./_helpers.ts";

const Job: z.ZodType = z.object({ job: z.string() }).meta({ id: "Job" });
interface Tree {
  readonly children: readonly Tree[];
}
const treeSchema: z.ZodType<Tree> = z.object({
  get children() {
    return z.array(treeSchema);
  },
});

Deno.test("generateOpenAPI() converts validators that metadata has in the place of schemas", () => {
  const document = documentOf((router) =>
    router.post("/a", answer, {
      openapi: {
        parameters: [
          { name: "since", in: "query", schema: z.iso.date() },
          { name: "filter", in: "query", content: { "application/json": { schema: treeSchema } } },
        ],
        requestBody: { content: { "application/json": { schema: z.string().transform(Number) } } },
        responses: {
          200: { content: { "application/json": { schema: z.object({ at: z.date() }) } } },
          202: { content: { "application/json": { schema: Job } } },
          409: { content: { "application/json": { schema: z.array(Job) } } },
        },
      },
    })
  );
  const { parameters, requestBody, responses } = operation(document, "POST /a");
  const tree = { $ref: "#/components/schemas/PostA_filter" };
  assertEquals(parameters?.map((one) => "schema" in one ? one.schema : one), [
    { type: "string", format: "date", pattern: (z.iso.date()._zod.pattern as RegExp).source },
    { name: "filter", in: "query", content: { "application/json": { schema: tree } } },
  ]);
  assertEquals(requestBody, {
    content: { "application/json": { schema: { type: "string" } } },
    required: true,
  });
  const schemas = ["200", "202", "409"].map((status) => {
    const response = responses[status];
    return response !== undefined && "content" in response
      ? response.content?.["application/json"]?.schema
      : undefined;
  });
  const job = { $ref: "#/components/schemas/Job" };
  assertEquals(schemas, [
    {
      type: "object",
      properties: { at: { type: "string", format: "date-time" } },
      required: ["at"],
    },
    job,
    { type: "array", items: job },
  ]);
  assertEquals(Object.keys(document.components.schemas ?? {}), [
    "Job",
    "PostA_filter",
    "ProblemDetails",
  ]);
});

Deno.test("generateOpenAPI() says whose metadata has a validator that gives no JSON Schema", () => {
  assertEquals(
    refusalOf(() =>
      documentOf((router) =>
        router.get("/a", answer, {
          openapi: {
            responses: { 200: { content: { "application/json": { schema: z.bigint() } } } },
          },
        })
      )
    ),
    [
      "GET /a: its schema (zod) gives no JSON Schema: bigint cannot be represented in JSON; describe it in the metadata",
    ],
  );
});

Deno.test("generateOpenAPI() does not ask a schema for what is wholly written by hand", () => {
  const written = { "application/json": { schema: { type: "string" } } };
  const { responses } = operation(
    documentOf((router) =>
      router.get("/a", answer, {
        schema: { response: z.bigint() },
        openapi: { responses: { 200: { content: written } } },
      })
    ),
    "GET /a",
  );
  assertEquals(responses["200"], { description: "OK", content: written });
});

Deno.test("generateOpenAPI() describes errors by their phrases, where nobody does", () => {
  const statuses = ["404", "409", "418", "503", "599", "5XX"];
  const { responses } = operation(
    documentOf((router) =>
      router.get("/a", answer, {
        openapi: { responses: Object.fromEntries(statuses.map((status) => [status, {}])) },
      })
    ),
    "GET /a",
  );
  const descriptions = statuses.map((status) => {
    const response = responses[status];
    return response !== undefined && "description" in response ? response.description : undefined;
  });
  assertEquals(descriptions, [
    "Not Found",
    "Conflict",
    "Refused",
    "Service Unavailable",
    "Server error",
    "Server error",
  ]);
});

Deno.test("generateOpenAPI() declares no tag of a controller whose methods have tags of their own", () => {
  @Controller("/tagged")
  class TaggedController {
    @Get("/", { tags: ["Own"] })
    find(): Response {
      return json(1);
    }
  }
  const document = generateOpenAPI({ title: "T", version: "1" }, {
    getTargets: () =>
      defaultRegistry.getTargets().filter(({ target }) => target === TaggedController),
  });
  assertEquals([document.tags, operation(document, "GET /tagged").tags], [undefined, ["Own"]]);
});

Deno.test("generateOpenAPI() calls a recursive part by where it is used, not as its library does", () => {
  const document = documentOf((router) =>
    router.post("/a", answer, { schema: { body: z.object({ tree: treeSchema }) } })
  );
  const tree = { $ref: "#/components/schemas/PostABody" };
  assertEquals(document.components.schemas?.PostABody, {
    type: "object",
    properties: { children: { type: "array", items: tree } },
    required: ["children"],
  });
});

Deno.test("generateOpenAPI() puts together what several decorators say", () => {
  @Controller("/merged")
  class MergedController {
    @Endpoint({
      tags: ["All"],
      description: "In general",
      responses: { 404: { description: "None" }, 409: { description: "General" } },
      parameters: [
        { name: "X-A", in: "header" },
        { name: "X-B", in: "header", description: "General" },
      ],
    })
    @Get("/", {
      tags: ["All", "Own"],
      description: "Closer",
      responses: { 200: { description: "One" }, 409: { description: "Closer" } },
      parameters: [{ name: "X-B", in: "header" }],
    })
    find(): Response {
      return json(1);
    }
  }
  const document: OpenApiDocument = generateOpenAPI({ title: "T", version: "1" }, {
    getTargets: () =>
      defaultRegistry.getTargets().filter(({ target }) => target === MergedController),
  });
  const { tags, description, parameters, responses } = operation(document, "GET /merged");
  assertEquals([tags, description], [["All", "Own"], "Closer"]);
  assertEquals(parameters?.map((one) => "name" in one ? one.name : one), ["X-A", "X-B"]);
  assertEquals(
    ["200", "404", "409"].map((status) => {
      const response = responses[status];
      return response !== undefined && "description" in response ? response.description : undefined;
    }),
    ["One", "None", "Closer"],
  );
});

/** Why, the schema of a parameter behind `:id{[0-9]+}`, and what the document says of it. */
const EXPRESSIONS: readonly (readonly [why: string, schema: z.ZodType, said: SchemaObject])[] = [
  ["beside a plain text", z.string(), { type: "string", pattern: "^(?:[0-9]+)$" }],
  [
    "but not beside one of the schema's own",
    z.string().regex(/^7/),
    { type: "string", pattern: "^7" },
  ],
  ["and not at a number", z.coerce.number(), { type: "number" }],
];
for (const [why, schema, said] of EXPRESSIONS) {
  Deno.test(`generateOpenAPI() keeps the expression of a path parameter ${why}`, () => {
    const document = documentOf((router) =>
      router.get("/a/:id{[0-9]+}", answer, { schema: { params: z.object({ id: schema }) } })
    );
    assertEquals(operation(document, "GET /a/{id}").parameters, [
      { name: "id", in: "path", required: true, schema: said },
    ]);
  });
}

Deno.test("generateOpenAPI() describes a path parameter that is called as a member of objects", () => {
  const document = documentOf((router) =>
    router.get("/:constructor/:id", answer, {
      schema: { params: z.looseObject({ id: z.string() }) },
    })
  );
  assertEquals(operation(document, "GET /{constructor}/{id}").parameters?.[0], {
    name: "constructor",
    in: "path",
    required: true,
    schema: { type: "string" },
  });
});

Deno.test("generateOpenAPI() converts validators in header fields", () => {
  const { responses } = operation(
    documentOf((router) =>
      router.get("/a", answer, {
        openapi: {
          responses: { 200: { headers: { "X-Count": { schema: z.int().min(0).max(9) } } } },
        },
      })
    ),
    "GET /a",
  );
  assertEquals(responses["200"], {
    description: "OK",
    headers: { "X-Count": { schema: { type: "integer", minimum: 0, maximum: 9 } } },
  });
});

Deno.test("generateOpenAPI() does not take for public what stands beside routes that ask for a guard", () => {
  @Controller("/beside")
  class BesideController {
    @Get("/unsaid")
    unsaid(): Response {
      return json(1);
    }
    @Get("/optional", { auth: { mode: "optional" } })
    optional(): Response {
      return json(1);
    }
    @Get("/public", { auth: false })
    open(): Response {
      return json(1);
    }
  }
  const document = generateOpenAPI({
    title: "T",
    version: "1",
    securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
  }, {
    getTargets: () =>
      defaultRegistry.getTargets().filter(({ target }) => target === BesideController),
  });
  assertEquals(
    ["unsaid", "optional", "public"].map((path) =>
      operation(document, `GET /beside/${path}`).security
    ),
    [[{ bearer: [] }], [{ bearer: [] }, {}], []],
  );
});
