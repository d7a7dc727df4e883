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

/** By options object: an option that applications cannot name. */
const INTERNALS: WeakMap<object, RouterInternals> = /* @__PURE__ */ new WeakMap();

/** Adds an entry's parts to options. They are not copied: a spread would lose what they inherit, a guard in `before` too. */
export function withInternals<Options>(options: Options, internals: RouterInternals): Options {
  if (typeof options === "object" && options !== null) INTERNALS.set(options, internals);
  return options; // what is not an object, too, for the callee to reject
}

/** The parts that were added to options. */
export function internalsOf(options: object): RouterInternals {
  return INTERNALS.get(options) ?? {};
}
