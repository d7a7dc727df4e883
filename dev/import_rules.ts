/**
 * Says which module may import what, and finds the imports that break it.
 *
 * `deno task rules` checks the whole package. The rules are the two tables of
 * `_import_tables.ts`; the functions that apply them take a graph, so that tests can hand in a wrong one.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { globToRegExp, join, toFileUrl } from "@std/path";
import { IMPORT_RULES, REACH_RULES, type ReachRule } from "./_import_tables.ts";
import { packageModules, ROOT, runDeno } from "./_project.ts";

/**
 * Who imports what. Keys are modules of the package (`router/path.ts`); values are what each one
 * imports, types included: modules of the project by their path, everything else as written
 * (`node:fs`, `npm:zod@4`,
 * `hono/cors`, `@std/path`).
 */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Modules that may use what only one runtime has: those named so, and the rooms that run at build time. */
const NATIVE_REGEXP = /(?:^|\/)native(?:_\w+)?\.ts$|^openapi\/(?:cli|compiler)\//;
const INTERNAL_REGEXP = /^(.*\/)?_\w+\.ts$/;

/** One line for each import that a rule forbids; none if the graph is as it should be. */
export function findViolations(graph: ImportGraph): string[] {
  const violations: string[] = [];
  for (const [importer, imports] of graph) {
    for (const target of imports) {
      const reason = forbids(importer, target);
      if (reason !== undefined) violations.push(`${importer} imports ${target}: ${reason}`);
    }
  }
  return [
    ...violations,
    ...REACH_RULES.flatMap((rule) => findReached(graph, rule)),
    ...findCircles(graph),
    ...findCircles(foldersOf(graph)),
  ];
}

/** Asks Deno what every module of the package imports. */
export async function readImportGraph(): Promise<ImportGraph> {
  const graph = new Map<string, readonly string[]>();
  for (const module of packageModules()) {
    if (graph.has(module)) continue; // An earlier module led to this one
    for (const [path, imports] of await readModuleGraph(module)) graph.set(path, imports);
  }
  return graph;
}

function forbids(importer: string, target: string): string | undefined {
  const rules = IMPORT_RULES.filter((rule) => matches(rule.importer, importer));
  if (!rules.some((rule) => rule.may.some((glob) => matches(glob, target)))) {
    return "no row of IMPORT_RULES in dev/import_rules.ts allows it";
  }
  if (NATIVE_REGEXP.test(target) && !NATIVE_REGEXP.test(importer)) {
    return "only native modules may import a native module";
  }
  const folder = INTERNAL_REGEXP.exec(target)?.[1] ?? "";
  if (INTERNAL_REGEXP.test(target) && !importer.startsWith(folder)) {
    return `a module that starts with _ is internal to ${folder}`;
  }
  return undefined;
}

function findReached(graph: ImportGraph, rule: ReachRule): string[] {
  const violations: string[] = [];
  for (const entry of [...graph.keys()].filter((module) => matches(rule.entry, module))) {
    const paths = new Map([[entry, entry]]);
    for (const [module, path] of paths) { // A Map's loop visits what is added on the way
      for (const target of graph.get(module) ?? []) {
        if (!paths.has(target)) paths.set(target, `${path} -> ${target}`);
      }
    }
    for (const [module, path] of paths) {
      if (rule.never.some((glob) => matches(glob, module))) {
        violations.push(`${entry} reaches ${module}: ${path}`);
      }
    }
  }
  return violations;
}

/** The shortest circle through each file or folder that is in one, once each. */
function findCircles(graph: ImportGraph): string[] {
  const circles = new Map<string, string>();
  for (const start of graph.keys()) {
    const paths = new Map<string, readonly string[]>([[start, [start]]]);
    for (const [at, path] of paths) { // A Map's loop visits what is added on the way
      for (const target of graph.get(at) ?? []) {
        if (target !== start) {
          if (!paths.has(target)) paths.set(target, [...path, target]);
          continue;
        }
        const members = [...path].sort().join();
        if (!circles.has(members)) circles.set(members, `circle: ${[...path, start].join(" -> ")}`);
      }
    }
  }
  return [...circles.values()];
}

/** Which folder imports from which. Entries (`mod.ts`) belong to no folder: they gather what is in all of them. */
function foldersOf(graph: ImportGraph): ImportGraph {
  const folders = new Map<string, Set<string>>();
  const folderOf = (module: string) =>
    /(?:^|\/)mod\.ts$/.test(module) || !module.includes("/")
      ? module
      : module.slice(0, module.lastIndexOf("/"));
  for (const [importer, imports] of graph) {
    const from = folderOf(importer);
    const to = folders.get(from) ?? new Set();
    folders.set(from, to);
    for (const target of imports) {
      if (graph.has(target) && folderOf(target) !== from) to.add(folderOf(target));
    }
  }
  return new Map([...folders].map(([folder, to]) => [folder, [...to]]));
}

function matches(glob: string, path: string): boolean {
  return globToRegExp(glob).test(path);
}

/** The part of `deno info --json` that counts here. */
interface DenoInfo {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: { readonly specifier?: string };
      readonly type?: { readonly specifier?: string };
    }[];
  }[];
}

async function readModuleGraph(module: string): Promise<[string, string[]][]> {
  const output = await runDeno(["info", "--json", module]);
  if (!output.success) throw new Error(`Cannot read the imports of ${module}: ${output.stderr}`);
  const info = JSON.parse(output.stdout) as DenoInfo;
  const root = toFileUrl(join(ROOT, "/")).href;
  const own = new Set(packageModules());
  const graph: [string, string[]][] = [];
  for (const { specifier, error, dependencies = [] } of info.modules) {
    if (error !== undefined) throw new Error(`Cannot read the imports of ${specifier}: ${error}`);
    const path = specifier.startsWith(root) ? specifier.slice(root.length) : specifier;
    if (!own.has(path)) continue;
    const imports = dependencies.map(({ specifier: written, code, type }) => {
      const resolved = code?.specifier ?? type?.specifier ?? written;
      return written.startsWith(".") ? resolved.replace(root, "") : written;
    });
    graph.push([path, [...new Set(imports)].sort()]);
  }
  return graph;
}

async function main(): Promise<void> {
  const graph = await readImportGraph();
  const violations = findViolations(graph);
  for (const violation of violations) console.error(violation);
  console.log(`${graph.size} modules, ${violations.length} forbidden imports`);
  if (violations.length > 0) Deno.exit(1);
}

if (import.meta.main) await main();
