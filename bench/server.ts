/**
 * What the authorization server costs: `deno task bench:server`. Token requests beside the signatures that they need on Deno, Node
 * and Bun; requests per second beside oidc-provider on Node, in memory and on PostgreSQL; memory of requests that wait for a user;
 * and what a million grants change on PostgreSQL and Redis.
 *
 * `--rounds=31` and `--most=1000000` are the defaults; `--parts=tokens,peer,memory,growth` names those that are wanted.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { type Engine, engineUrl } from "../tests/engines/_engines.ts";
import { findEngine, startEngine } from "../tests/engines/_servers.ts";
import { POSTGRES_JS } from "../tests/engines/versions.ts";
import { OIDC_PROVIDER } from "../tests/peers/versions.ts";
import { output } from "./_command.ts";
import { runEverywhere, runScript } from "./_runtime_script.ts";
import type { ServerTimes } from "./_server_contests.ts";
import { type GrantCosts, measureGrants } from "./_server_growth.ts";
import type { AuthorizeMemory } from "./_server_memory.ts";
import type { Rates } from "./_server_peer.ts";
import { openRedis } from "./_store_key_engines.ts";
import { openPostgres } from "./_store_sql_engines.ts";
import type { EngineOptions, StoreEngine } from "./_store_types.ts";
import { numberOption, table } from "./_table.ts";

const ROUNDS = numberOption("rounds", 31);

/** Most that a token request takes, as a multiple of two signatures and one verification. */
const TOKEN_TARGET = 1.5;

/** Least requests per second, as a multiple of oidc-provider's. */
const PEER_TARGET = 1.5;

async function printTokens(): Promise<void> {
  const results = await runEverywhere<ServerTimes>({
    module: "bench/_server_contests.ts",
    packages: {},
    source: (module) =>
      `import { compareServer } from ${module};\n` +
      `console.log(JSON.stringify(await compareServer({ rounds: ${ROUNDS} })));\n`,
  });
  console.log(table(
    ["runtime", "code grant, µs", "refresh, µs", "two signatures, one verification, µs", "÷", "÷"],
    results.map(([name, times]) => [
      name,
      ...[times.code, times.refresh, times.primitives].map((us) => us.toFixed(0)),
      ...[times.codeOverPrimitives, times.refreshOverPrimitives].map((ratio) => ratio.toFixed(2)),
    ]),
  ));
  console.log(`\nTarget: ${TOKEN_TARGET}`);
}

async function printPeer(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const url = await serverUrl("postgres", stack);
  const rows: string[][] = [];
  for (const database of url === undefined ? [undefined] : [undefined, url]) {
    const { code, refresh } = await compareOnNode(database);
    const title = database === undefined ? "memory" : "PostgreSQL";
    for (const [work, rates] of [["code grant", code], ["refresh", refresh]] as const) {
      rows.push([
        `${work}, ${title}`,
        ...[rates.ours, rates.peer].map((rate) => Math.round(rate).toLocaleString("en")),
        rates.ratio.toFixed(2),
      ]);
    }
  }
  console.log(table(["Node, per second", "ours", "oidc-provider", "ours ÷ theirs"], rows));
  console.log(`\nTarget: ${PEER_TARGET}`);
}

async function compareOnNode(
  database: string | undefined,
): Promise<{ readonly code: Rates; readonly refresh: Rates }> {
  const sql = database === undefined
    ? "const sql = undefined;"
    : `import postgres from "postgres"; const sql = postgres(${
      JSON.stringify(database)
    }, { onnotice() {} });`;
  const [[, result] = []] = await runScript<{ readonly code: Rates; readonly refresh: Rates }>({
    module: "bench/_server_peer.ts",
    packages: Object.fromEntries([OIDC_PROVIDER, POSTGRES_JS].map(splitPackage)),
    source: (module) =>
      `import http from "node:http"; import Provider from "oidc-provider"; ${sql}\n` +
      `import { compareWithProvider } from ${module};\n` +
      `${SEND_FROM_CHILD}\nconsole.warn = console.info = () => {};\n` +
      `const result = await compareWithProvider({ http, Provider, sql, send, rounds: ${ROUNDS} });\n` +
      `process.stdout.write(JSON.stringify(result), () => { child.kill(); process.exit(0); });\n`,
  }, ["Node"]);
  if (result === undefined) throw new Error("Cannot compare on Node: there is none");
  return result;
}

/** The client: a process that is sent forms, posts them over 16 connections, and sends back the refresh tokens. */
const SEND_FROM_CHILD = `
import { fork } from "node:child_process";
if (process.argv[2] === "load") {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const post = (url, form) => new Promise((resolve, reject) => {
    const length = { "Content-Length": Buffer.byteLength(form) };
    const request = http.request(url, { method: "POST", agent, headers: { ...headers, ...length } }, (response) => {
      let text = "";
      response.on("data", (chunk) => text += chunk);
      response.on("end", () => resolve(JSON.parse(text)));
    });
    request.on("error", reject);
    request.end(form);
  });
  process.on("message", async ({ url, forms }) => {
    const [queue, tokens] = [[...forms], []];
    const from = performance.now();
    await Promise.all(Array.from({ length: 16 }, async () => {
      for (let form = queue.pop(); form !== undefined; form = queue.pop()) {
        const body = await post(url, form);
        if (body.refresh_token === undefined) throw new Error(JSON.stringify(body));
        tokens.push(body.refresh_token);
      }
    }));
    process.send({ ms: performance.now() - from, tokens });
  });
  await new Promise(() => {});
}
const child = fork(process.argv[1], ["load"]);
const send = (url, forms) => new Promise((resolve) => {
  child.once("message", resolve);
  child.send({ url, forms });
});
`;

/** Name and version of `npm:name@version`. */
function splitPackage(specifier: string): [name: string, version: string] {
  const text = specifier.replace(/^npm:/, "");
  const at = text.lastIndexOf("@");
  return [text.slice(0, at), text.slice(at + 1)];
}

async function printMemory(): Promise<void> {
  const script = join(ROOT, "bench/_server_memory.ts");
  const text = await output([Deno.execPath(), "run", "--v8-flags=--expose-gc", script]);
  const { requests, bytes, laterBytes }: AuthorizeMemory = JSON.parse(text);
  const rows = [["that wait", bytes], ["after these have expired", laterBytes]] as const;
  console.log(table(
    [`${requests.toLocaleString("en")} authorization requests`, "bytes of heap each", "MiB"],
    rows.map(([when, each]) => [when, each.toFixed(0), (each * requests / 2 ** 20).toFixed(0)]),
  ));
}

async function printGrowth(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const at = Math.floor(Date.now() / 1000);
  const now = () => at;
  const engines: readonly (readonly [Engine, Open])[] = [["postgres", openPostgres], [
    "redis",
    openRedis,
  ]];
  for (const [engine, open] of engines) {
    const url = await serverUrl(engine, stack);
    if (url === undefined) continue;
    await using opened = await open(url, { now });
    const costs = await measureGrants(opened, { most: numberOption("most", 1_000_000), now });
    console.log(`\n${growthTable(opened.title, costs)}`);
  }
}

type Open = (url: string, options: EngineOptions) => Promise<StoreEngine>;

function growthTable(title: string, costs: readonly GrantCosts[]): string {
  return table(
    [title, "refresh: statements, ms", "revocation", "list of ten"],
    costs.map(({ grants, refresh, revoke, list }) => [
      `${grants.toLocaleString("en")} grants`,
      ...[refresh, revoke, list].map(({ statements, ms }) => `${statements}, ${ms.toFixed(2)}`),
    ]),
  );
}

/** A server that is given, or one that is started until the end. */
async function serverUrl(
  engine: Engine,
  stack: AsyncDisposableStack,
): Promise<string | undefined> {
  const given = engineUrl(engine);
  if (given !== undefined) return given;
  const programs = await findEngine(engine);
  return programs === undefined ? undefined : stack.use(await startEngine(engine, programs)).url;
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  tokens: printTokens,
  peer: printPeer,
  memory: printMemory,
  growth: printGrowth,
};

if (import.meta.main) {
  const given = Deno.args.find((arg) => arg.startsWith("--parts="))?.slice("--parts=".length);
  for (const name of given?.split(",") ?? Object.keys(PARTS)) {
    const print = PARTS[name];
    if (print === undefined) throw new RangeError(`Cannot measure ${name}: there is no such part`);
    console.log(`\n### ${name}\n`);
    await print();
  }
}
