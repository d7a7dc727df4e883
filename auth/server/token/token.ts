/**
 * The token endpoint, RFC 6749 §3.2, and the revocation endpoint, RFC 7009: what clients send themselves.
 *
 * @module
 */

import type { GrantType } from "../../stores/server_types.ts";
import { issueToClient } from "./_client_credentials.ts";
import { redeemCode } from "./_code.ts";
import { redeemDeviceCode } from "./_device.ts";
import { asClient, type ClientRequest } from "../core/client_request.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { DEVICE_CODE, isGrantType } from "../clients/grant_types.ts";
import { grantDataOf } from "../core/grants.ts";
import type { GrantResponse } from "../core/issue.ts";
import { nonceHeader, readProof } from "../core/proof.ts";
import { refreshTokens } from "./_refresh.ts";
import { refuseToken } from "../core/refusal.ts";
import { privateJson } from "../core/responses.ts";
import { verifyAccessToken } from "../core/verify_tokens.ts";

/** Exchanges what a client has for tokens. @throws {ServerRefusal} */
type Grant = (context: ServerContext, request: ClientRequest) => Promise<GrantResponse>;

/** Path of the token endpoint. */
export const TOKEN_PATH = "/oauth/token";

/** One row for each grant type. */
const GRANTS: Readonly<Record<GrantType, Grant>> = {
  authorization_code: redeemCode,
  refresh_token: refreshTokens,
  [DEVICE_CODE]: redeemDeviceCode,
  client_credentials: issueToClient,
};

/** Responds to a token request. @throws {ServerRefusal} */
export async function exchangeTokens(
  context: ServerContext,
  exchange: Exchange,
): Promise<Response> {
  return await asClient(context, exchange, async (request) => {
    const { tokens, nonce } = await exchangeAs(context, request);
    // Nothing that the client sent may be lost by it: the code is used up
    await context.registration?.keep(request.client)
      .catch((error) => context.warn("Cannot extend the registration of a client", error));
    return privateJson(tokens, { headers: nonceHeader(nonce) });
  });
}

async function exchangeAs(
  ...[context, request]: Parameters<Grant>
): Promise<{ readonly tokens: GrantResponse; readonly nonce: string | undefined }> {
  const { client, form } = request;
  const type = form.get("grant_type");
  const { clientId } = client;
  if (type === undefined) throw refuseToken("parameter_missing", { clientId });
  if (!isGrantType(type) || !context.grants.includes(type)) {
    throw refuseToken("grant_type_unknown", { clientId });
  }
  if (!client.grants.includes(type)) throw refuseToken("grant_type_not_allowed", { clientId });

  // The key, before a grant uses up anything
  const proof = await readProof(context, request.request, { path: TOKEN_PATH, clientId });
  if (proof === undefined && (client.dpopBound || context.isDpopRequired)) {
    throw refuseToken("dpop_proof_missing", { clientId });
  }
  const tokens = await GRANTS[type](context, { ...request, jkt: proof?.jkt });
  return { tokens, nonce: proof?.nonce };
}

/**
 * Ends the grant of a token, whether it is a refresh token or an access token. A token that is unknown, or of another client, is
 * left alone; the response is the same, RFC 7009 §2.2.
 *
 * @throws {ServerRefusal} If the client is refused.
 */
export async function revokeToken(context: ServerContext, exchange: Exchange): Promise<void> {
  await asClient(context, exchange, async ({ client: { clientId }, form }) => {
    const token = form.get("token");
    if (token === undefined) throw refuseToken("parameter_missing", { clientId });
    const found = await grantOf(context, token, clientId);
    if (found === undefined) return;
    const { sub, grantId } = found;
    // RFC 7009 §2.2.1: nothing is stored of a token that a client has for itself
    if (grantId === undefined) throw refuseToken("token_not_revocable", { clientId });
    await context.refresh.revokeById(sub, grantId);
  });
}

/** The grant that a token of a client belongs to, and its user. */
async function grantOf(
  context: ServerContext,
  token: string,
  clientId: string,
): Promise<{ readonly sub: string; readonly grantId?: string } | undefined> {
  const family = await context.refresh.find(token);
  if (family !== undefined) {
    const data = grantDataOf(context, family.data);
    const { sub, familyId: grantId } = family;
    return data?.clientId === clientId ? { sub, grantId } : undefined;
  }
  const access = await verifyAccessToken(context, token);
  return access?.clientId === clientId ? access : undefined;
}
