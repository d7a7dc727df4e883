/**
 * Responses that all endpoints have in common.
 *
 * @module
 */

/** Nothing of the server may be stored: codes, tokens, pages with a user's name. RFC 6749 §5.1 */
export const PRIVATE = { "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" } as const;

/** By GET, whatever the method of the request was: RFC 9700 §4.12. */
export function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { ...PRIVATE, Location: location } });
}

/** JSON that only the client may have. */
export function privateJson(body: unknown, init: ResponseInit = {}): Response {
  const headers = { "Content-Type": "application/json", ...init.headers, ...PRIVATE }; // Bun would add a charset
  return Response.json(body, { ...init, headers });
}

/** What a page of the application has unless it says otherwise: RFC 9700 §4.16 and §4.2.4. */
const PAGE_DEFAULTS = { "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin" } as const;

/** A page that may be the application's, with cookies of ours. */
export function userPage(page: Response, cookies: readonly string[] = []): Response {
  const response = new Response(page.body, page);
  for (const [name, value] of Object.entries(PAGE_DEFAULTS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  response.headers.set("Cache-Control", "no-store");
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}
