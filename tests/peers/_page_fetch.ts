/**
 * Requests of a page, for clients that would run in one.
 *
 * @module
 */

import type { Client } from "../examples/_notes_service.ts";

/** Sends a request as a browser does for a page of the service: with cookies, and with where it comes from. */
export function pageFetch({ call }: Client): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, body } = request;
    const headers = new Headers(request.headers);
    headers.set("Sec-Fetch-Site", "same-origin"); // W3C Fetch Metadata §2.4
    return await call(pathname + search, {
      method,
      headers,
      ...(body === null ? {} : { body: await request.arrayBuffer() }),
    });
  };
}
