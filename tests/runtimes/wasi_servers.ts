/**
 * Builds an application on `edge.ts` as a component of `wasi:http` and serves it with jco, which are installed by npm in a
 * folder of their own.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import { bundle } from "./bundle.ts";
import { runCases, type RuntimeResult } from "./harness.ts";
import { runCommand } from "./launch.ts";
import type { Outcome } from "./report.ts";
import { startBackend, type WasiBackend } from "./wasi_backend.ts";
import { wasiCases } from "./wasi_cases.ts";
import { WASI_PACKAGES, WASI_VERSION } from "./versions.ts";

const COMPONENTIZE = "@bytecodealliance/componentize-js";
const JCO = "@bytecodealliance/jco";
const NAME = `wasi ${WASI_VERSION}, componentize-js ${WASI_PACKAGES[COMPONENTIZE]}, jco ${
  WASI_PACKAGES[JCO]
}`;
const START_MS = 60_000;

/** The part of WASI that the component exports; its other parts come with jco, in another version. */
const WORLD = `package gatehouse:app;
world component { export wasi:http/incoming-handler@${WASI_VERSION}; }
`;
const WIT_FOLDER = `node_modules/${JCO}/lib/wit/builtin/0.2.12`;

const BUILD = `import { componentize } from "${COMPONENTIZE}";
import { writeFile } from "node:fs/promises";
const { component } = await componentize({ sourcePath: "bundle.mjs", witPath: "wit", worldName: "component" });
await writeFile("app.wasm", component);
`;

/** A server ends with its input: a signal would end jco, but not the process that it starts. */
const STOP = `import process from "node:process";
process.stdin.resume().once("end", () => process.exit());
`;

/** Runs the cases. @param folder Where everything goes; it must not exist. */
export async function* runWasi(folder: string): AsyncIterable<Outcome> {
  const start = performance.now();
  const name = NAME;
  try {
    await install(folder);
  } catch (error) {
    yield { name, skipped: String(error) };
    return;
  }
  await using backend = await startBackend();
  const results = await build(folder, backend)
    .then(() => serve(folder, (url) => runCases(wasiCases(url, backend))))
    .catch((error) => [{ name: "start", error: String(error) }]);
  yield { name, results, ms: performance.now() - start };
}

/** Makes `app.wasm` of the application. */
async function build(folder: string, { options }: WasiBackend): Promise<void> {
  const entry = join(folder, "entry.ts");
  const app = join(ROOT, "tests/runtimes/wasi_app.ts");
  await Deno.writeTextFile(
    entry,
    `import { serveWasi } from ${JSON.stringify(app)};\nserveWasi(${JSON.stringify(options)});\n`,
  );
  await bundle(entry, folder);
  await Deno.writeTextFile(join(folder, "build.mjs"), BUILD);
  await runCommand(["node"], ["build.mjs"], { cwd: folder });
}

async function install(folder: string): Promise<void> {
  await Deno.mkdir(folder);
  const description = { private: true, type: "module", dependencies: WASI_PACKAGES };
  await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(description));
  await runCommand(["npm"], ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
    cwd: folder,
  });
  await patchShim(folder);
  await Deno.mkdir(join(folder, "wit"));
  await Deno.writeTextFile(join(folder, "wit/world.wit"), WORLD);
  for await (const { name } of Deno.readDir(join(folder, WIT_FOLDER))) {
    const text = await Deno.readTextFile(join(folder, WIT_FOLDER, name, "package.wit"));
    const target = join(folder, "wit/deps", name);
    await Deno.mkdir(target, { recursive: true });
    await Deno.writeTextFile(join(target, "package.wit"), text.replaceAll("0.2.12", WASI_VERSION));
  }
}

/**
 * jco 1.35 crashes if a response has no body, as of 204, 304 and HEAD: WASI permits that, and its shim reads a body that was
 * never made. This copy makes one, which is empty.
 */
async function patchShim(folder: string): Promise<void> {
  const shim = join(
    folder,
    `node_modules/${JCO}/node_modules/@bytecodealliance/preview2-shim/dist/nodejs/http.js`,
  );
  const read = "outgoingResponseBody(outgoingResponse)";
  const text = await Deno.readTextFile(shim);
  if (!text.includes(`${read};`)) throw new Error("Cannot patch jco: this version has other code");
  await Deno.writeTextFile(shim, text.replace(`${read};`, `${read} ?? outgoingResponse.body();`));
}

/** Serves `app.wasm` for as long as `use` takes; each request has an instance of its own. */
async function serve(
  folder: string,
  use: (url: URL) => Promise<readonly RuntimeResult[]>,
): Promise<readonly RuntimeResult[]> {
  await Deno.writeTextFile(join(folder, "stop.mjs"), STOP);
  const url = new URL(`http://127.0.0.1:${freePort()}`);
  const child = new Deno.Command("node", {
    args: [
      `node_modules/${JCO}/dist/jco.js`,
      "serve",
      "app.wasm",
      ...["--isolate-requests", "instance"],
      ...["--host", url.hostname, "--port", url.port],
      ...["--jco-dir", "served", "--jco-import", "stop.mjs"],
    ],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = Promise.all([child.stdout, child.stderr].map((part) => new Response(part).text()));
  try {
    await untilListening(url, child.status);
    return await use(url);
  } catch (error) {
    await child.stdin.close().catch(() => {}); // it has ended
    throw new Error(`Cannot serve component: ${error}; ${(await output).join("")}`);
  } finally {
    await child.stdin.close().catch(() => {});
    await child.status;
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** @throws {Error} If the server ends before it listens, or does not listen in time. */
async function untilListening(
  { hostname, port }: URL,
  ended: Promise<Deno.CommandStatus>,
): Promise<void> {
  const signal = AbortSignal.timeout(START_MS);
  let isRunning = true;
  ended.then(() => isRunning = false);
  while (true) {
    try {
      (await Deno.connect({ hostname, port: Number(port) })).close();
      return;
    } catch {
      if (!isRunning || signal.aborted) throw new Error("It does not listen");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
