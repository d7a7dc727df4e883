import { assertEquals, assertMatch } from "@std/assert";
import { rowsOf } from "../../_effort.ts";
import { type Files, type Project, withProject } from "../_cli.ts";
import { readTable, withTypedProject } from "./_process.ts";
import { assertRoutes, ownTypedRoutes, type RouteTexts, typedApp } from "./_type_projects.ts";
import { CASES, type TypeRequest, type TypeResults } from "./_type_requests.ts";
import { NUMBER, TEXT } from "./_types.ts";

const OPTIONAL = typedApp("interface O { o?: string; u: string | null }", { o: "O" });
const OPTIONAL_TEXT = "O { o?: string, u: string | null }";
/** Compiler options, and the documentation of an application's routes. */
const OPTIONS: readonly (readonly [string, object | undefined, Files, RouteTexts])[] = [
  ["none", undefined, { "main.ts": OPTIONAL }, { "GET /o": OPTIONAL_TEXT }],
  ["none that it states", {}, { "main.ts": OPTIONAL }, { "GET /o": OPTIONAL_TEXT }],
  [
    "exactOptionalPropertyTypes",
    { exactOptionalPropertyTypes: true },
    { "main.ts": OPTIONAL },
    { "GET /o": OPTIONAL_TEXT },
  ],
  [
    "exactOptionalPropertyTypes off",
    { exactOptionalPropertyTypes: false },
    { "main.ts": OPTIONAL },
    { "GET /o": OPTIONAL_TEXT },
  ],
  [
    "strictNullChecks alone",
    { strict: false, strictNullChecks: true },
    { "main.ts": OPTIONAL },
    { "GET /o": OPTIONAL_TEXT },
  ],
  [
    "libraries of browsers",
    { lib: ["deno.window", "dom"] },
    {
      "main.ts": typedApp("", {
        d: "{ x: HTMLDivElement['id'], p: Promise<1> extends object ? 1 : 2 }",
      }),
    },
    { "GET /d": "{ x: string, p: 1 }" },
  ],
  [
    "libraries of the language, and Deno's",
    { lib: ["esnext", "deno.ns", "deno.unstable"] },
    { "main.ts": typedApp("", { d: "{ s: Deno.FileInfo['size'], a: Awaited<Promise<1>> }" }) },
    { "GET /d": "{ s: number, a: 1 }" },
  ],
  [
    "types that are named",
    { types: ["./globals.d.ts"] },
    {
      "globals.d.ts": "interface Everywhere { e: 1 }",
      "main.ts": typedApp("", { e: "Everywhere" }),
    },
    { "GET /e": "Everywhere { e: 1 }" },
  ],
  [
    "JSX",
    { jsx: "react-jsx", jsxImportSource: "npm:hono@^4.13.19/jsx" },
    {
      "view.tsx": "export interface View { v: 1 } export const view = <b>x</b>;",
      "main.ts": typedApp(`import { type View } from "./view.tsx";`, { v: "View" }),
    },
    { "GET /v": "View { v: 1 }" },
  ],
  [
    "JavaScript that is checked",
    { checkJs: true },
    {
      "j.js": "/** @type {{ j: 1 }} */\nexport const j = { j: 1 };",
      "main.ts": typedApp(`import { j } from "./j.js";`, { j: "typeof j" }),
    },
    { "GET /j": "{ j: 1 }" },
  ],
  [
    "what is not for types",
    {
      noUnusedLocals: true,
      noImplicitAny: false,
      emitDecoratorMetadata: false,
      useUnknownInCatchVariables: false,
    },
    { "main.ts": OPTIONAL },
    { "GET /o": OPTIONAL_TEXT },
  ],
];
for (const [what, compilerOptions, files, expected] of rowsOf(OPTIONS, 4)) {
  Deno.test(`generate reads types with compilerOptions: ${what}`, async () => {
    const config = compilerOptions === undefined ? {} : { compilerOptions };
    const shared = compilerOptions !== undefined;
    const { code, stderr, routes } = await ownTypedRoutes(config, files, { shared });
    assertEquals([code, routes], [0, expected], stderr); // Deno warns of some options
  });
}

for (const options of [{ strict: false }, { strictNullChecks: false }]) {
  Deno.test(`generate rejects ${JSON.stringify(options)} and names --no-types`, async () => {
    const run = await ownTypedRoutes({ compilerOptions: options }, { "main.ts": OPTIONAL }, {
      shared: true,
    });
    assertEquals([run.code, run.stdout], [1, ""]);
    assertMatch(run.stderr, /^Cannot read the types: .*strictNullChecks.*--no-types\n$/);
    const off = { args: ["--no-types"], shared: true };
    const without = await ownTypedRoutes(
      { compilerOptions: options },
      { "main.ts": OPTIONAL },
      off,
    );
    assertRoutes(without, { "GET /o": "nothing" });
  });
}

/** Flags, and what becomes of them: types are read, they are not, or the command is wrong. */
const FLAGS: readonly (readonly [readonly string[], "read" | "not read" | "wrong"])[] = [
  [[], "read"],
  [["--no-types"], "not read"],
  [["--types"], "wrong"],
  [["--no-types", "--no-types"], "not read"],
  [["--no-types=true"], "wrong"],
  [["--no-types=false"], "wrong"],
  [["--types=false"], "wrong"],
  [["--types=true"], "wrong"],
  [["--no-types", "false"], "wrong"],
  [["--types", "false"], "wrong"],
  [["--no-type"], "wrong"],
];

Deno.test("generate accepts --no-types without a value and rejects similar options", async () => {
  await withTypedProject({ "main.ts": typedApp("", { a: "{ a: 1 }" }) }, async (project) => {
    const results = await Promise.all(
      FLAGS.map(([flags], i) => resultOf(project, flags, `${i}.json`)),
    );
    assertEquals(results, FLAGS.map(([flags, result]) => [flags, result]));
  });
});

async function resultOf(
  { generate, read }: Project,
  flags: readonly string[],
  output: string,
): Promise<unknown> {
  const { code, stderr } = await generate("--controllers", "main.ts", "--output", output, ...flags);
  if (code === 2) return [flags, "wrong"];
  assertEquals([code, stderr], [0, ""], flags.join(" "));
  return [flags, (await read(output)).includes('"const": 1') ? "read" : "not read"];
}

Deno.test("A process that has read a file reads its types again when the file has changed", async () => {
  const request: TypeRequest = { side: "input", form: false, count: 1, local: false };
  await withProject({}, async ({ folder, write }) => {
    for (
      const [type, schema] of [["string", TEXT], ["number", NUMBER], ["string", TEXT]] as const
    ) {
      await write(CASES, `export declare const case0: ${type};\n`);
      const { results } = await readTable(folder, request) as TypeResults;
      assertEquals(results, [{ schema, components: {} }]);
    }
  });
});
