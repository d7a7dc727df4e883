/**
 * The package as npm has it: JavaScript, declarations and source maps, with Hono as its one dependency.
 *
 * `deno pack` compiles. What it leaves is not installable: names of `@std` are unknown to npm, the stand-ins of `dev/std` are
 * in it, and the source maps have the paths of this machine.
 *
 * @module
 */

import { dirname, join, relative } from "@std/path";
import { bundleStd, stdPath } from "./_npm_std.ts";
import { type ProjectConfig, readConfig, runDeno } from "./_project.ts";
import { splitSourceMap } from "./_source_maps.ts";
import { type FindSpecifiers, loadSpecifiers, renameSpecifiers } from "./_specifiers.ts";
import { readTarball, type TarFile, writeTarball } from "./_tar.ts";

/** What JSR's own npm registry calls the package, `@gatehouse/http` for whoever adds it with `jsr`. */
export const JSR_NAME = "@jsr/gatehouse__http";

const DESCRIPTION =
  "HTTP services in TypeScript: router, OpenAPI, authentication and static assets";
const DEPENDENCIES: readonly string[] = ["hono"];
/** What the command line reads types with, and what a documentation page is shown with, where they are installed. */
const OPTIONAL_PEERS: Readonly<Record<string, string>> = {
  "swagger-ui-dist": "5",
  typescript: ">=5.9 <7",
};
const COMMAND = "openapi/cli/main.js";
const SHEBANG = "#!/usr/bin/env node\n";

const DROPPED_REGEXP = /^(?:package\.json$|dev\/)/;
/** A list of words would be in its map once more, and nobody steps through it. */
const MAX_MAP = 100_000;
const MODULE_REGEXP = /\.(?:js|d\.ts)$/;

/** A package, and the archive of it. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** Sorted by path, without the archive's folder. */
  readonly files: readonly TarFile[];
  readonly tarball: Uint8Array<ArrayBuffer>;
}

/**
 * Makes the package. The same sources make the same bytes.
 *
 * @throws {Error} If it does not compile, or imports what its users do not get.
 */
export async function buildNpmPackage(name: string = JSR_NAME): Promise<NpmPackage> {
  const config = readConfig();
  const [packed, find] = await Promise.all([packModules(), loadSpecifiers()]);
  const files = [
    ...packed.flatMap((file) => compileFile(file, find)),
    ...await bundleStd(stdImports(packed, find), textOf(packed, "LICENSE")),
    { path: "package.json", bytes: encode(JSON.stringify(manifest(name, config), null, 2) + "\n") },
  ].toSorted((a, b) => a.path < b.path ? -1 : 1);
  const strange = findStrangeImports(files, find);
  if (strange.length > 0) throw new Error(`Cannot pack: ${strange.join("; ")}`);
  const tarball = await writeTarball(
    files.map((file) => ({ ...file, path: `package/${file.path}` })),
  );
  return { name, version: config.version, files, tarball };
}

/** What `deno pack` makes of the package's modules and documents. */
async function packModules(): Promise<TarFile[]> {
  const output = await Deno.makeTempFile({ suffix: ".tgz" });
  try {
    const { success, stderr } = await runDeno(["pack", "--allow-dirty", "--output", output]);
    if (!success) throw new Error(`Cannot pack: ${stderr}`);
    const files = await readTarball(await Deno.readFile(output));
    return files
      .map((file) => ({ ...file, path: file.path.replace(/^package\//, "") }))
      .filter(({ path }) => !DROPPED_REGEXP.test(path));
  } finally {
    await Deno.remove(output);
  }
}

/** A module as it is published, and its source map; other files as they are. */
function compileFile(file: TarFile, find: FindSpecifiers): TarFile[] {
  const { path } = file;
  if (!MODULE_REGEXP.test(path)) return [file];
  const first = path === COMMAND ? SHEBANG : "";
  const text = decode(file.bytes);
  const renamed = renameSpecifiers(text, find(path, text), (specifier) => {
    const target = stdPath(specifier);
    return target && relativeSpecifier(path, target);
  });
  const name = path.slice(path.lastIndexOf("/") + 1);
  const { text: code, map } = splitSourceMap(name, first + renamed, first === "" ? 0 : 1);
  const module = { path, bytes: encode(code), executable: path === COMMAND };
  return map === undefined || map.length > MAX_MAP
    ? [module]
    : [module, { path: `${path}.map`, bytes: encode(map) }];
}

function relativeSpecifier(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** The packages of `@std` that modules import, with the imported names. */
function stdImports(
  files: readonly TarFile[],
  find: FindSpecifiers,
): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const { path, bytes } of files.filter(({ path }) => path.endsWith(".js"))) {
    for (const { text, names } of find(path, decode(bytes))) {
      if (stdPath(text) === undefined) continue;
      imports.set(text, new Set([...imports.get(text) ?? [], ...names]));
    }
  }
  return imports;
}

/** One line for each import of what is neither in the package, nor a dependency, nor part of Node. */
export function findStrangeImports(files: readonly TarFile[], find: FindSpecifiers): string[] {
  const paths = new Set(files.map(({ path }) => path));
  const strange: string[] = [];
  for (const { path, bytes } of files.filter(({ path }) => MODULE_REGEXP.test(path))) {
    for (const { text } of find(path, decode(bytes))) {
      const target = join(dirname(path), text);
      const isThere = text.startsWith(".")
        ? paths.has(path.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target)
        : text.startsWith("node:") || DEPENDENCIES.includes(text.split("/")[0] ?? "");
      if (!isThere) strange.push(`${path} imports ${text}`);
    }
  }
  return strange;
}

/** The package's own package.json. */
function manifest(name: string, config: ProjectConfig): Record<string, unknown> {
  return {
    name,
    version: config.version,
    description: DESCRIPTION,
    license: config.license,
    homepage: `https://jsr.io/${config.name}`,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    bin: { gatehouse: `./${COMMAND}` },
    exports: Object.fromEntries(
      Object.entries(config.exports).map(([entry, module]) => {
        const path = module.replace(/\.ts$/, "");
        return [entry, { types: `${path}.d.ts`, default: `${path}.js` }];
      }),
    ),
    dependencies: Object.fromEntries(DEPENDENCIES.map((dependency) => [
      dependency,
      config.imports[dependency]?.replace(/^npm:.*@/, ""),
    ])),
    peerDependencies: OPTIONAL_PEERS,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(OPTIONAL_PEERS).map((peer) => [peer, { optional: true }]),
    ),
  };
}

function textOf(files: readonly TarFile[], path: string): string {
  return decode(files.find((file) => file.path === path)?.bytes ?? new Uint8Array());
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
