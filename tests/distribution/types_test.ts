/** The declarations of the installed package: read whole, by two compilers, in both ways to find packages. */

import { assertEquals } from "@std/assert";
import { openInstalled, packagePath, type Project, runProgram } from "./_projects.ts";
import { TYPED_PROGRAM } from "./_typed_program.ts";
import { ATTW, COMPILERS, LIBRARIES, PUBLINT } from "./versions.ts";

/** Every declaration is checked, but those that come with the compiler. */
const COMPILER_OPTIONS = {
  target: "es2022",
  lib: ["es2024", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
};

let project: Project;

Deno.test.beforeAll(async () => {
  project = await openInstalled({ files: { "program.ts": TYPED_PROGRAM } });
  await project.run(
    "npm",
    "install",
    "--no-audit",
    ...Object.entries(COMPILERS).map(([name, version]) => `${name}@${version}`),
    ...Object.entries(LIBRARIES).map(([name, version]) => `${name}@${version}`),
  );
});

Deno.test.afterAll(async () => await project[Symbol.asyncDispose]());

/** How imports of packages are resolved, and what kind of modules goes with it. */
const RESOLUTIONS: readonly (readonly [moduleResolution: string, module: string])[] = [
  ["bundler", "esnext"],
  ["nodenext", "nodenext"],
];

for (const compiler of Object.keys(COMPILERS)) {
  Deno.test(`${compiler} has nothing against the declarations, with bundler and nodenext`, async () => {
    const found = await Promise.all(RESOLUTIONS.map(async ([moduleResolution, module]) => {
      const config = `tsconfig.${compiler}.${moduleResolution}.json`;
      const compilerOptions = { ...COMPILER_OPTIONS, module, moduleResolution };
      await project.write(config, JSON.stringify({ compilerOptions, files: ["program.ts"] }));
      const tsc = `node_modules/${compiler}/bin/tsc`;
      const { code, stdout } = await project.attempt("node", tsc, "--project", config);
      return [moduleResolution, stdout, code];
    }));
    assertEquals(found, [["bundler", "", 0], ["nodenext", "", 0]]);
  });
}

Deno.test("publint has nothing to suggest", async () => {
  const folder = `${project.folder}/node_modules/@gatehouse/http`;
  const { code, stdout, stderr } = await runProgram("npx", ["-y", PUBLINT, folder, "--strict"]);
  assertEquals([code, stderr], [0, ""], stdout + stderr);
});

Deno.test("arethetypeswrong finds the types of every entry", async () => {
  const args = ["-y", ATTW, packagePath(), "--profile", "esm-only", "--no-emoji"];
  const { code, stdout, stderr } = await runProgram("npx", args);
  assertEquals(code, 0, stdout + stderr);
});
