import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "@std/path";
import {
  CLI,
  CONTROLLERS,
  type Files,
  GENERATE,
  INFO,
  namesIn,
  PERMISSIONS,
  routedApp,
  withProject,
} from "../_cli.ts";
import { makeLinks, withTypedProject } from "./_process.ts";

/** Why a document cannot be written, arguments of Deno, and of the command. */
const UNWRITABLE: readonly (readonly [string, readonly string[], string])[] = [
  ["its folder is not there", [], "none/openapi.json"],
  ["it is a folder", [], "folder"],
  ["it is under a file", [], "c.ts/openapi.json"],
  // Permissions of files mean nothing to root, those of Deno do
  ["its folder may not be written to", ["--deny-write=locked"], "locked/openapi.json"],
  ["it may not be read", ["--deny-read=locked"], "locked/openapi.json"],
  // Replacing what is there by a file would take the device away from the whole machine
  ["it is a device", ["--deny-write=/dev"], "/dev/null"],
];
for (const [why, flags, output] of UNWRITABLE) {
  Deno.test(`generate fails and creates no file if ${why}`, async () => {
    const files = { "c.ts": CONTROLLERS, "folder/x": "", "locked/openapi.json": "old" };
    await withProject(files, async (project) => {
      const before = await project.files();
      const args = [...GENERATE, "--no-types", "--controllers", "c.ts", "--output", output];
      const run = await project.deno("run", ...PERMISSIONS, ...flags, CLI, ...args);
      assertEquals([run.code, run.stdout], [1, ""]);
      assertMatch(run.stderr, /^Cannot (?:read|write) .+\n$/);
      assertStringIncludes(run.stderr, output);
      if (output.startsWith("/dev")) {
        assert(!run.stderr.includes("--allow"), `tried to write in /dev: ${run.stderr}`);
      }
      assertEquals(await project.files(), before);
    });
  });
}

/** What a link that the document is written to leads to, files, links, the output, and where it is in truth. */
const LINKS: readonly (readonly [string, Files, Files, string, string])[] = [
  ["a document", { "docs/a.json": "old" }, { "b.json": "docs/a.json" }, "b.json", "docs/a.json"],
  ["nothing yet", { "docs/.keep": "" }, { "b.json": "docs/a.json" }, "b.json", "docs/a.json"],
  [
    "a link that leads to a document",
    { "docs/a.json": "old" },
    { "b.json": "docs/a.json", "docs/c.json": "../b.json" },
    "docs/c.json",
    "docs/a.json",
  ],
  // ".." is the folder above the one that the link is in, whatever path it was found by
  [
    "nothing yet, and lies in a folder that a link leads to",
    { "deep/docs/.keep": "" },
    { "docs": "deep/docs", "deep/docs/b.json": "../a.json" },
    "docs/b.json",
    "deep/a.json",
  ],
];
for (const [what, files, links, output, written] of LINKS) {
  Deno.test(`generate writes through a symlink to ${what}`, async () => {
    await withTypedProject(
      { "c.ts": routedApp() + INFO, ...files },
      async ({ folder, generateUntyped: generate, read }) => {
        await makeLinks(folder, links);
        const { code, stderr } = await generate("--controllers", "c.ts", "--output", output);
        assertEquals([code, stderr], [0, ""]);
        for (const link of Object.keys(links)) {
          assertEquals((await Deno.lstat(join(folder, link))).isSymlink, true, link);
        }
        assertStringIncludes(await read(written), '"title": "Notes"');
        const made = [...Object.keys(links), ...Object.keys(files), "c.ts", written];
        const entries = (await Promise.all([".", dirname(written)].map(async (path) => {
          return (await namesIn(join(folder, path))).map((name) => join(path, name));
        }))).flat();
        const stray = entries.filter((path) =>
          !made.some((one) => `${one}/`.startsWith(`${path}/`))
        );
        assertEquals(stray, []);
      },
    );
  });
}

Deno.test({
  name: "generate keeps the mode of a document",
  ignore: Deno.build.os === "windows",
  async fn() {
    await withTypedProject(
      { "c.ts": routedApp() + INFO, "openapi.json": "old" },
      async ({ folder, generateUntyped: generate }) => {
        const path = join(folder, "openapi.json");
        await Deno.chmod(path, 0o666);
        await generate("--controllers", "c.ts");
        const { mode, size } = await Deno.stat(path);
        assert(size > 100);
        assertEquals((mode ?? 0) & 0o777, 0o666);
      },
    );
  },
});
