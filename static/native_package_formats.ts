/**
 * Formats of packages: JSON, or a module that registers its contents.
 *
 * @module
 */

/** Format of a package. */
export type PackageFormat = "json" | "manifest" | "js" | "ts";

/** One row for each format. */
interface Format {
  /** Default name of the file. */
  readonly file: string;
  /** Whether entries have contents. */
  readonly contents: boolean;
  readonly head: (context: FormatContext) => string;
  readonly tail: (context: FormatContext) => string;
  /** An entry's key in the format's syntax. */
  readonly key: (key: string) => string;
}

/** Values that a format contains. */
export interface FormatContext {
  /** The key that the package is registered under. */
  readonly prefix: string;
  /** Name of the file. */
  readonly name: string;
}

const JSON_FORMAT = {
  head: () => '{\n  "version": 1,\n  "entries": {',
  tail: () => "\n  }\n}\n",
  key: (key: string) => JSON.stringify(key),
} as const;

const NOTE = `// Written by packageStaticAssets(), not by hand
// deno-fmt-ignore-file
// deno-lint-ignore-file
`;

const MODULE_TAIL = ({ prefix }: FormatContext): string =>
  `\n  }\n};\n\nregisterStaticAssets(${JSON.stringify(prefix)}, staticAssets);\n`;

/** In a module, an entry of this name would set the prototype. */
const MODULE_KEY = (key: string): string =>
  key === "__proto__" ? '["__proto__"]' : JSON.stringify(key);

/** The formats. */
export const FORMATS: Readonly<Record<PackageFormat, Format>> = {
  json: { file: "static-assets.json", contents: true, ...JSON_FORMAT },
  manifest: { file: "manifest.json", contents: false, ...JSON_FORMAT },
  js: {
    file: "static-assets.js",
    contents: true,
    head: ({ name }) =>
      `// @ts-self-types="./${asSpecifier(declarationName(name))}"
${NOTE}import { registerStaticAssets } from "@gatehouse/http/static";

export const staticAssets = {
  "version": 1,
  "entries": {`,
    tail: MODULE_TAIL,
    key: MODULE_KEY,
  },
  ts: {
    file: "static-assets.ts",
    contents: true,
    head: () =>
      `${NOTE}import { registerStaticAssets, type StaticAssetPackage } from "@gatehouse/http/static";

export const staticAssets: StaticAssetPackage = {
  "version": 1,
  "entries": {`,
    tail: MODULE_TAIL,
    key: MODULE_KEY,
  },
};

/** A name as the last segment of a specifier in quotes of either kind. */
function asSpecifier(name: string): string {
  return encodeURIComponent(name).replaceAll("'", "%27");
}

/** Declaration file of a JavaScript module. */
export const DECLARATION: string =
  `${NOTE}import type { StaticAssetPackage } from "@gatehouse/http/static";

export declare const staticAssets: StaticAssetPackage;
`;

/** Name of the declaration file of a JavaScript module: `a.d.ts` for `a.js`. */
export function declarationName(name: string): string {
  return name.replace(/\.m?js$/, (ending) => ending === ".mjs" ? ".d.mts" : ".d.ts");
}
