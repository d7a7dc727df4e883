/**
 * Responses of handlers: typed JSON, redirects and empty responses, and `pass()`.
 *
 * @module
 */

import { HOST } from "./internals.ts";

/**
 * A response with a type for its data, and for its status if that is a literal. Created by {@linkcode json}; a plain
 * `Response` is not assignable.
 */
export interface TypedResponse<T = unknown, Status extends number = number> extends Response {
  /** The status. */
  readonly status: Status;
  /** Type of the data. Never present at run time. */
  readonly "~data": T;
}

/** What {@linkcode pass} returns; `undefined` at run time. */
export interface Pass {
  /** Distinguishes it from a missing `return`. */
  readonly "~pass": true;
}

/** Statuses that redirect, RFC 9110 §15.4. */
export type RedirectStatus = 301 | 302 | 303 | 307 | 308;

/**
 * Creates a JSON response, RFC 8259.
 *
 * @param data Any value that `JSON.stringify` accepts.
 * @param init Status and header fields; a given `Content-Type` is kept.
 * @throws {TypeError} If `data` is not serializable: `undefined`, a function, a BigInt or a cycle.
 *
 * @example
 * ```ts
 * import { json } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const response = json({ id: 7 }, { status: 201 });
 * assertEquals(response.status, 201);
 * assertEquals(await response.json(), { id: 7 });
 * ```
 */
export function json<T>(data: T): TypedResponse<T, 200>;
/** Creates a JSON response with a status or header fields. @param init A given `Content-Type` is kept. */
export function json<T, const Status extends number = number>(
  data: T,
  init: (ResponseInit & { readonly status?: Status }) | undefined,
): TypedResponse<T, Status>;
export function json(data: unknown, init?: ResponseInit): Response {
  // An init object makes Response.json() several times slower on Deno; most responses have none.
  return init === undefined && HOST.createResponse === undefined
    ? NativeResponse.json(data)
    : jsonWith(data, init);
}

/**
 * Creates a redirect.
 *
 * @param location Absolute or relative reference. Validate it if it comes from the client.
 * @param status 303 after a form, 307 or 308 to keep the method. @default {302}
 * @throws {TypeError} If `location` has a character that is invalid in a header field.
 */
export function redirect(location: string): TypedResponse<never, 302>;
/** Creates a redirect with a status. */
export function redirect<const Status extends RedirectStatus>(
  location: string,
  status: Status,
): TypedResponse<never, Status>;
export function redirect(location: string, status: RedirectStatus = 302): Response {
  return new Response(null, { status, headers: [["Location", location]] });
}

/** Creates a response without a body. @param status For example 202, 204 or 304. @default {204} */
export function empty(): TypedResponse<never, 204>;
/** Creates a response without a body. @param status For example 202, 204 or 304. */
export function empty<const Status extends number>(
  status: Status,
  init?: ResponseInit,
): TypedResponse<never, Status>;
export function empty(status = 204, init: ResponseInit = {}): Response {
  return new Response(null, { ...init, status });
}

/**
 * Return it from a handler to let the next matching route answer. It is `undefined` at run time, like a missing `return`:
 * if no later route matches, the response is a 500, so the last route should return `problem(404, "not_found")`.
 */
export function pass(): Pass {
  return undefined as unknown as Pass;
}

/**
 * Edits a response's header fields: in place, or on a copy if they are immutable (a response from `fetch()` or
 * `Response.redirect()`). Copying doubles the time of a request on Deno, so it is the exception.
 *
 * @returns The response or its copy.
 */
export function editHeaders(response: Response, edit: (headers: Headers) => void): Response {
  try {
    edit(response.headers);
    return response;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const copy = new Response(response.body, response);
    edit(copy.headers); // throws again if the edit itself is invalid
    return copy;
  }
}

/** The global class. On Deno each access to the global runs a getter, which is measurable per request. */
const NativeResponse = Response;

/** Whether a value is a response, of this realm or another. */
export function isResponse(value: unknown): value is Response {
  return value instanceof NativeResponse ||
    Object.prototype.toString.call(value) === "[object Response]";
}

/** Cancels a body that will not be read, to release its resources. */
export function discardBody(response: Response): void {
  if (response.body !== null && !response.body.locked) response.body.cancel().catch(() => {});
}

function jsonWith(data: unknown, init: ResponseInit | undefined): Response {
  const text = JSON.stringify(data);
  if (text === undefined) {
    throw new TypeError("Cannot create a JSON response: the data is not serializable");
  }
  if (HOST.createResponse !== undefined) return HOST.createResponse(text, JSON_TYPE, init);
  if (init?.headers === undefined) {
    return new Response(text, { ...init, headers: [["Content-Type", JSON_TYPE]] });
  }
  const headers = new Headers(init.headers);
  if (!headers.has("Content-Type")) headers.set("Content-Type", JSON_TYPE);
  return new Response(text, { ...init, headers });
}

const JSON_TYPE = "application/json";
