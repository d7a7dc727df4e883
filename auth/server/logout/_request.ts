/**
 * The parameters of a logout request, RP-Initiated Logout §2. Every error is a page: nothing is signed out, and nobody redirected.
 *
 * @module
 */

import type { RegisteredClient } from "../../stores/server_types.ts";
import { matchRedirectUri } from "../clients/redirect_uri.ts";
import type { ServerContext } from "../core/context.ts";
import { findClient } from "../core/find_client.ts";
import { soleValue, STATE_REGEXP } from "../core/parameters.ts";
import { refusePage } from "../core/refusal.ts";
import { readIdTokenHint } from "../core/verify_tokens.ts";

/** What a client asks for. */
export interface LogoutRequest {
  /** The client, by its ID token or its id. */
  readonly client: RegisteredClient | undefined;
  /** Where the browser goes after it: one of the client's. */
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
  /** Subject of the client's ID token. */
  readonly hintedSub: string | undefined;
  readonly uiLocales: string | undefined;
}

/**
 * Reads the parameters, of which others may be beside them. `logout_hint` is not needed: one user is signed in in a browser.
 *
 * @throws {ServerRefusal} A page.
 */
export async function readLogoutRequest(
  context: ServerContext,
  parameters: URLSearchParams,
): Promise<LogoutRequest> {
  const valueOf = (name: string) => {
    const value = soleValue(parameters, name);
    if (value === null) throw refusePage("parameter_repeated");
    return value;
  };
  const [hint, givenId, uri, state, uiLocales] = [
    valueOf("id_token_hint"),
    valueOf("client_id"),
    valueOf("post_logout_redirect_uri"),
    valueOf("state"),
    valueOf("ui_locales"),
  ];

  // The issuer of the token, and that it is the client's
  const token = hint === undefined ? undefined : await readIdTokenHint(context, hint);
  const clientId = givenId ?? token?.clientId;
  if (hint !== undefined && (token === undefined || token.clientId !== clientId)) {
    throw refusePage("id_token_hint_invalid");
  }
  const client = clientId === undefined ? undefined : await findClient(context, clientId);

  // §3: exactly one of the client's URIs. Without a client it is not used
  const redirectUri = client && uri !== undefined ? registered(context, client, uri) : undefined;
  if (state !== undefined && !STATE_REGEXP.test(state)) throw refusePage("request_malformed");
  return { client, redirectUri, state, hintedSub: token?.sub, uiLocales };
}

function registered(
  context: ServerContext,
  { clientId, type, postLogoutRedirectUris = [] }: RegisteredClient,
  uri: string,
): string {
  const matched = matchRedirectUri({ type, redirectUris: postLogoutRedirectUris }, uri, context);
  if (matched === undefined) throw refusePage("redirect_uri_mismatch", clientId);
  return matched;
}
