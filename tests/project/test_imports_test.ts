/** Which tests have a large size. */

import { assertEquals } from "@std/assert";
import { importersOf } from "../../dev/_test_imports.ts";

const FILES = [
  "tests/_effort.ts",
  "tests/auth/accounts/_journeys.ts",
  "tests/auth/accounts/stores_test.ts",
  "tests/project/test_imports_test.ts",
];

Deno.test("importersOf() finds those that import a module, also by others", () => {
  assertEquals(importersOf("tests/_effort.ts", FILES), [
    "tests/auth/accounts/_journeys.ts",
    "tests/auth/accounts/stores_test.ts",
  ]);
});
