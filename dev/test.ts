/**
 * Runs the hermetic tests: `tests/`, and every code example in the README and in JSDoc.
 *
 * ```sh
 * deno task test                      # Everything
 * deno task test tests/router         # One folder or file
 * deno task test --filter "mount()"   # Flags go to `deno test`
 * deno task test --coverage           # Everything, and the coverage has to reach the thresholds
 * ```
 *
 * Tests may read the project and its packages, write to a temporary folder of their own run, talk to
 * this machine and start Deno.
 *
 * @module
 */

import { join } from "@std/path";
import { packageModules, ROOT, runDeno } from "./_project.ts";
import { runTests } from "./_run_tests.ts";
import { reportCoverage } from "./coverage.ts";

/** Tests that need more than Deno; each folder has a task of its own. */
const NOT_HERMETIC: readonly string[] = ["runtimes", "engines", "browser", "peers"];

/** Shared conformance cases, where there are any; the tests that read them are skipped elsewhere. */
const SHARED: readonly string[] = ["vectors", "static"].map((name) =>
  join(ROOT, "../shared", name)
);

const HOSTS: readonly string[] = ["127.0.0.1", "0.0.0.0", "[::1]", "localhost"];
const VARIABLES: readonly string[] = ["NO_COLOR", "TMPDIR", "TEMP", "TMP", "GATEHOUSE_EFFORT"];

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
function defaultPaths(): string[] {
  const folders = [...Deno.readDirSync(join(ROOT, "tests"))].map(({ name }) => name).sort();
  return [
    ...folders.filter((name) => !NOT_HERMETIC.includes(name)).map((name) => `tests/${name}`),
    ...["README.md", ...packageModules()].filter(hasExample),
  ];
}

function hasExample(path: string): boolean {
  return /^(?: *\* )?```ts$/m.test(Deno.readTextFileSync(join(ROOT, path)));
}

async function main(args: readonly string[]): Promise<number> {
  if (!args.includes("--coverage")) return await runHermetic(args);
  const profiles = await Deno.makeTempDir({ prefix: "gatehouse_coverage_" });
  try {
    const code = await runHermetic([
      `--coverage=${profiles}`,
      "--coverage-raw-data-only",
      ...args.filter((arg) => arg !== "--coverage"),
    ]);
    if (code !== 0) return code;
    return await reportCoverage(profiles) ? 0 : 1;
  } finally {
    await Deno.remove(profiles, { recursive: true });
  }
}

function runHermetic(args: readonly string[]): Promise<number> {
  return runTests(args, {
    name: "test",
    flags: async (temporary) => [
      "--doc",
      ...await permissions(temporary),
      `--ignore=${NOT_HERMETIC.map((name) => `tests/${name}`).join()}`,
    ],
    paths: defaultPaths,
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
