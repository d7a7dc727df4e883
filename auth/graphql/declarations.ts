/**
 * Declarations: what a field or a type requires. One frozen function is a decorator, a value of `extensions.auth` and a
 * value of the option `rules`.
 *
 * @module
 */

import { readStepUp } from "../../router/access.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { readScope } from "../_scope.ts";
import { recordDeclaration } from "./_decorated.ts";
import type { AuthDeclaration, Declaration } from "./types.ts";

/** Options of {@linkcode Authenticated}. */
export interface AuthenticatedOptions {
  /** Authentication methods (RFC 8176) that the principal must have, all of them: `["mfa"]`. @default any */
  readonly amr?: readonly string[] | undefined;
  /** Authentication contexts, of which the principal must have one. @default any */
  readonly acr?: readonly string[] | undefined;
  /** Seconds since the user authenticated, at most: an integer from 1. @default {Infinity} */
  readonly maxAge?: number | undefined;
  /**
   * Scopes that principals with a `scope` need, all of them, or `any`. They add up with those of the field's other declarations.
   *
   * @default none; where no declaration names a scope, such principals are rejected
   */
  readonly scope?: readonly string[] | "any" | undefined;
}

/** Options of {@linkcode Authorize}. */
export interface AuthorizeOptions {
  /** Call the manager for anonymous requests too. @default {false}, which rejects them with `UNAUTHENTICATED` */
  readonly allowAnonymous?: boolean | undefined;
}

/**
 * Requires an authenticated principal; with `amr`, `acr` or `maxAge`, one whose sign-in was by these methods, of one of these
 * contexts, and recent. Otherwise the field's error has the code `UNAUTHENTICATED`, or `FORBIDDEN` if only the scope is missing.
 *
 * @throws {TypeError} If an option is unknown, or `amr`, `acr` or `scope` not a non-empty array of strings.
 * @throws {RangeError} If `maxAge` is not a positive integer, or a scope is invalid.
 */
export function Authenticated(options: AuthenticatedOptions = {}): Declaration {
  const action = "Cannot declare Authenticated";
  rejectUnknownOptions<AuthenticatedOptions>(action, options, {
    amr: true,
    acr: true,
    maxAge: true,
    scope: true,
  });
  const { amr, acr, maxAge, scope } = options;
  const named = scope === "any" ? scope : readScope(action, scope);
  if (named?.length === 0) throw new TypeError(`${action}: scope must not be empty`);
  return createDeclaration({
    kind: "authenticated",
    ...readStepUp(action, { amr, acr, maxAge }),
    ...(named === undefined ? {} : { scope: named }),
  });
}

/**
 * Calls the authorization manager, after all checks of {@linkcode Authenticated}. What it denies is `FORBIDDEN`; an anonymous
 * request is `UNAUTHENTICATED`, unless `allowAnonymous` is true.
 *
 * @param metadata What the manager decides about: the application's own data.
 * @throws {TypeError} If `metadata` is missing, or an option is unknown.
 */
export function Authorize(metadata: unknown, options: AuthorizeOptions = {}): Declaration {
  const action = "Cannot declare Authorize";
  if (metadata === undefined) throw new TypeError(`${action}: metadata is missing`);
  rejectUnknownOptions<AuthorizeOptions>(action, options, { allowAnonymous: true });
  const { allowAnonymous = false } = options;
  if (typeof allowAnonymous !== "boolean") {
    throw new TypeError(`${action}: allowAnonymous must be a boolean`);
  }
  return createDeclaration({ kind: "authorize", metadata, allowAnonymous });
}

/**
 * Opens one field of a protected type: no declaration of its type or its interfaces counts for it, nor the option `default`. On
 * a type, it opens the fields without a declaration of their own.
 */
export function PublicField(): Declaration {
  return createDeclaration({ kind: "public" });
}

/**
 * Reads declarations. @throws {TypeError} If a value is not one.
 *
 * @internal
 */
export function readDeclarations(place: string, value: unknown): readonly Declaration[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.every(isDeclaration)) return list;
  throw new TypeError(
    `Cannot protect schema: ${place} must be Authenticated(), Authorize(), PublicField() or an array of them`,
  );
}

function isDeclaration(value: unknown): value is Declaration {
  return typeof value === "function" && DECLARATIONS.has(value);
}

/** What this module created: other functions with a member `~auth` are none. */
const DECLARATIONS: WeakSet<object> = /* @__PURE__ */ new WeakSet();

function createDeclaration(auth: AuthDeclaration): Declaration {
  const declaration: Declaration = Object.assign(
    (target: unknown, context?: unknown, descriptor?: unknown) =>
      recordDeclaration(declaration, { target, context, descriptor }),
    { "~auth": Object.freeze(auth) },
  );
  DECLARATIONS.add(declaration);
  return Object.freeze(declaration);
}
