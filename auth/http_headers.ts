/**
 * `applyAuthHeaders`: what authentication adds to responses.
 *
 * @module
 */

import { editHeaders } from "../router/response.ts";
import type { ResponseHook, RouteRequest } from "../router/types.ts";
import { findState, type RequestState } from "./_http_state.ts";

/**
 * A `finally` hook. It puts the cookies into a response that guards and sign-ins queued for it, errors included, says by
 * `Vary` that it depends on who asks, and by `Cache-Control: no-store` that no cache may keep what is for one client
 * alone, unless the handler says otherwise. A response with these cookies is never kept.
 *
 * `withAuthRoutes`, `runtime.integration()` and `mountAuthRoutes` bring it along. Beside `requireAuth()` alone, give it
 * to the router: `createRouter({ finally: [applyAuthHeaders] })`.
 */
export const applyAuthHeaders: ResponseHook<unknown[]> = (
  response: Response,
  req: RouteRequest,
): Response | undefined => {
  const state = findState(req);
  // What switches protocols has no cache to speak to, and cannot be made anew
  if (state === undefined || response.status === 101) return undefined;
  return editHeaders(response, (headers) => edit(headers, state));
};

function edit(headers: Headers, { cookies, vary, isPrivate }: RequestState): void {
  if (cookies.size > 0 || (isPrivate && !headers.has("Cache-Control"))) {
    headers.set("Cache-Control", "no-store");
  }
  for (const cookie of cookies.values()) headers.append("Set-Cookie", cookie);
  cookies.clear(); // where several routers of one request have the hook, the first sets them
  addVary(headers, vary);
}

function addVary(headers: Headers, names: ReadonlySet<string>): void {
  if (names.size === 0) return;
  const given = headers.get("Vary");
  if (given === null) return headers.set("Vary", [...names].join(", "));
  const known = given.split(",").map((name) => name.trim().toLowerCase());
  if (known.includes("*")) return;
  const missing = [...names].filter((name) => !known.includes(name.toLowerCase()));
  if (missing.length > 0) headers.set("Vary", [given, ...missing].join(", "));
}
