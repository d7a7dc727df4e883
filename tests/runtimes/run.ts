/**
 * Runs the cases of `cases.ts` on Deno, Node, Bun and workerd: one bundle for each mode of decorators, the same bytes
 * for each runtime.
 *
 * Prints one line per runtime and bundle. A runtime that is not there is skipped, unless `--require-all` is given.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { dirname, join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import type { RuntimeResult } from "./harness.ts";
import { formatOutcome, isFailure, type Outcome } from "./report.ts";
import { BUN, COMPATIBILITY_DATE, MINIFLARE } from "./versions.ts";

const TIMEOUT_MS = 120_000;

/** The runtimes that run a script, with the command for it. */
const COMMANDS: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["deno", [Deno.execPath(), "run", "--no-config", "--no-prompt"]],
  ["node", ["node"]],
  ["bun", ["npx", "-y", BUN]],
];

/** The bundles, with what is said of them behind a runtime's name. */
const BUNDLES: readonly (readonly [suffix: string, entry: string, experimental: boolean])[] = [
  ["", "main.ts", false],
  [", legacy decorators", "legacy_main.ts", true],
];

/** The part of Miniflare that is used here. */
interface MiniflareModule {
  Miniflare: new (options: {
    modules: true;
    script: string;
    compatibilityDate: string;
    cf: false;
  }) => {
    dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>;
    dispose(): Promise<void>;
  };
}

async function runCommand(command: readonly string[], args: readonly string[]): Promise<string> {
  const [program = "", ...rest] = [...command, ...args];
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: rest,
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${program} failed: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout);
}

/** Deno says more than its number, Node puts a "v" before it. */
async function readVersion(name: string, command: readonly string[]): Promise<string> {
  if (name === "deno") return Deno.version.deno;
  return (await runCommand(command, ["--version"])).trim().replace(/^v/, "");
}

async function runScript(
  name: string,
  command: readonly string[],
  script: string,
): Promise<Outcome> {
  const start = performance.now();
  let version;
  try {
    version = await readVersion(name, command);
  } catch (error) {
    return { name, skipped: String(error) };
  }
  const results = await runCommand(command, [script])
    .then((text) => JSON.parse(text) as RuntimeResult[])
    .catch((error) => [{ name: "start", error: String(error) }]);
  return { name: `${name} ${version}`, results, ms: performance.now() - start };
}

async function runWorker(script: string): Promise<Outcome> {
  const start = performance.now();
  const name = `workerd ${COMPATIBILITY_DATE}`;
  let Miniflare;
  try {
    ({ Miniflare } = await import(MINIFLARE) as MiniflareModule);
  } catch (error) {
    return { name, skipped: String(error) };
  }
  const options = { modules: true, compatibilityDate: COMPATIBILITY_DATE, cf: false } as const;
  const miniflare = new Miniflare({ ...options, script: await Deno.readTextFile(script) });
  const results = await miniflare.dispatchFetch("http://localhost/")
    .then((response) => response.json() as Promise<RuntimeResult[]>)
    .catch((error) => [{ name: "start", error: String(error) }])
    .finally(() => miniflare.dispose());
  return { name, results, ms: performance.now() - start };
}

async function main(args: readonly string[]): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_runtimes_" });
  const outcomes: Outcome[] = [];
  try {
    for (const [suffix, entry, experimentalDecorators] of BUNDLES) {
      const own = join(folder, entry);
      await Deno.mkdir(own);
      const options = { experimentalDecorators };
      const module = await bundle(join(ROOT, "tests/runtimes", entry), own, options);
      for await (const outcome of runEverywhere(module)) {
        const named = { ...outcome, name: outcome.name + suffix };
        console.log(formatOutcome(named));
        outcomes.push(named);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return outcomes.some((outcome) => isFailure(outcome, args.includes("--require-all"))) ? 1 : 0;
}

async function* runEverywhere(module: string): AsyncIterable<Outcome> {
  const script = join(dirname(module), "script.mjs");
  await Deno.writeTextFile(
    script,
    `import { report } from ${JSON.stringify(toFileUrl(module).href)};\n` +
      `console.log(JSON.stringify(await report()));\n`,
  );
  for (const [name, command] of COMMANDS) yield await runScript(name, command, script);
  yield await runWorker(module);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
