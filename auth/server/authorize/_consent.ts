/**
 * What the user is asked, and what the form of the answer must have.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import type { AuthorizationSubject } from "../../stores/server_types.ts";
import type { User } from "../../stores/types.ts";
import type { ServerContext } from "../core/context.ts";
import { consentToken, type Interaction } from "./_interaction.ts";
import { redirectHost } from "../clients/redirect_uri.ts";
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
  const user = await users.findBySub(sub);
  return {
    request,
    client: target.client,
    sub,
    ...accountOf(user, sub),
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

/** Users that are not read have their subject id as identifier, which means nothing to them. */
function accountOf(user: User | null, sub: string): Pick<ConsentPrompt, "account"> {
  return user === null || user.identifier === sub ? {} : { account: user.identifier };
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

/**
 * Whether a form comes from a page of this server. Browsers that do not send `Sec-Fetch-Site` send the origin, or `null` because of
 * the page's `Referrer-Policy`; then the token decides alone.
 */
function isOwnPage({ headers }: Request, origin: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  const from = headers.get("Origin");
  return from === null || from === "null" || from === origin;
}
