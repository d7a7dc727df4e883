/**
 * The grant `client_credentials`, RFC 6749 §4.4: a token for the client itself.
 *
 * @module
 */

import type { ClientRequest } from "../core/client_request.ts";
import type { ServerContext } from "../core/context.ts";
import { mayActForItself } from "../core/grants.ts";
import { type GrantResponse, issueClientToken } from "../core/issue.ts";
import { refuseToken } from "../core/refusal.ts";
import { tokenTarget } from "../core/resources.ts";
import { ownScope, parseScope } from "../core/scopes.ts";

/** Issues an access token for the client itself: without a refresh token (§4.4.3), an ID token, and scopes about a user. @throws {ServerRefusal} */
export async function issueToClient(
  context: ServerContext,
  { client, form, jkt }: ClientRequest,
): Promise<GrantResponse> {
  const { clientId } = client;
  if (!mayActForItself(context, client)) throw refuseToken("grant_type_not_allowed", { clientId });
  const allowed = ownScope(context, client);
  const text = form.get("scope");
  const words = text === undefined ? allowed : parseScope(text);
  // §3.3 lets a server ignore what it does not know; a program that is told so would go on with less than it needs
  if (words === undefined || !words.every((name) => allowed.includes(name))) {
    throw refuseToken("scope_too_wide", { clientId });
  }
  const scope = allowed.filter((name) => words.includes(name));
  const target = tokenTarget(context, client, { scope, data: {}, asked: form.get("resource") });
  return await issueClientToken(context, { client, jkt, ...target });
}
