/**
 * Types of the decorators: what a method may declare, given the path and options of its route.
 *
 * A decorator has two call signatures, one for each mode. The method's declaration is compared with what the route
 * provides; the compiler's message shows a property whose name describes the mismatch. The TC39 signature omits the
 * context: otherwise TypeScript would also try it for legacy calls and report the wrong mismatch.
 *
 * @module
 */

import type { Class } from "./container.ts";
import type { AccessRules, AuthOption, RegisteredRules } from "../access.ts";
import type { PathParamsOf, Unspecified } from "../markers.ts";
import type { EndpointMetadata } from "../openapi_types.ts";
import type { BodyMode, OnlyNames } from "../route_method.ts";
import type { CommonOptions, HandlerResult, RouteOptions } from "../handler.ts";
import type { GuardedRequest } from "../request.ts";

/**
 * Any method.
 *
 * @internal
 */
export type AnyMethod = (...args: never[]) => unknown;

/** Decorates a class, in both modes. */
export interface ControllerDecorator {
  /** Applied by the compiler. */
  (target: Class<object>, context?: { readonly kind?: string; readonly metadata?: object }): void;
}

/** Decorates any method, in both modes. */
export interface EndpointDecorator {
  /** TC39 decorators. */
  (method: AnyMethod): void;
  /** Decorators of `experimentalDecorators`. */
  <M extends AnyMethod>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<M>,
  ): void;
}

/**
 * Decorates a method that matches its route.
 *
 * @internal
 */
export interface RouteMethodDecorator<S extends Provided> {
  /** TC39 decorators. */
  <M extends AnyMethod>(method: M & Mismatch<M, S>): void;
  /** Decorators of `experimentalDecorators`. */
  <M extends AnyMethod>(
    target: object,
    name: string,
    descriptor: TypedPropertyDescriptor<M> & Mismatch<M, S>,
  ): void;
}

/** Makes a method a route without content. */
export interface RouteDecorator<in Rules extends AccessRules = RegisteredRules> {
  /**
   * Makes a method a route.
   *
   * @param path Path under the controller's. @default {"/"}
   * @param options Options and OpenAPI metadata of the route.
   */
  <
    Path extends string = "/",
    Auth extends AuthOption | undefined = undefined,
    Params = Unspecified,
    Query = Unspecified,
    Data = unknown,
    Given extends PropertyKey = never,
  >(
    path?: Path,
    options?:
      & CommonOptions<never[], unknown, Params, Query, Data, Rules>
      & EndpointMetadata
      & { readonly auth?: Auth }
      & OnlyNames<Given, keyof CommonOptions | keyof EndpointMetadata>,
  ): RouteMethodDecorator<Provided<Path, undefined, Params, Query, Data, Auth>>;
}

/** Makes a method a route with content. */
export interface BodyRouteDecorator<in Rules extends AccessRules = RegisteredRules> {
  /**
   * Makes a method a route.
   *
   * @param path Path under the controller's. @default {"/"}
   * @param options Options and OpenAPI metadata of the route.
   */
  <
    Path extends string = "/",
    Auth extends AuthOption | undefined = undefined,
    Multipart extends boolean = false,
    Raw extends boolean = false,
    Content = ProvidedContent<Multipart, Raw>,
    Params = Unspecified,
    Query = Unspecified,
    Data = unknown,
    Given extends PropertyKey = never,
  >(
    path?: Path,
    options?:
      & CommonOptions<never[], Content, Params, Query, Data, Rules>
      & BodyMode<Multipart, Raw>
      & EndpointMetadata
      & { readonly auth?: Auth }
      & OnlyNames<Given, keyof RouteOptions | keyof EndpointMetadata>,
  ): RouteMethodDecorator<Provided<Path, Content, Params, Query, Data, Auth>>;
}

/**
 * Content without a schema.
 *
 * @internal
 */
export type ProvidedContent<Multipart, Raw> = [Multipart] extends [true] ? FormData
  : [Raw] extends [true] ? undefined
  : Unspecified;

/**
 * What a route provides to its method, and expects from it.
 *
 * @internal
 */
export interface Provided<
  Path extends string = string,
  Content = unknown,
  Params = unknown,
  Query = unknown,
  Data = unknown,
  Auth = unknown,
> {
  /** Path of the route. */
  readonly path: Path;
  /** Content of the request. */
  readonly content: Content;
  /** Output of `schema.params`. */
  readonly params: Params;
  /** Output of `schema.query`. */
  readonly query: Query;
  /** Output of `schema.response`. */
  readonly data: Data;
  /** Option `auth`. */
  readonly auth: Auth;
}

/**
 * `unknown` if a method matches, else an object whose property describes the mismatch.
 *
 * @internal
 */
export type Mismatch<M extends AnyMethod, S extends Provided> = never[] extends Parameters<M>
  ? unknown // `M` is any method: the compiler's first guess for a generic one
  : M extends (req: infer Req, ...args: never[]) => infer Result
    ? ResultMismatch<Result, S["data"]> & (unknown extends Req ? unknown : RequestMismatch<Req, S>)
  : unknown;

/**
 * Whether the method returns the route's response type.
 *
 * @internal
 */
export type ResultMismatch<Result, Data> = [Result] extends [HandlerResult<Data>] ? unknown
  : { readonly "Response type does not fit": Result };

/**
 * Whether the route provides what the method's request declares.
 *
 * @internal
 */
export type RequestMismatch<Req, S extends Provided> =
  [GuardedRequest<never, never, never, never>] extends [Req] ? PartMismatch<Req, S>
    : { readonly "Declared request is not a TypedRequest": Req };

/**
 * Whether the parts of the request are what the method declares.
 *
 * @internal
 */
export type PartMismatch<Req, S extends Provided> =
  & (Req extends { readonly params: infer P } ? ParamsMismatch<P, S> : unknown)
  & (Req extends { readonly query: infer Q } ? OutputMismatch<"query", S["query"], Q> : unknown)
  & (Req extends { readonly content: infer C } ? ContentMismatch<C, S["content"]> : unknown)
  & (Req extends { readonly principal: infer P } ? PrincipalMismatch<P, S["auth"]> : unknown);

/**
 * Whether the declared parameters are those of the path. The controller's path may add more.
 *
 * @internal
 */
export type ParamsMismatch<P, S extends Provided> = [S["params"]] extends [Unspecified]
  ? Record<keyof P, string> extends P
    ? string extends S["path"] | keyof P ? unknown : PathMismatch<P, PathParamsOf<S["path"]>>
  : { readonly "Path parameter has another type": Record<keyof P, string> }
  : OutputMismatch<"params", S["params"], P>;

/**
 * Whether declared parameters have the names and types of a path's.
 *
 * @internal
 */
export type PathMismatch<P, Given> = [Exclude<keyof Given, keyof P>] extends [never]
  ? [Given] extends [Pick<P, keyof Given & keyof P>] ? unknown
  : { readonly "Path parameter has another type": Given }
  : { readonly "Path parameter missing in PathParams": Exclude<keyof Given, keyof P> };

/**
 * Whether a schema's output is what the method declares.
 *
 * @internal
 */
export type OutputMismatch<Part extends string, Output, Declared> = [Output] extends [Unspecified]
  ? unknown
  : [Output] extends [Declared] ? unknown
  : { readonly [P in Part as `Output of schema.${P} does not fit`]: Output };

/**
 * Whether the content is what the method declares.
 *
 * @internal
 */
export type ContentMismatch<Declared, Content> = [Content] extends [Unspecified]
  ? [Declared] extends [FormData] ? { readonly "FormData needs multipart: true": Declared }
  : unknown
  : [Content] extends [Declared] ? unknown
  : { readonly "Content does not fit": Content };

/**
 * Whether there is a principal if the method declares one. Without `auth`, a router may have no guard.
 *
 * @internal
 */
export type PrincipalMismatch<Declared, Auth> = [Auth] extends [undefined]
  ? { readonly "Principal declared: set auth: true": Declared }
  : false extends Auth ? { readonly "Principal declared, but auth may be false": Declared }
  : { readonly mode: "optional" } extends Auth ? [undefined] extends [Declared] ? unknown
    : { readonly "Principal may be undefined where auth is optional": Declared }
  : unknown;
