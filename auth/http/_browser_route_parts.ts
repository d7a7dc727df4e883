/**
 * What the routes for browsers share: the checks of writes, the response of sign-ins, and the documents of both.
 *
 * @module
 */

import type { EndpointMetadata } from "../../router/openapi_types.ts";
import type { Middleware, RouteRequest } from "../../router/types.ts";
import type { Authentication, PasswordAuthentication } from "../principal.ts";
import type { TokenService } from "../tokens/token_types.ts";
import { toPrincipalInfo } from "./_route_bodies.ts";
import {
  type DocumentParts,
  object,
  PRINCIPAL,
  SESSION,
  STRING,
  TAGS,
  TOKEN_NAMES,
  TOKENS,
  USER,
} from "./documents/schemas.ts";
import { keepPrivate, MAX_BODY_BYTES, toUser } from "./_shared_routes.ts";
import { csrfGuard } from "./csrf_guard.ts";
import { finalizeResponse } from "./response_headers.ts";
import type { AuthRoute, AuthRuntime, SignInOptions } from "./types.ts";

/** Parts of routes that need a CSRF token. */
export interface BrowserRouteParts extends DocumentParts {
  readonly runtime: AuthRuntime<never>;
  /** Issues tokens with each sign-in. */
  readonly tokens: TokenService | undefined;
  /** Options of routes that change state. */
  readonly writes: {
    readonly auth: false;
    readonly use: readonly Middleware<unknown[]>[];
    readonly maxBodyBytes: number;
  };
  /** Creates a session, and issues tokens. @returns The response body of all sign-ins. */
  readonly completeSignIn: (
    req: RouteRequest,
    authentication: Authentication,
    user: Pick<PasswordAuthentication, "sub" | "identifier">,
    options?: SignInOptions,
  ) => Promise<object>;
}

/** A route that changes state, and in what it differs from the others. */
export interface PostRoute extends Pick<AuthRoute, "path" | "handler"> {
  /** Its document. */
  readonly openapi: EndpointMetadata;
  /** Middleware after the checks of all such routes. */
  readonly use?: readonly Middleware<unknown[]>[];
  /** Whether there is no body. */
  readonly raw?: true;
  readonly maxBodyBytes?: number;
}

/** Creates a route that changes state. */
export function postRoute(
  { writes }: Pick<BrowserRouteParts, "writes">,
  { path, handler, use = [], ...more }: PostRoute,
): AuthRoute {
  const options = { ...writes, ...more, use: [...writes.use, ...use] };
  return { method: "POST", path, options, handler };
}

/** Creates the parts. */
export function browserRouteParts(
  runtime: AuthRuntime<never>,
  tokens: TokenService | undefined,
): BrowserRouteParts {
  const { csrf } = runtime;
  return {
    runtime,
    tokens,
    writes: {
      auth: false,
      use: [finalizeResponse, keepPrivate, csrfGuard({ csrf })],
      maxBodyBytes: MAX_BODY_BYTES,
    },
    documented: {
      tags: TAGS,
      parameters: [{
        name: csrf.header,
        in: "header",
        required: true,
        description: "The token that the route `csrf` of the same path returns",
        schema: STRING,
      }],
    },
    signedIn: object({
      principal: PRINCIPAL,
      session: SESSION,
      user: USER,
      csrfToken: { ...STRING, description: "The CSRF token of the new session" },
      ...(tokens === undefined ? {} : TOKENS),
    }, [
      ...["principal", "session", "user", "csrfToken"],
      ...(tokens === undefined ? [] : TOKEN_NAMES),
    ]),
    async completeSignIn(req, authentication, user, options = {}) {
      const { principal, session, csrfToken } = await runtime.signIn(req, authentication, options);
      const issued = await tokens?.issue(authentication, { sessionId: session.id })
        .catch(async (error) => {
          await runtime.signOut(req); // the response will say that the sign-in failed
          throw error;
        });
      const members = { principal: toPrincipalInfo(principal), session, user: toUser(user) };
      return { ...members, csrfToken, ...issued };
    },
  };
}

/** Creates the routes of a runtime's features. */
export type FeatureRoutes = (parts: BrowserRouteParts) => readonly AuthRoute[];

const FEATURE_ROUTES: WeakMap<AuthRuntime<never>, FeatureRoutes> = /* @__PURE__ */ new WeakMap();

/** Records the routes of a runtime's features. */
export function setFeatureRoutes(runtime: AuthRuntime<never>, routes: FeatureRoutes): void {
  FEATURE_ROUTES.set(runtime, routes);
}

/** The routes of a runtime's features. */
export function featureRoutes(parts: BrowserRouteParts): readonly AuthRoute[] {
  return FEATURE_ROUTES.get(parts.runtime)?.(parts) ?? [];
}
