/**
 * `createTokenRoutes`: the routes of authentication for API clients.
 *
 * @module
 */

import { empty, json } from "../../router/response.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { AuthError } from "../error.ts";
import type { SecondFactors } from "../factors/sign_in_types.ts";
import type { PasswordAuthentication } from "../principal.ts";
import { readCredentials, readFlag, readMembers, readString } from "./_route_bodies.ts";
import {
  body,
  content,
  CREDENTIALS,
  INVALID_JSON,
  LOGIN_REFUSALS,
  object,
  REFRESH_TOKEN,
  REGISTER_REFUSALS,
  registrationOf,
  STRING,
  TAGS,
  TOKEN_NAMES,
  TOKENS,
  TOO_LARGE,
  USER,
} from "./documents/schemas.ts";
import { PROOF } from "./documents/factors.ts";
import { readProof, secondFactorRequired } from "./_second_factor.ts";
import {
  freezeRoutes,
  isRegistrationOpen,
  keepPrivate,
  MAX_BODY_BYTES,
  refreshRoute,
  registerAccount,
  requireTokens,
  revokeRefreshToken,
  sessionRoute,
  toUser,
} from "./_shared_routes.ts";
import { finalizeResponse } from "./response_headers.ts";
import { getAuthRuntime } from "./runtime.ts";
import type { AuthRoute, TokenRoutesOptions } from "./types.ts";

/**
 * Creates the routes of authentication for API clients: mobile apps, command line tools, other services. They create no
 * session, set no cookie and need no CSRF token; {@linkcode mountAuthRoutes} adds them to a router, below a base path
 * other than that of {@linkcode createAuthRoutes}. Bodies are JSON of up to 16 KiB, responses are `no-store`, refusals are
 * problems.
 *
 * | route | body | response |
 * | --- | --- | --- |
 * | `POST /register` | `{ identifier, password }`; with the option `accounts` also `email?` | 201 `{ user, accessToken, tokenType, expiresIn, refreshToken, scope? }` |
 * | `POST /login` | `{ identifier, password }` | 200, the same |
 * | `POST /login/second-factor` | `{ ticket, totp }`, or `{ ticket, recoveryCode }` | 200, the same; `ticket` is in the problem `mfa_required` |
 * | `POST /refresh` | `{ refreshToken }` | 200 `{ accessToken, tokenType, expiresIn, refreshToken, scope? }`; 401, the same for every reason |
 * | `POST /logout` | `{ refreshToken }`, or none | 204; the refresh token is revoked |
 * | `GET /session` | | 200 `{ principal }`; 401 |
 *
 * @throws {TypeError} If there is no runtime, it has no tokens, `registration` is not `"open"` or `"closed"`, or an option is
 * unknown.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   createRouter,
 *   createTokenRoutes,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   mountAuthRoutes,
 *   registerAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   jwt: { issuer: "https://example.com", audience: "notes" },
 *   container: createContainer(),
 * });
 * const credentials = { identifier: "ada", password: "lovelace wrote notes" };
 * await runtime.passwords.createUser(credentials);
 * const router = mountAuthRoutes(createRouter(), createTokenRoutes({ runtime }), "/tokens");
 * const response = await router.request("/tokens/login", {
 *   method: "POST",
 *   headers: { "Content-Type": "application/json" },
 *   body: JSON.stringify(credentials),
 * });
 * assertEquals((await response.json()).tokenType, "Bearer");
 * ```
 */
export function createTokenRoutes(options: TokenRoutesOptions = {}): readonly AuthRoute[] {
  const names = { runtime: true, registration: true } as const;
  rejectUnknownOptions<TokenRoutesOptions>("Cannot create routes", options, names);
  const { runtime = getAuthRuntime(), registration } = options;
  const isOpen = isRegistrationOpen(registration);
  const tokens = requireTokens(runtime);
  const { passwords, secondFactors, accounts } = runtime;
  const writes = {
    auth: false,
    use: [finalizeResponse, keepPrivate],
    maxBodyBytes: MAX_BODY_BYTES,
  } as const;
  const signedIn = object({ user: USER, ...TOKENS }, ["user", ...TOKEN_NAMES]);

  async function issue(authentication: PasswordAuthentication): Promise<object> {
    await accounts?.rejectExpired(authentication.sub);
    const ticket = await secondFactors?.begin({ authentication });
    if (ticket !== undefined) throw secondFactorRequired(ticket);
    return { user: toUser(authentication), ...await tokens.issue(authentication) };
  }

  const register: AuthRoute = {
    method: "POST",
    path: "/register",
    options: {
      ...writes,
      openapi: {
        tags: TAGS,
        summary: "Create an account and sign in, as an API client",
        requestBody: body(
          object(registrationOf(accounts !== undefined), ["identifier", "password"]),
        ),
        responses: {
          201: content("The tokens of the new account", signedIn),
          ...REGISTER_REFUSALS,
        },
      },
    },
    async handler(req, ...args) {
      const authentication = await registerAccount({ runtime, tokens }, req, args);
      return json(await issue(authentication), { status: 201 });
    },
  };
  const login: AuthRoute = {
    method: "POST",
    path: "/login",
    options: {
      ...writes,
      openapi: {
        tags: TAGS,
        summary: "Sign in, as an API client",
        requestBody: body(object(CREDENTIALS, ["identifier", "password"])),
        responses: { 200: content("The tokens", signedIn), ...LOGIN_REFUSALS },
      },
    },
    async handler(req, ...args) {
      const { identifier, password, remember } = readCredentials(req.content);
      readFlag("remember", remember); // without a session it has no effect, but a wrong type is refused alike
      const client = runtime.client(req, ...args);
      await tokens.keys.jwks(); // rejects while no key signs, before an attempt is counted
      return json(await issue(await passwords.verify({ identifier, password }, client)));
    },
  };
  const second = (factors: SecondFactors): AuthRoute => ({
    method: "POST",
    path: "/login/second-factor",
    options: {
      ...writes,
      openapi: {
        tags: TAGS,
        summary: "Complete a sign-in by the second factor, as an API client",
        requestBody: body(object({ ticket: STRING, ...PROOF }, ["ticket"])),
        responses: { 200: content("The tokens", signedIn), ...LOGIN_REFUSALS },
      },
    },
    async handler(req, ...args) {
      const members = readMembers(req.content);
      const [ticket, proof] = [readString("ticket", members["ticket"]), readProof(members)];
      await tokens.keys.jwks(); // rejects while no key signs, before the ticket is used
      const client = runtime.client(req, ...args);
      const { authentication } = await factors.complete(ticket, proof, client);
      const { sub } = authentication;
      const user = await runtime.users.find(sub);
      if (user === undefined) throw new AuthError("mfa_expired");
      return json({ user: toUser(user), ...await tokens.issue(authentication) });
    },
  });
  const logout: AuthRoute = {
    method: "POST",
    path: "/logout",
    options: {
      ...writes,
      raw: true,
      openapi: {
        tags: TAGS,
        summary: "Sign out, as an API client",
        requestBody: body(object({ refreshToken: REFRESH_TOKEN }, []), false),
        responses: {
          204: { description: "The refresh token is revoked" },
          ...INVALID_JSON,
          ...TOO_LARGE,
        },
      },
    },
    async handler(req) {
      await revokeRefreshToken(tokens, req);
      return empty();
    },
  };
  return freezeRoutes([
    ...(isOpen ? [register] : []),
    login,
    ...(secondFactors === undefined ? [] : [second(secondFactors)]),
    logout,
    refreshRoute(tokens),
    sessionRoute(runtime, "api"),
  ]);
}
