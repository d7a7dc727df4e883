/**
 * The statuses of handlers whose routes state their types, where code and types are read together.
 */

import { NUMBER, objectOf, ref, TEXT } from "./_types.ts";
import { type RouteCase, testRoutes } from "../_typed_routes.ts";

const BEFORE = `
import { json as ownJson } from "./router/response.ts";
interface Pet { name: string }
declare const loose: ResponseInit;
const created = { status: 201 } as const;
const pet: Pet = { name: "Tom" };
function spare(): TypedResponse<Pet, 203> { return json(pet, { status: 203 }); }
const router = createRouter();
`;

/** An application may have modules that are called like ours. */
const FILES = {
  "router/response.ts": `import { json as ours, type TypedResponse } from "@gatehouse/http";
export function json<T>(data: T): TypedResponse<T, 202> { return ours(data, { status: 202 }); }
`,
};

const PET = ref("Pet");

/** Adds a route that states what it sends. */
function stated(path: string, handler: string): string {
  return `router.get<RequestSpec, ResponseSpec<Pet>>("${path}", ${handler});`;
}

const CASES: readonly RouteCase[] = [
  [
    "a handler that only throws",
    "GET /throws",
    stated("/throws", `() => { throw new HttpError(404, "gone"); }`),
    { sent: { 200: PET } },
  ],
  [
    "a function of the application that is called like ours",
    "GET /own",
    stated("/own", "() => ownJson(pet)"),
    { sent: { 202: PET } },
  ],
  [
    "a function of the application that knows its status",
    "GET /spare",
    stated("/spare", "() => spare()"),
    { sent: { 203: PET } },
  ],
  [
    "a status in a constant",
    "GET /constant",
    stated("/constant", "() => json(pet, created)"),
    { sent: { 201: PET } },
  ],
  [
    "a status that is spread, and one behind it",
    "GET /spread",
    stated("/spread", "() => json(pet, { ...loose, status: 201 })"),
    { sent: { 201: PET } },
  ],
  [
    "a status that another one may replace",
    "GET /replaced",
    stated("/replaced", "() => json(pet, { status: 201, ...created, ...loose })"),
    { sent: { 200: PET } },
  ],
  [
    "returns of functions inside of the handler",
    "GET /inside",
    stated(
      "/inside",
      `() => {
        const inner = () => { return 1; };
        class Inside { run() { return 2; } }
        if (inner() > new Inside().run()) return json(pet, { status: 206 });
        return (json(pet));
      }`,
    ),
    { sent: { 200: PET, 206: PET } },
  ],
  [
    "a choice of data, nothing and another place",
    "GET /choice",
    stated(
      "/choice",
      `(req) => req.headers.has("a") ? json(pet) : req.headers.has("b") ? empty() : redirect("/a")`,
    ),
    { sent: { 200: PET, 204: null, 302: null } },
  ],
  [
    "a problem beside data, by the types of the handler",
    "GET /annotated",
    stated(
      "/annotated",
      `(req): TypedResponse<Pet, 200> | TypedResponse<never, 409> =>
        req.headers.has("a") ? json(pet) : problem(409, "taken")`,
    ),
    { sent: { 200: PET, 409: null } },
  ],
  [
    "data of a known status beside data of any",
    "GET /known",
    `router.get("/known", (req) =>
      req.headers.has("a") ? json({ n: 1 }, { status: 201 }) : json({ t: "" }, loose));`,
    { sent: { 200: objectOf({ t: TEXT }), 201: objectOf({ n: NUMBER }) } },
  ],
];
testRoutes(CASES, { before: BEFORE, files: FILES });
