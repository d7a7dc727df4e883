/**
 * Authorization managers: whether a principal may do what it asks for.
 *
 * @module
 */

import type { Principal } from "./principal.ts";

/** Name that a container has the authorization manager under. */
export const AUTHORIZATION_MANAGER = "auth.AuthorizationManager" as const;

/** The principal may. */
export interface AuthorizationAllowed {
  /** Tells results apart. */
  readonly status: "allowed";
}

/** The principal may not. */
export interface AuthorizationDenied {
  /** Tells results apart. */
  readonly status: "denied";
  /** Why, for the event `authz.denied`. Never sent. */
  readonly reason: string;
}

/** What a manager decides. */
export type AuthorizationResult = AuthorizationAllowed | AuthorizationDenied;

/** How the question came in. */
export interface HttpTransport {
  /** Tells transports apart. */
  readonly kind: "http";
  /** The request. Its body is for the handler to read. */
  readonly request: Request;
  /** Pattern of the route: `/notes/:id`; empty where none matched. */
  readonly route: string;
  /** The route's parameters, decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** What a manager is asked about. `Metadata` is what the application's routes say of themselves. */
export interface AuthorizationContext<Metadata = unknown> {
  /** What the route says of itself: the application's own data. Nothing checks that it is of the type. */
  readonly metadata: Metadata;
  /** How the question came in. */
  readonly transport: HttpTransport;
}

/**
 * Decides who may do what. What it throws is never a pass: an `HttpError` is the answer, say a 404 where nobody is to
 * know, and anything else a 500.
 */
export interface AuthorizationManager<Metadata = unknown> {
  /**
   * Decides.
   *
   * @param principal Who asks; `undefined` only where anonymous requests are asked about too, by `allowAnonymous`.
   */
  authorize(
    principal: Principal | undefined,
    context: AuthorizationContext<Metadata>,
  ): AuthorizationResult | Promise<AuthorizationResult>;
}

const ALLOWED: AuthorizationAllowed = /* @__PURE__ */ Object.freeze({ status: "allowed" });

/** The principal may. */
export function authorizationAllowed(): AuthorizationAllowed {
  return ALLOWED;
}

/**
 * The principal may not. The client gets a 403 `access_denied`, whatever the reason.
 *
 * @param reason Why, for the event `authz.denied`. Never sent.
 *
 * @example
 * ```ts
 * import {
 *   authorizationAllowed,
 *   authorizationDenied,
 *   type AuthorizationManager,
 * } from "@gatehouse/http/auth";
 *
 * export const scopes: AuthorizationManager<{ scope: string }> = {
 *   authorize(principal, { metadata }) {
 *     return principal?.scope?.includes(metadata.scope)
 *       ? authorizationAllowed()
 *       : authorizationDenied(`scope ${metadata.scope} was not granted`);
 *   },
 * };
 * ```
 */
export function authorizationDenied(reason: string): AuthorizationDenied {
  return { status: "denied", reason };
}

/** Whether a result allows. What is no result at all must not count as one. @throws {TypeError} If it is none. */
export function isAllowed(result: AuthorizationResult): result is AuthorizationAllowed {
  switch (result?.status) {
    case "allowed":
      return true;
    case "denied":
      return false;
  }
  throw new TypeError("Cannot authorize: the authorization manager gave no result");
}
