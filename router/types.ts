/**
 * What applications write against: the request, handlers, middleware, guards and the router itself.
 *
 * @module
 */

import type {
  AnyParams,
  AnyRequestSpec,
  ParamsOf,
  Query,
  QueryOf,
  RequestSpec,
  ResponseSpec,
} from "./markers.ts";
import type {
  BodyRouteMethod,
  GuardedBodyRouteMethod,
  GuardedRouteMethod,
  RouteMethod,
} from "./route_method.ts";
import type { Pass, TypedResponse } from "./response.ts";
import type { RouteSchema } from "./schema.ts";

/** A request on its way through the router: the standard one, with what the route knows of it. */
export interface RouteRequest<Content = unknown, Params = AnyParams, RequestQuery = Query> {
  /** The standard request. Its body is unlimited: read it through the readers here where a limit should hold. */
  readonly raw: Request;
  /** Method, as sent. */
  readonly method: string;
  /**
   * URL, as the server delivered it. Its authority comes from the client's `Host` field; do not trust it, and expect
   * `new URL()` to refuse some.
   */
  readonly url: string;
  /**
   * Canonical path that was matched: decoded once, `%2F`, `%5C` and `%25` left encoded.
   *
   * Deno.serve puts the `Host` field in front of the target, unchecked, so `Host: a/b` with target `/c` arrives as
   * `/b/c`. Matching, scopes and guards all see that; a proxy in front that decides by the target does not, and must
   * refuse such a field, as RFC 9112 §3.2 asks of it.
   */
  readonly path: string;
  /** Header fields. */
  readonly headers: Headers;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Pattern of the matched route, the empty string where none matched. */
  readonly route: string;
  /** Path parameters, decoded once, or the output of `schema.params`. */
  readonly params: Params;
  /** Query, or the output of `schema.query`. */
  readonly query: RequestQuery;
  /** Parsed JSON, `FormData`, or the output of `schema.body`; `undefined` where the route takes no content. */
  readonly content: Content;
  /** Body as a stream that fails with 413 past the limit; `null` without a body. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Reads the body as UTF-8 text. @throws {HttpError} 413 `payload_too_large` past the limit. */
  text(): Promise<string>;
  /** Reads the body as JSON. @throws {HttpError} 400 `invalid_json`; 413 `payload_too_large` past the limit. */
  json(): Promise<unknown>;
  /** Reads the body as a form. @throws {HttpError} 400 `invalid_form`; 413 `payload_too_large` past the limit. */
  formData(): Promise<FormData>;
  /** Reads the body's bytes. @throws {HttpError} 413 `payload_too_large` past the limit. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A request that a guard let pass. */
export interface GuardedRequest<Content, Params, RequestQuery, Subject>
  extends RouteRequest<Content, Params, RequestQuery> {
  /** Who asks. */
  readonly principal: Subject;
}

/** @internal The request type of a route: guarded where there is a subject. `unknown` means there is none. */
export type RequestOf<Content, Params, RequestQuery, Subject> = unknown extends Subject
  ? RouteRequest<Content, Params, RequestQuery>
  : GuardedRequest<Content, Params, RequestQuery, Subject>;

/** The request of a stated specification. */
export type TypedRequest<Spec extends AnyRequestSpec = RequestSpec, Subject = unknown> = RequestOf<
  Spec["~content"],
  ParamsOf<Spec>,
  QueryOf<Spec>,
  Subject
>;

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

/** Goes on with the request. It never throws: an error behind it comes back as its response. */
export type Next = () => Response | Promise<Response>;

/** Answers for a thrown value. Nothing returned means that the default answers. */
export type ErrorHandler<Args extends unknown[] = []> = (
  error: unknown,
  req: RouteRequest,
  ...args: Args
) => MiddlewareResult;

/** Sees every response last. Edits its header fields in place, or returns another response. */
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
  /** Middleware of this route, after the guard and before the body is read. */
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
  /** Told of every error that the client only sees as a 500. @default console.error */
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
  /** Adds a route for every method. It takes no content. */
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
  /** Runs middleware for every request to a path or beneath it, whether or not a route matches. */
  under(path: string, ...middleware: Middleware<Args>[]): TypedRouter<Args, Subject>;
  /** Puts any fetch application beneath a path. It sees the rest of the path. */
  mount(path: string, app: FetchHandler<Args>, options?: MountOptions): TypedRouter<Args, Subject>;
  /** Guards every route and mount that is added later. A second call throws. */
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
