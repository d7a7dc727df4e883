/**
 * What applications write against: the request, handlers, middleware, guards and the router itself.
 *
 * @module
 */

import type { RouteAccess, SchemeStrategy } from "./access.ts";
import type { AuthIntegration } from "./guard.ts";
import type {
  ErrorHandler,
  FetchHandler,
  Middleware,
  MountOptions,
  ResponseHook,
  RouteOptions,
} from "./handler.ts";
import type { OpenApiDocument, OpenApiInfo } from "./openapi_types.ts";
import type { RouteRequest } from "./request.ts";
import type {
  BodyRouteMethod,
  GuardedBodyRouteMethod,
  GuardedRouteMethod,
  RouteMethod,
} from "./route_method.ts";

export type * from "./access.ts";
export type * from "./guard.ts";
export type * from "./handler.ts";
export type * from "./request.ts";

/** Options of `createRouter`. */
export interface RouterOptions<Args extends unknown[] = []> {
  /** Prefix of every path. */
  prefix?: string;
  /** Middleware for every request, before it is matched. */
  before?: readonly Middleware<Args>[];
  /** Answers for thrown values. */
  catch?: ErrorHandler<Args>;
  /** See every response, last, in this order. */
  finally?: readonly ResponseHook<Args>[];
  /** Most bytes of a body. @default {1_048_576} (10,485,760 for multipart) */
  maxBodyBytes?: number;
  /**
   * Told of what the client only sees as a 500, and of marked errors from 500 on that have a `cause`, where no `catch`
   * answered. @default console.error
   */
  onError?: (error: unknown, req: RouteRequest) => void;
  /** What the OpenAPI document says of the application. */
  info?: OpenApiInfo;
}

/** A registered route or mount. */
export interface RouteInfo {
  /** Method in upper case, or `ALL`. */
  readonly method: string;
  /** Full pattern. */
  readonly pattern: string;
  /** Options as they were given. */
  readonly options: Readonly<RouteOptions<never[]>>;
  /** Whether another application answers beneath the pattern. */
  readonly mounted: boolean;
  /** The mounted application, if it is a router of ours. */
  readonly app: RouteSource | undefined;
  /** What a guard asks of a request, and the strategies that it takes credentials by. */
  readonly guard: RouteGuardInfo | undefined;
  /** The controller's method that answers. */
  readonly origin: RouteOrigin | undefined;
}

/** What guards a route. */
export interface RouteGuardInfo {
  /** What the route asks of the guard. */
  readonly access: RouteAccess;
  /** The integration's strategies; none if it did not say. */
  readonly strategies: readonly SchemeStrategy[];
}

/** The method that a route was made from. */
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

/** A router whose `fetch` answers requests. `Subject` is the type of `req.principal` once it is guarded. */
export interface TypedRouter<in out Args extends unknown[] = [], in out Subject = unknown> {
  /** Adds a GET route, which also answers HEAD. */
  readonly get: MethodOf<Args, Subject>;
  /** Adds a HEAD route of its own. */
  readonly head: MethodOf<Args, Subject>;
  /** Adds an OPTIONS route in place of the automatic answer. */
  readonly options: MethodOf<Args, Subject>;
  /** Adds a DELETE route. */
  readonly delete: MethodOf<Args, Subject>;
  /** Adds a route for every method. It takes no content, and so has no content rule: read and check the body yourself. */
  readonly all: MethodOf<Args, Subject>;
  /** Adds a POST route. */
  readonly post: BodyMethodOf<Args, Subject>;
  /** Adds a PUT route. */
  readonly put: BodyMethodOf<Args, Subject>;
  /** Adds a PATCH route. */
  readonly patch: BodyMethodOf<Args, Subject>;
  /** Answers a request. Usable unbound: `Deno.serve(router.fetch)`. */
  readonly fetch: (request: Request, ...args: Args) => Response | Promise<Response>;
  /** Routes and mounts in order of registration. */
  readonly routes: readonly RouteInfo[];
  /** What the router's OpenAPI document says of the application, if its options said so. */
  readonly info: OpenApiInfo | undefined;
  /**
   * Writes the OpenAPI 3.1 document of the routes. Routers of `@gatehouse/http` can; those of `@gatehouse/http/router`
   * and `/edge` carry no generator, to be small: there, call `generateOpenAPI(info, router)`.
   *
   * @param info What the document says of the application. @default the option `info`
   * @throws {TypeError} If there is no generator or no `info`, or a route's description contradicts its code.
   */
  openapi(info?: OpenApiInfo): OpenApiDocument;
  /** Answers a path or a request without a server, for tests. */
  request(pathOrRequest: string | Request, init?: RequestInit, ...args: Args): Promise<Response>;
  /**
   * Runs middleware for every request to a path or beneath it, whether or not a route matches.
   *
   * @throws {TypeError} If the path is no prefix, or the router has begun to answer.
   */
  under(path: string, ...middleware: Middleware<Args>[]): TypedRouter<Args, Subject>;
  /**
   * Puts any fetch application beneath a path. It sees the rest of the path, raw, and reads bodies without our limits.
   *
   * @throws {TypeError} If the path is no prefix, `app` has no `fetch`, or the router has begun to answer.
   */
  mount(path: string, app: FetchHandler<Args>, options?: MountOptions): TypedRouter<Args, Subject>;
  /**
   * Guards every route and mount that is added later.
   *
   * @throws {TypeError} If there is a guard, or the router has begun to answer.
   */
  withAuth<S extends object>(integration: AuthIntegration<S, Args>): TypedRouter<Args, S>;
}

/** @internal Signature of the methods without content. */
export type MethodOf<
  Args extends unknown[],
  Subject,
  Router = TypedRouter<Args, Subject>,
> = unknown extends Subject ? RouteMethod<Router, Args>
  : GuardedRouteMethod<Router, Args, Subject>;

/** @internal Signature of the methods with content. */
export type BodyMethodOf<
  Args extends unknown[],
  Subject,
  Router = TypedRouter<Args, Subject>,
> = unknown extends Subject ? BodyRouteMethod<Router, Args>
  : GuardedBodyRouteMethod<Router, Args, Subject>;
