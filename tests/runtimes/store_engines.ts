/**
 * Runs the contracts of stores on the databases that come with a runtime: `bun:sqlite`, and Cloudflare's D1. Node 20 has
 * none, and Deno's are tested beside the contracts.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import type { RuntimeResult } from "./harness.ts";
import { COMMANDS, type Miniflare, runScript, type RuntimeCommand, withWorker } from "./launch.ts";
import type { Outcome } from "./report.ts";

/** How many Workers share the cases on D1, each with a database of its own: one keeps one processor busy. */
const WORKERS = 2;

/** Two ways to one database. */
const DATABASES = { DB: "gatehouse", SAME: "gatehouse" } as const;

/** Where files are in memory on Linux. D1 waits for the disk at every write, which is half of the time. */
const MEMORY = "/dev/shm";

/** Runs the cases. @param folder Where the bundles and databases go. */
export async function* runStoreEngines(folder: string): AsyncIterable<Outcome> {
  const [bun, d1] = [join(folder, "bun"), join(folder, "d1")];
  for (const own of [folder, bun, d1]) await Deno.mkdir(own);
  yield named(await runBunSqlite(bun), "stores on bun:sqlite");
  yield named(await runD1(d1), "stores on D1");
}

function named(outcome: Outcome, what: string): Outcome {
  return { ...outcome, name: `${outcome.name}, ${what}` };
}

async function runBunSqlite(folder: string): Promise<Outcome> {
  const entry = join(ROOT, "tests/runtimes/bun_sqlite_main.ts");
  const module = await bundle(entry, folder, { nodeModules: true });
  const script = join(folder, "script.mjs");
  await Deno.writeTextFile(
    script,
    `import { Database } from "bun:sqlite";\n` +
      `import { report } from ${JSON.stringify(toFileUrl(module).href)};\n` +
      `console.log(JSON.stringify(await report(Database, ${JSON.stringify(folder)})));\n`,
  );
  return await runScript(COMMANDS.find(([name]) => name === "bun") as RuntimeCommand, script);
}

async function runD1(folder: string): Promise<Outcome> {
  const worker = await bundle(join(ROOT, "tests/runtimes/d1_worker_main.ts"), folder);
  const databases = await makeMemoryFolder(folder);
  try {
    const parts = Array.from({ length: WORKERS }, (_, part) => {
      const bindings = { d1Databases: DATABASES, d1Persist: join(databases, `${part}`) };
      return withWorker(worker, (miniflare) => runPart(miniflare, part), bindings);
    });
    return joinOutcomes(await Promise.all(parts));
  } finally {
    await Deno.remove(databases, { recursive: true });
  }
}

async function runPart(miniflare: Miniflare, part: number): Promise<RuntimeResult[]> {
  const url = `http://localhost/?part=${part}&parts=${WORKERS}`;
  return await (await miniflare.dispatchFetch(url)).json() as RuntimeResult[];
}

/** Makes a folder in memory, or else in another folder. */
async function makeMemoryFolder(other: string): Promise<string> {
  const prefix = "gatehouse_runtimes_";
  return await Deno.makeTempDir({ dir: MEMORY, prefix })
    .catch(() => Deno.makeTempDir({ dir: other, prefix }));
}

/** What ran at once, as one. */
function joinOutcomes(outcomes: readonly Outcome[]): Outcome {
  const results: RuntimeResult[] = [];
  let [name, ms] = ["", 0];
  for (const outcome of outcomes) {
    if ("skipped" in outcome) return outcome;
    ({ name } = outcome);
    ms = Math.max(ms, outcome.ms);
    results.push(...outcome.results);
  }
  return { name, results, ms };
}
