/**
 * Responses to requests that failed, and of the UserInfo endpoint.
 *
 * @module
 */

import { DPOP_ALGORITHMS } from "../dpop/proof.ts";
import { AuthError } from "../error.ts";
import type { Exchange, ServerContext } from "./core/context.ts";
import { respondToClient } from "./authorize/respond.ts";
import { errorPage } from "./core/pages.ts";
import { type Failure, pageStatusOf, ServerRefusal, tokenErrorOf } from "./core/refusal.ts";
import { nonceHeader } from "./core/proof.ts";
import { PRIVATE, privateJson } from "./core/responses.ts";
import type { UserinfoOutcome } from "./_userinfo.ts";

/** The response of the UserInfo endpoint, RFC 6750 §3 and RFC 9449 §7.1. */
export function respondToUserinfo(
  { issuer, dpop }: ServerContext,
  outcome: UserinfoOutcome,
): Response {
  const nonce = nonceHeader(outcome.nonce);
  if (outcome.kind === "claims") return privateJson(outcome.claims, { headers: nonce });
  const { error, scheme = "Bearer" } = outcome;
  const challenges = {
    Bearer: `Bearer realm="${issuer}"`,
    DPoP: `DPoP realm="${issuer}", algs="${DPOP_ALGORITHMS.join(" ")}"`,
  };
  const status = error === "insufficient_scope" ? 403 : 401;
  const challenge = error === undefined
    ? challenges.Bearer + (dpop === undefined ? "" : `, ${challenges.DPoP}`)
    : `${challenges[scheme]}, error="${error}"` + (status === 403 ? ', scope="openid"' : "");
  const headers = { ...PRIVATE, ...nonce, "WWW-Authenticate": challenge };
  return new Response(null, { status, headers });
}

/** The response to a request that failed. What is unexpected is reported, and tells the client nothing. */
export function respondToError(
  context: ServerContext,
  exchange: Exchange,
  { error, isPage }: { readonly error: unknown; readonly isPage: boolean },
): Response {
  if (error instanceof ServerRefusal) {
    return refusalResponse(context, exchange, { failure: error.failure, isPage });
  }
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
  { failure, isPage }: { readonly failure: Failure; readonly isPage: boolean },
): Response {
  const { emit, issuer, strings } = context;
  switch (failure.kind) {
    case "page": {
      const { reason, clientId } = failure;
      emit("authorization.refused", { reason, clientId, address });
      if (isPage) return errorPage(reason, strings(), pageStatusOf(reason));
      return pushError({ error: "invalid_request", error_description: reason });
    }
    case "redirect": {
      const { target, error, description } = failure;
      emit("authorization.refused", { reason: error, clientId: target.client.clientId, address });
      const more = description === undefined ? {} : { error_description: description };
      if (isPage) return respondToClient(context, target, { error, ...more });
      return pushError({ error, ...more });
    }
    case "waiting":
      return privateJson({ error: "authorization_pending" }, { status: 400 });
    case "token": {
      const { reason, clientId, isBasic = false, nonce } = failure;
      emit("token.refused", { reason, clientId, address });
      const error = tokenErrorOf(reason);
      // RFC 6749 §5.2: a 401 and its challenge only for a client that tried Basic; a browser would show a dialog to others
      const needsChallenge = error === "invalid_client" && isBasic;
      const challenge = needsChallenge ? { "WWW-Authenticate": `Basic realm="${issuer}"` } : {};
      const headers = { ...challenge, ...nonceHeader(nonce) };
      return privateJson({ error }, { status: needsChallenge ? 401 : 400, headers });
    }
  }
}

/** The refusal of an authorization request that was pushed: its client is told, RFC 9126 §2.3. */
function pushError(error: Readonly<Record<string, string>>): Response {
  return privateJson(error, { status: 400 });
}
