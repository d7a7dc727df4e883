/**
 * Beginning and ending a session in a browser: the session itself, and the cookies that say so.
 *
 * @module
 */

import { queueCookies, rawOf, type RequestState, stateOf } from "./_request_state.ts";
import { parseCookies } from "../session/cookie.ts";
import type { CookiePolicy } from "../session/cookie_policy.ts";
import type { CsrfService } from "../session/csrf.ts";
import type { AnyRequest } from "./runtime.ts";
import {
  type Authentication,
  type AuthMethod,
  createPrincipal,
  type PasswordAuthentication,
  type Principal,
} from "../principal.ts";
import type { SessionInfo, SessionService } from "../session/types.ts";
import { authenticated, type Decision, noCredential, type StrategyChain } from "../strategy.ts";
import type { ThrottleService } from "../throttle/throttle_service.ts";

/** Options of {@linkcode AuthRuntime.signIn}. */
export interface SignInOptions {
  /** Whether the session outlives the browser's window: "keep me signed in". @default {false} */
  readonly remember?: boolean | undefined;
  /** How the subject proved its identity on this request. @default {"password"} for a password, else `session` */
  readonly method?: AuthMethod | undefined;
}

/** What a sign-in leads to. */
export interface SignedIn {
  /** Who asks from now on. */
  readonly principal: Principal;
  /** The new session. */
  readonly session: SessionInfo;
  /** The token of the new session's pages against forged requests; older ones have ended. */
  readonly csrfToken: string;
}

/** What beginning and ending sessions needs. */
export interface SignInParts {
  readonly sessions: SessionService;
  readonly cookies: CookiePolicy;
  readonly csrf: CsrfService;
  readonly throttle: ThrottleService | undefined;
  readonly strategy: StrategyChain;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** Begins a session in place of those that the request presents or has begun, and queues its cookies. */
export async function signIn(
  parts: SignInParts,
  request: AnyRequest,
  authentication: Authentication | PasswordAuthentication,
  options: SignInOptions,
): Promise<SignedIn> {
  const { sessions, cookies, csrf, throttle, now } = parts;
  const isPassword = "identifier" in authentication;
  const { remember = false, method = isPassword ? "password" : "session" } = options;
  const raw = rawOf(request);
  const state = stateOf(raw);
  const persistent = { persistent: remember, userAgent: raw.headers.get("User-Agent") };
  await endOthers(parts, raw, state); // nobody who planted one shares the new one
  const { token, session } = await sessions.create(authentication, persistent);
  state.begun = token;
  const issued = await csrf.issue(raw, token);
  const kept = remember ? { maxAge: session.expiresAt - session.createdAt } : {};
  const queued = [cookies.set("sid", token, kept), ...issued.cookies];
  if (throttle !== undefined && isPassword) {
    queued.push(cookies.set("dev", await throttle.issueDevice(authentication)));
  }
  const { id: sessionId, sub, authTime, amr, acr } = session;
  const principal = createPrincipal({ sub, method, sessionId, authTime, amr, acr }, { now });
  recordSignIn(parts, state, principal, queued);
  return { principal, session, csrfToken: issued.token };
}

/** Ends the sessions that the request presents or has begun, if there are any, and queues what takes the cookies away. */
export async function signOut(parts: SignInParts, request: AnyRequest): Promise<void> {
  const { cookies, csrf } = parts;
  const raw = rawOf(request);
  const state = stateOf(raw);
  await endOthers(parts, raw, state);
  const issued = await csrf.issue(raw, null);
  recordSignIn(parts, state, undefined, [cookies.clear("sid"), ...issued.cookies]);
}

/** So many sessions of one request are ended: where hosts share a domain, another one may have planted cookies. */
const MAX_PRESENTED = 8;

async function endOthers(
  { sessions, cookies }: SignInParts,
  { headers }: Request,
  state: RequestState,
): Promise<void> {
  const presented = parseCookies(headers.get("Cookie"))
    .filter(({ name }) => name === cookies.names.sid).slice(0, MAX_PRESENTED);
  for (const { value } of presented) await sessions.revokeToken(value);
  if (state.begun !== undefined) await sessions.revokeToken(state.begun);
  state.begun = undefined;
}

/** From now on guards of this request know better than its cookie, and its response says so to the browser. */
function recordSignIn(
  { strategy, warn }: SignInParts,
  state: RequestState,
  principal: Principal | undefined,
  cookies: readonly string[],
): void {
  if (state.isAnswered) {
    warn("Cannot set the session's cookies: the response has gone; await signIn() and signOut()");
  }
  state.principal = principal;
  const decision: Decision = principal === undefined
    ? { by: undefined, result: noCredential() }
    : { by: strategy, result: authenticated(principal) };
  state.decided = { strategy, decision };
  queueCookies(state, cookies);
}
