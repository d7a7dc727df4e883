/**
 * Makes one script of the cases and everything they import, in one of the two modes of decorators. No runtime has
 * decorators of its own yet, so that esbuild compiles both.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { runDeno } from "../../dev/_project.ts";
import { ESBUILD } from "./versions.ts";

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
    tsconfigRaw: { compilerOptions: { experimentalDecorators: boolean } };
    logLevel: "warning";
  }): Promise<unknown>;
  stop(): Promise<void>;
}

/** Options of {@linkcode bundle}. */
export interface BundleOptions {
  /** Compile legacy decorators, not standard ones. @default {false} */
  readonly experimentalDecorators?: boolean;
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
  const { experimentalDecorators = false } = options;
  const outfile = join(folder, "bundle.mjs");
  const nodePath = await linkPackages(entry, join(folder, "packages"));
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
      tsconfigRaw: { compilerOptions: { experimentalDecorators } },
      logLevel: "warning",
    });
  } finally {
    await esbuild.stop();
  }
  return outfile;
}

/**
 * Links the npm packages of a module's graph, as Deno resolved them, where esbuild looks for
 * packages.
 */
async function linkPackages(entry: string, folder: string): Promise<string> {
  const { success, stdout, stderr } = await runDeno(["info", "--json", entry]);
  if (!success) throw new Error(`Cannot read the imports of ${entry}: ${stderr}`);
  const { npmPackages = {} } = JSON.parse(stdout) as {
    npmPackages?: Record<string, { name: string; localPath: string }>;
  };
  await Deno.mkdir(folder);
  for (const { name, localPath } of Object.values(npmPackages)) {
    const link = join(folder, name);
    await Deno.mkdir(dirname(link), { recursive: true });
    await Deno.symlink(localPath, link);
  }
  return folder;
}
