/**
 * Runs the tests that need a database server: PostgreSQL and Redis, which it starts on free ports of this machine and
 * takes away at the end. What is not there is skipped, unless `--require-all` is given.
 *
 * ```sh
 * deno task test:engines                                  # Everything
 * deno task test:engines tests/engines/processes_test.ts  # One file
 * deno task test:engines --filter "rotate()"              # Flags go to `deno test`
 * GATEHOUSE_POSTGRES=<url> GATEHOUSE_REDIS=<url> deno task test:engines   # On servers that run already
 * ```
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { type Engine, ENGINES, engineUrl } from "./_engines.ts";
import { findEngine, startEngine } from "./_servers.ts";

/** What a run is ended by. */
const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

async function main(args: readonly string[]): Promise<number> {
  const interrupted = new AbortController();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, () => interrupted.abort());
  await using servers = new AsyncDisposableStack();
  const urls: Partial<Record<Engine, string>> = {};
  const found: string[] = [];
  const missing: string[] = [];
  for (const engine of Object.keys(ENGINES) as Engine[]) {
    if (interrupted.signal.aborted) return 130;
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
  for (const engine of missing as Engine[]) {
    const { title, debian } = ENGINES[engine];
    console.log(`engines: ${title} skipped, not found; apt-get install ${debian}`);
  }
  if (found.length === 0) return args.includes("--require-all") ? 1 : 0;
  const rest = args.filter((arg) => arg !== "--require-all");
  const code = await runTests(rest, { urls, signal: interrupted.signal });
  return code === 0 && missing.length > 0 && args.includes("--require-all") ? 1 : code;
}

interface Run {
  readonly urls: Readonly<Partial<Record<Engine, string>>>;
  readonly signal: AbortSignal;
}

async function runTests(args: readonly string[], { urls, signal }: Run): Promise<number> {
  const temporary = await Deno.realPath(await Deno.makeTempDir({ prefix: "gatehouse_engines_" }));
  const hosts = Object.values(urls).map((url) => new URL(url).hostname);
  const entries = Object.entries(urls) as [Engine, string][];
  try {
    if (signal.aborted) return 130;
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "--no-prompt",
        "--allow-env",
        "--allow-read",
        "--allow-sys", // clients ask who runs them, and where
        `--allow-net=${[...new Set(["127.0.0.1", ...hosts])].join()}`,
        `--allow-write=${temporary}`,
        `--allow-run=${Deno.execPath()}`,
        `--lock=${join(ROOT, "tests/engines/deno.lock")}`,
        ...args,
        ...(args.some(isPath) ? [] : ["tests/engines"]),
      ],
      cwd: ROOT,
      env: {
        ...Object.fromEntries(entries.map(([engine, url]) => [ENGINES[engine].variable, url])),
        TMPDIR: temporary,
        TEMP: temporary,
        TMP: temporary,
      },
      signal,
    }).spawn().status;
    return signal.aborted ? 130 : code;
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

function isPath(arg: string, index: number, args: readonly string[]): boolean {
  return !arg.startsWith("-") && args[index - 1] !== "--filter";
}

if (import.meta.main) Deno.exit(await main(Deno.args));
