/**
 * The request that a message is sent for.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import type { RouteRequest } from "../../router/types.ts";
import type { MessageContext } from "../accounts/account_types.ts";
import type { AuthRuntime } from "./types.ts";

/** What a message is sent for, and to whom. */
export async function messageContext(
  runtime: AuthRuntime<never>,
  req: RouteRequest,
  args: readonly unknown[],
): Promise<MessageContext> {
  return {
    client: runtime.client(req, ...args),
    browser: await runtime.csrf.binding(originalRequest(req)),
    locale: req.headers.get("Accept-Language"),
    waitUntil: waitUntilOf(args),
  };
}

/** The function of hosts that end with the response, among what they pass to `fetch`: workerd's `ExecutionContext`. */
function waitUntilOf(args: readonly unknown[]): MessageContext["waitUntil"] {
  for (const arg of args) {
    const host = arg as { waitUntil?(promise: Promise<void>): void } | null | undefined;
    if (typeof host?.waitUntil === "function") return (delivery) => host.waitUntil?.(delivery);
  }
  return undefined;
}
