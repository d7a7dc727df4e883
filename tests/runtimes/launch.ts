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

interface MiniflareModule {
  Miniflare: new (options: {
    modules: true;
    script: string;
    compatibilityDate: string;
    cf: false;
  }) => Miniflare;
}

/** Runs a command and returns what it printed. @throws {Error} If it fails. */
export async function runCommand(
  command: readonly string[],
  args: readonly string[],
): Promise<string> {
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

/** Runs a Worker in workerd for as long as `use` takes. */
export async function withWorker(
  script: string,
  use: (miniflare: Miniflare) => Promise<readonly RuntimeResult[]>,
): Promise<Outcome> {
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
  const results = await use(miniflare)
    .catch((error) => [{ name: "start", error: String(error) }])
    .finally(() => miniflare.dispose());
  return { name, results, ms: performance.now() - start };
}
