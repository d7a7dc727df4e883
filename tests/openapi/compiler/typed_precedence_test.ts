/**
 * What describes a route first: its metadata, then its validators, then its types. And what happens
 * where none can.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withTypedProject } from "./_process.ts";
import { NUMBER, objectOf, ref, TEXT } from "./_types.ts";
import {
  type RouteCase,
  testRoutes,
  toldOf,
  TYPED_IMPORTS,
  typedDocument,
} from "../_typed_routes.ts";

const DATE = { ...TEXT, format: "date-time" };
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
    "what a coerced date takes of nobody, since Zod describes it",
    "POST /coerced",
    `router.post("/coerced", (req) => json({ at: req.content.at }),
      { schema: { body: z.object({ at: z.coerce.date() }) } });`,
    { body: objectOf({ at: DATE }), sent: { 200: objectOf({ at: DATE }) } },
  ],
  [
    "what a validator takes that describes nothing",
    "POST /valibot",
    `router.post("/valibot", (req) => json({ got: req.content.title }),
      { schema: { body: Item } });`,
    { body: item, sent: { 200: objectOf({ got: TEXT }) } },
  ],
  [
    "what a validator takes, and not what it gives",
    "GET /count",
    `router.get("/count", (req) => json({ n: req.query.n }),
      { schema: { query: v.object({ n: Count, m: v.optional(v.string()) }) } });`,
    { query: { n: TEXT, "m?": TEXT }, sent: { 200: objectOf({ n: NUMBER }) } },
  ],
  [
    "what a validator of path parameters takes",
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
    "a response of which a transformation says nothing",
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

/** Routes without a document, and what is said of each. */
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

Deno.test("generate says of types that JSON cannot represent where they are, and in which route", async () => {
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

Deno.test("generate says at which line a type stands that JSON cannot represent", async () => {
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

Deno.test("generate notes a route whose types it does not find", async () => {
  const code = `const args = ["/spread", () => json({ a: 1 })] as const;
    router.get(...args);
    router.get("/fine", () => json({ fine: 1 }));`;
  const { document, stderr } = await typedDocument(code, { before: BEFORE });
  assertEquals(stderr, "Note: the types of GET /spread were not found\n");
  assertEquals(toldOf(document, "GET /fine"), { sent: { 200: objectOf({ fine: NUMBER }) } });
  assertEquals(toldOf(document, "GET /spread"), { sent: { 200: null } });
});
