import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { conformancePage, testsOf } from "../../dev/conformance/generate.ts";
import type { Row } from "../../dev/conformance/types.ts";

const NAMES = new Map([
  ["tests/auth/a_test.ts", ["f() refuses, AS1", "f() accepts, AS11", "g() (BCP-2.1-a, AS1)"]],
  ["tests/auth/b_test.ts", ["h() of 6749-3.1-dup", "h() of 9449-4.3.1"]],
]);

/** The tests of an id: no part of a longer one counts. */
const IDS: readonly (readonly [id: string, count: number])[] = [
  ["AS1", 2],
  ["AS11", 1],
  ["AS", 0],
  ["S1", 0],
  ["BCP-2.1-a", 1],
  ["BCP-2.1", 0],
  ["6749-3.1-dup", 1],
  ["6749-3.1", 0],
  ["9449-4.3", 0],
  ["9449-4.3.1", 1],
  ["6749-3X1-dup", 0],
];

for (const [id, count] of IDS) {
  Deno.test(`testsOf() finds ${count} tests of ${id}`, () => {
    assertEquals(testsOf(id, NAMES).length, count);
  });
}

function page(...rows: readonly Row[]): string {
  return conformancePage([{ title: "Rows", about: "Of a test.", rows }], NAMES);
}

Deno.test("conformancePage() links each row to the files of its tests", () => {
  const text = page(["AS1", "a", "b"], ["AS2", "c", "not built", "absent"]);
  assertStringIncludes(text, "| `AS1` | a | b | [auth/a](../tests/auth/a_test.ts) (2) |");
  assertStringIncludes(text, "| `AS2` | c | not built | – |");
  assertStringIncludes(text, "2 rows: 1 with tests, 1 of what is not built.");
});

Deno.test("conformancePage() refuses a row without a test, and a test of what is not built", () => {
  assertThrows(() => page(["AS2", "a", "b"]), Error, "AS2");
  assertThrows(() => page(["AS1", "a", "b", "absent"]), Error, "AS1");
});
