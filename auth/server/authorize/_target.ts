/**
 * Where the response to an authorization request goes. Until the client and its redirect URI are known to be valid, there is no
 * such place, and errors are pages: RFC 6749 §4.1.2.1, RFC 9700 §4.11.
 *
 * @module
 */

import type { PendingAuthorization, RegisteredClient } from "../../stores/server_types.ts";
import type { ServerContext } from "../core/context.ts";
import { findClient } from "../core/find_client.ts";
import { soleValue, STATE_REGEXP } from "../core/parameters.ts";
import { isLoopbackRedirect, matchRedirectUri } from "../clients/redirect_uri.ts";
import { refusePage, type ResponseTarget } from "../core/refusal.ts";

type TargetContext = Pick<ServerContext, "clients" | "hasDocuments" | "insecureLoopback">;

/**
 * The target of a request.
 *
 * @param authenticated The client, if it sends the request itself.
 * @throws {ServerRefusal} A page.
 */
export async function findTarget(
  context: TargetContext,
  parameters: URLSearchParams,
  authenticated?: RegisteredClient,
): Promise<ResponseTarget> {
  const clientId = soleValue(parameters, "client_id");
  const redirectUri = soleValue(parameters, "redirect_uri");
  if (clientId === null || redirectUri === null) throw refusePage("parameter_repeated");
  const client = authenticated ?? await findClient(context, clientId ?? "");
  if (redirectUri === undefined) throw refusePage("redirect_uri_missing", client.clientId);
  const state = soleValue(parameters, "state") ?? "";
  // A form can only be posted over HTTP
  const isForm = soleValue(parameters, "response_mode") === "form_post" &&
    /^https?:/.test(redirectUri);
  return createTarget(context, client, {
    redirectUri,
    responseMode: isForm ? "form_post" : "query",
    state: STATE_REGEXP.test(state) ? state : undefined,
  });
}

/** The target of a request that is stored, checked again: the client may have changed meanwhile. @throws {ServerRefusal} A page. */
export async function findTargetOf(
  context: TargetContext,
  { clientId, request }: Pick<PendingAuthorization, "clientId" | "request">,
): Promise<ResponseTarget> {
  const { redirectUri, responseMode, state } = request;
  const client = await findClient(context, clientId);
  return createTarget(context, client, { redirectUri, responseMode, state });
}

function createTarget(
  { insecureLoopback }: TargetContext,
  client: RegisteredClient,
  { redirectUri, responseMode, state }: Pick<
    ResponseTarget,
    "redirectUri" | "responseMode" | "state"
  >,
): ResponseTarget {
  const matched = matchRedirectUri(client, redirectUri, { insecureLoopback });
  if (matched === undefined) throw refusePage("redirect_uri_mismatch", client.clientId);
  const isLoopback = isLoopbackRedirect(matched);
  return { client, redirectUri: matched, isLoopback, responseMode, state } as ResponseTarget;
}
