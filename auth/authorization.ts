/**
 * Authorization managers, which decide whether a principal may access a route.
 *
 * @module
 */

import type { Principal } from "./principal.ts";

/** Name under which a container provides the authorization manager. */
export const AUTHORIZATION_MANAGER = "auth.AuthorizationManager" as const;

/** Access is allowed. */
export interface AuthorizationAllowed {
  /** Discriminates results. */
  readonly status: "allowed";
}

/** Access is denied. */
export interface AuthorizationDenied {
  /** Discriminates results. */
  readonly status: "denied";
  /** Why, for the event `authz.denied`. Never sent. */
  readonly reason: string;
}

/** The decision of a manager. */
export type AuthorizationResult = AuthorizationAllowed | AuthorizationDenied;

/** A request over HTTP. */
export interface HttpTransport {
  /** Discriminates transports. */
  readonly kind: "http";
  /** The request. Its body is left to the handler. */
  readonly request: Request;
  /** Pattern of the route: `/notes/:id`; empty if none matched. */
  readonly route: string;
  /** The route's parameters, decoded, or the output of `schema.params`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The query, or the output of `schema.query`. */
  readonly query: Readonly<Record<string, unknown>>;
}

/** A field of a GraphQL operation. Its parent object is not known, so that one verdict counts for all elements of a list. */
export interface GraphqlTransport {
  /** Discriminates transports. */
  readonly kind: "graphql";
  /** The request of the operation. Its body is left to the server. */
  readonly request: Request;
  /** Name of the object type: `Note`. */
  readonly type: string;
  /** Name of the field. */
  readonly field: string;
  /** Arguments of the field. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a manager decides about. `Metadata` is the type of the metadata of the application's routes. */
export interface AuthorizationContext<Metadata = unknown> {
  /** The metadata of the route or field. */
  readonly metadata: Metadata;
  /** What is asked for: a route, or a field of a GraphQL schema. */
  readonly transport: HttpTransport | GraphqlTransport;
}

/**
 * Decides on access. If it throws, access is denied: an `HttpError` becomes the response, for example a 404 that hides
 * the resource, and anything else a 500. For a GraphQL field, anything thrown is an `INTERNAL_SERVER_ERROR`.
 */
export interface AuthorizationManager<in Metadata = unknown> {
  /**
   * Decides on one request.
   *
   * @param principal The authenticated subject; `undefined` for an anonymous request, only with `allowAnonymous`.
   */
  authorize(
    principal: Principal | undefined,
    context: AuthorizationContext<Metadata>,
  ): AuthorizationResult | Promise<AuthorizationResult>;
}

const ALLOWED: AuthorizationAllowed = /* @__PURE__ */ Object.freeze({ status: "allowed" });

/** The result that allows access. */
export function authorizationAllowed(): AuthorizationAllowed {
  return ALLOWED;
}

/**
 * The result that denies access. The client gets a 403 `access_denied` for every reason.
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

/** Whether a result allows access. @throws {TypeError} If it is not a valid result. */
export function isAllowed(result: AuthorizationResult): result is AuthorizationAllowed {
  switch (result?.status) {
    case "allowed":
      return true;
    case "denied":
      return false;
  }
  throw new TypeError("Cannot authorize: the authorization manager returned no result");
}
