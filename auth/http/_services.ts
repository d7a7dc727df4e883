/**
 * The services of authentication, made from one set of options.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createTokens, type JwtOptions } from "./_create_tokens.ts";
import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import { type ClientAddressReader, clientAddressReader } from "../throttle/client_address.ts";
import {
  type CookiePolicy,
  cookiePolicy,
  type CookiePolicyOptions,
} from "../session/cookie_policy.ts";
import { type CsrfService, csrfService } from "../session/csrf.ts";
import { type DerivedKeys, deriveKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { HasherLimitOptions, PasswordHasher } from "../password/hasher.ts";
import { passwordPolicy, type PasswordPolicyOptions } from "../password/policy.ts";
import { type PasswordService, passwordService } from "../password/password_service.ts";
import { sessionService } from "../session/session_service.ts";
import type { SessionLimits, SessionService } from "../session/types.ts";
import type { AuthStores } from "../stores/types.ts";
import { type AuthStrategy, chain, type StrategyChain } from "../strategy.ts";
import { sessionCookieStrategy } from "../session/strategy.ts";
import {
  type ThrottleRules,
  type ThrottleService,
  throttleService,
} from "../throttle/throttle_service.ts";
import type { TokenService } from "../tokens/token_types.ts";
import { type UserService, userService } from "../users/user_service.ts";

/** Stores that authentication is given. */
export type AuthStoresInput = Pick<AuthStores, "users" | "sessions"> & Partial<AuthStores>;

/** How long sessions last. */
export interface SessionOptions extends SessionLimits {
  /** Limits of sessions that outlive the browser's window. @default {PERSISTENT_SESSION} */
  readonly persistent?: SessionLimits | undefined;
}

/** What services are made from. */
export interface ServiceOptions {
  /**
   * What all keys are derived from: at least 32 random bytes, as text, the same at each start and in each process. Of a
   * list the first one signs and encrypts, all verify and decrypt, so that it can be replaced: {@linkcode deriveKeys} says
   * how. Without it the keys of `jwt` are lost.
   */
  readonly secret: string | readonly string[];
  /** Where users, sessions and the rest are kept: {@linkcode inMemoryAuthStores}, or a database. */
  readonly stores: AuthStoresInput;
  /**
   * Strategies beside the session's cookie and the tokens of `jwt`. They are tried before these, so that a credential which
   * somebody put into the request counts more than one which the browser sends by itself.
   */
  readonly strategies?: readonly AuthStrategy[] | undefined;
  /** How long sessions last. @default 24 h, or 1 h without a request */
  readonly session?: SessionOptions | undefined;
  /**
   * Tokens for programs, signed by keys that `stores.keys` holds, encrypted by the secret: {@linkcode AuthRuntime.tokens}.
   * Requests may then carry an access token; `createAuthRoutes({ tokens: true })` hands them out.
   *
   * @default none
   */
  readonly jwt?: JwtOptions | undefined;
  /** Hashes passwords; of a list the first does, and all verify. @default {pbkdf2Hasher()} */
  readonly hasher?: PasswordHasher | readonly PasswordHasher[] | undefined;
  /** How many hashes run and wait at once. @default 4 and 64 */
  readonly hashing?: HasherLimitOptions | undefined;
  /** What a new password must be. @default at least 15 characters that no program foresees */
  readonly passwordPolicy?: PasswordPolicyOptions | undefined;
  /** Rules of the throttle in place of the defaults. Without it, nothing stops somebody from guessing. */
  readonly throttle?: Partial<ThrottleRules> | "insecureSkip" | undefined;
  /** Name, domain and `SameSite` of cookies. @default {{ sameSite: "Lax" }} without a domain */
  readonly cookie?: Omit<CookiePolicyOptions, "warn"> | undefined;
  /** Header field that carries the token against forged requests. @default {"X-CSRF-Token"} */
  readonly csrfHeader?: string | undefined;
  /** Other origins whose pages may act for the user: `https://app.example.com`. @default {[]} */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** Addresses and ranges of the proxies in front of this server; see {@linkcode clientAddressReader}. @default {[]} */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The address of whoever is connected. @default what `Deno.serve` and Bun say */
  readonly clientAddress?: ClientAddressReader | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of what should not stay as it is. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** What is made. */
export interface Services {
  readonly keys: DerivedKeys;
  readonly cookies: CookiePolicy;
  readonly csrf: CsrfService;
  readonly throttle: ThrottleService | undefined;
  readonly passwords: PasswordService;
  readonly users: UserService;
  readonly sessions: SessionService;
  readonly tokens: TokenService | undefined;
  readonly strategy: StrategyChain;
  readonly clientAddress: ClientAddressReader;
  readonly events: AuthEventListener | undefined;
  readonly warn: (message: string, error?: unknown) => void;
  readonly now: () => number;
}

const ACTION = "Cannot set up authentication";

/** Makes the services. @throws {TypeError | RangeError} If an option is missing or of a wrong shape. */
export function createServices(options: ServiceOptions): Services {
  checkShapes(options);
  const { stores, strategies = [], session, trustedOrigins, events, warn = warnConsole } = options;
  const { users, sessions: sessionStore, refreshTokens, credentials, apiKeys } = stores ?? {};
  requireStore("users", users?.findBySub);
  requireStore("sessions", sessionStore?.findByTokenHash);
  const now = createClock(options.now);
  const told = { now, events, warn };
  const keys = deriveKeys(options.secret);
  const cookies = cookiePolicy({ ...options.cookie, warn });
  const csrf = csrfService({
    keys,
    cookies,
    header: options.csrfHeader,
    trustedOrigins,
    ...told,
  });
  const throttle = createThrottle(options, keys, told);
  const passwords = passwordService({
    users,
    sessions: sessionStore,
    refreshTokens,
    throttle: throttle ?? "insecureSkip",
    hasher: options.hasher,
    hashing: options.hashing,
    policy: passwordPolicy(options.passwordPolicy),
    ...told,
  });
  const sessions = sessionService({
    ...session,
    users,
    sessions: sessionStore,
    refreshTokens,
    ...told,
  });
  const tokens = options.jwt && createTokens(options.jwt, { stores, keys, told });
  const cookie = sessionCookieStrategy({ sessions, cookies, now });
  const own = tokens === undefined ? [cookie] : [tokens.strategy, cookie];
  return {
    keys,
    cookies,
    csrf,
    throttle,
    passwords,
    users: userService({
      users,
      sessions: sessionStore,
      refreshTokens,
      credentials,
      apiKeys,
      ...told,
    }),
    sessions,
    tokens,
    strategy: chain([...strategies, ...own]),
    clientAddress: clientAddressReader({
      clientAddress: options.clientAddress,
      trustedProxies: options.trustedProxies,
      warn,
    }),
    ...told,
  };
}

function createThrottle(
  { throttle = {}, stores }: ServiceOptions,
  keys: DerivedKeys,
  told: Pick<Services, "now" | "events" | "warn">,
): ThrottleService | undefined {
  if (throttle === "insecureSkip") return undefined;
  if (typeof throttle !== "object" || throttle === null) {
    throw new TypeError(
      `${ACTION}: throttle is neither rules nor "insecureSkip"; leave it out for the usual rules`,
    );
  }
  const store = stores.throttle;
  if (store === undefined) {
    throw new TypeError(
      `${ACTION}: stores.throttle is missing; throttle: "insecureSkip" does without`,
    );
  }
  return throttleService({ store, keys, rules: throttle, ...told });
}

function checkShapes({ session = {}, stores, ...options }: ServiceOptions): void {
  rejectUnknownOptions<AuthStores>(`${ACTION}: stores`, stores ?? {}, STORE_NAMES);
  const limits = { absolute: true, idle: true } as const;
  rejectUnknownOptions<SessionOptions>(`${ACTION}: session`, session, {
    ...limits,
    persistent: true,
  });
  rejectUnknownOptions<SessionLimits>(
    `${ACTION}: session.persistent`,
    session.persistent ?? {},
    limits,
  );
  checkOptionalFunction(ACTION, "events", options.events);
  checkOptionalFunction(ACTION, "warn", options.warn);
  checkOptionalFunction(ACTION, "now", options.now);
  checkHashers(options.hasher);
}

const STORE_NAMES: OptionNames<AuthStores> = {
  users: true,
  sessions: true,
  credentials: true,
  states: true,
  refreshTokens: true,
  keys: true,
  throttle: true,
  apiKeys: true,
};

function checkHashers(hasher: ServiceOptions["hasher"] = []): void {
  for (const one of Array.isArray(hasher) ? hasher : [hasher]) {
    if (typeof one?.hash === "function" && typeof one.verify === "function") continue;
    throw new TypeError(`${ACTION}: a hasher has no hash() or no verify()`);
  }
}

function requireStore(name: string, method: unknown): void {
  if (typeof method === "function") return;
  throw new TypeError(
    `${ACTION}: stores.${name} is missing; inMemoryAuthStores() makes all stores`,
  );
}
