/**
 * Handlers, middleware and hooks, and the options of routes and mounts.
 *
 * @module
 */

import type {
  AccessRules,
  AuthOption,
  AuthorizationOption,
  RequiredAuth,
  ScopeOption,
} from "./access.ts";
import type {
  AnyParams,
  AnyRequestSpec,
  ParamsOf,
  Query,
  QueryOf,
  RequestSpec,
  ResponseSpec,
} from "./markers.ts";
import type { EndpointMetadata } from "./openapi_types.ts";
import type { NoLocals, RequestOf, RouteRequest } from "./request.ts";
import type { Pass, TypedResponse } from "./response.ts";
import type { RouteSchema } from "./schema.ts";

/**
 * What a handler may return: only `json()` of the data if its type is specified.
 *
 * @internal
 */
export type HandlerResult<Data> = unknown extends Data ? Response | Pass | Promise<Response | Pass>
  : TypedResponse<Data> | Pass | Promise<TypedResponse<Data> | Pass>;

/** A route's handler. Return {@linkcode pass}`()` to let the next matching route answer. */
export type Handler<
  Spec extends AnyRequestSpec = RequestSpec,
  Res extends ResponseSpec = ResponseSpec,
  Args extends unknown[] = [],
  Subject = unknown,
  Content = Spec["~content"],
  Locals = NoLocals,
> = (
  req: RequestOf<Content, ParamsOf<Spec>, QueryOf<Spec>, Subject, Locals>,
  ...args: Args
) => HandlerResult<Res["~response"]>;

/** What middleware returns: a response ends the request, `undefined` continues it. */
export type MiddlewareResult = Response | undefined | void | Promise<Response | undefined | void>;

/** Runs before a handler. To run around it, see {@linkcode wrap}. */
export type Middleware<Args extends unknown[] = [], Locals = NoLocals> = (
  req: RouteRequest<unknown, AnyParams, Query, Locals>,
  ...args: Args
) => MiddlewareResult;

/**
 * Continues the request. An error after it is returned as its response.
 *
 * @throws {TypeError} If it was called before: the rest would run twice.
 */
export type Next = () => Response | Promise<Response>;

/** Responds to a thrown value. `undefined` leaves it to the default. */
export type ErrorHandler<Args extends unknown[] = []> = (
  error: unknown,
  req: RouteRequest,
  ...args: Args
) => MiddlewareResult;

/**
 * Called with every response, last. To edit header fields, return the result of {@linkcode editHeaders}, since those of a
 * response from `fetch()` or `Response.redirect()` are immutable; or return another response.
 */
export type ResponseHook<Args extends unknown[] = []> = (
  response: Response,
  req: RouteRequest,
  ...args: Args
) => MiddlewareResult;

/** One request and what it came to, as {@linkcode RouterOptions.onRequest} is called with it. */
export interface RequestEvent {
  /** Method, as sent. */
  readonly method: string;
  /** Pattern of the route, in a mounted router too; the empty string if none matched. */
  readonly route: string;
  /** Canonical path. It may contain a secret, such as the token of a link. */
  readonly path: string;
  /** Status of the response. */
  readonly status: number;
  /** Milliseconds until there was a response; its body may still be sent. */
  readonly durationMs: number;
  /** The principal's `sub`, if a guard accepted one. */
  readonly sub: string | undefined;
  /** Code of the problem, if the router answered with one. */
  readonly code: string | undefined;
  /** What was thrown, whoever answered it; the router's own 404 and 405 are `HttpError`s too. Not for the client. */
  readonly error: unknown;
  /** The request. */
  readonly req: RouteRequest;
}

/** An application with the standard `fetch` signature. */
export interface FetchHandler<Args extends unknown[] = []> {
  /** Answers a request; `undefined` lets the next matching route answer. */
  readonly fetch: (
    request: Request,
    ...args: Args
  ) => Response | undefined | Promise<Response | undefined>;
}

/** What a guarded route or mount requires of the principal. */
export interface AccessOptions<Rules extends AccessRules = AccessRules> {
  /** What the authorization manager checks once the principal is known, or `none`. */
  readonly authorization?: AuthorizationOption<Rules["metadata"]> | "none";
  /** Scopes that limited principals need, all of them: API keys, and tokens with a scope. @default none passes */
  readonly scope?: ScopeOption<Rules["scope"]>;
}

/** Options of every route. */
export interface CommonOptions<
  Args extends unknown[] = [],
  Content = unknown,
  Params = unknown,
  RequestQuery = unknown,
  Data = unknown,
  Rules extends AccessRules = AccessRules,
  Locals = NoLocals,
> extends AccessOptions<Rules> {
  /**
   * Middleware of this route, after the guard and before the body is read. If the handler passes, `wrap()` middleware also
   * runs around the match that answers instead.
   */
  readonly use?: readonly Middleware<Args, Locals>[];
  /** Standard Schemas of the request's parts. An invalid part is a 422. */
  readonly schema?: RouteSchema<Content, Params, RequestQuery, Data>;
  /** Maximum bytes of the body, but not of that of `req.raw`. @default {1_048_576} (10,485,760 for multipart) */
  readonly maxBodyBytes?: number;
  /** Who may use the route. @default {true} on a guarded router, `false` elsewhere */
  readonly auth?: AuthOption;
  /** OpenAPI metadata beyond what is derived from the code; `false` omits the route from the document. */
  readonly openapi?: EndpointMetadata | false;
}

/** Options of routes. */
export interface RouteOptions<
  Args extends unknown[] = [],
  Content = unknown,
  Params = unknown,
  RequestQuery = unknown,
  Data = unknown,
  Rules extends AccessRules = AccessRules,
> extends CommonOptions<Args, Content, Params, RequestQuery, Data, Rules> {
  /** The body is `multipart/form-data`, and `req.content` a `FormData`. POST, PUT and PATCH only. */
  readonly multipart?: boolean;
  /** The body is neither checked nor parsed: webhooks and uploads. POST, PUT and PATCH only. */
  readonly raw?: boolean;
}

/** Options of a mount. */
export interface MountOptions<Rules extends AccessRules = AccessRules>
  extends AccessOptions<Rules> {
  /** Whether the router's guard covers the mount, and what it requires of the sign-in. @default {true} on a guarded router */
  readonly auth?: boolean | RequiredAuth;
  /**
   * Pass `%2F` and `%5C` to an application that was not created by `createRouter`. One that decodes them reads `/private%2Fx`
   * as a path that `under("/private")` did not see. @default {false}, which answers 404
   */
  readonly insecureEncodedSlashes?: boolean;
}
