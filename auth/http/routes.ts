/**
 * `createAuthRoutes`: the routes of authentication for browsers.
 *
 * @module
 */

import { empty, json } from "../../router/response.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { browserRouteParts, featureRoutes } from "./_browser_route_parts.ts";
import { readOAuthOptions } from "./_oauth_options.ts";
import { oauthRoutes } from "./_oauth_routes.ts";
import { queueCookies, stateOf } from "./_request_state.ts";
import { readCredentials, readFlag } from "./_route_bodies.ts";
import {
  body,
  content,
  CREDENTIALS,
  FORGED,
  INVALID_JSON,
  LOGIN_REFUSALS,
  object,
  REFRESH_TOKEN,
  REGISTER_REFUSALS,
  registrationOf,
  STRING,
  TAGS,
  TOO_LARGE,
} from "./documents/schemas.ts";
import {
  freezeRoutes,
  isRegistrationOpen,
  keepPrivate,
  refreshRoute,
  registerAccount,
  requireTokens,
  revokeRefreshToken,
  sessionRoute,
} from "./_shared_routes.ts";
import { webAuthnRoutes } from "./_webauthn_routes.ts";
import { finalizeResponse } from "./response_headers.ts";
import { getAuthRuntime } from "./runtime.ts";
import type { AuthRoute, AuthRoutesOptions } from "./types.ts";

/**
 * Creates the routes of authentication for browsers; {@linkcode mountAuthRoutes} adds them to a router. Bodies are JSON of up
 * to 16 KiB, those about passkeys of up to 64 KiB; responses are `no-store`, refusals are problems. Requests that change state
 * need the token of `GET /csrf` in the header field that the same response names, and the cookies that it set.
 *
 * | route | body | response |
 * | --- | --- | --- |
 * | `POST /register` | `{ identifier, password }`; with the option `accounts` also `email?` | 201 `{ principal, session, user, csrfToken }`, cookies |
 * | `POST /login` | `{ identifier, password, remember? }` | 200, the same |
 * | `POST /logout` | none | 204, whatever the session's state |
 * | `GET /session` | | 200 `{ principal, session?, user? }`; 401 |
 * | `GET /csrf` | | 200 `{ csrfToken, header }`, cookies |
 *
 * With `tokens`, sign-ins also return `{ accessToken, tokenType, expiresIn, refreshToken, scope? }`, and:
 *
 * | route | body | response |
 * | --- | --- | --- |
 * | `POST /refresh` | `{ refreshToken }` | 200 `{ accessToken, tokenType, expiresIn, refreshToken, scope? }`; 401, the same for every reason; no CSRF token, since browsers do not attach a refresh token automatically |
 * | `POST /logout` | `{ refreshToken }`, or none | 204; that token is revoked, too |
 *
 * With the option `webauthn` of {@linkcode registerAuth} there are the routes of passkeys, too. Bodies and responses with a name
 * of WebAuthn Level 3 §5.1 are what the browser's functions return and take. To register and to remove passkeys a user needs a
 * session, and must have signed in within the last `maxAge` seconds: otherwise the response is 401
 * `insufficient_authentication`.
 *
 * | route | body | response |
 * | --- | --- | --- |
 * | `POST /webauthn/register/options` | `{ conditional? }`; `{ identifier }` without a session, with `signUp` and open registration | 200 `PublicKeyCredentialCreationOptionsJSON` |
 * | `POST /webauthn/register/verify` | `RegistrationResponseJSON`, and `name?` | 201 `{ credential }`; of a new account also the members and cookies of `/register` |
 * | `POST /webauthn/login/options` | `{}`; with `identified` also `{ identifier }` | 200 `PublicKeyCredentialRequestOptionsJSON` |
 * | `POST /webauthn/login/verify` | `AuthenticationResponseJSON`, and `remember?` | 200, as `/login` |
 * | `GET /webauthn/credentials` | | 200 {@linkcode PasskeyList} |
 * | `POST /webauthn/credentials/rename` | `{ id, name }` | 204; 404 |
 * | `POST /webauthn/credentials/remove` | `{ id }` | 204; 404; 409 `last_way_in` |
 *
 * With `oauth` there are the routes of sign-in with providers. Redirects are 303; a failure is a problem, or a redirect to
 * `oauthFailurePath`. To link and to remove identities a user must have signed in within the last 15 minutes.
 *
 * | route | parameters or body | response |
 * | --- | --- | --- |
 * | `GET /oauth/:provider/start` | `redirect_to?`, `remember?`, `max_age?` | redirect to the provider |
 * | `GET /oauth/:provider/callback`, `POST` for Apple | the provider's | redirect to `redirect_to`, with cookies |
 * | `POST /oauth/:provider/link` | `{ redirectTo? }` | 200 `{ url }`, where the browser goes |
 * | `POST /oauth/:provider/logout` | none | 200 `{ url? }`, where the browser goes to sign out there as well |
 * | `POST /oauth/:provider/backchannel-logout` | form with `logout_token`, from the provider's server | 200; 400 |
 * | `GET /identities` | | 200 `{ identities, providers }` |
 * | `POST /identities/unlink` | `{ id }` | 204; 404; 409 `last_way_in` |
 *
 * With the option `accounts` of {@linkcode registerAuth} there are the routes of the flows that it names. Those that send a message
 * respond 202 whether or not there is such an account; the other codes are `invalid_link`, `invalid_code`, `email_taken`.
 *
 * | flow | route | body | response |
 * | --- | --- | --- | --- |
 * | `verifyEmail` | `POST /email/verify/start` | none, with a session | 202; 409 `email_missing` |
 * | `verifyEmail`, `changeEmail` | `POST /email/verify/finish` | `{ token }`, with a session of the account | 200 `{ email }` |
 * | `changeEmail` | `POST /email/change` | `{ email }`, with a session of the last 15 minutes | 202 |
 * | `resetPassword` | `POST /password/forgot` | `{ identifier }` | 202 |
 * | `resetPassword` | `POST /password/reset` | `{ token, newPassword }` | 204 |
 * | `signInLink` | `POST /link/start` | `{ email, remember? }` | 202 |
 * | `signInLink` | `POST /link/finish` | `{ token }` | 200, as `/login` |
 * | `signInCode` | `POST /code/start` | `{ email, remember? }` | 202 |
 * | `signInCode` | `POST /code/finish` | `{ email, code }` | 200, as `/login` |
 *
 * With the option `secondFactors`, sign-ins of users who have one are 401 `mfa_required`, with `factors` and a cookie, and there are
 * these routes. Changes need a sign-in of the last 15 minutes, by both factors if there are two.
 *
 * | route | body | response |
 * | --- | --- | --- |
 * | `POST /login/second-factor` | `{ totp }` or `{ recoveryCode }`, and `rememberBrowser?` | 200, as `/login`; 401 `invalid_second_factor`, `mfa_expired` |
 * | `POST /step-up` | `{ totp }` or `{ recoveryCode }` | 200, as `/login` |
 * | `GET /second-factors` | | 200 {@linkcode FactorInfo} |
 * | `POST /second-factors/totp/start` | none | 200 {@linkcode TotpEnrolment} |
 * | `POST /second-factors/totp/confirm` | `{ code }` | 200 `{ recoveryCodes }` |
 * | `POST /second-factors/recovery-codes` | none | 200 `{ recoveryCodes }` |
 * | `POST /second-factors/remove` | none | 204 |
 *
 * @throws {TypeError} If there is no runtime, `registration` is not `"open"` or `"closed"`, `tokens` is not a boolean or true
 * without the option `jwt` of {@linkcode registerAuth}, or an option is unknown.
 */
export function createAuthRoutes(options: AuthRoutesOptions = {}): readonly AuthRoute[] {
  rejectUnknownOptions<AuthRoutesOptions>("Cannot create routes", options, NAMES);
  const { runtime = getAuthRuntime(), registration, tokens: withTokens = false } = options;
  const isOpen = isRegistrationOpen(registration);
  if (typeof withTokens !== "boolean") {
    throw new TypeError("Cannot create routes: tokens must be a boolean");
  }
  const tokens = withTokens ? requireTokens(runtime) : undefined;
  const oauth = readOAuthOptions(options, runtime, isOpen);
  const { passwords, csrf, webauthn, accounts } = runtime;
  const parts = browserRouteParts(runtime, tokens);
  const { writes, documented, signedIn, completeSignIn } = parts;

  const register: AuthRoute = {
    method: "POST",
    path: "/register",
    options: {
      ...writes,
      openapi: {
        ...documented,
        summary: "Create an account and sign in",
        requestBody: body(
          object(registrationOf(accounts !== undefined), ["identifier", "password"]),
        ),
        responses: {
          201: content("The session of the new account", signedIn),
          ...REGISTER_REFUSALS,
          ...FORGED,
        },
      },
    },
    async handler(req, ...args) {
      const authentication = await registerAccount({ runtime, tokens }, req, args);
      return json(await completeSignIn(req, authentication, authentication), { status: 201 });
    },
  };
  const remember = { type: "boolean", description: "Keep signed in", default: false };
  const login: AuthRoute = {
    method: "POST",
    path: "/login",
    options: {
      ...writes,
      openapi: {
        ...documented,
        summary: "Sign in",
        requestBody: body(object({ ...CREDENTIALS, remember }, ["identifier", "password"])),
        responses: { 200: content("The session", signedIn), ...LOGIN_REFUSALS, ...FORGED },
      },
    },
    async handler(req, ...args) {
      const { identifier, password, remember } = readCredentials(req.content);
      const isPersistent = readFlag("remember", remember);
      const client = runtime.client(req, ...args);
      await tokens?.keys.jwks(); // rejects while no key signs, before an attempt is counted
      const authentication = await passwords.verify({ identifier, password }, client);
      return json(
        await completeSignIn(req, authentication, authentication, { remember: isPersistent }),
      );
    },
  };
  const logout: AuthRoute = {
    method: "POST",
    path: "/logout",
    options: {
      ...writes,
      raw: true,
      openapi: {
        ...documented,
        summary: "Sign out",
        requestBody: tokens === undefined
          ? body({ type: "object" }, false)
          : body(object({ refreshToken: REFRESH_TOKEN }, []), false),
        responses: {
          204: { description: "The session is revoked" },
          ...(tokens === undefined ? {} : { ...INVALID_JSON, ...TOO_LARGE }),
          ...FORGED,
        },
      },
    },
    async handler(req) {
      await runtime.signOut(req); // whatever the body contains
      if (tokens !== undefined) await revokeRefreshToken(tokens, req);
      return empty();
    },
  };
  const csrfRoute: AuthRoute = {
    method: "GET",
    path: "/csrf",
    options: {
      auth: false,
      use: [finalizeResponse, keepPrivate],
      openapi: {
        tags: TAGS,
        summary: "Get a CSRF token",
        responses: {
          200: content(
            "The token, bound to the session",
            object({
              csrfToken: STRING,
              header: { ...STRING, description: "The header field that carries it" },
            }, ["csrfToken", "header"]),
          ),
          403: { description: "The session cookie is present twice" },
        },
      },
    },
    async handler(req) {
      const { token, cookies } = await csrf.issue(req.raw);
      queueCookies(stateOf(req), cookies);
      return json({ csrfToken: token, header: csrf.header });
    },
  };
  return freezeRoutes([
    ...(isOpen ? [register] : []),
    login,
    logout,
    ...(tokens === undefined ? [] : [refreshRoute(tokens)]),
    sessionRoute(runtime, "browser"),
    csrfRoute,
    ...(webauthn === undefined ? [] : webAuthnRoutes(webauthn, parts, isOpen)),
    ...(oauth === undefined ? [] : oauthRoutes(oauth, parts)),
    ...featureRoutes(parts),
  ]);
}

const NAMES: OptionNames<AuthRoutesOptions> = {
  runtime: true,
  registration: true,
  tokens: true,
  oauth: true,
  oauthFailurePath: true,
};
