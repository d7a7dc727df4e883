/**
 * The services of authentication, created from one set of options.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { checkOptionalFunction } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import { type DerivedKeys, deriveKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import { keyService } from "../keys/key_service.ts";
import { passwordPolicy } from "../password/policy.ts";
import { passwordService } from "../password/password_service.ts";
import type { PasswordService } from "../password/password_types.ts";
import { type CookiePolicy, cookiePolicy } from "../session/cookie_policy.ts";
import { type CsrfService, csrfService } from "../session/csrf.ts";
import { sessionService } from "../session/session_service.ts";
import { sessionCookieStrategy } from "../session/cookie_strategy.ts";
import type { SessionService } from "../session/types.ts";
import { chain, type StrategyChain } from "../strategy.ts";
import {
  type ClientAddressReader,
  clientAddressReader,
  UNKNOWN_DEPLOYMENT,
} from "../throttle/client_address.ts";
import { throttleService } from "../throttle/throttle_service.ts";
import type { ThrottleService } from "../throttle/throttle_types.ts";
import { refreshService } from "../tokens/refresh_service.ts";
import { tokenService } from "../tokens/token_service.ts";
import type { TokenService } from "../tokens/token_types.ts";
import { type UserService, userService } from "../users/user_service.ts";
import { identityService } from "../oauth/identities.ts";
import type { IdentityService } from "../oauth/identity_types.ts";
import type { SecondFactors } from "../factors/sign_in_types.ts";
import type { AccountService } from "../accounts/account_types.ts";
import { webAuthnService } from "../webauthn/service.ts";
import type { WebAuthnService } from "../webauthn/service_types.ts";
import { checkNestedOptions } from "./_nested_options.ts";
import type { AuthFeature, FeatureParts } from "./feature_types.ts";
import type { JwtOptions, ServiceOptions } from "./service_options.ts";

/** The services of an application. */
export interface Services {
  readonly keys: DerivedKeys;
  readonly cookies: CookiePolicy;
  readonly csrf: CsrfService;
  readonly throttle: ThrottleService | undefined;
  readonly passwords: PasswordService;
  readonly users: UserService;
  readonly sessions: SessionService;
  readonly tokens: TokenService | undefined;
  readonly webauthn: WebAuthnService | undefined;
  readonly identities: IdentityService | undefined;
  readonly accounts: AccountService | undefined;
  readonly secondFactors: SecondFactors | undefined;
  readonly strategy: StrategyChain;
  readonly clientAddress: ClientAddressReader;
  readonly events: AuthEventListener | undefined;
  readonly warn: (message: string, error?: unknown) => void;
  readonly now: () => number;
}

/** What every service gets. */
type ServiceContext = Pick<Services, "now" | "events" | "warn">;

const ACTION = "Cannot set up authentication";

/** Creates the services. @throws {TypeError | RangeError} If an option is missing or has a wrong shape. */
export function createServices(options: ServiceOptions): Services {
  checkShapes(options);
  const { stores, strategies = [], session, trustedOrigins, events, warn = warnConsole } = options;
  const { users, sessions: sessionStore, refreshTokens, credentials, apiKeys, identities } =
    stores ?? {};
  const { emails, factors } = stores ?? {};
  const { deployment } = options;
  requireStore("users", users?.findBySub);
  requireStore("sessions", sessionStore?.findByTokenHash);
  const now = createClock(options.now);
  const context = { now, events, warn };
  const shared = { users, sessions: sessionStore, refreshTokens, ...context };
  const keys = deriveKeys(options.secret);
  const cookies = cookiePolicy({ ...options.cookie, warn });
  const csrf = csrfService({
    keys,
    cookies,
    header: options.csrfHeader,
    trustedOrigins,
    ...context,
  });
  const throttle = createThrottle(options, keys, context);
  if (throttle !== undefined && deployment === undefined) warn(UNKNOWN_DEPLOYMENT);
  const passwords = passwordService({
    ...shared,
    credentials,
    identities,
    apiKeys,
    throttle: throttle ?? "insecureSkip",
    hasher: options.hasher,
    hashing: options.hashing,
    policy: passwordPolicy(options.passwordPolicy),
  });
  const administration = userService({
    ...shared,
    credentials,
    identities,
    apiKeys,
    emails,
    factors,
  });
  const sessions = sessionService({ ...session, ...shared });
  const tokens = options.jwt && createTokens(options.jwt, stores, keys, context);
  const cookie = sessionCookieStrategy({ sessions, cookies, now });
  const own = tokens === undefined ? [cookie] : [tokens.strategy, cookie];
  const parts = { stores, keys, throttle, passwords, users: administration, ...context };
  return {
    keys,
    cookies,
    csrf,
    throttle,
    passwords,
    users: administration,
    sessions,
    tokens,
    webauthn: createPasskeys(options, { keys, throttle, ...context }),
    identities: createIdentities(options, { keys, sessions, ...context }),
    accounts: createFeature("accounts", options.accounts, parts),
    secondFactors: createFeature("secondFactors", options.secondFactors, parts),
    strategy: chain([...strategies, ...own]),
    clientAddress: clientAddressReader({ deployment, warn }),
    ...context,
  };
}

function createThrottle(
  { throttle = {}, stores }: ServiceOptions,
  keys: DerivedKeys,
  context: ServiceContext,
): ThrottleService | undefined {
  if (throttle === "insecureSkip") return undefined;
  if (typeof throttle !== "object" || throttle === null) {
    throw new TypeError(
      `${ACTION}: throttle must be an object of rules or "insecureSkip"; omit it for the default rules`,
    );
  }
  const store = stores.throttle;
  if (store === undefined) {
    throw new TypeError(
      `${ACTION}: stores.throttle is missing; pass it, or throttle: "insecureSkip"`,
    );
  }
  return throttleService({ store, keys, rules: throttle, ...context });
}

/** @throws {TypeError | RangeError} If a store is missing, or an option has a wrong shape. */
function createTokens(
  jwt: JwtOptions,
  { keys: store, refreshTokens, users }: ServiceOptions["stores"],
  keys: DerivedKeys,
  context: ServiceContext,
): TokenService {
  if (store === undefined || refreshTokens === undefined) {
    throw new TypeError(`${ACTION}: jwt needs stores.keys and stores.refreshTokens`);
  }
  const { lifetime = 600, algorithms, rotateAfter, refresh, ...rest } = jwt;
  const maxTokenAge = lifetime > 3_600 ? lifetime : undefined; // its own default otherwise
  return tokenService({
    keys: keyService({ store, keys, algorithms, rotateAfter, maxTokenAge, ...context }),
    refresh: refreshService({ refreshTokens, users, ...refresh, ...context }),
    users,
    ...rest,
    lifetime,
    now: context.now,
  });
}

/** @throws {TypeError | RangeError} If a store is missing, or an option has a wrong shape. */
function createPasskeys(
  { webauthn, stores: { credentials, identities, states, users } }: ServiceOptions,
  context: ServiceContext & Pick<Services, "keys" | "throttle">,
): WebAuthnService | undefined {
  if (webauthn === undefined) return undefined;
  if (credentials === undefined || states === undefined) {
    throw new TypeError(`${ACTION}: webauthn needs stores.credentials and stores.states`);
  }
  return webAuthnService({ ...webauthn, credentials, identities, states, users, ...context });
}

/** @throws {TypeError} If the store is missing, or an option has a wrong shape. */
function createIdentities(
  { identities: own, stores: { identities, users, credentials, emails } }: ServiceOptions,
  context: ServiceContext & Pick<Services, "keys" | "sessions">,
): IdentityService | undefined {
  if (identities === undefined) {
    if (own === undefined) return undefined;
    throw new TypeError(`${ACTION}: identities needs stores.identities`);
  }
  return identityService({ ...own, identities, users, credentials, emails, ...context });
}

/** @throws {TypeError} If an option is not the result of the function that creates it. */
function createFeature<Service>(
  name: string,
  feature: AuthFeature<Service> | undefined,
  parts: FeatureParts,
): Service | undefined {
  if (feature === undefined) return undefined;
  if (typeof feature?.create === "function") return feature.create(parts);
  throw new TypeError(`${ACTION}: ${name} must be created by ${CREATORS[name]}()`);
}

/** What creates the features. */
const CREATORS: Readonly<Record<string, string>> = {
  accounts: "emailAccounts",
  secondFactors: "totpFactors",
};

function checkShapes(options: ServiceOptions): void {
  checkNestedOptions(ACTION, options);
  checkOptionalFunction(ACTION, "events", options.events);
  checkOptionalFunction(ACTION, "warn", options.warn);
  checkOptionalFunction(ACTION, "now", options.now);
  if (!Array.isArray(options.strategies ?? [])) {
    throw new TypeError(`${ACTION}: strategies must be an array`);
  }
  for (const hasher of [options.hasher ?? []].flat()) {
    if (typeof hasher?.hash === "function" && typeof hasher.verify === "function") continue;
    throw new TypeError(`${ACTION}: a hasher has no hash() or no verify()`);
  }
}

function requireStore(name: string, method: unknown): void {
  if (typeof method === "function") return;
  throw new TypeError(
    `${ACTION}: stores.${name} is missing`,
  );
}
