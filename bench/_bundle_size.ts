/**
 * The size of bundles: minified, and packed by gzip.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "../dev/_project.ts";
import { output } from "./_command.ts";

/** Modules of the project by their paths, and what stands in for each. */
export type Stubs = Readonly<Record<string, string>>;

/** The part of esbuild's plugins that is used here. */
interface StubPlugin {
  readonly name: string;
  setup(build: {
    onLoad(
      options: { filter: RegExp },
      load: (args: { path: string }) => { contents: string } | undefined,
    ): void;
  }): void;
}

/** The part of esbuild that is used here. */
export interface Esbuild {
  build(options: {
    stdin: { contents: string; resolveDir: string };
    bundle: true;
    minify: true;
    write: false;
    metafile: true;
    format: "esm";
    platform: "browser";
    target: "es2022";
    nodePaths: string[];
    plugins: StubPlugin[];
    logLevel: "warning";
  }): Promise<{
    outputFiles: readonly { contents: Uint8Array<ArrayBuffer> }[];
    metafile: {
      outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>;
    };
  }>;
  stop(): Promise<void>;
}

/** Size of one bundle. */
export interface Size {
  readonly name: string;
  readonly minified: number;
  readonly gzip: number;
  /** Minified bytes by the file that they come from. */
  readonly parts: readonly (readonly [path: string, bytes: number])[];
}

/** Installs what is compared into a folder of its own, so that our lock file names none. @returns Where the packages are. */
export async function installPeers(
  folder: string,
  versions: Readonly<Record<string, string>>,
): Promise<string> {
  await Deno.writeTextFile(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: versions }),
  );
  const install = ["install", "--node-modules-dir=auto", "--no-lock", "--quiet"];
  await output([Deno.execPath(), ...install], { cwd: folder });
  return join(folder, "node_modules");
}

export async function measureSize(
  esbuild: Esbuild,
  name: string,
  source: string,
  { packages, stubs = {} }: { readonly packages: string; readonly stubs?: Stubs },
): Promise<Size> {
  const { outputFiles: [file], metafile } = await esbuild.build({
    stdin: { contents: source, resolveDir: packages },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    nodePaths: [packages],
    plugins: [stubModules(stubs)],
    logLevel: "warning",
  });
  if (file === undefined) throw new Error(`Cannot bundle ${name}: esbuild wrote nothing`);
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const)
  );
  return { name, minified: file.contents.length, gzip: await gzipSize(file.contents), parts };
}

async function gzipSize(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}

/** Replaces modules, so that the difference is what they add. */
function stubModules(stubs: Stubs): StubPlugin {
  const contents = new Map(Object.entries(stubs).map(([path, text]) => [join(ROOT, path), text]));
  return {
    name: "stub-modules",
    setup(build) {
      build.onLoad({ filter: /./ }, ({ path }) => {
        const stub = contents.get(path);
        return stub === undefined ? undefined : { contents: stub };
      });
    },
  };
}
