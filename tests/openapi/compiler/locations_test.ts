import { assert, assertEquals, assertMatch } from "@std/assert";
import { listenForDefinitions, locationsOf } from "../../../openapi/compiler/_stacks.ts";
import { reportDefinition } from "../../../router/_origin.ts";
import { withProject } from "../_cli.ts";
import {
  assertRoutes,
  mountAll,
  ownTypedRoutes,
  type RouteTexts,
  typedRoutes,
  typeRun,
} from "./_type_projects.ts";
import { EXHAUSTIVE } from "../../_effort.ts";
import { makeLinks, withTypedProject } from "./_process.ts";

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

/** How routes are defined, and the expected documentation. */
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
    "handlers in variables, objects and positions after a spread",
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
  await assertMounted("call");
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

/** Ways to add a route without a call in the source. */
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
Deno.test("generate notes routes without a call in the source and describes the others", async () => {
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
  ["after a shebang", `#!/usr/bin/env -S deno run\n${ROUTES}`],
  ["in a very long line", `/*${"x".repeat(200_000)}*/ ${ROUTES.replaceAll("\n", " ")}`],
  ["after very many lines", "\n".repeat(70_000) + ROUTES],
];
Deno.test("generate finds routes in files with any line ends and encoding marks", async () => {
  await assertMounted("text");
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
Deno.test("generate finds routes in folders whose names are escaped in URLs", async () => {
  await assertMounted("folder");
});

Deno.test("generate finds routes of symlinked files in symlinked folders", async () => {
  const files = {
    "real/deep/types.ts": "export interface A { a: 1 }\n",
    "real/deep/routes.ts": ROUTES.replace(
      "interface A { a: 1 }",
      'import type { A } from "./types.ts";',
    ),
    "main.ts": 'export * from "./link/file.ts";\n',
  };
  const links = { "link": "real/deep", "real/deep/file.ts": "routes.ts" };
  assertRoutes(await typedRoutes(files, ({ folder }) => makeLinks(folder, links)), EXPECTED);
});

Deno.test("generate finds routes in a file that was given through a symlink", async () => {
  const run = await typedRoutes(
    { "real/main.ts": ROUTES },
    ({ folder }) => makeLinks(folder, { "main.ts": "real/main.ts" }),
  );
  assertRoutes(run, EXPECTED);
});

const IMPORTS = `import {
  Controller, createRouter, Get, json, Post, routerBuilder, type TypedRequest,
} from "@gatehouse/http";
`;
const HEAD_CLASS = `${IMPORTS}interface A { a: 1 }
interface B { b: 1 }
`;

/** How controllers are defined, what the router gets, and the documentation of their routes. */
const CLASSES: readonly (readonly [string, string, string, RouteTexts])[] = [
  [
    "a class",
    `@Controller("/a") class Own { @Get("/") list() { return json({} as A); } }`,
    "Own",
    { "GET /a": A },
  ],
  [
    "classes of one name in several functions",
    `function f() {
       @Controller("/a") class Same { @Get("/") list() { return json({} as A); } }
       return Same;
     }
     function g() {
       @Controller("/b") class Same { @Get("/") list() { return json({} as B); } }
       return Same;
     }`,
    "f(), g()",
    { "GET /a": A, "GET /b": B },
  ],
  [
    "a class beside one of its name that is not a controller",
    `function f() { class Same { list() { return json({} as B); } } return new Same(); }
     @Controller("/a") class Same { @Get("/") list() { return json({} as A); } }
     f();`,
    "Same",
    { "GET /a": A },
  ],
  [
    "a class in one of its name",
    `@Controller("/a") class Same {
       static inner = (() => {
         @Controller("/b") class Same { @Get("/") list() { return json({} as B); } }
         return Same;
       })();
       @Get("/") list() { return json({} as A); }
     }`,
    "Same, Same.inner",
    { "GET /a": A, "GET /b": B },
  ],
  [
    "anonymous classes",
    `const all = [
       @Controller("/a") class { @Get("/") list() { return json({} as A); } },
       @Controller("/b") class { @Get("/") list() { return json({} as B); } },
     ];`,
    "...all",
    { "GET /a": A, "GET /b": B },
  ],
  [
    "a class in a variable",
    `const Own = @Controller("/a") class { @Get("/") list() { return json({} as A); } };`,
    "Own",
    { "GET /a": A },
  ],
  [
    "a named class in a variable",
    `const Own = @Controller("/a") class Inner { @Get("/") list() { return json({} as A); } };`,
    "Own",
    { "GET /a": A },
  ],
  [
    "generic base classes",
    `abstract class Base<T> {
       abstract make(): T;
       @Get("/one") one() { return json(this.make()); }
       @Get("/all") all() { return json({} as { all: T[] }); }
     }
     @Controller("/a") class Sub extends Base<A> { make() { return {} as A; } }
     @Controller("/b") class Other extends Base<B> {
       make() { return {} as B; }
       override all() { return json({ all: [] as B[], more: 1 as const }); }
     }`,
    "Sub, Other",
    {
      "GET /a/one": A,
      "GET /a/all": `{ all: ${A}[] }`,
      "GET /b/one": B,
      "GET /b/all": `{ all: ${B}[], more: 1 }`,
    },
  ],
  [
    "a class made by a function, several times",
    `function make<T extends string>(path: T) {
       @Controller(path) class Made { @Get("/") list() { return json({ a: {} as A, b: [1] }); } }
       return Made;
     }`,
    `make("/a"), make("/b")`,
    { "GET /a": `{ a: ${A}, b: number[] }`, "GET /b": `{ a: ${A}, b: number[] }` },
  ],
  [
    "decorators of the application around those of the package",
    `type Decorator = (target: never, context: never) => void;
     const Api = (path: string) => (target: never, context: never) =>
       (Controller("/api" + path) as Decorator)(target, context);
     class Tools { static Api(path: string) {
       return (target: never, context: never) =>
         (Controller("/x" + path) as Decorator)(target, context);
     } }
     const Read = (path: string) => Get(path, { summary: "Reads" });
     @Api("/a") class Own { @Read("/") list() { return json({} as A); } }
     @Tools.Api("/b") class Other { @Read("/") list() { return json({} as B); } }`,
    "Own, Other",
    { "GET /api/a": A, "GET /x/b": B },
  ],
  [
    "overloads, asynchronous methods and bodies",
    `@Controller("/a") class Own {
       @Get("/1") async one() { return await Promise.resolve(json({} as A)); }
       @Post("/2") two(req: { content: B }) { return json(req.content); }
     }`,
    "Own",
    { "GET /a/1": A, "POST /a/2": `${B} => ${B}` },
  ],
];

Deno.test("generate finds the types of a controller, however its class is defined", async () => {
  await assertMounted("class");
});

Deno.test("generate finds controllers of one name in several files, without a router", async () => {
  const file = (name: string): string =>
    `${IMPORTS}interface ${name} { ${name.toLowerCase()}: 1 }
     @Controller("/${name.toLowerCase()}")
     export class Same { @Get("/") list() { return json({} as ${name}); } }`;
  const files = {
    "one.ts": file("A"),
    "two.ts": file("B"),
    "three.ts": `${HEAD_CLASS}@Controller("/c")
     export default class { @Get("/") list() { return json({} as B); } }`,
    "main.ts": `import "./one.ts"; import "./two.ts"; import "./three.ts";
      export const info = { title: "Classes", version: "1" };`,
  };
  await withProject(files, async (project) => {
    const run = await typeRun(project, await project.generate("--controllers", "main.ts"));
    assertRoutes(run, { "GET /a": A, "GET /b": B, "GET /c": B });
  });
});

Deno.test("generate does not select a class at the line of a compiler's helper", async () => {
  // Frames of what decorators are compiled to have lines of the compiled file
  const filler = Array.from({ length: 60 }, (_, i) =>
    `const C${i} = @Controller("/f${i}") class {
       @Get("/") list() { return json({} as A); }



     };
`).join("");
  const last =
    `const Last = @Controller("/last") class { @Get("/") list() { return json({} as B); } };`;
  const run = await typedRoutes({
    "main.ts": `${HEAD_CLASS}${filler}${last}
export const router = routerBuilder().controllers(Last, C0).build();
export const info = { title: "Classes", version: "1" };`,
  });
  assertEquals(run.routes, { "GET /last": B, "GET /f0": A });
});

/** The compiler options of both kinds of decorators. */
const MODES: readonly (readonly [string, Readonly<Record<string, boolean>>])[] = [
  ["TC39's", {}],
  ["experimentalDecorators", { experimentalDecorators: true }],
];
for (const [mode, compilerOptions] of EXHAUSTIVE ? MODES : MODES.slice(0, 1)) {
  Deno.test(`generate finds classes that are decorated by ${mode}`, async () => {
    const main = `${HEAD_CLASS}
const Api = (path: string) => Controller(path);
@Api("/a") class One { @Get("/") list() { return json({} as A); } }
abstract class Base<T> { @Get("/base") base() { return json({} as T); } }
@Controller("/b")
export class Two extends Base<A> {
  @Get("/")
  list() { return json({} as B); }
}
function f() {
  @Controller("/c") class Two { @Get("/") list() { return json({} as A); } }
  return Two;
}
export const router = routerBuilder().controllers(One, Two, f()).build();
export const info = { title: "Classes", version: "1" };`;
    const shared = Object.keys(compilerOptions).length === 0; // the process has the defaults
    const { code, stderr, routes } = await ownTypedRoutes(
      { compilerOptions },
      { "main.ts": main },
      {
        shared,
      },
    );
    assertEquals(code, 0, stderr); // Deno warns of experimentalDecorators
    assertEquals(routes, { "GET /a": A, "GET /b": B, "GET /b/base": A, "GET /c": A });
  });
}

const settings = Error as { stackTraceLimit?: number; prepareStackTrace?: unknown };

Deno.test("reportDefinition() records its caller only after listenForDefinitions()", () => {
  const [before, after] = [{}, {}];
  reportDefinition(before);
  assertEquals(locationsOf(before), []);
  listenForDefinitions();
  reportDefinition(after);
  assertEquals(locationsOf(before), []);
  const found = locationsOf(after).find(({ file }) => file === import.meta.url);
  assert(found !== undefined && found.line > 1 && found.column > 1);
});

Deno.test("reportDefinition() restores the stack trace settings", () => {
  const { stackTraceLimit, prepareStackTrace } = settings;
  const own = (_: unknown, frames: readonly unknown[]): string => `own ${frames.length}`;
  settings.stackTraceLimit = 3;
  settings.prepareStackTrace = own;
  try {
    listenForDefinitions();
    reportDefinition({});
    assertEquals(settings.stackTraceLimit, 3);
    assert(settings.prepareStackTrace === own);
    assertMatch(String(new Error().stack), /^own [1-3]$/);
  } finally {
    Object.assign(settings, { stackTraceLimit, prepareStackTrace });
  }
});

/** Classes that are decorated by hand, so that only their names identify them. */
const BY_HAND = `
import { Controller, Get, json, routerBuilder } from "@gatehouse/http";
export const info = { title: "By hand", version: "1" };
export const router = routerBuilder().controllers(...decorated()).build();
function decorated() {
  class Same { @Get("/") list() { return json({ first: 1 }); } }
  class Other { @Get("/") list() { return json({ other: "" }); } }
  for (const [one, path] of [[Same, "/same"], [Other, "/other"]] as const) {
    Controller(path)(one as never, undefined as never);
  }
  return [Same, Other];
}
export function unused() {
  class Same { list() { return json({ second: true }); } }
  return Same;
}
`;

Deno.test("generate does not confuse two classes of the same name in a file", async () => {
  await withTypedProject({ "c.ts": BY_HAND }, async ({ generate, read }) => {
    const { code, stderr } = await generate("--controllers", "c.ts");
    assertEquals(code, 0, stderr);
    assertMatch(stderr, /the types of Same\.list were not found/);
    const text = await read("openapi.json");
    assertEquals(["first", "second", "other"].filter((one) => text.includes(`"${one}"`)), [
      "other",
    ]);
  });
});

const assertMounted = mountAll({
  call: { cases: CALLS.map(([how, code, expected]) => [how, HEAD + code + INFO, expected]) },
  text: {
    cases: (EXHAUSTIVE ? TEXTS : TEXTS.slice(0, -2)).map(([how, text]) => [how, text, EXPECTED]),
  },
  folder: {
    cases: (Deno.build.os === "windows" ? ["a b", "ü", "#x", "%41"] : FOLDERS)
      .map((folder) => [folder, ROUTES, EXPECTED]),
    fileOf: (folder) => `${folder}/routes.ts`,
  },
  class: {
    cases: CLASSES.map(([how, code, controllers, expected]) => [
      how,
      `${HEAD_CLASS}${code}\nexport const router = routerBuilder().controllers(${controllers}).build();\n`,
      expected,
    ]),
  },
});
