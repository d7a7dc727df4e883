/** The pages on Node, Bun, Deno and Workers, followed to the letter in an empty folder. */

import { join } from "@std/path";
import { jsrArchive } from "./_archives.ts";
import { serveJsr } from "./_jsr_registry.ts";
import { serveNpm } from "./_npm_registry.ts";
import { follow, readSteps, type StandIn } from "./_page.ts";
import { openProject, runProgram } from "./_projects.ts";
import { readTools, type Tool } from "./_tools.ts";
import { runWorker } from "./_worker.ts";

/** What follows a page. Deno is always there. */
type Follower = Tool | "deno";

/** A page, on what, the sections that are followed there one after the other, and what starts their servers. */
type Row = readonly [
  page: string,
  tool: Follower,
  sections: readonly string[],
  standIn?: StandIn,
];

const ROWS: readonly Row[] = [
  ["docs/node.md", "node20", ["Start", "Production", "Static assets"]],
  ["docs/node.md", "node24", ["Start", "TypeScript", "Production", "Static assets", "OpenAPI"]],
  ["docs/bun.md", "bun", ["Start", "TypeScript", "Production", "Static assets", "OpenAPI"]],
  ["docs/deploy.md", "deno", ["Start", "Static assets"]],
  ["docs/workers.md", "node24", ["Start", "Static assets"], runWorker],
];

/** Programs that commands of the pages are made of, and that npm and Bun start. */
const SHELL: readonly string[] = ["sh", "mkdir", "rm", "cat", "env", "dirname", "uname", "sed"];

const tools: Readonly<Partial<Record<Follower, string>>> = {
  ...readTools(),
  deno: Deno.execPath(),
};

for (const [page, tool, sections, standIn] of ROWS) {
  Deno.test({
    name: `${page} does what it says, with ${tool}`,
    ignore: tools[tool] === undefined,
    sanitizeOps: standIn === undefined, // Miniflare leaves a timer and a port behind
    sanitizeResources: standIn === undefined,
    async fn(t) {
      const bin = await Deno.makeTempDir({ prefix: "bin_" });
      await linkPrograms(bin, tool, tools[tool] ?? "");
      await using npm = await serveNpm(await jsrArchive());
      await using jsr = await serveJsr();
      await using project = await openProject({
        jsr: npm.url,
        env: { PATH: bin, JSR_URL: jsr.url },
      });
      await Deno.remove(join(project.folder, "package.json"));
      for (const section of sections) {
        for (const step of readSteps(page, section)) {
          const what = step.kind === "file" ? step.path : step.line;
          const passed = await t.step(`${section}: ${what}`, () => follow(project, step, standIn));
          if (!passed) return; // The next steps need it
        }
      }
    },
  });
}

/** Makes a folder for PATH that has a runtime with its package manager, and nothing else to run JavaScript. */
async function linkPrograms(folder: string, tool: Follower, path: string): Promise<void> {
  const link = (target: string, name: string) => Deno.symlink(target, join(folder, name));
  for (const name of SHELL) await link(await findProgram(name), name);
  if (tool === "bun") {
    await link(path, "bun");
    await link(path, "bunx");
  } else if (tool === "deno") {
    await link(path, "deno");
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
