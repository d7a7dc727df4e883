import type { Files } from "../_cli.ts";
import {
  assertRoutes,
  ownTypedRoutes,
  type RouteTexts,
  typedApp,
  typedRoutes,
} from "./_type_projects.ts";

/** What a route sends: the head of its file, the type, and what the document says. */
type Import = readonly [name: string, head: string, type: string, expected: string];

/** Files that others import. */
const LIBRARY: Files = {
  "lib/a.ts": `export interface A { a: 1 }
    export type { B as Other } from "./b.ts";
    export default interface Standard { standard: 1 }`,
  "lib/b.ts": `import type { A } from "./a.ts";
    export interface B { b: 1; again?: A }
    export type { Cycle } from "./cycle.ts";`,
  "lib/cycle.ts": `import type { B } from "./b.ts"; export interface Cycle { b: B; self?: Cycle }`,
  "lib/mod.ts": `export * from "./a.ts"; export * as all from "./b.ts";
    export type * from "./types.d.ts"; export type * as types from "./types.d.ts";
    export { type A as Second, default as First } from "./a.ts";`,
  "lib/types.d.ts": `export interface T { t: 1 } declare global { interface FromTypes { g: 1 } }`,
  "lib/global.ts": `declare global { interface FromModule { h: 1 } } export {};`,
  "lib/ambient.d.ts": `interface Ambient { ambient: 1 }
    declare module "ambient" { export interface Inner { inner: 1 } }`,
  "lib/data.json": `{"n": 1, "s": "x", "l": [1, 2], "o": {"k": null}}`,
  "lib/text.txt": "hello",
  "lib/doc.js": `/** @typedef {{ j: 1, o?: string }} J */
    /** @returns {J} */
    export function make() { return { j: 1 }; }
    export const inferred = { q: 1, r: "x" };`,
  "lib/value.js": "export const value = { wrong: 1 };",
  "lib/value.d.ts": "export interface V { v: 1 } export declare const value: V;",
  "lib/self.js": '// @ts-self-types="./value.d.ts"\nexport const value = { wrong: 1 };',
  "lib/m.mts": "export interface M { m: 1 }",
  "lib/x.tsx": "export interface X { x: 1 } export const id = <T,>(value: T) => value;",
  "lib/enum.ts": `export const kinds = { A: "a", B: "b" } as const;
    export type Kind = typeof kinds[keyof typeof kinds];`,
};
const DATA = "data:application/typescript,export const q: { q: 1 } = { q: 1 };";
const JSON_TYPES = "{ n: number, s: string, l: number[], o: { k: null } }";

/** Ways to import a type. */
const IMPORTS: readonly Import[] = [
  ["star", `import type { A } from "./lib/mod.ts";`, "A", "A { a: 1 }"],
  [
    "star_as",
    `import type { all } from "./lib/mod.ts";`,
    "all.B",
    "B { b: 1, again?: A { a: 1 } }",
  ],
  [
    "namespace",
    `import type * as m from "./lib/mod.ts";`,
    "m.all.B[]",
    "B { b: 1, again?: A { a: 1 } }[]",
  ],
  ["standard", `import type Mine from "./lib/a.ts";`, "Mine", "Standard { standard: 1 }"],
  ["first", `import type { First } from "./lib/mod.ts";`, "First", "Standard { standard: 1 }"],
  ["second", `import { type Second } from "./lib/mod.ts";`, "Second", "A { a: 1 }"],
  [
    "other",
    `import { type Other } from "./lib/mod.ts";`,
    "Other",
    "B { b: 1, again?: A { a: 1 } }",
  ],
  ["declared", `import type { T } from "./lib/mod.ts";`, "T", "T { t: 1 }"],
  ["declared_as", `import type { types } from "./lib/mod.ts";`, "types.T", "T { t: 1 }"],
  [
    "cycle",
    `import type { Cycle } from "./lib/cycle.ts";`,
    "Cycle",
    "Cycle { b: B { b: 1, again?: A { a: 1 } }, self?: Cycle }",
  ],
  ["in_place", "", `import("./lib/a.ts").A`, "A { a: 1 }"],
  [
    "in_code",
    `const load = async () => (await import("./lib/doc.js")).inferred;`,
    "Awaited<ReturnType<typeof load>>",
    "{ q: number, r: string }",
  ],
  ["json", `import data from "./lib/data.json" with { type: "json" };`, "typeof data", JSON_TYPES],
  [
    "json_in_place",
    "",
    `typeof import("./lib/data.json", { with: { type: "json" } })`,
    JSON_TYPES,
  ],
  ["text", `import text from "./lib/text.txt" with { type: "text" };`, "[typeof text]", "string"],
  [
    "doc",
    `import { make } from "./lib/doc.js";`,
    "ReturnType<typeof make>",
    "J { j: 1, o?: string }",
  ],
  ["doc_type", `import type { J } from "./lib/doc.js";`, "J", "J { j: 1, o?: string }"],
  [
    "doc_value",
    `import { inferred } from "./lib/doc.js";`,
    "typeof inferred",
    "{ q: number, r: string }",
  ],
  [
    "ts_types",
    `// @ts-types="./lib/value.d.ts"\nimport { value } from "./lib/value.js";`,
    "typeof value",
    "V { v: 1 }",
  ],
  [
    "deno_types",
    `// @deno-types="./lib/value.d.ts"\nimport { value } from "./lib/value.js?x";`,
    "typeof value",
    "V { v: 1 }",
  ],
  ["self_types", `import { value } from "./lib/self.js";`, "typeof value", "V { v: 1 }"],
  ["mts", `import type { M } from "./lib/m.mts";`, "M", "M { m: 1 }"],
  ["tsx", `import { id, type X } from "./lib/x.tsx";`, "ReturnType<typeof id<X>>", "X { x: 1 }"],
  ["path", `/// <reference path="./lib/ambient.d.ts" />`, "Ambient", "Ambient { ambient: 1 }"],
  ["types", `/// <reference types="./lib/ambient.d.ts" />`, "Ambient", "Ambient { ambient: 1 }"],
  [
    "ambient",
    `/// <reference path="./lib/ambient.d.ts" />\nimport type { Inner } from "ambient";`,
    "Inner",
    "Inner { inner: 1 }",
  ],
  ["global_types", "", "FromTypes", "FromTypes { g: 1 }"],
  ["global_module", `import "./lib/global.ts";`, "FromModule", "FromModule { h: 1 }"],
  ["enum", `import type { Kind } from "./lib/enum.ts";`, "{ k: Kind }", `{ k: Kind "a" | "b" }`],
  ["query", `import type { A } from "./lib/a.ts?v=1";`, "A[]", "A { a: 1 }[]"],
  ["data", `import { q } from ${JSON.stringify(DATA)};`, "typeof q", "{ q: 1 }"],
  ["deno", "", "{ size: Deno.FileInfo['size'] }", "{ size: number }"],
];

Deno.test("generate follows every kind of import as Deno does", async () => {
  const files = IMPORTS.map(([name, head, type]) => [
    `${name}.ts`,
    `${head}\nimport { createRouter, json } from "@gatehouse/http";
export const router = createRouter().get("/${name}", () => json({} as ${type}));\n`,
  ]);
  const mounts = IMPORTS.map(([name]) =>
    `router.mount("/", (await import("./${name}.ts")).router);\n`
  );
  const run = await typedRoutes({
    ...LIBRARY,
    ...Object.fromEntries(files),
    "main.ts": typedApp("", {}) + mounts.join(""),
  });
  assertRoutes(
    run,
    Object.fromEntries(
      IMPORTS.map(([name, , , text]) => [`GET /${name}`, name === "text" ? "array" : text]),
    ),
  );
});

/** Ways to load a module that adds routes. */
const LOADS: readonly (readonly [string, string])[] = [
  ["a path", `await import("./routes.ts")`],
  ["a path that is computed", `await import(["./", "routes.ts"].join(""))`],
  ["a URL", `await import(new URL("./routes.ts", import.meta.url).href)`],
  ["a path behind a function", `await (async () => await import("./between.ts"))()`],
];
for (const [what, load] of LOADS) {
  Deno.test(`generate reads types of routes in a module that is imported by ${what}`, async () => {
    const files: Files = {
      "routes.ts": `import { json } from "@gatehouse/http"; import type { A } from "./lib/a.ts";
        import type { router } from "./main.ts";
        export const add = (to: typeof router) => { to.get("/later", () => json({} as A)); };`,
      "between.ts":
        `const name: string = "routes"; export const { add } = await import(\`./\${name}.ts\`);`,
      "main.ts": `${typedApp("", { now: "{ n: 1 }" })}(${load}).add(router);\n`,
    };
    assertRoutes(await typedRoutes({ ...LIBRARY, ...files }), {
      "GET /now": "{ n: 1 }",
      "GET /later": "A { a: 1 }",
    });
  });
}

/** Configurations with imports, what is imported by them, and what the document says. */
const CONFIGS: readonly (readonly [string, Parameters<typeof ownTypedRoutes>, RouteTexts])[] = [
  [
    "an import map with names, prefixes and scopes",
    [{
      imports: { bare: "./lib/a.ts", "@/": "./lib/" },
      scopes: { "./sub/": { bare: "./lib/b.ts" } },
    }, {
      ...LIBRARY,
      "sub/s.ts": `export type { B as Scoped } from "bare";`,
      "main.ts": typedApp(
        `import type { A } from "bare"; import type { M } from "@/m.mts";
         import type { Scoped } from "./sub/s.ts";`,
        { bare: "A", prefix: "M", scoped: "Scoped" },
      ),
    }],
    {
      "GET /bare": "A { a: 1 }",
      "GET /prefix": "M { m: 1 }",
      "GET /scoped": "B { b: 1, again?: A { a: 1 } }",
    },
  ],
  [
    "npm packages, in the import map and inline, and parts of them",
    [{ imports: { zed: "npm:zod@^4.6", val: "npm:valibot@^1.5" } }, {
      "main.ts": typedApp(
        `import { z } from "zed"; import * as inline from "npm:zod@^4.6";
         import * as mini from "npm:zod@^4.6/mini"; import * as v from "val";
         import type { HTTPException } from "npm:hono@^4.13.19/http-exception";
         const Zed = z.object({ a: z.string().optional(), b: z.literal(1) });
         type Named = z.infer<typeof Zed>;
         const Inline = inline.object({ c: inline.number() });
         const Mini = mini.object({ m: mini.number() });
         const Val = v.object({ v: v.number(), o: v.optional(v.string()) });`,
        {
          named: "Named",
          inline: "inline.infer<typeof Inline>",
          mini: "mini.infer<typeof Mini>",
          val: "v.InferOutput<typeof Val>",
          hono: "{ m: HTTPException['message'] }",
        },
      ),
    }],
    {
      "GET /named": "Named { a?: string, b: 1 }",
      "GET /inline": "{ c: number }",
      "GET /mini": "{ m: number }",
      "GET /val": "{ v: number, o?: string }",
      "GET /hono": "{ m: string }",
    },
  ],
  [
    "a workspace in deno.jsonc, whose members have names and imports, and a linked package",
    [{ workspace: ["./api", "./model"], links: ["./linked"] }, {
      "model/deno.json": `{ "name": "@acme/model", "version": "1.0.0",
        "exports": { ".": "./mod.ts", "./sub": "./src/sub.ts" },
        "imports": { "inner": "./src/inner.ts", "zed": "npm:zod@^4.6" } }`,
      "model/mod.ts": `export type { Inner } from "inner"; export interface Model { m: 1 }
        import { z } from "zed"; const Z = z.object({ z: z.literal(1) });
        export type Zed = z.infer<typeof Z>;`,
      "model/src/inner.ts": "export interface Inner { inner: 1 }",
      "model/src/sub.ts": "export interface Sub { sub: 1 }",
      "linked/deno.json": `{ "name": "@acme/linked", "version": "1.0.0", "exports": "./mod.ts" }`,
      "linked/mod.ts": "export interface Linked { linked: 1 }",
      "api/deno.json": `{ "name": "@acme/api", "version": "1.0.0", "exports": "./app.ts",
        "imports": { "own": "./own.ts" } }`,
      "api/own.ts": "export interface Own { own: 1 }",
      "api/app.ts": typedApp(
        `import type { Inner, Model, Zed } from "@acme/model"; import type { Own } from "own";
         import type { Sub } from "@acme/model/sub";
         import type { Linked } from "jsr:@acme/linked@1";`,
        { inner: "Inner", model: "Model", zed: "Zed", sub: "Sub", own: "Own", linked: "Linked" },
      ),
      "main.ts": `export * from "./api/app.ts";`,
    }, { config: "deno.jsonc" }],
    {
      "GET /inner": "Inner { inner: 1 }",
      "GET /model": "Model { m: 1 }",
      "GET /zed": "Zed { z: 1 }",
      "GET /sub": "Sub { sub: 1 }",
      "GET /own": "Own { own: 1 }",
      "GET /linked": "Linked { linked: 1 }",
    },
  ],
];
for (const [what, project, expected] of CONFIGS) {
  Deno.test(`generate follows imports by ${what}`, async () => {
    const [config, files, options = {}] = project;
    assertRoutes(await ownTypedRoutes(config, files, options), expected);
    // A command in a member has the configuration of the workspace, too
    if (!("api/app.ts" in files)) return;
    assertRoutes(await ownTypedRoutes(config, files, { ...options, cli: "api/cli.ts" }), expected);
  });
}
