/**
 * Type markers: request and response types of a route, as type arguments.
 *
 * Markers exist only in types. A route specifies them as `RequestSpec<Json<…>, PathParams<…>, QueryParams<…>>` and
 * `ResponseSpec<…>`; the handler's request and response types follow.
 *
 * @module
 */

import type { InferOutput, RouteSchema, StandardSchemaV1 } from "./schema.ts";

/** Common part of the markers: the types of content, path parameters and query. */
export interface RequestMarker {
  /** Type of `req.content`. */
  readonly "~content": unknown;
  /** Type of `req.params`. */
  readonly "~params": unknown;
  /** Type of `req.query`. */
  readonly "~query": unknown;
}

/** Marks the JSON body of a route: `req.content` is a `T`. */
export interface Json<T = unknown> extends RequestMarker {
  /** Type of `req.content`. */
  readonly "~content": T;
}

/** Marks a `multipart/form-data` body: `req.content` is a `FormData`; `T` documents its fields. */
export interface Multipart<T = unknown> extends RequestMarker {
  /** Type of `req.content`. */
  readonly "~content": FormDataOf<T>;
}

/** A form whose documented fields are a `T`. They are not checked without a schema. */
export interface FormDataOf<T = unknown> extends FormData {
  /** Documented fields. Never present at run time. */
  readonly "~form"?: T;
}

/** Marks the path parameters of a route: `req.params` is a `T`. */
export interface PathParams<T = unknown> extends RequestMarker {
  /** Type of `req.params`. */
  readonly "~params": T;
}

/**
 * Marks the query of a route: `req.query` is a `T`, whose values are strings, or arrays of strings if a name repeats; with
 * compiled validators also numbers, booleans and arrays of them.
 */
export interface QueryParams<T = unknown> extends RequestMarker {
  /** Type of `req.query`. */
  readonly "~query": T;
}

/** Joins up to three markers into the request side of a route. */
export interface RequestSpec<
  A extends RequestMarker = RequestMarker,
  B extends RequestMarker = RequestMarker,
  C extends RequestMarker = RequestMarker,
> extends RequestMarker {
  /** Type of `req.content`. */
  readonly "~content": A["~content"] & B["~content"] & C["~content"];
  /** Type of `req.params`. */
  readonly "~params": A["~params"] & B["~params"] & C["~params"];
  /** Type of `req.query`. */
  readonly "~query": A["~query"] & B["~query"] & C["~query"];
  /** Distinguishes an explicit specification from an inferred one. */
  readonly "~spec": true;
}

/** Any specification, explicit or inferred. */
export interface AnyRequestSpec extends RequestMarker {
  /** True if explicit. */
  readonly "~spec": boolean;
}

/** Default of type arguments: the types are inferred from path, options and handler, or nothing determines them. */
export interface Unspecified extends RequestMarker {
  /** Always false. */
  readonly "~spec": false;
  /** Any response. */
  readonly "~response": unknown;
}

/** The response side of a route: its handler must return a `TypedResponse<T>`, made by `json()`. */
export interface ResponseSpec<T = unknown> {
  /** Type of the data passed to `json()`. */
  readonly "~response": T;
}

/** Query without a schema: one value is a string, a repeated name an array. The object inherits nothing. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Path parameters of a path that is not known as a literal. */
export type AnyParams = Readonly<Record<string, string>>;

/** Path parameters of a literal path: `"/users/:id"` gives `{ readonly id: string }`. */
export type PathParamsOf<P extends string> = string extends P ? AnyParams
  : P extends `${string}/:${infer R}` ? (R extends `${string}?` ? OptionalParams<ParamNames<R>>
      : { readonly [L in ParamNames<R>]: string })
  : Readonly<Record<never, string>>;

/**
 * Params of a path that ends in an optional one.
 *
 * @internal
 */
export type OptionalParams<L extends string> =
  & { readonly [K in L as K extends `${string}?` ? never : K]: string }
  & { readonly [K in L as K extends `${infer N}?` ? N : never]?: string };

/**
 * Names of the parameters in the rest of a path.
 *
 * @internal
 */
export type ParamNames<R extends string> = R extends `${infer H}/:${infer T}`
  ? SegmentParam<H> | ParamNames<T>
  : SegmentParam<R>;

/**
 * Name of the parameter in the first segment.
 *
 * @internal
 */
export type SegmentParam<S extends string> = S extends `${infer H}/${string}` ? ParamName<H>
  : ParamName<S>;

/**
 * A parameter's name without its regular expression.
 *
 * @internal
 */
export type ParamName<L extends string> = L extends `${infer N}{${infer Re}`
  ? (Re extends `${string}?` ? `${N}?` : N)
  : L;

/** Type of `req.params`: explicit, or derived from the path. */
export type ParamsOf<Spec extends AnyRequestSpec, Path extends string = string> = unknown extends
  Spec["~params"] ? PathParamsOf<Path>
  : Spec["~params"];

/**
 * Parameters of a literal prefix; `unknown` without any.
 *
 * @internal
 */
export type PrefixParamsOf<P extends string> = P extends `${string}/:${string}` ? PathParamsOf<P>
  : unknown;

/**
 * Paths that have the parameters of an explicit specification; none for an inferred one.
 *
 * @internal
 */
export type StatedPath<Spec extends AnyRequestSpec, Prefix = unknown> = PathsWith<
  StatedNames<Spec["~params"]>,
  keyof Prefix,
  Spec["~spec"]
>["path"];

/**
 * Names of stated parameters: `id`, `id?` if it is optional, `id!` if it is not a string.
 *
 * @internal
 */
export type StatedNames<P> = Record<keyof P, string> extends P
  ? undefined extends P[keyof P] ? MarkedNames<P> : keyof P
  : MarkedNames<P>;

/**
 * The slow path of {@linkcode StatedNames}; `string` if any name is.
 *
 * @internal
 */
export type MarkedNames<P> = {
  [K in keyof P]-?: K extends string ? string extends K ? string
    : string extends P[K] ? undefined extends P[K] ? `${K}?` : K
    : `${K}!`
    : never;
}[keyof P];

/**
 * An interface, since the compiler caches those: routes with the same parameters share one.
 *
 * @internal
 */
export interface PathsWith<Name extends PropertyKey, InPrefix, Explicit> {
  /** The paths. */
  readonly path: [Explicit] extends [true]
    ? string extends Name ? string : PathsWithAll<Exclude<Name, InPrefix | `${InPrefix & string}?`>>
    : never;
}

/**
 * Paths that have all of {@linkcode StatedNames}; a message if one is not a string.
 *
 * @internal
 */
export type PathsWithAll<Name> = [Name] extends [never] ? string
  : [Extract<Name, `${string}!`>] extends [never] ? EachPath<Name>
  : Name extends `${infer N}!`
    ? `Path parameter ${N} is a string: leave out the type arguments, and let schema.params convert it`
  : never;

/**
 * The intersection of the paths for each name: what a parameter accepts if the function may be one for any name.
 *
 * @internal
 */
export type EachPath<Name> = [Name extends string ? (path: PathFor<Name>) => void : never] extends
  [(path: infer Path extends string) => void] ? Path
  : never;

/**
 * Paths for one name.
 *
 * @internal
 */
export type PathFor<Name extends string> = Name extends `${infer N}?` ? PathWithOptional<N>
  : PathWith<Name>;

/** Paths that have a parameter, with or without an expression. */
export type PathWith<Name extends string> =
  | `${string}/:${Name}`
  | `${string}/:${Name}/${string}`
  | `${string}/:${Name}{${string}}`
  | `${string}/:${Name}{${string}}/${string}`;

/** Paths that have a parameter, which may be optional. */
export type PathWithOptional<Name extends string> =
  | PathWith<Name>
  | `${string}/:${Name}?`
  | `${string}/:${Name}{${string}}?`;

/** Type of `req.query`: explicit, or {@linkcode Query}. */
export type QueryOf<Spec extends AnyRequestSpec> = unknown extends Spec["~query"] ? Query
  : Spec["~query"];

/**
 * The `RequestSpec` of a schema object, for handlers in another file than their route.
 *
 * @example A handler in its own file
 * ```ts ignore
 * const schema = { body: z.object({ title: z.string() }) };
 * export const create: Handler<SpecOf<typeof schema>> = (req) => json({ title: req.content.title });
 * ```
 */
export type SpecOf<S extends RouteSchema> = RequestSpec<
  Json<OutputOf<S["body"]>>,
  PathParams<OutputOf<S["params"]>>,
  QueryParams<OutputOf<S["query"]>>
>;

/**
 * Output of a schema, `unknown` without one.
 *
 * @internal
 */
export type OutputOf<S> = S extends StandardSchemaV1 ? InferOutput<S> : unknown;
