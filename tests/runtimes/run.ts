/**
 * Runs the cases of `cases.ts` on Deno, Node, Bun and workerd: one bundle for each mode of decorators, the same bytes
 * for each runtime. Then stores on the databases that come with a runtime, `serveNode` on Node, static servers on each of
 * them, which are asked over sockets, and a WASI component.
 *
 * Prints one line per runtime and bundle. A runtime that is not there is skipped, unless `--require-all` is given. `--readme`
 * writes README's table of runtimes from the results; `--check-readme` fails if it has other runtimes or suites.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { dirname, join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import type { RuntimeResult } from "./harness.ts";
import { COMMANDS, runScript, withWorker } from "./launch.ts";
import { runNodeServers } from "./node_servers.ts";
import { checkReadme, writeReadme } from "./readme.ts";
import { formatOutcome, isFailure, type Outcome } from "./report.ts";
import { runStaticServers } from "./static_servers.ts";
import { runSocketServers } from "./socket_servers.ts";
import { runStoreEngines } from "./store_engines.ts";
import { runTokenWorkers } from "./token_worker_cases.ts";
import { JOSE } from "./versions.ts";
import { runWasi } from "./wasi_servers.ts";

/** The bundles, with what is said of them behind a runtime's name. */
const BUNDLES: readonly (readonly [suffix: string, entry: string, experimental: boolean])[] = [
  ["", "main.ts", false],
  [", legacy decorators", "legacy_main.ts", true],
];

const LOCK = join(ROOT, "tests/runtimes/deno.lock");

async function main(args: readonly string[]): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_runtimes_" });
  const outcomes: Outcome[] = [];
  try {
    for await (const outcome of runAll(folder)) {
      console.log(formatOutcome(outcome));
      outcomes.push(outcome);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  if (outcomes.some((outcome) => isFailure(outcome, args.includes("--require-all")))) return 1;
  if (args.includes("--readme")) await writeReadme(outcomes);
  const outdated = args.includes("--check-readme") ? await checkReadme(outcomes) : [];
  for (const difference of outdated) console.log(`runtimes: ${difference}`);
  return outdated.length > 0 ? 1 : 0;
}

async function* runAll(folder: string): AsyncIterable<Outcome> {
  for (const [suffix, entry, experimentalDecorators] of BUNDLES) {
    const own = join(folder, entry);
    await Deno.mkdir(own);
    const options = { experimentalDecorators };
    const module = await bundle(join(ROOT, "tests/runtimes", entry), own, options);
    yield* named(runEverywhere(module), suffix);
  }
  yield* named(runEverywhere(await bundleWithJose(join(folder, "jose"))), ", beside jose");
  yield* runTokenWorkers(join(folder, "worker"));
  yield* runStoreEngines(join(folder, "stores"));
  yield* named(runNodeServers(join(folder, "node")), ", serveNode");
  yield* named(runStaticServers(join(folder, "static")), ", static servers");
  yield* named(runSocketServers(join(folder, "sockets")), ", WebSocket servers");
  yield* runWasi(join(folder, "wasi"));
}

/** jose is in no lock file but this folder's: a generated module imports it. */
async function bundleWithJose(folder: string): Promise<string> {
  await Deno.mkdir(folder);
  const entry = join(folder, "entry.ts");
  const main = join(ROOT, "tests/runtimes/jose_main.ts");
  await Deno.writeTextFile(
    entry,
    `import * as jose from ${JSON.stringify(JOSE)};\n` +
      `import { serveWith } from ${JSON.stringify(main)};\n` +
      `const { report, worker } = serveWith(jose);\n` +
      `export { report, worker as default };\n`,
  );
  return await bundle(entry, folder, { lock: LOCK });
}

async function* named(outcomes: AsyncIterable<Outcome>, suffix: string): AsyncIterable<Outcome> {
  for await (const outcome of outcomes) yield { ...outcome, name: outcome.name + suffix };
}

async function* runEverywhere(module: string): AsyncIterable<Outcome> {
  const script = join(dirname(module), "script.mjs");
  await Deno.writeTextFile(
    script,
    `import { report } from ${JSON.stringify(toFileUrl(module).href)};\n` +
      `console.log(JSON.stringify(await report()));\n`,
  );
  for (const command of COMMANDS) yield await runScript(command, script);
  yield await withWorker(module, async (miniflare) => {
    const response = await miniflare.dispatchFetch("http://localhost/");
    return await response.json() as RuntimeResult[];
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
