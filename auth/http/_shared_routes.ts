/**
 * Routes and checks that browsers and API clients share.
 *
 * @module
 */

import type { EndpointMetadata } from "../../router/openapi_types.ts";
import { json } from "../../router/response.ts";
import type { RouteRequest } from "../../router/types.ts";
import type { PasswordAuthentication } from "../principal.ts";
import type { TokenService } from "../tokens/token_types.ts";
import { messageContext } from "./_message_context.ts";
import { addVary, stateOf } from "./_request_state.ts";
import {
  readCredentials,
  readOptionalJson,
  readRefreshToken,
  toPrincipalInfo,
} from "./_route_bodies.ts";
import {
  body,
  CHALLENGE,
  content,
  INVALID_JSON,
  object,
  PRINCIPAL,
  REFRESH_TOKEN,
  SESSION,
  TAGS,
  TOKEN_NAMES,
  TOKENS,
  USER,
} from "./documents/schemas.ts";
import { getPrincipal, getSession } from "./get_principal.ts";
import { requireAuth } from "./require.ts";
import { finalizeResponse } from "./response_headers.ts";
import type { AuthRoute, AuthRuntime } from "./types.ts";

/** Maximum length of a request body. */
export const MAX_BODY_BYTES = 16_384;

/** @throws {TypeError} If the option `registration` is neither open nor closed. */
export function isRegistrationOpen(registration: unknown = "open"): boolean {
  if (registration === "open" || registration === "closed") return registration === "open";
  throw new TypeError('Cannot create routes: registration must be "open" or "closed"');
}

/** @throws {TypeError} If the runtime has no tokens. */
export function requireTokens({ tokens }: AuthRuntime<never>): TokenService {
  if (tokens !== undefined) return tokens;
  throw new TypeError("Cannot create routes: tokens need the option jwt of registerAuth()");
}

/** Freezes routes and their options. */
export function freezeRoutes(routes: readonly AuthRoute[]): readonly AuthRoute[] {
  for (const route of routes) {
    Object.freeze(route.options.use);
    Object.freeze(Object.freeze(route).options);
  }
  return Object.freeze(routes);
}

/** Middleware of routes whose responses depend on the browser, and are for it only. */
export function keepPrivate(req: RouteRequest): void {
  const state = stateOf(req);
  addVary(state, ["Cookie"]);
  state.isPrivate = true;
}

/** What a registration needs of the services. */
export interface RegistrationParts {
  readonly runtime: AuthRuntime<never>;
  readonly tokens: TokenService | undefined;
}

/** Creates the account of a registration, and sends the first link to its address. */
export async function registerAccount(
  { runtime, tokens }: RegistrationParts,
  req: RouteRequest,
  args: readonly unknown[],
): Promise<PasswordAuthentication> {
  const { passwords, accounts } = runtime;
  const { identifier, password, email } = readCredentials(req.content);
  const address = email === undefined ? undefined : accounts?.checkEmail(email, identifier);
  const client = runtime.client(req, ...args);
  await tokens?.keys.jwks(); // rejects while no key signs, before an account is created
  await accounts?.removeExpired(identifier);
  const authentication = await passwords.createUser({ identifier, password }, { client });
  const { sub } = authentication;
  await accounts?.welcome(sub, address, await messageContext(runtime, req, args));
  return authentication;
}

/** `GET /session`. Documents list `session` and `user` only for browsers. */
export function sessionRoute(runtime: AuthRuntime<never>, client: "browser" | "api"): AuthRoute {
  const browser = client === "browser" ? { session: SESSION, user: USER } : {};
  const openapi: EndpointMetadata = {
    tags: TAGS,
    summary: "Who is signed in",
    responses: {
      200: content(
        client === "browser" ? "The principal and its session" : "The principal",
        object({ principal: PRINCIPAL, ...browser }, ["principal"]),
      ),
      401: { description: "The request is anonymous", headers: CHALLENGE },
    },
  };
  return {
    method: "GET",
    path: "/session",
    options: {
      auth: false,
      use: [finalizeResponse, keepPrivate, requireAuth({ runtime, scope: "any" })],
      openapi,
    },
    // deno-lint-ignore require-await -- what it throws is a refusal
    async handler(req) {
      const principal = getPrincipal(req);
      if (principal === undefined) throw new TypeError("Cannot respond: the guard did not run");
      const active = getSession(req);
      if (active === undefined) return json({ principal: toPrincipalInfo(principal) });
      const { session, user } = active;
      return json({ principal: toPrincipalInfo(principal), session, user: toUser(user) });
    },
  };
}

/** `POST /refresh`. Browsers attach no refresh token automatically, so that it needs no CSRF check. */
export function refreshRoute(tokens: TokenService): AuthRoute {
  return {
    method: "POST",
    path: "/refresh",
    options: {
      auth: false,
      use: [finalizeResponse, (req) => void (stateOf(req).isPrivate = true)],
      maxBodyBytes: MAX_BODY_BYTES,
      openapi: {
        tags: TAGS,
        summary: "Exchange a refresh token for new tokens",
        requestBody: body(object({ refreshToken: REFRESH_TOKEN }, ["refreshToken"])),
        responses: {
          200: content("The new tokens", object(TOKENS, TOKEN_NAMES)),
          ...INVALID_JSON,
          401: { description: "The refresh token is invalid, for any reason" },
        },
      },
    },
    handler: async (req) => json(await tokens.refresh(readRefreshToken(req.content))),
  };
}

/** Revokes the refresh token in the body of a sign-out. */
export async function revokeRefreshToken(tokens: TokenService, req: RouteRequest): Promise<void> {
  await tokens.revoke(readRefreshToken(await readOptionalJson(req)));
}

type Identified = Pick<PasswordAuthentication, "sub" | "identifier">;

/** The members of a user that responses contain. */
export function toUser({ sub, identifier }: Identified): Identified {
  return { sub, identifier };
}
