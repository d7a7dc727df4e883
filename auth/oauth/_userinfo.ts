/**
 * Documents about a user, fetched with the access token: UserInfo, OpenID Connect Core §5.3, and the provider's own.
 *
 * @module
 */

import { isJsonObject } from "../_strict_json.ts";
import type { ClientContext } from "./_context.ts";
import { check } from "./_failure.ts";
import { isErrorDocument, requestJson } from "./_request.ts";
import type { OAuthServerMetadata } from "./provider_types.ts";

type Fetched = Readonly<Record<string, unknown>>;

/** Fetches UserInfo. @throws {AuthError} `userinfo_refused` or `provider_unreachable` */
export async function fetchUserinfo(
  context: ClientContext,
  { userinfo_endpoint: url }: OAuthServerMetadata,
  accessToken: string,
): Promise<Fetched> {
  check(url !== undefined, "userinfo_refused", { detail: "endpoint_missing" });
  const { userinfoHeaders } = context.provider;
  const found = await fetchWithToken(context, { url, headers: userinfoHeaders }, accessToken);
  check(isJsonObject(found), "userinfo_refused");
  return found;
}

/** Fetches the provider's further documents. @throws {AuthError} As {@linkcode fetchUserinfo}. */
export async function fetchDocuments(
  context: ClientContext,
  accessToken: string,
): Promise<Fetched> {
  const { documents = {} } = context.provider;
  const entries = await Promise.all(
    Object.entries(documents).map(async ([name, { url, headers }]) => {
      return [name, await fetchWithToken(context, { url, headers }, accessToken)] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** In the header field only, RFC 6750 §2.1. */
async function fetchWithToken(
  context: ClientContext,
  { url, headers }: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>> | undefined;
  },
  accessToken: string,
): Promise<unknown> {
  const found = await requestJson(context, {
    url,
    headers: { ...headers, Authorization: `Bearer ${accessToken}` },
    refused: "userinfo_refused",
  });
  check(Array.isArray(found) || isJsonObject(found), "userinfo_refused");
  check(Array.isArray(found) || !isErrorDocument(found), "userinfo_refused");
  return found;
}
