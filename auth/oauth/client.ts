/**
 * `oauthClient`: sign-in at a provider, OAuth 2.1 (draft-ietf-oauth-v2-1) and OpenID Connect Core 1.0.
 *
 * @module
 */

import { decodeBase64Url } from "../_base64url.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import {
  checkOptionalFunction,
  type OptionNames,
  rejectUnknownOptions,
  requireSeconds,
} from "../_options.ts";
import { parseUrl } from "../_origin.ts";
import { warnConsole } from "../_report.ts";
import { parseStrictObject } from "../_strict_json.ts";
import { isWorkerd } from "../_workerd.ts";
import { cookiePolicy } from "../session/cookie_policy.ts";
import { completeSignIn } from "./_callback_steps.ts";
import { checkAuthentication } from "./_client_authentication.ts";
import type { ClientContext } from "./_context.ts";
import { check, detailOf, failureOf } from "./_failure.ts";
import { verifyIdToken } from "./_id_token.ts";
import { startSignIn, withQuery } from "./_start.ts";
import { requestTokens, revokeToken } from "./_token_request.ts";
import type {
  EndSessionOptions,
  OAuthClient,
  OAuthClientDeps,
  OAuthStartOptions,
  OAuthTokens,
} from "./client_types.ts";
import { verifyLogoutToken } from "./logout_token.ts";
import type { OAuthProvider } from "./provider_types.ts";
import { serverSource } from "./server_metadata.ts";

/**
 * Creates a client of a provider. PKCE (S256), `state` and `nonce` are always used, the ID token's signature and claims always
 * verified.
 *
 * @param provider What a preset returns: `google()`, `github()`, `oidcProvider()`, all in `@gatehouse/http/auth/oauth`.
 * @throws {TypeError} If the provider or an option is missing, unknown or of a wrong shape, or the server refuses PKCE and
 * `insecureNoPkce` is not `true`.
 * @throws {RangeError} If a number is out of range.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { google, oauthClient } from "@gatehouse/http/auth/oauth";
 * import { assertEquals } from "@std/assert";
 *
 * const { states } = inMemoryAuthStores();
 * const client = oauthClient(google({ clientId: "my-id", clientSecret: "my-secret" }), {
 *   states,
 *   redirectUri: "https://app.example/auth/oauth/google/callback",
 * });
 *
 * const request = new Request("https://app.example/auth/oauth/google/start");
 * const { url, cookies } = await client.start(request, { redirectTo: "/notes" });
 * assertEquals(new URL(url).searchParams.get("code_challenge_method"), "S256");
 * assertEquals(cookies.length, 1);
 * ```
 */
export function oauthClient(provider: OAuthProvider, deps: OAuthClientDeps): OAuthClient {
  const context = createContext(provider, deps);
  const inFlight = new Map<string, Promise<OAuthTokens>>();

  async function refreshOnce(refreshToken: string, previous?: string): Promise<OAuthTokens> {
    const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
    const tokens = await requestTokens(context, grant);
    if (tokens.idToken !== undefined) { // OpenID Connect Core §12.2
      const { accessToken } = tokens;
      const server = await context.server();
      const { claims } = await verifyIdToken(context, server, tokens.idToken, { accessToken });
      check(previous === undefined || claims.sub === subjectOf(previous), "sub_mismatch");
    }
    return tokens;
  }

  return Object.freeze({
    provider,
    redirectUri: context.redirectUri,
    start: (request: Request, options: OAuthStartOptions = {}) =>
      reported(context, () => startSignIn(context, request, options)),
    callback: (request: Request) => reported(context, () => completeSignIn(context, request)),
    async refresh(refreshToken: string, { idToken }: Pick<OAuthTokens, "idToken"> = {}) {
      if (isWorkerd()) return await refreshOnce(refreshToken, idToken);
      const shared = inFlight.get(refreshToken) ??
        refreshOnce(refreshToken, idToken).finally(() => inFlight.delete(refreshToken));
      inFlight.set(refreshToken, shared);
      return await shared;
    },
    revoke: (token: string) => revokeToken(context, token),
    async endSessionUrl({ idToken, state }: EndSessionOptions = {}) {
      const { end_session_endpoint: endpoint } = (await context.server()).metadata;
      if (endpoint === undefined) return undefined;
      return withQuery(endpoint, {
        client_id: provider.clientId,
        id_token_hint: idToken,
        post_logout_redirect_uri: context.postLogoutRedirectUri,
        state,
      });
    },
    verifyLogoutToken: (token: string) =>
      reported(context, () => verifyLogoutToken(context, token)),
  });
}

/** The `sub` of an ID token that was verified before. */
function subjectOf(idToken: string): unknown {
  return parseStrictObject(decodeBase64Url(idToken.split(".")[1] ?? ""))["sub"];
}

/** Emits an event for a failure. */
async function reported<Result>(
  { emit, provider }: ClientContext,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const reason = failureOf(error);
    if (reason !== undefined) {
      emit("oauth.failed", { provider: provider.name, reason, detail: detailOf(error) });
    }
    throw error;
  }
}

const ACTION = "Cannot create OAuth client";

const NAMES: OptionNames<OAuthClientDeps> = {
  states: true,
  redirectUri: true,
  postLogoutRedirectUri: true,
  cookies: true,
  lifetime: true,
  fetch: true,
  insecureLoopback: true,
  insecureNoPkce: true,
  clockTolerance: true,
  now: true,
  events: true,
  warn: true,
};

const NAME_REGEXP = /^[a-z0-9-]{1,32}$/;

function createContext(provider: OAuthProvider, deps: OAuthClientDeps): ClientContext {
  rejectUnknownOptions(ACTION, deps, NAMES);
  const { states, insecureLoopback = false, insecureNoPkce, warn = warnConsole, fetch } = deps;
  const { lifetime = 600, clockTolerance = 30, events } = deps;
  checkProvider(provider);
  checkAuthentication(provider);
  for (const name of ["fetch", "now", "events", "warn"] as const) {
    checkOptionalFunction(ACTION, name, deps[name]);
  }
  const methods = [states?.put, states?.consume, states?.claim];
  if (!methods.every((method) => typeof method === "function")) {
    throw new TypeError(`${ACTION}: states must be a StateStore`);
  }
  if (typeof insecureLoopback !== "boolean") {
    throw new TypeError(`${ACTION}: insecureLoopback must be a boolean`);
  }
  if (provider.pkce !== "S256" && insecureNoPkce !== true) {
    throw new TypeError(
      `${ACTION}: the server refuses PKCE, so that a stolen code can be injected; insecureNoPkce: true accepts that`,
    );
  }
  requireSeconds(ACTION, { lifetime }, { max: 3_600 });
  requireSeconds(ACTION, { clockTolerance }, { min: 0, max: 600 });
  const { postLogoutRedirectUri: postLogout } = deps;
  const now = createClock(deps.now);
  return Object.freeze({
    provider,
    redirectUri: readRedirectUri("redirectUri", deps.redirectUri),
    postLogoutRedirectUri: postLogout === undefined
      ? undefined
      : readRedirectUri("postLogoutRedirectUri", postLogout),
    states,
    cookies: deps.cookies ?? cookiePolicy(),
    lifetime,
    clockTolerance,
    fetch,
    insecureLoopback,
    now,
    warn,
    emit: createEmitter({ events, now, warn }),
    server: serverSource(provider, { fetch, insecureLoopback, now, warn }),
  });
}

function checkProvider(provider: OAuthProvider): void {
  const { name, clientId, scope, profile } = provider ?? {};
  const isProvider = typeof name === "string" && NAME_REGEXP.test(name) &&
    typeof clientId === "string" && clientId !== "" && Array.isArray(scope) &&
    typeof profile === "function";
  if (!isProvider) {
    throw new TypeError(
      `${ACTION}: the provider must have a name of a-z, 0-9 and "-", clientId, scope and profile`,
    );
  }
}

const LOOPBACK_REGEXP = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/** RFC 6749 §3.1.2: absolute, without a fragment. `http` only to this machine, where an application is developed. */
function readRedirectUri(name: string, uri: string): string {
  const url = typeof uri === "string" ? parseUrl(uri) : undefined;
  const isSecure = url !== undefined && (url.protocol === "https:" ||
    (url.protocol === "http:" && LOOPBACK_REGEXP.test(url.hostname)));
  if (isSecure && !uri.includes("#") && url.username === "" && url.password === "") return uri;
  throw new TypeError(`${ACTION}: ${name} must be an absolute https URL without a fragment`);
}
