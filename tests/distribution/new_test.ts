/** Applications that `gatehouse new` of the installed package writes, for Node and Bun: installed, type-checked and tested. */

import { assertMatch } from "@std/assert";
import { join } from "@std/path";
import { jsrArchive } from "./_archives.ts";
import { serveNpm } from "./_npm_registry.ts";
import { openInstalled, runProgram } from "./_projects.ts";
import { readTools, type Tool } from "./_tools.ts";

const tools = readTools();

/** What runs the command and the application, and commands of the application's README, with a check of its types. */
const ROWS: readonly (readonly [Tool, (program: string) => readonly (readonly string[])[]])[] = [
  ["node24", (node) => [
    ["npm", "install"],
    ["npm", "run", "check"],
    [node, "--test"], // npm test, on this Node
  ]],
  ["bun", (bun) => [
    [bun, "install"],
    [bun, "x", "--bun", "tsc"],
    [bun, "test"],
  ]],
];

for (const [tool, commandsOf] of ROWS) {
  const program = tools[tool] ?? "";
  Deno.test({
    name: `gatehouse new writes an application that installs, compiles and passes, on ${tool}`,
    ignore: program === "",
    async fn(t) {
      await using registry = await serveNpm(await jsrArchive());
      await using project = await openInstalled();
      const printed = await project.run(program, "node_modules/.bin/gatehouse", "new", "made");
      assertMatch(printed, /^Wrote made \(main\.ts, main\.test\.ts, package\.json, /);
      await project.write("made/.npmrc", `@jsr:registry=${registry.url}\n`); // in place of JSR's
      for (const [first = "", ...args] of commandsOf(program)) {
        await t.step([first.replace(/.*\//, ""), ...args].join(" "), async () => {
          const { code, stdout, stderr } = await runProgram(first, args, {
            cwd: join(project.folder, "made"),
            env: project.env,
          });
          if (code !== 0) throw new Error(stdout + stderr);
        });
      }
    },
  });
}
