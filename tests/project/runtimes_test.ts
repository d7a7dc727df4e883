import { assertEquals } from "@std/assert";
import { runCases } from "../runtimes/harness.ts";
import { differences, formatTable } from "../runtimes/readme.ts";
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

Deno.test("formatTable() has a row for each runtime that ran, and differences() ignores versions and counts", async () => {
  const ran = async (name: string, count: number) => ({
    name,
    results: await runCases(Array.from({ length: count }, () => PASSED)),
    ms: 1,
  });
  const outcomes = [
    await ran("node 20.1.0", 1000),
    { name: "bun", skipped: "absent" },
    await ran("node 20.1.0, @hono/node-server@2.1.8, static servers", 7),
    await ran("wasi 0.2.3, jco 1.35.0", 2),
  ];
  const table = formatTable(outcomes);
  assertEquals(table.split("\n").slice(2), [
    "| Node 20.1.0 | `serveNode(router)`, or any fetch adapter | yes | 1,007 | core, @hono/node-server, static servers |",
    "| WASI component 0.2.3 | `serveEdge(router)` | packaged | 2 | jco |",
    "",
  ]);
  const later = [await ran("node 24.0.0", 3), ...outcomes.slice(1)];
  assertEquals(differences(formatTable(later), table), []);
  const fewer = formatTable(outcomes.slice(0, 2));
  assertEquals(differences(table, fewer), [
    "Node | `serveNode(router)`, or any fetch adapter | yes | core, @hono/node-server, static servers",
    "WASI component | `serveEdge(router)` | packaged | jco",
  ]);
});
