/**
 * Starts WebSocket servers on every runtime, over its own HTTP server, and talks to them over sockets.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT, runDeno } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import { runCases } from "./harness.ts";
import { COMMANDS, findVersion, withServer, withWorker } from "./launch.ts";
import type { Outcome } from "./report.ts";
import { socketCases } from "./socket_cases.ts";
import { WS } from "./versions.ts";

const LOCK = join(ROOT, "tests/runtimes/deno.lock");

/** Runs the cases on each server. @param folder Where the bundles go; it must not exist. */
export async function* runSocketServers(folder: string): AsyncIterable<Outcome> {
  await Deno.mkdir(join(folder, "worker"), { recursive: true });
  const ws = await findWs(folder);
  const module = await bundle(join(ROOT, "tests/runtimes/socket_server_main.ts"), folder, {
    nodeModules: true,
  });
  const script = join(folder, "server.mjs");
  await Deno.writeTextFile(
    script,
    `import process from "node:process";
import { serve } from ${JSON.stringify(toFileUrl(module).href)};
await serve(process.argv[2], ${JSON.stringify(ws)});
`,
  );
  for (const command of COMMANDS) {
    const [runtime, program] = command;
    const version = await findVersion(command);
    if ("skipped" in version) {
      yield version;
      continue;
    }
    const flags = runtime === "deno" ? ["--allow-all"] : [];
    yield await withServer<{ readonly port: number }>(
      version.name,
      [...program, ...flags, script, runtime],
      ({ port }) => runCases(socketCases({ port, isWorkerd: false })),
    );
  }
  const worker = await bundle(
    join(ROOT, "tests/runtimes/socket_worker_main.ts"),
    join(folder, "worker"),
  );
  yield await withWorker(worker, async (miniflare) => {
    const port = Number((await miniflare.ready).port);
    return await runCases(socketCases({ port, isWorkerd: true }));
  });
}

/** Where Deno keeps ws: Node imports it from there, as a file. */
async function findWs(folder: string): Promise<string> {
  const entry = join(folder, "ws.ts");
  await Deno.writeTextFile(entry, `import ${JSON.stringify(WS)};\n`);
  const { stdout } = await runDeno(["info", "--json", `--lock=${LOCK}`, entry]);
  const { npmPackages = {} } = JSON.parse(stdout) as {
    readonly npmPackages?: Readonly<Record<string, { name: string; localPath: string }>>;
  };
  const found = Object.values(npmPackages).find(({ name }) => name === "ws");
  if (found === undefined) throw new Error(`Cannot find ${WS}`);
  return toFileUrl(join(found.localPath, "wrapper.mjs")).href;
}
