/**
 * Authorization requests that clients push, RFC 9126.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { type SubjectSite, subjectSite } from "./_authorize.ts";
import { basic, ISSUER, type Params, SECRET, type ServerSite, type SiteOptions } from "./_site.ts";

/** The start of every reference, §2.2. */
export const URN = "urn:ietf:params:oauth:request_uri:";

/** How the client `web` authenticates. */
export const WEB: { readonly Authorization: string } = basic("web", SECRET);

/** A site whose clients may push requests. */
export function pushedSite(given: SiteOptions = {}): SubjectSite {
  return subjectSite({ ...given, server: { pushedRequests: true, ...given.server } });
}

/** Pushes the parameters of an authorization request, by default those of `web`. */
export async function push(
  site: ServerSite,
  params: Params = {},
  headers: Readonly<Record<string, string>> = params["client_id"] === undefined ? WEB : {},
): Promise<Response> {
  const path = site.authorizePath({ client_id: "web", ...params });
  const body = new URL(path, ISSUER).searchParams;
  return await site.send("/oauth/par", { method: "POST", headers, body });
}

/** The reference of a request that was pushed. */
export async function pushedUri(...request: Parameters<typeof push>): Promise<string> {
  const response = await push(...request);
  assertEquals(response.status, 201);
  return (await response.json()).request_uri;
}

/** Where a client sends the browser with a reference. */
export function usePath(request_uri: string, params: Params = {}): string {
  const entries = Object.entries({ client_id: "web", request_uri, ...params });
  const query = entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(query)}`;
}
