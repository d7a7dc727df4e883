/**
 * The UserInfo endpoint, OpenID Connect Core §5.3.
 *
 * @module
 */

import type { JwtClaims } from "../jwt/types.ts";
import { challengeErrorOf, readDpopToken } from "../dpop/proof.ts";
import { readBearer } from "../tokens/bearer_strategy.ts";
import type { Exchange, ServerContext } from "./core/context.ts";
import { clientOfGrant } from "./core/grants.ts";
import { userClaims } from "./core/issue.ts";
import { proofQuery } from "./core/proof.ts";
import { OPENID } from "./core/scopes.ts";
import { verifyAccessToken } from "./core/verify_tokens.ts";

/** Path of the endpoint. */
export const USERINFO_PATH = "/oauth/userinfo";

/** What the endpoint answers. */
export type UserinfoOutcome =
  & {
    /** The nonce that the client's next DPoP proof needs. */
    readonly nonce?: string | undefined;
  }
  & (
    | { readonly kind: "claims"; readonly claims: JwtClaims }
    | {
      readonly kind: "refused";
      /** RFC 6750 §3: no error without a credential. */
      readonly error?: "insufficient_scope" | ReturnType<typeof challengeErrorOf>;
      /** The scheme of the credential. */
      readonly scheme?: "Bearer" | "DPoP";
    }
  );

/** Answers with the claims that the grant of an access token permits. A token in a form or in the query is ignored. */
export async function userinfo(
  context: ServerContext,
  { request }: Exchange,
): Promise<UserinfoOutcome> {
  const { dpop } = context;
  const authorization = request.headers.get("Authorization");
  const bound = dpop && readDpopToken(authorization);
  const credentials = bound ?? readBearer(authorization);
  if (credentials === undefined) return { kind: "refused" };
  const isDpop = bound !== undefined;
  const scheme = isDpop ? "DPoP" : "Bearer";
  const { token } = credentials;
  const access = await verifyAccessToken(context, token);
  // RFC 9449 §7.2: a token that is bound to a key is no bearer token, and the reverse
  if (access === undefined || (access.jkt !== undefined) !== isDpop) {
    return { kind: "refused", scheme, error: "invalid_token" };
  }
  const { jkt, sub, scope } = access;
  const proof = jkt === undefined ? undefined : await dpop?.({
    ...proofQuery(context, request, USERINFO_PATH),
    token: { value: token, jkt },
  });
  if (proof?.kind === "refused") {
    const { reason, nonce } = proof;
    return { kind: "refused", scheme, error: challengeErrorOf(reason), nonce };
  }
  const nonce = proof?.nonce;
  if (!access.audience.includes(context.issuer) || !scope.includes(OPENID)) {
    return { kind: "refused", scheme, error: "insufficient_scope", nonce };
  }
  const client = await clientOfGrant(context, access);
  if (client === undefined) return { kind: "refused", scheme, error: "invalid_token", nonce };
  const claims = { ...await userClaims(context, sub, { scope, client }), sub };
  return { kind: "claims", claims, nonce };
}
