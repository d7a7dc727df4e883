/** How the npm package is made: archives, names of modules, source maps. */

import { assertEquals, assertRejects } from "@std/assert";
import { findStrangeImports } from "../../dev/_npm_package.ts";
import { splitSourceMap } from "../../dev/_source_maps.ts";
import { loadSpecifiers, renameSpecifiers } from "../../dev/_specifiers.ts";
import { readTarball, type TarFile, writeTarball } from "../../dev/_tar.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const FILES: readonly TarFile[] = [
  { path: "package/a.js", bytes: encode("a"), executable: true },
  { path: "package/empty", bytes: encode(""), executable: false },
  {
    path: `package/${"long/".repeat(20)}name.js`,
    bytes: encode("ä".repeat(512)),
    executable: false,
  },
];

Deno.test("readTarball() reads what writeTarball() wrote", async () => {
  const read = await readTarball(await writeTarball(FILES));
  assertEquals(read, FILES.toSorted((a, b) => a.path < b.path ? -1 : 1));
});

Deno.test("writeTarball() writes the same bytes, in whichever order the files are", async () => {
  assertEquals(await writeTarball(FILES.toReversed()), await writeTarball(FILES));
});

Deno.test("writeTarball() rejects a name that the format has no place for", async () => {
  const file = { path: "a".repeat(101), bytes: encode("") };
  await assertRejects(() => writeTarball([file]), RangeError);
});

/** Why, a text, and the same with the names of modules that start with `@std/` in capitals. */
const TEXTS: readonly (readonly [why: string, text: string, renamed: string])[] = [
  ["imports", 'import { a } from "@std/a";', 'import { a } from "@STD/A";'],
  ["exports", "export * from '@std/a';", "export * from '@STD/A';"],
  ["types", 'type A = import("@std/a").A;', 'type A = import("@STD/A").A;'],
  ["dynamic imports", 'await import("@std/a");', 'await import("@STD/A");'],
  ["several", 'import "@std/a";\nimport "@std/b";', 'import "@STD/A";\nimport "@STD/B";'],
  ["no comments", '/** import "@std/a"; */', '/** import "@std/a"; */'],
  ["no strings", "const a = `import '@std/a'`;", "const a = `import '@std/a'`;"],
  ["no other modules", 'import "./@std/a";', 'import "./@std/a";'],
];

for (const [why, text, renamed] of TEXTS) {
  Deno.test(`renameSpecifiers() renames modules in ${why}`, async () => {
    const find = await loadSpecifiers();
    const rename = (name: string) => name.startsWith("@std/") ? name.toUpperCase() : undefined;
    assertEquals(renameSpecifiers(text, find("a.ts", text), rename), renamed);
  });
}

Deno.test("findStrangeImports() finds what users of the package do not get", async () => {
  const files = [
    ["a.js", 'import "./b/c.js"; import "node:fs"; import "hono/cors"; import "@std/path";'],
    ["b/c.js", 'import "../a.js"; import "./d.js"; import "honest";'],
    ["b/c.d.ts", 'export * from "../a.js";'],
  ].map(([path = "", text = ""]) => ({ path, bytes: encode(text) }));
  assertEquals(findStrangeImports(files, await loadSpecifiers()), [
    "a.js imports @std/path",
    "b/c.js imports ./d.js",
    "b/c.js imports honest",
    "b/c.d.ts imports ../a.js",
  ]);
});

Deno.test("splitSourceMap() leaves the machine's paths out of the map, and counts lines before", () => {
  const path = ["file://", "srv", "checkout", "a.ts"].join("/");
  const inline = btoa(
    JSON.stringify({ version: 3, sources: [path], sourcesContent: ["let a"], mappings: "AAAA" }),
  );
  const comment = `//# sourceMappingURL=data:application/json;base64,${inline}`;
  const { text, map = "" } = splitSourceMap("a.js", `// first\nlet a;\n${comment}`, 1);
  assertEquals(text, "// first\nlet a;\n//# sourceMappingURL=a.js.map\n");
  assertEquals(JSON.parse(map), {
    version: 3,
    file: "a.js",
    sources: ["a.ts"],
    sourcesContent: ["let a"],
    names: [],
    mappings: ";AAAA",
  });
  assertEquals(splitSourceMap("a.js", "let a;"), { text: "let a;" });
});
