/**
 * The transport that a manager got, for tests.
 *
 * @module
 */

import type { AuthorizationContext, HttpTransport } from "@gatehouse/http/auth";
import { assert } from "@std/assert";

/** The route of a decision about a request over HTTP. */
export function httpOf(context: AuthorizationContext | undefined): HttpTransport {
  assert(context?.transport.kind === "http");
  return context.transport;
}
