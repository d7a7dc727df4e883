/**
 * The compiler options of an application, as far as they affect its types.
 *
 * @module
 */

import { parse as parseJsonc } from "@std/jsonc";
import { dirname, fromFileUrl, join } from "@std/path";
import { readFileSync } from "node:fs";
import type * as ts from "./_compiler.ts";
import { isObject } from "../_json_schema.ts";
import { CONFIG_FILES } from "./_modules.ts";

/** Libraries that Deno includes. */
const DENO_LIBRARY_REGEXP = /^deno\./;

/**
 * Reads the compiler options of the nearest `deno.json` that has some, or of `tsconfig.json` on other runtimes.
 *
 * @param file URL of a file of the application.
 * @throws {Error} If they cannot be read, or disable `strictNullChecks`: types then do not tell what is optional.
 */
export function readCompilerOptions(
  compiler: typeof ts,
  file: string,
  { config, forDeno }: { readonly config: string | undefined; readonly forDeno: boolean },
): ts.CompilerOptions {
  const { strictNullChecks, strict = true, ...stated } = forDeno
    ? denoOptions(compiler, config)
    : nodeOptions(compiler, dirname(fromFileUrl(file)));
  if (!(strictNullChecks ?? strict)) {
    throw new Error(
      "compilerOptions must not disable strictNullChecks, because optional types would be unknown",
    );
  }
  return {
    lib: ["lib.esnext.d.ts", ...(forDeno ? [] : ["lib.dom.d.ts", "lib.dom.iterable.d.ts"])],
    jsx: compiler.JsxEmit.Preserve,
    ...stated,
    strict,
    strictNullChecks: true,
    target: compiler.ScriptTarget.ESNext,
    module: compiler.ModuleKind.ESNext,
    moduleResolution: compiler.ModuleResolutionKind.Bundler,
    moduleDetection: compiler.ModuleDetectionKind.Force,
    allowImportingTsExtensions: true,
    allowJs: true,
    resolveJsonModule: true,
    skipLibCheck: true,
    noEmit: true,
  };
}

/** The compiler options of a configuration, or of the nearest parent that has some. */
function denoOptions(compiler: typeof ts, path: string | undefined): ts.CompilerOptions {
  if (path === undefined) return { types: [] };
  for (let folder = dirname(path);; folder = dirname(folder)) {
    for (const file of new Set([path, ...CONFIG_FILES.map((name) => join(folder, name))])) {
      const config = configAt(file);
      if (!isObject(config) || !isObject(config.compilerOptions)) continue;
      const { lib = [], types = [], ...given } = config.compilerOptions;
      const libraries = stringsIn(lib).filter((one) => !DENO_LIBRARY_REGEXP.test(one));
      const options = { ...given, ...(libraries.length === 0 ? {} : { lib: libraries }) };
      return {
        ...compiler.convertCompilerOptionsFromJson(options, folder).options,
        types: stringsIn(types).filter((one) => /^\.{0,2}\//.test(one)).map((one) =>
          join(folder, one)
        ),
      };
    }
    if (folder === dirname(folder)) return { types: [] };
  }
}

function nodeOptions(compiler: typeof ts, folder: string): ts.CompilerOptions {
  const path = compiler.findConfigFile(folder, compiler.sys.fileExists);
  if (path === undefined) return {};
  const { config, error } = compiler.readConfigFile(path, compiler.sys.readFile);
  if (error !== undefined) {
    throw new Error(compiler.flattenDiagnosticMessageText(error.messageText, " "));
  }
  const { options } = compiler.parseJsonConfigFileContent(config, compiler.sys, dirname(path));
  return options;
}

function stringsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** A configuration file; `undefined` if Deno could not have read it. */
function configAt(path: string): unknown {
  try {
    return parseJsonc(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
