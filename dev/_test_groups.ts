/**
 * Modules that import the tests of several files: what these import is then loaded once for all of them, which takes longer than
 * most of the tests.
 *
 * @module
 */

import { dirname, join, toFileUrl } from "@std/path";
import { ROOT } from "./_project.ts";

/** Files of one module: enough to share what they import, few enough for two processes to end at the same time. */
const SIZE = 8;

/** Files of the same folder, some at a time, in their order. */
export function groupsOf(files: readonly string[], size: number): readonly (readonly string[])[] {
  const folders = Map.groupBy(files, dirname);
  return [...folders.values()].flatMap((all) =>
    Array.from(
      { length: Math.ceil(all.length / size) },
      (_, i) => all.slice(i * size, (i + 1) * size),
    )
  );
}

/** Writes the modules into a folder. @returns Their paths. */
export async function writeGroups(folder: string, files: readonly string[]): Promise<string[]> {
  const paths: string[] = [];
  for (const [i, group] of groupsOf(files, SIZE).entries()) {
    const path = join(folder, `group_${String(i).padStart(3, "0")}_test.ts`);
    const imports = group.map((file) => `import "${toFileUrl(join(ROOT, file))}";\n`);
    await Deno.writeTextFile(path, imports.join(""));
    paths.push(path);
  }
  return paths;
}
