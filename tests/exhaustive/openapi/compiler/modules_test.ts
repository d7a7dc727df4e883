import { assertEquals, assertMatch } from "@std/assert";
import { PERMISSIONS } from "../../../openapi/_cli.ts";
import { LIBRARY } from "../../../openapi/compiler/_module_files.ts";
import {
  assertRoutes,
  ownTypedRoutes,
  type RouteTexts,
  typedApp,
} from "../../../openapi/compiler/_type_projects.ts";

/** Configurations with imports, what is imported by them, and the expected documentation. */
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

Deno.test("generate uses the configuration of --config", async () => {
  const given = ["--config", "other/deno.json"];
  const run = await ownTypedRoutes({ imports: { bare: "../lib/bare.ts" } }, {
    "lib/bare.ts": "export interface Bare { bare: 1 }",
    "main.ts": typedApp(`import type { Bare } from "bare";`, { a: "Bare" }),
  }, {
    config: "other/deno.json",
    flags: [...PERMISSIONS, "--config=other/deno.json"],
    args: given,
  });
  assertRoutes(run, { "GET /a": "Bare { bare: 1 }" });
});

Deno.test("generate fails if the configuration does not resolve the package itself", async () => {
  const options = {
    flags: [...PERMISSIONS, "--config=other/deno.json"],
    config: "other/deno.json",
  };
  const files = { "main.ts": typedApp("", { a: "{ a: 1 }" }) };
  const { code, stderr, routes } = await ownTypedRoutes({}, files, options);
  // A program cannot know the configuration it was started with
  if (code === 0) assertEquals([stderr, routes], ["", { "GET /a": "{ a: 1 }" }]);
  else assertMatch(stderr, /GET \/a: .*main\.ts.*"@gatehouse\/http"/);
});

Deno.test("generate uses the compiler options of a workspace for its members", async () => {
  const run = await ownTypedRoutes({
    compilerOptions: { lib: ["deno.window", "dom"] },
    workspace: ["./api"],
  }, {
    "api/deno.json": "{}",
    "api/app.ts": typedApp("", { d: "{ x: HTMLDivElement['id'] }" }),
    "main.ts": `export * from "./api/app.ts";`,
  }, { cli: "api/cli.ts" });
  assertRoutes(run, { "GET /d": "{ x: string }" });
});

const NO_RUN = PERMISSIONS.filter((flag) => !flag.startsWith("--allow-run"));
/** Denied permissions, and what the message must contain. */
const DENIED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["run Deno", NO_RUN, /^Cannot read the types: .*--allow-run.*--no-types\n$/],
  ["read its configuration", [...PERMISSIONS, "--deny-read=deno.json"], /^Cannot .*deno\.json/],
];
for (const [what, flags, message] of DENIED) {
  Deno.test(`generate names the missing permission if it may not ${what}`, async () => {
    const files = { "main.ts": typedApp("", { a: "{ a: 1 }" }) };
    const { code, stdout, stderr } = await ownTypedRoutes({}, files, { flags });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, message);
  });
}

Deno.test("generate --no-types runs no program", async () => {
  const files = { "main.ts": typedApp("", { a: "{ a: 1 }" }) };
  const run = await ownTypedRoutes({}, files, { flags: NO_RUN, args: ["--no-types"] });
  assertRoutes(run, { "GET /a": "nothing" });
});
