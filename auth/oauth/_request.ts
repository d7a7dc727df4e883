/**
 * Requests to a provider: their limits, and what their failures mean.
 *
 * @module
 */

import { FetchError, fetchJson, fetchStatus } from "../_fetch_json.ts";
import { publicUrl } from "../_public_url.ts";
import type { OAuthFailure } from "../events.ts";
import type { RequestContext } from "./_context.ts";
import { oauthError } from "./_failure.ts";

/** A request. */
export interface ProviderRequest {
  readonly url: string;
  /** Form to send by POST. @default {GET} */
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The failure for any other status than 200, unless the provider does not answer. */
  readonly refused: OAuthFailure;
  /** The failure for an answer that is not JSON within the limits. @default what `refused` is */
  readonly malformed?: OAuthFailure | undefined;
}

const MAX_BYTES = 65_536;
const TIMEOUT_MS = 5_000;

/** Requests JSON. @throws {AuthError} `provider_unreachable`, or the request's failure. */
export async function requestJson(
  context: RequestContext,
  request: ProviderRequest,
): Promise<unknown> {
  return await attempt(request, async () => {
    const { value } = await fetchJson(urlOf(context, request), optionsOf(context, request));
    return value;
  });
}

/** Sends a form; the body of the response does not matter. @throws {AuthError} As {@linkcode requestJson}. */
export async function sendForm(context: RequestContext, request: ProviderRequest): Promise<void> {
  await attempt(request, () => fetchStatus(urlOf(context, request), optionsOf(context, request)));
}

/** Whether a document with status 200 is an error: `error` at GitHub, `ok: false` at Slack. */
export function isErrorDocument(document: Readonly<Record<string, unknown>>): boolean {
  return document["error"] !== undefined || document["ok"] === false;
}

function urlOf({ insecureLoopback }: RequestContext, { url }: ProviderRequest): string {
  return publicUrl("Cannot send request to provider", url, { insecureLoopback }).href;
}

function optionsOf({ fetch }: RequestContext, { form, headers }: ProviderRequest) {
  return {
    accept: "application/json",
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    fetch,
    form,
    headers,
  };
}

async function attempt<Result>(
  request: ProviderRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause;
    throw oauthError(failureReason(request, cause), { cause });
  }
}

/** Without a connection, and with too many requests or an internal error, the provider does not answer now. */
function failureReason(
  { refused, malformed = refused }: ProviderRequest,
  { failure, status = 0 }: FetchError,
): OAuthFailure {
  switch (failure) {
    case "connection":
      return "provider_unreachable";
    case "status":
      return status === 429 || status >= 500 ? "provider_unreachable" : refused;
    case "content":
      return malformed;
  }
}
