/**
 * Steps: the units that a request passes through in order, synchronously until one of them returns a promise.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import type { Middleware } from "./handler.ts";
import { type Wrapper, wrapperOf } from "./wrap.ts";

/**
 * One step: it returns a response, or `undefined` to let the request continue. All steps have the same properties, so
 * that the loop over them stays monomorphic.
 */
export type Step =
  & {
    readonly appliesTo: PathTest | undefined;
    /** Whether it only decides about access, so that it can run again while a connection stays open. */
    readonly guards: true | undefined;
  }
  & (
    | { readonly around: false; readonly run: (ctx: RequestContext, args: unknown[]) => unknown }
    | { readonly around: true; readonly run: Wrapper<unknown[]> }
  );

/** Whether a step applies to a path. */
export type PathTest = (path: string) => boolean;

/** Creates the step of a middleware, limited to the paths that pass the test. */
export function middlewareStep(middleware: Middleware<unknown[]>, appliesTo?: PathTest): Step {
  if (typeof middleware !== "function") {
    throw new TypeError("Cannot add middleware: it is not a function");
  }
  const wrapper = wrapperOf(middleware);
  const { guards } = middleware as { readonly guards?: true };
  if (wrapper !== undefined) return { appliesTo, guards, around: true, run: wrapper };
  return {
    appliesTo,
    guards,
    around: false,
    run: (ctx, args) => args.length === 0 ? middleware(ctx) : middleware(ctx, ...args),
  };
}
