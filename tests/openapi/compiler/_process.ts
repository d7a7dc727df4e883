/**
 * The compiler in a separate process, one for each test file: loading it takes longer than reading types does.
 *
 * @module
 */

import { assert } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../../dev/_project.ts";
import {
  type CliRun,
  type Files,
  GENERATE,
  NO_ROUTER,
  PERMISSIONS,
  type Project,
  withProject,
} from "../_cli.ts";

/** What the process can be asked: to run the command, to make links, or to read the table of a folder. */
export type CompilerRequest =
  | { readonly kind: "run"; readonly folder: string; readonly args: readonly string[] }
  | { readonly kind: "link"; readonly folder: string; readonly links: Files }
  | { readonly kind: "table"; readonly folder: string; readonly table: unknown };

const process = new Deno.Command(Deno.execPath(), {
  args: ["run", ...PERMISSIONS, join(ROOT, "tests/openapi/compiler/_program.ts")],
  cwd: ROOT,
  env: { NO_COLOR: "1" },
  stdin: "piped",
  stdout: "piped",
  stderr: "inherit",
}).spawn();
globalThis.addEventListener("unload", () => process.kill());

const input = process.stdin.getWriter();
const output = process.stdout.pipeThrough(new TextDecoderStream()).getReader();
let rest = "";
let last: Promise<unknown> = Promise.resolve();

/** Sends a request and reads its answer, after those before it. */
function ask(request: CompilerRequest): Promise<unknown> {
  const answer = last.then(async () => {
    await input.write(new TextEncoder().encode(JSON.stringify(request) + "\n"));
    while (!rest.includes("\n")) {
      const { value, done } = await output.read();
      assert(!done, "the compiler's process has ended");
      rest += value;
    }
    const end = rest.indexOf("\n");
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    return JSON.parse(line);
  });
  last = answer.catch(() => {});
  return answer;
}

/** Makes symbolic links, by the paths of their targets. A test must not: it needs to read and write everything. */
export async function makeLinks(folder: string, links: Files): Promise<void> {
  await ask({ kind: "link", folder, links });
}

/** Reads a table of types that is in a folder. */
export function readTable(folder: string, table: unknown): Promise<unknown> {
  return ask({ kind: "table", folder, table });
}

/**
 * Makes a folder with an application whose `generate` runs in the shared process.
 *
 * The process keeps modules and the controllers of all its applications, so an application must export its router, and
 * its files must not change between two runs.
 */
export function withTypedProject(
  files: Files,
  test: (project: Project) => Promise<void>,
): Promise<void> {
  return withProject(files, (project) => {
    const generate = sharedGenerate(project);
    return test({
      ...project,
      generate,
      generateUntyped: (...args) => generate("--no-types", ...args),
    });
  });
}

/** Runs the command line in the shared process. */
export async function runShared(folder: string, args: readonly string[]): Promise<CliRun> {
  return await ask({ kind: "run", folder, args }) as CliRun;
}

/** Generates documents in the shared process. */
export function sharedGenerate({ folder }: Project): Project["generate"] {
  return async (...args) => {
    const run = await runShared(folder, [...GENERATE, ...args]);
    return { ...run, stderr: run.stderr.replace(NO_ROUTER, "").replaceAll(NOT_ROUTED_REGEXP, "") };
  };
}

/** Notes about controllers of the applications that were read before. */
const NOT_ROUTED_REGEXP = /^Note: \w* is not in the document, because the router has none.*\n/gm;
