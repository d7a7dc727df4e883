/**
 * The UserInfo endpoint, OpenID Connect Core §5.3.
 *
 * @module
 */

import type { JwtClaims } from "../jwt/types.ts";
import { isClientDisabled } from "../stores/checked_server.ts";
import type { RegisteredClient } from "../stores/server_types.ts";
import type { Exchange, ServerContext } from "./_context.ts";
import { findGrant, grantDataOf } from "./_grants.ts";
import { userClaims } from "./_issue.ts";
import { OPENID } from "./_scopes.ts";
import { type OwnAccessToken, verifyAccessToken } from "./_verify_tokens.ts";

/** What the endpoint answers. */
export type UserinfoOutcome =
  | { readonly kind: "claims"; readonly claims: JwtClaims }
  /** RFC 6750 §3: no error without a credential. */
  | { readonly kind: "refused"; readonly error?: "invalid_token" | "insufficient_scope" };

/** RFC 6750 §2.1; a token in a form or in the query is ignored. */
const BEARER_REGEXP = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** Any `Authorization` of the scheme, however malformed. */
const SCHEME_REGEXP = /^bearer(?: |$)/i;

/** Answers with the claims that the grant of an access token permits. */
export async function userinfo(
  context: ServerContext,
  { request }: Exchange,
): Promise<UserinfoOutcome> {
  const field = request.headers.get("Authorization") ?? "";
  if (!SCHEME_REGEXP.test(field)) return { kind: "refused" };
  const [, token] = BEARER_REGEXP.exec(field) ?? [];
  const access = token === undefined ? undefined : await verifyAccessToken(context, token);
  if (access === undefined) return { kind: "refused", error: "invalid_token" };
  if (!access.audience.includes(context.issuer) || !access.scope.includes(OPENID)) {
    return { kind: "refused", error: "insufficient_scope" };
  }
  const client = await clientOfGrant(context, access);
  if (client === undefined) return { kind: "refused", error: "invalid_token" };
  const { sub, scope } = access;
  return { kind: "claims", claims: { ...await userClaims(context, sub, { scope, client }), sub } };
}

/** The client of an access token; `undefined` if its grant is not valid now, or the client was deleted or disabled. */
export async function clientOfGrant(
  context: Pick<ServerContext, "issuer" | "clients" | "tokens" | "users" | "now">,
  { sub, clientId, grantId }: OwnAccessToken,
): Promise<RegisteredClient | undefined> {
  const family = await findGrant(context, grantId);
  const isOurs = family?.sub === sub && grantDataOf(context, family.data)?.clientId === clientId;
  const client = isOurs ? await context.clients.find(clientId) : null;
  return client?.clientId === clientId && !isClientDisabled(client) ? client : undefined;
}
