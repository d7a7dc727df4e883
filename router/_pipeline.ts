/**
 * How a request runs through steps. It stays synchronous until a step returns a promise.
 *
 * @module
 */

import type { Exchange } from "./_exchange.ts";
import { andThen, isPromise, type MaybePromise } from "./_promise.ts";
import { compileRoute } from "./_route.ts";
import type { Step } from "./_step.ts";
import { HttpError } from "./problem.ts";
import { discardBody, isResponse } from "./response.ts";
import type { Next } from "./types.ts";
import type { Wrapper } from "./wrap.ts";

/** What the router does where the steps end, and where one of them throws. */
export interface Outcomes {
  /** Answers when no match did. */
  unanswered(x: Exchange): Response;
  /** Answers for a thrown value. */
  recover(error: unknown, x: Exchange, args: unknown[]): MaybePromise<Response>;
}

/** Runs the steps that every request passes, then its matches. Whatever is thrown comes back as a response. */
export function runAll(
  steps: readonly Step[],
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): MaybePromise<Response> {
  return settledSteps(steps, 0, 0, x, args, out);
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
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): MaybePromise<Response> {
  for (let i = from; i < steps.length; i++) {
    const step = steps[i] as Step;
    if (step.covers !== undefined && !step.covers(x.path)) continue;
    if (step.around) return runAround(step.run, steps, i + 1, following, x, args, out);
    const result = step.run(x, args);
    if (result === undefined) continue;
    if (isPromise(result)) return runLater(result, steps, i + 1, following, x, args, out);
    return checkedResponse(result);
  }
  return runMatch(following, x, args, out);
}

/** Goes on when a step's promise is settled. */
function runLater(
  result: PromiseLike<unknown>,
  steps: readonly Step[],
  from: number,
  following: number,
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): MaybePromise<Response> {
  return andThen(
    result,
    (late) =>
      late === undefined ? runSteps(steps, from, following, x, args, out) : checkedResponse(late),
  );
}

/** Runs a wrapper around what follows it. Where it fails, what it had in hand is closed. */
function runAround(
  wrapper: Wrapper<unknown[]>,
  steps: readonly Step[],
  from: number,
  following: number,
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): MaybePromise<Response> {
  let behind: MaybePromise<Response> | undefined;
  const next: Next = () => {
    if (behind !== undefined) throw new TypeError("Cannot go on: next() was called before");
    return behind = settledSteps(steps, from, following, x, args, out);
  };
  const failed = (error: unknown): never => {
    if (behind !== undefined) void andThen(behind, discardBody);
    throw error;
  };
  try {
    const result = wrapper(x, next, ...args);
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
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): MaybePromise<Response> {
  const entry = x.match[0][index];
  if (entry === undefined) return out.unanswered(x);
  const route = entry[0].value;
  x.enter(index);
  if (x.target.bad && !route.mounted) {
    throw new HttpError(400, "invalid_target", { detail: "The request target is malformed" });
  }
  return runSteps(route.steps ??= compileRoute(route), 0, index + 1, x, args, out);
}

/** Runs steps; an error comes back as its response. */
function settledSteps(
  steps: readonly Step[],
  from: number,
  following: number,
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): MaybePromise<Response> {
  try {
    const result = runSteps(steps, from, following, x, args, out);
    return isPromise(result) ? recoverLater(result, x, args, out) : result;
  } catch (error) {
    return out.recover(error, x, args);
  }
}

function recoverLater(
  result: PromiseLike<Response>,
  x: Exchange,
  args: unknown[],
  out: Outcomes,
): Promise<Response> {
  return Promise.resolve(result).catch((error) => out.recover(error, x, args));
}

/** Refuses what a handler without types may have returned. */
export function checkedResponse(value: unknown): Response {
  if (isResponse(value)) return value;
  throw new TypeError(
    `Cannot answer: a handler or middleware returned ${value === null ? "null" : typeof value}`,
  );
}
