/**
 * Runs the hermetic tests, in two tiers.
 *
 * ```sh
 * deno task test                      # Everything but `tests/exhaustive/`, in parallel
 * deno task test tests/router         # One folder or file
 * deno task test --filter "mount()"   # Flags go to `deno test`
 * deno task test --coverage           # The same, and the coverage has to reach the thresholds
 * deno task test:exhaustive           # `tests/exhaustive/`, what has a large size at that size, and every code example
 * deno task test:all                  # Both tiers
 * ```
 *
 * Tests may read the project and its packages, write to a temporary folder of their run, use this machine's loopback
 * addresses and start Deno. Types are checked by `deno task check`, and in the code examples.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { listFiles, packageModules, ROOT, runDeno } from "./_project.ts";
import { runTests, type TestRun } from "./_run_tests.ts";
import { groupTests } from "./_test_groups.ts";
import { importersOf } from "./_test_imports.ts";
import { slowFiles } from "./_test_times.ts";
import { reportCoverage } from "./coverage.ts";

/** Tests that need more than Deno; each folder has a task of its own. */
const NOT_HERMETIC: readonly string[] = [
  "runtimes",
  "engines",
  "browser",
  "peers",
  "distribution",
];
const EXHAUSTIVE = "exhaustive";
/** Who imports it has a small size and a large one. */
const EFFORT = "tests/_effort.ts";

/** A file of the first tier that takes longer is named at the end, in seconds. */
const SLOW_SECONDS = 3;
/** In CI, a file of the first tier that takes longer fails a run without coverage, in seconds. */
const TOO_SLOW_SECONDS = 15;
/** What the first tier takes at most on a quiet machine; where it takes longer, so may each file. */
const BUDGET_SECONDS = 150;

/** Shared conformance cases, where there are any; the tests that read them are skipped elsewhere. */
const SHARED: readonly string[] = ["vectors", "static"].map((name) =>
  join(ROOT, "../shared", name)
);

const HOSTS: readonly string[] = ["127.0.0.1", "0.0.0.0", "[::1]", "localhost"];
const VARIABLES: readonly string[] = [
  "NO_COLOR",
  "TMPDIR",
  "TEMP",
  "TMP",
  "GATEHOUSE_EFFORT",
  "NODE_ENV", // GraphQL Yoga reads it, and the next one
  "DEBUG",
  "TSC_*", // and TypeScript these
  "NODE_INSPECTOR_IPC",
  "VSCODE_INSPECTOR_OPTIONS",
];

async function permissions(temporary: string): Promise<string[]> {
  const readable = [ROOT, temporary, await packagesFolder(), ...SHARED.flatMap(existing)];
  return [
    "--no-prompt",
    `--allow-read=${readable.join()}`,
    `--allow-write=${temporary}`,
    `--allow-net=${HOSTS.join()}`,
    `--allow-env=${VARIABLES.join()}`,
    `--allow-run=${Deno.execPath()}`,
  ];
}

/** Where Deno keeps packages of npm: PGlite reads its own files there. */
async function packagesFolder(): Promise<string> {
  const { stdout } = await runDeno(["info", "--json"]);
  return (JSON.parse(stdout) as { readonly npmCache: string }).npmCache;
}

function existing(path: string): string[] {
  try {
    Deno.statSync(path);
    return [path];
  } catch {
    return [];
  }
}

/** The files of the first tier, with what they import of each other. */
function quickFiles(): string[] {
  return [...Deno.readDirSync(join(ROOT, "tests"))]
    .filter(({ name, isDirectory }) => isDirectory && ![...NOT_HERMETIC, EXHAUSTIVE].includes(name))
    .flatMap(({ name }) => listFiles(`tests/${name}`))
    .sort();
}

/** The files of the first tier that have a large size. */
function sizedFiles(): string[] {
  return importersOf(EFFORT, quickFiles().filter((path) => path.endsWith(".ts"))).filter(isTest);
}

function isTest(path: string): boolean {
  return path.endsWith("_test.ts");
}

/** Every document and module with a code example that runs. */
function documentedFiles(): string[] {
  const documents = listFiles("docs").filter((path) => path.endsWith(".md"));
  return ["README.md", ...documents, ...packageModules()].filter((path) =>
    /^(?: *\* )?```ts$/m.test(Deno.readTextFileSync(join(ROOT, path)))
  );
}

function run(
  name: string,
  args: readonly string[],
  { flags, paths, env = {} }: {
    readonly flags: readonly string[];
    readonly paths: TestRun["paths"];
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<number> {
  const ignored = NOT_HERMETIC.map((folder) => `tests/${folder}`).join();
  return runTests(args, {
    name,
    flags: async (temporary) => [
      ...flags,
      ...await permissions(temporary),
      `--ignore=${ignored}`,
    ],
    paths,
    env,
  });
}

/** The first tier. @returns The code to end with. */
async function runQuick(args: readonly string[]): Promise<number> {
  const report = await Deno.makeTempFile({ prefix: "gatehouse_times_" });
  const start = performance.now();
  try {
    const code = await run("test", args, {
      flags: ["--parallel", "--no-check", `--junit-path=${report}`],
      paths: (temporary) => groupTests(quickFiles().filter(isTest), temporary),
    });
    const slow = slowFiles(await Deno.readTextFile(report), SLOW_SECONDS);
    if (slow.length > 0) console.log(`Files that took more than ${SLOW_SECONDS} s:`);
    for (const { file, seconds } of slow) console.log(`  ${seconds.toFixed(1)} s  ${file}`);
    const load = Math.max(1, (performance.now() - start) / 1_000 / BUDGET_SECONDS);
    const tooSlow = slow.find(({ seconds }) => seconds > TOO_SLOW_SECONDS * load);
    const isTimed = Deno.env.get("CI") !== undefined && !args.some(isCoverage);
    if (code !== 0 || tooSlow === undefined || !isTimed) return code;
    console.error(`${tooSlow.file} takes too long: use tests/_effort.ts or tests/${EXHAUSTIVE}`);
    return 1;
  } finally {
    await Deno.remove(report);
  }
}

/** Programs take twice as long when their coverage is written. */
function isCoverage(arg: string): boolean {
  return arg.startsWith("--coverage=");
}

/** The first tier, with its coverage. @returns The code to end with. */
async function runCovered(args: readonly string[]): Promise<number> {
  const profiles = await Deno.makeTempDir({ prefix: "gatehouse_coverage_" });
  try {
    const code = await runQuick([
      `--coverage=${profiles}`,
      "--coverage-raw-data-only",
      ...args,
    ]);
    return code === 0 && !await reportCoverage(profiles) ? 1 : code;
  } finally {
    await Deno.remove(profiles, { recursive: true });
  }
}

/** The second tier: what takes long, and every code example. @returns The code to end with. */
async function runExhaustive(args: readonly string[]): Promise<number> {
  const code = await run("test_exhaustive", args, {
    flags: ["--parallel", "--no-check"],
    paths: () => [`tests/${EXHAUSTIVE}`, ...sizedFiles()],
    env: { GATEHOUSE_EFFORT: "all" },
  });
  const flags = ["--doc", "--parallel"];
  const documented = await run("test_doc", args, { flags, paths: documentedFiles });
  return code || documented;
}

/** What to run, by the flag that asks for it. */
const TIERS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  "--coverage": runCovered,
  "--exhaustive": runExhaustive,
  "--all": async (args) => {
    const codes = [await runQuick(args), await runExhaustive(args)];
    return codes.find((code) => code !== 0) ?? 0;
  },
};

async function main(args: readonly string[]): Promise<number> {
  await runDeno(["install"]); // Downloads all packages, before tests look at what their programs print
  const flag = args.find((arg) => Object.hasOwn(TIERS, arg)) ?? "";
  return await (TIERS[flag] ?? runQuick)(args.filter((arg) => arg !== flag));
}

if (import.meta.main) Deno.exit(await main(Deno.args));
