/**
 * What operators learn of requests: `onRequest`, of which nothing is kept until a router has it, and what is written to the
 * console, in this folder only here.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import type { Run } from "./_pipeline.ts";
import { andThen, attempt, type MaybePromise } from "./_promise.ts";
import type { RequestEvent } from "./handler.ts";
import { isProblemError } from "./problem.ts";
import type { RouteRequest } from "./request.ts";

/** Default of `onError`: logs the error and the route, but not the path, which may contain a secret. */
export function reportError(error: unknown, req: Pick<RouteRequest, "method" | "route">): void {
  // deno-lint-ignore no-console -- the default of `onError`
  console.error(`Cannot answer ${req.method} ${req.route || "(no route)"}:`, error);
}

/**
 * Logs why a request was refused with 401, 403, 415 or 422, for development: one line with the route, the code and the reason.
 * The reason of an authorization manager or a strategy, which the client never sees, is in it; values of the
 * request are not: of an invalid body it names the members.
 *
 * @param event What `onRequest` is called with.
 *
 * @example
 * ```ts no-eval
 * import { createRouter, logDenials } from "@gatehouse/http";
 *
 * const isDevelopment = Deno.env.get("NODE_ENV") === "development";
 * const router = createRouter({ onRequest: isDevelopment ? logDenials : undefined });
 * // Denied POST /notes: 422 validation_failed (body /title, body /tags/0)
 * ```
 */
export function logDenials(event: RequestEvent): void {
  const { error, method, route } = event;
  const { status, code } = isProblemError(error) ? error : event;
  if (!DENIALS.has(status)) return;
  const reason = reasonOf(error);
  const line = `Denied ${method} ${route || "(no route)"}: ${status} ${code ?? "(no code)"}` +
    (reason === undefined ? "" : ` (${reason})`);
  // deno-lint-ignore no-console -- what it is for
  console.warn(line.replace(CONTROLS_REGEXP, " "));
}

/** Statuses that say that the request itself was refused. */
const DENIALS: ReadonlySet<number> = /* @__PURE__ */ new Set([401, 403, 415, 422]);

/** What would begin another line, or move the terminal's cursor. */
// deno-lint-ignore no-control-regex
const CONTROLS_REGEXP = /[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** Messages of violations are left out: validators quote the rejected value in them. */
function reasonOf(error: unknown): string | undefined {
  if (!isProblemError(error)) return undefined;
  const { reason } = error as { readonly reason?: unknown }; // an AuthError's, which is never sent
  if (typeof reason === "string") return reason;
  const { violations, detail } = error.problem ?? {};
  return violations?.map((one) => `${one.in} ${one.pointer || "/"}`).join(", ") ?? detail;
}

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
