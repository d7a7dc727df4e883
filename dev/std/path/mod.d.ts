/** The part of `@std/path` that tests, scripts and native modules use, with its signatures. */

/** What `parse` returns. */
export interface ParsedPath {
  root: string;
  dir: string;
  base: string;
  ext: string;
  name: string;
}

/** How `globToRegExp` reads a glob. */
export interface GlobOptions {
  extended?: boolean;
  globstar?: boolean;
  caseInsensitive?: boolean;
}

/** The character between a path's parts: `/`, or `\` on Windows. */
export const SEPARATOR: "/" | "\\";

export function basename(path: string | URL, suffix?: string): string;
export function dirname(path: string | URL): string;
export function extname(path: string | URL): string;
export function parse(path: string): ParsedPath;

export function isAbsolute(path: string): boolean;
export function join(path: string | URL, ...paths: string[]): string;
export function normalize(path: string | URL): string;
export function relative(from: string, to: string): string;
export function resolve(...pathSegments: string[]): string;

export function fromFileUrl(url: URL | string): string;
export function toFileUrl(path: string): URL;

export function globToRegExp(glob: string, options?: GlobOptions): RegExp;
