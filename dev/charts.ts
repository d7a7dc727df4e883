/**
 * Draws the charts of `docs/performance.md`, `docs/charts/*.svg`, from the tables of `bench/RESULTS.md`: nothing in them is
 * written by hand. A table, column or row that is not there any more is an error.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { type ChartRow, CHARTS, PICKS } from "./_chart_rows.ts";
import { type Bar, type BarGroup, type Chart, drawChart } from "./_chart_svg.ts";
import { ROOT } from "./_project.ts";
import { numberIn, readCell, readTable } from "./_result_tables.ts";

/** The folder of the charts, in the project. */
export const CHART_FOLDER = "docs/charts";

/** All charts, by the names of their files. */
export function drawCharts(results: string): ReadonlyMap<string, string> {
  const charts = CHARTS.map((row): [string, Chart] => [row.file, chartOf(results, row)]);
  return new Map(
    [["overview", overview(results)] as const, ...charts]
      .map(([file, chart]) => [`${file}.svg`, drawChart(chart)]),
  );
}

/** Reads the results. */
export function readResults(): string {
  return Deno.readTextFileSync(join(ROOT, "bench/RESULTS.md"));
}

function overview(results: string): Chart {
  const bars = PICKS.map((pick): Bar => {
    const number = numberIn(readCell(readTable(results, pick), pick.row, pick.column), pick.cell);
    const value = pick.is === "time" ? 1 / number : number;
    return { name: pick.name, value, ours: value >= 1 };
  });
  return {
    title: "Gatehouse beside one peer for each task",
    unit: "times as fast as the peer; below the line at 1 it is slower (gray)",
    better: "higher",
    line: 1,
    groups: [{ name: "", bars }],
  };
}

function chartOf(results: string, row: ChartRow): Chart {
  const { title, unit, better, most, line } = row;
  return { title, unit, better, most, line, groups: groupsOf(results, row) };
}

function groupsOf(results: string, row: ChartRow): BarGroup[] {
  const { columns, first, cell, rows, ours } = row;
  const nameOf = row.nameOf ?? ((cells) => cells[first] ?? "");
  const bars = readTable(results, row).rows
    .filter((cells) => rows?.test(nameOf(cells)) ?? true)
    .map((cells): BarGroup => ({
      name: nameOf(cells),
      bars: Object.entries(columns).map(([column, label]) => {
        const name = label === "" ? nameOf(cells) : label;
        return { name, value: numberIn(cells[column] ?? "", cell), ours: ours.test(name) };
      }),
    }));
  const single = Object.keys(columns).length === 1;
  return single ? [{ name: "", bars: bars.flatMap((group) => group.bars) }] : bars;
}

async function main(): Promise<void> {
  const folder = join(ROOT, CHART_FOLDER);
  await Deno.remove(folder, { recursive: true }).catch(() => {}); // a chart that is none any more
  await Deno.mkdir(folder);
  const charts = drawCharts(readResults());
  for (const [name, svg] of charts) await Deno.writeTextFile(join(folder, name), svg);
  console.log(`Wrote ${charts.size} charts to ${CHART_FOLDER}`);
}

if (import.meta.main) await main();
