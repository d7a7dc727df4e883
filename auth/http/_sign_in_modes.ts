/**
 * What a sign-in over HTTP begins, and a sign-out ends: a session in a browser, tokens for a program, or both.
 *
 * @module
 */

import type { Middleware, RouteRequest } from "../../router/types.ts";
import { readOptionalJson, readRefreshToken, toPrincipalInfo } from "./_route_bodies.ts";
import { dependOn, stateOf } from "./_request_state.ts";
import { csrfGuard } from "./csrf_guard.ts";
import { finalizeResponse } from "./response_headers.ts";
import type { AuthRuntime } from "./runtime.ts";
import type { PasswordAuthentication } from "../principal.ts";
import type { TokenService } from "../tokens/token_types.ts";

/** A way to sign in and out. */
export interface SignInMode {
  /** What stands in front of its routes. */
  readonly use: readonly Middleware<unknown[]>[];
  /** Rejects where it could not begin now, before an attempt is counted and an account made. */
  ready(): Promise<unknown>;
  /** Begins; what the answer holds. */
  begin(
    req: RouteRequest,
    authentication: PasswordAuthentication,
    remember?: boolean,
  ): Promise<object>;
  /** Ends. */
  end(req: RouteRequest): Promise<void>;
}

/** A session with its cookies, and tokens beside it where there is a service for them. */
export function cookieMode(runtime: AuthRuntime, tokens: TokenService | undefined): SignInMode {
  return {
    use: [finalizeResponse, keepPrivate, csrfGuard({ csrf: runtime.csrf })],
    ready: async () => await tokens?.keys.jwks(),
    async begin(req, authentication, remember) {
      const { principal, session, csrfToken } = await runtime.signIn(req, authentication, {
        remember,
      });
      const issued = await tokens?.issue(authentication, { sessionId: session.id })
        .catch(async (error) => {
          await runtime.signOut(req); // or the browser would be signed in by an answer that says it is not
          throw error;
        });
      const user = userOf(authentication);
      return { principal: toPrincipalInfo(principal), session, user, csrfToken, ...issued };
    },
    async end(req) {
      await runtime.signOut(req); // whatever the body says
      if (tokens !== undefined) await revokeToken(tokens, req);
    },
  };
}

/** Tokens alone. No cookie is set and none counts, so that there is nothing that somebody else's page could make use of. */
export function tokenMode(tokens: TokenService): SignInMode {
  return {
    use: [finalizeResponse, keepPrivate],
    ready: () => tokens.keys.jwks(),
    async begin(_req, authentication) {
      return { user: userOf(authentication), ...await tokens.issue(authentication) };
    },
    end: (req) => revokeToken(tokens, req),
  };
}

/** What these routes answer depends on the browser, and is for it alone. */
export function keepPrivate(req: RouteRequest): void {
  const state = stateOf(req);
  dependOn(state, ["Cookie"]);
  state.isPrivate = true;
}

async function revokeToken(tokens: TokenService, req: RouteRequest): Promise<void> {
  await tokens.revoke(readRefreshToken(await readOptionalJson(req)));
}

function userOf({ sub, identifier }: PasswordAuthentication): object {
  return { sub, identifier };
}
