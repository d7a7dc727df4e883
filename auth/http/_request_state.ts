/**
 * What guards and sign-ins know of a request until its response goes out.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import type { AnyRequest } from "./runtime.ts";
import type { Principal } from "../principal.ts";
import type { AuthStrategy, Decision } from "../strategy.ts";

/** What is known of one request. */
export interface RequestState {
  /** Who asks. */
  principal: Principal | undefined;
  /** The ways in, as the guard names them in `WWW-Authenticate`. */
  challenge: string | undefined;
  /** Token of the session that the request has begun. */
  begun: string | undefined;
  /** What strategies said, so that guards in a row ask once. */
  decided: { readonly strategy: AuthStrategy; readonly decision: Decision } | undefined;
  /** Header fields that the response depends on. */
  vary: readonly string[];
  /** Whether the response is for one client alone, so that no cache may keep it. */
  isPrivate: boolean;
  /** The response that says all this; none yet. */
  sealed: Response | undefined;
  /** Whether the response is on its way. */
  isAnswered: boolean;
  /** Values of `Set-Cookie` that the response is to carry, by the cookie's name: RFC 6265bis §4.1.1 wants one each. */
  cookies: Map<string, string> | undefined;
}

/**
 * By the standard request, so that nothing is written on what others made, and nothing is kept when it is gone. Routers
 * that are mounted in another share what is known.
 */
const STATES: WeakMap<Request, RequestState> = /* @__PURE__ */ new WeakMap();

/** The standard request that came in, whatever mounts have made of it. */
export function rawOf(request: AnyRequest): Request {
  return originalRequest("raw" in request ? request.raw : request);
}

/** What is known of a request, if anything is. */
export function findState(request: AnyRequest): RequestState | undefined {
  return STATES.get(rawOf(request));
}

/** What is known of a request, to be added to. */
export function stateOf(request: AnyRequest): RequestState {
  const raw = rawOf(request);
  let state = STATES.get(raw);
  if (state === undefined) {
    state = {
      principal: undefined,
      challenge: undefined,
      begun: undefined,
      decided: undefined,
      vary: [],
      isPrivate: false,
      sealed: undefined,
      isAnswered: false,
      cookies: undefined,
    };
    STATES.set(raw, state);
  }
  return state;
}

/** Has a response say that it depends on header fields. */
export function dependOn(state: RequestState, names: readonly string[]): void {
  state.vary = state.vary.length === 0 ? names : [...new Set([...state.vary, ...names])];
}

/** Has a response set cookies. The last one of a name wins. */
export function queueCookies(state: RequestState, cookies: readonly string[]): void {
  state.sealed = undefined;
  state.cookies ??= new Map();
  for (const cookie of cookies) state.cookies.set(cookieName(cookie), cookie);
}

/** Name of the cookie that a value of `Set-Cookie` sets. */
export function cookieName(cookie: string): string {
  return cookie.slice(0, cookie.indexOf("="));
}
