/**
 * `withAuthErrors`: responses for refusals.
 *
 * @module
 */

import { errorResponse } from "../../router/problem.ts";
import type { ErrorHandler } from "../../router/types.ts";
import { AuthError } from "../error.ts";
import type { RefusalHandler } from "./types.ts";

/**
 * Creates an error handler that responds to {@linkcode AuthError}s, and leaves other errors to the next one. Errors with a
 * status of 500 or more are left to the router, which reports them.
 *
 * @param handler Responds to some of them in another way: a page for browsers, a redirect to the sign-in page.
 * @throws {TypeError} If the handler is not a function.
 *
 * @example
 * ```ts
 * import { AuthError, createRouter, redirect, withAuthErrors } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const toSignIn = withAuthErrors(({ status }, { headers }) =>
 *   status === 401 && headers.get("Accept")?.includes("text/html")
 *     ? redirect("/sign-in", 303)
 *     : undefined
 * );
 * const router = createRouter({ catch: toSignIn }).get("/me", () => {
 *   throw new AuthError("unauthenticated");
 * });
 *
 * assertEquals((await router.request("/me")).status, 401);
 * const page = await router.request("/me", { headers: { Accept: "text/html" } });
 * assertEquals(page.headers.get("Location"), "/sign-in");
 * ```
 */
export function withAuthErrors(handler?: RefusalHandler): ErrorHandler<unknown[]> {
  if (handler !== undefined && typeof handler !== "function") {
    throw new TypeError("Cannot create error handler: handler must be a function");
  }
  return async (error, req, ...args) => {
    if (!(error instanceof AuthError)) return undefined;
    const response = await handler?.(error, req, ...args);
    if (response !== undefined) return response;
    return error.status < 500 ? errorResponse(error) : undefined;
  };
}
