/**
 * Beginning and ending a session in a browser: the session itself, and the cookies that say so.
 *
 * @module
 */

import { type AnyRequest, queueCookies, rawOf, stateOf } from "./_http_state.ts";
import type { CookiePolicy } from "./cookie_policy.ts";
import type { CsrfService } from "./csrf.ts";
import {
  type Authentication,
  type AuthMethod,
  createPrincipal,
  type PasswordAuthentication,
  type Principal,
} from "./principal.ts";
import type { SessionInfo, SessionService } from "./session_types.ts";
import type { ThrottleService } from "./throttle.ts";

/** Options of {@linkcode AuthRuntime.signIn}. */
export interface SignInOptions {
  /** Whether the session outlives the browser's window: "keep me signed in". @default {false} */
  readonly remember?: boolean | undefined;
  /** How the subject proved its identity on this request. @default {"session"} */
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
  readonly now: () => number;
}

/** Begins a session in place of the one that the request presents, and queues its cookies. */
export async function signIn(
  { sessions, cookies, csrf, throttle, now }: SignInParts,
  request: AnyRequest,
  authentication: Authentication | PasswordAuthentication,
  { remember = false, method = "session" }: SignInOptions,
): Promise<SignedIn> {
  const raw = rawOf(request);
  const presented = cookies.read(raw, "sid");
  const { token, session } = await sessions.create(authentication, {
    replaces: presented.status === "found" ? presented.value : undefined,
    lasting: remember,
    userAgent: raw.headers.get("User-Agent"),
  });
  const issued = await csrf.issue(raw, token);
  const kept = remember ? { maxAge: session.expiresAt - session.createdAt } : {};
  const queued = [cookies.set("sid", token, kept), ...issued.cookies];
  if (throttle !== undefined && "identifier" in authentication) {
    queued.push(cookies.set("dev", await throttle.issueDevice(authentication)));
  }
  const { id: sessionId, sub, authTime, amr, acr } = session;
  const principal = createPrincipal({ sub, method, sessionId, authTime, amr, acr }, { now });
  const state = stateOf(raw);
  state.principal = principal;
  queueCookies(state, queued);
  return { principal, session, csrfToken: issued.token };
}

/** Ends the session that the request presents, if there is one, and queues what takes its cookies away. */
export async function signOut(
  { sessions, cookies, csrf }: SignInParts,
  request: AnyRequest,
): Promise<void> {
  const raw = rawOf(request);
  const presented = cookies.read(raw, "sid");
  if (presented.status === "found") await sessions.revokeToken(presented.value);
  const issued = await csrf.issue(raw, null);
  const state = stateOf(raw);
  state.principal = undefined;
  queueCookies(state, [cookies.clear("sid"), ...issued.cookies]);
}
