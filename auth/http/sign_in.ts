/**
 * Sign-in and sign-out of a browser: the session, and its cookies.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import { isBrowserBound } from "../_browser_bound.ts";
import { isMultiFactor } from "../_multi_factor.ts";
import type { AccountService } from "../accounts/account_types.ts";
import {
  type Authentication,
  createPrincipal,
  type PasswordAuthentication,
  type Principal,
} from "../principal.ts";
import { parseCookies } from "../session/cookie.ts";
import type { CookiePolicy } from "../session/cookie_policy.ts";
import type { CsrfService } from "../session/csrf.ts";
import type { SessionService } from "../session/types.ts";
import { authenticated, type Decision, noCredential, type StrategyChain } from "../strategy.ts";
import type { ThrottleService } from "../throttle/throttle_types.ts";
import type { SecondFactors } from "../factors/sign_in_types.ts";
import { secondFactorRequired } from "./_second_factor.ts";
import {
  type Identity,
  identityOf,
  queueCookies,
  type RequestState,
  stateOf,
} from "./_request_state.ts";
import type { RequestLike, SignedIn, SignInOptions } from "./types.ts";

/** Services that sign-in and sign-out use. */
export interface SignInParts {
  readonly sessions: SessionService;
  readonly cookies: CookiePolicy;
  readonly csrf: CsrfService;
  readonly throttle: ThrottleService | undefined;
  readonly accounts: Pick<AccountService, "rejectExpired"> | undefined;
  readonly secondFactors: Pick<SecondFactors, "begin" | "has"> | undefined;
  readonly strategy: StrategyChain;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** Creates a session in place of those that the request presents or has created, and queues its cookies. */
export async function signIn(
  parts: SignInParts,
  request: RequestLike,
  authentication: Authentication | PasswordAuthentication,
  options: SignInOptions,
): Promise<SignedIn> {
  const { sessions, cookies, csrf, throttle, now } = parts;
  const isPassword = "identifier" in authentication;
  const { remember = false, method = isPassword ? "password" : "session" } = options;
  const original = originalRequest(request);
  const state = stateOf(original);
  const identity = identityOf(state, parts.strategy);
  // Login CSRF: another site's page must not sign its visitor in
  if (!isBrowserBound(authentication)) await csrf.checkOrigin(original);
  await parts.accounts?.rejectExpired(authentication.sub);
  const browser = cookies.read(original, "mfadev");
  const remembered = browser.status === "found" ? browser.value : undefined;
  const begun = { authentication, method, remember };
  const ticket = await parts.secondFactors?.begin(begun, remembered);
  if (ticket !== undefined) {
    queueCookies(state, [cookies.set("mfa", ticket)]);
    throw secondFactorRequired();
  }
  const own = await withoutForeignMfa(parts, authentication);
  const init = { persistent: remember, userAgent: original.headers.get("User-Agent") };
  await revokePresented(parts, original, identity); // session fixation
  const { token, session } = await sessions.create(own, init);
  identity.createdSession = token;
  const issued = await csrf.issue(original, token);
  const lifetime = remember ? { maxAge: session.expiresAt - session.createdAt } : {};
  const queued = [cookies.set("sid", token, lifetime), ...issued.cookies];
  if (throttle !== undefined && isPassword) {
    const device = cookies.read(original, "dev");
    const presented = device.status === "found" ? device.value : undefined;
    queued.push(cookies.set("dev", await throttle.issueDevice(authentication, presented)));
  }
  const { id: sessionId, sub, authTime, amr, acr } = session;
  const principal = createPrincipal({ sub, method, sessionId, authTime, amr, acr }, { now });
  recordSignIn(parts, state, principal, queued);
  return { principal, session, csrfToken: issued.token };
}

/**
 * A provider may say "mfa", too. Of users who have a second factor here only that one counts, also where the browser is
 * remembered: the session could remove it otherwise.
 */
async function withoutForeignMfa(
  { secondFactors }: SignInParts,
  authentication: Authentication,
): Promise<Authentication> {
  const { sub, amr } = authentication;
  if (!amr.includes("mfa") || isMultiFactor(authentication)) return authentication;
  if (!await secondFactors?.has(sub)) return authentication;
  return { ...authentication, amr: amr.filter((method) => method !== "mfa") };
}

/** Revokes the sessions that the request presents or has created, and queues cookies that clear the browser's. */
export async function signOut(parts: SignInParts, request: RequestLike): Promise<void> {
  const { cookies, csrf } = parts;
  const original = originalRequest(request);
  const state = stateOf(original);
  await revokePresented(parts, original, identityOf(state, parts.strategy));
  const issued = await csrf.issue(original, null);
  recordSignIn(parts, state, undefined, [cookies.clear("sid"), ...issued.cookies]);
}

/** At most so many presented sessions are revoked: another host of the same domain may have set cookies. */
const MAX_PRESENTED = 8;

async function revokePresented(
  { sessions, cookies }: SignInParts,
  { headers }: Request,
  identity: Identity,
): Promise<void> {
  const presented = parseCookies(headers.get("Cookie"))
    .filter(({ name }) => name === cookies.names.sid).slice(0, MAX_PRESENTED);
  for (const { value } of presented) await sessions.revokeToken(value);
  if (identity.createdSession !== undefined) await sessions.revokeToken(identity.createdSession);
  identity.createdSession = undefined;
}

/** From now on guards of this request use this result instead of its cookie, and the response sets the cookies. */
function recordSignIn(
  { strategy, warn }: SignInParts,
  state: RequestState,
  principal: Principal | undefined,
  cookies: readonly string[],
): void {
  if (state.isAnswered) {
    warn("Cannot set session cookies: the response was already sent; await signIn() and signOut()");
  }
  const identity = identityOf(state, strategy);
  identity.principal = principal;
  const decision: Decision = principal === undefined
    ? { by: undefined, result: noCredential() }
    : { by: strategy, result: authenticated(principal) };
  identity.decided = { strategy, decision };
  queueCookies(state, cookies);
}
