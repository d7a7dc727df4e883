/**
 * Makes one script of the cases and everything they import, in one of the two modes of decorators. No runtime has
 * decorators of its own yet, so that esbuild compiles both.
 *
 * @module
 */

import { dirname, fromFileUrl, join } from "@std/path";
import { ROOT, runDeno } from "../../dev/_project.ts";
import { ESBUILD } from "./versions.ts";

/** Answers of esbuild's resolver: where a module is, or that it stays an import. */
interface Resolved {
  readonly path: string;
  readonly external?: boolean;
}

/** The part of esbuild's plugins that is used here. */
interface EsbuildPlugin {
  readonly name: string;
  setup(build: {
    onResolve(
      options: { filter: RegExp },
      resolve: (
        args: { path: string; kind: string },
      ) => Resolved | undefined | Promise<Resolved>,
    ): void;
    resolve(path: string, options: { kind: string; resolveDir: string }): Promise<Resolved>;
  }): void;
}

/** The part of esbuild that is used here. */
interface Esbuild {
  build(options: {
    entryPoints: string[];
    outfile: string;
    bundle: true;
    format: "esm";
    platform: "neutral";
    target: "es2022";
    nodePaths: string[];
    plugins: EsbuildPlugin[];
    tsconfigRaw: { compilerOptions: { experimentalDecorators: boolean } };
    logLevel: "warning";
  }): Promise<unknown>;
  stop(): Promise<void>;
}

/** Options of {@linkcode bundle}. */
export interface BundleOptions {
  /** Compile legacy decorators, not standard ones. @default {false} */
  readonly experimentalDecorators?: boolean;
  /** Leave imports of `node:` as they are; without it, one is an error. @default {false} */
  readonly nodeModules?: boolean;
  /** The lock file that says which packages these are. @default {the project's} */
  readonly lock?: string;
}

/** A package, as Deno resolved it. */
interface NpmPackage {
  readonly name: string;
  readonly localPath: string;
  /** Keys of packages. */
  readonly dependencies: readonly string[];
}

/** What Deno says of a module's graph, as far as it is used here. */
interface ModuleGraph {
  /** All of the project, not only those that the module leads to. */
  readonly npmPackages?: Readonly<Record<string, NpmPackage>>;
  readonly modules: readonly {
    /** The package's key, if the module is of one. */
    readonly npmPackage?: string;
    readonly dependencies?: readonly {
      readonly specifier: string;
      readonly code?: { readonly specifier?: string };
    }[];
  }[];
}

/**
 * Bundles a module into one ES2022 module without imports.
 *
 * @param entry The module's path in the project.
 * @param folder Where the bundle goes, and the links to the npm packages it is made of.
 * @returns The bundle's path.
 */
export async function bundle(
  entry: string,
  folder: string,
  options: BundleOptions = {},
): Promise<string> {
  const { experimentalDecorators = false, nodeModules = false, lock } = options;
  const outfile = join(folder, "bundle.mjs");
  const graph = await readGraph(entry, lock);
  const nodePath = await linkPackages(graph, join(folder, "packages"));
  const esbuild: Esbuild = await import(ESBUILD);
  try {
    await esbuild.build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      nodePaths: [nodePath],
      plugins: [resolveAsDeno(graph, nodeModules)],
      tsconfigRaw: { compilerOptions: { experimentalDecorators } },
      logLevel: "warning",
    });
  } finally {
    await esbuild.stop();
  }
  return outfile;
}

async function readGraph(entry: string, lock: string | undefined): Promise<ModuleGraph> {
  const flags = [`--config=${join(ROOT, "deno.json")}`]; // for entries that lie elsewhere
  if (lock !== undefined) flags.push(`--lock=${lock}`);
  const { success, stdout, stderr } = await runDeno(["info", "--json", ...flags, entry]);
  if (!success) throw new Error(`Cannot read the imports of ${entry}: ${stderr}`);
  return JSON.parse(stdout) as ModuleGraph;
}

/**
 * Links the npm packages of a module's graph, as Deno resolved them, where esbuild looks for packages. The project may have
 * another version of one.
 */
async function linkPackages(
  { modules, npmPackages = {} }: ModuleGraph,
  folder: string,
): Promise<string> {
  await Deno.mkdir(folder);
  const keys = new Set(modules.flatMap(({ npmPackage = [] }) => npmPackage));
  for (const key of keys) { // A Set's loop visits what is added on the way
    const { name, localPath, dependencies } = npmPackages[key] as NpmPackage;
    dependencies.forEach((dependency) => keys.add(dependency));
    const link = join(folder, name);
    await Deno.mkdir(dirname(link), { recursive: true });
    await Deno.symlink(localPath, link);
  }
  return folder;
}

/** Resolves what only Deno does: names that lead to a module of the workspace, and `npm:`. */
function resolveAsDeno({ modules }: ModuleGraph, nodeModules: boolean): EsbuildPlugin {
  const workspace = new Map<string, string>();
  for (const { specifier, code } of modules.flatMap(({ dependencies = [] }) => dependencies)) {
    const target = code?.specifier ?? "";
    if (!specifier.startsWith(".") && target.startsWith("file:")) {
      workspace.set(specifier, fromFileUrl(target));
    }
  }
  return {
    name: "resolve-as-deno",
    setup(build) {
      if (nodeModules) {
        build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, external: true }));
      }
      build.onResolve({ filter: /^npm:/ }, ({ path, kind }) => {
        const plain = path.replace(/^npm:\/?((?:@[^/]+\/)?[^@/]+)(?:@[^/]+)?/, "$1");
        return build.resolve(plain, { kind, resolveDir: ROOT });
      });
      build.onResolve({ filter: /^@/ }, ({ path }) => {
        const found = workspace.get(path);
        return found === undefined ? undefined : { path: found };
      });
    },
  };
}
