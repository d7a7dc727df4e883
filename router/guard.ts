/**
 * The seam between the router and authentication: what a route asks, what a guard answers, and how an integration that
 * brings both joins a router.
 *
 * @module
 */

import type { RouteAccess, SchemeStrategy } from "./access.ts";
import type { ErrorHandler, Middleware, ResponseHook, RouteOptions } from "./handler.ts";
import type { RouteRequest } from "./request.ts";

/**
 * Decides who may pass, before the body is read. It returns the principal, returns `undefined` for an anonymous
 * request, or throws a marked error ({@linkcode HttpError}) to refuse. Anything else it throws is a 500, never a pass.
 */
export type RouteGuard<Subject, Args extends unknown[] = unknown[]> = (
  req: RouteRequest,
  access: RouteAccess,
  ...args: Args
) => Subject | undefined | Promise<Subject | undefined>;

/** Adds a route of an integration, which knows nothing of the router's extra arguments or of its subject. */
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

/** How authentication joins a router, which knows nothing else of it. */
export interface AuthIntegration<Subject, Args extends unknown[] = unknown[]> {
  /** Guards every route that is added later. */
  readonly guard: RouteGuard<Subject, Args>;
  /**
   * Whether the guard asks an authorization manager about `access.authorization`. Where it does not say so, a route with
   * `authorization` is refused when it is added: a guard that knows nothing of it would let everybody pass.
   *
   * @default {false}
   */
  readonly authorizes?: boolean;
  /** Middleware of every guarded route and mount, in front of the guard. */
  readonly use?: readonly Middleware<Args>[];
  /** The strategies that the guard takes credentials by. The OpenAPI document's security follows from them. */
  readonly strategies?: readonly SchemeStrategy[];
  /** Value of `WWW-Authenticate` on the router's own 401, RFC 9110 §11.6.1. @default {"Session"} */
  readonly challenge?: string;
  /** Adds the integration's own routes. The guard covers them unless they say `auth: false`. */
  routes?(router: RouteTarget): void;
  /** Answers for errors, before the router's own `catch`. */
  readonly catch?: ErrorHandler<Args>;
  /** Sees every response, before the router's own `finally` hooks. */
  readonly finally?: ResponseHook<Args>;
}
