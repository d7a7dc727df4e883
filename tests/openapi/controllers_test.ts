/** DESIGN §6: documents of controllers, from the registry or through a router. */

import {
  Controller,
  createContainer,
  createRouter,
  defaultRegistry,
  type EndpointMethod,
  type EndpointRegistry,
  generateOpenAPI,
  Get,
  HTTP_ROUTER,
  HttpRouter,
  type OpenApiDocument,
  type OpenApiInfo,
  Post,
  publicEndpoint,
  routerBuilder,
  secured,
  type TypedResponse,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import {
  CONTAINER,
  CONTROLLER_INFO,
  Health,
  NotesController,
  TeamsController,
  UsersController,
} from "./_controllers.ts";
import {
  answer,
  INFO,
  integrationOf,
  jsonSchemaIn,
  operation,
  parametersOf,
  refusalOf,
  responseOf,
  routesOf,
  STRATEGIES,
} from "./_helpers.ts";

/** The part of the default registry that some classes are in. */
function registryOf(...classes: readonly object[]): EndpointRegistry {
  const targets = defaultRegistry.getTargets().filter(({ target }) => classes.includes(target));
  return { getTargets: () => targets };
}

/** A registry with one class, of one method. */
function registryWith(found: Partial<EndpointMethod>): EndpointRegistry {
  const method = { name: "list", isEndpoint: true, metadata: {}, ...found };
  return {
    getTargets: () => [{ name: "Notes", target: {}, path: "/notes", methods: [method] }],
  };
}

function notes(info: Partial<OpenApiInfo> = CONTROLLER_INFO): OpenApiDocument {
  return generateOpenAPI({ ...INFO, ...info }, registryOf(NotesController));
}

Deno.test("generateOpenAPI() documents the default registry, in order of definition", () => {
  const document = generateOpenAPI({ ...INFO, ...CONTROLLER_INFO });
  assertEquals(routesOf(document).slice(0, 12), [
    "GET /notes",
    "POST /notes",
    "GET /notes/{id}",
    "DELETE /notes/{id}",
    "PUT /notes/{id}/text",
    "PATCH /notes/{id}/text",
    "GET /health",
    "GET /health/echo",
    "PUT /health/echo",
    "POST /health/echo",
    "DELETE /health/echo",
    "PATCH /health/echo",
  ]);
});

Deno.test("generateOpenAPI() leaves out methods without a route, and routes with openapi: false", () => {
  const text = JSON.stringify(notes().paths);
  for (const name of ["helper", "internal"]) assert(!text.includes(name), name);
});

Deno.test("generateOpenAPI() names operations after class and method", () => {
  const document = notes();
  const ids = routesOf(document).map((route) => operation(document, route).operationId);
  assertEquals(ids, [
    "NotesController_list",
    "NotesController_create",
    "NotesController_findByID",
    "NotesController_delete",
    "NotesController_write_text",
    "NotesController_write_text_2",
  ]);
});

const SUMMARIES: readonly (readonly [route: string, summary: string, why: string])[] = [
  ["GET /notes", "Lists notes", "it is written"],
  ["GET /notes/{id}", "Find by id", "words start with a capital letter"],
  ["POST /notes", "Create", "one word is enough"],
  ["PUT /notes/{id}/text", "Write text", "words may have _ between them"],
];

for (const [route, summary, why] of SUMMARIES) {
  Deno.test(`generateOpenAPI() writes the summary of ${route} as "${summary}": ${why}`, () => {
    assertEquals(operation(notes(), route).summary, summary);
  });
}

Deno.test("generateOpenAPI() writes method and path as the summary of a method without words in its name", () => {
  const document = generateOpenAPI(INFO, registryWith({ name: "_$", method: "GET", path: "/:id" }));
  assertEquals(operation(document, "GET /notes/{id}").summary, "GET /notes/{id}");
  assertEquals(operation(document, "GET /notes/{id}").operationId, "Notes___");
});

Deno.test("generateOpenAPI() writes operation ids that are valid in URLs, whatever the class name", () => {
  @Controller("/größen", { container: createContainer() })
  class Größe$ {
    @Get()
    list(): TypedResponse<never> {
      return answer();
    }
  }
  const document = generateOpenAPI(INFO, registryOf(Größe$));
  assertEquals(operation(document, "GET /gr%C3%B6%C3%9Fen").operationId, "Gr__e__list");
  assertEquals(document.tags, [{ name: "Größe$", description: "Operations of Größe$" }]);
});

Deno.test("generateOpenAPI() merges the metadata of several decorators", () => {
  const { description, tags, responses, summary } = operation(notes(), "GET /notes/{id}");
  assertEquals([summary, description, tags], ["Find by id", "Found by its **id**.", ["Notes"]]);
  assert("404" in responses);
  const { "x-audited": audited } = operation(notes(), "DELETE /notes/{id}") as {
    readonly "x-audited"?: unknown;
  };
  assertEquals(audited, true);
  assertEquals(operation(notes(), "PATCH /notes/{id}/text").deprecated, true);
  assertEquals(operation(notes(), "PUT /notes/{id}/text").deprecated, undefined);
});

Deno.test("generateOpenAPI() documents the schemas of methods", () => {
  const document = notes();
  assertEquals(parametersOf(document, "GET /notes").map(({ name }) => name), ["limit"]);
  assertEquals(jsonSchemaIn(responseOf(document, "GET /notes", "200")), {
    type: "array",
    items: { $ref: "#/components/schemas/Note" },
  });
  assertEquals(responseOf(document, "POST /notes", "201").description, "The note");
});

Deno.test("generateOpenAPI() documents inherited routes under each class that has them", () => {
  const document = generateOpenAPI(INFO, registryOf(UsersController, TeamsController));
  const found = routesOf(document).map((route) => {
    const { operationId, summary, tags } = operation(document, route);
    return [route, operationId, summary, tags?.join()];
  });
  assertEquals(found, [
    ["GET /users", "UsersController_list", "List", "Users"],
    ["GET /users/{id}", "UsersController_find", "Find", "Users"],
    ["GET /teams", "TeamsController_list", "Lists teams", "Teams"],
    ["GET /teams/{id}", "TeamsController_find", "Find", "Teams"],
  ]);
});

Deno.test("generateOpenAPI() puts the tags of controllers after those of info", () => {
  const info = { tags: [{ name: "Users", description: "People" }, { name: "Other" }] };
  const { tags } = generateOpenAPI(
    { ...INFO, ...info },
    registryOf(TeamsController, UsersController, Health),
  );
  assertEquals(tags, [
    { name: "Users", description: "People" },
    { name: "Other" },
    { name: "Health", description: "Operations of Health" },
    { name: "Teams", description: "Operations of Teams" },
  ]);
});

const SECURITY: readonly (readonly [
  why: string,
  found: Partial<EndpointMethod>,
  security: unknown,
  info?: Partial<OpenApiInfo>,
])[] = [
  ["nothing without declarations", {}, []],
  ["the document's own, by saying nothing", {}, undefined, { security: secured("bearer") }],
  ["what is written", { metadata: { security: secured("apiKey") } }, [{ apiKey: [] }]],
  ["what is written as public", { metadata: { security: publicEndpoint } }, [], {
    security: secured("bearer"),
  }],
  ["a public method", { options: { auth: false } }, [], { security: secured("bearer") }],
  ["a guarded method, by the document's own", { options: { auth: true } }, [{ bearer: [] }], {
    security: secured("bearer"),
  }],
  [
    "a guarded method, by what is declared",
    { options: { auth: true } },
    [{ oidc: [] }],
    { securitySchemes: { oidc: { type: "openIdConnect", openIdConnectUrl: "https://a.test" } } },
  ],
  ["a guarded method, by what is written", {
    options: { auth: true },
    metadata: { security: secured("bearer", ["a"]) },
  }, [{ bearer: ["a"] }]],
  [
    "an optional method",
    { options: { auth: { mode: "optional" } } },
    [{ bearer: [] }, {}],
    { security: secured("bearer") },
  ],
  [
    "a method for recent sign-ins, which is not optional",
    { options: { auth: { maxAge: 900 } } },
    [{ bearer: [] }],
    { security: secured("bearer") },
  ],
  [
    "an authorized method",
    { options: { authorization: { metadata: 1 } } },
    [{ bearer: [] }],
    { security: secured("bearer") },
  ],
];

for (const [why, found, security, info] of SECURITY) {
  Deno.test(`generateOpenAPI() documents, for a method without a router, ${why}`, () => {
    const registry = registryWith({ method: "GET", path: "/", ...found });
    const document = generateOpenAPI({ ...INFO, ...info }, registry);
    assertEquals(operation(document, "GET /notes").security, security as undefined);
  });
}

Deno.test("generateOpenAPI() documents only methods that are endpoints", () => {
  const route = { method: "GET", path: "/" };
  assertEquals(routesOf(generateOpenAPI(INFO, registryWith(route))), ["GET /notes"]);
  for (const found of [{ ...route, isEndpoint: false }, { method: "GET" }, { path: "/" }]) {
    assertEquals(routesOf(generateOpenAPI(INFO, registryWith(found))), []);
  }
});

Deno.test("generateOpenAPI() accepts every method of OpenAPI in any case", () => {
  const methods = ["get", "Put", "POST", "delete", "options", "head", "patch", "TRACE"];
  for (const method of methods) {
    const document = generateOpenAPI(INFO, registryWith({ method, path: "/" }));
    assertEquals(routesOf(document), [`${method.toUpperCase()} /notes`]);
    const hasBody = operation(document, `${method} /notes`).requestBody !== undefined;
    assertEquals(hasBody, ["Put", "POST", "patch"].includes(method));
  }
});

const MISTAKEN: readonly (readonly [why: string, found: Partial<EndpointMethod>, line: string])[] =
  [
    [
      "a method that OpenAPI does not support",
      { method: "QUERY", path: "/" },
      "Notes.list (QUERY /notes): OpenAPI does not support the method QUERY",
    ],
    [
      "an invalid path",
      { method: "GET", path: "list" },
      'Notes.list: Cannot use path "list": it does not start with /',
    ],
    [
      "a path with one parameter twice",
      { method: "GET", path: "/:id/:id" },
      'Notes.list: Cannot use path "/notes/:id/:id": parameter ":id" is duplicated',
    ],
  ];

for (const [why, found, line] of MISTAKEN) {
  Deno.test(`generateOpenAPI() rejects ${why} and names the class and the method`, () => {
    assertEquals(refusalOf(() => generateOpenAPI(INFO, registryWith(found))), [line]);
  });
}

Deno.test("generateOpenAPI() documents controllers under their router's prefix, with its guard", () => {
  const router = routerBuilder({ container: CONTAINER })
    .controllers(NotesController, Health)
    .withAuth(integrationOf(STRATEGIES.session))
    .prefix("/api")
    .build();
  const document = generateOpenAPI(INFO, router);
  const { operationId, security, tags } = operation(document, "GET /api/notes/{id}");
  assertEquals([operationId, tags], ["NotesController_findByID", ["Notes"]]);
  assertEquals(security, [{ session: [] }]);
  assertEquals(operation(document, "GET /api/health").security, []);
  assert("403" in operation(document, "DELETE /api/notes/{id}").responses);
  assertEquals(document.tags?.map(({ name }) => name), ["Notes", "Health"]);
});

Deno.test("generateOpenAPI() names the class and method of an error", () => {
  const container = createContainer();
  @Controller("/a", { container })
  class Bad {
    @Get("/:id", { parameters: [{ name: "di", in: "path" }] })
    find(): TypedResponse<never> {
      return answer();
    }
    @Post("/", { schema: { body: z.map(z.string(), z.string()) } })
    add(): TypedResponse<never> {
      return answer();
    }
  }
  const expected = ["Bad.find (GET /a/:id): ", "Bad.add (POST /a): "];
  const lines = refusalOf(() => generateOpenAPI(INFO, registryOf(Bad)));
  assertEquals(lines.map((line) => line.slice(0, line.indexOf(": ") + 2)), expected);
  const router = routerBuilder({ container }).controllers(Bad).build();
  assertEquals(refusalOf(() => generateOpenAPI(INFO, router)), lines);
});

Deno.test("generateOpenAPI() names the class and method of an unresolved reference", () => {
  const responses = {
    "200": { content: { "application/json": { schema: { $ref: "#/components/schemas/None" } } } },
  };
  const registry = registryWith({ method: "GET", path: "/", metadata: { responses } });
  assertEquals(refusalOf(() => generateOpenAPI(INFO, registry)), [
    "Notes.list (GET /notes): unresolved reference #/components/schemas/None",
  ]);
});

@Controller("/a", { container: createContainer() })
class Letters {
  @Get("/:b")
  find() {
    return answer();
  }
}

/** A router with the route `GET /a/:b`, by every way to make one. */
const WAYS: readonly (readonly [way: string, make: (info?: OpenApiInfo) => TypedRouter])[] = [
  ["createRouter()", (info) => createRouter(withInfo(info)).get("/a/:b", answer)],
  [
    "routerBuilder()",
    (info) => routerBuilder(withInfo(info)).extend((router) => router.get("/a/:b", answer)).build(),
  ],
  [
    "routerBuilder() with controllers",
    (info) =>
      routerBuilder({ ...withInfo(info), container: createContainer() }).controllers(Letters)
        .build(),
  ],
  ["@HttpRouter()", (info) => {
    const container = createContainer();
    @HttpRouter({ ...withInfo(info), controllers: [Letters], container })
    class _Api {}
    return container.resolve<TypedRouter>(HTTP_ROUTER);
  }],
];

function withInfo(info: OpenApiInfo | undefined): { readonly info?: OpenApiInfo } {
  return info === undefined ? {} : { info };
}

for (const [way, make] of WAYS) {
  Deno.test(`${way} creates a router with its info, which can be documented`, () => {
    const router = make(INFO);
    assertStrictEquals(router.info, INFO);
    assertEquals(routesOf(generateOpenAPI(INFO, router)), ["GET /a/{b}"]);
    assertEquals(make().info, undefined);
  });
}

Deno.test("generateOpenAPI() documents the routes at the time of the call", () => {
  const router = createRouter({ prefix: "/v1" });
  assertEquals(routesOf(generateOpenAPI(INFO, router)), []);
  router.get("/a", answer).withAuth(integrationOf(STRATEGIES.bearer)).get("/b", answer);
  const document = generateOpenAPI(INFO, router);
  assertEquals(routesOf(document), ["GET /v1/a", "GET /v1/b"]);
  assertEquals(operation(document, "GET /v1/b").security, [{ bearer: [] }]);
});

Deno.test("generateOpenAPI() can be called while the router handles requests", async () => {
  const router = createRouter();
  router.get("/openapi.json", () => Response.json(generateOpenAPI(INFO, router)));
  const document = await (await router.request("/openapi.json")).json();
  assertEquals(Object.keys(document.paths), ["/openapi.json"]);
});

Deno.test("generateOpenAPI() throws for a route that cannot be documented, and the router keeps working", async () => {
  const router = createRouter().get("/a", () => new Response("a"), {
    openapi: { operationId: "a b" },
  });
  const message = "Cannot write the document:\n  GET /a: ";
  assertThrows(() => generateOpenAPI(INFO, router), TypeError, message);
  assertEquals(await (await router.request("/a")).text(), "a");
});
