/**
 * Requests that are made up, for what a document says of their answers.
 *
 * @module
 */

import type { Client } from "../examples/_notes_service.ts";
import type { Exchange } from "./_contract.ts";

/** Sends a request for somebody, cookies and CSRF token included. */
export async function exchangeAs(
  { call }: Client,
  path: string,
  init: RequestInit = {},
): Promise<Exchange> {
  const response = await call(path, init);
  return { request: new Request(new URL(path, "http://localhost"), init), response };
}

/** A request with a body of JSON. Text is sent as it is, JSON or not. */
export function jsonInit(method: string, body: unknown, headers = {}): RequestInit {
  return {
    method,
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  };
}
