/** generateOpenAPI(): a whole document, what surrounds its paths, and that the same code gives the same bytes. */

import {
  Controller,
  createRouter,
  defaultRegistry,
  Endpoint,
  generateOpenAPI,
  Get,
  json,
  type OpenApiDocument,
  type OpenApiInfo,
  publicEndpoint,
  type RouteSource,
  type SchemaObject,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { DOCUMENTS } from "./_documents.ts";
import {
  answer,
  documentOf,
  INFO,
  integrationOf,
  operation,
  refusalOf,
  routesOf,
  STRATEGIES,
} from "./_helpers.ts";

const REFUSALS = {
  "4XX": { $ref: "#/components/responses/Refused" },
  default: { $ref: "#/components/responses/Problem" },
};

const Note = z.object({
  id: z.string(),
  text: z.string().max(1000),
}).meta({ id: "Note", description: "What somebody wrote down" });

Deno.test("generateOpenAPI() writes a whole document", () => {
  const router = createRouter().withAuth(integrationOf(STRATEGIES.session))
    .get("/notes/:id", answer, {
      schema: {
        query: z.object({ lines: z.coerce.number().int().min(1).max(9).default(3) }),
        response: Note,
      },
      openapi: { summary: "Reads a note", tags: ["Notes"], responses: { "404": {} } },
    })
    .delete("/notes/:id", answer, { openapi: { deprecated: true } })
    .get("/health", answer, { auth: false });
  const info: OpenApiInfo = {
    version: "1.2.3",
    title: "Notes",
    tags: [{ name: "Notes", description: "What people wrote down" }],
  };
  const { ProblemDetails, ...schemas } = generateOpenAPI(info, router).components.schemas ?? {};
  assertEquals(ProblemDetails?.type, "object"); // The rest of it is tested with responses
  assertEquals(schemas, {
    Note: {
      type: "object",
      properties: { id: { type: "string" }, text: { type: "string", maxLength: 1000 } },
      required: ["id", "text"],
      description: "What somebody wrote down",
    },
  });
  const { components, ...document } = generateOpenAPI(info, router);
  assertEquals(Object.keys(components.responses ?? {}), [
    "BadRequest",
    "Problem",
    "Refused",
    "Unauthorized",
    "UnprocessableContent",
  ]);
  assertEquals(components.securitySchemes, {
    session: { type: "apiKey", in: "cookie", name: "__Host-sid" },
  });
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const problem = {
    "application/problem+json": { schema: { $ref: "#/components/schemas/ProblemDetails" } },
  };
  const refusals = {
    "400": { $ref: "#/components/responses/BadRequest" },
    "401": { $ref: "#/components/responses/Unauthorized" },
    ...REFUSALS,
  };
  const expected: unknown = {
    openapi: "3.1.1",
    info: { title: "Notes", version: "1.2.3" },
    servers: [{ url: "/" }],
    paths: {
      "/notes/{id}": {
        get: {
          tags: ["Notes"],
          summary: "Reads a note",
          operationId: "get_notes_id",
          parameters: [id, {
            name: "lines",
            in: "query",
            schema: { type: "integer", minimum: 1, maximum: 9, default: 3 },
          }],
          responses: {
            "200": {
              description: "OK",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Note" } } },
            },
            "404": { description: "Not Found", content: problem },
            "422": { $ref: "#/components/responses/UnprocessableContent" },
            ...refusals,
          },
          security: [{ session: [] }],
        },
        delete: {
          tags: ["notes"],
          summary: "DELETE /notes/{id}",
          operationId: "delete_notes_id",
          parameters: [id],
          responses: { "200": { description: "OK" }, ...refusals },
          deprecated: true,
          security: [{ session: [] }],
        },
      },
      "/health": {
        get: {
          tags: ["health"],
          summary: "GET /health",
          operationId: "get_health",
          responses: { "200": { description: "OK" }, ...REFUSALS },
          security: [],
        },
      },
    },
    tags: [
      { name: "Notes", description: "What people wrote down" },
      { name: "notes", description: "Operations of notes" },
      { name: "health", description: "Operations of health" },
    ],
  };
  assertEquals(document, expected);
});

Deno.test("generateOpenAPI() writes the document of no routes", () => {
  assertEquals<unknown>(documentOf(() => {}), {
    openapi: "3.1.1",
    info: INFO,
    servers: [{ url: "/" }],
    paths: {},
    components: {},
  });
});

Deno.test("generateOpenAPI() puts each part of info where OpenAPI has it", () => {
  const info = {
    summary: "Notes",
    description: "Notes, *shared*",
    termsOfService: "https://notes.test/terms",
    contact: { name: "Ada" },
  };
  const surroundings = {
    servers: [{ url: "https://notes.test" }],
    security: publicEndpoint,
    tags: [{ name: "Notes" }],
    externalDocs: { url: "https://docs.test" },
  };
  const document = documentOf(() => {}, { ...surroundings, ...info, schemas: { A: {} } });
  assertEquals<unknown>(document, {
    openapi: "3.1.1",
    info: { ...INFO, ...info },
    paths: {},
    components: { schemas: { A: {} } },
    ...surroundings,
  });
  assertEquals(Object.keys(document), [
    "openapi",
    "info",
    "servers",
    "paths",
    "components",
    "security",
    "tags",
    "externalDocs",
  ]);
});

Deno.test("generateOpenAPI() treats an empty array of servers as none", () => {
  assertEquals(documentOf(() => {}, { servers: [] }).servers, [{ url: "/" }]);
});

Deno.test("generateOpenAPI() writes an operation's fields in a fixed order", () => {
  const document = documentOf((router) =>
    void router.withAuth(integrationOf(STRATEGIES.bearer)).post("/a", answer, {
      openapi: {
        "x-last": 1,
        security: [{ bearer: [] }],
        deprecated: false,
        responses: {},
        requestBody: {},
        parameters: [{ name: "q", in: "query" }],
        operationId: "a",
        externalDocs: { url: "https://docs.test" },
        description: "A",
        summary: "A",
        tags: [],
      },
    })
  );
  assertEquals(Object.keys(operation(document, "POST /a")), [
    "summary",
    "description",
    "externalDocs",
    "operationId",
    "parameters",
    "requestBody",
    "responses",
    "deprecated",
    "security",
    "x-last",
  ]);
});

for (const [name, document] of DOCUMENTS) {
  Deno.test(`generateOpenAPI() writes ${name} as complete JSON, the same in every run`, () => {
    const text = JSON.stringify(document());
    assertEquals(JSON.stringify(document()), text);
    assertEquals(JSON.parse(text), JSON.parse(JSON.stringify(JSON.parse(text))));
    assert(!text.includes("__schema"));
  });
}

Deno.test("generateOpenAPI() changes neither its source nor info", () => {
  const info = structuredClone<OpenApiInfo>({ ...INFO, tags: [{ name: "A" }], schemas: { A: {} } });
  const router = createRouter().get("/a/:id?", answer, { openapi: { tags: ["A"] } });
  const [before, said] = [JSON.stringify(router.routes), JSON.stringify(info)];
  generateOpenAPI(info, router);
  assertEquals([JSON.stringify(router.routes), JSON.stringify(info)], [before, said]);
});

const Draft = z.object({ text: z.string(), at: z.string().default("now") }).meta({ id: "Draft" });
const Tree: z.ZodType = z.object({
  get trees() {
    return z.array(Tree);
  },
});

/** Schemas of which both sides, parts and other schemas want the same names. */
const ROUTES: readonly ((router: TypedRouter) => unknown)[] = [
  (router) => router.get("/a/:id", answer, { schema: { response: Draft } }),
  (router) => router.post("/a", answer, { schema: { body: Draft } }),
  (router) =>
    router.put("/a", answer, { schema: { body: z.object({ draft: Draft, tree: Tree }) } }),
  (router) => router.post("/b", answer, { schema: { body: Tree, response: z.array(Tree) } }),
  (router) =>
    router.patch("/b", answer, {
      schema: { body: z.object({ a: z.int() }).meta({ id: "Draft" }) },
    }),
  (router) => router.get("/b", answer, { schema: { query: z.object({ q: z.string() }) } }),
];

Deno.test("generateOpenAPI() writes the same operations and components, in any order of routes", () => {
  const written = ROUTES.map((_, i) => {
    const router = createRouter();
    for (const add of [...ROUTES.slice(i), ...ROUTES.slice(0, i).toReversed()]) add(router);
    const { paths, components } = generateOpenAPI(INFO, router);
    const sorted = Object.entries(paths).toSorted(([a], [b]) => a < b ? -1 : 1);
    return JSON.stringify([sorted, components]);
  });
  for (const text of written) assertEquals(text, written[0]);
});

Deno.test("generateOpenAPI() reads any source with routes, and routes that are added later", () => {
  const router = createRouter().get("/a", answer);
  const source: RouteSource = { routes: router.routes };
  assertEquals(routesOf(generateOpenAPI(INFO, source)), ["GET /a"]);
  router.get("/b", answer);
  assertEquals(routesOf(generateOpenAPI(INFO, source)), ["GET /a", "GET /b"]);
});

Deno.test("generateOpenAPI() writes the same bytes in another process, whatever was created there before", async () => {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--quiet", new URL("_print.ts", import.meta.url).href],
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  const printed: Readonly<Record<string, string>> = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(Object.keys(printed).length, DOCUMENTS.length);
  for (const [name, document] of DOCUMENTS) {
    assertEquals(JSON.parse(printed[name] ?? ""), JSON.parse(JSON.stringify(document())), name);
    assertEquals(printed[name], JSON.stringify(document()), name);
  }
});

Deno.test("generateOpenAPI() returns a document that can be modified without affecting the next", () => {
  const write = () => documentOf((router) => router.post("/a", answer));
  const text = JSON.stringify(write());
  const destroy = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, one] of Object.entries(value)) {
      destroy(one);
      delete (value as Record<string, unknown>)[key];
    }
  };
  destroy(write());
  assertEquals(JSON.stringify(write()), text);
});

const Job: z.ZodType = z.object({ job: z.string() }).meta({ id: "Job" });
interface TreeMetadata {
  readonly children: readonly TreeMetadata[];
}
const treeSchema: z.ZodType<TreeMetadata> = z.object({
  get children() {
    return z.array(treeSchema);
  },
});

Deno.test("generateOpenAPI() converts validators that the metadata has instead of schemas", () => {
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

Deno.test("generateOpenAPI() names the route whose metadata has a validator without JSON Schema", () => {
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

Deno.test("generateOpenAPI() does not convert a schema that the metadata replaces", () => {
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

Deno.test("generateOpenAPI() describes errors by their reason phrases by default", () => {
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

Deno.test("generateOpenAPI() declares no tag for a controller whose methods have their own tags", () => {
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

Deno.test("generateOpenAPI() names a recursive part after where it is used, not as its library does", () => {
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

Deno.test("generateOpenAPI() combines the metadata of several decorators", () => {
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

/** Why, the schema of a parameter for `:id{[0-9]+}`, and the expected documentation. */
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
  Deno.test(`generateOpenAPI() keeps the pattern of a path parameter ${why}`, () => {
    const document = documentOf((router) =>
      router.get("/a/:id{[0-9]+}", answer, { schema: { params: z.object({ id: schema }) } })
    );
    assertEquals(operation(document, "GET /a/{id}").parameters, [
      { name: "id", in: "path", required: true, schema: said },
    ]);
  });
}

Deno.test("generateOpenAPI() describes a path parameter with the name of an object's property", () => {
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

Deno.test("generateOpenAPI() does not document routes beside guarded ones as public", () => {
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
