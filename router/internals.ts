/**
 * What an entry of the package adds to the routers it creates, so that the router itself imports none of it.
 *
 * @module
 */

import type { FileAccess } from "../static/types.ts";
import type { OpenApiDocument, OpenApiInfo } from "./openapi_types.ts";
import type { RouteSource } from "./types.ts";

/** The parts that differ between entries. */
export interface RouterInternals {
  /** Writes the OpenAPI document. */
  readonly generateOpenAPI?: (info: OpenApiInfo, source: RouteSource) => OpenApiDocument;
  /** Reads the file system. */
  readonly files?: FileAccess;
}

/** Key of an option that applications cannot name. Copies of an options object carry it along. */
const INTERNALS: unique symbol = Symbol("gatehouse.routerInternals");

/** A copy of options with an entry's parts. What is not an object is returned as it is, for the callee to reject. */
export function withInternals<Options>(options: Options, internals: RouterInternals): Options {
  return typeof options === "object" ? { ...options, [INTERNALS]: internals } : options;
}

/** The parts that options carry. */
export function internalsOf(options: object): RouterInternals {
  return (options as { readonly [INTERNALS]?: RouterInternals })[INTERNALS] ?? {};
}
