/**
 * Redirect URIs: which may be registered, and which of a request is one of them. RFC 9700 §2.1: strings are compared exactly, only
 * the port of a native client's loopback URI may differ (RFC 8252 §7.3). Nothing that a request contains is normalized.
 *
 * @module
 */

import { parseUrl } from "../../_origin.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";

type ClientType = RegisteredClient["type"];

const MAX_LENGTH = 2048;

/** The characters of RFC 3986: no whitespace, control character or backslash, and `%` only with two hexadecimal digits. */
const URI_REGEXP = /^(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i;

/** RFC 8252 §7.1: a domain name of the developer, reversed. No scheme with a meaning of its own has a dot. */
const PRIVATE_USE_REGEXP = /^[a-z][a-z\d+-]*(?:\.[a-z\d+-]+)+:\//;

/** RFC 8252 §7.3, and `localhost`, which most native clients use: scheme and host, port, path and query. */
const LOOPBACK_REGEXP =
  /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?([/?].*)?$/;

/** Hosts of the user's own device, RFC 6761 §6.3: more than may be registered with `http`. */
const DEVICE_HOST_REGEXP = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/;

/** A rule for redirect URIs. */
interface Rule {
  /** What a redirect URI must be. */
  readonly text: string;
  readonly isMet: (uri: string, url: URL, type: ClientType) => boolean;
}

const RULES: readonly Rule[] = [
  { text: "must not have a fragment", isMet: (uri) => !uri.includes("#") }, // RFC 6749 §3.1.2
  {
    text: "must not have a user name or password",
    isMet: (_, { username, password }) => username === "" && password === "",
  },
  {
    text:
      "must be https, or http to localhost, 127.0.0.1 or [::1], or for native clients of a scheme such as com.example.app:/",
    isMet: (uri, url, type) =>
      url.protocol === "https:" || LOOPBACK_REGEXP.test(uri) ||
      (type === "native" && PRIVATE_USE_REGEXP.test(uri)),
  },
  {
    text: "must not have a wildcard in its host",
    isMet: (_, { hostname }) => !hostname.includes("*"),
  },
  { text: "must not have port 0", isMet: (_, { port }) => port !== "0" },
  {
    text: "must be spelled as browsers do: lower-case host, no default port, no dot segments",
    isMet: isSpelledAsUrl,
  },
];

/**
 * The rule that a redirect URI breaks, for a message that does not contain the URI: `must not have a fragment`.
 *
 * @returns `undefined` if it may be registered.
 */
export function redirectUriViolation(uri: unknown, type: ClientType): string | undefined {
  if (typeof uri !== "string" || uri.length > MAX_LENGTH || !URI_REGEXP.test(uri)) {
    return "must be a URI of at most 2,048 characters (RFC 3986)";
  }
  const url = parseUrl(uri);
  if (url === undefined) return "must be absolute";
  return RULES.find(({ isMet }) => !isMet(uri, url, type))?.text;
}

/** Whether a redirect URI may be registered: `https`, `http` to this device, or a native client's private-use scheme. */
export function isRegistrableRedirectUri(uri: string, type: ClientType): boolean {
  return redirectUriViolation(uri, type) === undefined;
}

/**
 * Compares the redirect URI of a request with those of the client. A stored one that could not be registered now is ignored.
 *
 * @param options `insecureLoopback` also allows `http` redirect URIs of web clients, for development.
 * @returns The URI of the request, or `undefined` if it is not one of the client's.
 */
export function matchRedirectUri(
  { type, redirectUris }: Pick<RegisteredClient, "type" | "redirectUris">,
  presented: string,
  { insecureLoopback }: { readonly insecureLoopback: boolean },
): string | undefined {
  const isNative = type === "native";
  if (!isNative && !insecureLoopback && !presented.startsWith("https:")) return undefined;
  const isMatch = redirectUris.some((registered) =>
    (registered === presented || (isNative && isSameButForPort(registered, presented))) &&
    isRegistrableRedirectUri(registered, type)
  );
  return isMatch ? presented : undefined;
}

/**
 * Whether the response goes to a program on the user's own device, which any other program there can claim to be, RFC 8252 §8.6:
 * to the loopback interface, or by a private-use scheme.
 *
 * @param uri A redirect URI that {@linkcode matchRedirectUri} returned.
 */
export function isLoopbackRedirect(uri: string): boolean {
  const url = new URL(uri);
  return !isHttp(url) || DEVICE_HOST_REGEXP.test(url.hostname);
}

/**
 * Where a redirect URI leads, for the user: host and port, or the private-use scheme with its colon.
 *
 * @param uri A redirect URI that {@linkcode matchRedirectUri} returned.
 */
export function redirectHost(uri: string): string {
  const url = new URL(uri);
  return isHttp(url) ? url.host : url.protocol;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === "https:" || protocol === "http:";
}

/** Whether two strings are loopback URIs that differ in the port at most. Both are read by a pattern, not by a URL parser. */
function isSameButForPort(registered: string, presented: string): boolean {
  const [, host, , rest] = LOOPBACK_REGEXP.exec(registered) ?? [];
  const [, presentedHost, port = "1", presentedRest] = LOOPBACK_REGEXP.exec(presented) ?? [];
  return host !== undefined && host === presentedHost && rest === presentedRest &&
    Number(port) <= 65_535;
}

/** Only one spelling of each URL can be registered; but an empty path, which `URL` makes `/`, may stay empty. */
function isSpelledAsUrl(uri: string, { href, origin, pathname }: URL): boolean {
  return href === uri || (pathname === "/" && origin + href.slice(origin.length + 1) === uri);
}
