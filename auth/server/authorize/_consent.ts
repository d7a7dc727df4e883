/**
 * What the user is asked at the authorization endpoint.
 *
 * @module
 */

import type { AuthorizationSubject } from "../../stores/server_types.ts";
import { redirectHost } from "../clients/redirect_uri.ts";
import { consentDetails, type ConsentQuestion, consentToken } from "../core/consent.ts";
import type { ServerContext } from "../core/context.ts";
import type { ConsentPrompt } from "../core/types.ts";
import type { Interaction } from "./_interaction.ts";

/** What the consent page shows. */
export async function consentPrompt(
  context: ServerContext,
  request: Request,
  interaction: Interaction,
  { sub }: AuthorizationSubject,
): Promise<ConsentPrompt> {
  const { authorization, target } = interaction;
  const question = questionOf(interaction, sub);
  return {
    request,
    client: target.client,
    ...await consentDetails(context, question),
    redirectHost: redirectHost(target.redirectUri),
    isLoopback: target.isLoopback,
    uiLocales: authorization.request.uiLocales,
    form: {
      action: `${context.basePath}/oauth/authorize`,
      hidden: { id: authorization.id, token: await consentToken(question) },
    },
  };
}

/** What a user is asked by an interaction. */
export function questionOf(
  { authorization: { id, clientId, request: { scope } }, browser }: Interaction,
  sub: string,
): ConsentQuestion {
  return { id, clientId, scope, browser, sub };
}
