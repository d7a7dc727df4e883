/**
 * What a document costs whose schemas are read from TypeScript types: whole processes that write
 * one for 200 to 1,000 routes, beside tsoa on an equal application. `deno task bench:schemas`.
 * Needs Linux with glibc, Node and the npm registry.
 *
 * Contestants take turns, round by round, after one round that is not counted. `--rounds=7` is the
 * default, `--most=1000` leaves larger applications out.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { dirname, join } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { type Command, output } from "./_command.ts";
import { median } from "./_measure.ts";
import { kibibytes, numberOption, table } from "./_table.ts";
import { applicationFiles, DOCUMENT, type Form, MODULE_ROUTES, typeNames } from "./_types_app.ts";
import {
  checkDocument,
  checkSchemas,
  differences,
  type Facts,
  factsOf,
} from "./_types_document.ts";
import { measurePhases, type PhasesCase, phaseTable, usageOf } from "./_types_time.ts";
import type { Usage } from "./_usage.ts";

const COUNTS: readonly number[] = [200, 400, 1000];
const TARGET_MS = 1500;
const TARGET_FURTHER_MS = 100;
/** Routes that the second target is about. */
const STEP = 200;

/** What tsoa is made of, in its newest versions. It takes no newer compiler. */
const PEERS: Readonly<Record<string, string>> = {
  tsoa: "6.6.0",
  "@tsoa/cli": "6.6.0",
  typescript: "5.9.3",
};

/** What is measured. */
interface Contestant {
  readonly name: string;
  readonly form: Form;
  /** Whether its document has the schemas of types. */
  readonly typed: boolean;
  readonly command: Command;
}

const OURS: Command = [
  ...[Deno.execPath(), "run", "--no-prompt", "--allow-read", "--allow-write", "--allow-env"],
  ...["--allow-run", join(ROOT, "openapi/cli/main.ts"), "http", "openapi", "generate"],
  ...["--controllers", "main.ts", "--output", DOCUMENT],
];
const TSOA: Command = ["node", "../node_modules/@tsoa/cli/dist/cli.js", "spec", "-c", "tsoa.json"];

const CONTESTANTS: readonly Contestant[] = [
  { name: "router", form: "router", typed: true, command: OURS },
  { name: "router, `--no-types`", form: "router", typed: false, command: [...OURS, "--no-types"] },
  { name: "controllers", form: "controllers", typed: true, command: OURS },
  {
    name: "controllers, `--no-types`",
    form: "controllers",
    typed: false,
    command: [...OURS, "--no-types"],
  },
  { name: "tsoa", form: "tsoa", typed: true, command: TSOA },
];

/** What was measured of a contestant at one size. */
interface Result {
  readonly contestant: Contestant;
  readonly routes: number;
  /** One for each round. */
  readonly usages: Usage[];
  facts?: Facts;
}

/** Where the application of a form is. tsoa's are beside the packages that they import. */
function applicationFolder(folder: string, form: Form, routes: number): string {
  return join(folder, form === "tsoa" ? "peers" : "ours", `${form}${routes}`);
}

async function writeApplications(folder: string, counts: readonly number[]): Promise<void> {
  for (const form of new Set(CONTESTANTS.map((one) => one.form))) {
    for (const routes of counts) {
      for (const [path, text] of Object.entries(applicationFiles(form, routes))) {
        const file = join(applicationFolder(folder, form, routes), path);
        await Deno.mkdir(dirname(file), { recursive: true });
        await Deno.writeTextFile(file, text);
      }
    }
  }
}

/** Installs tsoa into a folder of its own, so that our lock file does not name it. */
async function installPeers(folder: string): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  const text = JSON.stringify({ dependencies: PEERS });
  await Deno.writeTextFile(join(folder, "package.json"), text);
  const install = ["install", "--node-modules-dir=auto", "--no-lock", "--quiet"];
  await output([Deno.execPath(), ...install], { cwd: folder });
}

/** Measures all contestants at all sizes: each of them once in each round. */
async function measureAll(
  folder: string,
  counts: readonly number[],
  rounds: number,
): Promise<Result[]> {
  const results = counts.flatMap((routes) =>
    CONTESTANTS.map((contestant): Result => ({ contestant, routes, usages: [] }))
  );
  for (let round = -1; round < rounds; round++) { // the first one warms up
    console.error(`round ${round + 1} of ${rounds} …`);
    for (const one of round % 2 === 0 ? results : results.toReversed()) {
      const { contestant: { form, command, typed }, routes, usages } = one;
      const cwd = applicationFolder(folder, form, routes);
      const document = join(cwd, DOCUMENT);
      await removeIfThere(document);
      const usage = await usageOf(command, cwd);
      if (round >= 0) usages.push(usage);
      else {
        one.facts = factsOf(await Deno.readTextFile(document));
        checkDocument(one.facts, { routes, names: typed ? typeNames(routes) : [] });
      }
    }
  }
  for (const routes of counts) {
    const same = results.filter((one) => one.routes === routes && one.contestant.typed);
    checkSchemas(same.map(readFacts));
  }
  return results;
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function readFacts({ facts, contestant }: Result): Facts {
  if (facts === undefined) throw new Error(`Cannot find the document of ${contestant.name}`);
  return facts;
}

/** Median of a number of one result, made from those of another in the same rounds. */
function over(
  result: Result,
  other: Result | undefined,
  compute: (own: number, other: number) => number,
): number {
  return median(
    result.usages.map(({ wallMs }, i) => compute(wallMs, other?.usages[i]?.wallMs ?? NaN)),
  );
}

/** Milliseconds that each {@linkcode STEP} further routes cost, from the least application on. */
function furtherMs(results: readonly Result[], result: Result): number {
  const least = results.find((one) => one.contestant === result.contestant);
  const steps = (result.routes - (least?.routes ?? NaN)) / STEP;
  return over(result, least, (own, first) => (own - first) / steps);
}

function resultRow(results: readonly Result[], result: Result): string[] {
  const { contestant, routes, usages } = result;
  const { schemas, length } = readFacts(result);
  const pick = (key: keyof Usage): number => median(usages.map((one) => one[key]));
  const further = furtherMs(results, result);
  const peer = results.find((one) => one.contestant.form === "tsoa" && one.routes === routes);
  return [
    String(routes),
    contestant.name,
    pick("wallMs").toFixed(0),
    over(result, peer, (own, other) => own / other).toFixed(2),
    pick("cpuMs").toFixed(0),
    (pick("peakBytes") / 2 ** 20).toFixed(0),
    Number.isFinite(further) ? further.toFixed(0) : "",
    String(schemas.length),
    kibibytes(length),
  ];
}

/** Says whether the targets are met, of each form. */
function reportTargets(results: readonly Result[]): string {
  const lines = results.filter(({ contestant }) => contestant.command === OURS).map((result) => {
    const { contestant: { name }, routes, usages } = result;
    const further = furtherMs(results, result);
    return Number.isFinite(further)
      ? `${name}, per further ${STEP} routes up to ${routes}: ${target(further, TARGET_FURTHER_MS)}`
      : `${name}, ${routes} routes: ${target(median(usages.map((one) => one.wallMs)), TARGET_MS)}`;
  });
  return lines.map((line) => `- ${line}`).join("\n");
}

function target(ms: number, most: number): string {
  return `${ms.toFixed(0)} ms, target ${most}: ${ms <= most ? "met" : "missed"}`;
}

/** Prints Markdown. */
async function main(): Promise<void> {
  const rounds = numberOption("rounds", 7);
  const most = numberOption("most", 1000);
  const counts = COUNTS.filter((count) => count <= most);
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "gatehouse_bench_" }));
  try {
    await installPeers(join(folder, "peers"));
    await writeApplications(folder, counts);
    const results = await measureAll(folder, counts, rounds);
    const cases = results.filter(({ contestant }) => contestant.command === OURS)
      .map(({ contestant: { name, form, command }, routes }): PhasesCase => ({
        ...{ name: `${name}, ${routes}`, command },
        folder: applicationFolder(folder, form, routes),
      }));
    const phases = await measurePhases(cases);
    const node = (await output(["node", "--version"])).trim();
    console.log(
      `Deno ${Deno.version.deno}, TypeScript ${
        phases[0]?.runs[0]?.apart.typescript
      }; tsoa ${PEERS.tsoa}, ` +
        `TypeScript ${PEERS.typescript}, Node ${node.slice(1)}. Medians of ${rounds} rounds; ` +
        `${MODULE_ROUTES} routes in a module.\n`,
    );
    const head = ["routes", "application", "wall ms", "÷ tsoa", "CPU ms", "peak MiB"];
    console.log(table(
      [...head, `ms per further ${STEP}`, "schemas", "KiB of JSON"],
      results.map((result) => resultRow(results, result)),
    ));
    console.log(`\n${reportTargets(results)}\n`);
    console.log(describeDocuments(results) + "\n");
    console.log(phaseTable(phases));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function describeDocuments(results: readonly Result[]): string {
  const [ours, peer] = [OURS, TSOA].map((command) =>
    results.find(({ contestant }) => contestant.command === command)
  );
  if (ours === undefined || peer === undefined) throw new Error("Cannot find the documents");
  return `Documents of ${ours.routes} routes. ${differences(readFacts(ours), readFacts(peer))}`;
}

if (import.meta.main) await main();
