import { rowsOf } from "../../_effort.ts";
import type { Files } from "../_cli.ts";
import { LIBRARY } from "./_module_files.ts";
import { assertRoutes, typedApp, typedRoutes } from "./_type_projects.ts";

/** What a route sends: the head of its file, the type, and the expected documentation. */
type Import = readonly [name: string, head: string, type: string, expected: string];

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
  ["a path in a function", `await (async () => await import("./between.ts"))()`],
];
for (const [what, load] of rowsOf(LOADS, 1)) {
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
