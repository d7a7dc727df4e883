/**
 * Middleware that provides data to handlers, with its type.
 *
 * @module
 */

import { andThen } from "./_promise.ts";
import type { MiddlewareResult } from "./handler.ts";
import { originalRequest, type RequestLike } from "./original_request.ts";
import type { NoLocals, RouteRequest } from "./request.ts";
import { isResponse } from "./response.ts";

/**
 * Middleware that provides data, created by {@linkcode provide}. `Provided` becomes part of `req.locals`; `Req` is the request
 * that it needs.
 */
export interface LocalsProvider<
  Args extends unknown[] = [],
  Provided = NoLocals,
  Req = RouteRequest,
> {
  /** Runs as middleware. */
  (req: Req, ...args: Args): MiddlewareResult;
  /**
   * What it provided for a request, for code whose `req.locals` has no type: controllers, `under`, `catch`, mounted routers.
   *
   * @param request The router's request, or the standard one.
   * @throws {TypeError} If it did not run for the request.
   */
  of(request: RequestLike): Provided;
}

/**
 * Creates middleware of a function that returns data for handlers: its properties become properties of `req.locals`, as a
 * promise too. A response ends the request instead.
 *
 * `router.provide()` gives a router whose routes run it, and know the type. Elsewhere, as in `use` or `under`, read the data
 * with `of()`. If the function needs what another one provided or the principal, its parameter says so:
 * `TypedRequest<RequestSpec, Principal | undefined, { tenant: Tenant }>`.
 *
 * @example
 * ```ts
 * import { createRouter, json, problem, provide } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const tenant = provide((req) => {
 *   const name = req.headers.get("X-Tenant");
 *   return name === null ? problem(400, "no_tenant") : { tenant: { name } };
 * });
 *
 * const router = createRouter();
 * router.provide(tenant).get("/", (req) => json(req.locals.tenant.name));
 *
 * const response = await router.request("/", { headers: { "X-Tenant": "acme" } });
 * assertEquals(await response.json(), "acme");
 * assertEquals((await router.request("/")).status, 400);
 * ```
 */
export function provide<
  Result extends object,
  Args extends unknown[] = [],
  Req = RouteRequest,
>(
  find: (req: Req, ...args: Args) => Result | Promise<Result>,
): LocalsProvider<Args, Exclude<Result, Response>, Req> {
  type Provided = Exclude<Result, Response>;
  const provided = new WeakMap<Request, Provided>();
  const middleware = (req: Req, ...args: Args): MiddlewareResult =>
    andThen(find(req, ...args), (result) => {
      if (isResponse(result)) return result;
      const request = req as RouteRequest;
      Object.assign(request.locals, result);
      provided.set(originalRequest(request), result as Provided);
      return undefined;
    });
  return Object.assign(middleware, {
    of(request: RequestLike): Provided {
      const found = provided.get(originalRequest(request));
      if (found !== undefined) return found;
      throw new TypeError("Cannot read locals: their provider did not run for this request");
    },
  });
}
