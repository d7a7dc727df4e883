/**
 * Modules that import several files of tests: what these import is loaded and compiled once, not once for each file.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "./_project.ts";

/** Files in one module. With more, the last modules of a run leave a processor idle. */
const FILES = 16;

/**
 * Paths whose files stay modules of their own: their tests change what there is once, as the default container and the
 * types of GraphQL, or need it unchanged.
 */
const SEPARATE: readonly string[] = [
  "tests/auth/graphql",
  "tests/auth/http/default_container_test.ts",
  "tests/legacy",
  "tests/openapi/controllers_test.ts",
  "tests/openapi/generator_test.ts",
  "tests/openapi/validators/shop_test.ts",
  "tests/router/decorators_auth_test.ts",
  "tests/router/decorators_standard_test.ts",
  "tests/router/decorators_test.ts",
];

/**
 * Writes modules that import files of tests.
 *
 * @param files Paths in the project.
 * @param folder Where the modules are written.
 * @returns What to test: separate paths, and the modules.
 */
export async function groupTests(files: readonly string[], folder: string): Promise<string[]> {
  const shared = files.filter((file) => !SEPARATE.some((one) => file.startsWith(one)));
  const tested = [...SEPARATE];
  for (let i = 0; i < shared.length; i += FILES) {
    const imports = shared.slice(i, i + FILES).map((file) =>
      `import ${JSON.stringify(toFileUrl(join(ROOT, file)).href)};\n`
    );
    const module = join(folder, `${i / FILES + 1}_test.ts`);
    await Deno.writeTextFile(module, imports.join(""));
    tested.push(module);
  }
  return tested;
}
