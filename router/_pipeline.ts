/**
 * Runs a request through its steps and matches, synchronously until a step returns a promise.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import type { Match } from "./_engine.ts";
import { andThen, attempt, isPromise, type MaybePromise } from "./_promise.ts";
import { compileRoute, type Route } from "./_route.ts";
import type { Step } from "./_step.ts";
import type { Next } from "./handler.ts";
import { HttpError } from "./problem.ts";
import { discardBody, isResponse } from "./response.ts";
import type { Wrapper } from "./wrap.ts";

/** The responses of the router itself. */
export interface Fallbacks {
  /** Responds when no match did. */
  notHandled(run: Run): Response;
  /** Responds to a thrown value. */
  handleError(error: unknown, run: Run): MaybePromise<Response>;
}

/** One request in a router, and how far it is. One position is enough: steps run one at a time. */
export interface Run {
  readonly ctx: RequestContext;
  /** Extra arguments of `fetch`. */
  readonly args: unknown[];
  readonly match: Match<Route>;
  readonly fallbacks: Fallbacks;
  /** Steps of the router, then of each match in turn. */
  steps: readonly Step[];
  /** Index of the next step. */
  nextStep: number;
  /** Index of the next match. */
  nextMatch: number;
}

/** Runs what is left of a request. Errors become responses. */
export function settle(run: Run): MaybePromise<Response> {
  try {
    const result = advance(run);
    return isPromise(result) ? settleLater(result, run) : result;
  } catch (error) {
    return run.fallbacks.handleError(error, run);
  }
}

/** Continues after a step that returned a promise. */
async function settleLater(pending: PromiseLike<unknown>, run: Run): Promise<Response> {
  try {
    let result = await pending;
    while (result === undefined) {
      const next = advance(run);
      result = isPromise(next) ? await next : next; // to await a response would only cost a turn
    }
    return checkedResponse(result);
  } catch (error) {
    return run.fallbacks.handleError(error, run);
  }
}

/** Runs steps and matches up to the first one that returns something. */
function advance(run: Run): Response | PromiseLike<unknown> {
  const { ctx, args } = run;
  for (;;) {
    while (run.nextStep < run.steps.length) {
      const step = run.steps[run.nextStep++] as Step;
      if (step.appliesTo !== undefined && !step.appliesTo(ctx.path)) continue;
      if (step.around) return runAround(step.run, run);
      const result = step.run(ctx, args);
      if (result === undefined) continue;
      return isPromise(result) ? result : checkedResponse(result);
    }
    if (!enterMatch(run)) return run.fallbacks.notHandled(run);
  }
}

/** Moves to the steps of the next match. @returns Whether there is one. */
function enterMatch(run: Run): boolean {
  const { ctx, match } = run;
  const index = run.nextMatch++;
  const entry = match[0][index];
  if (entry === undefined) return false;
  const route = entry[0].value;
  ctx.enter(index);
  ctx.namedScope = route.scope;
  if (ctx.target.bad && !route.mounted) {
    throw new HttpError(400, "invalid_target", { detail: "The request target is malformed" });
  }
  run.steps = route.steps ??= compileRoute(route);
  run.nextStep = 0;
  return true;
}

/** Runs a wrapper around what is left. If it fails after `next()`, that response's body is discarded. */
function runAround(wrapper: Wrapper<unknown[]>, run: Run): MaybePromise<Response> {
  let inner: MaybePromise<Response> | undefined;
  const next: Next = () => {
    if (inner !== undefined) throw new TypeError("Cannot continue: next() was called before");
    return inner = settle(run);
  };
  return attempt(() => andThen(wrapper(run.ctx, next, ...run.args), checkedResponse), (error) => {
    if (inner !== undefined) void andThen(inner, discardBody);
    throw error;
  });
}

/** Rejects what an untyped handler may have returned. @throws {TypeError} If it is not a response. */
export function checkedResponse(value: unknown): Response {
  if (isResponse(value)) return value;
  throw new TypeError(
    `Cannot answer: a handler or middleware returned ${value === null ? "null" : typeof value}` +
      ", not a Response; json() makes one",
  );
}
