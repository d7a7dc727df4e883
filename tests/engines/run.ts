/**
 * Runs the tests that need a database server, with the large sizes of tests/_effort.ts. It starts PostgreSQL and Redis on free
 * ports of this machine and stops them at the end. A server that is not installed is skipped, unless `--require-all` is given.
 *
 * ```sh
 * deno task test:engines                                  # Everything
 * deno task test:engines tests/engines/processes_test.ts  # One file
 * deno task test:engines --filter "rotate()"              # Flags go to `deno test`
 * GATEHOUSE_POSTGRES=<url> GATEHOUSE_REDIS=<url> deno task test:engines   # On running servers
 * ```
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { type FolderRun, INTERRUPTED, runFolder } from "../../dev/_run_tests.ts";
import { type Engine, ENGINE_NAMES, ENGINES, engineUrl } from "./_engines.ts";
import { findEngine, startEngine } from "./_servers.ts";

/** Signals that end a run. */
const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

async function main(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, () => interrupted.abort());
  await using servers = new AsyncDisposableStack();
  const urls: Partial<Record<Engine, string>> = {};
  const found: string[] = [];
  const missing: Engine[] = [];
  for (const engine of ENGINE_NAMES) {
    if (interrupted.signal.aborted) return INTERRUPTED;
    const given = engineUrl(engine);
    const programs = given === undefined ? await findEngine(engine) : undefined;
    if (given !== undefined) {
      urls[engine] = given;
      found.push(`${ENGINES[engine].title} of ${ENGINES[engine].variable}`);
    } else if (programs !== undefined) {
      urls[engine] = servers.use(await startEngine(engine, programs)).url;
      found.push(programs.version);
    } else {
      missing.push(engine);
    }
  }
  if (found.length > 0) console.log(`engines: ${found.join(", ")}`);
  for (const engine of missing) {
    const { title, debian } = ENGINES[engine];
    console.log(`engines: ${title} skipped, not found; apt-get install ${debian}`);
  }
  if (found.length === 0) return args.includes("--require-all") ? 1 : 0;
  const rest = args.filter((arg) => arg !== "--require-all");
  const { signal } = interrupted;
  const code = await runFolder("engines", rest, { ...runOf(urls), signal });
  return code === 0 && missing.length > 0 && args.includes("--require-all") ? 1 : code;
}

/** Permissions and environment of the tests. */
function runOf(urls: Readonly<Partial<Record<Engine, string>>>): FolderRun {
  const hosts = Object.values(urls).map((url) => new URL(url).hostname);
  const entries = Object.entries(urls) as [Engine, string][];
  return {
    permissions: (temporary) => [
      "--no-prompt",
      "--allow-env",
      "--allow-read",
      "--allow-sys", // clients read the user and the host name
      `--allow-net=${[...new Set(["127.0.0.1", ...hosts])].join()}`,
      `--allow-write=${temporary}`,
      `--allow-run=${Deno.execPath()}`,
    ],
    env: {
      ...Object.fromEntries(entries.map(([engine, url]) => [ENGINES[engine].variable, url])),
      GATEHOUSE_EFFORT: "all",
    },
  };
}

if (import.meta.main) Deno.exit(await main(Deno.args));
