/**
 * The parts of GraphQL.js that are used, as structural types: nothing of `graphql` is imported, so that every copy and
 * version of it fits, 16 and 17.
 *
 * @module
 */

/** A schema: `GraphQLSchema`. */
export interface SchemaLike {
  /** All types by name. */
  getTypeMap(): Readonly<Record<string, object>>;
  /** The type of that name. */
  getType(name: string): object | undefined | null;
  /** The root type of subscriptions. */
  getSubscriptionType(): object | undefined | null;
}

/** The part of `GraphQLResolveInfo` that guards read. */
export interface ResolveInfoLike {
  /** Name of the field. */
  readonly fieldName: string;
  /** Type that has the field. */
  readonly parentType: { readonly name: string };
  /** The field's nodes in the document. */
  readonly fieldNodes: readonly object[];
  /** Values of the operation's variables. */
  readonly variableValues: object;
  /** The schema. */
  readonly schema: SchemaLike;
}

/** A field's function, `GraphQLFieldResolver`: `resolve` or `subscribe`. */
export type FieldResolver = (
  // deno-lint-ignore no-explicit-any -- each field has its own types, and only GraphQL.js knows them
  source: any,
  // deno-lint-ignore no-explicit-any -- as above
  args: any,
  // deno-lint-ignore no-explicit-any -- as above
  context: any,
  // deno-lint-ignore no-explicit-any -- as above
  info: any,
) => unknown;

/**
 * A field of an object type or an interface: `GraphQLField`.
 *
 * @internal
 */
export interface FieldLike {
  /** Computes the value. */
  resolve?: FieldResolver | undefined | null;
  /** Opens the stream of a subscription. */
  subscribe?: FieldResolver | undefined | null;
  /** Data of other libraries; `auth` is ours. */
  readonly extensions?: { readonly auth?: unknown } | undefined | null;
}

/**
 * An object type or an interface: `GraphQLObjectType`, `GraphQLInterfaceType`.
 *
 * @internal
 */
export interface CompositeTypeLike {
  /** Name of the type. */
  readonly name: string;
  /** Its fields by name. */
  getFields(): Readonly<Record<string, FieldLike>>;
  /** The interfaces that it implements. */
  getInterfaces(): readonly CompositeTypeLike[];
  /** Data of other libraries; `auth` is ours. */
  readonly extensions?: { readonly auth?: unknown } | undefined | null;
}
