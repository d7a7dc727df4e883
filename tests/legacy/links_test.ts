/** The decorator cases of `tests/router` with `experimentalDecorators`. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";

/** Of the decorators of GraphQL, each mode has tests of its own: TC39 ones know the class of a member later. */
const OWN: readonly string[] = ["deno.json", "links_test.ts", "graphql_decorators_test.ts"];

const FOLDER = join(ROOT, "tests/legacy");
const ENTRIES = [...Deno.readDirSync(FOLDER)].filter(({ name }) => !OWN.includes(name));

Deno.test("tests/legacy contains links to the files of tests/router, and one test of its own", () => {
  const links = ENTRIES.map(({ name, isSymlink }) => [
    name,
    isSymlink ? Deno.readLinkSync(join(FOLDER, name)) : "is no link",
  ]);
  assertEquals(links, ENTRIES.map(({ name }) => [name, `../router/${name}`]));
});

Deno.test("tests/legacy has every case and check of the decorators", () => {
  const files = [...Deno.readDirSync(join(ROOT, "tests/router"))].map(({ name }) => name);
  const wanted = files.filter((name) => /^_decorator_|^decorators_(?:\w+_)?check\.ts$/.test(name));
  assertEquals(wanted.filter((name) => !ENTRIES.some((entry) => entry.name === name)), []);
});
