/**
 * How each runtime is started.
 *
 * @module
 */

import type { RuntimeResult } from "./harness.ts";
import type { Outcome } from "./report.ts";
import { BUN, COMPATIBILITY_DATE, MINIFLARE } from "./versions.ts";

const TIMEOUT_MS = 120_000;

/** A runtime that runs a script, with the command for it. */
export type RuntimeCommand = readonly [name: string, command: readonly string[]];

/** The runtimes that run a script. */
export const COMMANDS: readonly RuntimeCommand[] = [
  ["deno", [Deno.execPath(), "run", "--no-config", "--no-prompt"]],
  ["node", ["node"]],
  ["bun", ["npx", "-y", BUN]],
];

/** The part of Miniflare that is used here. */
export interface Miniflare {
  dispatchFetch(url: string): Promise<{ json(): Promise<unknown> }>;
  dispose(): Promise<void>;
  /** Where its HTTP server is. */
  readonly ready: Promise<URL>;
}

/** What a Worker is bound to. */
export interface WorkerBindings {
  /** Variables and secrets. */
  readonly bindings?: Readonly<Record<string, string>>;
  /** Databases by the names of their bindings. */
  readonly d1Databases?: Readonly<Record<string, string>>;
  /** The folder that they are in. @default one that is empty, and gone with the Worker */
  readonly d1Persist?: string;
}

interface MiniflareModule {
  Miniflare: new (
    options: WorkerBindings & {
      modules: readonly { type: "ESModule"; path: string; contents: string }[];
      compatibilityDate: string;
      cf: false;
    },
  ) => Miniflare;
}

/** Runs a command, in a folder if one is given, and returns what it printed. @throws {Error} If it fails. */
export async function runCommand(
  command: readonly string[],
  args: readonly string[],
  options: { readonly cwd?: string } = {},
): Promise<string> {
  const [program = "", ...rest] = [...command, ...args];
  const { success, stdout, stderr } = await new Deno.Command(program, {
    ...options,
    args: rest,
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`${program} failed: ${decoder.decode(stderr).trim()}`);
  return decoder.decode(stdout);
}

/** The runtime's name with its version, or that it is not there. */
export async function findVersion(
  [name, command]: RuntimeCommand,
): Promise<{ name: string } | { name: string; skipped: string }> {
  if (name === "deno") return { name: `deno ${Deno.version.deno}` }; // it says more than its number
  try {
    const text = await runCommand(command, ["--version"]);
    const version = /^v?(\d\S*)\s*$/.exec(text)?.[1]; // Node puts a "v" before it
    // Deno starts itself as `node` where there is none.
    if (version === undefined) return { name, skipped: `${command[0]} is another program` };
    return { name: `${name} ${version}` };
  } catch (error) {
    return { name, skipped: String(error) };
  }
}

/** Runs a script that prints results. */
export async function runScript(runtime: RuntimeCommand, script: string): Promise<Outcome> {
  const start = performance.now();
  const version = await findVersion(runtime);
  if ("skipped" in version) return version;
  const results = await runCommand(runtime[1], [script])
    .then((text) => JSON.parse(text) as RuntimeResult[])
    .catch((error) => [{ name: "start", error: String(error) }]);
  return { ...version, results, ms: performance.now() - start };
}

/** Runs a Worker in workerd for as long as `use` takes. */
export async function withWorker(
  script: string,
  use: (miniflare: Miniflare) => Promise<readonly RuntimeResult[]>,
  bindings: WorkerBindings = {},
): Promise<Outcome> {
  const start = performance.now();
  const name = `workerd ${COMPATIBILITY_DATE}`;
  let Miniflare;
  try {
    ({ Miniflare } = await import(MINIFLARE) as MiniflareModule);
  } catch (error) {
    return { name, skipped: String(error) };
  }
  const miniflare = new Miniflare({
    // Listed, as wrangler does: miniflare itself looks for modules, and refuses an import whose name is computed
    modules: [{ type: "ESModule", path: "main.mjs", contents: await Deno.readTextFile(script) }],
    compatibilityDate: COMPATIBILITY_DATE,
    cf: false,
    ...bindings,
  });
  const results = await use(miniflare)
    .catch((error) => [{ name: "start", error: String(error) }])
    .finally(() => miniflare.dispose());
  return { name, results, ms: performance.now() - start };
}

/**
 * Starts a server, which prints where it is as one line of JSON and ends with its input, for as long as `use` takes.
 *
 * @param options The folder that it runs in.
 */
export async function withServer<Started>(
  name: string,
  [program = "", ...args]: readonly string[],
  use: (started: Started) => Promise<readonly RuntimeResult[]>,
  options: { readonly cwd?: string } = {},
): Promise<Outcome> {
  const start = performance.now();
  const child = new Deno.Command(program, {
    ...options,
    args,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const complaints = new Response(child.stderr).text();
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let results: readonly RuntimeResult[] = [];
  try {
    results = await use(JSON.parse((await output.read()).value ?? ""));
  } catch {
    // It has said why
  }
  await child.stdin.close().catch(() => {}); // with which it ends
  await child.status;
  clearTimeout(timer);
  await output.cancel();
  const said = await complaints;
  if (results.length === 0) results = [{ name: "start", error: said }];
  return { name, results, ms: performance.now() - start };
}
