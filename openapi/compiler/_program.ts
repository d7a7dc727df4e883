/**
 * The TypeScript program that types are read from. Its imports are resolved as the runtime resolves them.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import { readCompilerOptions } from "./_compiler_options.ts";
import {
  fileNameOf,
  findConfig,
  IS_DENO,
  type ModuleGraph,
  packageAt,
  readDataModules,
  readDenoTypes,
  readModuleGraph,
} from "./_modules.ts";
import { createDenoResolver, createNodeResolver } from "./_resolve.ts";
import type { FileOrigin, TypeContext } from "./_type_context.ts";

/** The compiler, as pinned in `deno.json`. */
export const COMPILER = "npm:typescript@6.0.3";
/** Name of the file that declares Deno's global types. */
const DENO_TYPES = "/deno.d.ts";
/** Name of the file that declares the type of text imports. */
const TEXT_TYPES = "/text.d.ts";

/** Packages that declare the global types of runtimes. */
const RUNTIME_TYPES_REGEXP = /[/\\]node_modules[/\\](?:@types[/\\](?:node|bun)|bun-types)[/\\]/;

/** Modules of this package, whose type aliases do not name an application's types. */
const OWN_FOLDERS = ["../", "../../router/", "../../auth/", "../../static/"];

/**
 * Loads the program of a set of files.
 *
 * @param files URLs of the files whose types are read.
 * @param config Deno's configuration file. @default the one of this process, as far as it can be determined
 * @throws {Error} If the compiler is not installed, or the module graph cannot be read.
 */
export async function loadProgram(
  files: readonly string[],
  config: string | undefined = findConfig(),
): Promise<TypeContext> {
  const [compiler, graph, denoTypes] = await Promise.all([
    loadCompiler(),
    IS_DENO ? readModuleGraph(files, config) : undefined,
    IS_DENO ? readDenoTypes() : undefined,
  ]);
  const options = readCompilerOptions(compiler, files[0] ?? "", { config, forDeno: IS_DENO });
  const texts = new Map([
    ...graph === undefined ? [] : await readDataModules(graph),
    ...denoTypes === undefined ? [] : [[DENO_TYPES, denoTypes] as const],
    [TEXT_TYPES, "declare const text: string;\nexport default text;\n"],
  ]);
  const host = createHost(compiler, { options, graph, texts });
  const roots = files.map((file) => fileNameOf({ specifier: file }));
  const program = compiler.createProgram({
    rootNames: denoTypes === undefined ? roots : [DENO_TYPES, ...roots],
    options,
    host,
  });
  const own = OWN_FOLDERS.map((folder) =>
    fileNameOf({ specifier: new URL(folder, import.meta.url).href })
  );
  const originOf = createOrigins(program, graph);
  return {
    ts: compiler,
    checker: program.getTypeChecker(),
    program,
    originOf,
    applicationFiles: program.getSourceFiles().filter((file) =>
      !file.isDeclarationFile && originOf(file) === "module" && !/^\w+:\/\//.test(file.fileName) &&
      !own.some((folder) => file.fileName.startsWith(folder))
    ),
  };
}

/** Determines the origin of files. */
function createOrigins(
  program: ts.Program,
  graph: ModuleGraph | undefined,
): TypeContext["originOf"] {
  const origins = new Map<ts.SourceFile, FileOrigin>();
  const read = (file: ts.SourceFile): FileOrigin => {
    const { fileName } = file;
    if (fileName === DENO_TYPES || program.isSourceFileDefaultLibrary(file)) return "library";
    if (RUNTIME_TYPES_REGEXP.test(fileName)) return "library";
    const isPackage = /[/\\]node_modules[/\\]/.test(fileName) ||
      program.isSourceFileFromExternalLibrary(file) ||
      (graph !== undefined && packageAt(graph, fileName).length > 0);
    return isPackage ? "package" : "module";
  };
  return (file) => {
    const origin = origins.get(file) ?? read(file);
    origins.set(file, origin);
    return origin;
  };
}

/** Loads the compiler, which is installed only if types are read. */
async function loadCompiler(): Promise<typeof ts> {
  const name: string = IS_DENO ? COMPILER : "typescript"; // not a literal, so that bundlers do not include it
  const { default: compiler } = await import(name).catch((cause) => {
    throw new Error(`the compiler, ${COMPILER}, is not installed`, { cause });
  }) as { readonly default: Partial<typeof ts> };
  if (compiler.createProgram === undefined) {
    throw new Error(`the installed compiler is not ${COMPILER}`);
  }
  return compiler as typeof ts;
}

/** What the compiler host is created from. */
interface HostSource {
  readonly options: ts.CompilerOptions;
  readonly graph: ModuleGraph | undefined;
  /** Files that are not on disk. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Parsed files, by path, whatever the options: a process that reads types again parses only what has changed. */
const parsedFiles = new Map<string, ts.SourceFile>();

function createHost(
  compiler: typeof ts,
  { options, graph, texts }: HostSource,
): ts.CompilerHost {
  const standard = compiler.createCompilerHost(options, true);
  const library = standard.getDefaultLibLocation?.() ?? "";
  const locals = new Map<string, string>(
    [...graph?.modules.values() ?? []].flatMap((one) =>
      typeof one.local === "string" ? [[fileNameOf(one), one.local]] : []
    ),
  );
  const read = (name: string): string | undefined =>
    texts.get(name) ?? standard.readFile(locals.get(name) ?? name);
  const resolve = graph === undefined
    ? createNodeResolver(compiler, options, standard)
    : createDenoResolver(compiler, options, standard, graph);
  return {
    ...standard,
    readFile: read,
    fileExists: (name) => texts.has(name) || standard.fileExists(locals.get(name) ?? name),
    getSourceFile: (name, languageVersion) => {
      const text = read(name);
      if (text === undefined) return undefined;
      const known = parsedFiles.get(name);
      if (known?.text === text) return known;
      const isLibrary = name === DENO_TYPES || name.startsWith(library);
      const { ParseAll, ParseNone } = compiler.JSDocParsingMode;
      const settings = typeof languageVersion === "object" ? languageVersion : { languageVersion };
      const file = compiler.createSourceFile(name, text, {
        ...settings,
        jsDocParsingMode: isLibrary ? ParseNone : ParseAll,
      });
      parsedFiles.set(name, file);
      return file;
    },
    resolveModuleNameLiterals: (literals, file) =>
      literals.map((literal) => {
        const resolvedModule = isTextImport(compiler, literal)
          ? { resolvedFileName: TEXT_TYPES, extension: compiler.Extension.Dts }
          : resolve(literal.text, file);
        return { resolvedModule };
      }),
  };
}

/** Whether an import has the attribute `type: "text"`. */
function isTextImport(compiler: typeof ts, { parent }: ts.StringLiteralLike): boolean {
  const { attributes } = parent as Partial<ts.ImportDeclaration>;
  return attributes?.elements.some(({ name, value }) =>
    name.text === "type" && compiler.isStringLiteral(value) && value.text === "text"
  ) ?? false;
}
