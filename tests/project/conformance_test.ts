import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { ROOT, runDeno } from "../../dev/_project.ts";
import { conformancePage, testsOf } from "../../dev/conformance/generate.ts";
import type { Row } from "../../dev/conformance/types.ts";

/** Of no row: the titles below would be listed as tests of it. */
const NAMES = new Map([
  ["tests/auth/a_test.ts", ["f() refuses, ZZ1", "f() accepts, ZZ11", "g() (ZZ-2.1-a, ZZ1)"]],
  ["tests/auth/b_test.ts", ["h() of 0000-3.1-dup", "h() of 0001-4.3.1"]],
]);

/** The tests of an id: no part of a longer one counts. */
const IDS: readonly (readonly [id: string, count: number])[] = [
  ["ZZ1", 2],
  ["ZZ11", 1],
  ["ZZ", 0],
  ["Z1", 0],
  ["ZZ-2.1-a", 1],
  ["ZZ-2.1", 0],
  ["0000-3.1-dup", 1],
  ["0000-3.1", 0],
  ["0001-4.3", 0],
  ["0001-4.3.1", 1],
  ["0000-3X1-dup", 0],
];

for (const [id, count] of IDS) {
  Deno.test(`testsOf() finds ${count} tests of ${id}`, () => {
    assertEquals(testsOf(id, NAMES).length, count);
  });
}

function page(...rows: readonly Row[]): string {
  return conformancePage([{ title: "Rows", about: "Of a test.", rows }], NAMES);
}

Deno.test("list_tests.ts prints the names of tests that run, in each form of Deno.test", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "a_test.ts");
    await Deno.writeTextFile(
      path,
      `Deno.test("name", () => {});
Deno.test("options", { permissions: {} }, () => {});
Deno.test({ name: "object", fn() {} });
Deno.test(function named() {});
Deno.test("ignored", { ignore: true }, () => {});
Deno.test({ name: "ignored", ignore: true, fn() {} });
Deno.test.ignore("ignored", () => {});
Deno.test.only("only", () => {});`,
    );
    const list = join(ROOT, "dev/conformance/list_tests.ts");
    const { stdout } = await runDeno(["run", "--allow-all", "--no-check", "--no-lock", list, path]);
    const names = ["name", "options", "object", "named", "only"];
    assertEquals(JSON.parse(stdout), { [path]: names });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("conformancePage() links each row to the files of its tests", () => {
  const text = page(["ZZ1", "a", "b"], ["ZZ2", "c", "not built", "absent"]);
  assertStringIncludes(text, "| `ZZ1` | a | b | [auth/a](../tests/auth/a_test.ts) (2) |");
  assertStringIncludes(text, "| `ZZ2` | c | not built | – |");
  assertStringIncludes(text, "2 rows: 1 with tests, 1 of what is not built.");
});

Deno.test("conformancePage() refuses a row without a test, and a test of what is not built", () => {
  assertThrows(() => page(["ZZ2", "a", "b"]), Error, "ZZ2");
  assertThrows(() => page(["ZZ1", "a", "b", "absent"]), Error, "ZZ1");
});
