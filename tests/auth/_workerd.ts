/**
 * A simulation of workerd, by its user agent.
 *
 * @module
 */

/** Runs something with the user agent of workerd. */
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
