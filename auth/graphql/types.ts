/**
 * Declarations, and the options of {@linkcode protectSchema}.
 *
 * @module
 */

import type { AuthorizationManager } from "../authorization.ts";
import type { FieldResolver } from "./schema_types.ts";

/** What a declaration says, as data. */
export type AuthDeclaration =
  | {
    /** `Authenticated()`. */
    readonly kind: "authenticated";
    /** Required methods of the sign-in. */
    readonly amr?: readonly string[];
    /** Authentication contexts, of which one is required. */
    readonly acr?: readonly string[];
    /** Seconds since the sign-in, at most. */
    readonly maxAge?: number;
    /** Required scopes. */
    readonly scope?: readonly string[] | "any";
  }
  | {
    /** `Authorize()`. */
    readonly kind: "authorize";
    /** What the manager decides about. */
    readonly metadata: unknown;
    /** Whether it decides about anonymous requests, too. */
    readonly allowAnonymous: boolean;
  }
  | {
    /** `PublicField()`. */
    readonly kind: "public";
  };

/**
 * A declaration, created by {@linkcode Authenticated}, {@linkcode Authorize} or {@linkcode PublicField}. As a decorator it is
 * for classes, methods, accessors and properties, in both modes: TC39 and `experimentalDecorators`.
 */
export interface Declaration {
  /** What it says. */
  readonly "~auth": AuthDeclaration;
  /** Applied by the compiler. */
  (target: unknown, context?: unknown, descriptor?: unknown): void;
}

/** A class, also one whose constructor takes arguments, is private, or is abstract. */
// deno-lint-ignore ban-types -- nothing else is common to them
export type AnyClass = Function & { readonly prototype: object };

/** Declarations of a type: of the type itself under `*`, of its fields under their names. */
export type TypeRules = Readonly<Record<string, Declaration | readonly Declaration[]>>;

/** Options of {@linkcode protectSchema}. */
export interface ProtectSchemaOptions {
  /** Declarations by type and field; `*` is the type itself: `{ User: { "*": Authenticated() } }`. @default none */
  readonly rules?: Readonly<Record<string, TypeRules>> | undefined;
  /**
   * Classes whose decorators count, by the name of their type. Decorated classes that it does not have belong to other schemas.
   *
   * @default each decorated class belongs to the type of its name, but those that `types` of another schema names
   */
  readonly types?: Readonly<Record<string, AnyClass | readonly AnyClass[]>> | undefined;
  /** What fields without any declaration require. @default nothing: they are public */
  readonly default?: Declaration | readonly Declaration[] | undefined;
  /** Decides about {@linkcode Authorize}. @default the one of the runtime that authenticates the request */
  readonly manager?: AuthorizationManager | undefined;
  /** The executor's own `fieldResolver`, for fields without `resolve`. @default {GraphQL.js's: the property of that name} */
  readonly fieldResolver?: FieldResolver | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}
