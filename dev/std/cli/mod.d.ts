/** The part of `@std/cli` that native modules use, with its signatures. */

/** What `parseArgs` is told of the flags. */
export interface ParseOptions {
  boolean?: readonly string[];
  string?: readonly string[];
  collect?: readonly string[];
  default?: Readonly<Record<string, unknown>>;
  alias?: Readonly<Record<string, string>>;
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** Flags by name, and the rest of the arguments. */
export interface Args {
  [flag: string]: unknown;
  _: (string | number)[];
}

export function parseArgs(args: readonly string[], options?: ParseOptions): Args;
