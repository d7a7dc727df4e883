/** The pages on Node and Bun, followed to the letter in an empty folder. */

import { join } from "@std/path";
import { jsrArchive } from "./_archives.ts";
import { serveNpm } from "./_npm_registry.ts";
import { follow, readSteps } from "./_page.ts";
import { openProject, runProgram } from "./_projects.ts";
import { readTools, type Tool } from "./_tools.ts";

/** A page, on what, and the sections that are followed there one after the other. */
type Row = readonly [page: string, tool: Tool, sections: readonly string[]];

const ROWS: readonly Row[] = [
  ["docs/node.md", "node20", ["Start", "Production", "Static assets"]],
  ["docs/node.md", "node24", ["Start", "TypeScript", "Production", "Static assets", "OpenAPI"]],
  ["docs/bun.md", "bun", ["Start", "TypeScript", "Production", "Static assets", "OpenAPI"]],
];

/** Programs that commands of the pages are made of, and that npm and Bun start. */
const SHELL: readonly string[] = ["sh", "mkdir", "cat", "env", "dirname", "uname", "sed"];

const tools = readTools();

for (const [page, tool, sections] of ROWS) {
  Deno.test({
    name: `${page} does what it says, with ${tool}`,
    ignore: tools[tool] === undefined,
    async fn(t) {
      const bin = await Deno.makeTempDir({ prefix: "bin_" });
      await linkPrograms(bin, tool, tools[tool] ?? "");
      await using registry = await serveNpm(await jsrArchive());
      await using project = await openProject({ jsr: registry.url, env: { PATH: bin } });
      await Deno.remove(join(project.folder, "package.json"));
      for (const section of sections) {
        for (const step of readSteps(page, section)) {
          const what = step.kind === "file" ? step.path : step.line;
          const passed = await t.step(`${section}: ${what}`, () => follow(project, step));
          if (!passed) return; // The next steps need it
        }
      }
    },
  });
}

/** Makes a folder for PATH that has a runtime with its package manager, and nothing else to run JavaScript. */
async function linkPrograms(folder: string, tool: Tool, path: string): Promise<void> {
  const link = (target: string, name: string) => Deno.symlink(target, join(folder, name));
  for (const name of SHELL) await link(await findProgram(name), name);
  if (tool === "bun") {
    await link(path, "bun");
    await link(path, "bunx");
  } else {
    await link(path, "node");
    await link(await findProgram("npm"), "npm");
    await link(await findProgram("npx"), "npx");
  }
}

async function findProgram(name: string): Promise<string> {
  const { stdout } = await runProgram("sh", ["-c", `command -v ${name}`]);
  return stdout.trim();
}
