/**
 * The signatures of `router.get(path, handler, options?)` and its siblings on guarded routers.
 *
 * A signature for each `auth` mode takes explicit type arguments; the last one infers the types. See `route_method.ts`.
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
import type { NoLocals, RequestOf } from "./request.ts";
import type { BodyMode, ContentMode, DefaultContent, OnlyNames } from "./route_method.ts";

/**
 * Type of `req.principal` by the route's `auth` option: none if that may be `false`.
 * @internal
 */
export type SubjectFor<Auth, Subject> = false extends Auth ? unknown
  : { readonly mode: "optional" } extends Auth ? Subject | undefined
  : Subject;

/** Adds a route without content to a guarded router. */
export interface GuardedRouteMethod<
  Self,
  Args extends unknown[],
  Subject,
  Rules extends AccessRules = AccessRules,
  Locals = NoLocals,
  Prefix = unknown,
> {
  /** Adds a protected route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject, undefined, Locals>,
    options?: StatedOptions<Spec, Res, Args, Rules, Locals> & {
      readonly auth?: true | RequiredAuth;
    },
  ): Self;
  /** Adds a public route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, unknown, undefined, Locals>,
    options: StatedOptions<Spec, Res, Args, Rules, Locals> & { readonly auth: false },
  ): Self;
  /** Adds a route with explicit types whose principal is optional. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject | undefined, undefined, Locals>,
    options: StatedOptions<Spec, Res, Args, Rules, Locals> & {
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
      req: RequestOf<undefined, NoInfer<Params>, Query, SubjectFor<NoInfer<Auth>, Subject>, Locals>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & CommonOptions<Args, unknown, Params, Query, Data, Rules, Locals>
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
  Locals = NoLocals,
  Prefix = unknown,
> {
  /** Adds a protected route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject, Spec["~content"], Locals>,
    ...options: StatedBodyArgument<
      Spec,
      Res,
      Args,
      Rules,
      Locals,
      { readonly auth?: true | RequiredAuth }
    >
  ): Self;
  /** Adds a public route with explicit types. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, unknown, Spec["~content"], Locals>,
    options:
      & StatedBodyArgument<Spec, Res, Args, Rules, Locals, { readonly auth: false }>[0]
      & { readonly auth: false },
  ): Self;
  /** Adds a route with explicit types whose principal is optional. */
  <Spec extends AnyRequestSpec, Res extends ResponseSpec>(
    path: StatedPath<Spec, Prefix>,
    handler: Handler<Spec, Res, Args, Subject | undefined, Spec["~content"], Locals>,
    options:
      & StatedBodyArgument<
        Spec,
        Res,
        Args,
        Rules,
        Locals,
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
      req: RequestOf<Content, NoInfer<Params>, Query, SubjectFor<NoInfer<Auth>, Subject>, Locals>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & CommonOptions<Args, Content, Params, Query, Data, Rules, Locals>
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
  Locals,
> = CommonOptions<Args, unknown, ParamsOf<Spec>, QueryOf<Spec>, Res["~response"], Rules, Locals>;

/**
 * Options argument of an explicit route with content on a guarded router.
 * @internal
 */
export type StatedBodyArgument<
  Spec extends AnyRequestSpec,
  Res extends ResponseSpec,
  Args extends unknown[],
  Rules extends AccessRules,
  Locals,
  Auth,
> = unknown extends Spec["~content"] ? [
    options?: StatedBodyOptions<Spec, Res, Args, Rules, Locals> & BodyMode<boolean, boolean> & Auth,
  ]
  : Spec["~content"] extends FormData | undefined ? [
      options:
        & StatedBodyOptions<Spec, Res, Args, Rules, Locals>
        & ContentMode<Spec["~content"]>
        & Auth,
    ]
  : [options?: StatedBodyOptions<Spec, Res, Args, Rules, Locals> & BodyMode<false, false> & Auth];

/**
 * Options of an explicit route with content on a guarded router.
 * @internal
 */
export type StatedBodyOptions<
  Spec extends AnyRequestSpec,
  Res extends ResponseSpec,
  Args extends unknown[],
  Rules extends AccessRules,
  Locals,
> = CommonOptions<
  Args,
  Spec["~content"],
  ParamsOf<Spec>,
  QueryOf<Spec>,
  Res["~response"],
  Rules,
  Locals
>;
