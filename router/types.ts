/**
 * What applications write against: the request, handlers, middleware, guards and the router itself.
 *
 * @module
 */

import type { AnyRequestSpec, ParamsOf, QueryOf, RequestSpec, ResponseSpec } from "./markers.ts";
import type { RequestOf, RouteRequest } from "./request.ts";
import type {
  BodyRouteMethod,
  GuardedBodyRouteMethod,
  GuardedRouteMethod,
  RouteMethod,
} from "./route_method.ts";
import type { Pass, TypedResponse } from "./response.ts";
import type { RouteSchema } from "./schema.ts";

export type { GuardedRequest, RequestOf, RouteRequest, TypedRequest } from "./request.ts";

/** @internal What a handler may return: where the data's type is stated, only `json()` of it. */
export type HandlerResult<Data> = unknown extends Data ? Response | Pass | Promise<Response | Pass>
  : TypedResponse<Data> | Pass | Promise<TypedResponse<Data> | Pass>;

/** A route's handler. Return {@linkcode pass}`()` to let the next matching route answer. */
export type Handler<
  Spec extends AnyRequestSpec = RequestSpec,
  Res extends ResponseSpec = ResponseSpec,
  Args extends unknown[] = [],
  Subject = unknown,
  Content = Spec["~content"],
> = (
  req: RequestOf<Content, ParamsOf<Spec>, QueryOf<Spec>, Subject>,
  ...args: Args
) => HandlerResult<Res["~response"]>;

/** What middleware returns: a response ends the request, nothing lets it go on. */
export type MiddlewareResult = Response | undefined | void | Promise<Response | undefined | void>;

/** Runs before a handler. To run around it, see {@linkcode wrap}. */
export type Middleware<Args extends unknown[] = []> = (
  req: RouteRequest,
  ...args: Args
) => MiddlewareResult;

/**
 * Goes on with the request. An error behind it comes back as its response.
 *
 * @throws {TypeError} If it was called before; what follows would run twice.
 */
export type Next = () => Response | Promise<Response>;

/** Answers for a thrown value. Nothing returned means that the default answers. */
export type ErrorHandler<Args extends unknown[] = []> = (
  error: unknown,
  req: RouteRequest,
  ...args: Args
) => MiddlewareResult;

/**
 * Sees every response last. Edits its header fields by {@linkcode editHeaders} and returns what that gives, since those
 * of a response from `fetch()` or `Response.redirect()` are immutable; or returns another response.
 */
export type ResponseHook<Args extends unknown[] = []> = (
  response: Response,
  req: RouteRequest,
  ...args: Args
) => MiddlewareResult;

/** Anything that answers requests by the standard `fetch` signature. */
export interface FetchHandler<Args extends unknown[] = []> {
  /** Answers a request; `undefined` lets the next matching route answer. */
  readonly fetch: (
    request: Request,
    ...args: Args
  ) => Response | undefined | Promise<Response | undefined>;
}

/** Who may use a route: everybody (`false`), a principal (`true`), or either. Needs a guard unless `false`. */
export type AuthOption = boolean | { readonly mode: "optional" };

/** What the authorization manager is asked about a route. */
export interface AuthorizationOption {
  /** The application's own data, opaque to the router. */
  readonly metadata: unknown;
  /** Ask the manager for anonymous requests too. @default {false} */
  readonly allowAnonymous?: boolean;
}

/** What a route asks of a guard. */
export interface RouteAccess {
  /** Whether a request without a credential is refused. */
  readonly mode: "required" | "optional";
  /** What must be allowed once it is known who asks. */
  readonly authorization?: AuthorizationOption;
}

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
  /** Value of `WWW-Authenticate` on the router's own 401, RFC 9110 §11.6.1. @default {"Session"} */
  readonly challenge?: string;
  /** Adds the integration's own routes. The guard covers them unless they say `auth: false`. */
  routes?(router: RouteTarget): void;
  /** Answers for errors, before the router's own `catch`. */
  readonly catch?: ErrorHandler<Args>;
  /** Sees every response, before the router's own `finally` hooks. */
  readonly finally?: ResponseHook<Args>;
}

/** Options that every route has. */
export interface RouteOptions<
  Args extends unknown[] = [],
  Content = unknown,
  Params = unknown,
  RequestQuery = unknown,
  Data = unknown,
> {
  /**
   * Middleware of this route, after the guard and before the body is read. Where the handler passes, `wrap()` middleware
   * also runs around the match that answers instead.
   */
  readonly use?: readonly Middleware<Args>[];
  /** Standard Schemas of the request's parts. A part that does not fit is a 422. */
  readonly schema?: RouteSchema<Content, Params, RequestQuery, Data>;
  /** Most bytes of the body. @default {1_048_576} (10,485,760 for multipart) */
  readonly maxBodyBytes?: number;
  /** Who may use the route. @default {true} on a guarded router, `false` elsewhere */
  readonly auth?: AuthOption;
  /** What the authorization manager is asked, once the principal is known. */
  readonly authorization?: AuthorizationOption;
  /** The body is `multipart/form-data`, and `req.content` a `FormData`. POST, PUT and PATCH only. */
  readonly multipart?: boolean;
  /** The body is left alone, whatever its type: webhooks and uploads. POST, PUT and PATCH only. */
  readonly raw?: boolean;
}

/** Options of a mount. */
export interface MountOptions {
  /** Whether the router's guard covers the mount. @default {true} on a guarded router */
  readonly auth?: boolean;
  /**
   * Hand on `%2F` and `%5C` to an application that is no router of ours. One that decodes them reads `/private%2Fx` as a
   * path that `under("/private")` did not see. @default {false}, which answers 404
   */
  readonly insecureEncodedSlashes?: boolean;
}

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
export type MethodOf<Args extends unknown[], Subject> = unknown extends Subject
  ? RouteMethod<TypedRouter<Args, Subject>, Args>
  : GuardedRouteMethod<TypedRouter<Args, Subject>, Args, Subject>;

/** @internal Signature of the methods with content. */
export type BodyMethodOf<Args extends unknown[], Subject> = unknown extends Subject
  ? BodyRouteMethod<TypedRouter<Args, Subject>, Args>
  : GuardedBodyRouteMethod<TypedRouter<Args, Subject>, Args, Subject>;
