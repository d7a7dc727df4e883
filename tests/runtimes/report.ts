/**
 * Says what became of the cases on one runtime.
 *
 * @module
 */

import type { RuntimeResult } from "./harness.ts";

/** A runtime's results, or why it did not run. */
export type Outcome =
  | { readonly name: string; readonly results: readonly RuntimeResult[]; readonly ms: number }
  | { readonly name: string; readonly skipped: string };

/** Whether the run as a whole has failed because of this runtime; one without any result has. */
export function isFailure(outcome: Outcome, requireAll: boolean): boolean {
  if ("skipped" in outcome) return requireAll;
  return outcome.results.length === 0 || outcome.results.some(({ error }) => error !== undefined);
}

/** One line for the runtime, and one below it for each case that failed. */
export function formatOutcome(outcome: Outcome): string {
  if ("skipped" in outcome) {
    return `runtimes: ${outcome.name}: skipped (${outcome.skipped.split("\n")[0]})`;
  }
  const { name, results, ms } = outcome;
  const failures = results.filter(({ error }) => error !== undefined);
  const passed = results.length - failures.length;
  const seconds = (ms / 1000).toFixed(1);
  return [
    `runtimes: ${name}: ${passed} passed, ${failures.length} failed (${seconds} s)`,
    ...failures.map((failure) => `  FAILED ${failure.name}: ${failure.error}`),
  ].join("\n");
}
