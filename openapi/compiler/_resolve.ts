/**
 * Resolves imports: as `deno info` reports them, or through `node_modules` on other runtimes.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import {
  fileNameOf,
  type ModuleGraph,
  type ModuleInfo,
  packageAt,
  type PackageInfo,
  readNpmSpecifier,
} from "./_modules.ts";

/** Virtual folder in which the compiler sees one package at a time. */
const VIRTUAL_FOLDER = "/package";

/** Resolves an import in a file; returns `undefined` if it cannot be resolved or has no types. */
export type Resolve = (name: string, file: string) => ts.ResolvedModuleFull | undefined;

/** Resolves as the compiler does, in `node_modules` and by `paths`. */
export function createNodeResolver(
  compiler: typeof ts,
  options: ts.CompilerOptions,
  host: ts.ModuleResolutionHost,
): Resolve {
  const cache = compiler.createModuleResolutionCache("/", (name) => name, options);
  return (name, file) => {
    const { resolvedModule } = compiler.resolveModuleName(name, file, options, host, cache);
    return resolvedModule?.isExternalLibraryImport === true
      ? withTypes(resolvedModule)
      : resolvedModule;
  };
}

/** Resolves as Deno did. */
export function createDenoResolver(
  compiler: typeof ts,
  options: ts.CompilerOptions,
  host: ts.ModuleResolutionHost,
  graph: ModuleGraph,
): Resolve {
  const inFolders = createNodeResolver(compiler, options, host);
  const imports = new Map<string, ReadonlyMap<string, string>>(
    [...graph.modules.values()].filter(({ kind }) => kind !== "external").map((module) => [
      fileNameOf(module),
      new Map((module.dependencies ?? []).flatMap(({ specifier, type, code }) => {
        const target = type?.specifier ?? code?.specifier;
        return target === undefined ? [] : [[specifier, target]];
      })),
    ]),
  );
  const packageFiles = new Map<string, ts.ResolvedModuleFull | undefined>();

  const moduleAt = (specifier = ""): ModuleInfo | undefined =>
    graph.modules.get(graph.redirects.get(specifier) ?? specifier);

  /** A package, or a path of it, resolved as if it were the only one installed. */
  function packageFile(
    { localPath, name }: PackageInfo,
    path: string,
  ): ts.ResolvedModuleFull | undefined {
    const key = localPath + path;
    if (packageFiles.has(key)) return packageFiles.get(key);
    const folder = `${VIRTUAL_FOLDER}/node_modules/${name}`;
    const real = (file: string): string =>
      file === folder || file.startsWith(folder + "/")
        ? localPath + file.slice(folder.length)
        : file;
    const { resolvedModule } = compiler.resolveModuleName(
      name + path,
      `${VIRTUAL_FOLDER}/index.ts`,
      options,
      {
        ...host,
        fileExists: (file) => host.fileExists(real(file)),
        readFile: (file) => host.readFile(real(file)),
        directoryExists: (file) =>
          folder.startsWith(file) || host.directoryExists?.(real(file)) !== false,
        realpath: (file) => file,
      },
    );
    const typed = withTypes(resolvedModule);
    const found = typed && {
      ...typed,
      resolvedFileName: real(typed.resolvedFileName),
      isExternalLibraryImport: true,
    };
    packageFiles.set(key, found);
    return found;
  }

  function packageOf(specifier: string): ts.ResolvedModuleFull | undefined {
    const target = graph.redirects.get(specifier) ?? specifier;
    const id = graph.modules.get(target)?.npmPackage;
    const [name = "", path = ""] = readNpmSpecifier(target) ?? [];
    const found = id === undefined ? undefined : graph.packages.get(id);
    return found?.name === name ? packageFile(found, path) : undefined;
  }

  /** An import within a package: of its own files, of a dependency, or of the package itself. */
  function inPackage(name: string, file: string): ts.ResolvedModuleFull | undefined {
    if (/^\.{0,2}\//.test(name) || name.startsWith("#")) {
      return compiler.resolveModuleName(name, file, options, host).resolvedModule;
    }
    const [wanted, path] = readNpmSpecifier(`npm:${name}`) ?? ["", ""];
    const homes = packageAt(graph, file);
    const near = homes.flatMap((home) => [
      ...home.dependencies.flatMap((id) => graph.packages.get(id) ?? []),
      home,
    ]);
    const types = `@types/${wanted.replace(/^@/, "").replace("/", "__")}`;
    for (const candidate of [wanted, types]) {
      const found = near.find((one) => one.name === candidate);
      const resolved = found && packageFile(found, path);
      if (resolved !== undefined) return resolved;
    }
    return undefined;
  }

  return (name, file) => {
    const known = imports.get(file);
    const specifier = known?.get(name);
    if (specifier === undefined) {
      return known === undefined ? inPackage(name, file) ?? inFolders(name, file) : undefined;
    }
    if (specifier.startsWith("npm:")) return packageOf(specifier);
    const found = moduleAt(specifier);
    const module = moduleAt(found?.typesDependency?.dependency?.specifier) ?? found;
    if (module === undefined || module.error !== undefined) return undefined;
    if (module.kind === "external") { // in `node_modules`
      return inFolders(readNpmSpecifier(name)?.join("") ?? name, file);
    }
    const resolvedFileName = fileNameOf(module);
    const extension = /(?:\.d)?\.[cm]?[jt]sx?$|\.json$/.exec(resolvedFileName)?.[0];
    return extension === undefined ? undefined : { resolvedFileName, extension };
  };
}

/** A module of a package, if it has types. Types inferred from its JavaScript are not part of its API. */
function withTypes(module: ts.ResolvedModuleFull | undefined): ts.ResolvedModuleFull | undefined {
  return module !== undefined && /^(?:\.d)?\.[cm]?ts$|^\.json$/.test(module.extension)
    ? module
    : undefined;
}
