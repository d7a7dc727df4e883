/**
 * Options of the services that `registerAuth` creates.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { KeyServiceOptions } from "../keys/key_service.ts";
import type { HasherLimitOptions, PasswordHasher } from "../password/hasher.ts";
import type { PasswordPolicyOptions } from "../password/policy.ts";
import type { CookiePolicyOptions } from "../session/cookie_policy.ts";
import type { SessionLimits } from "../session/types.ts";
import type { AuthStores } from "../stores/types.ts";
import type { AuthStrategy } from "../strategy.ts";
import type { Deployment } from "../throttle/client_address.ts";
import type { ThrottleRules } from "../throttle/throttle_types.ts";
import type { RefreshLimits } from "../tokens/refresh_types.ts";
import type { TokenServiceOptions } from "../tokens/token_types.ts";
import type { AccountService } from "../accounts/account_types.ts";
import type { SecondFactors } from "../factors/sign_in_types.ts";
import type { AuthFeature } from "./feature_types.ts";
import type { IdentityOptions } from "../oauth/identity_types.ts";
import type { WebAuthnConfig } from "../webauthn/types.ts";

/** The stores of an application: `users` and `sessions` are required, others where a service needs them. */
export type AuthStoresInput = Pick<AuthStores, "users" | "sessions"> & Partial<AuthStores>;

/** Limits of sessions. */
export interface SessionOptions extends SessionLimits {
  /** Limits of persistent sessions. @default {PERSISTENT_SESSION} */
  readonly persistent?: SessionLimits | undefined;
}

/** Options of tokens for API clients: mobile apps, command line tools, other services. */
export interface JwtOptions extends
  Pick<
    TokenServiceOptions,
    "issuer" | "audience" | "clientId" | "scope" | "accept" | "resourceMetadata"
  >,
  Pick<KeyServiceOptions, "algorithms" | "rotateAfter"> {
  /** Lifetime of an access token, in seconds: an integer from 1 to 2,592,000 (30 days). @default {600} */
  readonly lifetime?: number | undefined;
  /** Limits of refresh tokens. @default 14 days, and 30 days from the sign-in */
  readonly refresh?: RefreshLimits | undefined;
}

/** What services are created from. */
export interface ServiceOptions {
  /**
   * Secret that all keys are derived from: at least 32 random bytes, as a string, the same at each start and in each process:
   * {@linkcode generateSecret} makes one. Of an array the first one signs and encrypts, all verify and decrypt, so that it can
   * be rotated, see {@linkcode deriveKeys}. If the secret is lost, the signing keys of `jwt` are lost.
   */
  readonly secret: string | readonly string[];
  /** Persists users, sessions and the rest: {@linkcode inMemoryAuthStores}, or a database. */
  readonly stores: AuthStoresInput;
  /**
   * Strategies in addition to the session cookie and the tokens of `jwt`. They run before these, so that a credential that
   * the client attached explicitly takes precedence over one that the browser attaches automatically.
   */
  readonly strategies?: readonly AuthStrategy[] | undefined;
  /** Limits of sessions. @default 24 h, or 1 h without a request */
  readonly session?: SessionOptions | undefined;
  /**
   * Tokens for API clients, signed by keys that `stores.keys` holds, encrypted by the secret: {@linkcode AuthRuntime.tokens}.
   * Requests may then carry an access token, whose user is read with each of them, see {@linkcode TokenServiceOptions.accept};
   * `createAuthRoutes({ tokens: true })` and `createTokenRoutes()` issue them.
   *
   * @default none
   */
  readonly jwt?: JwtOptions | undefined;
  /**
   * Passkeys, which `stores.credentials` holds, and `stores.states` their challenges: {@linkcode AuthRuntime.webauthn}, and the
   * routes below `/webauthn` of {@linkcode createAuthRoutes}.
   *
   * @default none
   */
  readonly webauthn?: WebAuthnConfig | undefined;
  /**
   * Who gets an account at the first sign-in with an OAuth provider, and whether the provider's tokens are kept, see
   * {@linkcode IdentityService}. Needs `stores.identities`.
   */
  readonly identities?: IdentityOptions | undefined;
  /**
   * Verified e-mail addresses, forgotten passwords, and signing in by a link or a code: the result of {@linkcode emailAccounts}.
   * Adds {@linkcode AuthRuntime.accounts}, and routes.
   *
   * @default none
   */
  readonly accounts?: AuthFeature<AccountService> | undefined;
  /**
   * Second factors: the result of {@linkcode totpFactors}. Adds {@linkcode AuthRuntime.secondFactors}, and routes. A sign-in of a
   * user who has one ends in 401 `mfa_required`.
   *
   * @default none
   */
  readonly secondFactors?: AuthFeature<SecondFactors> | undefined;
  /** Hashes passwords; of an array the first one hashes, and all verify. @default {pbkdf2Hasher()} */
  readonly hasher?: PasswordHasher | readonly PasswordHasher[] | undefined;
  /** How many hashes run and wait at once, shared between clients. @default 4 and 64 */
  readonly hashing?: HasherLimitOptions | undefined;
  /** What a new password must satisfy. @default at least 15 characters, not guessable */
  readonly passwordPolicy?: PasswordPolicyOptions | undefined;
  /** Rules of the login throttle in place of the defaults. With `insecureSkip`, nothing limits guessing. */
  readonly throttle?: Partial<ThrottleRules> | "insecureSkip" | undefined;
  /** Name, domain and `SameSite` of cookies. @default {{ sameSite: "Lax" }} without a domain */
  readonly cookie?: Omit<CookiePolicyOptions, "warn"> | undefined;
  /** Header field that carries the CSRF token. @default {"X-CSRF-Token"} */
  readonly csrfHeader?: string | undefined;
  /** Other origins whose pages may act for the user: `https://app.example.com`. @default {[]} */
  readonly trustedOrigins?: readonly string[] | undefined;
  /**
   * What is between this server and its clients, whose addresses the throttle counts by.
   *
   * @default {"direct"} with a warning
   */
  readonly deployment?: Deployment | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}
