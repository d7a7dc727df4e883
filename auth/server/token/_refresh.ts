/**
 * The grant `refresh_token`, RFC 6749 §6 and RFC 9700 §4.14: rotation, and the end of the grant at a reuse.
 *
 * @module
 */

import { AuthError } from "../../error.ts";
import type { ClientRequest } from "../core/client_request.ts";
import type { ServerContext } from "../core/context.ts";
import { grantDataOf } from "../core/grants.ts";
import { type GrantResponse, issueTokens, type TokenResponse } from "../core/issue.ts";
import { refuseToken } from "../core/refusal.ts";
import { tokenTarget } from "../core/resources.ts";
import { currentScope, parseScope } from "../core/scopes.ts";

/** Exchanges a refresh token for the next tokens. @throws {ServerRefusal} */
export async function refreshTokens(
  context: ServerContext,
  { client, form, jkt }: ClientRequest,
): Promise<GrantResponse> {
  const { clientId } = client;
  const token = form.get("refresh_token");
  if (token === undefined) throw refuseToken("parameter_missing", { clientId });
  const issued: { tokens?: TokenResponse } = {};
  const { refreshToken } = await context.refresh.rotate(token, {
    // Before the token is used up: whatever fails here leaves it valid
    async prepare({ familyId: grantId, scope: granted = [], data: stored, ...authentication }) {
      const data = grantDataOf(context, stored);
      if (data?.clientId !== clientId) throw refuseToken("client_mismatch", { clientId });
      // RFC 9449 §5: a public client's refresh token is of no use without the key
      if ((data.jkt ?? jkt) !== jkt) throw refuseToken("dpop_key_mismatch", { clientId });
      const scope = narrowedScope(currentScope(context, client, granted), form.get("scope"));
      const isNothing = scope?.length === 0 && granted.length > 0;
      if (scope === undefined || isNothing) throw refuseToken("scope_too_wide", { clientId });
      issued.tokens = await issueTokens(context, {
        client,
        grantId,
        ...authentication,
        data,
        jkt,
        ...tokenTarget(context, client, { scope, data, asked: form.get("resource") }),
      });
    },
  }).catch((error) => {
    if (!(error instanceof AuthError) || error.code !== "invalid_refresh_token") throw error;
    throw refuseToken("refresh_token_refused", { clientId });
  });
  if (issued.tokens === undefined) {
    throw new TypeError("Cannot refresh tokens: the refresh service did not call prepare");
  }
  return { ...issued.tokens, refresh_token: refreshToken };
}

/** RFC 6749 §6: a subset of what was granted, for the next access token only. */
function narrowedScope(
  granted: readonly string[],
  text: string | undefined,
): readonly string[] | undefined {
  if (text === undefined) return granted;
  const words = parseScope(text);
  return words?.every((word) => granted.includes(word)) ? words : undefined;
}
