/**
 * Checks of the options of the authorization server.
 *
 * @module
 */

import {
  checkOptionalFunction,
  type OptionNames,
  rejectUnknownOptions,
  requireSeconds,
} from "../_options.ts";
import { parseIdentifier } from "../_origin.ts";
import { type ProofVerifier, proofVerifier, readNonceKeys } from "../dpop/proof.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { KeyService } from "../keys/key_service.ts";
import type { EffectiveLifetimes } from "./core/context.ts";
import {
  DEFAULT_GRANT_TYPES,
  DEVICE_CODE,
  GRANT_TYPES,
  isGrantType,
} from "./clients/grant_types.ts";
import type { AuthorizationServerOptions, DpopServerOptions, GrantType } from "./core/types.ts";

/** Start of all messages. */
export const ACTION = "Cannot create authorization server";

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
  device: true,
  dpop: true,
  events: true,
  fetch: true,
  grants: true,
  idTokenAlgorithm: true,
  insecureLoopback: true,
  issuer: true,
  keyService: true,
  lifetimes: true,
  login: true,
  introspection: true,
  logout: true,
  now: true,
  profile: true,
  pushedRequests: true,
  refreshReuseSeconds: true,
  registration: true,
  resources: true,
  scopes: true,
  signOut: true,
  states: true,
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
  "device",
  "events",
  "fetch",
  "login",
  "now",
  "signOut",
  "strings",
  "warn",
] as const;

const BOOLEANS = ["insecureLoopback", "introspection"] as const;

/** Checks the names and shapes of all options. @throws {TypeError} */
export function checkShapes(options: AuthorizationServerOptions): void {
  rejectUnknownOptions(ACTION, options, NAMES);
  const { clients, codes, tokens, keyService, users, states, throttle } = options;
  const required: readonly (readonly [name: string, ...methods: readonly unknown[]])[] = [
    ["clients", clients?.find],
    ["codes", codes?.create, codes?.find, codes?.update],
    ["tokens", tokens?.create, tokens?.find, tokens?.rotate, tokens?.revoke, tokens?.list],
    ["keyService", keyService?.sign, keyService?.jwks, keyService?.resolve],
    ...(users === undefined ? [] : [["users", users?.findBySub] as const]),
    ...(states === undefined ? [] : [["states", states?.claim] as const]),
    ...(throttle === undefined
      ? []
      : [["throttle", throttle?.challenge, throttle?.token] as const]),
  ];
  for (const [name, ...methods] of required) {
    if (methods.every((method) => typeof method === "function")) continue;
    throw new TypeError(`${ACTION}: ${name} is missing or has not the required methods`);
  }
  for (const name of FUNCTIONS) checkOptionalFunction(ACTION, name, options[name]);
  for (const name of BOOLEANS) {
    const value = options[name];
    if (value === undefined || typeof value === "boolean") continue;
    throw new TypeError(`${ACTION}: ${name} must be a boolean`);
  }
  const { acrValues, pushedRequests = false } = options;
  if (typeof pushedRequests !== "boolean" && pushedRequests !== "required") {
    throw new TypeError(`${ACTION}: pushedRequests must be a boolean or "required"`);
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
export function readIssuer(issuer: string, insecureLoopback: boolean): URL {
  const url = parseIdentifier(issuer, insecureLoopback);
  if (url !== undefined && !issuer.endsWith("/")) return url;
  throw new TypeError(
    `${ACTION}: issuer must be an https URL without query, fragment and final slash`,
  );
}

/** The APIs, at least one. @throws {TypeError} */
export function readResources(resources: readonly string[]): readonly [string, ...string[]] {
  const isList = Array.isArray(resources) &&
    resources.every((resource) => typeof resource === "string" && resource !== "");
  const [first, ...others] = isList ? resources : [];
  if (first !== undefined) return [first, ...others];
  throw new TypeError(`${ACTION}: resources must be a non-empty array of non-empty strings`);
}

const LIFETIMES: EffectiveLifetimes = {
  pushedRequest: 90,
  interaction: 600,
  code: 60,
  deviceCode: 600,
  accessToken: 600,
  idToken: 600,
  refreshToken: 1_209_600,
  grant: 2_592_000,
};

/** The lifetimes, with their defaults. @throws {TypeError | RangeError} */
export function readLifetimes(
  { lifetimes = {} }: AuthorizationServerOptions,
  { maxTokenAge }: KeyService,
): EffectiveLifetimes {
  rejectUnknownOptions(`${ACTION}: lifetimes`, lifetimes, LIFETIMES);
  const given = Object.entries(lifetimes).filter(([, seconds]) => seconds !== undefined);
  const all = { ...LIFETIMES, ...Object.fromEntries(given) };
  const {
    pushedRequest,
    interaction,
    code,
    deviceCode,
    accessToken,
    idToken,
    refreshToken,
    grant,
  } = all;
  requireSeconds(ACTION, { pushedRequest }, { min: 5, max: 600 }); // RFC 9126 §2.2
  requireSeconds(ACTION, { interaction }, { max: 3_600 });
  requireSeconds(ACTION, { code }, { max: 600 }); // RFC 6749 §4.1.2
  requireSeconds(ACTION, { deviceCode }, { max: 3_600 });
  requireSeconds(ACTION, { accessToken, idToken }, { max: maxTokenAge });
  requireSeconds(ACTION, { refreshToken });
  requireSeconds(ACTION, { grant }, { min: accessToken }); // no token outlives its grant
  return all;
}

/** OpenID Connect Core §2: RS256 is what every client supports. @throws {TypeError} */
export function readIdTokenAlgorithm(
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

const DPOP_NAMES: OptionNames<DpopServerOptions> = { nonceKeys: true };

/** The verifier of DPoP proofs, if the server supports them. @throws {TypeError} */
export function readDpop(
  { dpop = false, states, issuer }: AuthorizationServerOptions,
  now: () => number,
): ProofVerifier | undefined {
  if (dpop === false) return undefined;
  const options = dpop === true ? {} : dpop;
  rejectUnknownOptions(`${ACTION}: dpop`, options, DPOP_NAMES);
  if (states === undefined) throw new TypeError(`${ACTION}: dpop needs states`);
  return proofVerifier({
    states,
    nonceKeys: readNonceKeys(`${ACTION}: dpop`, options),
    issuer,
    now,
  });
}

/** The grant types, each once. @throws {TypeError} */
export function readGrants(
  { grants = DEFAULT_GRANT_TYPES, states, throttle }: AuthorizationServerOptions,
): readonly GrantType[] {
  const isList = Array.isArray(grants) && grants.length > 0 && grants.every(isGrantType);
  if (!isList) {
    throw new TypeError(`${ACTION}: grants must list some of ${GRANT_TYPES.join(", ")}`);
  }
  // A short code that can be guessed without a limit gives other people's devices away, RFC 8628 §5.1
  const canLimit = states !== undefined && typeof throttle?.userCode === "function";
  if (grants.includes(DEVICE_CODE) && !canLimit) {
    throw new TypeError(`${ACTION}: the grant ${DEVICE_CODE} needs states and throttle.userCode()`);
  }
  return [...new Set(grants)];
}
