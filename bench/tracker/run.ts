/**
 * The tracker, one application in several versions: what a person writes, what is installed, what it does:
 * `deno task bench:tracker`, or with names of versions. Needs npm and Node for `hono/`.
 *
 * Lines are those that are neither blank nor comments. Ends with 1 if a check of a version fails.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { table } from "../_table.ts";
import { accept, accepted, adapterOf, lineOf, type Outcome } from "./acceptance.ts";
import { folderOf, type Installed, INSTALLERS, start } from "./_version.ts";

const PAGE = /\.(html|css|js)$/;

const rows: string[][] = [];
let failed = false;
for (const [version, install] of Object.entries(INSTALLERS)) {
  if (Deno.args.length > 0 && !Deno.args.includes(version) || !await exists(version)) continue;
  const temporary = await Deno.makeTempDir({ prefix: "tracker-" });
  try {
    const installed = await install(temporary);
    const outcomes = await outcomesOf(version, installed);
    console.log(`## ${version}\n`);
    for (const outcome of outcomes) console.log(`- ${lineOf(outcome)}`);
    const lines = await linesOf(folderOf(version), /\.ts$/);
    console.log(
      `\n${table(["file", "lines"], lines.map(([name, count]) => [name, `${count}`]))}\n`,
    );
    rows.push(await rowOf(version, installed, outcomes, lines));
    failed ||= !accepted(outcomes);
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}
console.log(table(
  [
    "version",
    "lines of TypeScript",
    "own HTML, CSS, JS",
    "shared page",
    "packages",
    "MB",
    "passed",
  ],
  rows,
));
if (failed) Deno.exit(1);

async function outcomesOf(version: string, installed: Installed): Promise<Outcome[]> {
  const server = await start(installed);
  try {
    return await accept({ ...server, adapter: await adapterOf(version) });
  } finally {
    await server.stop();
  }
}

async function rowOf(
  version: string,
  { packages }: Installed,
  outcomes: readonly Outcome[],
  lines: readonly [string, number][],
): Promise<string[]> {
  const passed = outcomes.filter(({ kind }) => kind === "passed").length;
  return [
    version,
    `${sum(lines)} in ${lines.length} files`,
    `${sum(await linesOf(folderOf(version), PAGE))}`,
    `${sum(await linesOf(folderOf("page"), PAGE))}`,
    packages === undefined ? "those of the working tree" : `${packages.count}`,
    packages === undefined ? "" : (packages.bytes / 1e6).toFixed(1),
    `${passed} of ${outcomes.length}`,
  ];
}

function sum(lines: readonly [string, number][]): number {
  return lines.reduce((total, [, count]) => total + count, 0);
}

/** Lines of a folder's files. */
async function linesOf(folder: URL, pattern: RegExp): Promise<[string, number][]> {
  const lines: [string, number][] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (name === "node_modules") continue;
    if (isDirectory) {
      const inner = await linesOf(new URL(`${name}/`, folder), pattern);
      lines.push(...inner.map(([file, count]): [string, number] => [`${name}/${file}`, count]));
    } else if (pattern.test(name)) {
      lines.push([name, countLines(await Deno.readTextFile(new URL(name, folder)))]);
    }
  }
  return lines.sort(([a], [b]) => a < b ? -1 : 1);
}

/** Comments begin their lines, in all of these files. */
function countLines(text: string): number {
  const code = text.replaceAll(/^\s*(\/\*.*?\*\/|<!--.*?-->)/gms, "").split("\n");
  return code.filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

async function exists(version: string): Promise<boolean> {
  return await Deno.stat(folderOf(version)).then(() => true, () => false);
}
