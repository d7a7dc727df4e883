/**
 * State of a request that guards, sign-ins and response headers share.
 *
 * @module
 */

import { originalRequest, sourceOf } from "../../router/original_request.ts";
import type { Principal } from "../principal.ts";
import type { AuthStrategy, Decision } from "../strategy.ts";
import type { RequestLike } from "./types.ts";

/** What the response to one request needs. */
export interface RequestState {
  /** Header fields that the response depends on. */
  vary: readonly string[];
  /** Whether the response is for one client only, so that no cache may store it. */
  isPrivate: boolean;
  /** Whether a guard has not let the request pass. */
  isRefused: boolean;
  /** Whether `applyAuthHeaders` has run. */
  isAnswered: boolean;
  /** Values of `Set-Cookie` for the response by cookie name: RFC 6265bis §4.1.1 wants one each. */
  cookies: Map<string, string> | undefined;
  /** Who the request is from, one for each runtime that was asked. */
  readonly identities: Identity[];
}

/** Who a request is from, as the guards and sign-ins of one runtime know it. */
export interface Identity {
  /** The runtime. */
  readonly realm: Realm;
  /** The authenticated principal. */
  principal: Principal | undefined;
  /** The guard's value of `WWW-Authenticate`. */
  challenge: string | undefined;
  /** Token of the session that was created during the request. */
  createdSession: string | undefined;
  /** Result of a strategy, so that consecutive guards run it once. */
  decided: { readonly strategy: AuthStrategy; readonly decision: Decision } | undefined;
}

/** What identifies a runtime: its `strategy`, which sign-ins know as well. */
export type Realm = AuthStrategy;

/**
 * By original request, which nested routers and other frameworks share. Nothing is written on objects that others
 * created, and an entry is collected with its request.
 */
const STATES: WeakMap<Request, RequestState> = /* @__PURE__ */ new WeakMap();

/** Whose principals a request has, in its router and in those mounted there that have no runtime of their own. */
const REALMS: WeakMap<Request, Realm> = /* @__PURE__ */ new WeakMap();

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
      vary: [],
      isPrivate: false,
      isRefused: false,
      isAnswered: false,
      cookies: undefined,
      identities: [],
    };
    STATES.set(original, state);
  }
  return state;
}

/** From now on, {@linkcode findIdentity} returns the identity of this runtime for the request. */
export function enterRealm(request: RequestLike, realm: Realm): void {
  const raw = rawOf(request);
  if (REALMS.get(raw) !== realm) REALMS.set(raw, realm);
}

/** Identity of a request for one runtime, created if it has none. */
export function identityOf({ identities }: RequestState, realm: Realm): Identity {
  let identity = identities.find((one) => one.realm === realm);
  if (identity === undefined) {
    identity = {
      realm,
      principal: undefined,
      challenge: undefined,
      createdSession: undefined,
      decided: undefined,
    };
    identities.push(identity);
  }
  return identity;
}

/**
 * Identity of a request for the runtime of its router, or of the nearest router around it that has one. Where none has, it
 * is the latest one.
 */
export function findIdentity(request: RequestLike): Identity | undefined {
  const identities = findState(request)?.identities;
  for (let at: RequestLike | undefined = request; at !== undefined; at = sourceOf(rawOf(at))) {
    const realm = REALMS.get(rawOf(at));
    if (realm !== undefined) return identities?.find((one) => one.realm === realm);
  }
  return identities?.at(-1);
}

function rawOf(request: RequestLike): Request {
  return "raw" in request ? request.raw : request;
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
