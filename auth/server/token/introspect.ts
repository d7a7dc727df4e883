/**
 * Introspection of tokens, RFC 7662: what an API that does not verify tokens itself, or must see at once that a grant has ended, asks.
 *
 * @module
 */

import type { JwtClaims } from "../../jwt/types.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import { asClient } from "../core/client_request.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { clientOfGrant } from "../core/grants.ts";
import { refuseToken, ServerRefusal } from "../core/refusal.ts";
import { privateJson } from "../core/responses.ts";
import { verifyAccessToken } from "../core/verify_tokens.ts";

/** All that is said of a token that is not valid, or not for this client to know: §2.2. */
const INACTIVE = { active: false } as const;

/** Responds to an introspection request; a public client is refused, §2.1. @throws {ServerRefusal} */
export async function introspectToken(
  context: ServerContext,
  exchange: Exchange,
): Promise<Response> {
  return await asClient(context, exchange, async ({ client, form }) => {
    const { clientId } = client;
    if (client.authentication === "none") throw refuseToken("method_mismatch", { clientId });
    const token = form.get("token");
    if (token === undefined) throw refuseToken("parameter_missing", { clientId });
    const answer = await ofAccessToken(context, client, token) ??
      await ofRefreshToken(context, client, token);
    return privateJson(answer ?? INACTIVE);
  }).catch(withChallenge);
}

/** An access token, for the API that it is for, and for the client that has it. */
async function ofAccessToken(
  context: ServerContext,
  { clientId, introspects }: RegisteredClient,
  token: string,
): Promise<JwtClaims | undefined> {
  const access = await verifyAccessToken(context, token);
  const isAsked = access?.clientId === clientId ||
    access?.audience.some((audience) => introspects?.includes(audience)); // a database may have `null`
  if (access === undefined || !isAsked) return undefined;
  if (await clientOfGrant(context, access) === undefined) return undefined;
  const { gid: _, stamp: __, ...claims } = access.claims; // for this server and its own guards
  return { ...claims, active: true, token_type: access.jkt === undefined ? "Bearer" : "DPoP" };
}

/** A refresh token, for the client that has it. One that was used is not valid, though its grant is. */
async function ofRefreshToken(
  context: ServerContext,
  { clientId }: RegisteredClient,
  token: string,
): Promise<JwtClaims | undefined> {
  const family = await context.refresh.find(token);
  if (family === undefined || !family.isCurrent) return undefined;
  const { sub, familyId: grantId, scope = [], expiresAt: exp, createdAt: iat } = family;
  if (await clientOfGrant(context, { sub, clientId, grantId, scope }) === undefined) {
    return undefined;
  }
  return {
    active: true,
    iss: context.issuer,
    sub,
    client_id: clientId,
    ...(scope.length === 0 ? {} : { scope: scope.join(" ") }),
    exp,
    iat,
  };
}

/** §2.3: 401 for whatever client is refused. No page calls this endpoint, so no browser shows a dialog. */
function withChallenge(error: unknown): never {
  const failure = error instanceof ServerRefusal ? error.failure : undefined;
  if (failure?.kind !== "token") throw error;
  throw refuseToken(failure.reason, { ...failure, isBasic: true });
}
