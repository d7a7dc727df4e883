/**
 * Runs `deno test` as every task of tests does: in the project's folder, with a temporary folder that is gone at the end.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "./_project.ts";

/** The code of a run that somebody ended, as a shell has it. */
export const INTERRUPTED = 130;

/** What every run of tests has. */
interface Surroundings {
  /** Variables that the tests get. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run. */
  readonly signal?: AbortSignal;
}

/** What is run, and how. */
export interface TestRun extends Surroundings {
  /** What the temporary folder is called by. */
  readonly name: string;
  /** Flags of `deno test`, such as what the tests may do. */
  readonly flags: (temporary: string) => readonly string[] | Promise<readonly string[]>;
  /** What is tested where no argument is a path. */
  readonly paths: (temporary: string) => readonly string[] | Promise<readonly string[]>;
}

/** A folder of tests, and how they are run. */
export interface FolderRun extends Surroundings {
  /** What the tests may do, as flags of `deno test`. */
  readonly permissions: (temporary: string) => readonly string[];
}

/**
 * Runs tests: those that the arguments name, else all of the run's. Other arguments go to `deno test`, as flags that have
 * their value with them: `--flag=value`, and `--filter value`.
 *
 * @returns The code to end with.
 */
export async function runTests(
  args: readonly string[],
  { name, flags, paths, env = {}, signal }: TestRun,
): Promise<number> {
  const temporary = await Deno.realPath(
    await Deno.makeTempDir({ prefix: `gatehouse_${name}_` }),
  );
  try {
    const allFlags = await flags(temporary);
    if (signal?.aborted) return INTERRUPTED;
    const tested = args.some(isPath) ? [] : await paths(temporary);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", ...allFlags, ...args, ...tested],
      cwd: ROOT,
      env: { ...env, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
      ...(signal && { signal }),
    }).spawn().status;
    return signal?.aborted ? INTERRUPTED : code;
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

/**
 * Runs the tests of a folder of `tests/` that has a lock file of its own.
 *
 * @param args As those of {@linkcode runTests}.
 * @returns The code to end with.
 */
export function runFolder(
  folder: string,
  args: readonly string[],
  { permissions, ...surroundings }: FolderRun,
): Promise<number> {
  return runTests(args, {
    ...surroundings,
    name: folder,
    flags: (temporary) => [
      ...permissions(temporary),
      `--lock=${join(ROOT, "tests", folder, "deno.lock")}`,
    ],
    paths: () => [`tests/${folder}`],
  });
}

function isPath(arg: string, index: number, args: readonly string[]): boolean {
  return !arg.startsWith("-") && args[index - 1] !== "--filter";
}
