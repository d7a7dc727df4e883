/**
 * What a route demands of its caller, and which credentials prove it.
 *
 * @module
 */

/** Who may use a route: anyone (`false`), a principal (`true`), or both. Needs a guard unless `false`. */
export type AuthOption = boolean | { readonly mode: "optional" };

/** What routes may say to their guard. Nothing is checked of `unknown` metadata, or where a scope is any `string`. */
export interface AccessRules<Metadata = unknown, Scope extends string = string> {
  /** Type of `authorization.metadata`. */
  readonly metadata: Metadata;
  /** Names of the scopes. */
  readonly scope: Scope;
}

/**
 * Where an application states its rules, once: for controllers, which cannot see their router, and as the default of types such
 * as `TypedRouter`.
 *
 * @example
 * ```ts ignore
 * import type { AccessRules } from "@gatehouse/http";
 *
 * declare module "@gatehouse/http" {
 *   interface Register {
 *     rules: AccessRules<{ action: "read" | "write" }, "notes:read" | "notes:write">;
 *   }
 * }
 * ```
 */
// deno-lint-ignore no-empty-interface -- applications add to it
export interface Register {}

/** The rules in {@linkcode Register}, or any if the application states none. */
export type RegisteredRules = Register extends { readonly rules: infer Rules extends AccessRules }
  ? Rules
  : AccessRules;

/** What the authorization manager checks on a route. */
export interface AuthorizationOption<Metadata = unknown> {
  /** The application's own data, opaque to the router. */
  readonly metadata: Metadata;
  /** Also consult the manager for anonymous requests. @default {false} */
  readonly allowAnonymous?: boolean;
}

/** Scopes that limited principals need, all of them, or `any`: whatever scope they have. */
export type ScopeOption<Scope extends string = string> = readonly Scope[] | "any";

/** Property of middleware that requires scopes. */
const REQUIRED_SCOPE: unique symbol = Symbol("gatehouse.requiredScope");

/** Marks middleware that requires scopes: a route with it in `use` names them. */
export function markScope<M extends object>(middleware: M, scope: readonly string[]): M {
  return Object.defineProperty(middleware, REQUIRED_SCOPE, { value: scope });
}

/** The scopes that a route names: those of its option `scope`, and those that its middleware requires. */
export function scopeOf(
  { scope, use = [] }: { readonly scope?: ScopeOption; readonly use?: readonly object[] },
): ScopeOption | undefined {
  const required = use.flatMap((one) =>
    (one as { readonly [REQUIRED_SCOPE]?: readonly string[] })[REQUIRED_SCOPE] ?? []
  );
  if (required.length === 0) return scope;
  return Object.freeze([...new Set([...typeof scope === "object" ? scope : [], ...required])]);
}

/** The scopes that the route of a request names; `undefined` before a route is entered, as in `before` and `under`. */
export function namedScopeOf(req: object): ScopeOption<RegisteredRules["scope"]> | undefined {
  return (req as { readonly namedScope?: ScopeOption<RegisteredRules["scope"]> }).namedScope;
}

/** What a route requires of a guard. */
export interface RouteAccess<Rules extends AccessRules = AccessRules> {
  /** Whether a request without a credential is rejected. */
  readonly mode: "required" | "optional";
  /** What the principal must be authorized for; `none` if the route says that nothing is checked. */
  readonly authorization?: AuthorizationOption<Rules["metadata"]> | "none";
  /** What limited principals need. */
  readonly scope?: ScopeOption<Rules["scope"]>;
}

/** Where a strategy reads its credential. */
export type CredentialScheme =
  | { readonly type: "cookie" | "header"; readonly name: string }
  | { readonly type: "bearer" };

/** The part of a strategy that describes its credential; without a `scheme`, documents omit it. */
export interface SchemeStrategy {
  /** Name of the strategy. */
  readonly name: string;
  /** Where it reads its credential. */
  readonly scheme?: CredentialScheme;
  /** Whether only routes that name a scope accept it. @default {false} */
  readonly scoped?: boolean;
}

/**
 * Whether a request without a principal may pass: if it is optional, and the authorization manager also handles
 * anonymous requests or is not involved.
 */
export function mayBeAnonymous({ mode, authorization }: RouteAccess): boolean {
  return mode === "optional" &&
    (authorization === undefined || authorization === "none" ||
      authorization.allowAnonymous === true);
}
