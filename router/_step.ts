/**
 * Steps: what a request runs through, one after the other.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import type { Middleware } from "./types.ts";
import { type Wrapper, wrapperOf } from "./wrap.ts";

/**
 * One step: it answers, or lets the request go on by returning `undefined`. Every step has every property, so that the
 * loop which runs them sees one shape.
 */
export type Step =
  & { readonly appliesTo: Covers | undefined }
  & (
    | { readonly around: false; readonly run: (ctx: RequestContext, args: unknown[]) => unknown }
    | { readonly around: true; readonly run: Wrapper<unknown[]> }
  );

/** Whether a step applies to a path. */
export type Covers = (path: string) => boolean;

/** The step of a middleware; `covers` scopes it to paths. */
export function middlewareStep(middleware: Middleware<unknown[]>, covers?: Covers): Step {
  if (typeof middleware !== "function") {
    throw new TypeError("Cannot add middleware: it is not a function");
  }
  const wrapper = wrapperOf(middleware);
  if (wrapper !== undefined) return { appliesTo: covers, around: true, run: wrapper };
  return {
    appliesTo: covers,
    around: false,
    run: (ctx, args) => args.length === 0 ? middleware(ctx) : middleware(ctx, ...args),
  };
}
