/**
 * State of a request that guards, sign-ins and response headers share.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import type { Principal } from "../principal.ts";
import type { AuthStrategy, Decision } from "../strategy.ts";
import type { RequestLike } from "./types.ts";

/** State of one request. */
export interface RequestState {
  /** The authenticated principal. */
  principal: Principal | undefined;
  /** The guard's value of `WWW-Authenticate`. */
  challenge: string | undefined;
  /** Token of the session that was created during the request. */
  createdSession: string | undefined;
  /** Result of a strategy, so that consecutive guards run it once. */
  decided: { readonly strategy: AuthStrategy; readonly decision: Decision } | undefined;
  /** Header fields that the response depends on. */
  vary: readonly string[];
  /** Whether the response is for one client only, so that no cache may store it. */
  isPrivate: boolean;
  /** Whether `applyAuthHeaders` has run. */
  isAnswered: boolean;
  /** Values of `Set-Cookie` for the response by cookie name: RFC 6265bis §4.1.1 wants one each. */
  cookies: Map<string, string> | undefined;
}

/**
 * By original request, which nested routers and other frameworks share. Nothing is written on objects that others
 * created, and an entry is collected with its request.
 */
const STATES: WeakMap<Request, RequestState> = /* @__PURE__ */ new WeakMap();

/** State of a request, if it has one. */
export function findState(request: RequestLike): RequestState | undefined {
  return STATES.get(originalRequest(request));
}

/** State of a request, created if it has none. */
export function stateOf(request: RequestLike): RequestState {
  const original = originalRequest(request);
  let state = STATES.get(original);
  if (state === undefined) {
    state = {
      principal: undefined,
      challenge: undefined,
      createdSession: undefined,
      decided: undefined,
      vary: [],
      isPrivate: false,
      isAnswered: false,
      cookies: undefined,
    };
    STATES.set(original, state);
  }
  return state;
}

/** Adds header fields to `Vary` of the response. */
export function addVary(state: RequestState, names: readonly string[]): void {
  state.vary = state.vary.length === 0 ? names : [...new Set([...state.vary, ...names])];
}

/** Adds cookies to the response. The last one of a name wins. */
export function queueCookies(state: RequestState, cookies: readonly string[]): void {
  state.cookies ??= new Map();
  for (const cookie of cookies) state.cookies.set(cookieName(cookie), cookie);
}

/** Name of the cookie that a value of `Set-Cookie` sets. */
export function cookieName(cookie: string): string {
  return cookie.slice(0, cookie.indexOf("="));
}
