/**
 * The one place of this folder that writes to the console.
 *
 * @module
 */

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
