/**
 * What a route demands of its caller, and which credentials prove it.
 *
 * @module
 */

/**
 * Who may use a route: anyone (`false`), a principal (`true`), both, or a principal that signed in recently, or by certain
 * methods. Needs a guard unless `false`.
 */
export type AuthOption = boolean | OptionalAuth | RequiredAuth;

/** The principal is optional, so nothing can be required of its sign-in. */
export interface OptionalAuth {
  /** Anonymous requests pass. */
  readonly mode: "optional";
  /** Not with `optional`. */
  readonly amr?: never;
  /** Not with `optional`. */
  readonly acr?: never;
  /** Not with `optional`. */
  readonly maxAge?: never;
}

/** What a route requires of the sign-in: step-up authentication, RFC 9470. Otherwise 401 `insufficient_authentication`. */
export interface StepUpOptions {
  /** Authentication methods (RFC 8176) that the principal must have, all of them: `["mfa"]`. */
  readonly amr?: readonly string[];
  /** Authentication contexts, of which the principal must have one: `["urn:example:gold"]`. The preferred one first. */
  readonly acr?: readonly string[];
  /** Seconds since the user authenticated, at most: an integer from 1. A principal without `authTime` is rejected. */
  readonly maxAge?: number;
}

/** A principal is required. Each form has a required member: in intersections, TypeScript accepts `false` for an object without one. */
export type RequiredAuth =
  | StepUpOptions & { readonly mode: "required" }
  | StepUpOptions & { readonly mode?: "required"; readonly amr: readonly string[] }
  | StepUpOptions & { readonly mode?: "required"; readonly acr: readonly string[] }
  | StepUpOptions & { readonly mode?: "required"; readonly maxAge: number };

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

/**
 * Checks what is required of a sign-in. The copy is frozen.
 *
 * @param cannot Start of the message: `Cannot create guard`.
 * @throws {TypeError} If `amr` or `acr` is not a non-empty array of non-empty strings: an empty one would let everyone, or no one, pass.
 * @throws {RangeError} If `maxAge` is not a positive integer.
 */
export function readStepUp(
  cannot: string,
  { amr, acr, maxAge }: { readonly [Name in keyof StepUpOptions]?: unknown },
): StepUpOptions {
  return Object.freeze({
    ...(amr !== undefined && { amr: readWords(cannot, "amr", amr) }),
    ...(acr !== undefined && { acr: readWords(cannot, "acr", acr) }),
    ...(maxAge !== undefined && { maxAge: readMaxAge(cannot, maxAge) }),
  });
}

function readWords(cannot: string, name: string, given: unknown): readonly string[] {
  const words: readonly unknown[] = Array.isArray(given) ? [...given] : [];
  const isWord = (one: unknown) => typeof one === "string" && one !== "";
  if (words.length > 0 && words.every(isWord)) return Object.freeze(words as string[]);
  throw new TypeError(`${cannot}: ${name} must be a non-empty array of non-empty strings`);
}

function readMaxAge(cannot: string, maxAge: unknown): number {
  if (Number.isSafeInteger(maxAge) && Number(maxAge) >= 1) return Number(maxAge);
  throw new RangeError(`${cannot}: maxAge must be an integer of seconds from 1`);
}

/** What a route requires of a guard. */
export interface RouteAccess<Rules extends AccessRules = AccessRules> extends StepUpOptions {
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
  | { readonly type: "bearer"; readonly scheme?: "DPoP" };

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
