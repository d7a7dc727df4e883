/**
 * Types of the router: its options, its methods and its list of routes.
 *
 * @module
 */

import type { AccessRules, RegisteredRules, RouteAccess, SchemeStrategy } from "./access.ts";
import type { AuthIntegration } from "./guard.ts";
import type {
  ErrorHandler,
  FetchHandler,
  Middleware,
  MountOptions,
  RequestEvent,
  ResponseHook,
  RouteOptions,
} from "./handler.ts";
import type { GuardedBodyRouteMethod, GuardedRouteMethod } from "./guarded_route_method.ts";
import type { OpenApiInfo } from "./openapi_types.ts";
import type { LocalsProvider } from "./provide.ts";
import type { NoLocals, RequestOf, RouteRequest } from "./request.ts";
import type { AnyParams, Query } from "./markers.ts";
import type { BodyRouteMethod, OnlyNames, RouteMethod } from "./route_method.ts";
import type { RouteValidators } from "./schema.ts";

export type * from "./access.ts";
export type * from "./guard.ts";
export type * from "./handler.ts";
export type * from "./request.ts";

/** Options of `createRouter`. */
export interface RouterOptions<Args extends unknown[] = [], Prefix extends string = string> {
  /** Prefix of every path. */
  prefix?: Prefix | (string & Record<never, never>);
  /** Middleware for every request, before it is matched. */
  before?: readonly Middleware<Args>[];
  /** Responds to thrown values. */
  catch?: ErrorHandler<Args>;
  /** Called with every response, last, in this order. */
  finally?: readonly ResponseHook<Args>[];
  /** Maximum bytes of a body, but not of that of `req.raw`. @default {1_048_576} (10,485,760 for multipart) */
  maxBodyBytes?: number;
  /** Seconds within which a body must arrive that `req.content` or a reader waits for, else 408. @default {30} */
  bodyTimeout?: number;
  /**
   * Called with errors that the client sees as a 500 only, and with marked errors of status 500 and above that have a
   * `cause`, unless `catch` answered. @default console.error
   */
  onError?: (error: unknown, req: RouteRequest) => void;
  /**
   * Called once for each request, when there is a response: for access logs, metrics and traces. It cannot change the
   * response; what it throws goes to `onError`. A mounted router calls its own, and then the router around it.
   */
  onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Title, version and other properties of the OpenAPI document, for the command line. */
  info?: OpenApiInfo;
  /**
   * Check what routes are sent, in parts for which their `schema` has no validator: by method and full pattern, those of
   * routers that are mounted here included. They do not change the OpenAPI document.
   */
  validators?: RouteValidators;
}

/** A registered route or mount. */
export interface RouteInfo {
  /** Method in upper case, or `ALL`. */
  readonly method: string;
  /** Full pattern. */
  readonly pattern: string;
  /** A frozen copy of the options. */
  readonly options: Readonly<RouteOptions<never[]>>;
  /** Whether this is a mounted application. */
  readonly mounted: boolean;
  /** The mounted application, if `createRouter` created it. */
  readonly app: RouteSource | undefined;
  /** What the route requires of the guard, and the guard's strategies. */
  readonly guard: RouteGuardInfo | undefined;
  /** The controller's method that handles the route. */
  readonly origin: RouteOrigin | undefined;
}

/** What guards a route. */
export interface RouteGuardInfo {
  /** What the route requires of the guard. */
  readonly access: RouteAccess;
  /** The integration's strategies; empty if it lists none. */
  readonly strategies: readonly SchemeStrategy[];
}

/** The controller's method that a route was created from. */
export interface RouteOrigin {
  /** Name of the class. */
  readonly controller: string;
  /** Name of the method. */
  readonly method: string;
  /** The class. */
  readonly target: object;
}

/** Something whose routes can be read: every {@linkcode TypedRouter}. */
export interface RouteSource {
  /** Routes and mounts in order of registration. */
  readonly routes: readonly RouteInfo[];
}

/**
 * The methods of a router that add routes: what a function of another file takes. Every router fits whose `fetch` gets these
 * arguments or more, whose routes have these locals or more, and whose guard has the same principal and accepts these rules.
 */
export interface Routes<
  out Args extends unknown[] = [],
  in out Subject = unknown,
  in Rules extends AccessRules = RegisteredRules,
  out Locals = NoLocals,
  out Prefix = unknown,
> {
  /** Adds a GET route, which also answers HEAD. */
  readonly get: MethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds a HEAD route. */
  readonly head: MethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds an OPTIONS route that replaces the automatic response. */
  readonly options: MethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds a DELETE route. */
  readonly delete: MethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds a route for every method. It has no content type check: read and validate the body in the handler. */
  readonly all: MethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds a POST route. */
  readonly post: BodyMethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds a PUT route. */
  readonly put: BodyMethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /** Adds a PATCH route. */
  readonly patch: BodyMethodOf<Args, Subject, Rules, Locals, Prefix, this>;
  /**
   * A view of this router. Each route and mount that is added through the view runs the middleware first, where its own `use`
   * runs: behind the guard. `req.locals` is typed by what it provides. Views nest.
   *
   * @throws {TypeError} If it is not a function.
   */
  provide<Provided>(
    provider: LocalsProvider<Args, Provided, ProviderRequest<Subject, Locals>>,
  ): Routes<Args, Subject, Rules, Locals & Provided, Prefix>;
}

/**
 * A router whose `fetch` answers requests. Once it is guarded, `Subject` is the type of `req.principal`, and `Rules` are what
 * routes may say to the guard. `Locals` is the type of `req.locals`, `Prefix` that of the prefix's parameters.
 */
export interface TypedRouter<
  in out Args extends unknown[] = [],
  in out Subject = unknown,
  in Rules extends AccessRules = RegisteredRules,
  out Locals = NoLocals,
  out Prefix = unknown,
> extends Routes<Args, Subject, Rules, Locals, Prefix> {
  /**
   * Answers a request. Usable unbound: `Deno.serve(router.fetch)`. The info argument of `Deno.serve` belongs to its own request:
   * with another body, omit it or delete `Content-Length`, which is trusted with it.
   */
  readonly fetch: (request: Request, ...args: Args) => Response | Promise<Response>;
  /** Routes and mounts in order of registration. */
  readonly routes: readonly RouteInfo[];
  /** The option `info`. */
  readonly info: OpenApiInfo | undefined;
  /** Answers a path or a request without a server, for tests. @param args What the host would pass to `fetch`. */
  request(pathOrRequest: string | Request, init?: RequestInit, ...args: Args): Promise<Response>;
  /**
   * Runs middleware for every request to or under a path, whether or not a route matches.
   *
   * @throws {TypeError} If the path is not a valid prefix, or the router has begun to answer.
   */
  under(
    path: string,
    ...middleware: Middleware<Args>[]
  ): this;
  /**
   * Mounts any fetch application under a path. It receives the rest of the path, raw, and reads bodies without the router's
   * limits.
   *
   * @throws {TypeError} If the path is not a valid prefix, `app` has no `fetch`, or the router has begun to answer.
   */
  mount<Given extends PropertyKey = never>(
    path: string,
    app: FetchHandler<Args>,
    options?: MountOptions<Rules> & OnlyNames<Given, keyof MountOptions>,
  ): this;
  /**
   * Guards every route and mount that is added afterwards.
   *
   * @throws {TypeError} If there is a guard, or the router has begun to answer.
   */
  withAuth<S extends object, R extends AccessRules = AccessRules>(
    integration: AuthIntegration<S, Args, R>,
  ): TypedRouter<Args, S, R, Locals, Prefix>;
  /** A view of this router whose routes and mounts run the middleware first. */
  provide<Provided>(
    provider: LocalsProvider<Args, Provided, ProviderRequest<Subject, Locals>>,
  ): TypedRouter<Args, Subject, Rules, Locals & Provided, Prefix>;
}

/**
 * The request that a router passes to middleware which provides locals. On a guarded router, a route may be public.
 *
 * @internal
 */
export type ProviderRequest<Subject, Locals> = RequestOf<
  unknown,
  AnyParams,
  Query,
  Subject | undefined,
  Locals
>;

/**
 * Signature of the methods without content.
 *
 * @internal
 */
export type MethodOf<
  Args extends unknown[],
  Subject,
  Rules extends AccessRules,
  Locals,
  Prefix,
  Router,
> = unknown extends Subject ? RouteMethod<Router, Args, Rules, Locals, Prefix>
  : GuardedRouteMethod<Router, Args, Subject, Rules, Locals, Prefix>;

/**
 * Signature of the methods with content.
 *
 * @internal
 */
export type BodyMethodOf<
  Args extends unknown[],
  Subject,
  Rules extends AccessRules,
  Locals,
  Prefix,
  Router,
> = unknown extends Subject ? BodyRouteMethod<Router, Args, Rules, Locals, Prefix>
  : GuardedBodyRouteMethod<Router, Args, Subject, Rules, Locals, Prefix>;
