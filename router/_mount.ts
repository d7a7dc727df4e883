/**
 * Mounts another fetch application under a path.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import { METHODS } from "./_engine.ts";
import { linkRequest, signalOf } from "./original_request.ts";
import { mountRemainder } from "./path.ts";
import type { Pattern } from "./pattern.ts";
import { HttpError } from "./problem.ts";

/** A fetch application, whatever extra arguments it takes. */
export interface AnyApp {
  fetch(request: Request, ...args: unknown[]): unknown;
}

/** Options of {@linkcode createMountHandler}. */
export interface MountHandlerOptions {
  /** Whether the application may see `%2F` and `%5C`. */
  readonly encodedSlashes: boolean;
}

/**
 * Creates the handler of a mount. It answers 404 if the path is malformed, or if the application could see a path or a
 * method that no outer guard saw: a new request removes dot segments and writes `post` as `POST`, and many applications
 * decode slashes.
 */
export function createMountHandler(
  prefix: Pattern,
  app: AnyApp,
  { encodedSlashes }: MountHandlerOptions,
): (ctx: RequestContext, ...args: unknown[]) => unknown {
  const depth = prefix.segments.length;
  return (ctx, ...args) => {
    const rest = ctx.target.bad || isRewritten(ctx.method)
      ? undefined
      : mountRemainder(ctx.url, ctx.target, depth);
    if (rest === undefined || (!encodedSlashes && ENCODED_SLASH_REGEXP.test(rest))) {
      throw new HttpError(404, "not_found");
    }
    // The new request takes over the body; if the application passes, later routes read it from there.
    ctx.source = newRequest(
      ctx.url.slice(0, ctx.target.start) + rest + ctx.url.slice(ctx.target.end),
      ctx.source,
    );
    linkRequest(ctx.source, ctx);
    return app.fetch(ctx.source, ...args);
  };
}

const ENCODED_SLASH_REGEXP = /%(?:2f|5c)/i;

/** Methods that a new request writes in capitals or refuses, Fetch §2.2.1. */
const REWRITTEN_METHOD_REGEXP = /^(?:delete|get|head|options|post|put|connect|trace|track)$/i;

function isRewritten(method: string): boolean {
  return !(METHODS as readonly string[]).includes(method) && REWRITTEN_METHOD_REGEXP.test(method);
}

/** @throws {HttpError} 400 `invalid_target` if the client's `Host` is not valid in a URL: a port above 65,535, for example. */
function newRequest(url: string, source: Request): Request {
  try {
    new URL(url); // not every host can ask without an exception
  } catch {
    throw new HttpError(400, "invalid_target", { detail: "The request target is malformed" });
  }
  return new DerivedRequest(url, source);
}

/** A request for another URL. `new Request(url, source)` would read the signal, see {@linkcode signalOf}. */
class DerivedRequest extends Request {
  constructor(url: string, source: Request) {
    const { method, headers, body, redirect } = source;
    // Node and workerd want `duplex` for streams; `cf` is Cloudflare's data on the client.
    const cf = (source as { readonly cf?: unknown }).cf;
    super(url, { method, headers, body, redirect, duplex: "half", cf } as RequestInit);
  }

  override get signal(): AbortSignal {
    return signalOf(this);
  }

  override clone(): Request {
    const copy = new DerivedRequest(this.url, super.clone());
    linkRequest(copy, this);
    return copy;
  }
}
