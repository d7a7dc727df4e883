/**
 * The signatures of `router.get(path, handler, options?)` and its siblings.
 *
 * One signature covers both styles: explicit type arguments `RequestSpec` and `ResponseSpec`, or types inferred from
 * path, options and handler. Guarded routers add a signature for each `auth` mode. Options are inferred property by
 * property; inferred as a whole, an inline lambda would make `content` unknown.
 *
 * @module
 */

import type { AccessRules, AuthOption, RequiredAuth } from "./access.ts";
import type { CommonOptions, Handler, HandlerResult, RouteOptions } from "./handler.ts";
import type {
  AnyRequestSpec,
  ParamsOf,
  QueryOf,
  ResponseSpec,
  StatedPath,
  Unspecified,
} from "./markers.ts";
import type { RequestOf, RouteRequest } from "./request.ts";

/** An option that no route has. */
export interface NoSuchOption<Name> {
  /** Its name. */
  readonly "No such option": Name;
}

/**
 * Rejects the names of an object that are no options, wherever they come from: a spread or a variable too. The first
 * branch is what `Given` is inferred from, so the condition must not narrow it.
 * @internal
 */
export type OnlyNames<Given extends PropertyKey, Names> = [Given | Names] extends [Names]
  ? { readonly [N in Given]?: unknown }
  : NoSuchOption<Exclude<Given, Names>>;

/**
 * The options that determine how the body is read.
 * @internal
 */
export interface BodyMode<Multipart extends boolean, Raw extends boolean> {
  /** The body is `multipart/form-data`, and `req.content` a `FormData`. */
  readonly multipart?: Multipart;
  /** The body is neither checked nor parsed. */
  readonly raw?: Raw;
}

/**
 * Content without a schema. `boolean` means that the option is absent.
 * @internal
 */
export type DefaultContent<Content, Multipart, Raw> = false extends Multipart
  ? false extends Raw ? Content : undefined
  : FormData;

/**
 * What a route needs to say if its explicit content is a form, or `undefined`.
 * @internal
 */
export type ContentMode<Content> = Content extends undefined
  ? { readonly raw: true; readonly multipart?: false }
  : { readonly multipart: true; readonly raw?: false };

/**
 * Type of `req.principal` by the route's `auth` option: none if that may be `false`.
 * @internal
 */
export type SubjectFor<Auth, Subject> = false extends Auth ? unknown
  : { readonly mode: "optional" } extends Auth ? Subject | undefined
  : Subject;

/** Adds a route without content: GET, HEAD, DELETE, OPTIONS or all methods. `Prefix` are the parameters of the router's prefix. */
export interface RouteMethod<
  Self,
  Args extends unknown[],
  Rules extends AccessRules = AccessRules,
  Prefix = unknown,
> {
  /** Adds a route. @throws {TypeError} If the path or an option is invalid, or the router has begun to answer. */
  <
    Spec extends AnyRequestSpec = Unspecified,
    Res extends ResponseSpec = Unspecified,
    Path extends string = StatedPath<Spec, Prefix>,
    Params = ParamsOf<Spec, Path> & Prefix,
    Query = QueryOf<Spec>,
    Data = Res["~response"],
    Given extends PropertyKey = never,
  >(
    path: Path,
    handler: (
      req: RouteRequest<undefined, NoInfer<Params>, Query>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & CommonOptions<Args, unknown, Params, Query, Data, Rules>
      & OnlyNames<Given, keyof CommonOptions>,
  ): Self;
}

/** Adds a route with content: POST, PUT or PATCH. */
export interface BodyRouteMethod<
  Self,
  Args extends unknown[],
  Rules extends AccessRules = AccessRules,
  Prefix = unknown,
> {
  /** Adds a route. @throws {TypeError} If the path or an option is invalid, or the router has begun to answer. */
  <
    Spec extends AnyRequestSpec = Unspecified,
    Res extends ResponseSpec = Unspecified,
    Path extends string = StatedPath<Spec, Prefix>,
    Multipart extends boolean = boolean,
    Raw extends boolean = boolean,
    Content = DefaultContent<Spec["~content"], Multipart, Raw>,
    Params = ParamsOf<Spec, Path> & Prefix,
    Query = QueryOf<Spec>,
    Data = Res["~response"],
    Given extends PropertyKey = never,
  >(
    path: Path,
    handler: (
      req: RouteRequest<Content, NoInfer<Params>, Query>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    // optional, unless explicit content needs an option; a tuple of its own for each case is cheapest to check
    ...options: unknown extends Spec["~content"] ? [
        options?:
          & CommonOptions<Args, Content, Params, Query, Data, Rules>
          & BodyMode<Multipart, Raw>
          & OnlyNames<Given, keyof RouteOptions>,
      ]
      : Spec["~content"] extends FormData | undefined ? [
          options:
            & CommonOptions<Args, Content, Params, Query, Data, Rules>
            & ContentMode<Spec["~content"]>,
        ]
      : [
        options?:
          & CommonOptions<Args, Content, Params, Query, Data, Rules>
          & BodyMode<false, false>,
      ]
  ): Self;
}

/** Adds a route without content to a guarded router. */
export interface GuardedRouteMethod<
  Self,
  Args extends unknown[],
  Subject,
  Rules extends AccessRules = AccessRules,
  Prefix = unknown,
> {
  /** Adds a protected route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject, undefined>,
    options?: StatedOptions<Spec, Res, Args, Rules> & { readonly auth?: true | RequiredAuth },
  ): Self;
  /** Adds a public route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, unknown, undefined>,
    options: StatedOptions<Spec, Res, Args, Rules> & { readonly auth: false },
  ): Self;
  /** Adds a route with explicit types whose principal is optional. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject | undefined, undefined>,
    options: StatedOptions<Spec, Res, Args, Rules> & {
      readonly auth: { readonly mode: "optional" };
    },
  ): Self;
  /** Adds a route whose types are inferred from path, options and handler. */
  <
    Path extends string,
    Auth extends AuthOption = true,
    Params = ParamsOf<Unspecified, Path> & Prefix,
    Query = QueryOf<Unspecified>,
    Data = unknown,
    Given extends PropertyKey = never,
  >(
    path: Path,
    handler: (
      req: RequestOf<undefined, NoInfer<Params>, Query, SubjectFor<NoInfer<Auth>, Subject>>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & CommonOptions<Args, unknown, Params, Query, Data, Rules>
      & { readonly auth?: Auth }
      & OnlyNames<Given, keyof CommonOptions>,
  ): Self;
}

/** Adds a route with content to a guarded router. */
export interface GuardedBodyRouteMethod<
  Self,
  Args extends unknown[],
  Subject,
  Rules extends AccessRules = AccessRules,
  Prefix = unknown,
> {
  /** Adds a protected route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject>,
    ...options: StatedBodyArgument<Spec, Res, Args, Rules, { readonly auth?: true | RequiredAuth }>
  ): Self;
  /** Adds a public route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args>,
    options:
      & StatedBodyArgument<Spec, Res, Args, Rules, { readonly auth: false }>[0]
      & { readonly auth: false },
  ): Self;
  /** Adds a route with explicit types whose principal is optional. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject | undefined>,
    options:
      & StatedBodyArgument<
        Spec,
        Res,
        Args,
        Rules,
        { readonly auth: { readonly mode: "optional" } }
      >[0]
      & { readonly auth: { readonly mode: "optional" } },
  ): Self;
  /** Adds a route whose types are inferred from path, options and handler. */
  <
    Path extends string,
    Auth extends AuthOption = true,
    Multipart extends boolean = boolean,
    Raw extends boolean = boolean,
    Content = DefaultContent<unknown, Multipart, Raw>,
    Params = ParamsOf<Unspecified, Path> & Prefix,
    Query = QueryOf<Unspecified>,
    Data = unknown,
    Given extends PropertyKey = never,
  >(
    path: Path,
    handler: (
      req: RequestOf<Content, NoInfer<Params>, Query, SubjectFor<NoInfer<Auth>, Subject>>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & CommonOptions<Args, Content, Params, Query, Data, Rules>
      & BodyMode<Multipart, Raw>
      & { readonly auth?: Auth }
      & OnlyNames<Given, keyof RouteOptions>,
  ): Self;
}

/**
 * Options of an explicit route without content on a guarded router.
 * @internal
 */
export type StatedOptions<
  Spec extends AnyRequestSpec,
  Res extends ResponseSpec,
  Args extends unknown[],
  Rules extends AccessRules,
> = CommonOptions<Args, unknown, ParamsOf<Spec>, QueryOf<Spec>, Res["~response"], Rules>;

/**
 * Options argument of an explicit route with content on a guarded router.
 * @internal
 */
export type StatedBodyArgument<
  Spec extends AnyRequestSpec,
  Res extends ResponseSpec,
  Args extends unknown[],
  Rules extends AccessRules,
  Auth,
> = unknown extends Spec["~content"]
  ? [options?: StatedBodyOptions<Spec, Res, Args, Rules> & BodyMode<boolean, boolean> & Auth]
  : Spec["~content"] extends FormData | undefined ? [
      options:
        & StatedBodyOptions<Spec, Res, Args, Rules>
        & ContentMode<Spec["~content"]>
        & Auth,
    ]
  : [options?: StatedBodyOptions<Spec, Res, Args, Rules> & BodyMode<false, false> & Auth];

/**
 * Options of an explicit route with content on a guarded router.
 * @internal
 */
export type StatedBodyOptions<
  Spec extends AnyRequestSpec,
  Res extends ResponseSpec,
  Args extends unknown[],
  Rules extends AccessRules,
> = CommonOptions<Args, Spec["~content"], ParamsOf<Spec>, QueryOf<Spec>, Res["~response"], Rules>;
