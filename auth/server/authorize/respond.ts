/**
 * Responses of the authorization endpoint.
 *
 * @module
 */

import type { Exchange, ServerContext } from "../core/context.ts";
import type { ResponseTarget } from "../core/refusal.ts";
import { seeOther, userPage } from "../core/responses.ts";
import { consentPrompt } from "./_consent.ts";
import { formPostPage } from "./_form_post_page.ts";
import type { AuthorizeOutcome } from "./authorize.ts";

/** The response to an authorization request. */
export async function respondToAuthorize(
  context: ServerContext,
  { request }: Exchange,
  outcome: AuthorizeOutcome,
): Promise<Response> {
  switch (outcome.kind) {
    case "code":
      return respondToClient(context, outcome.target, { code: outcome.code });
    case "repeat":
      return seeOther(`${context.basePath}/oauth/authorize?${outcome.parameters}`);
    case "login": {
      const { authorization, target: { client } } = outcome.interaction;
      const { loginHint, acrValues, uiLocales } = authorization.request;
      const returnTo = `${context.basePath}/oauth/authorize?id=${authorization.id}`;
      const { reason } = outcome;
      const prompt = { request, client, returnTo, reason, loginHint, acrValues, uiLocales };
      return userPage(await context.login(prompt), outcome.interaction.cookies);
    }
    case "consent": {
      const { interaction, subject } = outcome;
      const prompt = await consentPrompt(context, request, interaction, subject);
      return userPage(await context.consent(prompt), interaction.cookies);
    }
  }
}

/** The parameters of a response, on their way to the client, with `state` and with `iss` (RFC 9207). */
export function respondToClient(
  { issuer, strings }: ServerContext,
  { redirectUri, responseMode, state }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
): Response {
  const all = { ...parameters, ...(state === undefined ? {} : { state }), iss: issuer };
  if (responseMode === "form_post") return formPostPage(redirectUri, all, strings());
  const separator = redirectUri.includes("?") ? "&" : "?";
  return seeOther(redirectUri + separator + new URLSearchParams(all));
}
