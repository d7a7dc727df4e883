import { assertEquals } from "@std/assert";
import { withProject } from "../_cli.ts";
import {
  assertMounted,
  assertRoutes,
  ownTypedRoutes,
  type RouteTexts,
  typedRoutes,
  typeRun,
} from "./_type_projects.ts";

const IMPORTS = `import {
  Controller, createRouter, Get, json, Post, routerBuilder, type TypedRequest,
} from "@gatehouse/http";
`;
const HEAD = `${IMPORTS}interface A { a: 1 }
interface B { b: 1 }
`;
const A = "A { a: 1 }";
const B = "B { b: 1 }";

/** How controllers are said, what the router gets, and what the document says of their routes. */
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
    "a class beside one of its name which is no controller",
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

Deno.test("generate finds the types of a controller, however its class is said", async () => {
  await assertMounted(CLASSES.map(([how, code, controllers, expected]) => [
    how,
    `${HEAD}${code}\nexport const router = routerBuilder().controllers(${controllers}).build();\n`,
    expected,
  ]));
});

Deno.test("generate finds controllers of one name in several files, without a router", async () => {
  const file = (name: string): string =>
    `${IMPORTS}interface ${name} { ${name.toLowerCase()}: 1 }
     @Controller("/${name.toLowerCase()}")
     export class Same { @Get("/") list() { return json({} as ${name}); } }`;
  const files = {
    "one.ts": file("A"),
    "two.ts": file("B"),
    "three.ts": `${HEAD}@Controller("/c")
     export default class { @Get("/") list() { return json({} as B); } }`,
    "main.ts": `import "./one.ts"; import "./two.ts"; import "./three.ts";
      export const info = { title: "Classes", version: "1" };`,
  };
  await withProject(files, async (project) => {
    const run = await typeRun(project, await project.generate("--controllers", "main.ts"));
    assertRoutes(run, { "GET /a": A, "GET /b": B, "GET /c": B });
  });
});

Deno.test("generate takes no class that lies where the compiled code has its helpers", async () => {
  // Frames of what decorators are compiled to have lines of the compiled file
  const filler = Array.from({ length: 60 }, (_, i) =>
    `const C${i} = @Controller("/f${i}") class {
       @Get("/") list() { return json({} as A); }



     };
`).join("");
  const last =
    `const Last = @Controller("/last") class { @Get("/") list() { return json({} as B); } };`;
  const run = await typedRoutes({
    "main.ts": `${HEAD}${filler}${last}
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
for (const [mode, compilerOptions] of MODES) {
  Deno.test(`generate finds classes that are decorated by ${mode}`, async () => {
    const main = `${HEAD}
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
    const { code, stderr, routes } = await ownTypedRoutes({ compilerOptions }, { "main.ts": main });
    assertEquals(code, 0, stderr); // Deno warns of experimentalDecorators
    assertEquals(routes, { "GET /a": A, "GET /b": B, "GET /b/base": A, "GET /c": A });
  });
}
