/** The part of `@std/jsonc` that native modules use, with its signatures. */

export function parse(text: string): unknown;
