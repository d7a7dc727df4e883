/**
 * Where the time of our documents goes, for `types_openapi.ts`: medians over processes of
 * `_types_phases.ts`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { type Command, output } from "./_command.ts";
import { median } from "./_measure.ts";
import { table } from "./_table.ts";
import type { Phases, PhasesOutput } from "./_types_phases.ts";
import type { Usage } from "./_usage.ts";

/** Rounds of processes; the one before is not counted. */
const ROUNDS = 5;

/** An application of ours. */
export interface PhasesCase {
  /** What it is called in the table. */
  readonly name: string;
  /** Where it is; its `main.ts` exports its router. */
  readonly folder: string;
  /** The whole command. */
  readonly command: Command;
}

/** Where the time of one goes. */
export interface PhasesResult extends PhasesCase {
  readonly runs: PhasesRun[];
}

/** One round: three processes. */
interface PhasesRun {
  /** The whole command. */
  readonly wallMs: number;
  readonly apart: PhasesOutput;
  readonly together: PhasesOutput;
}

/** Runs a command in a process of its own that says what it took. */
export async function usageOf(command: Command, cwd: string): Promise<Usage> {
  const script = join(ROOT, "bench/_usage.ts");
  const runner = [Deno.execPath(), "run", "--allow-ffi", "--allow-run", script, cwd];
  return JSON.parse(await output([...runner, ...command])) as Usage;
}

/** Measures applications, each of them once in each round. */
export async function measurePhases(cases: readonly PhasesCase[]): Promise<PhasesResult[]> {
  const results = cases.map((one): PhasesResult => ({ ...one, runs: [] }));
  for (let round = -1; round < ROUNDS; round++) { // the first one warms up
    console.error(`phases, round ${round + 1} of ${ROUNDS} …`);
    for (const { folder, command, runs } of results) {
      const run = {
        wallMs: (await usageOf(command, folder)).wallMs,
        apart: await runPhases(folder),
        together: await runPhases(folder, "--together"),
      };
      if (round >= 0) runs.push(run);
    }
  }
  return results;
}

async function runPhases(folder: string, ...flags: readonly string[]): Promise<PhasesOutput> {
  const script = join(ROOT, "bench/_types_phases.ts");
  const command = [Deno.execPath(), "run", "--allow-all", script, join(folder, "main.ts")];
  return JSON.parse(await output([...command, ...flags])) as PhasesOutput;
}

/** One row each. Those with a dash are parts of the ones above them. */
const ROWS: readonly (readonly [name: string, key: keyof Phases])[] = [
  ["start, import of the application", "imported"],
  ["compiler, `deno info`, `deno types` at once", "together"],
  ["– import of the compiler, alone", "compiler"],
  ["– `deno info`, alone", "info"],
  ["– `deno types`, alone", "declarations"],
  ["`createProgram()`", "program"],
  ["– syntax trees", "parse"],
  ["binding names", "bind"],
  ["reading types", "types"],
  ["writing the document", "document"],
];

/** A Markdown table with a column for each application. */
export function phaseTable(results: readonly PhasesResult[]): string {
  const row = (name: string, value: (run: PhasesRun) => number): string[] => [
    name,
    ...results.map(({ runs }) => median(runs.map(value)).toFixed(0)),
  ];
  return table(["ms", ...results.map(({ name }) => name)], [
    ...ROWS.map(([name, key]) => row(name, (run) => phaseMs(run, key))),
    row("the rest", (run) => run.wallMs - WHOLE.reduce((sum, key) => sum + phaseMs(run, key), 0)),
    row("whole process", ({ wallMs }) => wallMs),
    row("files in the program", ({ apart }) => apart.files),
  ]);
}

/** Rows that are no parts of others. */
const WHOLE = ROWS.filter(([name]) => !name.startsWith("–")).map(([, key]) => key);

function phaseMs({ apart, together }: PhasesRun, key: keyof Phases): number {
  return (key === "together" ? together : apart).phases[key];
}
