/**
 * `applyAuthHeaders`: what authentication adds to responses.
 *
 * @module
 */

import { editHeaders } from "../../router/response.ts";
import type { Middleware, ResponseHook, RouteRequest } from "../../router/types.ts";
import { wrap } from "../../router/wrap.ts";
import { cookieName, findState, type RequestState } from "./_request_state.ts";

/**
 * A `finally` hook. It puts the cookies into a response that guards and sign-ins queued for it, errors included, says by
 * `Vary` that it depends on who asks, and by `Cache-Control: no-store` that no cache may keep what is for one client
 * alone, unless the handler says otherwise: one that calls a guarded answer `public` hands it to caches. A response with
 * these cookies is never kept.
 *
 * `withAuthRoutes` and `runtime.integration()` bring it along. Beside `requireAuth()` or `mountAuthRoutes()` alone, give it
 * to the router: `createRouter({ finally: [applyAuthHeaders] })`.
 */
export const applyAuthHeaders: ResponseHook<unknown[]> = (
  response: Response,
  req: RouteRequest,
): Response | undefined => {
  const state = findState(req);
  if (state === undefined) return undefined;
  state.isAnswered = true;
  return sealResponse(response, state);
};

/**
 * The same for what a route answers, before middleware around the guard sees it: a cache there has to know that the answer
 * is for one client alone.
 */
export const finalizeResponse: Middleware<unknown[]> = /* @__PURE__ */ wrap<unknown[]>(
  async (req, next) => finalizeResponseOf(req, await next()),
);

/** The answer of a request, with what is known of the request by now. */
export function finalizeResponseOf(req: RouteRequest, response: Response): Response {
  const state = findState(req);
  return state === undefined ? response : sealResponse(response, state);
}

function sealResponse(response: Response, state: RequestState): Response {
  state.decided = undefined; // whoever sends this request object once more is asked once more
  // What switches protocols has no cache to speak to, and cannot be made anew
  if (response.status === 101) return response;
  if (state.sealed === response) return response;
  const edited = editHeaders(ownResponse(response, state), (headers) => edit(headers, state));
  state.sealed = edited;
  return edited;
}

/** A handler may answer with the same response again and again: one client's cookies must not stay in it. */
function ownResponse(response: Response, { cookies }: RequestState): Response {
  return cookies === undefined ? response : new Response(response.body, response);
}

/** What is not there is appended: to set it costs Deno twice as much. */
function edit(headers: Headers, { cookies, vary, isPrivate }: RequestState): void {
  if (cookies !== undefined) setCookies(headers, cookies);
  else if (isPrivate && !headers.has("Cache-Control")) headers.append("Cache-Control", "no-store");
  addVary(headers, vary);
}

/** They are kept for whoever answers in place of this response: a wrapper, a hook, a router around this one. */
function setCookies(headers: Headers, cookies: ReadonlyMap<string, string>): void {
  headers.set("Cache-Control", "no-store");
  const others = headers.getSetCookie().filter((cookie) => !cookies.has(cookieName(cookie)));
  headers.delete("Set-Cookie");
  for (const cookie of [...others, ...cookies.values()]) headers.append("Set-Cookie", cookie);
}

function addVary(headers: Headers, names: readonly string[]): void {
  if (names.length === 0) return;
  const given = headers.get("Vary");
  if (given === null) return headers.append("Vary", names.join(", "));
  const known = given.split(",").map((name) => name.trim().toLowerCase());
  if (known.includes("*")) return;
  const missing = names.filter((name) => !known.includes(name.toLowerCase()));
  if (missing.length > 0) headers.set("Vary", [given, ...missing].join(", "));
}
