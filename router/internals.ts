/**
 * What the native entry adds to the routers it creates, so that the router itself imports none of it.
 *
 * @module
 */

import type { FileAccess } from "../static/types.ts";

/** Key of an option that applications cannot name. Copies of an options object carry it along. */
const FILES: unique symbol = Symbol("gatehouse.files");

/** A copy of options with access to files. What is not an object is returned as it is, for the callee to reject. */
export function withFiles<Options>(options: Options, files: FileAccess): Options {
  return typeof options === "object" ? { ...options, [FILES]: files } : options;
}

/** The access to files that options carry. */
export function filesOf(options: object): FileAccess | undefined {
  return (options as { readonly [FILES]?: FileAccess })[FILES];
}
