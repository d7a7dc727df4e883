/**
 * The standard request of what GraphQL servers pass to their context: a standard one, or Node.js's.
 *
 * @module
 */

import { parseUrl } from "../_origin.ts";

/** The part of Node.js's `IncomingMessage` that is read. */
export interface IncomingLike {
  /** Method. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url?: string | undefined;
  /** Header fields. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, with duplicates, which `headers` drops. */
  readonly rawHeaders?: readonly string[] | undefined;
}

/** Options of {@linkcode toRequest}. */
export interface RequestOptions {
  /** Payload of `connection_init`. */
  readonly connectionParams: Readonly<Record<string, unknown>> | null | undefined;
  /** Names of header fields that carry credentials. */
  readonly fields: readonly string[];
}

/** The standard request, without a body. One that is standard already is returned as it is, unless parameters add to it. */
export function toRequest(
  incoming: Request | IncomingLike,
  { connectionParams, fields }: RequestOptions,
): Request {
  const added = credentialsOf(connectionParams ?? {}, fields);
  if (incoming instanceof Request && added.length === 0) return incoming;
  const { method = "GET" } = incoming;
  const headers = isStandard(incoming) ? new Headers(incoming.headers) : headersOf(incoming);
  for (const [name, value] of added) headers.append(name, value); // a second credential is an invalid one
  const url = isStandard(incoming) ? incoming.url : urlOf(incoming, headers);
  return new Request(url, { method, headers });
}

/** Servers on Node.js may pass a `Request` of a library. */
function isStandard(incoming: Request | IncomingLike): incoming is Request {
  return typeof incoming.headers.get === "function";
}

function credentialsOf(
  connectionParams: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): [string, string][] {
  const names = new Set(fields.map((name) => name.toLowerCase()));
  return Object.entries(connectionParams)
    .filter((entry): entry is [string, string] =>
      names.has(entry[0].toLowerCase()) && typeof entry[1] === "string"
    );
}

/** Node.js drops duplicates of some fields: with two credentials, the first one would count. */
function headersOf({ headers: given, rawHeaders }: IncomingLike): Headers {
  const headers = new Headers();
  const fields = rawHeaders === undefined ? Object.entries(given) : pairsOf(rawHeaders);
  const cookies: string[] = []; // HTTP/2 may split them, RFC 9113 §8.2.3
  for (const [name, value] of fields) {
    if (value === undefined || name.startsWith(":")) continue; // a pseudo-header field of HTTP/2
    for (const one of typeof value === "string" ? [value] : value) {
      if (name.toLowerCase() === "cookie") cookies.push(one);
      else headers.append(name, one);
    }
  }
  if (cookies.length > 0) headers.set("Cookie", cookies.join("; "));
  const authority = given[":authority"];
  if (typeof authority === "string" && !headers.has("Host")) headers.set("Host", authority);
  return headers;
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    pairs.push([rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""]);
  }
  return pairs;
}

/** A host that is none matches no origin. */
function urlOf({ url = "/" }: IncomingLike, headers: Headers): string {
  const path = url.startsWith("/") ? url : "/";
  const host = headers.get("Host") ?? "";
  return parseUrl(`http://${host}${path}`)?.href ?? `http://invalid${path}`;
}
