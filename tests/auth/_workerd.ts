/**
 * Cloudflare's runtime, as far as it can be seen: no request may wait for what another one has begun.
 *
 * @module
 */

/** Runs as if on workerd, which says so by the name of its client. */
export async function onWorkerd(work: () => Promise<void>): Promise<void> {
  const own = Object.getOwnPropertyDescriptor(navigator, "userAgent");
  const value = "Cloudflare-Workers";
  Object.defineProperty(navigator, "userAgent", { value, configurable: true });
  try {
    await work();
  } finally {
    if (own === undefined) Reflect.deleteProperty(navigator, "userAgent");
    else Object.defineProperty(navigator, "userAgent", own);
  }
}
