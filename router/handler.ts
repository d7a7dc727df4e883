/**
 * Handlers, middleware and hooks, and the options of routes and mounts.
 *
 * @module
 */

import type { AuthOption, AuthorizationOption } from "./access.ts";
import type { AnyRequestSpec, ParamsOf, QueryOf, RequestSpec, ResponseSpec } from "./markers.ts";
import type { EndpointMetadata } from "./openapi_types.ts";
import type { RequestOf, RouteRequest } from "./request.ts";
import type { Pass, TypedResponse } from "./response.ts";
import type { RouteSchema } from "./schema.ts";

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
