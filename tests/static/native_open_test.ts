/** Files that changed after their lookup. */

import { assertEquals } from "@std/assert";
import { scriptPath } from "./_fixture.ts";
import { INTERLEAVINGS } from "./_interleavings.ts";
import { withProcess } from "./_servers.ts";

/** [mode, permissions for a folder, whether a link as the last segment is rejected when a file is opened] */
const MODES: readonly (readonly [
  mode: string,
  permissions: (folder: string) => readonly string[],
  noFollow: boolean,
])[] = [
  ["all permissions", () => ["-A"], true],
  [
    "limited permissions",
    (folder) => ["--no-prompt", `--allow-read=${folder}`, `--allow-write=${folder}`],
    false,
  ],
];

for (const [mode, permissions, noFollow] of MODES) {
  Deno.test(`openFile() serves only the file that was looked up, with ${mode}`, async () => {
    const folder = await Deno.realPath(await Deno.makeTempDir());
    const script = scriptPath("interleavings_main.ts");
    try {
      await withProcess(["run", "-A", script, "make", folder], async () => {});
      const run = ["run", ...permissions(folder), script, "try", folder];
      await withProcess(run, async ({ line }) => {
        const served: boolean[] = JSON.parse(await line());
        assertEquals(
          INTERLEAVINGS.map(({ name }, i) => [name, served[i]]),
          INTERLEAVINGS.map(({ name, served = !noFollow }) => [name, served]),
        );
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
