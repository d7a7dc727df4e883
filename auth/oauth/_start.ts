/**
 * The start of a sign-in: the authorization request, RFC 6749 §4.1.1 with PKCE, OpenID Connect Core §3.1.2.1.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import { MAX_SECONDS } from "../_options.ts";
import { randomToken } from "../_random.ts";
import { safeRedirectPath } from "../redirect_target.ts";
import type { ClientContext } from "./_context.ts";
import { beginTransaction, type OAuthTransaction } from "./_transaction.ts";
import type { OAuthStart, OAuthStartOptions } from "./client_types.ts";

const ACTION = "Cannot start sign-in";

/** Begins a sign-in. */
export async function startSignIn(
  context: ClientContext,
  request: Request,
  options: OAuthStartOptions,
): Promise<OAuthStart> {
  const { provider, redirectUri } = context;
  const { redirectTo = "/", remember = false, link, maxAge, acrValues } = options;
  const target = safeRedirectPath(redirectTo, "");
  if (target === "") {
    throw new RangeError(`${ACTION}: redirectTo must be a path of this service`);
  }
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && maxAge >= 0 && maxAge <= MAX_SECONDS)) {
    throw new RangeError(`${ACTION}: maxAge must be an integer of seconds from 0`);
  }
  const { metadata } = await context.server();
  const transaction: OAuthTransaction = {
    provider: provider.name,
    issuer: metadata.issuer,
    redirectUri,
    verifier: provider.pkce === "S256" ? randomToken() : null,
    nonce: provider.nonce ? randomToken() : null,
    redirectTo: target,
    remember,
    ...(link === undefined ? {} : { link: { sub: link.sub, sessionId: link.sessionId } }),
    ...(maxAge === undefined ? {} : { maxAge }),
    ...(acrValues === undefined ? {} : { acrValues }),
    startedAt: context.now(),
  };
  const { state, cookies } = await beginTransaction(context, request, transaction);
  const parameters = await requestParameters(context, { state, transaction, options });
  return { url: withQuery(metadata.authorization_endpoint, parameters), cookies };
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** The parameters of the authorization request. Those of the provider cannot replace ours. */
async function requestParameters(
  { provider, redirectUri }: ClientContext,
  { state, transaction, options }: {
    readonly state: string;
    readonly transaction: OAuthTransaction;
    readonly options: OAuthStartOptions;
  },
): Promise<Parameters> {
  const { verifier, nonce } = transaction;
  const { scope = provider.scope, loginHint, prompt, maxAge, acrValues } = options;
  return {
    ...provider.parameters,
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope: scope.join(" "),
    state,
    nonce: nonce ?? undefined,
    ...(verifier === null
      ? {}
      : { code_challenge: await digestText(verifier), code_challenge_method: "S256" }), // RFC 7636 §4.2
    response_mode: provider.responseMode === "form_post" ? "form_post" : undefined,
    login_hint: loginHint,
    prompt,
    max_age: maxAge === undefined ? undefined : `${maxAge}`,
    acr_values: acrValues?.join(" "),
  };
}

/** A URL with further parameters. Spaces become `%20`, since some servers do not decode `+`: Cognito. */
export function withQuery(url: string, parameters: Parameters): string {
  const query = Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
    ).join("&");
  return `${url}${url.includes("?") ? "&" : "?"}${query}`;
}
