/**
 * What a router costs as an application grows: 10 to 10,000 routes, ours beside Hono's. `deno task bench:growth`.
 *
 * Two mixes of routes: one that a single RegExpRouter can hold, and one with patterns that it cannot tell apart, for
 * which Hono takes its TrieRouter and we take several. Every measurement has a process of its own, so that the first
 * match is as cold as after a deployment.
 *
 * `--processes=3` is the default, `--most=10000` leaves larger applications out.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { output } from "./_command.ts";
import type { Growth } from "./_growth.ts";
import { median } from "./_measure.ts";
import { kibibytes, numberOption, table } from "./_table.ts";

const MIXES = ["fitting", "unfitting"];
const ROUTERS = ["gatehouse", "hono"];
const COUNTS = [10, 100, 1000, 10_000];

async function measureOnce(router: string, mix: string, count: number): Promise<Growth> {
  const script = new URL("./_growth.ts", import.meta.url).pathname;
  const text = await output([
    ...[Deno.execPath(), "run", "--v8-flags=--expose-gc", script],
    ...[router, mix, String(count)],
  ]);
  return JSON.parse(text) as Growth;
}

/** The median of each number over several processes. */
async function measureAll(
  router: string,
  mix: string,
  count: number,
  processes: number,
): Promise<Growth> {
  const runs: Growth[] = [];
  for (let i = 0; i < processes; i++) runs.push(await measureOnce(router, mix, count));
  const pick = (key: keyof Growth): number => median(runs.map((run) => run[key]));
  return {
    registerMs: pick("registerMs"),
    firstMs: pick("firstMs"),
    staticNs: pick("staticNs"),
    paramNs: pick("paramNs"),
    missingNs: pick("missingNs"),
    heapBytes: pick("heapBytes"),
  };
}

function row(mix: string, count: number, router: string, growth: Growth): string[] {
  const { registerMs, firstMs, staticNs, paramNs, missingNs, heapBytes } = growth;
  return [
    mix,
    count.toLocaleString("en"),
    router,
    registerMs.toFixed(1),
    firstMs.toFixed(1),
    ...[staticNs, paramNs, missingNs].map((ns) => ns.toFixed(0)),
    kibibytes(heapBytes),
  ];
}

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const processes = numberOption("processes", 3);
  const most = numberOption("most", 10_000);
  const rows: string[][] = [];
  for (const mix of MIXES) {
    for (const count of COUNTS.filter((count) => count <= most)) {
      for (const router of ROUTERS) {
        console.error(`${mix}, ${count} routes, ${router} …`);
        rows.push(row(mix, count, router, await measureAll(router, mix, count, processes)));
      }
    }
  }
  console.log(table(
    [
      ...["mix", "routes", "router", "register ms", "first match ms"],
      ...["static ns", "param ns", "404 ns", "heap KiB"],
    ],
    rows,
  ));
}

if (import.meta.main) await main();
