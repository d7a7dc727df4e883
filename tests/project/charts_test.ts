import { assert, assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { type Chart, drawChart } from "../../dev/_chart_svg.ts";
import { ROOT } from "../../dev/_project.ts";
import { numberIn, readCell, readTable } from "../../dev/_result_tables.ts";
import { CHART_FOLDER, drawCharts, readResults } from "../../dev/charts.ts";

const charts = drawCharts(readResults());

Deno.test("docs/charts has what deno task charts draws, and nothing else", () => {
  const names = [...Deno.readDirSync(join(ROOT, CHART_FOLDER))].map(({ name }) => name);
  assertEquals(names.sort(), [...charts.keys()].sort());
  for (const [name, svg] of charts) {
    assertEquals(Deno.readTextFileSync(join(ROOT, CHART_FOLDER, name)), svg, name);
  }
});

Deno.test("docs/performance.md shows each chart once, with a text, and the task of its section", () => {
  const page = Deno.readTextFileSync(join(ROOT, "docs/performance.md"));
  const shown = [...page.matchAll(/!\[([^\]]+)\]\(\.\/charts\/([^)]+)\)/g)];
  assertEquals(shown.map(([, , file]) => file).sort(), [...charts.keys()].sort());
  for (const [, text = ""] of shown) assert(text.length > 40, text);
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
  const named = [...page.matchAll(/^deno task (\S+)/gm)].map(([, task = ""]) => task);
  assert(named.length >= 9);
  assertEquals(named.filter((task) => tasks[task] === undefined), []);
  const results = readResults();
  assertEquals(named.filter((task) => !results.includes(`: \`deno task ${task}\``)), []);
});

for (const [name, svg] of charts) {
  Deno.test(`${name} is text on its own, described in words, and fits a phone`, () => {
    const [, width = ""] = /^<svg [^>]*role="img" aria-labelledby="title desc" width="(\d+)"/
      .exec(svg) ?? [];
    assert(Number(width) <= 420, width);
    assert(/<title id="title">[^<]+<\/title>/.test(svg));
    assert(/<desc id="desc">[^<]+; (?:lower|higher) is better\. [^<]+<\/desc>/.test(svg));
    assert(svg.includes("prefers-color-scheme: dark"));
    assertEquals(/<script|<image|<foreignObject|href=|url\(|@import/.test(svg), false);
    for (const number of svg.matchAll(/ (?:x|y|width|height)="([^"%]*)"/g)) {
      assert(Number(number[1]) >= 0 && Number(number[1]) < 5000, number[0]);
    }
  });
}

const CHART: Chart = {
  title: "A & B",
  unit: "x < y",
  better: "lower",
  most: 10,
  line: 1,
  groups: [{
    name: "g",
    bars: [
      { name: "ours", value: 2, ours: true },
      { name: "<b>", value: 5, ours: false },
      { name: "long", value: 1234.5, ours: false },
    ],
  }],
};

Deno.test("drawChart() draws bars in proportion, and cuts those beyond the end with their numbers", () => {
  const svg = drawChart(CHART);
  const widths = [...svg.matchAll(/class="bar(?: ours)?"[^>]* width="([\d.]+)"/g)]
    .map(([, width]) => Number(width));
  const [two = 0, five = 0, most = 0] = widths;
  assertEquals([Math.round(five / two * 10), Math.round(most / five * 10)], [25, 20]);
  assertEquals(svg.match(/class="cut"/g)?.length, 1);
  assert(svg.includes(">1,235<"));
  assert(svg.includes("x &lt; y; lower is better. g (ours: 2.00; &lt;b&gt;: 5.00; long: 1,235)."));
  assertEquals(svg.includes("<b>"), false);
});

const TABLES = `# Results

## One: \`deno task a\`

| case | ours       |
| ---- | ---------- |
| a    | 1,005 (2.5) |

| case | ours |
| ---- | ---- |
| b    | –    |
`;

Deno.test("readTable() finds a table by its section, first column and row", () => {
  const name = { section: "One", first: "case" };
  assertEquals(readTable(TABLES, name).rows, [{ case: "a", ours: "1,005 (2.5)" }]);
  assertEquals(readTable(TABLES, { ...name, has: "b" }).rows, [{ case: "b", ours: "–" }]);
  for (const wrong of [{ section: "Two" }, { first: "cases" }, { has: "c" }]) {
    assertThrows(() => readTable(TABLES, { ...name, ...wrong }), Error, "Cannot find the table");
  }
});

Deno.test("readCell() and numberIn() find a number, or say what is missing", () => {
  const table = readTable(TABLES, { section: "One", first: "case" });
  assertEquals(numberIn(readCell(table, "a", "ours"), /^([\d,]+)/), 1005);
  assertEquals(numberIn(readCell(table, "a", "ours"), /\(([\d.]+)\)/), 2.5);
  assertThrows(() => readCell(table, "b", "ours"), Error, 'the row "b"');
  assertThrows(() => readCell(table, "a", "theirs"), Error, 'the cell "theirs"');
  assertThrows(() => numberIn("–", /([\d.]+)/), Error, "Cannot find a number");
});
