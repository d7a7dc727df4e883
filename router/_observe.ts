/**
 * What a request came to, for `onRequest`. Nothing is kept until a router has the option.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import type { Run } from "./_pipeline.ts";
import { andThen, attempt, type MaybePromise } from "./_promise.ts";
import type { RequestEvent } from "./handler.ts";
import { isProblemError } from "./problem.ts";

/** What the routers that a request goes through know of it, the innermost first. */
interface Outcome {
  route: string;
  sub: string | undefined;
  error: unknown;
}

/** A request that a router observes. */
export interface Observation {
  readonly outcome: Outcome;
  readonly onRequest: (event: RequestEvent) => void;
  /** In milliseconds. */
  readonly startedAt: number;
}

/** By the request that the client sent, so that an event names the route of a mounted router. */
let outcomes: WeakMap<Request, Outcome> | undefined;

/** Whether any router observes requests. */
export function isObserving(): boolean {
  return outcomes !== undefined;
}

/** Starts to observe a request. */
export function startObservation(
  { original }: RequestContext,
  onRequest: (event: RequestEvent) => void,
): Observation {
  outcomes ??= new WeakMap();
  const outcome = outcomes.get(original) ?? { route: "", sub: undefined, error: undefined };
  outcomes.set(original, outcome);
  return { outcome, onRequest, startedAt: performance.now() };
}

/** Notes the error that a response is made of. */
export function noteError(error: unknown, { original }: RequestContext): void {
  const outcome = outcomes?.get(original);
  if (outcome !== undefined) outcome.error = error;
}

/** Adds what this router knows, and calls its hook once there is a response. */
export function observe(
  response: MaybePromise<Response>,
  run: Run,
  observation: Observation | undefined,
  report: (error: unknown, ctx: RequestContext) => void,
): MaybePromise<Response> {
  return andThen(response, (settled) => {
    const { ctx, match, nextMatch } = run;
    const { method, path, raw, original, route, principal } = ctx;
    const outcome = observation?.outcome ?? outcomes?.get(original);
    if (outcome === undefined) return settled; // no router around this one observes
    const isInner = outcome.route !== "" && match[0][nextMatch - 1]?.[0].value.mounted;
    outcome.route = isInner ? route.slice(0, -"/*".length) + outcome.route : route;
    outcome.sub ??= (principal as { readonly sub?: string } | undefined)?.sub;
    if (raw === original) outcomes?.delete(raw);
    if (observation !== undefined) {
      const { onRequest, startedAt } = observation;
      const { status } = settled;
      const code = codeOf(outcome.error, status);
      const durationMs = performance.now() - startedAt;
      const event: RequestEvent = { ...outcome, method, path, status, durationMs, code, req: ctx };
      // A hook that throws or rejects must not change the response.
      void attempt<unknown>(() => onRequest(event), (error) => report(error, ctx));
    }
    return settled;
  });
}

/** The code that the client got. Hooks and middleware may have answered in another way. */
function codeOf(error: unknown, status: number): string | undefined {
  if (isProblemError(error)) return error.status === status ? error.code : undefined;
  return error !== undefined && status === 500 ? "internal_error" : undefined;
}
