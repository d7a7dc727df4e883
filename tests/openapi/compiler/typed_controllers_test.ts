/** Controllers' methods and guarded routes that are documented by their types. */

import type { SchemaObject } from "@gatehouse/http";
import { APPLICATION } from "../_typed_application.ts";
import { literal, NUMBER, objectOf, ref, TEXT } from "./_types.ts";
import { type RouteCase, testRoutes } from "../_typed_routes.ts";

const BOOLEAN: SchemaObject = { type: "boolean" };
const id = { id: TEXT };

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
  ["a method that sends what it likes", "GET /pets/unsaid", "", { sent: { 200: null } }],
  ["a method of a generic base class", "GET /pets/all", "", { sent: { 200: ref("Page_Pet") } }],
  ["a method of a base class that says none", "GET /pets/inferred", "", {
    sent: { 200: objectOf({ one: NUMBER }) },
  }],
  ["a method of the base class's base class", "GET /more/all", "", {
    sent: { 200: ref("Page_Pet") },
  }],
  ["a method that replaces one", "GET /more/unsaid", "", { sent: { 200: literal(1) } }],
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
