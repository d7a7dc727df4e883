/**
 * Everything that has to hold before a commit, except the tests. Each step is a task of its own in
 * deno.json; this prints one line for each, and the whole output of the ones that fail.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { runDeno } from "./_project.ts";

const STEPS: readonly string[] = [
  "fmt:check",
  "lint",
  "check",
  "check:portable",
  "doc:lint",
  "rules",
  "api:check",
  "openapi:check",
  "client:check",
  "conformance:check",
  "publish:check",
];

async function runStep(task: string): Promise<boolean> {
  const start = performance.now();
  const { success, stdout, stderr } = await runDeno(["task", "--quiet", task]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`ok: ${task}: ${success ? "passed" : "FAILED"} (${seconds} s)`);
  if (!success) console.log((stdout + stderr).trim());
  return success;
}

async function main(): Promise<void> {
  let failed = 0;
  for (const task of STEPS) {
    if (!await runStep(task)) failed++;
  }
  console.log(`ok: ${STEPS.length - failed} passed, ${failed} failed`);
  if (failed > 0) Deno.exit(1);
}

if (import.meta.main) await main();
