/**
 * What native entries add to routers, so that the router itself imports none of it.
 *
 * @module
 */

import type { FileAccess } from "../static/types.ts";

/** By options object: an option that applications cannot name. */
const FILES: WeakMap<object, FileAccess> = /* @__PURE__ */ new WeakMap();

/** Adds access to files to options. They are not copied: a spread would lose what they inherit, such as `withAuth`. */
export function withFiles<Options>(options: Options, files: FileAccess | undefined): Options {
  if (files !== undefined && typeof options === "object" && options !== null) {
    FILES.set(options, files);
  }
  return options; // what is not an object, too, for the callee to reject
}

/** The access to files that was added to options. */
export function filesOf(options: object): FileAccess | undefined {
  return FILES.get(options);
}

/** Creates a response with a text, or with bytes that nobody changes; its type counts unless there is one in `init`. */
export type ResponseCreator = (
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  init?: ResponseInit,
) => Response;

/** What a server does in place of the platform, where that is slow: see `serve/native_node.ts`. */
export const HOST: {
  createResponse?: ResponseCreator;
  /** Reads the body of a request that the server has made; `undefined` for others, and if its stream was given away. */
  readBytes?: (request: Request) => Promise<Uint8Array<ArrayBuffer>> | undefined;
} = {};
