/**
 * Requests to the token endpoint and the revocation endpoint, RFC 6749 §5 and RFC 7009.
 *
 * @module
 */

import { isJsonObject } from "../_strict_json.ts";
import { authenticateClient } from "./_client_authentication.ts";
import type { ClientContext } from "./_context.ts";
import { check } from "./_failure.ts";
import { isErrorDocument, requestJson, sendForm } from "./_request.ts";
import type { OAuthTokens } from "./client_types.ts";

/** `access_token`, RFC 6749 Appendix A.12, in a length that fits into a header field. */
const TOKEN_REGEXP = /^[\x20-\x7e]{1,16384}$/;

const SECONDS_REGEXP = /^\d{1,10}$/;

/** Longer lifetimes are as good as none. */
const MAX_SECONDS = 2 ** 31 - 1;

/** Requests tokens. @throws {AuthError} `token_refused`, `token_response_malformed` or `provider_unreachable` */
export async function requestTokens(
  context: ClientContext,
  grant: Readonly<Record<string, string>>,
): Promise<OAuthTokens> {
  const { provider, now } = context;
  const { metadata } = await context.server();
  const credentials = await authenticateClient(provider, metadata, now);
  const at = now();
  const answer = await requestJson(context, {
    url: metadata.token_endpoint,
    form: { ...grant, ...credentials.parameters },
    headers: { ...provider.tokenHeaders, ...credentials.headers },
    refused: "token_refused",
    malformed: "token_response_malformed",
  });
  check(isJsonObject(answer), "token_response_malformed");
  check(!isErrorDocument(answer), "token_refused");
  return readTokens(answer, at);
}

/** Revokes a token. @returns `false` if there is no endpoint. @throws {AuthError} `token_refused` or `provider_unreachable` */
export async function revokeToken(context: ClientContext, token: string): Promise<boolean> {
  const { provider, now } = context;
  const { metadata } = await context.server();
  const { revocation_endpoint: url } = metadata;
  if (url === undefined) return false;
  const { parameters, headers } = await authenticateClient(provider, metadata, now);
  await sendForm(context, {
    url,
    form: { token, ...parameters },
    headers,
    refused: "token_refused",
  });
  return true;
}

function readTokens(answer: Readonly<Record<string, unknown>>, at: number): OAuthTokens {
  const { access_token, token_type, expires_in, refresh_token, id_token, scope } = answer;
  check(isToken(access_token), "token_response_malformed");
  check(
    typeof token_type === "string" && token_type.toLowerCase() === "bearer", // §7.1
    "token_response_malformed",
  );
  check(refresh_token === undefined || isToken(refresh_token), "token_response_malformed");
  check(id_token === undefined || isToken(id_token), "token_response_malformed");
  const seconds = readSeconds(expires_in);
  return {
    accessToken: access_token,
    ...(seconds === undefined ? {} : { expiresAt: at + seconds }),
    ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
    ...(id_token === undefined ? {} : { idToken: id_token }),
    scope: readScope(scope),
  };
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && TOKEN_REGEXP.test(value);
}

/** A number, which some servers send as a string. Anything else says nothing: `expires_in` is recommended only, §5.1. */
function readSeconds(value: unknown): number | undefined {
  const seconds = typeof value === "string" && SECONDS_REGEXP.test(value) ? Number(value) : value;
  const isLifetime = typeof seconds === "number" && seconds >= 1 && seconds <= MAX_SECONDS;
  return isLifetime ? Math.floor(seconds) : undefined;
}

/** Separated by spaces, §3.3; by commas at GitHub, and an array at Twitch. */
function readScope(scope: unknown): readonly string[] {
  const parts: readonly unknown[] = typeof scope === "string"
    ? scope.split(/[ ,]+/)
    : Array.isArray(scope)
    ? scope
    : [];
  return parts.filter((part): part is string => typeof part === "string" && part !== "");
}
