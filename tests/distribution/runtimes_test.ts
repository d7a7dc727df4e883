/** The installed package on every runtime: the program answers, and every entry can be imported. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readConfig } from "../../dev/_project.ts";
import { withWorker } from "../runtimes/launch.ts";
import { assertHello, HELLO } from "./_hello.ts";
import { openInstalled, type Project } from "./_projects.ts";
import { readTools } from "./_tools.ts";
import { ESBUILD } from "./versions.ts";

const { node20, node22, node24, bun } = readTools();

/** What runs a script, by its name; absent if the machine does not have it. */
const RUNTIMES: readonly (readonly [name: string, command: readonly string[] | undefined])[] = [
  ["Node 20", node20 === undefined ? undefined : [node20]],
  ["Node 22", node22 === undefined ? undefined : [node22]],
  ["Node 24", node24 === undefined ? undefined : [node24]],
  ["Bun", bun === undefined ? undefined : [bun]],
  ["Deno", [Deno.execPath(), "run", "--no-prompt", "--allow-env"]],
];

/** Every entry, as programs name it. */
const ENTRIES = Object.keys(readConfig().exports)
  .map((entry) => `@gatehouse/http${entry.slice(1)}`);

/** Imports all entries, and says how many names each has. */
const IMPORT_ALL = `const counts = {};
for (const entry of ${JSON.stringify(ENTRIES)}) {
  counts[entry] = Object.keys(await import(entry)).length;
}
console.log(JSON.stringify(counts));
`;

/** The part of esbuild that is used here. */
interface Esbuild {
  build(options: {
    entryPoints: string[];
    outfile: string;
    bundle: true;
    minify: true;
    format: "esm";
    platform: "browser";
    logLevel: "error";
  }): Promise<unknown>;
  stop(): Promise<void>;
}

let project: Project;

Deno.test.beforeAll(async () => {
  project = await openInstalled({ files: { ...HELLO, "import_all.js": IMPORT_ALL } });
});

Deno.test.afterAll(async () => await project[Symbol.asyncDispose]());

for (const [name, command = []] of RUNTIMES) {
  const [program = "", ...args] = command;
  const ignore = program === "";

  Deno.test({
    name: `${name} runs the program`,
    ignore,
    async fn() {
      assertHello(await project.run(program, ...args, "call.js"));
    },
  });

  Deno.test({
    name: `${name} imports every entry`,
    ignore,
    async fn() {
      const counts: Record<string, number> = JSON.parse(
        await project.run(program, ...args, "import_all.js"),
      );
      assertEquals(Object.keys(counts), ENTRIES);
      assertEquals(Object.values(counts).filter((count) => count === 0), []);
    },
  });
}

Deno.test({
  name: "workerd runs the program, bundled by esbuild",
  sanitizeOps: false, // Miniflare leaves a timer and a port behind
  sanitizeResources: false,
  fn: runInWorkerd,
});

async function runInWorkerd(): Promise<void> {
  const outfile = join(project.folder, "worker.mjs");
  const esbuild: Esbuild = await import(ESBUILD);
  try {
    await esbuild.build({
      entryPoints: [join(project.folder, "app.js")],
      outfile,
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      logLevel: "error",
    });
  } finally {
    await esbuild.stop();
  }
  const outcome = await withWorker(outfile, async (miniflare) => {
    const response = await miniflare.dispatchFetch("http://127.0.0.1/users/7?tab=posts");
    assertEquals(await response.json(), { id: "7", tab: "posts" });
    return [];
  });
  assertEquals("results" in outcome ? outcome.results : outcome, []);
}
