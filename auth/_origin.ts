/**
 * Serialized origins of pages, RFC 6454 §6.2, and URLs.
 *
 * @module
 */

import { parseUrl } from "../router/request_origin.ts";

export { parseOrigin, parseUrl } from "../router/request_origin.ts";

const LOOPBACK_REGEXP = /^(?:localhost|.+\.localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Parses the identifier of an issuer or an API, which others compare exactly: RFC 8414 §3.3, RFC 9728 §3.3.
 *
 * @returns `undefined` unless it is an `https` URL, or `http` to this machine with `insecureLoopback`, spelled as URL parsers do
 * and without query and fragment.
 */
export function parseIdentifier(text: string, insecureLoopback: boolean): URL | undefined {
  const url = parseUrl(text);
  const isSecure = url?.protocol === "https:" ||
    (insecureLoopback && url?.protocol === "http:" && LOOPBACK_REGEXP.test(url.hostname));
  const isPlain = text === url?.origin || (url !== undefined && text === url.origin + url.pathname);
  return isSecure && isPlain ? url : undefined;
}
