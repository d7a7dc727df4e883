/**
 * `withAuthErrors`: answers for refusals.
 *
 * @module
 */

import { errorResponse } from "../../router/problem.ts";
import type { ErrorHandler, RouteRequest } from "../../router/types.ts";
import { AuthError } from "../error.ts";

/** Answers for a refusal in the application's own way. Nothing returned means the problem. */
export type RefusalHandler = (
  error: AuthError,
  req: RouteRequest,
  ...args: unknown[]
) => Response | undefined | Promise<Response | undefined>;

/**
 * Makes an error handler that answers for {@linkcode AuthError}s, and leaves other errors to the next one. What is the
 * service's own fault, from 500 on, goes on to the router, which reports it.
 *
 * @throws {TypeError} If the handler is no function.
 * @param handler Answers for some of them in another way: a page for browsers, a redirect to where people sign in.
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
    throw new TypeError("Cannot answer for refusals: the handler is no function");
  }
  return async (error, req, ...args) => {
    if (!(error instanceof AuthError)) return undefined;
    const answer = await handler?.(error, req, ...args);
    if (answer !== undefined) return answer;
    return error.status < 500 ? errorResponse(error) : undefined;
  };
}
