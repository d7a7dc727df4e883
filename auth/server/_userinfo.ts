/**
 * The UserInfo endpoint, OpenID Connect Core §5.3.
 *
 * @module
 */

import type { JwtClaims } from "../jwt/types.ts";
import { readBearer } from "../tokens/bearer_strategy.ts";
import type { Exchange, ServerContext } from "./core/context.ts";
import { clientOfGrant } from "./core/grants.ts";
import { userClaims } from "./core/issue.ts";
import { OPENID } from "./core/scopes.ts";
import { verifyAccessToken } from "./core/verify_tokens.ts";

/** What the endpoint answers. */
export type UserinfoOutcome =
  | { readonly kind: "claims"; readonly claims: JwtClaims }
  /** RFC 6750 §3: no error without a credential. */
  | { readonly kind: "refused"; readonly error?: "invalid_token" | "insufficient_scope" };

/** Answers with the claims that the grant of an access token permits. A token in a form or in the query is ignored. */
export async function userinfo(
  context: ServerContext,
  { request }: Exchange,
): Promise<UserinfoOutcome> {
  const credentials = readBearer(request.headers.get("Authorization"));
  if (credentials === undefined) return { kind: "refused" };
  const access = await verifyAccessToken(context, credentials.token);
  if (access === undefined) return { kind: "refused", error: "invalid_token" };
  if (!access.audience.includes(context.issuer) || !access.scope.includes(OPENID)) {
    return { kind: "refused", error: "insufficient_scope" };
  }
  const client = await clientOfGrant(context, access);
  if (client === undefined) return { kind: "refused", error: "invalid_token" };
  const { sub, scope } = access;
  return { kind: "claims", claims: { ...await userClaims(context, sub, { scope, client }), sub } };
}
