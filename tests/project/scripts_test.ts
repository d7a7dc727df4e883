import { assertEquals } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { groupTests } from "../../dev/_test_groups.ts";
import { slowFiles } from "../../dev/_test_times.ts";
import { parseLcov, percentages, sumCoverage } from "../../dev/coverage.ts";
import { publishedFiles } from "../../dev/publish_check.ts";

Deno.test("parseLcov() reads the totals of each file, and sumCoverage() adds them up", () => {
  const files = parseLcov([
    "SF:/p/a.ts\nDA:1,1\nBRF:4\nBRH:3\nLF:10\nLH:9\nend_of_record",
    "SF:/p/b.ts\nLF:10\nLH:10\nend_of_record\n",
  ].join("\n"));
  assertEquals(files.get("/p/a.ts"), { lines: 10, linesRun: 9, branches: 4, branchesRun: 3 });
  assertEquals(percentages(sumCoverage(files.values())), { lines: 95, branches: 75 });
});

Deno.test("percentages() counts nothing to run as everything run", () => {
  const empty = { lines: 0, linesRun: 0, branches: 0, branchesRun: 0 };
  assertEquals(percentages(empty), { lines: 100, branches: 100 });
});

Deno.test("publishedFiles() reads the list that a dry run prints", () => {
  const output = [
    "Simulating publish of @gatehouse/http@0.1.0 with files:",
    "   file:///p/router/mod.ts (477B)",
    "   file:///p/deno.json (1.34KB)",
    "Success Dry run complete",
  ].join("\n");
  assertEquals(publishedFiles(output, "file:///p/"), ["deno.json", "router/mod.ts"]);
});

Deno.test("slowFiles() adds up the tests of each file, and gives the slow ones, slowest first", () => {
  const suite = (file: string, ...seconds: number[]) =>
    `<testsuite name="./${file}" tests="1">\n${
      seconds.map((time) => `<testcase name="a &gt; b" classname="./_x.ts" time="${time}">`).join(
        "\n",
      )
    }\n</testsuite>`;
  const report = [suite("a.ts", 2, 2), suite("b.ts", 5), suite("c.ts", 3)].join("\n");
  assertEquals(slowFiles(report, 3), [{ file: "b.ts", seconds: 5 }, { file: "a.ts", seconds: 4 }]);
});

Deno.test("groupTests() writes modules that import each file once, but those of separate paths", async () => {
  const files = Array.from({ length: 40 }, (_, i) => `tests/vectors/${i}_test.ts`);
  const folder = await Deno.makeTempDir();
  const separate = ["tests/auth/graphql/a_test.ts", "tests/router/decorators_test.ts"];
  const tested = await groupTests([...separate, ...files], folder);
  const modules = tested.filter((path) => path.startsWith(folder));
  const texts = await Promise.all(modules.map((path) => Deno.readTextFile(path)));
  const imports = texts.flatMap((text) => text.trimEnd().split("\n"));
  assertEquals(imports, files.map((file) => `import "${toFileUrl(join(ROOT, file)).href}";`));
  assertEquals(texts.map((text) => text.split("\n").length - 1), [16, 16, 8]);
  for (const file of separate) {
    assertEquals(tested.filter((path) => file.startsWith(path)).length, 1, file);
  }
});
