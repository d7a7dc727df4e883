import { assertEquals } from "@std/assert";
import { assertMounted, assertRoutes, type RouteTexts, typedRoutes } from "./_type_projects.ts";

const HEAD = `import {
  Controller, createRouter, Get, json, type Middleware, Post, type RequestSpec, type ResponseSpec,
  routerBuilder,
} from "@gatehouse/http";
interface A { a: 1 }
interface B { b: 1 }
const router = createRouter();
`;
const INFO = `
export { router };
export const info = { title: "Sites", version: "1" };
`;
const A = "A { a: 1 }";
const B = "B { b: 1 }";

/** How routes are said, and what the document says of them. */
const CALLS: readonly (readonly [string, string, RouteTexts])[] = [
  [
    "several in a line",
    `router.get("/1", () => json({} as A)); router.get("/2", () => json({} as B));
     /* 😀 é */ const text = "𝒳"; router.post("/3", (req: { content: A }) => json({} as B));`,
    { "GET /1": A, "GET /2": B, "POST /3": `${A} => ${B}` },
  ],
  [
    "a chain",
    `router.get("/1", () => json({} as A))
       .get("/2", () => json({} as B)).get("/3", () => json(1));`,
    { "GET /1": A, "GET /2": B, "GET /3": "number" },
  ],
  [
    "a chain across lines, with comments",
    `router
      .get("/1", () => json({} as A)) // ("/x", () => json({} as B))
      /* router.get( */
      .get(
        "/2",
        () => json({} as B),
      )
      .  get   (  "/3", () => json({} as A))
      .
      get
      (
        "/4", () => json({} as B));`,
    { "GET /1": A, "GET /2": B, "GET /3": A, "GET /4": B },
  ],
  [
    "calls with type arguments",
    `router.get<RequestSpec, ResponseSpec<A>>("/1", () => json({} as A));
     router.get("/2", () => json({} as B)).get<
       RequestSpec,
       ResponseSpec<A>
     >("/3", () => json({} as A));`,
    { "GET /1": A, "GET /2": B, "GET /3": A },
  ],
  [
    "members that are computed",
    `router["get"]("/1", () => json({} as A))["get"]("/2", () => json({} as B));
     const name = "get" as const;
     router[name]("/3", () => json({} as A));`,
    { "GET /1": A, "GET /2": B, "GET /3": A },
  ],
  [
    "callees in parentheses, with assertions and optional",
    `(router.get)("/1", () => json({} as A));
     router?.get("/2", () => json({} as B));
     router.get?.("/3", () => json({} as A));
     router!.get!("/4", () => json({} as B));
     (router as typeof router).get("/5", () => json({} as A));`,
    { "GET /1": A, "GET /2": B, "GET /3": A, "GET /4": B, "GET /5": A },
  ],
  [
    "methods that were taken out",
    `const { get, post: add } = router;
     get("/1", () => json({} as A));
     add("/2", (req: { content: B }) => json(req.content));
     router.get.bind(router)("/3", () => json({} as A));`,
    { "GET /1": A, "POST /2": `${B} => ${B}`, "GET /3": A },
  ],
  [
    "loops and callbacks",
    `for (const path of ["/1", "/2"] as const) router.get(path, () => json({} as A));
     ["/3"].forEach((path) => router.get(path as "/x", () => json({} as B)));
     function* all() { yield router.get("/4", () => json({} as A)); }
     [...all()];
     [1].map(() => [2].map(() => router.get("/5", () => json({} as B))));`,
    { "GET /1": A, "GET /2": A, "GET /3": B, "GET /4": A, "GET /5": B },
  ],
  [
    "asynchronous functions",
    `async function later() {
       await Promise.resolve();
       router.get("/1", () => json({} as A));
       for await (const _ of [1]) router.get("/2", () => json({} as B));
     }
     await later();
     await new Promise<void>((done) => setTimeout(() => {
       router.get("/3", () => json({} as A));
       done();
     }));
     queueMicrotask(() => router.get("/4", () => json({} as B)));
     await Promise.resolve();`,
    { "GET /1": A, "GET /2": B, "GET /3": A, "GET /4": B },
  ],
  [
    "classes",
    `class Api {
       static { router.get("/1", () => json({} as A)); }
       field = router.get("/2", () => json({} as B));
       constructor(to: typeof router) { to.get("/3", () => json({} as A)); }
       handle = () => json({} as A);
       list() { return json({} as B); }
       get more() { return router.get("/4", this.handle); }
       #add() { router.get("/5", this.list); return this; }
       add() { return this.#add(); }
     }
     new Api(router).add().more;`,
    { "GET /1": A, "GET /2": B, "GET /3": A, "GET /5": B, "GET /4": A },
  ],
  [
    "calls in calls",
    `router.get(((path) => { router.get("/1", () => json({} as A)); return path; })("/2" as const),
       () => json({} as B));
     \`\${router.get("/3", () => json({} as A))}\`;
     void (true ? router.get("/4", () => json({} as B)) : router.get("/5", () => json({} as A)));`,
    { "GET /1": A, "GET /2": B, "GET /3": A, "GET /4": B },
  ],
  [
    "handlers in variables, objects and the places behind a spread",
    `const handler = () => json({} as A);
     const all = { list: async () => await json({} as B), find() { return json({} as A); } };
     const rest = [() => json({} as B)] as const;
     router.get("/1", handler).get("/2", all.list).get("/3", all.find).get("/4", ...rest);`,
    { "GET /1": A, "GET /2": B, "GET /3": A, "GET /4": B },
  ],
  [
    "a function for routes of any router",
    `function list<T extends A | B>(to: typeof router, path: "/1", of: () => T) {
       to.get(path, () => json({ all: [{} as A], one: null }));
       return of();
     }
     list(router, "/1", () => ({}) as B);`,
    { "GET /1": `{ all: ${A}[], one: null }` },
  ],
];
Deno.test("generate finds the types of a route, however a router's method is called", async () => {
  const cases = CALLS.map(([how, code, expected]) => [how, HEAD + code + INFO, expected] as const);
  await assertMounted(cases);
});

Deno.test("generate finds the types of routes of a builder and its extensions", async () => {
  const code = `
const extra = (to: ReturnType<typeof createRouter>) => { to.get("/1", () => json({} as A)); };
@Controller("/c") class C { @Get("/") list() { return json({} as B); } }
export const built = routerBuilder().prefix("/api").controllers(C)
  .extend((to) => { extra(to as never); to.get("/2", () => json({} as B)); })
  .build();
export { built as default };
export const info = { title: "Sites", version: "1" };`;
  const run = await typedRoutes({ "main.ts": HEAD + code });
  assertRoutes(run, { "GET /api/c": B, "GET /api/1": A, "GET /api/2": B });
});

/** Ways to add a route which no call in a file stands for. */
const UNKNOWN: readonly (readonly [string, string])[] = [
  ["through call()", `router.get.call(router, "/a", () => json({} as A));`],
  ["through apply()", `router.get.apply(router, ["/a", () => json({} as A)]);`],
  ["through Reflect", `Reflect.apply(router.get, router, ["/a", () => json({} as A)]);`],
  ["with a spread", `const all = ["/a", () => json({} as A)] as const; router.get(...all);`],
  ["in eval()", `const keep = [json]; eval('router.get("/a", () => json({}))');`],
  [
    "by new Function()",
    `new Function("to", "json", 'to.get("/a", () => json({}))')(router, json);`,
  ],
  [
    "of a timer",
    `await new Promise((r) => { setTimeout(router.get, 0, "/a", json); setTimeout(r, 9); });`,
  ],
];
Deno.test("generate notes routes that no call stands for, and describes the others", async () => {
  const code = UNKNOWN.map(([, code], i) => `{ ${code.replaceAll("/a", `/${i}`)} }\n`).join("");
  const known = `router.get("/known", () => json({} as A));`;
  const { code: exit, stderr, routes } = await typedRoutes({
    "main.ts": HEAD + code + known + INFO,
  });
  const notes = UNKNOWN.map((_, i) => `Note: the types of GET /${i} were not found`);
  assertEquals([exit, stderr.trimEnd().split("\n").toSorted()], [0, notes]);
  assertEquals(routes, {
    ...Object.fromEntries(UNKNOWN.map((_, i) => [`GET /${i}`, "nothing"])),
    "GET /known": A,
  });
});

/** A file with routes, each of a type that is like no other. */
const ROUTES = `import { createRouter, json } from "@gatehouse/http";
interface A { a: 1 }
interface B { b: 1 }
export const router = createRouter();
router.get("/1", () => json({} as A)); router.get("/2", () => json({} as B));

router
  .get("/3", () => json({} as A));
export const info = { title: "Sites", version: "1" };
`;
const EXPECTED: RouteTexts = { "GET /1": A, "GET /2": B, "GET /3": A };

/** How the text of a file is. */
const TEXTS: readonly (readonly [string, string])[] = [
  ["with CRLF", ROUTES.replaceAll("\n", "\r\n")],
  ["with CR", ROUTES.replaceAll("\n", "\r")],
  ["with line separators", ROUTES.replaceAll("\n", "\u2028")],
  ["with a byte order mark", `\uFEFF${ROUTES}`],
  ["with a byte order mark, in one line", `\uFEFF${ROUTES.replaceAll("\n", " ")}`],
  ["with tabs", ROUTES.replaceAll("\n", "\n\t\t")],
  ["with astral characters", ROUTES.replaceAll("router.", "/*😀👩‍👧*/ router.")],
  ["behind a shebang", `#!/usr/bin/env -S deno run\n${ROUTES}`],
  ["in a very long line", `/*${"x".repeat(200_000)}*/ ${ROUTES.replaceAll("\n", " ")}`],
  ["behind very many lines", "\n".repeat(70_000) + ROUTES],
];
Deno.test("generate finds routes in files of every kind of text", async () => {
  await assertMounted(TEXTS.map(([how, text]) => [how, text, EXPECTED]));
});

/** Names of folders that URLs write in another way. */
const FOLDERS: readonly string[] = [
  "a b",
  "ü",
  "😀",
  "#x",
  "100%",
  "%41",
  "a:1:2",
  "at (a:1:2)",
  "[x]",
  "a?b",
  "it's & +~",
];
Deno.test("generate finds routes in folders whose names URLs write in another way", async () => {
  const folders = Deno.build.os === "windows" ? ["a b", "ü", "#x", "%41"] : FOLDERS;
  await assertMounted(
    folders.map((folder) => [folder, ROUTES, EXPECTED]),
    (folder) => `${folder}/routes.ts`,
  );
});

Deno.test("generate finds routes of linked files in linked folders", async () => {
  const files = {
    "real/deep/types.ts": "export interface A { a: 1 }\n",
    "real/deep/routes.ts": ROUTES.replace(
      "interface A { a: 1 }",
      'import type { A } from "./types.ts";',
    ),
    "main.ts": 'export * from "./link/file.ts";\n',
  };
  const link =
    `Deno.symlinkSync("real/deep", "link"); Deno.symlinkSync("routes.ts", "real/deep/file.ts");`;
  assertRoutes(await typedRoutes(files, ({ deno }) => deno("eval", link)), EXPECTED);
});

Deno.test("generate finds routes in a file that was given through a link", async () => {
  const link = `Deno.symlinkSync("real/main.ts", "main.ts");`;
  const run = await typedRoutes({ "real/main.ts": ROUTES }, ({ deno }) => deno("eval", link));
  assertRoutes(run, EXPECTED);
});
