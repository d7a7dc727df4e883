/**
 * The authorization endpoint, RFC 6749 §3.1 and OpenID Connect Core §3.1.2: one list of steps.
 *
 * @module
 */

import { digestText } from "../../_kdf.ts";
import { randomToken } from "../../_random.ts";
import type { Authorization, AuthorizationSubject } from "../../stores/server_types.ts";
import { readAuthorizationRequest } from "./authorization_request.ts";
import { questionOf } from "./_consent.ts";
import { readConsent } from "../core/consent.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { isDocumentId } from "../clients/documents.ts";
import { listGrants } from "../core/grants.ts";
import { beginInteraction, type Interaction, resumeInteraction } from "./_interaction.ts";
import { checkLogin } from "./_login_check.ts";
import { readPageForm, readQuery } from "../core/parameters.ts";
import { isPushedRequest, usePushedRequest } from "./pushed_request.ts";
import { refusePage, refuseRedirect, type ResponseTarget } from "../core/refusal.ts";
import { grantedResources } from "../core/resources.ts";
import { findTarget } from "./_target.ts";
import type { LoginReason } from "../core/types.ts";

/** What the endpoint answers. Errors are {@linkcode ServerRefusal}. */
export type AuthorizeOutcome =
  | {
    /** The code, on its way to the client. */
    readonly kind: "code";
    readonly target: ResponseTarget;
    readonly code: string;
  }
  | { readonly kind: "login"; readonly interaction: Interaction; readonly reason: LoginReason }
  | {
    readonly kind: "consent";
    readonly interaction: Interaction;
    readonly subject: AuthorizationSubject;
  }
  /** A request by POST continues as the same request by GET, with the user's cookies. */
  | { readonly kind: "repeat"; readonly parameters: URLSearchParams };

/** Answers a request. @throws {ServerRefusal} */
export async function authorize(
  context: ServerContext,
  exchange: Exchange,
): Promise<AuthorizeOutcome> {
  const { request } = exchange;

  // 1. A form is the user's decision, or a request that another site's page has posted: it has no cookies of the user
  if (request.method === "POST") {
    const form = await readPageForm(request);
    if (!form.has("id")) return { kind: "repeat", parameters: form };
    return await decide(context, exchange, form);
  }
  const parameters = readQuery(request);

  // 2. A request that waits for the user
  const id = parameters.get("id");
  const subject = await context.authenticate(request);
  if (id !== null) {
    const interaction = await resumeInteraction(context, request, id);
    return await proceed(context, exchange, { interaction, subject });
  }

  // 3. A request that its client has pushed, and that was read then: what comes beside it is ignored, RFC 9126 §4
  if (isPushedRequest(context, parameters)) {
    const interaction = await usePushedRequest(context, request, { parameters, subject });
    return await proceed(context, exchange, { interaction, subject });
  }

  // 4. Client and redirect URI: until here errors are pages, from here on redirects
  const target = await findTarget(context, parameters);
  if (context.pushedRequests === "required" || target.client.requirePushedRequests) {
    throw refuseRedirect(target, "invalid_request", "the request must be pushed"); // RFC 9126 §5, §6
  }

  // 5 to 9. All other parameters, and what the client may do
  const asked = await readAuthorizationRequest(context, target, parameters);

  // 10. The interaction, stored only if the user must be asked
  const interaction = await beginInteraction(context, request, { target, asked, subject });
  return await proceed(context, exchange, { interaction, subject });
}

/** The steps of a new request and of one that continues. */
async function proceed(
  context: ServerContext,
  exchange: Exchange,
  { interaction, subject }: {
    readonly interaction: Interaction;
    readonly subject: AuthorizationSubject | undefined;
  },
): Promise<AuthorizeOutcome> {
  const { authorization, target } = interaction;
  const mayAsk = !authorization.request.prompt.includes("none");

  // 11. Who is signed in
  const login = checkLogin(context, authorization, subject);
  if (login.status === "unmet") throw refuseRedirect(target, "unmet_authentication_requirements");
  if (login.status === "login") {
    if (!mayAsk) throw refuseRedirect(target, "login_required");
    await keep(context, exchange, interaction);
    return { kind: "login", interaction, reason: login.reason };
  }

  // 12. Consent
  if (await needsConsent(context, interaction, login.subject)) {
    if (!mayAsk) throw refuseRedirect(target, "consent_required");
    await keep(context, exchange, interaction);
    return { kind: "consent", interaction, subject: login.subject };
  }

  // 13. The code
  return await issueCode(context, interaction, login.subject, authorization.request.scope);
}

/** The user's decision: the request is the stored one, whatever the form says; only scopes may be left out. */
async function decide(
  context: ServerContext,
  exchange: Exchange,
  form: URLSearchParams,
): Promise<AuthorizeOutcome> {
  const { request } = exchange;
  const interaction = await resumeInteraction(context, request, form.get("id") ?? "");
  const { authorization, target } = interaction;
  const subject = await context.authenticate(request);
  const login = checkLogin(context, authorization, subject);
  // The session may have ended while the page was shown: the user signs in, and is asked again
  if (login.status !== "signed_in") {
    return await proceed(context, exchange, { interaction, subject });
  }
  const question = questionOf(interaction, login.subject.sub);
  const decision = await readConsent(context, { request, form, question });
  if (decision.kind === "allowed") {
    return await issueCode(context, interaction, login.subject, decision.scope);
  }
  const { id, issuer, clientId, createdAt, expiresAt } = authorization;
  const denied = { state: "denied", id, issuer, clientId, createdAt, expiresAt } as const;
  await advance(context, interaction, denied);
  throw refuseRedirect(target, "access_denied");
}

/**
 * Whether the user must be asked. Any program of the device can claim to be a native client, RFC 8252 §8.6, or listen on a loopback
 * address.
 */
async function needsConsent(
  context: ServerContext,
  { authorization, target }: Interaction,
  { sub }: AuthorizationSubject,
): Promise<boolean> {
  const { client, isLoopback } = target;
  const { prompt, scope } = authorization.request;
  // All installations of a program share its document, and what it says may change
  if (context.hasDocuments && isDocumentId(client.clientId)) return true;
  const resources = grantedResources(context, authorization.request);
  if (client.type === "native" || isLoopback || prompt.includes("consent")) return true;
  if (client.firstParty === true) return false;
  const grants = await listGrants(context, sub);
  return !grants.some((grant) =>
    grant.clientId === client.clientId &&
    scope.every((name) => grant.scope.includes(name)) &&
    resources.every((resource) => grantedResources(context, grant).includes(resource))
  );
}

/** Stores an interaction, unless it is stored. @throws {AuthError} `throttled` */
async function keep(
  context: ServerContext,
  { address }: Exchange,
  interaction: Interaction,
): Promise<void> {
  if (interaction.isKept) return;
  await context.throttle?.challenge({ address });
  await advance(context, interaction, interaction.authorization);
}

/** Stores the next state of an authorization: of concurrent requests one does. @throws {ServerRefusal} A page. */
async function advance(
  { codes }: ServerContext,
  { authorization: { clientId }, version, isKept }: Interaction,
  next: Authorization,
): Promise<void> {
  if (version === undefined) return await codes.create(next);
  if (await codes.update(next, version) === "updated") return;
  throw refusePage(isKept ? "interaction_unknown" : "request_uri_unknown", clientId);
}

/** Issues the code. */
async function issueCode(
  context: ServerContext,
  interaction: Interaction,
  subject: AuthorizationSubject,
  scope: readonly string[],
): Promise<AuthorizeOutcome> {
  const { id, issuer, clientId, request, createdAt } = interaction.authorization;
  const secret = randomToken();
  const at = context.now();
  await advance(context, interaction, {
    state: "issued",
    id,
    issuer,
    clientId,
    request,
    codeHash: await digestText(secret),
    subject,
    scope,
    createdAt,
    expiresAt: at + context.lifetimes.code,
  });
  return { kind: "code", target: interaction.target, code: `${id}.${secret}` };
}
