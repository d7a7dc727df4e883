/**
 * Whether the user is signed in as an authorization request demands.
 *
 * @module
 */

import type { AuthorizationSubject, PendingAuthorization } from "../../stores/server_types.ts";
import type { ServerContext } from "../core/context.ts";
import type { LoginReason } from "../core/types.ts";

/** What is to be done about the user's authentication. */
export type LoginCheck =
  | { readonly status: "signed_in"; readonly subject: AuthorizationSubject }
  | { readonly status: "login"; readonly reason: LoginReason }
  /** The user has signed in for this request, but not in the required way. */
  | { readonly status: "unmet" };

/** Checks the authentication, OpenID Connect Core §3.1.2.3. */
export function checkLogin(
  { acrValues, now }: Pick<ServerContext, "acrValues" | "now">,
  authorization: PendingAuthorization,
  subject: AuthorizationSubject | undefined,
): LoginCheck {
  const { prompt, maxAge, hintedSub, acrValues: asked, isAcrEssential } = authorization.request;
  const login = (reason: LoginReason): LoginCheck => ({ status: "login", reason });
  if (subject === undefined) return login("signed_out");
  const isFresh = isFreshLogin(authorization, subject);
  const isDemanded = prompt.includes("login") || prompt.includes("select_account");
  if (isDemanded && !isFresh) return login("prompt");
  if (hintedSub !== undefined && subject.sub !== hintedSub) return login("other_user");
  const isTooOld = maxAge === 0 || (maxAge !== undefined && now() - subject.authTime > maxAge);
  if (isTooOld && !isFresh) return login("max_age");
  // Voluntary contexts are asked for once, and only if the sign-in can reach them: RFC 9470 §5, OpenID Connect Core §5.5.1.1
  const reachable = isAcrEssential ? asked : asked.filter((acr) => acrValues.includes(acr));
  const isReached = reachable.some((acr) => acr === subject.acr);
  if (reachable.length === 0 || isReached) return { status: "signed_in", subject };
  const mayAsk = isAcrEssential || !prompt.includes("none"); // §5.5.1: a voluntary claim causes no error
  if (!isFresh && mayAsk) return login("acr");
  return isAcrEssential ? { status: "unmet" } : { status: "signed_in", subject };
}

/**
 * Whether the user has signed in since the request came: later, and not with the authentication that was there then, which may be
 * of the same second.
 */
function isFreshLogin(
  { createdAt, seen }: PendingAuthorization,
  { authTime, sessionId }: AuthorizationSubject,
): boolean {
  if (authTime < createdAt) return false;
  return seen === undefined || seen.authTime !== authTime || seen.sessionId !== sessionId;
}
