/**
 * Starts static servers on every runtime, over its own HTTP server, and asks them over sockets.
 *
 * @module
 */

import { join, toFileUrl } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import { runCases } from "./harness.ts";
import { COMMANDS, findVersion, type RuntimeCommand, withServer, withWorker } from "./launch.ts";
import type { Outcome } from "./report.ts";
import { makeFixture } from "./static_fixture.ts";
import { featureCases, liveFeatureCases } from "./static_feature_cases.ts";
import { liveCases } from "./static_live_cases.ts";
import { packagedCases, type StaticServer } from "./static_packaged_cases.ts";
import { raceCases } from "./static_race_cases.ts";
import { silentStreamCase } from "./silent_stream_case.ts";
import { NODE_SERVER } from "./versions.ts";

const LOCK = join(ROOT, "tests/runtimes/deno.lock");

/** Where a package has to be, for a module below the folder to import it by its name. */
const PACKAGE = "node_modules/@gatehouse/http";

/** The servers: whose runtime it is, and what is started there. */
const SERVERS: readonly (readonly [runtime: string, server: string, suffix: string])[] = [
  ["deno", "deno", ""],
  ["node", "node", ""],
  ["node", "hono", `, ${NODE_SERVER.replace(/^npm:/, "")}`],
  ["bun", "bun", ""],
];

/** What Deno may do as a server: all, so that it learns the paths of open files. */
const DENO_FLAGS: readonly string[] = ["--allow-all", "--node-modules-dir=manual"];

/** Runs the cases on each server. @param folder Where all of it goes. */
export async function* runStaticServers(folder: string): AsyncIterable<Outcome> {
  const script = await prepareServers(folder);
  for (const [runtime, server, suffix] of SERVERS) {
    const command = COMMANDS.find(([name]) => name === runtime) as RuntimeCommand;
    const version = await findVersion(command);
    if ("skipped" in version) {
      yield { ...version, name: version.name + suffix };
      continue;
    }
    const args = [...command[1], ...(runtime === "deno" ? DENO_FLAGS : []), script, server];
    yield await runServer(version.name + suffix, args, folder);
  }
  const own = join(folder, "worker");
  await Deno.mkdir(own);
  const worker = await bundle(join(ROOT, "tests/runtimes/static_worker_main.ts"), own);
  yield await withWorker(worker, async (miniflare) => {
    const { port } = await miniflare.ready;
    const mounts = ["/packaged", "/through", "/bare"];
    return await runCases([
      ...packagedCases({ port: Number(port) }, mounts),
      ...featureCases(Number(port)),
    ]);
  });
}

/** Bundles the servers, and makes what they serve. @returns The script that starts them. */
async function prepareServers(folder: string): Promise<string> {
  const own = join(folder, PACKAGE);
  const adapter = join(folder, "adapter");
  await Deno.mkdir(own, { recursive: true });
  await Deno.mkdir(adapter);
  await makeFixture(join(folder, "fixture"));

  const entry = join(ROOT, "tests/runtimes/static_server_main.ts");
  const module = await bundle(entry, own, { nodeModules: true });
  const exports = { "./static": "./bundle.mjs" };
  const description = { name: "@gatehouse/http", type: "module", exports };
  await Deno.writeTextFile(join(own, "package.json"), JSON.stringify(description));

  const adapterEntry = join(adapter, "entry.ts");
  await Deno.writeTextFile(adapterEntry, `export * from ${JSON.stringify(NODE_SERVER)};\n`);
  const hono = await bundle(adapterEntry, adapter, { nodeModules: true, lock: LOCK });

  await Deno.writeTextFile(join(folder, "package.json"), '{ "type": "module" }\n');
  const script = join(folder, "server.mjs");
  await Deno.writeTextFile(
    script,
    `import process from "node:process";
import { serve } from ${JSON.stringify(toFileUrl(module).href)};
const [server, folder] = process.argv.slice(2);
await serve(server === "hono" ? ${JSON.stringify(toFileUrl(hono).href)} : server, folder);
`,
  );
  return script;
}

/** Starts a server that has files, and asks it. */
async function runServer(
  name: string,
  command: readonly string[],
  folder: string,
): Promise<Outcome> {
  const fixture = await Deno.realPath(join(folder, "fixture"));
  const outputDir = await Deno.makeTempDir({ dir: folder, prefix: "packages_" });
  const runtime = command.at(-1) ?? "";
  const measures = ["bun", "node"].includes(runtime);
  return await withServer<Pick<StaticServer, "port" | "pid">>(
    name,
    [...command, fixture],
    async ({ port, pid }) => {
      const server: StaticServer = { port, pid, folder: fixture, outputDir, measures };
      return await runCases([
        ...packagedCases(server, ["/packaged", "/through"]),
        ...liveCases(server),
        ...featureCases(port),
        ...liveFeatureCases(port),
        ...(Deno.build.os === "linux" ? raceCases(server) : []),
        ...(runtime === "bun" ? [silentStreamCase(port)] : []),
      ]);
    },
    { cwd: folder },
  );
}
