/**
 * Runs the hermetic tests, in two tiers.
 *
 * ```sh
 * deno task test                      # Everything but `tests/exhaustive/`, in parallel
 * deno task test tests/router         # One folder or file
 * deno task test --filter "mount()"   # Flags go to `deno test`
 * deno task test:all                  # With `tests/exhaustive/`, at full size, and every code example
 * deno task test:all --coverage       # The same, and the coverage has to reach the thresholds
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
import { runTests } from "./_run_tests.ts";
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
/** Tests of memory, open files and the like, which other tests on the machine would disturb. */
const SERIAL = "tests/exhaustive/serial";

/** A file of the first tier that takes longer is named at the end, in seconds. */
const SLOW_SECONDS = 3;
/** In CI, a file of the first tier that takes longer fails the run, in seconds. */
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

/** Folder by folder: of one that holds a workspace member, Deno would test the member alone. */
function testFolders(tier: "quick" | "all"): string[] {
  const left = tier === "quick" ? [...NOT_HERMETIC, EXHAUSTIVE] : NOT_HERMETIC;
  return [...Deno.readDirSync(join(ROOT, "tests"))]
    .filter(({ name, isDirectory }) => isDirectory && !left.includes(name))
    .map(({ name }) => `tests/${name}`)
    .sort();
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
  { flags, paths, ignore = [], env = {} }: {
    readonly flags: readonly string[];
    readonly paths: readonly string[];
    readonly ignore?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<number> {
  return runTests(args, {
    name,
    flags: async (temporary) => [
      ...flags,
      ...await permissions(temporary),
      `--ignore=${[...NOT_HERMETIC.map((folder) => `tests/${folder}`), ...ignore].join()}`,
    ],
    paths: () => paths,
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
      paths: testFolders("quick"),
    });
    const slow = slowFiles(await Deno.readTextFile(report), SLOW_SECONDS);
    if (slow.length > 0) console.log(`Files that took more than ${SLOW_SECONDS} s:`);
    for (const { file, seconds } of slow) console.log(`  ${seconds.toFixed(1)} s  ${file}`);
    const load = Math.max(1, (performance.now() - start) / 1_000 / BUDGET_SECONDS);
    const tooSlow = slow.find(({ seconds }) => seconds > TOO_SLOW_SECONDS * load);
    if (code !== 0 || tooSlow === undefined || Deno.env.get("CI") === undefined) return code;
    console.error(`${tooSlow.file} takes too long: use tests/_effort.ts or tests/${EXHAUSTIVE}`);
    return 1;
  } finally {
    await Deno.remove(report);
  }
}

/** Both tiers at full size and every code example. @returns The code to end with. */
async function runAll(args: readonly string[]): Promise<number> {
  const env = { GATEHOUSE_EFFORT: "all" };
  const serial = existing(join(ROOT, SERIAL)).length > 0;
  const codes = [
    await run("test_all", args, {
      flags: ["--parallel", "--no-check"],
      paths: testFolders("all"),
      ignore: [SERIAL],
      env,
    }),
  ];
  if (serial) {
    codes.push(await run("test_serial", args, { flags: ["--no-check"], paths: [SERIAL], env }));
  }
  codes.push(
    await run("test_doc", args, { flags: ["--doc", "--parallel"], paths: documentedFiles() }),
  );
  return codes.find((code) => code !== 0) ?? 0;
}

async function runCovered(args: readonly string[]): Promise<number> {
  const profiles = await Deno.makeTempDir({ prefix: "gatehouse_coverage_" });
  try {
    const code = await runAll([`--coverage=${profiles}`, "--coverage-raw-data-only", ...args]);
    if (code !== 0) return code;
    return await reportCoverage(profiles) ? 0 : 1;
  } finally {
    await Deno.remove(profiles, { recursive: true });
  }
}

async function main(args: readonly string[]): Promise<number> {
  await runDeno(["install"]); // Downloads all packages, before tests look at what their programs print
  const rest = args.filter((arg) => arg !== "--all" && arg !== "--coverage");
  if (args.includes("--coverage")) return await runCovered(rest);
  return await (args.includes("--all") ? runAll(rest) : runQuick(rest));
}

if (import.meta.main) Deno.exit(await main(Deno.args));
