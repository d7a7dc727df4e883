/**
 * The functions of `@std` that the package uses, as modules of its own: `@std` is not on npm, and its names on JSR's
 * registry (`@jsr/std__path`) are found by nobody who has not configured that registry.
 *
 * @module
 */

import { join } from "@std/path";
import { bundle } from "../tests/runtimes/bundle.ts";
import type { TarFile } from "./_tar.ts";

/** Folder of the package that these modules are in. */
const FOLDER = "_std";

/** What the licence asks of copies. */
const NOTICE =
  "// Copyright 2018-2026 the Deno authors. MIT license: see LICENSE in this folder.\n";
const LICENCE = `MIT License

Copyright 2018-2026 the Deno authors.

`;

/** The path of the module that stands for a name such as `@std/path`; none for other names. */
export function stdPath(specifier: string): string | undefined {
  const [, name] = /^@std\/(\w+)$/.exec(specifier) ?? [];
  return name === undefined ? undefined : `${FOLDER}/${name}.js`;
}

/**
 * Makes a module for each package of `@std`, of no more than the imported functions and what they use.
 *
 * @param imports Packages, with the names that are imported of each.
 * @param licence Text of the package's own licence, which is the same one.
 */
export async function bundleStd(
  imports: ReadonlyMap<string, ReadonlySet<string>>,
  licence: string,
): Promise<TarFile[]> {
  const temporary = await Deno.makeTempDir({ prefix: "gatehouse_std_" });
  const encoder = new TextEncoder();
  const files: TarFile[] = [];
  try {
    for (const [specifier, names] of imports) {
      const path = stdPath(specifier) ?? specifier;
      const folder = join(temporary, path);
      await Deno.mkdir(folder, { recursive: true });
      const entry = join(folder, "entry.ts");
      const list = [...names].sort().join(", ");
      await Deno.writeTextFile(entry, `export { ${list} } from ${JSON.stringify(specifier)};\n`);
      const text = await Deno.readTextFile(await bundle(entry, folder, { nodeModules: true }));
      files.push({ path, bytes: encoder.encode(NOTICE + withoutPlaces(text)) });
    }
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
  const terms = LICENCE + licence.slice(licence.indexOf("Permission is hereby granted"));
  return [...files, { path: `${FOLDER}/LICENSE`, bytes: encoder.encode(terms) }];
}

/** The bundler says in comments which file is from where: folders of this machine. */
function withoutPlaces(text: string): string {
  return text.replace(/^\/\/ \S+\.[jt]s$\n/gm, "");
}
