/**
 * What applications write against: the request, handlers, middleware, guards and the router itself.
 *
 * @module
 */

import type { AnyRequestSpec, ParamsOf, QueryOf, RequestSpec, ResponseSpec } from "./markers.ts";
import type {
  AuthIntegration,
  AuthOption,
  AuthorizationOption,
  RouteAccess,
  SchemeStrategy,
} from "./guard.ts";
import type { EndpointMetadata, OpenApiDocument, OpenApiInfo } from "./openapi_types.ts";
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
export type {
  AddRoute,
  AuthIntegration,
  AuthOption,
  AuthorizationOption,
  CredentialScheme,
  RouteAccess,
  RouteGuard,
  RouteTarget,
  SchemeStrategy,
} from "./guard.ts";

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
  /** What the OpenAPI document says of the route beyond what follows from the code; `false` leaves the route out. */
  readonly openapi?: EndpointMetadata | false;
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
  /** What the OpenAPI document says of the application. */
  info?: OpenApiInfo;
}

/** What an entry puts into the routers it makes, so that the router imports none of it. */
export interface RouterParts {
  /** Writes the OpenAPI document. */
  readonly generateOpenAPI?: (info: OpenApiInfo, source: RouteSource) => OpenApiDocument;
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
