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
