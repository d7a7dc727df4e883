import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Files, INFO, routedApp } from "../_cli.ts";
import { withTypedProject } from "./_process.ts";

const BARE = routedApp();

/** Source of title and version, the files besides, arguments, and the expected documentation. */
const TITLES: readonly (readonly [string, Files, readonly string[], string, string])[] = [
  ["--title and --api-version", {}, ["--title", "Flag", "--api-version", "9"], "Flag", "9"],
  [
    "flags, before all other sources",
    {
      "c.ts": routedApp(`info: { title: "R", version: "2" }`) + INFO,
      "deno.json": `{ "name": "d", "version": "3" }`,
    },
    ["--title", "Flag", "--api-version=9"],
    "Flag",
    "9",
  ],
  [
    "the router, against the exported info",
    { "c.ts": routedApp(`info: { title: "R", version: "2" }`) + INFO },
    [],
    "R",
    "2",
  ],
  [
    "the exported info, where the router does not",
    { "c.ts": routedApp() + INFO },
    [],
    "Notes",
    "1.2.3",
  ],
  [
    "the exported info, against deno.json",
    { "c.ts": BARE + INFO, "deno.json": `{ "name": "d", "version": "3" }` },
    [],
    "Notes",
    "1.2.3",
  ],
  ["one flag and the exported info", { "c.ts": BARE + INFO }, ["--title", "Flag"], "Flag", "1.2.3"],
  ["deno.json", { "deno.json": `{ "name": "@d/d", "version": "3.0.0-x" }` }, [], "@d/d", "3.0.0-x"],
  ["package.json", { "package.json": `{ "name": "p", "version": "4.0.0" }` }, [], "p", "4.0.0"],
  [
    "deno.json, against package.json",
    {
      "deno.json": `{ "name": "d", "version": "3.0.0" }`,
      "package.json": `{ "name": "p", "version": "4.0.0" }`,
    },
    [],
    "d",
    "3.0.0",
  ],
  [
    "package.json, where deno.json has no name",
    { "deno.json": `{ "imports": {} }`, "package.json": `{ "name": "p", "version": "4.0.0" }` },
    [],
    "p",
    "4.0.0",
  ],
  [
    "the nearest folder of the controllers",
    {
      "src/api/c.ts": BARE,
      "src/package.json": `{ "name": "near", "version": "1.0.0" }`,
      "deno.json": `{ "name": "far", "version": "2.0.0" }`,
    },
    ["--controllers", "src/api/c.ts"],
    "near",
    "1.0.0",
  ],
  [
    "the nearest files that say them",
    {
      "src/api/c.ts": BARE,
      "src/api/deno.json": `{ "version": "1.0.0" }`,
      "src/package.json": `{ "name": "near", "version": "2.0.0" }`,
      "deno.json": `{ "name": "far", "version": "3.0.0" }`,
    },
    ["--controllers", "src/api/c.ts"],
    "near",
    "1.0.0",
  ],
  [
    "the nearest folder, where one farther away is broken",
    { "src/c.ts": BARE, "src/deno.json": `{ "name": "d", "version": "1.0.0" }`, "deno.json": "{" },
    ["--controllers", "src/c.ts"],
    "d",
    "1.0.0",
  ],
  [
    "a folder that is not a parent of the working directory",
    {
      "lib/c.ts": BARE,
      "lib/deno.json": `{ "name": "lib", "version": "1.0.0" }`,
      "deno.json": `{ "name": "cwd", "version": "2.0.0" }`,
    },
    ["--controllers", "lib/c.ts"],
    "lib",
    "1.0.0",
  ],
  // Deno reads its configuration as JSON with comments
  [
    "a deno.json with comments",
    {
      "deno.json": `{
        // the name, see "https://example.com"
        "name": "https://example.com/*", /* " */
        "version": "3.0.0", // */
      }`,
    },
    [],
    "https://example.com/*",
    "3.0.0",
  ],
  ["deno.jsonc", { "deno.jsonc": `{ "name": "d", /* 3 */ "version": "3.0.0" }` }, [], "d", "3.0.0"],
  [
    "--title and a deno.json without a name",
    { "deno.json": `{ "version": "3.0.0" }` },
    ["--title", "T"],
    "T",
    "3.0.0",
  ],
  [
    "--api-version and a deno.json without a version",
    { "deno.json": `{ "name": "d" }` },
    ["--api-version", "9"],
    "d",
    "9",
  ],
  // An unneeded configuration may be unreadable
  [
    "flags, where deno.json is broken",
    { "deno.json": "{" },
    ["--title", "T", "--api-version", "9"],
    "T",
    "9",
  ],
  ["flags that look like numbers", {}, ["--title", "0x10", "--api-version", "1.0"], "0x10", "1.0"],
];
for (const [who, files, args, title, version] of TITLES) {
  Deno.test(`generate uses title and version from ${who}`, async () => {
    await withTypedProject(
      { "c.ts": BARE, ...files },
      async ({ generateUntyped: generate, document }) => {
        const controllers = args.includes("--controllers") ? [] : ["--controllers", "c.ts"];
        const { code, stderr } = await generate(...controllers, ...args);
        assertEquals([code, stderr], [0, ""]);
        const { info } = await document();
        assertEquals([info.title, info.version], [title, version]);
      },
    );
  });
}

/** What is missing, the files, arguments, and the flag to give. */
const UNTITLED: readonly (readonly [string, Files, readonly string[], string])[] = [
  ["title", {}, [], "--title"],
  ["title", { "deno.json": "{}", "package.json": `{ "private": true }` }, [], "--title"],
  ["title", {}, ["--api-version", "1"], "--title"],
  ["version", {}, ["--title", "T"], "--api-version"],
  ["version", { "deno.json": `{ "name": "d" }` }, [], "--api-version"],
  ["version", { "c.ts": `${BARE}export const info = { title: "T" };` }, [], "--api-version"],
  // Only strings count
  ["title", { "deno.json": `{ "name": 5, "version": {} }` }, [], "--title"],
  ["title", { "deno.json": `["name"]` }, [], "--title"],
];
for (const [i, [what, files, args, flag]] of UNTITLED.entries()) {
  Deno.test(`generate names the flag to pass if the ${what} is missing (${i + 1})`, async () => {
    await withTypedProject({ "c.ts": BARE, ...files }, async (project) => {
      const before = await project.files();
      const { code, stdout, stderr } = await project.generateUntyped(
        "--controllers",
        "c.ts",
        ...args,
      );
      assertEquals([code, stdout], [1, ""]);
      assertStringIncludes(stderr, `missing ${what}; pass ${flag} or export info`);
      assertEquals(await project.files(), before);
    });
  });
}
