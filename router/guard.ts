/**
 * The interface between the router and authentication: guards, and integrations that add a guard to a router.
 *
 * @module
 */

import type { AccessRules, RouteAccess, SchemeStrategy } from "./access.ts";
import type { ErrorHandler, Middleware, ResponseHook, RouteOptions } from "./handler.ts";
import type { RouteRequest } from "./request.ts";

/**
 * Decides whether a request may pass, before the body is read. It returns the principal, `undefined` for an anonymous
 * request, or throws a marked error ({@linkcode HttpError}) to reject. Any other thrown value is a 500, never a pass.
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

/** How authentication is installed on a router. `Rules` are what its guard understands. */
export interface AuthIntegration<
  Subject,
  Args extends unknown[] = unknown[],
  in Rules extends AccessRules = AccessRules,
> {
  /** Guards every route that is added afterwards. */
  readonly guard: RouteGuard<Subject, Args, Rules>;
  /**
   * Whether the guard checks `access.authorization` and `access.scope`. Otherwise a route with one of them is rejected
   * when it is added: the guard would ignore it and let every principal pass.
   *
   * @default {false}
   */
  readonly authorizes?: boolean;
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
  /** Called with every response, before the router's own `finally` hooks. */
  readonly finally?: ResponseHook<Args>;
}
