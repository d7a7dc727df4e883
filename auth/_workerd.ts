/**
 * Detection of Cloudflare's runtime.
 *
 * @module
 */

/** Whether the runtime is workerd, where a request must not wait for a promise of another request. */
export function isWorkerd(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent === "Cloudflare-Workers";
}
