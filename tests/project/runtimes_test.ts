import { assertEquals } from "@std/assert";
import { runCases } from "../runtimes/harness.ts";
import { formatOutcome, isFailure } from "../runtimes/report.ts";

const PASSED = { name: "passes", run() {} };
const FAILED = { name: "fails", run: () => Promise.reject(new Error("not so")) };

Deno.test("runCases() reports a failing case and goes on", async () => {
  assertEquals(await runCases([FAILED, PASSED]), [
    { name: "fails", error: "Error: not so" },
    { name: "passes" },
  ]);
});

Deno.test("formatOutcome() prints one line for a runtime and one for each failure", async () => {
  const outcome = { name: "node 20", results: await runCases([FAILED, PASSED]), ms: 1234 };
  assertEquals(
    formatOutcome(outcome),
    "runtimes: node 20: 1 passed, 1 failed (1.2 s)\n  FAILED fails: Error: not so",
  );
  assertEquals(
    formatOutcome({ name: "bun", skipped: "NotFound: npx\nmore" }),
    "runtimes: bun: skipped (NotFound: npx)",
  );
});

Deno.test("isFailure() is for a failed case, for no result, and for a skip if asked to", async () => {
  const ran = async (cases: Parameters<typeof runCases>[0]) => ({
    name: "node",
    results: await runCases(cases),
    ms: 1,
  });
  assertEquals(isFailure(await ran([PASSED]), true), false);
  assertEquals(isFailure(await ran([PASSED, FAILED]), false), true);
  assertEquals(isFailure(await ran([]), false), true);
  assertEquals(isFailure({ name: "bun", skipped: "absent" }, false), false);
  assertEquals(isFailure({ name: "bun", skipped: "absent" }, true), true);
});
