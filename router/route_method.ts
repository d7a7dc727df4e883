/**
 * The signatures of `router.get(path, handler, options?)` and its siblings.
 *
 * One signature covers both styles: explicit type arguments `RequestSpec` and `ResponseSpec`, or types inferred from
 * path, options and handler. Options are inferred property by property; inferred as a whole, an inline lambda would make
 * `content` unknown.
 *
 * @module
 */

import type { AccessRules } from "./access.ts";
import type { CommonOptions, HandlerResult, RouteOptions } from "./handler.ts";
import type {
  AnyRequestSpec,
  ParamsOf,
  QueryOf,
  ResponseSpec,
  StatedPath,
  Unspecified,
} from "./markers.ts";
import type { NoLocals, RouteRequest } from "./request.ts";

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

/** Adds a route without content: GET, HEAD, DELETE, OPTIONS or all methods. `Prefix` are the parameters of the router's prefix. */
export interface RouteMethod<
  Self,
  Args extends unknown[],
  Rules extends AccessRules = AccessRules,
  Locals = NoLocals,
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
      req: RouteRequest<undefined, NoInfer<Params>, Query, Locals>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    options?:
      & CommonOptions<Args, unknown, Params, Query, Data, Rules, Locals>
      & OnlyNames<Given, keyof CommonOptions>,
  ): Self;
}

/** Adds a route with content: POST, PUT or PATCH. */
export interface BodyRouteMethod<
  Self,
  Args extends unknown[],
  Rules extends AccessRules = AccessRules,
  Locals = NoLocals,
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
      req: RouteRequest<Content, NoInfer<Params>, Query, Locals>,
      ...args: Args
    ) => HandlerResult<NoInfer<Data>>,
    // optional, unless explicit content needs an option; a tuple of its own for each case is cheapest to check
    ...options: unknown extends Spec["~content"] ? [
        options?:
          & CommonOptions<Args, Content, Params, Query, Data, Rules, Locals>
          & BodyMode<Multipart, Raw>
          & OnlyNames<Given, keyof RouteOptions>,
      ]
      : Spec["~content"] extends FormData | undefined ? [
          options:
            & CommonOptions<Args, Content, Params, Query, Data, Rules, Locals>
            & ContentMode<Spec["~content"]>,
        ]
      : [
        options?:
          & CommonOptions<Args, Content, Params, Query, Data, Rules, Locals>
          & BodyMode<false, false>,
      ]
  ): Self;
}
