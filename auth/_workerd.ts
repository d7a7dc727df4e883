/**
 * Cloudflare's runtime, where one thing is different.
 *
 * @module
 */

/** Whether no request may wait for what another one has begun, and so no promise may be shared. */
export function isWorkerd(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent === "Cloudflare-Workers";
}
