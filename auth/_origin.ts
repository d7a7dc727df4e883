/**
 * Serialized origins of pages, RFC 6454 §6.2.
 *
 * @module
 */

/** A host name has up to 253 characters. */
const MAX_LENGTH = 300;

/** Parses a URL. */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/**
 * Parses an origin as browsers write that of a page: `https://host` or `https://host:port`, also `http`.
 *
 * @returns `undefined` for any other spelling, `null`, and a wildcard, which a URL may have, but no page.
 */
export function parseOrigin(text: unknown): URL | undefined {
  const url = typeof text === "string" && text.length <= MAX_LENGTH ? parseUrl(text) : undefined;
  if (url === undefined || url.origin !== text || !/^https?:$/.test(url.protocol)) return undefined;
  return url.hostname.includes("*") ? undefined : url;
}
