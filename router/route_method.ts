/**
 * The signatures of `router.get(path, handler, options?)` and its siblings.
 *
 * One signature covers both styles: explicit type arguments `RequestSpec` and `ResponseSpec`, or types inferred from
 * path, options and handler. Guarded routers add a signature for each `auth` mode. Options are inferred property by
 * property; inferred as a whole, an inline lambda would make `content` unknown.
 *
 * @module
 */

import type { AuthOption } from "./access.ts";
import type { Handler, HandlerResult, RouteOptions } from "./handler.ts";
import type { AnyRequestSpec, ParamsOf, QueryOf, ResponseSpec, Unspecified } from "./markers.ts";
import type { RequestOf, RouteRequest } from "./request.ts";

/** @internal Options of a route without content. */
export type PlainOptions<Args extends unknown[], Params, Query, Data> = Omit<
  RouteOptions<Args, unknown, Params, Query, Data>,
  "multipart" | "raw"
>;

/** @internal Options of a route with content, without the two that determine the content's type. */
export type ContentOptions<Args extends unknown[], Content, Params, Query, Data> = Omit<
  RouteOptions<Args, Content, Params, Query, Data>,
  "multipart" | "raw"
>;

/** @internal The options that determine how the body is read. */
export interface BodyMode<Multipart extends boolean, Raw extends boolean> {
  /** The body is `multipart/form-data`, and `req.content` a `FormData`. */
  readonly multipart?: Multipart;
  /** The body is neither checked nor parsed. */
  readonly raw?: Raw;
}

/** @internal Content without a schema. */
export type DefaultContent<Content, Multipart, Raw> = [Multipart] extends [true] ? FormData
  : [Raw] extends [true] ? undefined
  : Content;

/** @internal Options argument: `multipart` and `raw` must agree with explicit content. */
export type OptionsArgument<
  Spec extends AnyRequestSpec,
  Multipart extends boolean,
  Raw extends boolean,
  Options,
> = Spec["~spec"] extends false ? [options?: Options & BodyMode<Multipart, Raw>]
  : StatedArgument<Spec["~content"], Multipart, Raw, Options>;

/** @internal Options argument of a route with explicit content. */
export type StatedArgument<Content, Multipart extends boolean, Raw extends boolean, Options> =
  unknown extends Content ? [options?: Options & BodyMode<Multipart, Raw>]
    : [Content] extends [FormData]
      ? [options: Options & { readonly multipart: true; readonly raw?: false }]
    : [Content] extends [undefined]
      ? [options: Options & { readonly raw: true; readonly multipart?: false }]
    : [options?: Options & BodyMode<false, false>];

/** @internal A path if the specification is explicit; otherwise the inferring signature applies. */
export type Stated<Spec extends AnyRequestSpec> = Spec["~spec"] extends true ? string : never;

/** @internal Type of `req.principal` by the route's `auth` option: none if that may be `false`. */
export type SubjectFor<Auth, Subject> = false extends Auth ? unknown
  : [Auth] extends [{ readonly mode: "optional" }] ? Subject | undefined
  : Subject;

/** Adds a route without content: GET, HEAD, DELETE, OPTIONS or all methods. */
export interface RouteMethod<Self, Args extends unknown[]> {
  /** Adds a route. @throws {TypeError} If the path or an option is invalid, or the router has begun to answer. */
  <
    Spec extends AnyRequestSpec = Unspecified,
    Res extends ResponseSpec = Unspecified,
    Path extends string = string,
    Params = ParamsOf<Spec, Path>,
    Query = QueryOf<Spec>,
    Data = Res["~response"],
  >(
    path: Path,
    handler: (
      req: RouteRequest<undefined, NoInfer<Params>, Query>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?: PlainOptions<Args, Params, Query, Data>,
  ): Self;
}

/** Adds a route with content: POST, PUT or PATCH. */
export interface BodyRouteMethod<Self, Args extends unknown[]> {
  /** Adds a route. @throws {TypeError} If the path or an option is invalid, or the router has begun to answer. */
  <
    Spec extends AnyRequestSpec = Unspecified,
    Res extends ResponseSpec = Unspecified,
    Path extends string = string,
    Multipart extends boolean = boolean,
    Raw extends boolean = boolean,
    Content = DefaultContent<Spec["~content"], Multipart, Raw>,
    Params = ParamsOf<Spec, Path>,
    Query = QueryOf<Spec>,
    Data = Res["~response"],
  >(
    path: Path,
    handler: (
      req: RouteRequest<Content, NoInfer<Params>, Query>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    ...options: OptionsArgument<
      Spec,
      Multipart,
      Raw,
      ContentOptions<Args, Content, Params, Query, Data>
    >
  ): Self;
}

/** Adds a route without content to a guarded router. */
export interface GuardedRouteMethod<Self, Args extends unknown[], Subject> {
  /** Adds a protected route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: Stated<Spec>,
    handler: Handler<Spec, Res, Args, Subject, undefined>,
    options?: PlainOptions<Args, ParamsOf<Spec>, QueryOf<Spec>, Res["~response"]> & {
      readonly auth?: true;
    },
  ): Self;
  /** Adds a public route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: Stated<Spec>,
    handler: Handler<Spec, Res, Args, unknown, undefined>,
    options: PlainOptions<Args, ParamsOf<Spec>, QueryOf<Spec>, Res["~response"]> & {
      readonly auth: false;
    },
  ): Self;
  /** Adds a route with explicit types whose principal is optional. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: Stated<Spec>,
    handler: Handler<Spec, Res, Args, Subject | undefined, undefined>,
    options: PlainOptions<Args, ParamsOf<Spec>, QueryOf<Spec>, Res["~response"]> & {
      readonly auth: { readonly mode: "optional" };
    },
  ): Self;
  /** Adds a route whose types are inferred from path, options and handler. */
  <
    Path extends string,
    Auth extends AuthOption = true,
    Params = ParamsOf<Unspecified, Path>,
    Query = QueryOf<Unspecified>,
    Data = unknown,
  >(
    path: Path,
    handler: (
      req: RequestOf<undefined, NoInfer<Params>, Query, SubjectFor<NoInfer<Auth>, Subject>>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?: PlainOptions<Args, Params, Query, Data> & { readonly auth?: Auth },
  ): Self;
}

/** Adds a route with content to a guarded router. */
export interface GuardedBodyRouteMethod<Self, Args extends unknown[], Subject> {
  /** Adds a protected route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: Stated<Spec>,
    handler: Handler<Spec, Res, Args, Subject>,
    ...options: StatedOptions<Spec, Res, Args, { readonly auth?: true }>
  ): Self;
  /** Adds a public route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: Stated<Spec>,
    handler: Handler<Spec, Res, Args>,
    options: StatedOptions<Spec, Res, Args, { readonly auth: false }>[0] & { readonly auth: false },
  ): Self;
  /** Adds a route with explicit types whose principal is optional. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: Stated<Spec>,
    handler: Handler<Spec, Res, Args, Subject | undefined>,
    options:
      & StatedOptions<Spec, Res, Args, { readonly auth: { readonly mode: "optional" } }>[0]
      & { readonly auth: { readonly mode: "optional" } },
  ): Self;
  /** Adds a route whose types are inferred from path, options and handler. */
  <
    Path extends string,
    Auth extends AuthOption = true,
    Multipart extends boolean = boolean,
    Raw extends boolean = boolean,
    Content = DefaultContent<unknown, Multipart, Raw>,
    Params = ParamsOf<Unspecified, Path>,
    Query = QueryOf<Unspecified>,
    Data = unknown,
  >(
    path: Path,
    handler: (
      req: RequestOf<Content, NoInfer<Params>, Query, SubjectFor<NoInfer<Auth>, Subject>>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & ContentOptions<Args, Content, Params, Query, Data>
      & BodyMode<Multipart, Raw>
      & { readonly auth?: Auth },
  ): Self;
}

/** @internal Options argument of an explicit route on a guarded router. */
export type StatedOptions<
  Spec extends AnyRequestSpec,
  Res extends ResponseSpec,
  Args extends unknown[],
  Auth,
> = StatedArgument<
  Spec["~content"],
  boolean,
  boolean,
  ContentOptions<Args, Spec["~content"], ParamsOf<Spec>, QueryOf<Spec>, Res["~response"]> & Auth
>;
