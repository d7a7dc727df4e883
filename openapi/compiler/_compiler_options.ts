/**
 * The options that an application is checked with, as far as they change what its types are.
 *
 * @module
 */

import { parse as parseJsonc } from "@std/jsonc";
import { dirname, fromFileUrl, join } from "@std/path";
import { readFileSync } from "node:fs";
import type ts from "typescript";
import { isObject } from "../_json_schema.ts";
import { CONFIG_FILES } from "./_modules.ts";

/** Libraries that Deno brings along. */
const DENO_LIBRARY_REGEXP = /^deno\./;

/**
 * Reads the compiler options of the nearest `deno.json` that has some, or of `tsconfig.json` elsewhere.
 *
 * @param file URL of a file of the application.
 * @throws {Error} If they cannot be read, or switch `strictNullChecks` off: then types do not say what is optional.
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
      "its compilerOptions switch strictNullChecks off, so that types do not say what is optional",
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

/** The compiler options of a configuration, or of the nearest one around it that has some. */
function denoOptions(compiler: typeof ts, path: string | undefined): ts.CompilerOptions {
  if (path === undefined) return { types: [] };
  for (let folder = dirname(path);; folder = dirname(folder)) {
    for (const file of new Set([path, ...CONFIG_FILES.map((name) => join(folder, name))])) {
      const config = configAt(file);
      if (!isObject(config) || !isObject(config.compilerOptions)) continue;
      const { lib = [], types = [], ...given } = config.compilerOptions;
      const libraries = textsIn(lib).filter((one) => !DENO_LIBRARY_REGEXP.test(one));
      const options = { ...given, ...(libraries.length === 0 ? {} : { lib: libraries }) };
      return {
        ...compiler.convertCompilerOptionsFromJson(options, folder).options,
        types: textsIn(types).filter((one) => /^\.{0,2}\//.test(one)).map((one) =>
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

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** A configuration; `undefined` if there is none that Deno could have read. */
function configAt(path: string): unknown {
  try {
    return parseJsonc(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
