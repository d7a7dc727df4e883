/**
 * Guards for GraphQL schemas: declarations by decorators, extensions or rules, for `graphql` 16 and 17 under every server. See
 * {@linkcode protectSchema}.
 *
 * @module
 */

export { Authenticated, Authorize, PublicField } from "./declarations.ts";
export type { AuthenticatedOptions, AuthorizeOptions } from "./declarations.ts";
export { assertProtected, protectSchema } from "./schema.ts";
export { createAuthContext, requireSubject } from "./context.ts";
export type {
  AuthContextOptions,
  GraphqlAuthContext,
  IncomingLike,
  OperationOptions,
} from "./context.ts";
export type * from "./schema_types.ts";
export type * from "./types.ts";
