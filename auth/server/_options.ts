/**
 * Options of the authorization server, read and checked once.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import {
  checkOptionalFunction,
  type OptionNames,
  rejectUnknownOptions,
  requireSeconds,
} from "../_options.ts";
import { parseIdentifier } from "../_origin.ts";
import { warnConsole } from "../_report.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import { jwksHandler } from "../http/jwks_handler.ts";
import type { KeyService } from "../keys/key_service.ts";
import { requireAuthentication } from "../principal.ts";
import { transactionCookies } from "../session/transaction_cookies.ts";
import { checkedRefreshTokens, checkedUserReader } from "../stores/checked.ts";
import { checkedAuthorizations } from "../stores/checked_server.ts";
import type { AuthorizationSubject } from "../stores/server_types.ts";
import type { User, UserStore } from "../stores/types.ts";
import { refreshService } from "../tokens/refresh_service.ts";
import { repeatableRefreshService } from "../tokens/repeatable_refresh.ts";
import { readClientSources } from "./_clients.ts";
import type { EffectiveLifetimes, ServerContext } from "./_context.ts";
import { readScopes } from "./_scopes.ts";
import { consentPage } from "./consent_page.ts";
import { ENGLISH } from "./consent_strings.ts";
import type { AuthorizationServerOptions, LoginPrompt } from "./types.ts";

const ACTION = "Cannot create authorization server";

/** Reads the options. @throws {TypeError | RangeError} If one is missing, unknown, or of a wrong shape. */
export function readServerOptions(options: AuthorizationServerOptions): ServerContext {
  rejectUnknownOptions(ACTION, options, NAMES);
  checkShapes(options);
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
    ...readClientSources(ACTION, options, now),
    codes: checkedAuthorizations(options.codes),
    tokens: checkedRefreshTokens(options.tokens),
    refresh: refreshReuseSeconds === undefined
      ? refreshService(refresh)
      : repeatableRefreshService(refresh, refreshReuseSeconds),
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
      return readSubject(subject);
    },
    login: options.login ?? signInAt("/sign-in"),
    consent: options.consent ?? ((prompt) => consentPage(prompt, textsOf(prompt.uiLocales))),
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

const NAMES: OptionNames<AuthorizationServerOptions> = {
  accessTokenClaims: true,
  acrValues: true,
  authenticate: true,
  claims: true,
  clientAddress: true,
  clientIdMetadata: true,
  clients: true,
  codes: true,
  consent: true,
  events: true,
  idTokenAlgorithm: true,
  insecureLoopback: true,
  issuer: true,
  keyService: true,
  lifetimes: true,
  login: true,
  now: true,
  refreshReuseSeconds: true,
  registration: true,
  resources: true,
  scopes: true,
  strings: true,
  throttle: true,
  tokens: true,
  users: true,
  warn: true,
};

const FUNCTIONS = [
  "accessTokenClaims",
  "authenticate",
  "claims",
  "clientAddress",
  "consent",
  "events",
  "login",
  "now",
  "strings",
  "warn",
] as const;

function checkShapes(options: AuthorizationServerOptions): void {
  const { clients, codes, tokens, keyService, users, throttle } = options;
  const required: readonly (readonly [name: string, ...methods: readonly unknown[]])[] = [
    ["clients", clients?.find],
    ["codes", codes?.create, codes?.find, codes?.update],
    ["tokens", tokens?.create, tokens?.find, tokens?.rotate, tokens?.revoke, tokens?.list],
    ["keyService", keyService?.sign, keyService?.jwks, keyService?.resolve],
    ...(users === undefined ? [] : [["users", users?.findBySub] as const]),
    ...(throttle === undefined
      ? []
      : [["throttle", throttle?.challenge, throttle?.token] as const]),
  ];
  for (const [name, ...methods] of required) {
    if (methods.every((method) => typeof method === "function")) continue;
    throw new TypeError(`${ACTION}: ${name} is missing or has not the required methods`);
  }
  for (const name of FUNCTIONS) checkOptionalFunction(ACTION, name, options[name]);
  const { insecureLoopback, acrValues } = options;
  if (insecureLoopback !== undefined && typeof insecureLoopback !== "boolean") {
    throw new TypeError(`${ACTION}: insecureLoopback must be a boolean`);
  }
  const isList = acrValues === undefined ||
    (Array.isArray(acrValues) && acrValues.every((acr) => ACR_REGEXP.test(acr)));
  if (!isList) {
    throw new TypeError(`${ACTION}: acrValues must be an array of strings without spaces`);
  }
}

/** A word of the parameter `acr_values`, OpenID Connect Core §3.1.2.1. */
const ACR_REGEXP = /^[^ ]+$/;

/** RFC 8414 §2; wherever it is written, it is without a final slash. */
function readIssuer(issuer: string, insecureLoopback: boolean): URL {
  const url = parseIdentifier(issuer, insecureLoopback);
  if (url !== undefined && !issuer.endsWith("/")) return url;
  throw new TypeError(
    `${ACTION}: issuer must be an https URL without query, fragment and final slash`,
  );
}

function readResources(resources: readonly string[]): readonly [string, ...string[]] {
  const isList = Array.isArray(resources) &&
    resources.every((resource) => typeof resource === "string" && resource !== "");
  const [first, ...others] = isList ? resources : [];
  if (first !== undefined) return [first, ...others];
  throw new TypeError(`${ACTION}: resources must be a non-empty array of non-empty strings`);
}

const LIFETIMES: EffectiveLifetimes = {
  interaction: 600,
  code: 60,
  accessToken: 600,
  idToken: 600,
  refreshToken: 1_209_600,
  grant: 2_592_000,
};

function readLifetimes(
  { lifetimes = {} }: AuthorizationServerOptions,
  { maxTokenAge }: KeyService,
): EffectiveLifetimes {
  rejectUnknownOptions(`${ACTION}: lifetimes`, lifetimes, LIFETIMES);
  const given = Object.entries(lifetimes).filter(([, seconds]) => seconds !== undefined);
  const all = { ...LIFETIMES, ...Object.fromEntries(given) };
  const { interaction, code, accessToken, idToken, refreshToken, grant } = all;
  requireSeconds(ACTION, { interaction }, { max: 3_600 });
  requireSeconds(ACTION, { code }, { max: 600 }); // RFC 6749 §4.1.2
  requireSeconds(ACTION, { accessToken, idToken }, { max: maxTokenAge });
  requireSeconds(ACTION, { refreshToken });
  requireSeconds(ACTION, { grant }, { min: accessToken }); // no token outlives its grant
  return all;
}

/** OpenID Connect Core §2: RS256 is what every client supports. */
function readIdTokenAlgorithm(
  { idTokenAlgorithm, keyService: { algorithms } }: AuthorizationServerOptions,
  warn: (message: string) => void,
): AsymmetricAlgorithm {
  const [first] = algorithms;
  const algorithm = idTokenAlgorithm ?? (algorithms.includes("RS256") ? "RS256" : first);
  if (algorithm === undefined || !algorithms.includes(algorithm)) {
    throw new TypeError(`${ACTION}: idTokenAlgorithm must be one of the key service's algorithms`);
  }
  if (idTokenAlgorithm === undefined && algorithm !== "RS256") {
    warn(
      `The authorization server signs ID tokens by ${algorithm}: not all clients support it; add RS256 to the algorithms of the ` +
        "key service, or set idTokenAlgorithm",
    );
  }
  return algorithm;
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
