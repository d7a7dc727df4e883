import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { listFiles, packageModules, ROOT } from "../../dev/_project.ts";

const MAX_LINES = 300;

/** The one module of each folder that may write to the console. */
const REPORT_REGEXP = /\/_report\.ts$/;

/** What may be locked although nothing in the package imports it yet: the type checker. */
const LOCKED_TOOLS: readonly string[] = ["typescript"];

/** Folders that hold other people's code, or what running leaves behind. */
const FOREIGN_REGEXP = /(?:^|\/)(?:\.git|\.data|node_modules|coverage|dist)(?:\/|$)/;

/**
 * What only the writer's own machine has: a home folder, a temporary folder, a package registry.
 */
const MACHINE_REGEXPS: readonly RegExp[] = [
  /(?<![\w.:/*])\/(?:home|Users)\/\w+\//,
  /(?<![\w.:/*}])\/(?:root|tmp|var\/folders)\/\w/,
  /\b[A-Z]:\\+Users\\/,
  /\bregistry\.[a-z]+\.[a-z]+\b/,
];

/**
 * The lines of a text that name a place on somebody's machine, the folder of this checkout above
 * all.
 */
function machineLines(text: string, root: string): string[] {
  const deep = root.split("/").length > 2; // A checkout in /app says nothing about "/app" in a text
  return text.split("\n").filter((line) =>
    (deep && line.includes(root)) || MACHINE_REGEXPS.some((regexp) => regexp.test(line))
  );
}

/** The lines of a module that write to the console, comments apart. */
function consoleLines(text: string): string[] {
  return text.split("\n").filter((line) =>
    !/^\s*(?:\/?\*|\/\/)/.test(line) && /\bconsole\b/.test(line)
  );
}

/** The lines of a formatted module that wait before it is loaded. */
function topLevelAwaits(text: string): string[] {
  return text.split("\n").filter((line) =>
    /^(?:[a-z].*)?\bawait\b/.test(line) && !/\basync\b/.test(line)
  );
}

/** The npm packages in a text, by their name: `npm:hono@4` and `npm:/hono/cors` are `hono`. */
function npmPackages(text: string): string[] {
  return [...text.matchAll(/npm:\/?((?:@[\w.-]+\/)?[\w.-]+)/g)].map(([, name = ""]) => name);
}

function readText(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}

Deno.test("machineLines() finds paths and registries, and leaves routes and URLs alone", () => {
  const slash = "/"; // Otherwise this file would be found itself
  const found = [
    ["", "home", "me", "project"].join(slash),
    `see ${["", "tmp", "x"].join(slash)}`,
    `from "${["", "root", "x"].join(slash)}"`,
    ["C:", "Users", "me"].join("\\"),
    `https://${["registry", "example", "org"].join(".")}/x`,
    "const root = '/srv/checkout/mod.ts'",
  ];
  const left = ["https://example.com/home/me/", "/users/:id", "/homes/x/y/", "the registry. It"];
  assertEquals(machineLines([...found, ...left].join("\n"), "/srv/checkout"), found);
});

Deno.test("consoleLines() skips comments", () => {
  const text =
    "// console.log\n * console.log\nconst a = 1;\n  console.log(a);\nlog(globalThis.console)";
  assertEquals(consoleLines(text), ["  console.log(a);", "log(globalThis.console)"]);
});

Deno.test("topLevelAwaits() finds what waits outside of functions", () => {
  const found = ["await load();", "export const a = await load();", "for await (const x of y) {"];
  const left = [
    "export const a = async () => await load();",
    "  await load();",
    "// await",
    "/** await */",
  ];
  assertEquals(topLevelAwaits([...found, ...left].join("\n")), found);
});

Deno.test("No file of the project names a place on somebody's machine", () => {
  const root = ROOT.replace(/\/$/, "");
  const found = listFiles(".")
    .filter((path) => !FOREIGN_REGEXP.test(path))
    .flatMap((path) => machineLines(readText(path), root).map((line) => `${path}: ${line.trim()}`));
  assertEquals(found, []);
});

Deno.test(`No module of the package and no script is longer than ${MAX_LINES} lines`, () => {
  const scripts = listFiles("dev").filter((path) => path.endsWith(".ts"));
  const long = [...packageModules(), ...scripts]
    .map((path) => ({ path, lines: readText(path).trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > MAX_LINES);
  assertEquals(long, []);
});

/** Most files of a folder of the package. */
const MAX_FILES = 40;

Deno.test(`No folder of the package has more than ${MAX_FILES} files`, () => {
  const counts = new Map<string, number>();
  for (const module of packageModules()) {
    const folder = module.slice(0, module.lastIndexOf("/") + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const full = [...counts].filter(([, count]) => count > MAX_FILES);
  assertEquals(full, []);
});

Deno.test("No module of the package but a folder's _report.ts writes to the console", () => {
  const found = packageModules().filter((path) =>
    !REPORT_REGEXP.test(path) && consoleLines(readText(path)).length > 0
  );
  assertEquals(found, []);
});

Deno.test("No module of the package waits before it is loaded", () => {
  const found = packageModules().filter((path) => topLevelAwaits(readText(path)).length > 0);
  assertEquals(found, []);
});

Deno.test("deno.lock names no package that the project does not import", () => {
  // Deno downloads all of them before it runs anything: heavy tools have a lock file of their own
  const sources = ["deno.json", ...packageModules(), ...listFiles("dev"), ...listFiles("examples")];
  const imported = new Set([
    ...LOCKED_TOOLS,
    ...sources.flatMap((path) => npmPackages(readText(path))),
  ]);
  const { specifiers } = JSON.parse(readText("deno.lock")) as {
    specifiers: Record<string, string>;
  };
  const stray = Object.keys(specifiers).flatMap(npmPackages).filter((name) => !imported.has(name));
  assertEquals(stray, []);
});
