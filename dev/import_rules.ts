/**
 * Says which module may import what, and finds the imports that break it.
 *
 * `deno task rules` checks the whole package. The rules are the two tables below; the functions
 * that apply them take a graph, so that tests can hand in a wrong one.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { globToRegExp, join, toFileUrl } from "@std/path";
import { packageModules, ROOT, runDeno } from "./_project.ts";

/**
 * Who imports what. Keys are modules of the package (`router/path.ts`); values are what each one
 * imports, types included: modules of the project by their path, everything else as written
 * (`node:fs`, `npm:zod@4`,
 * `hono/cors`, `@std/path`).
 */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** One row of the table: the modules that match `importer` may import what matches one of `may`. */
interface ImportRule {
  readonly importer: string;
  readonly may: readonly string[];
}

/** One row of the table: nothing that starts at `entry` leads to what matches one of `never`. */
interface ReachRule {
  readonly entry: string;
  readonly never: readonly string[];
}

/**
 * All rows that match a module count. A module of the package that no row matches may import nothing. One row per room of
 * `auth/` says which rooms are below it; what starts with `_` stays in its folder and the folders under it.
 */
const IMPORT_RULES: readonly ImportRule[] = [
  { importer: "mod.ts", may: ["{router,openapi,static,auth}/*.ts"] },
  { importer: "native.ts", may: ["mod.ts", "*/native_*.ts"] },
  { importer: "edge.ts", may: ["{router,static}/mod.ts", "serve/edge.ts", "auth/{,*/}*.ts"] },

  { importer: "static/*.ts", may: ["static/*.ts"] },
  { importer: "static/mod.ts", may: ["router/static_mount.ts"] },
  {
    importer: "static/native_*.ts",
    may: ["@std/{crypto,path}", "node:fs", "node:fs/promises", "node:process"],
  },

  { importer: "router/*.ts", may: ["router/*.ts"] },
  {
    importer: "router/{builder,http_router,internals,static_mount,native_static}.ts",
    may: ["static/*.ts"],
  },
  { importer: "router/{_engine,hono}.ts", may: ["hono", "hono/**"] },

  { importer: "serve/*.ts", may: ["serve/*.ts", "router/*.ts"] },
  {
    importer: "serve/native_node*.ts",
    may: ["node:{buffer,http,https,net,process,stream,timers,tls}"],
  },

  { importer: "openapi/*.ts", may: ["openapi/*.ts", "router/*.ts"] },
  {
    importer: "openapi/compiler/*.ts",
    may: [
      "openapi/{,compiler/}*.ts",
      "router/*.ts",
      "static/native_write.ts",
      "@std/{jsonc,path}",
      "node:{child_process,fs,module,process}",
      "node:fs/promises",
    ],
  },
  {
    importer: "openapi/cli/*.ts",
    may: [
      "openapi/cli/*.ts",
      "openapi/compiler/*.ts",
      "static/native_package.ts",
      "@std/{cli,path}",
      "node:{fs,process}",
    ],
  },

  { importer: "auth/*.ts", may: ["auth/*.ts"] },
  { importer: "auth/mod.ts", may: ["auth/*/*.ts"] },
  { importer: "auth/throttle/*.ts", may: ["auth/{,throttle/}*.ts"] },
  { importer: "auth/stores/*.ts", may: ["auth/{,throttle/,stores/}*.ts"] },
  { importer: "auth/stores/engines/*.ts", may: ["auth/{,stores/,stores/engines/}*.ts"] },
  { importer: "auth/users/*.ts", may: ["auth/{,stores/,users/}*.ts"] },
  { importer: "auth/factors/*.ts", may: ["auth/{,throttle/,stores/,factors/}*.ts"] },
  {
    importer: "auth/accounts/*.ts",
    may: ["auth/{,throttle/,stores/,users/,password/,accounts/}*.ts"],
  },
  { importer: "auth/jwt/*.ts", may: ["auth/{,jwt/}*.ts"] },
  { importer: "auth/keys/*.ts", may: ["auth/{,stores/,jwt/,keys/}*.ts"] },
  { importer: "auth/session/*.ts", may: ["auth/{,stores/,users/,session/}*.ts"] },
  { importer: "auth/password/*.ts", may: ["auth/{,throttle/,stores/,users/,password/}*.ts"] },
  { importer: "auth/tokens/*.ts", may: ["auth/{,stores/,users/,jwt/,keys/,session/,tokens/}*.ts"] },
  {
    importer: "auth/webauthn/*.ts",
    may: ["auth/{,throttle/,stores/,users/,jwt/,webauthn/}*.ts"],
  },
  {
    importer: "auth/oauth/*.ts",
    may: ["auth/{,stores/,users/,jwt/,session/,oauth/}*.ts"],
  },
  { importer: "auth/oauth/mod.ts", may: ["auth/oauth/presets/*.ts"] },
  {
    importer: "auth/oauth/presets/*.ts",
    may: ["auth/{,jwt/,oauth/,oauth/presets/}*.ts"],
  },
  {
    importer: "auth/http/*.ts",
    may: [
      "auth/{,throttle/,stores/,users/,jwt/,keys/,session/,password/,tokens/,factors/,accounts/,webauthn/,oauth/,http/}*.ts",
      "router/{access,container,decorator_types,decorators,guard,openapi_types,original_request,path,problem,request,response,types,wrap}.ts",
    ],
  },
  { importer: "auth/http/*.ts", may: ["auth/http/documents/*.ts"] },
  {
    importer: "auth/http/documents/*.ts",
    may: ["auth/http/documents/*.ts", "router/openapi_types.ts"],
  },
  {
    importer: "auth/graphql/*.ts",
    may: ["auth/{,http/,graphql/}*.ts", "router/{access,container}.ts"],
  },
  {
    importer: "auth/server/*.ts",
    may: [
      "auth/{,throttle/,stores/,jwt/,keys/,session/,tokens/,http/,server/}*.ts",
      "router/{original_request,types}.ts",
    ],
  },
];

const REACH_RULES: readonly ReachRule[] = [
  {
    entry: "mod.ts",
    never: [
      "router/hono.ts",
      "**/native_*.ts",
      "native.ts",
      "auth/stores/engines/*.ts",
      "node:*",
    ],
  },
];

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
