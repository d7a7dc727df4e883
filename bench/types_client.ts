/**
 * Prints what a typed client of 200 routes costs beside openapi-fetch and Hono's `hc`: what the compiler does for a program
 * that calls every route, the size of the run time, and how long the client takes to write: `deno task bench:client`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import ts from "npm:typescript@6.0.3";
import { readConfig, ROOT } from "../dev/_project.ts";
import { OPENAPI_FETCH, OPENAPI_TYPESCRIPT } from "../tests/peers/versions.ts";
import { ESBUILD } from "../tests/runtimes/versions.ts";
import { type Esbuild, installPeers, measureSize } from "./_bundle_size.ts";
import { application, type ClientName, honoApplication, program } from "./_client_apps.ts";
import { output } from "./_command.ts";
import { median } from "./_measure.ts";
import { numberOption, table } from "./_table.ts";

const ROUTES = 200;
const CLIENTS: readonly ClientName[] = ["Gatehouse", "openapi-fetch", "Hono hc"];

/** Most of what openapi-fetch's types cost that ours may. */
const TYPES_TARGET = 2;
/** Most time that the client may take beside its document. */
const WRITE_TARGET_MS = 1_500;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  types: [],
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** What the compiler does for a file and all that it imports. */
interface Checked {
  readonly instantiations: number;
  readonly ms: number;
}

/** Sources of the language's own libraries, which all programs share. */
const libraries = new Map<string, ts.SourceFile | undefined>();

function check(file: string): Checked {
  const host = ts.createCompilerHost(OPTIONS);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    if (!/\/lib\.[\w.]+\.d\.ts$/.test(name)) return read(name, version);
    if (!libraries.has(name)) libraries.set(name, read(name, version));
    return libraries.get(name);
  };
  const start = performance.now();
  const checked = ts.createProgram([file], OPTIONS, host);
  const [problem] = checked.getSemanticDiagnostics();
  const ms = performance.now() - start;
  if (problem !== undefined) {
    const text = ts.flattenDiagnosticMessageText(problem.messageText, "\n");
    throw new Error(`Cannot check ${problem.file?.fileName}: ${text}`);
  }
  return { instantiations: checked.getInstantiationCount(), ms };
}

/** The part of `openapi-typescript` that is used here. */
interface OpenApiTypeScript {
  default(document: unknown): Promise<unknown>;
  astToString(ast: unknown): string;
}

/** Writes documents, clients and programs. @returns Times of our two commands. */
async function writeAll(folder: string, rounds: number): Promise<Readonly<Record<string, number>>> {
  const write = (name: string, text: string) => Deno.writeTextFile(join(folder, name), text);
  await write("app.ts", application(ROUTES));
  await write("hono_app.ts", honoApplication(ROUTES));
  for (const name of CLIENTS) await write(programOf(name), program(name, ROUTES));
  const cli = [
    "run",
    "-A",
    "--no-lock",
    `--config=${join(ROOT, "deno.json")}`,
    join(ROOT, "openapi/cli/main.ts"),
  ];
  const commands = { openapi: "openapi.json", client: "client.ts" };
  const times: Record<string, number[]> = { openapi: [], client: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const [name, file] of Object.entries(commands)) {
      const start = performance.now();
      const args = ["http", name, "generate", "--controllers", "app.ts", "--output", file];
      await output([Deno.execPath(), ...cli, ...args], { cwd: folder });
      if (round > 0) times[name]?.push(performance.now() - start);
    }
  }
  const document = JSON.parse(await Deno.readTextFile(join(folder, "openapi.json")));
  const { default: convert, astToString }: OpenApiTypeScript = await import(OPENAPI_TYPESCRIPT);
  await write("api.d.ts", astToString(await convert(document)));
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

function programOf(name: ClientName): string {
  return `${name.replace(/\W/g, "_")}.ts`;
}

/** A bundle of the run time alone. */
const BUNDLES: Readonly<Record<ClientName, string>> = {
  "Gatehouse": `export { connect } from ${
    JSON.stringify(join(ROOT, "openapi/client/runtime.ts"))
  };`,
  "openapi-fetch": `export { default } from "openapi-fetch";`,
  "Hono hc": `export { hc } from "hono/client";`,
};

async function main(): Promise<number> {
  const rounds = numberOption("rounds", 5);
  const folder = await Deno.makeTempDir({ prefix: "client_bench_" });
  const esbuild: Esbuild = await import(ESBUILD);
  try {
    const packages = await installPeers(folder, {
      "openapi-fetch": OPENAPI_FETCH.replace(/^.*@/, ""),
      hono: (readConfig().imports.hono ?? "").replace(/^.*@/, ""),
    });
    const times = await writeAll(folder, rounds);
    const checked = new Map<ClientName, Checked[]>(CLIENTS.map((name) => [name, []]));
    for (let round = 0; round <= rounds; round++) {
      for (const name of CLIENTS) {
        const one = check(join(folder, programOf(name)));
        if (round > 0) checked.get(name)?.push(one);
      }
    }
    const rows = [];
    for (const name of CLIENTS) {
      const all = checked.get(name) ?? [];
      const { gzip } = await measureSize(esbuild, name, BUNDLES[name], { packages });
      rows.push({
        name,
        instantiations: all[0]?.instantiations ?? 0,
        ms: median(all.map(({ ms }) => ms)),
        gzip,
      });
    }
    console.log(table(
      ["client", "instantiations", "type check, ms", "run time, bytes of gzip"],
      rows.map((
        { name, instantiations, ms, gzip },
      ) => [
        name,
        instantiations.toLocaleString("en-US"),
        ms.toFixed(0),
        gzip.toLocaleString("en-US"),
      ]),
    ));
    const { openapi = 0, client = 0 } = times;
    console.log(
      `\nhttp openapi generate ${openapi.toFixed(0)} ms, http client generate ${
        client.toFixed(0)
      } ms`,
    );
    const [ours, theirs] = rows;
    const ratio = (ours?.ms ?? 0) / (theirs?.ms ?? 1);
    console.log(`type check beside openapi-fetch: ${ratio.toFixed(2)} (target ${TYPES_TARGET})`);
    console.log(
      `client beside its document: ${(client - openapi).toFixed(0)} ms (target ${WRITE_TARGET_MS})`,
    );
    return ratio > TYPES_TARGET || client - openapi > WRITE_TARGET_MS ? 1 : 0;
  } finally {
    await esbuild.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main());
