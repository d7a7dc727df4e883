/**
 * The programs that install packages and run them: where they are on this machine, and what it does not have.
 *
 * @module
 */

import { type Program, PROGRAMS } from "./versions.ts";

/** A program that tests may be skipped without. */
export type Tool = Program | "node20";

/** Variables that tell the tests what the run has found. */
export const TOOLS_VARIABLE = "GATEHOUSE_DISTRIBUTION_TOOLS";
export const PACKAGE_VARIABLE = "GATEHOUSE_DISTRIBUTION_PACKAGE";

/** Where programs are, by their names. */
export type Tools = Readonly<Partial<Record<Tool, string>>>;

/** What is asked of a program that npx has, for where it is. */
const QUESTIONS: Readonly<Record<Program, readonly string[]>> = {
  node22: ["-p", "process.execPath"],
  node24: ["-p", "process.execPath"],
  bun: ["-e", "console.log(process.execPath)"],
  pnpm: [],
};

/** Looks for all programs. Npx downloads those that are not there yet. */
export async function findTools(): Promise<Tools> {
  const names = Object.keys(QUESTIONS) as Program[];
  const found: Partial<Record<Tool, string>> = {};
  const node20 = await findNode20();
  if (node20 !== undefined) found.node20 = node20;
  await Promise.all(names.map(async (name) => {
    const spec = PROGRAMS[name];
    const question = QUESTIONS[name];
    const path = await printedBy(
      "npx",
      question.length > 0
        ? ["-y", spec, ...question]
        : ["-y", "-p", spec, "-c", `command -v ${name}`],
    );
    if (path !== undefined) found[name] = path;
  }));
  return found;
}

/** The names of all programs. */
export const TOOL_NAMES: readonly Tool[] = ["node20", ...Object.keys(PROGRAMS) as Tool[]];

/** What the run has found, for tests. */
export function readTools(): Tools {
  return JSON.parse(Deno.env.get(TOOLS_VARIABLE) ?? "{}") as Tools;
}

/** The machine's own Node, if it is of version 20. */
async function findNode20(): Promise<string | undefined> {
  const printed = await printedBy("node", [
    "-p",
    "process.versions.node.startsWith('20.') ? process.execPath : ''",
  ]);
  return printed === "" ? undefined : printed;
}

async function printedBy(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command(command, {
      args: [...args],
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(180_000),
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
