/**
 * How a request runs through steps. It stays synchronous until a step returns a promise.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import { andThen, isPromise, type MaybePromise } from "./_promise.ts";
import { compileRoute } from "./_route.ts";
import type { Step } from "./_step.ts";
import { HttpError } from "./problem.ts";
import { discardBody, isResponse } from "./response.ts";
import type { Next } from "./types.ts";
import type { Wrapper } from "./wrap.ts";

/** What the router does where the steps end, and where one of them throws. */
export interface Fallbacks {
  /** Answers when no match did. */
  notHandled(ctx: RequestContext): Response;
  /** Answers for a thrown value. */
  handleError(error: unknown, ctx: RequestContext, args: unknown[]): MaybePromise<Response>;
}

/** Runs the steps that every request passes, then its matches. Whatever is thrown comes back as a response. */
export function runAll(
  steps: readonly Step[],
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): MaybePromise<Response> {
  return settledSteps(steps, 0, 0, ctx, args, out);
}

/**
 * Runs steps from one of them on. No closure is made in here: it would cost every request, and few need one.
 *
 * @param following Index of the match that follows when every step let the request go on.
 */
function runSteps(
  steps: readonly Step[],
  from: number,
  following: number,
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): MaybePromise<Response> {
  for (let i = from; i < steps.length; i++) {
    const step = steps[i] as Step;
    if (step.appliesTo !== undefined && !step.appliesTo(ctx.path)) continue;
    if (step.around) return runAround(step.run, steps, i + 1, following, ctx, args, out);
    const result = step.run(ctx, args);
    if (result === undefined) continue;
    if (isPromise(result)) return runLater(result, steps, i + 1, following, ctx, args, out);
    return checkedResponse(result);
  }
  return runMatch(following, ctx, args, out);
}

/** Goes on when a step's promise is settled. */
function runLater(
  result: PromiseLike<unknown>,
  steps: readonly Step[],
  from: number,
  following: number,
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): MaybePromise<Response> {
  return andThen(
    result,
    (late) =>
      late === undefined ? runSteps(steps, from, following, ctx, args, out) : checkedResponse(late),
  );
}

/** Runs a wrapper around what follows it. Where it fails, what it had in hand is closed. */
function runAround(
  wrapper: Wrapper<unknown[]>,
  steps: readonly Step[],
  from: number,
  following: number,
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): MaybePromise<Response> {
  let behind: MaybePromise<Response> | undefined;
  const next: Next = () => {
    if (behind !== undefined) throw new TypeError("Cannot go on: next() was called before");
    return behind = settledSteps(steps, from, following, ctx, args, out);
  };
  const failed = (error: unknown): never => {
    if (behind !== undefined) void andThen(behind, discardBody);
    throw error;
  };
  try {
    const result = wrapper(ctx, next, ...args);
    return isPromise(result)
      ? Promise.resolve(result).then(checkedResponse).catch(failed)
      : checkedResponse(result);
  } catch (error) {
    return failed(error);
  }
}

/** Runs the match at an index. */
function runMatch(
  index: number,
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): MaybePromise<Response> {
  const entry = ctx.match[0][index];
  if (entry === undefined) return out.notHandled(ctx);
  const route = entry[0].value;
  ctx.enter(index);
  if (ctx.target.bad && !route.mounted) {
    throw new HttpError(400, "invalid_target", { detail: "The request target is malformed" });
  }
  return runSteps(route.steps ??= compileRoute(route), 0, index + 1, ctx, args, out);
}

/** Runs steps; an error comes back as its response. */
function settledSteps(
  steps: readonly Step[],
  from: number,
  following: number,
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): MaybePromise<Response> {
  try {
    const result = runSteps(steps, from, following, ctx, args, out);
    return isPromise(result) ? recoverLater(result, ctx, args, out) : result;
  } catch (error) {
    return out.handleError(error, ctx, args);
  }
}

function recoverLater(
  result: PromiseLike<Response>,
  ctx: RequestContext,
  args: unknown[],
  out: Fallbacks,
): Promise<Response> {
  return Promise.resolve(result).catch((error) => out.handleError(error, ctx, args));
}

/** Refuses what a handler without types may have returned. */
export function checkedResponse(value: unknown): Response {
  if (isResponse(value)) return value;
  throw new TypeError(
    `Cannot answer: a handler or middleware returned ${value === null ? "null" : typeof value}`,
  );
}
