/**
 * The interface between the router and authentication: guards, and integrations that add a guard to a router.
 *
 * @module
 */

import type { AccessRules, RouteAccess, SchemeStrategy } from "./access.ts";
import type { ErrorHandler, Middleware, ResponseHook, RouteOptions } from "./handler.ts";
import type { RouteRequest } from "./request.ts";

/**
 * Authenticates a request, before anything else of its route. It returns the principal, `undefined` for an anonymous
 * request, or throws a marked error ({@linkcode HttpError}) to reject. Any other thrown value is a 500, never a pass. It checks
 * `access.amr` and `access.maxAge`.
 */
export type RouteGuard<
  Subject,
  Args extends unknown[] = unknown[],
  Rules extends AccessRules = AccessRules,
> = (
  req: RouteRequest,
  access: RouteAccess<Rules>,
  ...args: Args
) => Subject | undefined | Promise<Subject | undefined>;

/** Adds a route of an integration, which does not depend on the router's extra arguments or subject. */
export type AddRoute = (
  path: string,
  handler: (req: RouteRequest, ...args: unknown[]) => Response | Promise<Response>,
  options?: RouteOptions<unknown[]>,
) => RouteTarget;

/** The part of a router that an integration adds its routes to. */
export type RouteTarget = {
  readonly [M in "get" | "head" | "options" | "delete" | "all" | "post" | "put" | "patch"]:
    AddRoute;
};

/** How authentication is installed on a router. `Rules` are what it understands of a route's access. */
export interface AuthIntegration<
  Subject,
  Args extends unknown[] = unknown[],
  in Rules extends AccessRules = AccessRules,
> {
  /** Authenticates the requests of every route that is added afterwards. */
  readonly guard: RouteGuard<Subject, Args, Rules>;
  /**
   * Decides what the principal may do: called after the guard, with `params` and `query` that have passed their schemas,
   * and before the route's middleware and the body. It checks `access.authorization` and `access.scope`, and throws to
   * reject; a returned value is a 500, never a pass. Without it, a route with one of these options,
   * or with `amr` or `maxAge`, is rejected when it is added.
   */
  authorize?(
    req: RouteRequest,
    subject: Subject | undefined,
    access: RouteAccess<Rules>,
    ...args: Args
  ): void | Promise<void>;
  /**
   * Whether a guarded route must have the option `authorization`; one without it is then rejected when it is added.
   *
   * @default {"optional"}
   */
  readonly authorizationPolicy?: "optional" | "required";
  /** Middleware of every request to the router, before the router's own. */
  readonly before?: readonly Middleware<Args>[];
  /** Middleware of every guarded route and mount, before the guard. */
  readonly use?: readonly Middleware<Args>[];
  /** The guard's strategies. The security of the OpenAPI document is derived from them. */
  readonly strategies?: readonly SchemeStrategy[];
  /** Value of `WWW-Authenticate` on the router's own 401, RFC 9110 §11.6.1. @default {"Session"} */
  readonly challenge?: string;
  /** Adds the integration's own routes, which are guarded unless they set `auth: false`. */
  routes?(router: RouteTarget): void;
  /** Handles errors, before the router's own `catch`. */
  readonly catch?: ErrorHandler<Args>;
  /** Called with every response, after the router's own `finally` hooks. */
  readonly finally?: ResponseHook<Args>;
}

/**
 * Marks middleware that only decides about access: it runs again while a connection stays open that it let pass.
 *
 * @internal
 */
export function markGuard<Guard extends object>(middleware: Guard): Guard {
  return Object.assign(middleware, { guards: true });
}
