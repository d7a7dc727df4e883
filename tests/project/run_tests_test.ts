/** The way in which every task of tests runs them; what is run here has no tests of its own. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { INTERRUPTED, runTests, type TestRun } from "../../dev/_run_tests.ts";

/** Runs an empty program in place of all tests, and says what the run asked for. */
async function runEmpty(args: readonly string[], options: Partial<TestRun> = {}) {
  const asked: { temporary: string; defaults: number } = { temporary: "", defaults: 0 };
  const folder = await Deno.makeTempDir({ prefix: "run_tests_" });
  const program = join(folder, "empty.ts");
  await Deno.writeTextFile(program, "export {};\n");
  const code = await runTests(args.map((arg) => arg === "empty.ts" ? program : arg), {
    name: "empty",
    flags(temporary) {
      asked.temporary = temporary;
      assert(Deno.statSync(temporary).isDirectory);
      return ["--quiet", "--no-check", "--no-run"];
    },
    paths() {
      asked.defaults++;
      return [program];
    },
    ...options,
  });
  await assertRejects(() => Deno.stat(asked.temporary), Deno.errors.NotFound);
  return { code, defaults: asked.defaults };
}

/** Arguments, and whether what is tested by default is tested. */
const ARGUMENTS: readonly (readonly [why: string, args: readonly string[], isDefault: boolean])[] =
  [
    ["nothing", [], true],
    ["a flag", ["--fail-fast"], true],
    ["a word to filter by", ["--filter", "tests/no"], true],
    ["a path", ["empty.ts"], false],
    ["a path behind a filter", ["--filter", "word", "empty.ts"], false],
  ];

for (const [why, args, isDefault] of ARGUMENTS) {
  Deno.test(`runTests() of ${why} tests ${isDefault ? "all" : "that"}, in a folder that goes`, async () => {
    assertEquals(await runEmpty(args), { code: 0, defaults: isDefault ? 1 : 0 });
  });
}

Deno.test("runTests() gives the tests its folder for theirs, and other variables", async () => {
  let temporary = "";
  const folder = await Deno.makeTempDir({ prefix: "run_tests_" });
  const program = join(folder, "variables.ts");
  const names = ["TMPDIR", "TEMP", "TMP", "GIVEN"];
  await Deno.writeTextFile(
    program,
    `const found = ${JSON.stringify(names)}.map((name) => Deno.env.get(name));
    await Deno.writeTextFile(${
      JSON.stringify(join(folder, "found.json"))
    }, JSON.stringify(found));`,
  );
  const code = await runTests([], {
    name: "variables",
    flags(made) {
      temporary = made;
      return ["--quiet", "--no-check", "--allow-env", `--allow-write=${folder}`];
    },
    paths: () => [program],
    env: { GIVEN: "given" },
  });
  const found = JSON.parse(await Deno.readTextFile(join(folder, "found.json")));
  assertEquals([code, found], [0, [temporary, temporary, temporary, "given"]]);
});

Deno.test("runTests() runs nothing if somebody ended it before", async () => {
  const { code, defaults } = await runEmpty([], { signal: AbortSignal.abort() });
  assertEquals([code, defaults], [INTERRUPTED, 0]);
});

Deno.test("runTests() ends what it runs when somebody ends it", async () => {
  const ended = new AbortController();
  const folder = await Deno.makeTempDir({ prefix: "run_tests_" });
  const [program, begun] = [join(folder, "endless.ts"), join(folder, "begun")];
  await Deno.writeTextFile(
    program,
    `Deno.writeTextFileSync(${JSON.stringify(begun)}, "");
    await new Promise(() => setInterval(() => {}, 1_000));`,
  );
  const running = runTests([], {
    name: "endless",
    flags: () => ["--quiet", "--no-check", `--allow-write=${folder}`],
    paths: () => [program],
    signal: ended.signal,
  });
  while (!await Deno.stat(begun).then(() => true, () => false)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  ended.abort();
  assertEquals(await running, INTERRUPTED);
});
