/**
 * Runs the cases of the decorators in the mode of this folder: TC39's in `tests/router`, and those of
 * `experimentalDecorators` in `tests/legacy`, which has links to these files.
 */

import { assertEquals } from "@std/assert";
import { decoratorCases, observeMode } from "./_decorator_cases.ts";

const isLegacy = new URL(".", import.meta.url).pathname.endsWith("/legacy/");

Deno.test(`Decorators are ${isLegacy ? "legacy" : "standard"} ones in this folder`, () => {
  assertEquals(observeMode(), {
    mode: isLegacy ? "legacy" : "standard",
    shares: !isLegacy,
  });
});

for (const { name, run } of decoratorCases) Deno.test(name, run);
