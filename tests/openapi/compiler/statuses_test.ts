import { assertEquals } from "@std/assert";
import { type RouteCase, testRoutes } from "../_typed_routes.ts";
import { withTypedProject } from "./_process.ts";
import { NUMBER, objectOf, ref, TEXT } from "./_types.ts";

/** Handlers, and the responses that follow from their types: status, and the type of the data where there is any. */
const HANDLERS:
  readonly (readonly [handler: string, responses: Readonly<Record<string, unknown>>])[] = [
    ["() => json(1)", { 200: "number" }],
    ["() => json(1, { status: 201 })", { 201: "number" }],
    ["() => json(1, { headers: { A: 'b' } })", { 200: "number" }],
    ["() => json(1, { status: 201 as number })", { 200: "number" }],
    ["(req) => json(1, { status: (req.body ? 200 : 202) as 200 | 202 })", {
      200: "number",
      202: "number",
    }],
    ["async () => await Promise.resolve(json(1, { status: 202 }))", { 202: "number" }],
    ["() => empty()", { 204: undefined }],
    ["() => empty(205)", { 205: undefined }],
    ["() => empty(304, { headers: { ETag: 'a' } })", { 304: undefined }],
    ["() => redirect('/a')", { 302: undefined }],
    ["(req) => websocket(req, { message: (socket, data) => void socket.send(data) })", {
      101: undefined,
    }],
    ["() => redirect('/a', 308)", { 308: undefined }],
    ["(req) => req.headers.has('a') ? empty() : json('a', { status: 201 })", {
      201: "string",
      204: undefined,
    }],
    ["(req) => req.headers.has('a') ? json('a', { status: 201 }) : json(1, { status: 201 })", {
      201: ["number", "string"],
    }],
    ["(req) => req.headers.has('a') ? json(1) : json('no', { status: 409 })", {
      200: "number",
      409: "string",
    }],
    ["(req) => req.headers.has('a') ? json(1) : problem(410, 'gone')", {
      200: "number",
      410: undefined,
    }],
    ["(req) => req.headers.has('a') ? json(1) : pass()", { 200: "number" }],
    ["() => new Response('text')", { 200: undefined }],
    ["(req) => req.headers.has('a') ? json(1) : new Response('text')", { 200: undefined }],
    ["() => json(null as unknown)", { 200: undefined }],
    ["(): TypedResponse<string> => json('a', { status: 201 })", { 200: "string" }],
    ["(): TypedResponse<string, 201> => json('a', { status: 201 })", { 201: "string" }],
    ["() => { throw new Error() }", { 200: undefined }],
    ["() => json<string>('a')", { 200: "string" }],
    ["() => json<string>('a', { status: 201 })", { 200: "string" }],
  ];

interface Sent {
  readonly content?: Readonly<Record<string, { readonly schema?: { readonly type?: unknown } }>>;
  readonly $ref?: string;
}

/** What the handler sends, by status: the type of its JSON; the router's refusals are references. */
function sentBy(responses: Readonly<Record<string, Sent>>): unknown {
  return Object.fromEntries(
    Object.entries(responses).filter(([, { $ref }]) => $ref === undefined)
      .map(([status, { content }]) => [status, content?.["application/json"]?.schema?.type]),
  );
}

Deno.test("generate documents the statuses in the types of handlers", async (t) => {
  const routes = HANDLERS.map(([handler], i) => `.get("/${i}", ${handler})`).join("\n  ");
  const program = `
import { createRouter, empty, json, pass, problem, redirect, type TypedResponse, websocket } from "@gatehouse/http";
export const router = createRouter({ info: { title: "t", version: "1" } })
  ${routes};
`;
  await withTypedProject({ "app.ts": program }, async ({ generate, document }) => {
    assertEquals((await generate("--controllers", "app.ts")).stderr, "");
    const { paths } = await document();
    for (const [i, [handler, responses]] of HANDLERS.entries()) {
      await t.step(handler, () => {
        const found = paths[`/${i}`]?.get?.responses as Readonly<Record<string, Sent>>;
        assertEquals(sentBy(found), responses);
      });
    }
  });
});

Deno.test("generate combines statuses with metadata and schema", async () => {
  const program = `
import { createRouter, empty, json, problem, type RequestSpec, type ResponseSpec } from "@gatehouse/http";
import { z } from "zod";
interface Note { id: string }
const two = { openapi: { responses: { 201: { description: "Made" }, 404: { description: "Away" } } } };
export const router = createRouter({ info: { title: "t", version: "1" } })
  .get("/made", () => json({ id: "a" } as Note, { status: 201 }), two)
  .get("/either", (req) => req.headers.has("a") ? json({ id: "a" } as Note, { status: 201 }) : empty(), two)
  .get("/open", () => json({ id: "a" } as Note, { status: 201 as number }), two)
  .get("/gone", (req) => req.headers.has("a") ? json(1, { status: 201 }) : problem(404, "no_such_note"), two)
  .get("/checked", () => json({ id: "a" }, { status: 201 }), { schema: { response: z.object({ id: z.string() }) } })
  .get<RequestSpec, ResponseSpec<Note>>("/stated", () => json({ id: "a" }, { status: 202 }));
`;
  await withTypedProject({ "app.ts": program }, async ({ generate, document }) => {
    assertEquals((await generate("--controllers", "app.ts")).stderr, "");
    const { paths } = await document();
    const found = Object.entries(paths).map(([path, { get }]) => {
      const responses = get?.responses as Readonly<Record<string, Sent & { description?: string }>>;
      const own = Object.entries(responses).filter(([, { $ref }]) => $ref === undefined);
      return [
        path,
        own.map(([status, { description, content = {} }]) => [
          status,
          description,
          ...Object.keys(content),
          ...Object.entries(content).filter(([type]) => type === "application/json")
            .map(([, { schema }]) => JSON.stringify(schema)),
        ]),
      ];
    });
    const note = '{"$ref":"#/components/schemas/Note"}';
    const away = ["404", "Away", "application/problem+json"];
    assertEquals(found, [
      ["/made", [["201", "Made", "application/json", note], away]],
      ["/either", [["201", "Made", "application/json", note], ["204", "No Content"], away]],
      ["/open", [["201", "Made", "application/json", note], away]],
      ["/gone", [["201", "Made", "application/json", '{"type":"number"}'], away]],
      ["/checked", [[
        "201",
        "Created",
        "application/json",
        '{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}',
      ]]],
      ["/stated", [["202", "Accepted", "application/json", note]]],
    ]);
  });
});

Deno.test("generate documents streams of events, inferred and stated, by the schema of their data", async () => {
  const program = `
import { createRouter, type EventStream, json, sse, type RequestSpec, type ResponseSpec } from "@gatehouse/http";
interface Note { id: string }
const notes = async function* () { yield { event: "note", data: { id: "a" } as Note } };
function typed(): EventStream<Note> { throw new Error() }
export const router = createRouter({ info: { title: "t", version: "1" } })
  .get("/inferred", (req) => sse(req, notes))
  .get("/annotated", () => typed())
  .get<RequestSpec, ResponseSpec<Note>>("/stated", (req) => sse(req, notes))
  .get<RequestSpec, ResponseSpec<Note>>("/either", (req) => req.headers.has("a") ? sse(req, notes) : json({ id: "a" }));
`;
  await withTypedProject({ "app.ts": program }, async ({ generate, document }) => {
    assertEquals((await generate("--controllers", "app.ts")).stderr, "");
    const { paths } = await document();
    const schema = { $ref: "#/components/schemas/Note" };
    const events = { "text/event-stream": { schema } };
    const told = Object.entries(paths).map(([path, { get }]) => [
      path,
      (get?.responses as Readonly<Record<string, Sent>>)["200"]?.content,
    ]);
    assertEquals<unknown>(told, [
      ["/inferred", events],
      ["/annotated", events],
      ["/stated", events],
      ["/either", { "application/json": { schema }, ...events }],
    ]);
  });
});

Deno.test("generate rejects metadata for a success that the handler does not send", async () => {
  const program = `
import { createRouter, json } from "@gatehouse/http";
export const router = createRouter({ info: { title: "t", version: "1" } })
  .get("/a", () => json(1, { status: 201 }), { openapi: { responses: { 200: { description: "x" } } } })
  .get("/b", () => json(1, { status: 201 }), { openapi: { responses: { "2XX": { description: "x" } } } });
`;
  await withTypedProject({ "app.ts": program }, async ({ generate }) => {
    const { code, stderr } = await generate("--controllers", "app.ts");
    assertEquals([code, stderr], [
      1,
      "Cannot write the document:\n  GET /a: its metadata has a 200, but its handler sends 201\n",
    ]);
  });
});

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
    "a status in a spread, and one after it",
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
