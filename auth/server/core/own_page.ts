/**
 * Forms of the server's own pages.
 *
 * @module
 */

/**
 * Whether a form comes from a page of this server. Browsers that do not send `Sec-Fetch-Site` send the origin, or `null` because of
 * the page's `Referrer-Policy`; then the token in the form decides alone.
 */
export function isOwnPage({ headers }: Request, origin: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  const from = headers.get("Origin");
  return from === null || from === "null" || from === origin;
}
