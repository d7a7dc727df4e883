/** Routes that are documented by their types: stated, inferred, in other files, and of helpers. */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import { COMPILER } from "../../../openapi/compiler/_program.ts";
import { APPLICATION } from "../_typed_application.ts";
import { EXHAUSTIVE } from "../../_effort.ts";
import {
  type RouteCase,
  testRoutes,
  toldOf,
  TYPED_IMPORTS,
  typedDocument,
} from "../_typed_routes.ts";
import { withTypedProject } from "./_process.ts";
import { literal, NUMBER, objectOf, ref, TEXT } from "./_types.ts";

const BOOLEAN: SchemaObject = { type: "boolean" };
const DATE = { ...TEXT, format: "date-time" };
const BINARY = { ...TEXT, format: "binary" };
const NO_BODY: SchemaObject = { type: "object" };

const id = { id: TEXT };

const STATED: readonly RouteCase[] = [
  [
    "a route behind middleware that provides data, in a chain",
    "PUT /provided/{id}",
    `router.provide(tenant).provide(provide(() => ({ n: 1 })))
      .get("/provided", (req) => json(req.locals.n))
      .put<RequestSpec<Json<Pet>, PathParams<Path>>, ResponseSpec<Pet>>(
        "/provided/:id", (req) => json(req.content));`,
    { path: id, body: ref("Pet"), sent: { 200: ref("Pet") } },
  ],
  [
    "a route that states all of them",
    "POST /stated/{id}",
    `router.post<RequestSpec<Json<Pet>, PathParams<Path>, QueryParams<Find>>,
      ResponseSpec<Page<Pet>>>(
      "/stated/:id", () => json({ items: [], next: null }));`,
    {
      path: id,
      query: {
        "q?": TEXT,
        tags: { type: "array", items: TEXT },
        kind: { ...TEXT, enum: ["a", "b"] },
      },
      body: ref("Pet"),
      sent: { 200: ref("Page_Pet") },
    },
  ],
  [
    "a route that states its request",
    "PUT /stated",
    `router.put<RequestSpec<Json<Pet[]>>>("/stated",
      (req) => json({ count: req.content.length }));`,
    { body: { type: "array", items: ref("Pet") }, sent: { 200: objectOf({ count: NUMBER }) } },
  ],
  [
    "a form",
    "POST /upload",
    `router.post<RequestSpec<Multipart<{ file: File; note?: string }>>>("/upload",
      () => json(true), { multipart: true });`,
    { body: objectOf({ file: BINARY, note: TEXT }, "note"), sent: { 200: BOOLEAN } },
  ],
  [
    "a form without documented fields",
    "POST /form",
    `router.post<RequestSpec<Multipart>>("/form", () => json(1), { multipart: true });`,
    { body: NO_BODY, sent: { 200: NUMBER } },
  ],
  [
    "a handler in another file",
    "POST /elsewhere/{id}",
    `router.post("/elsewhere/:id", stated);`,
    { path: id, query: { "q?": TEXT }, body: ref("Elsewhere"), sent: { 200: ref("Elsewhere") } },
  ],
  [
    "a handler in another file, whose request is that of a schema",
    "POST /schema",
    `router.post("/schema", bySchema, { schema });`,
    { body: objectOf({ title: TEXT }), sent: { 200: ref("Elsewhere") } },
  ],
  ["a function in another file", "GET /plain/{id}", `router.get("/plain/:id", plain);`, {
    path: id,
    sent: { 200: ref("Elsewhere") },
  }],
];

const INFERRED: readonly RouteCase[] = [
  [
    "a handler that sends what middleware provides",
    "GET /provided/{id}",
    `router.provide(tenant).get("/provided/:id",
      (req) => json(req.locals.tenant));`,
    { path: id, sent: { 200: objectOf({ name: TEXT, since: DATE }) } },
  ],
  [
    "a handler that says none",
    "GET /inferred/{id}",
    `router.get("/inferred/:id", (req) => json({ id: req.params.id, at: new Date() }));`,
    { path: id, sent: { 200: objectOf({ id: TEXT, at: DATE }) } },
  ],
  [
    "a handler that takes its time",
    "GET /later",
    `router.get("/later", async () => {
    await Promise.resolve();
    return json({ p: ["x"] });
  });`,
    { sent: { 200: objectOf({ p: { type: "array", items: TEXT } }) } },
  ],
  [
    "a handler that returns one or the other",
    "GET /either",
    `router.get("/either", () => chance() ? json({ a: 1 }) : json({ b: "" }));`,
    { sent: { 200: { anyOf: [objectOf({ a: NUMBER }), objectOf({ b: TEXT })] } } },
  ],
  [
    "a handler that may leave the request to others",
    "GET /pass",
    `router.get("/pass", () => chance() ? pass() : json({ passed: true }));`,
    { sent: { 200: objectOf({ passed: BOOLEAN }) } },
  ],
  [
    "a handler that may redirect",
    "GET /mixed",
    `router.get("/mixed", () => chance() ? redirect("/") : json({ mixed: 1 }));`,
    { sent: { 200: objectOf({ mixed: NUMBER }), 302: null } },
  ],
  [
    "a handler that redirects",
    "GET /redirect",
    `router.get("/redirect", () => redirect("/", 303));`,
    {
      sent: { 303: null },
    },
  ],
  ["a handler that sends nothing", "GET /empty", `router.get("/empty", () => empty());`, {
    sent: { 204: null },
  }],
  [
    "a handler that sends what it likes",
    "GET /any",
    `router.get("/any", () => new Response("x"));`,
    {
      sent: { 200: null },
    },
  ],
  [
    "a handler whose response is unknown",
    "GET /unknown",
    `router.get("/unknown", () => json(JSON.parse("1") as unknown));`,
    { sent: { 200: null } },
  ],
  [
    "a handler that only throws",
    "GET /throws",
    `router.get("/throws", (): TypedResponse<Pet> => { throw new HttpError(404, "gone"); });`,
    { sent: { 200: ref("Pet") } },
  ],
  [
    "a handler with a status",
    "POST /created",
    `router.post("/created", () => json({ made: 1 }, { status: 201 }));`,
    { sent: { 201: objectOf({ made: NUMBER }) } },
  ],
  [
    "a handler that sends constants",
    "GET /const",
    `router.get("/const", () => json({ kind: "x" as const }));`,
    { sent: { 200: objectOf({ kind: literal("x") }) } },
  ],
  ["a handler that sends null", "GET /null", `router.get("/null", () => json(null));`, {
    sent: { 200: { type: "null" } },
  }],
  ["a handler of an object", "GET /service", `router.get("/service", service.handle);`, {
    sent: { 200: objectOf({ service: NUMBER }) },
  }],
  ["a bound method", "GET /bound", `router.get("/bound", service.method.bind(service));`, {
    sent: { 200: objectOf({ m: NUMBER }) },
  }],
  ["what a helper sends", "GET /dated", `router.get("/dated", () => dated());`, {
    sent: { 200: objectOf({ at: DATE }) },
  }],
];

const PLACES: readonly RouteCase[] = [
  [
    "the first of several routes in a line",
    "GET /a1",
    `router.get("/a1", () => json({ a1: 1 })).get("/a2", () => json({ a2: "" }));` +
    ` router.get("/a3", () => json({ a3: true }));`,
    { sent: { 200: objectOf({ a1: NUMBER }) } },
  ],
  ["the second of several routes in a line", "GET /a2", "", {
    sent: { 200: objectOf({ a2: TEXT }) },
  }],
  ["the third of several routes in a line", "GET /a3", "", {
    sent: { 200: objectOf({ a3: BOOLEAN }) },
  }],
  [
    "a route after characters of two code units",
    "GET /emoji",
    `/* 😀 */ const _ = "😀"; router.get("/emoji", () => json({ "😀": 1 }));`,
    { sent: { 200: objectOf({ "😀": NUMBER }) } },
  ],
  [
    "a chain of several lines",
    "GET /chain",
    `router\n  // first\n  .get(\n    "/other",\n    () => json(1),\n  )\n  .get("/chain",
      () => json({ chain: 1 }));`,
    { sent: { 200: objectOf({ chain: NUMBER }) } },
  ],
  ["a route by a name in brackets", "GET /bracket", `router["get"]("/bracket", () => json([1]));`, {
    sent: { 200: { type: "array", items: NUMBER } },
  }],
  [
    "a route of a cast router",
    "GET /cast",
    `(router as TypedRouter).get("/cast", () => json("x"));`,
    {
      sent: { 200: TEXT },
    },
  ],
  [
    "the last route of a loop",
    "GET /loop2",
    `for (const path of ["/loop1", "/loop2"]) router.get(path, () => json({ path }));`,
    { sent: { 200: objectOf({ path: TEXT }) } },
  ],
  ["a route that a helper adds", "GET /ping1", `addPing(router, "/ping1");`, {
    sent: { 200: objectOf({ ping: TEXT, at: DATE }) },
  }],
  ["another route that the helper adds", "GET /ping2", `addPing(router, "/ping2");`, {
    sent: { 200: objectOf({ ping: TEXT, at: DATE }) },
  }],
  [
    "a route that a helper adds for a handler",
    "GET /handled",
    `addHandler(router, "/handled", () => json({ here: true }));`,
    { sent: { 200: ref("Elsewhere") } },
  ],
  [
    "a mounted router",
    "GET /mounted/in",
    `router.mount("/mounted", inner.get("/in", () => json({ inner: 1 })));
      router.mount("/again", inner);`,
    { sent: { 200: objectOf({ inner: NUMBER }) } },
  ],
  ["a router that is mounted twice", "GET /again/in", "", {
    sent: { 200: objectOf({ inner: NUMBER }) },
  }],
  ["a route for all methods", "DELETE /every", `router.all("/every", () => json({ every: 1 }));`, {
    sent: { 200: objectOf({ every: NUMBER }) },
  }],
];

const ROUTES = [...STATED, ...INFERRED, ...PLACES];
const readRoutes = testRoutes(ROUTES, APPLICATION);

Deno.test("generate writes the same bytes of types, whatever else is declared", async () => {
  const code = ROUTES.map(([, , one]) => one).join("\n");
  const more =
    `type Other = "b" | "a"; interface Zoo { pet: Other } export const zoo: Zoo = { pet: "b" };\n`;
  const first = await readRoutes();
  for (const before of EXHAUSTIVE ? [more, ""] : [more]) {
    const { document } = await typedDocument(code, {
      ...APPLICATION,
      before: APPLICATION.before + before,
    });
    assertEquals(JSON.stringify(document), JSON.stringify(first.document));
  }
  assertEquals(first.stderr, "");
});

const GUARDED: readonly RouteCase[] = [
  [
    "a guarded route",
    "GET /guarded/me",
    `router.mount("/guarded", guarded.get("/me", (req) => json({ who: req.principal.sub })));`,
    { sent: { 200: objectOf({ who: TEXT }) } },
  ],
  [
    "a guarded route that states them",
    "POST /guarded/me",
    `guarded.post<RequestSpec<Json<Pet>>, ResponseSpec<Pet>>("/me", (req) => json(req.content));`,
    { body: ref("Pet"), sent: { 200: ref("Pet") } },
  ],
  [
    "an open route beside guarded ones",
    "GET /guarded/open",
    `guarded.get("/open", () => json({ open: 1 }), { auth: false });`,
    { sent: { 200: objectOf({ open: NUMBER }) } },
  ],
  [
    "a route whose guard may be passed without credentials",
    "GET /guarded/maybe",
    `guarded.get("/maybe", (req) => json({ who: req.principal?.sub ?? null }),
      { auth: { mode: "optional" } });`,
    { sent: { 200: objectOf({ who: { type: ["string", "null"] } }) } },
  ],
];

const CONTROLLERS: readonly RouteCase[] = [
  ["a controller's method", "POST /pets", "", { body: ref("Pet"), sent: { 200: ref("Pet") } }],
  ["a method that only says its request", "PUT /pets/{id}", "", {
    path: id,
    sent: {
      200: objectOf({ id: TEXT, deep: objectOf({ a: { type: "array", items: NUMBER } }) }),
    },
  }],
  ["a method that takes its time", "GET /pets/later", "", { sent: { 200: ref("Pet") } }],
  ["a method with an untyped response", "GET /pets/unsaid", "", { sent: { 200: null } }],
  ["a method of a generic base class", "GET /pets/all", "", { sent: { 200: ref("Page_Pet") } }],
  ["a method of a base class that says none", "GET /pets/inferred", "", {
    sent: { 200: objectOf({ one: NUMBER }) },
  }],
  ["a method of the base class's base class", "GET /more/all", "", {
    sent: { 200: ref("Page_Pet") },
  }],
  ["a method that overrides one", "GET /more/unsaid", "", { sent: { 200: literal(1) } }],
  ["a method beside inherited ones", "PATCH /more", "", {
    sent: { 200: objectOf({ own: BOOLEAN }) },
  }],
  ["one of two controllers of a name", "GET /same", "", {
    sent: { 200: objectOf({ main: literal(1) }) },
  }],
  ["the other controller of the name", "GET /same/other", "", {
    sent: { 200: objectOf({ other: literal(1) }) },
  }],
  ["a controller that a function makes", "GET /m1/made", "", {
    sent: { 200: objectOf({ made: TEXT }) },
  }],
  ["another controller that the function makes", "GET /m2/made", "", {
    sent: { 200: objectOf({ made: TEXT }) },
  }],
];

testRoutes([...GUARDED, ...CONTROLLERS], APPLICATION);

// The program avoids the types of routes, which would reject it: the command does not check it.
Deno.test("generate rejects a handler that takes a form on a route that takes JSON", async () => {
  const program = `
import { createRouter, empty, type Multipart, type RequestSpec, type ResponseSpec } from "@gatehouse/http";
const router = createRouter({ info: { title: "t", version: "1" } });
type Upload = RequestSpec<Multipart<{ photo: File }>>;
(router as unknown as { post<S, R>(path: string, handler: () => unknown): void })
  .post<Upload, ResponseSpec<1>>("/stated", () => empty());
router.post("/inferred", (_: { content: FormData }) => empty(), { multipart: false as true });
export { router };
`;
  await withTypedProject({ "app.ts": program }, async ({ generate }) => {
    const { code, stderr } = await generate("--controllers", "app.ts");
    const why = "its handler takes a form, but the route takes JSON; set multipart: true";
    const routes = ["/stated", "/inferred"];
    assertEquals([code, stderr], [
      1,
      `Cannot write the document:\n${routes.map((one) => `  POST ${one}: ${why}\n`).join("")}`,
    ]);
  });
});

Deno.test("generate documents a form without documented fields", async () => {
  const program = `
import { createRouter, empty } from "@gatehouse/http";
export const router = createRouter({ info: { title: "t", version: "1" } })
  .post("/up", (req) => empty(req.content.has("a") ? 204 : 205), { multipart: true });
`;
  await withTypedProject({ "app.ts": program }, async ({ generate, document }) => {
    assertEquals((await generate("--controllers", "app.ts")).stderr, "");
    const { post } = { ...(await document()).paths["/up"] };
    assertEquals<unknown>((post as { requestBody?: unknown }).requestBody, {
      content: { "multipart/form-data": { schema: { type: "object" } } },
      required: true,
    });
  });
});

Deno.test("The compiler is the one that the project's configuration pins", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  assertEquals(imports.typescript, COMPILER);
});

const PET = ref("Pet");
const BEFORE = `
interface Pet { name: string }
/** What no converter can describe: Valibot's schemas have none of their own. */
const Item = v.object({ title: v.string(), size: v.optional(v.number()) });
const Count = v.pipe(v.string(), v.transform(Number));
const Key = z.object({ key: z.string().min(2) });
const router = createRouter();
const inJson = <const T>(schema: T) => ({ content: { "application/json": { schema } } });
`;

const item = objectOf({ title: TEXT, size: NUMBER }, "size");
const key = objectOf({ key: { ...TEXT, minLength: 2 } });

const CASES: readonly RouteCase[] = [
  [
    "a route, but not of what its metadata describes",
    "POST /meta",
    `router.post<RequestSpec<Json<Pet>>, ResponseSpec<Pet>>("/meta", (req) => json(req.content), {
      openapi: { requestBody: inJson({ type: "string" }),
        responses: { 200: inJson({ type: "integer" }) } } });`,
    { body: TEXT, sent: { 200: { type: "integer" } } },
  ],
  [
    "a body whose metadata describes only the response",
    "POST /half",
    `router.post<RequestSpec<Json<Pet>>, ResponseSpec<Pet>>("/half", (req) => json(req.content), {
      openapi: { responses: { 200: { description: "Half", ...inJson({ type: "integer" }) } } } });`,
    { body: PET, sent: { 200: { type: "integer" } } },
  ],
  [
    "a response whose metadata describes only its status",
    "POST /status",
    `router.post("/status", () => json({ a: 1 }, { status: 201 }),
      { openapi: { responses: { 201: { description: "Made" } } } });`,
    { sent: { 201: objectOf({ a: NUMBER }) } },
  ],
  [
    "a query, but not of the parameter that its metadata describes",
    "GET /query",
    `router.get<RequestSpec<QueryParams<{ a?: string; b?: string }>>>("/query", () => json(1), {
      openapi: { parameters: [{ name: "a", in: "query", schema: { type: "integer" } }] } });`,
    { query: { "a?": { type: "integer" }, "b?": TEXT }, sent: { 200: NUMBER } },
  ],
  [
    "a response, but not of a body that Zod describes",
    "POST /zod",
    `router.post("/zod", (req) => json({ got: req.content.key }), { schema: { body: Key } });`,
    { body: key, sent: { 200: objectOf({ got: TEXT }) } },
  ],
  [
    "a body, but not of a response that Zod describes",
    "PUT /zod",
    `router.put<RequestSpec<Json<Pet>>, ResponseSpec<{ key: string }>>("/zod",
      () => json({ key: "ab" }), { schema: { response: Key } });`,
    { body: PET, sent: { 200: key } },
  ],
  [
    "nothing from a coerced date, since Zod describes it",
    "POST /coerced",
    `router.post("/coerced", (req) => json({ at: req.content.at }),
      { schema: { body: z.object({ at: z.coerce.date() }) } });`,
    { body: objectOf({ at: DATE }), sent: { 200: objectOf({ at: DATE }) } },
  ],
  [
    "the input of a validator without JSON Schema",
    "POST /valibot",
    `router.post("/valibot", (req) => json({ got: req.content.title }),
      { schema: { body: Item } });`,
    { body: item, sent: { 200: objectOf({ got: TEXT }) } },
  ],
  [
    "the input of a validator, not its output",
    "GET /count",
    `router.get("/count", (req) => json({ n: req.query.n }),
      { schema: { query: v.object({ n: Count, m: v.optional(v.string()) }) } });`,
    { query: { n: TEXT, "m?": TEXT }, sent: { 200: objectOf({ n: NUMBER }) } },
  ],
  [
    "the input of a validator of path parameters",
    "GET /path/{n}",
    `router.get("/path/:n", (req) => json({ n: req.params.n }),
      { schema: { params: v.object({ n: Count }) } });`,
    { path: { n: TEXT }, sent: { 200: objectOf({ n: NUMBER }) } },
  ],
  [
    "a response whose validator describes nothing",
    "GET /sent",
    `router.get("/sent", () => json({ title: "x" }), { schema: { response: Item } });`,
    { sent: { 200: item } },
  ],
  [
    "a response with a transformation, which describes nothing",
    "GET /transformed",
    `router.get("/transformed", () => json({ n: 1 }),
      { schema: { response: z.object({ n: z.string().transform(Number) }) } });`,
    { sent: { 200: objectOf({ n: NUMBER }) } },
  ],
];
testRoutes(CASES, { before: BEFORE });

Deno.test("generate --no-types reads no types", async () => {
  const code = `
    router.post<RequestSpec<Json<Pet>, PathParams<{ id: string }>, QueryParams<{ q: string }>>,
      ResponseSpec<Pet>>(
      "/stated/:id", (req) => json(req.content));
    router.post("/zod", (req) => json({ got: req.content.key }), { schema: { body: Key } });
    router.get("/any", (): TypedResponse<Map<string, bigint>> => json(new Map()));`;
  const { document } = await typedDocument(code, { before: BEFORE, flags: ["--no-types"] });
  assertEquals(toldOf(document, "POST /stated/{id}"), { path: { id: TEXT }, sent: { 200: null } });
  assertEquals(toldOf(document, "POST /zod"), { body: key, sent: { 200: null } });
  assertEquals(Object.keys(document.components.schemas), ["ProblemDetails"]);
});

/** Routes without a document, and the expected message. */
const REFUSED: readonly (readonly [why: string, route: string, code: string, told: RegExp])[] = [
  [
    "a map",
    "GET /map",
    `router.get("/map", () => json(new Map<string, string>()));`,
    /response .*Map/,
  ],
  [
    "a bigint, deep in a type of another file",
    "GET /deep",
    `router.get("/deep", (): TypedResponse<Deep> => json({ list: [] }));`,
    /other\.ts:2:\d+: Deep\.list\[\]\.big .*bigint/,
  ],
  [
    "any",
    "GET /any",
    `router.get("/any", () => json(JSON.parse("1")));`,
    /response is any.*unknown/,
  ],
  [
    "a function",
    "GET /function",
    `router.get("/function", () => json({ run: () => 1 }));`,
    /response\.run .*function/,
  ],
  [
    "a type that was not found",
    "GET /gone",
    `router.get("/gone", (): TypedResponse<Gone> => json(1 as never));`,
    /Gone.*"\.\/gone\.ts"/,
  ],
  [
    "a body of a type that was not found",
    "POST /gone",
    `router.post<RequestSpec<Json<{ gone: Gone }>>>("/gone", () => json(1));`,
    /its handler .*Gone.*"\.\/gone\.ts"/,
  ],
  [
    "a body of bytes",
    "POST /bytes",
    `router.post<RequestSpec<Json<{ data: Uint8Array }>>>("/bytes", () => json(1));`,
    /req\.content\.data .*Uint8Array/,
  ],
  [
    "a query of a function",
    "GET /query",
    `router.get<RequestSpec<QueryParams<{ q: Date; f?: Set<string> }>>>("/query", () => json(1));`,
    /req\.query\.f .*Set/,
  ],
  [
    "a type that a helper leaves open",
    "GET /open",
    `function addOne<T>(path: string, make: () => T): void { router.get(path,
      () => json({ made: make() })); }
    addOne("/open", () => 1);`,
    /response\.made .*\bT\b/,
  ],
  [
    "documentation that cannot be right",
    "GET /wrong",
    `router.get("/wrong", (): TypedResponse<Wrong> => json({ a: 1 }));`,
    /Wrong\.a has the tag @minimum abc/,
  ],
  [
    "a transformation that leads to a symbol",
    "POST /symbol",
    `router.post("/symbol", () => json(1), { schema: { body: v.object({ s: v.symbol() }) } });`,
    /\.s .*symbol/,
  ],
];

Deno.test("generate names place and route of types that JSON cannot represent", async () => {
  const code = `${TYPED_IMPORTS}import type { Gone } from "./gone.ts";
import type { Deep } from "./other.ts";
const router = createRouter();
interface Wrong {
  /** @minimum abc */
  a: number;
}
${REFUSED.map(([, , one]) => one).join("\n")}
router.get("/fine", () => json({ fine: true }));
export { router };
`;
  const other = "/** Its text. */\nexport interface Deep { list: { big: bigint }[] }\n";
  await withTypedProject({ "c.ts": code, "other.ts": other }, async ({ generate, files }) => {
    const run = await generate("--controllers", "c.ts");
    assertEquals([run.code, run.stdout], [1, ""]);
    const lines = run.stderr.trim().split("\n").map((line) => line.trim());
    for (const [why, route, , told] of REFUSED) {
      const [line, ...others] = lines.filter((one) => one.startsWith(`${route}: `));
      assert(line !== undefined && others.length === 0, `${why}: ${run.stderr}`);
      assertMatch(line, told, why);
      assertMatch(line, /: (?:c|other)\.ts:\d+:\d+: /, why);
    }
    assert(!run.stderr.includes("/fine"), run.stderr);
    assertEquals(Object.keys(await files()).sort(), ["c.ts", "other.ts"]);
  });
});

Deno.test("generate names the line of a type that JSON cannot represent", async () => {
  const code = `${TYPED_IMPORTS}const router = createRouter();
interface Page<T> {
  items: T[];
  seen: Set<string>;
}
router.get("/pages", (): TypedResponse<Page<string>> => json(1 as never));
export { router };
`;
  const line = code.split("\n").findIndex((one) => one.includes("seen:")) + 1;
  await withTypedProject({ "c.ts": code }, async ({ generate }) => {
    const { stderr } = await generate("--controllers", "c.ts");
    assertStringIncludes(stderr, `GET /pages: c.ts:${line}:3: Page_string.seen`);
  });
});

Deno.test("generate notes a route whose types are not found", async () => {
  const code = `const args = ["/spread", () => json({ a: 1 })] as const;
    router.get(...args);
    router.get("/fine", () => json({ fine: 1 }));`;
  const { document, stderr } = await typedDocument(code, { before: BEFORE });
  assertEquals(stderr, "Note: the types of GET /spread were not found\n");
  assertEquals(toldOf(document, "GET /fine"), { sent: { 200: objectOf({ fine: NUMBER }) } });
  assertEquals(toldOf(document, "GET /spread"), { sent: { 200: null } });
});
