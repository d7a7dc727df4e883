/**
 * What a route demands of its caller, and which credentials prove it.
 *
 * @module
 */

/** Who may use a route: everybody (`false`), a principal (`true`), or either. Needs a guard unless `false`. */
export type AuthOption = boolean | { readonly mode: "optional" };

/** What the authorization manager is asked about a route. */
export interface AuthorizationOption {
  /** The application's own data, opaque to the router. */
  readonly metadata: unknown;
  /** Ask the manager for anonymous requests too. @default {false} */
  readonly allowAnonymous?: boolean;
}

/** What a route asks of a guard. */
export interface RouteAccess {
  /** Whether a request without a credential is refused. */
  readonly mode: "required" | "optional";
  /** What must be allowed once it is known who asks. */
  readonly authorization?: AuthorizationOption;
}

/** Where a strategy finds its credential. */
export type CredentialScheme =
  | { readonly type: "cookie" | "header"; readonly name: string }
  | { readonly type: "bearer" };

/** The part of a strategy that says what credential it takes; without a `scheme`, one that no document describes. */
export interface SchemeStrategy {
  /** Name of the strategy. */
  readonly name: string;
  /** Where it finds its credential. */
  readonly scheme?: CredentialScheme;
}

/**
 * Whether a request without a principal may pass: where it is optional, and the authorization manager is asked for
 * anonymous requests too, or is not asked at all.
 */
export function mayBeAnonymous({ mode, authorization }: RouteAccess): boolean {
  return mode === "optional" &&
    (authorization === undefined || authorization.allowAnonymous === true);
}
