/**
 * Says how much of the package the tests ran, and whether that is enough.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { packageModules, ROOT, runDeno } from "./_project.ts";

/** The share of lines and branches that tests must run, in percent, over the whole package. */
export const THRESHOLDS: Readonly<Record<"lines" | "branches", number>> = {
  lines: 95,
  branches: 90,
};

/** How many lines and branches there are, and how many of them ran. */
export interface Coverage {
  readonly lines: number;
  readonly linesRun: number;
  readonly branches: number;
  readonly branchesRun: number;
}

/** Reads an LCOV report: the coverage of each file, by its path. */
export function parseLcov(text: string): Map<string, Coverage> {
  const files = new Map<string, Coverage>();
  for (const record of text.split("end_of_record")) {
    const path = /^SF:(.*)$/m.exec(record)?.[1];
    if (path === undefined) continue;
    const number = (key: string) =>
      Number(new RegExp(`^${key}:(\\d+)$`, "m").exec(record)?.[1] ?? 0);
    files.set(path, {
      lines: number("LF"),
      linesRun: number("LH"),
      branches: number("BRF"),
      branchesRun: number("BRH"),
    });
  }
  return files;
}

/** Adds up the coverage of several files. */
export function sumCoverage(files: Iterable<Coverage>): Coverage {
  const sum = { lines: 0, linesRun: 0, branches: 0, branchesRun: 0 };
  for (const file of files) {
    sum.lines += file.lines;
    sum.linesRun += file.linesRun;
    sum.branches += file.branches;
    sum.branchesRun += file.branchesRun;
  }
  return sum;
}

/**
 * The share of lines and branches that ran, in percent; nothing to run counts as everything run.
 */
export function percentages(coverage: Coverage): Record<"lines" | "branches", number> {
  const { lines, linesRun, branches, branchesRun } = coverage;
  return {
    lines: lines === 0 ? 100 : 100 * linesRun / lines,
    branches: branches === 0 ? 100 : 100 * branchesRun / branches,
  };
}

/**
 * Prints the coverage of every module that is below a threshold, and of the package.
 *
 * @param profiles The folder that `deno test --coverage` wrote to.
 * @returns Whether the package reaches the thresholds.
 */
export async function reportCoverage(profiles: string): Promise<boolean> {
  const output = await runDeno(["coverage", "--lcov", profiles]);
  if (!output.success) throw new Error(`Cannot read the coverage: ${output.stderr}`);
  const measured = parseLcov(output.stdout);
  const files = new Map<string, Coverage>();
  for (const module of packageModules()) {
    const coverage = measured.get(join(ROOT, module));
    if (coverage !== undefined) files.set(module, coverage); // Modules of types alone have none
  }
  for (const [module, coverage] of files) {
    if (!isEnough(coverage)) console.log(formatLine(module, coverage));
  }
  const total = sumCoverage(files.values());
  console.log(formatLine(`coverage of ${files.size} modules`, total));
  if (isEnough(total)) return true;
  console.error(
    `Too little of the package is tested: lines ${THRESHOLDS.lines} %, ` +
      `branches ${THRESHOLDS.branches} % are asked for`,
  );
  return false;
}

function isEnough(coverage: Coverage): boolean {
  const { lines, branches } = percentages(coverage);
  return lines >= THRESHOLDS.lines && branches >= THRESHOLDS.branches;
}

function formatLine(name: string, coverage: Coverage): string {
  const { lines, branches } = percentages(coverage);
  return `${name}: lines ${lines.toFixed(1)} %, branches ${branches.toFixed(1)} %`;
}
