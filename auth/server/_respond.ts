/**
 * Responses of the authorization server.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import { consentPrompt } from "./_consent.ts";
import type { Exchange, ServerContext } from "./_context.ts";
import type { AuthorizeOutcome } from "./_authorize.ts";
import type { Interaction } from "./_interaction.ts";
import { errorPage } from "./_pages.ts";
import {
  type Failure,
  pageStatusOf,
  type ResponseTarget,
  ServerRefusal,
  tokenErrorOf,
} from "./_refusal.ts";
import type { UserinfoOutcome } from "./_userinfo.ts";
import { formPostPage } from "./form_post_page.ts";

/** Nothing of the server may be stored: codes, tokens, pages with a user's name. RFC 6749 §5.1 */
const PRIVATE = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" } as const;

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
      return withCookies(await context.login(prompt), outcome.interaction);
    }
    case "consent": {
      const { interaction, subject } = outcome;
      const prompt = await consentPrompt(context, request, interaction, subject);
      return withCookies(await context.consent(prompt), interaction);
    }
  }
}

/** The parameters of a response, on their way to the client, with `state` and with `iss` (RFC 9207). */
function respondToClient(
  { issuer, strings }: ServerContext,
  { redirectUri, responseMode, state }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
): Response {
  const all = { ...parameters, ...(state === undefined ? {} : { state }), iss: issuer };
  if (responseMode === "form_post") return formPostPage(redirectUri, all, strings());
  const separator = redirectUri.includes("?") ? "&" : "?";
  return seeOther(redirectUri + separator + new URLSearchParams(all));
}

/** By GET, whatever the method of the request was: RFC 9700 §4.12. */
function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...PRIVATE, Location: location } });
}

/** What a page of the application has unless it says otherwise: RFC 9700 §4.16 and §4.2.4. */
const PAGE_DEFAULTS = { "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin" } as const;

function withCookies(page: Response, { cookies }: Interaction): Response {
  const response = new Response(page.body, page);
  for (const [name, value] of Object.entries(PAGE_DEFAULTS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  response.headers.set("Cache-Control", "no-store");
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}

/** JSON that only the client may have. */
export function privateJson(body: unknown, init: ResponseInit = {}): Response {
  const headers = { "Content-Type": "application/json", ...init.headers, ...PRIVATE }; // Bun would add a charset
  return Response.json(body, { ...init, headers });
}

/** The response of the UserInfo endpoint, RFC 6750 §3. */
export function respondToUserinfo(
  { issuer }: ServerContext,
  outcome: UserinfoOutcome,
): Response {
  if (outcome.kind === "claims") return privateJson(outcome.claims);
  const { error } = outcome;
  const realm = `Bearer realm="${issuer}"`;
  const status = error === "insufficient_scope" ? 403 : 401;
  const challenge = error === undefined
    ? realm
    : `${realm}, error="${error}"` + (status === 403 ? ', scope="openid"' : "");
  const headers = { ...PRIVATE, "WWW-Authenticate": challenge };
  return new Response(null, { status, headers });
}

/** The response to a request that failed. What is unexpected is reported, and tells the client nothing. */
export function respondToError(
  context: ServerContext,
  exchange: Exchange,
  { error, isPage }: { readonly error: unknown; readonly isPage: boolean },
): Response {
  if (error instanceof ServerRefusal) return refusalResponse(context, exchange, error.failure);
  const { status, headers } = unexpected(context, error);
  if (isPage) return errorPage(ERRORS[status], context.strings(), status, headers);
  return privateJson({ error: ERRORS[status] }, { status, headers });
}

/** Error codes by status, RFC 6749 §4.1.2.1. */
const ERRORS = {
  429: "temporarily_unavailable",
  500: "server_error",
  503: "temporarily_unavailable",
} as const;

function unexpected(
  { warn }: ServerContext,
  error: unknown,
): { readonly status: keyof typeof ERRORS; readonly headers: Readonly<Record<string, string>> } {
  const status = error instanceof AuthError ? error.status : 500;
  if (error instanceof AuthError && status === 429) return { status, headers: error.headers };
  warn("Cannot answer request to the authorization server", error);
  return { status: status === 503 ? 503 : 500, headers: {} };
}

function refusalResponse(
  context: ServerContext,
  { address }: Exchange,
  failure: Failure,
): Response {
  const { emit, issuer, strings } = context;
  switch (failure.kind) {
    case "page": {
      const { reason, clientId } = failure;
      emit("authorization.refused", { reason, clientId, address });
      return errorPage(reason, strings(), pageStatusOf(reason));
    }
    case "redirect": {
      const { target, error, description } = failure;
      emit("authorization.refused", { reason: error, clientId: target.client.clientId, address });
      const more = description === undefined ? {} : { error_description: description };
      return respondToClient(context, target, { error, ...more });
    }
    case "token": {
      const { reason, clientId, isBasic = false } = failure;
      emit("token.refused", { reason, clientId, address });
      const error = tokenErrorOf(reason);
      // RFC 6749 §5.2: a 401 and its challenge only for a client that tried Basic; a browser would show a dialog to others
      const needsChallenge = error === "invalid_client" && isBasic;
      const headers = needsChallenge ? { "WWW-Authenticate": `Basic realm="${issuer}"` } : {};
      return privateJson({ error }, { status: needsChallenge ? 401 : 400, headers });
    }
  }
}
