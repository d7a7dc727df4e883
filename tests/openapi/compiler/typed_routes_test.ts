/** Routes that are documented by their types: stated, inferred, in other files, and of helpers. */

import type { SchemaObject } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { literal, NUMBER, objectOf, ref, TEXT } from "./_types.ts";
import { APPLICATION } from "../_typed_application.ts";
import { type RouteCase, testRoutes, typedDocument } from "../_typed_routes.ts";

const BOOLEAN: SchemaObject = { type: "boolean" };
const DATE = { ...TEXT, format: "date-time" };
const BINARY = { ...TEXT, format: "binary" };
const NO_BODY: SchemaObject = { type: "object" };

const id = { id: TEXT };

const STATED: readonly RouteCase[] = [
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
    "a form that says nothing of its fields",
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
    "a handler that sends what nobody knows",
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
    "a route behind signs of two code units",
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

testRoutes([...STATED, ...INFERRED, ...PLACES], APPLICATION);

Deno.test("generate writes the same bytes of types, whatever else is declared", async () => {
  const code = [...STATED, ...INFERRED].map(([, , one]) => one).join("\n");
  const more =
    `type Other = "b" | "a"; interface Zoo { pet: Other } export const zoo: Zoo = { pet: "b" };\n`;
  const [first, second, third] = await Promise.all([
    typedDocument(code, APPLICATION),
    typedDocument(code, APPLICATION),
    typedDocument(code, { ...APPLICATION, before: APPLICATION.before + more }),
  ]);
  assertEquals(JSON.stringify(second.document), JSON.stringify(first.document));
  assertEquals(JSON.stringify(third.document), JSON.stringify(first.document));
  assertEquals(first.stderr, "");
});
