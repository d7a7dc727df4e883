/**
 * `applyAuthHeaders`: header fields that authentication adds to responses.
 *
 * @module
 */

import { callLast } from "../../router/original_request.ts";
import { editHeaders } from "../../router/response.ts";
import type { Middleware, ResponseHook, RouteRequest } from "../../router/types.ts";
import { wrap } from "../../router/wrap.ts";
import { cookieName, findState, type RequestState } from "./_request_state.ts";

/**
 * A `finally` hook. It adds the cookies that guards and sign-ins queued to the response, errors included, lists the fields of
 * credentials in `Vary`, and sets `Cache-Control: no-store` on responses for one client, unless the handler set
 * `Cache-Control` itself: a handler that calls a guarded response `public` allows caches to store it. A response with these
 * cookies and a refusal of a guard are always `no-store`.
 *
 * `withAuthRoutes` and `runtime.integration()` include it. With `requireAuth()` or `mountAuthRoutes()` alone, pass it to
 * the router: `createRouter({ finally: [applyAuthHeaders] })`.
 */
export const applyAuthHeaders: ResponseHook<unknown[]> = (
  response: Response,
  req: RouteRequest,
): Response | undefined => {
  const state = findState(req);
  if (state === undefined) return undefined;
  state.isAnswered = true;
  callLast(applyAuthHeaders, req);
  return applyState(response, state);
};

/** The same for a route's response, before middleware around the guard sees it: a cache there must not store it. */
export const finalizeResponse: Middleware<unknown[]> = /* @__PURE__ */ wrap<unknown[]>(
  async (req, next) => finalizeResponseOf(req, await next()),
);

/** Applies the current state of a request to its response. */
export function finalizeResponseOf(req: RouteRequest, response: Response): Response {
  const state = findState(req);
  return state === undefined ? response : applyState(response, state);
}

/** Idempotent: it runs inside and outside other middleware, which may replace the response or overwrite fields. */
function applyState(response: Response, state: RequestState): Response {
  for (const identity of state.identities) identity.decided = undefined; // the same request object may be sent again
  if (response.status === 101) return response; // it has no cache to reach, and cannot be copied
  const { cookies, vary, isPrivate, isRefused } = state;
  if (cookies !== undefined) return applyCookies(response, cookies, vary);
  return editHeaders(response, (headers) => {
    // append() of a missing field: set() costs Deno twice as much
    if (!headers.has("Cache-Control")) {
      if (isPrivate || isRefused) headers.append("Cache-Control", "no-store");
    } else if (isRefused) headers.set("Cache-Control", "no-store");
    mergeVary(headers, vary);
  });
}

/**
 * A handler may return the same response repeatedly, so it is copied: one client's cookies must not stay in it. The queue is
 * kept for whatever replaces this response.
 */
function applyCookies(
  response: Response,
  cookies: ReadonlyMap<string, string>,
  vary: readonly string[],
): Response {
  const present = response.headers.getSetCookie();
  const others = present.filter((cookie) => !cookies.has(cookieName(cookie)));
  const wanted = [...others, ...cookies.values()];
  const isApplied = wanted.length === present.length &&
    wanted.every((cookie, index) => cookie === present[index]);
  const own = isApplied ? response : new Response(response.body, response);
  return editHeaders(own, (headers) => {
    headers.set("Cache-Control", "no-store");
    if (!isApplied) headers.delete("Set-Cookie");
    if (!isApplied) wanted.forEach((cookie) => headers.append("Set-Cookie", cookie));
    mergeVary(headers, vary);
  });
}

function mergeVary(headers: Headers, names: readonly string[]): void {
  if (names.length === 0) return;
  const given = headers.get("Vary");
  if (given === null) return headers.append("Vary", names.join(", "));
  const known = given.split(",").map((name) => name.trim().toLowerCase());
  if (known.includes("*")) return;
  const missing = names.filter((name) => !known.includes(name.toLowerCase()));
  if (missing.length > 0) headers.set("Vary", [given, ...missing].join(", "));
}
