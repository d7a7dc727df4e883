/**
 * Which files of tests import a module, at once or by others.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { ROOT } from "./_project.ts";

const IMPORT_REGEXP = /(?:from|import) "(\.{1,2}\/[^"]+)"/g;

/** The files that import a module, at once or by others of them. Paths are the project's. */
export function importersOf(module: string, files: readonly string[]): string[] {
  const imports = new Map(files.map((path) => [path, importedBy(path)]));
  const found = new Set([module]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const [path, imported] of imports) {
      if (imported.some((one) => found.has(one))) found.add(path);
    }
  }
  found.delete(module);
  return [...found].sort();
}

function importedBy(path: string): string[] {
  return [...Deno.readTextFileSync(join(ROOT, path)).matchAll(IMPORT_REGEXP)]
    .map(([, specifier = ""]) => join(dirname(path), specifier));
}
