import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Files, Project } from "../../../openapi/_cli.ts";
import {
  assertRoutes,
  copyPackages,
  ownTypedRoutes,
  typedApp,
} from "../../../openapi/compiler/_type_projects.ts";

/** Packages that the command itself needs. */
const NEEDED: readonly string[] = ["hono", "@needle-di/core", "deno-std", "typescript"];

/** A package in `node_modules`. */
function npmPackage(name: string, manifest: object, files: Files): Files {
  const own = { "package.json": JSON.stringify({ name, version: "1.0.0", ...manifest }), ...files };
  return Object.fromEntries(
    Object.entries(own).map(([path, text]) => [`node_modules/${name}/${path}`, text]),
  );
}

const PACKAGES: Files = {
  ...npmPackage("conditions", {
    exports: {
      ".": { import: { types: "./d/index.d.mts", default: "./index.mjs" } },
      "./sub": { types: "./d/sub.d.ts", default: "./sub.js" },
      "./parts/*": { types: "./d/parts/*.d.ts", default: "./parts/*.js" },
    },
  }, {
    "index.mjs": "export const value = 1;",
    "d/index.d.mts": "export interface Main { main: 1 } export declare const value: Main;",
    "sub.js": "",
    "d/sub.d.ts": "import type { Main } from './index.mjs'; export interface Sub { main: Main }",
    "parts/one.js": "",
    "d/parts/one.d.ts": "export interface Part { part: 1 }",
  }),
  ...npmPackage("untyped", { main: "i.js" }, { "i.js": "module.exports = { u: 1 };" }),
  ...npmPackage("typed-elsewhere", { main: "i.js" }, { "i.js": "module.exports = { u: 1 };" }),
  ...npmPackage("@types/typed-elsewhere", { types: "index.d.ts" }, {
    "index.d.ts": "export interface Elsewhere { elsewhere: 1 }",
  }),
  ...npmPackage("@acme/scoped", { main: "i.js" }, { "i.js": "" }),
  ...npmPackage("@types/acme__scoped", { types: "index.d.ts" }, {
    "index.d.ts": "export interface Scoped { scoped: 1 }",
  }),
  ...npmPackage("dependent", { main: "i.js", types: "i.d.ts", dependencies: { conditions: "*" } }, {
    "i.js": "",
    "i.d.ts": `import type { Main } from "conditions";
      import type { Elsewhere } from "typed-elsewhere";
      import type { Nested } from "nested";
      import type { Gone } from "not-there";
      export interface Dependent { main: Main; elsewhere: Elsewhere; nested: Nested }
      export interface Broken { gone: Gone }`,
    "node_modules/nested/package.json": '{ "name": "nested", "types": "n.d.ts", "main": "n.js" }',
    "node_modules/nested/n.d.ts": "export interface Nested { nested: 1 }",
    "node_modules/nested/n.js": "",
  }),
  ...npmPackage("beside", { main: "lib/i.js" }, {
    "lib/i.js": "",
    "lib/i.d.ts": "export interface Beside { beside: 1 }",
  }),
  ...npmPackage("common", { main: "i.js", types: "i.d.ts" }, {
    "i.js": "module.exports = class {};",
    "i.d.ts": `declare class Common { c: 1 }
      declare namespace Common { interface Options { option: 1 } }
      export = Common;`,
  }),
  ...npmPackage("globals", { main: "i.js", types: "i.d.ts" }, {
    "i.js": "",
    "i.d.ts": "declare global { interface FromPackage { global: 1 } } export {};",
  }),
  ...npmPackage("itself", {
    type: "module",
    exports: {
      ".": { types: "./i.d.ts", default: "./i.js" },
      "./x": { types: "./x.d.ts", default: "./x.js" },
    },
    imports: { "#inner": { types: "./inner.d.ts", default: "./inner.js" } },
  }, {
    "i.js": "",
    "x.js": "",
    "inner.js": "",
    "i.d.ts": `import type { X } from "itself/x"; import type { Inner } from "#inner";
      export interface Itself { x: X; inner: Inner }`,
    "x.d.ts": "export interface X { x: 1 }",
    "inner.d.ts": "export interface Inner { inner: 1 }",
  }),
  ...npmPackage("versions", {
    main: "i.js",
    types: "i.d.ts",
    typesVersions: { ">=4": { "*": ["new/*"] } },
  }, {
    "i.js": "",
    "i.d.ts": "export interface Version { old: 1 }",
    "new/i.d.ts": "export interface Version { recent: 1 }",
  }),
  ...npmPackage("documented", { type: "module", main: "i.js" }, {
    "i.js": "/** @typedef {{ jd: 1 }} Typed */\nexport const documented = { q: 1 };",
  }),
};
const MANIFEST: Files = {
  "package.json": JSON.stringify({
    type: "module",
    dependencies: Object.fromEntries(
      [
        ...NEEDED,
        ...Object.keys(PACKAGES).flatMap((path) =>
          /^node_modules\/((?:@acme\/)?[^/@]+)\/package.json$/.exec(path)?.[1] ?? []
        ),
      ].map((name) => [name, "*"]),
    ),
  }),
};
const FOLDER_MODE = { nodeModulesDir: "manual" } as const;
const copyNeeded = (project: Project) => copyPackages(project, NEEDED);

/** What is imported, the type that a route sends, and the expected documentation. */
const IMPORTS: readonly (readonly [string, string, string])[] = [
  [`import { type Main } from "conditions";`, "Main", "Main { main: 1 }"],
  [`import { value } from "npm:conditions";`, "{ v: typeof value }", "{ v: Main { main: 1 } }"],
  [`import type { Sub } from "conditions/sub";`, "Sub", "Sub { main: Main { main: 1 } }"],
  [`import type { Part } from "conditions/parts/one";`, "Part", "Part { part: 1 }"],
  [
    `import type { Elsewhere } from "typed-elsewhere";`,
    "Elsewhere",
    "Elsewhere { elsewhere: 1 }",
  ],
  [`import type { Scoped } from "@acme/scoped";`, "Scoped", "Scoped { scoped: 1 }"],
  [
    `import type { Dependent } from "dependent";`,
    "Dependent",
    "Dependent { main: Main { main: 1 }, elsewhere: Elsewhere { elsewhere: 1 }, " +
    "nested: Nested { nested: 1 } }",
  ],
  [`import type { Beside } from "beside";`, "Beside", "Beside { beside: 1 }"],
  [`import Common from "common";`, "Common.Options", "Options { option: 1 }"],
  [`import "globals";`, "FromPackage", "FromPackage { global: 1 }"],
  [
    `import type { Itself } from "itself";`,
    "Itself",
    "Itself { x: X { x: 1 }, inner: Inner { inner: 1 } }",
  ],
  [`import type { Version } from "versions";`, "Version", "Version { recent: 1 }"],
  [`import untyped from "untyped"; void untyped;`, "{ known: 1 }", "{ known: 1 }"],
];

Deno.test("generate reads types of packages in node_modules, wherever they are", async () => {
  const main = typedApp(
    IMPORTS.map(([head]) => head).join("\n"),
    Object.fromEntries(IMPORTS.map(([, type], i) => [`r${i}`, type])),
  );
  const run = await ownTypedRoutes(
    FOLDER_MODE,
    { ...PACKAGES, ...MANIFEST, "main.ts": main },
    { more: copyNeeded },
  );
  assertRoutes(run, Object.fromEntries(IMPORTS.map(([, , text], i) => [`GET /r${i}`, text])));
});

/** What is imported and has no types, the type of a route, and what the error names. */
const MISSING: readonly (readonly [string, string, RegExp])[] = [
  [`import untyped from "untyped";`, "typeof untyped", /"untyped"/],
  [`import untyped from "untyped";`, "{ u: typeof untyped.u }", /response\.u .*"untyped"/],
  [`import { documented } from "documented";`, "typeof documented", /"documented"/],
  [`import type { Broken } from "dependent";`, "Broken", /i\.d\.ts:\d+:\d+: .*Gone.*"not-there"/],
  [`import type { X } from "conditions/none";`, "X", /\bX\b.*"conditions\/none"/],
  [`import type { X } from "nowhere";`, "X", /\bX\b.*"nowhere"/],
  [`import type { X } from "npm:nowhere@1";`, "X", /\bX\b.*"npm:nowhere@1"/],
  [`import type { Nested } from "nested";`, "Nested", /Nested.*"nested"/],
];

Deno.test("generate names types of routes that packages do not have", async () => {
  const cases = MISSING.map(([head, type], i) =>
    [
      `m${i}.ts`,
      `${head}
import { createRouter, json } from "@gatehouse/http";
export const router = createRouter().get("/${i}", () => json({} as ${type}));
`,
    ] as const
  );
  const mounts = cases.map(([path]) => `router.mount("/", (await import("./${path}")).router);\n`);
  const run = await ownTypedRoutes(FOLDER_MODE, {
    ...PACKAGES,
    ...MANIFEST,
    ...Object.fromEntries(cases),
    "main.ts": typedApp("", {}) + mounts.join(""),
  }, { more: copyNeeded });
  assertEquals(run.code, 1);
  const lines = run.stderr.trimEnd().split("\n").slice(1);
  assertEquals(lines.length, MISSING.length, run.stderr);
  MISSING.forEach(([, , message], i) => {
    const line = lines.find((one) => one.includes(`GET /${i}: `)) ?? "";
    assertMatch(line, message);
    if (!line.includes("i.d.ts:")) assertStringIncludes(line, `: m${i}.ts:3:`);
  });
});

Deno.test("generate reads types of packages that Deno puts into node_modules", async () => {
  const main = typedApp(
    `import { z } from "zod"; import * as mini from "zod/mini"; import * as v from "valibot";
     const Zed = z.object({ a: z.string().optional(), b: z.literal(1) });
     type Named = z.infer<typeof Zed>;
     const Mini = mini.object({ m: mini.number() });
     const Val = v.object({ v: v.number() });`,
    { named: "Named", mini: "mini.infer<typeof Mini>", val: "v.InferOutput<typeof Val>" },
  );
  const run = await ownTypedRoutes({ nodeModulesDir: "auto" }, {
    "package.json": JSON.stringify({ dependencies: { zod: "^4.6", valibot: "^1.5" } }),
    "main.ts": main,
  });
  assertEquals([run.code, run.routes], [0, {
    "GET /named": "Named { a?: string, b: 1 }",
    "GET /mini": "{ m: number }",
    "GET /val": "{ v: number }",
  }], run.stderr);
});

Deno.test("generate needs the compiler only for types and reports if it is missing", async () => {
  const more = (project: Project) => copyPackages(project, installed);
  const installed = NEEDED.filter((name) => name !== "typescript");
  const dependencies = Object.fromEntries(installed.map((name) => [name, "*"]));
  const files = {
    "package.json": JSON.stringify({ dependencies }),
    "main.ts": typedApp("", { a: "{ a: 1 }" }),
  };
  const without = await ownTypedRoutes(FOLDER_MODE, files, { more });
  assertEquals([without.code, without.stdout], [1, ""]);
  assertMatch(without.stderr, /^Cannot read the types: .*typescript.*--no-types\n$/);

  const off = await ownTypedRoutes(FOLDER_MODE, files, { more, args: ["--no-types"] });
  assertRoutes(off, { "GET /a": "nothing" });
});
