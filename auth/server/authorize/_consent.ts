/**
 * What the user is asked, and what the form of the answer must have.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import type { AuthorizationSubject } from "../../stores/server_types.ts";
import { accountOf } from "../core/account.ts";
import type { ServerContext } from "../core/context.ts";
import { consentToken, type Interaction } from "./_interaction.ts";
import { redirectHost } from "../clients/redirect_uri.ts";
import { isOwnPage } from "../core/own_page.ts";
import { refusePage } from "../core/refusal.ts";
import { OPENID } from "../core/scopes.ts";
import type { ConsentPrompt } from "../core/types.ts";

/** The user's decision. */
export type ConsentDecision =
  | { readonly kind: "allowed"; readonly scope: readonly string[] }
  | { readonly kind: "denied" };

/** What the consent page shows. */
export async function consentPrompt(
  { basePath, scopes, users }: ServerContext,
  request: Request,
  interaction: Interaction,
  { sub }: AuthorizationSubject,
): Promise<ConsentPrompt> {
  const { authorization, target } = interaction;
  const { scope, uiLocales } = authorization.request;
  const account = accountOf(await users.findBySub(sub), sub);
  return {
    request,
    client: target.client,
    sub,
    ...(account === undefined ? {} : { account }),
    scopes: scope.map((name) => ({
      description: name, // a scope that the server has lost since the request came
      ...scopes.get(name),
      name,
      required: name === OPENID,
    })),
    redirectHost: redirectHost(target.redirectUri),
    isLoopback: target.isLoopback,
    uiLocales,
    form: {
      action: `${basePath}/oauth/authorize`,
      hidden: { id: authorization.id, token: await consentToken(interaction, sub) },
    },
  };
}

/**
 * Reads the decision. The form must come from a page of this server in the browser that began the request, and have been shown to
 * the user who is signed in now.
 *
 * @throws {ServerRefusal} A page.
 */
export async function readConsent(
  { origin }: ServerContext,
  request: Request,
  { form, interaction, subject }: {
    readonly form: URLSearchParams;
    readonly interaction: Interaction;
    readonly subject: AuthorizationSubject;
  },
): Promise<ConsentDecision> {
  const { authorization: { clientId, request: asked } } = interaction;
  const token = await consentToken(interaction, subject.sub);
  const decision = form.get("decision");
  const isOurs = isOwnPage(request, origin) && equalText(form.get("token") ?? "", token);
  if (!isOurs || (decision !== "allow" && decision !== "deny")) {
    throw refusePage("consent_forged", clientId);
  }
  const ticked = new Set(form.getAll("scope"));
  const scope = asked.scope.filter((name) => name === OPENID || ticked.has(name));
  const isNothing = scope.length === 0 && asked.scope.length > 0;
  return decision === "deny" || isNothing ? { kind: "denied" } : { kind: "allowed", scope };
}
