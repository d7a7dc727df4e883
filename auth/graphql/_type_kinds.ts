/**
 * The kinds of types, without the classes of `graphql`: both versions and all copies tag them.
 *
 * @module
 */

import type { CompositeTypeLike } from "./schema_types.ts";

/** Whether a type is an object type. */
export function isObjectType(type: unknown): type is CompositeTypeLike {
  return tagOf(type) === "[object GraphQLObjectType]";
}

/** Whether a type has fields that can be declared: an object type or an interface. */
export function isCompositeType(type: unknown): type is CompositeTypeLike {
  return isObjectType(type) || tagOf(type) === "[object GraphQLInterfaceType]";
}

function tagOf(type: unknown): string {
  return Object.prototype.toString.call(type);
}
