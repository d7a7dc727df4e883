/**
 * Options of the authorization server, read and checked once.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { warnConsole } from "../_report.ts";
import { jwksHandler } from "../http/jwks_handler.ts";
import { requireAuthentication } from "../principal.ts";
import { transactionCookies } from "../session/transaction_cookies.ts";
import { checkedRefreshTokens, checkedUserReader } from "../stores/checked.ts";
import { checkedAuthorizations } from "../stores/checked_server.ts";
import type { AuthorizationSubject } from "../stores/server_types.ts";
import type { User, UserStore } from "../stores/types.ts";
import { keptRefreshService } from "../tokens/kept_refresh.ts";
import { refreshService } from "../tokens/refresh_service.ts";
import type { RefreshService, RefreshServiceOptions } from "../tokens/refresh_types.ts";
import { isClientSubject } from "../tokens/client_subject.ts";
import { repeatableRefreshService } from "../tokens/repeatable_refresh.ts";
import { readClientSources } from "./_clients.ts";
import { applyProfile, type ProfileLimits } from "./_profile.ts";
import type { ServerContext } from "./core/context.ts";
import {
  ACTION,
  checkShapes,
  readDpop,
  readGrants,
  readIdTokenAlgorithm,
  readIssuer,
  readLifetimes,
  readResources,
} from "./_option_checks.ts";
import { readLogout } from "./logout/options.ts";
import { readScopes } from "./core/scopes.ts";
import { consentPage } from "./authorize/consent_page.ts";
import { devicePage } from "./device/device_page.ts";
import { ENGLISH } from "./core/page_strings.ts";
import type { AuthorizationServerOptions, LoginPrompt } from "./core/types.ts";

/** Reads the options. @throws {TypeError | RangeError} If one is missing, unknown, or of a wrong shape. */
export function readServerOptions(given: AuthorizationServerOptions): ServerContext {
  checkShapes(given);
  const { options, limits } = applyProfile(ACTION, given);
  const { issuer, keyService: keys, insecureLoopback = false, events, warn = warnConsole } =
    options;
  const { refreshReuseSeconds } = options;
  const { origin, pathname } = readIssuer(issuer, insecureLoopback);
  const resources = readResources(options.resources ?? [issuer]);
  const now = createClock(options.now);
  const context = { now, events, warn };
  const lifetimes = readLifetimes(options, keys);
  const users = options.users === undefined ? ANY_USER : checkedUserReader(options.users);
  const { authenticate = () => Promise.resolve(undefined), strings } = options;
  const refresh = {
    refreshTokens: options.tokens,
    users,
    lifetime: Math.min(lifetimes.refreshToken, lifetimes.grant),
    familyLifetime: lifetimes.grant,
    ...context,
  };
  const textsOf = (uiLocales = "") => {
    try {
      return { ...ENGLISH, ...strings?.(uiLocales) };
    } catch (error) { // the page of an error needs texts too
      warn("Cannot translate a page of the authorization server", error);
      return ENGLISH;
    }
  };
  return {
    issuer,
    origin,
    basePath: pathname === "/" ? "" : pathname,
    ...readClientSources(ACTION, options, { now, warn, limits }),
    grants: readGrants(options),
    codes: checkedAuthorizations(options.codes),
    tokens: checkedRefreshTokens(options.tokens),
    refresh: createRefresh(refresh, refreshReuseSeconds, limits),
    isDpopRequired: limits.isDpopRequired,
    pushedRequests: options.pushedRequests ?? false,
    states: options.states,
    dpop: readDpop(options, now),
    users,
    keys,
    jwks: jwksHandler(keys),
    cookies: transactionCookies({
      prefix: "__Host-ax-",
      sameSite: "Lax",
      lifetime: lifetimes.interaction,
    }),
    async authenticate(request) {
      const given = await authenticate(request);
      if (given === undefined) return undefined;
      const subject = users === ANY_USER ? { ...given, securityStamp: NO_STAMP } : given;
      requireAuthentication(subject, now(), "Cannot authorize client");
      if (isClientSubject(subject.sub)) { // RFC 9700 §4.15
        throw new TypeError("Cannot authorize client: sub must not be one of a client");
      }
      return readSubject(subject);
    },
    introspection: options.introspection ?? false,
    logout: readLogout(ACTION, options),
    login: options.login ?? signInAt("/sign-in"),
    consent: options.consent ?? ((prompt) => consentPage(prompt, textsOf(prompt.uiLocales))),
    device: options.device ?? ((prompt) => devicePage(prompt, textsOf())),
    strings: textsOf,
    claims: options.claims,
    accessTokenClaims: options.accessTokenClaims,
    scopes: readScopes(ACTION, options, resources),
    resources,
    acrValues: [...options.acrValues ?? []],
    idTokenAlgorithm: readIdTokenAlgorithm(options, warn),
    lifetimes,
    insecureLoopback,
    throttle: options.throttle,
    clientAddress: options.clientAddress,
    emit: createEmitter(context),
    warn,
    now,
  };
}

/** What becomes of a refresh token that is used. */
function createRefresh(
  options: RefreshServiceOptions,
  reuseSeconds: number | undefined,
  { keepsRefreshTokens }: ProfileLimits,
): RefreshService {
  if (keepsRefreshTokens) return keptRefreshService(options);
  return reuseSeconds === undefined
    ? refreshService(options)
    : repeatableRefreshService(options, reuseSeconds);
}

/** Sends the user to a page of the application, which returns to `next`. */
export function signInAt(path: string): (prompt: LoginPrompt) => Response {
  return ({ returnTo, reason, loginHint, acrValues, uiLocales }) => {
    const query = new URLSearchParams({
      next: returnTo,
      reason,
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
      ...(acrValues.length === 0 ? {} : { acr_values: acrValues.join(" ") }),
      ...(uiLocales === undefined ? {} : { ui_locales: uiLocales }),
    });
    const location = `${path}${path.includes("?") ? "&" : "?"}${query}`;
    return new Response(null, { status: 303, headers: { Location: location } });
  };
}

/** The stamp of users that are not read. */
const NO_STAMP = "-";

/** Without the option `users` every user exists, and nothing of it is known. */
const ANY_USER: Pick<UserStore, "findBySub"> = {
  findBySub: (sub): Promise<User> =>
    Promise.resolve({
      sub,
      identifier: sub,
      securityStamp: NO_STAMP,
      createdAt: 0,
      version: NO_STAMP,
    }),
};

/** The members that are stored, and no others. */
function readSubject(subject: AuthorizationSubject): AuthorizationSubject {
  const { sub, securityStamp, authTime, amr, acr, sessionId } = subject;
  return {
    sub,
    securityStamp,
    authTime,
    amr: [...amr],
    ...(acr === undefined ? {} : { acr }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}
