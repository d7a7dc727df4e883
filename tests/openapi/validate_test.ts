/** DESIGN §6: hand-written metadata is checked, since TypeScript cannot check it; all errors are reported at once. */

import {
  createRouter,
  type EndpointMetadata,
  generateOpenAPI,
  type OpenApiDocument,
  type OpenApiInfo,
  type OperationObject,
  type ParameterObject,
  type RouteOptions,
  type SchemaObject,
  secured,
  type SecurityRequirement,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { z } from "zod";
import { RANDOM_ROUTERS as ROUTERS } from "../_effort.ts";
import { type Random, seeded, untyped } from "../router/_helpers.ts";
import {
  answer,
  documentOf,
  INFO,
  integrationOf,
  refusalOf,
  routesOf,
  STRATEGIES,
} from "./_helpers.ts";
import { NAMED, QUERIES, RECURSIVE, ZOD_INPUTS, ZOD_OUTPUTS } from "./_schemas.ts";

/** The lines of the error that a route's metadata is refused with. */
function refused(openapi: EndpointMetadata, info: Partial<OpenApiInfo> = {}): readonly string[] {
  return refusalOf(() => documentOf((router) => router.get("/a", answer, { openapi }), info));
}

/** Metadata with a schema in a response. */
function responding(schema: SchemaObject): EndpointMetadata {
  return { responses: { "200": { content: { "application/json": { schema } } } } };
}

const SCHEMAS: readonly (readonly [why: string, schema: SchemaObject, line: string])[] = [
  [
    "nullable, which OpenAPI 3.0 had",
    { type: "string", nullable: true },
    '"nullable" is a keyword of OpenAPI 3.0; add "null" to the type',
  ],
  [
    "nullable, wherever it is",
    { properties: { a: { items: { nullable: false } } } },
    '"nullable" is a keyword of OpenAPI 3.0; add "null" to the type',
  ],
  [
    "exclusiveMinimum as OpenAPI 3.0 had it",
    { exclusiveMinimum: true },
    "exclusiveMinimum and exclusiveMaximum must be numbers",
  ],
  [
    "exclusiveMaximum as OpenAPI 3.0 had it",
    { anyOf: [{ exclusiveMaximum: false }] },
    "exclusiveMinimum and exclusiveMaximum must be numbers",
  ],
  ["an unknown type", { type: "file" }, 'unknown type "file"'],
  ["an unknown type among others", { type: ["string", "date"] }, 'unknown type "date"'],
  [
    "required of draft 3",
    { properties: { a: { required: true } } },
    "required must be an array of names",
  ],
];

for (const [why, schema, line] of SCHEMAS) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    assertEquals(refused(responding(schema)), [`GET /a: its response 200: ${line}`]);
    assertEquals(refused({ parameters: [{ name: "q", in: "query", schema }] }), [
      `GET /a: parameter "q": ${line}`,
    ]);
    const content = { "application/json": { schema } };
    assertEquals(refused({ parameters: [{ name: "q", in: "query", content }] }), [
      `GET /a: parameter "q": ${line}`,
    ]);
    assertEquals(refused({}, { schemas: { Mine: schema } }), [`schema Mine: ${line}`]);
    const body = documentOf.bind(
      null,
      (router) => router.post("/a", answer, { openapi: { requestBody: { content } } }),
    );
    assertEquals(refusalOf(body), [`POST /a: its request body: ${line}`]);
  });
}

Deno.test("generateOpenAPI() accepts properties whose names are rejected keywords", () => {
  const properties = {
    nullable: { type: "boolean" },
    required: {},
    exclusiveMinimum: {},
    type: {},
  };
  documentOf((router) =>
    router.get("/a", answer, { openapi: responding({ type: "object", properties }) })
  );
});

const NO_REF = "unresolved reference";

const REFERENCES: readonly (readonly [why: string, ref: string, line: string])[] = [
  [
    "a schema that is not there",
    "#/components/schemas/None",
    `${NO_REF} #/components/schemas/None`,
  ],
  ["a part of the document that is not there", "#/paths/~1b", `${NO_REF} #/paths/~1b`],
  [
    "the name of an object's property, which is not a schema",
    "#/components/schemas/constructor",
    `${NO_REF} #/components/schemas/constructor`,
  ],
  ["an anchor", "#mine", `${NO_REF} #mine`],
  ["the whole document, which is not a schema", "#", `${NO_REF} #`],
  ["what cannot be decoded", "#/components/%", `${NO_REF} #/components/%`],
];

for (const [why, $ref, line] of REFERENCES) {
  Deno.test(`generateOpenAPI() rejects a reference to ${why}`, () => {
    for (const schema of [{ $ref }, { items: { $ref } }, { properties: { a: { $ref } } }]) {
      assertEquals(refused(responding(schema)), [`GET /a: ${line}`]);
    }
    assertEquals(refused({}, { schemas: { Mine: { $ref } } }), [line]);
  });
}

const FOUND: readonly (readonly [why: string, $ref: string])[] = [
  ["a schema of info", "#/components/schemas/Mine"],
  ["a part of it", "#/components/schemas/Mine/properties/a~1b"],
  ["the router's own problems", "#/components/schemas/ProblemDetails"],
  ["another document", "https://schemas.test/a.json"],
];

for (const [why, $ref] of FOUND) {
  Deno.test(`generateOpenAPI() accepts a reference in the metadata to ${why}`, () => {
    const schemas = { Mine: { properties: { "a/b": { type: "string" } } } };
    const document = documentOf(
      (router) => router.get("/a", answer, { openapi: responding({ $ref }) }),
      { schemas },
    );
    assertEquals(routesOf(document), ["GET /a"]);
  });
}

Deno.test("generateOpenAPI() does not treat values as references", () => {
  const value = { $ref: "#/nowhere" };
  const schema = { default: value, const: value, enum: [value], examples: [value] };
  documentOf((router) =>
    router.get("/a", answer, {
      openapi: {
        "x-a": value,
        parameters: [{ name: "q", in: "query", schema, example: value }],
        responses: {
          "200": { content: { "application/json": { examples: { a: { value } } } } },
          "201": { content: { "application/json": { example: value } } },
        },
      },
    })
  );
});

const EXAMPLES: readonly (readonly [why: string, metadata: EndpointMetadata, where: string])[] = [
  ["content", {
    responses: { "200": { content: { "application/json": { example: 1, examples: {} } } } },
  }, "its response 200:"],
  [
    "a parameter",
    { parameters: [{ name: "q", in: "query", example: 1, examples: {} }] },
    'parameter "q":',
  ],
];

for (const [why, metadata, where] of EXAMPLES) {
  Deno.test(`generateOpenAPI() rejects both example and examples of ${why}, OpenAPI 3.1 §4.8`, () => {
    assertEquals(refused(metadata), [`GET /a: ${where} has both example and examples`]);
  });
}

const VALUES: readonly (readonly [why: string, value: unknown])[] = [
  ["a bigint", 1n],
  [
    "what holds itself",
    (() => {
      const self: Record<string, unknown> = {};
      self.self = self;
      return self;
    })(),
  ],
];

for (const [why, value] of VALUES) {
  Deno.test(`generateOpenAPI() rejects ${why}, which JSON cannot represent, in one line`, () => {
    const lines = refused({ "x-a": value });
    assertEquals(lines.length, 1);
    assertMatch(lines[0] ?? "", /^GET \/a: ./);
  });
}

Deno.test("generateOpenAPI() lists all errors, one line each", () => {
  const lines = refusalOf(() =>
    documentOf((router) =>
      router.get("/a", answer)
        .get("/a", answer)
        .get("/b/:id", answer, { openapi: { parameters: [{ name: "di", in: "path" }] } })
        .post("/c", answer, { schema: { body: z.map(z.string(), z.string()) } })
        .get("/d", answer, {
          openapi: {
            operationId: "d d",
            parameters: [{ name: "q", in: "query", schema: { type: "file", nullable: true } }],
            responses: { "200": { content: { json: {} } } },
          },
        })
        .get("/e", answer, { openapi: { responses: { ok: {} } } })
    )
  );
  assertEquals(lines.map((line) => line.slice(0, line.indexOf(": "))), [
    "GET /a",
    "GET /b/:id",
    "POST /c",
    "GET /d",
    "GET /d",
    "GET /d",
    "GET /d",
    "GET /e",
  ]);
});

Deno.test("generateOpenAPI() reports the same error once", () => {
  const lines = refusalOf(() =>
    documentOf((router) =>
      router.all("/a/:id?", answer, {
        openapi: { responses: { "200": { content: { json: {} } } } },
      })
    )
  );
  assertEquals(lines, ['ALL /a/:id?: its response 200: "json" is not a media type']);
});

const INFOS: readonly (readonly [why: string, info: unknown, lines: readonly string[]])[] = [
  ["no title", { ...INFO, title: undefined }, ["info.title must be a non-empty string"]],
  ["an empty title", { ...INFO, title: "" }, ["info.title must be a non-empty string"]],
  ["a version that is a number, which YAML and JSON read otherwise", { ...INFO, version: 1.0 }, [
    "info.version must be a non-empty string",
  ]],
  ["neither title nor version", {}, [
    "info.title must be a non-empty string",
    "info.version must be a non-empty string",
  ]],
  ["invalid names of schemas", { ...INFO, schemas: { "a b": {} } }, [
    'components.schemas: "a b" is not a valid component name',
  ]],
];

for (const [why, info, lines] of INFOS) {
  Deno.test(`generateOpenAPI() rejects ${why}`, () => {
    const given = untyped<Partial<OpenApiInfo>>({
      title: undefined,
      version: undefined,
      ...untyped<object>(info),
    });
    assertEquals(refusalOf(() => documentOf(() => {}, given)), lines);
  });
}

Deno.test("generateOpenAPI() rethrows errors that are not about the document", () => {
  const boom = new RangeError("boom");
  const openapi = {
    get summary(): string {
      throw boom;
    },
  };
  assertThrows(
    () => documentOf((router) => router.get("/a", answer, { openapi })),
    RangeError,
    "boom",
  );
});

const METHODS = ["get", "head", "options", "delete", "all", "post", "put", "patch"] as const;
const LITERALS = ["a", "b", "größe", "a b", "a%2Fb", "x.y", "~c"];
const NAMES = ["id", "path", "c$d", "e-f", "g"];
const EXPRESSIONS = ["", "", "{[0-9]+}", "{a|b}", "{[\\w-.]+}"];
const BODIES = Object.values({ ...ZOD_INPUTS, ...RECURSIVE, ...NAMED });
const RESPONSES = Object.values({ ...ZOD_OUTPUTS, ...RECURSIVE, ...NAMED });
const QUERY_SCHEMAS = Object.values(QUERIES);
const OPERATION_IDS = ["get_a", "get_a_2", "post", "a b"];
const STATUSES = ["200", "201", "204", "303", "304", "404", "4XX", "default", "2xx"];
const SECURITY: readonly (readonly SecurityRequirement[])[] = [
  [],
  secured("session"),
  secured("bearer"),
  [...secured("session"), {}],
  secured("unknown"),
];

/** Whether something that is rare happens. */
function rarely(random: Random, chances: number): boolean {
  return random.below(chances) === 0;
}

/** A pattern, with the names of its parameters. */
function pattern(random: Random): readonly [path: string, names: readonly string[]] {
  const names = new Set<string>();
  const segments = random.list(0, 4, () => {
    const name = random.pick(NAMES);
    if (random.below(2) === 0 || names.has(name)) return random.pick(LITERALS);
    names.add(name);
    return `:${name}${random.pick(EXPRESSIONS)}`;
  });
  const end = random.below(8);
  if (end === 0) segments.push("*");
  if (end === 1 && segments.at(-1)?.startsWith(":")) segments.push(`${segments.pop()}?`);
  return ["/" + segments.join("/"), [...names]];
}

function metadata(random: Random): EndpointMetadata {
  return {
    ...(rarely(random, 4) ? { summary: "A", description: "B" } : {}),
    ...(rarely(random, 12) ? { operationId: random.pick(OPERATION_IDS) } : {}),
    ...(rarely(random, 4)
      ? { responses: Object.fromEntries(random.list(1, 2, () => [random.pick(STATUSES), {}])) }
      : {}),
    ...(rarely(random, 12) ? { parameters: [{ name: random.pick(NAMES), in: "path" }] } : {}),
    ...(rarely(random, 6) ? { parameters: [{ name: "X-A", in: "header" }] } : {}),
    ...(rarely(random, 20) ? { security: random.pick(SECURITY) } : {}),
  };
}

function routeOptions(random: Random, method: string, names: readonly string[]): RouteOptions {
  const hasBody = ["post", "put", "patch"].includes(method);
  const known = names.filter(() => random.below(2) === 0);
  return {
    schema: {
      ...(hasBody && random.below(2) === 0 ? { body: random.pick(BODIES) } : {}),
      ...(random.below(3) === 0 ? { query: random.pick(QUERY_SCHEMAS) } : {}),
      ...(random.below(3) === 0 ? { response: random.pick(RESPONSES) } : {}),
      ...(known.length > 0
        ? {
          params: z.object(Object.fromEntries(known.map((name) => [name, z.string().optional()]))),
        }
        : {}),
    },
    ...(rarely(random, 3) ? { openapi: metadata(random) } : {}),
    ...(rarely(random, 5) ? { auth: false } : {}),
  };
}

function randomRouter(random: Random, depth: number = 0): TypedRouter {
  const router = createRouter(rarely(random, 4) ? { prefix: "/p" } : {});
  const { session, bearer } = STRATEGIES;
  if (rarely(random, 3)) router.withAuth(integrationOf(random.pick([session, bearer])));
  for (const _ of random.list(0, 6, () => 0)) {
    const method = random.pick(METHODS);
    const [path, names] = pattern(random);
    router[method as "post"](path, answer, routeOptions(random, method, names));
  }
  if (depth < 2 && rarely(random, 3)) {
    router.mount(random.pick(["/m", "/:id", "/"]), randomRouter(random, depth + 1));
  }
  return router;
}

/** Every operation, with its path. */
function operations({ paths }: OpenApiDocument): readonly (readonly [string, OperationObject])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => [path, operation] as const)
  );
}

/** Every value of a member of that name. */
function membersCalled(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === name ? [one] : membersCalled(name, one)
  );
}

function check(document: OpenApiDocument): void {
  const found = operations(document);
  const ids = found.map(([, { operationId }]) => operationId);
  assertEquals(ids.length, new Set(ids).size, "operationIds are unique");
  for (const id of ids) assert(/^[\w.~-]+$/.test(id), id);
  const shapes = Object.keys(document.paths).map((path) => path.replace(/\{.+?\}/g, "{}"));
  assertEquals(shapes.length, new Set(shapes).size, "paths differ in more than names");
  for (const [path, operation] of found) {
    const names = [...path.matchAll(/\{(.+?)\}/g)].map(([, name]) => name);
    const parameters = (operation.parameters ?? []) as readonly ParameterObject[];
    const inPath = parameters.filter((one) => one.in === "path");
    assertEquals(inPath.map(({ name }) => name), names, path);
    assert(inPath.every(({ required }) => required === true), path);
    assert(/^[\w.~!$&'()*+,;=:@%{}/-]*$/.test(path) && !/:\w|\*/.test(path), path);
    assert(operation.summary !== "");
    const statuses = Object.keys(operation.responses);
    assert(statuses.some((status) => /^[23]/.test(status)) && statuses.includes("4XX"));
    const schemes = (operation.security ?? []).flatMap((one) => Object.keys(one));
    for (const name of schemes) assert(document.components.securitySchemes?.[name], name);
  }
  const { schemas = {}, responses = {} } = document.components;
  for (const ref of membersCalled("$ref", document)) {
    if (typeof ref !== "string") continue; // a member of that name
    const [, kind, name = ""] = /^#\/components\/(schemas|responses)\/([\w.-]+)$/.exec(ref) ?? [];
    assert(Object.hasOwn(kind === "schemas" ? schemas : responses, name), ref);
  }
}

/** The document's text, or what it is refused with. */
function write(router: TypedRouter): readonly [text: string | undefined, error: string] {
  try {
    const document = generateOpenAPI(INFO, router);
    check(document);
    return [JSON.stringify(document), ""];
  } catch (error) {
    assert(error instanceof TypeError, String(error));
    return [undefined, error.message];
  }
}

Deno.test(`generateOpenAPI() documents ${ROUTERS} random routers or reports errors`, () => {
  let written = 0;
  for (let seed = 0; seed < ROUTERS; seed++) {
    const [text, error] = write(randomRouter(seeded(seed)));
    const label = `seed ${seed}`;
    assertEquals(write(randomRouter(seeded(seed))), [text, error], label);
    if (text === undefined) {
      const lines = error.split("\n");
      assertEquals(lines[0], "Cannot write the document:", label);
      for (const line of lines.slice(1)) assert(/^ {2}[A-Z]+ \/\S*(?: \S+)*: ./.test(line), line);
      continue;
    }
    written++;
    assertEquals(JSON.stringify(JSON.parse(text)), text, label);
    assert(!/__schema|"nullable":(?:true|false)|undefined/.test(text), label);
  }
  assert(written > ROUTERS / 2, `only ${written} of ${ROUTERS} were written`);
});
