/**
 * Prints the package's entry modules, for tasks that take them as arguments.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { entryModules } from "./_project.ts";

if (import.meta.main) console.log(entryModules().join(" "));
