/**
 * The types of the password service.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { HasherLimitOptions, PasswordHasher } from "./hasher.ts";
import type { PasswordPolicy } from "./policy.ts";
import type { PasswordAuthentication } from "../principal.ts";
import type {
  ApiKeyStore,
  CredentialStore,
  IdentityStore,
  RefreshTokenStore,
  SessionStore,
  UserStore,
} from "../stores/types.ts";
import type { LoginClient, ThrottleService } from "../throttle/throttle_types.ts";

/** Options of {@linkcode passwordService}. */
export interface PasswordServiceOptions {
  /** Persists users. */
  readonly users: UserStore;
  /** Persists sessions; a user's are revoked when the password changes. */
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  /** Persists refresh tokens; a user's are revoked when the password changes. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** Persists API keys; a user's are revoked by {@linkcode PasswordService.reset}. */
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
  /**
   * Persists passkeys; a user's are deleted by {@linkcode PasswordService.reset}. {@linkcode PasswordService.remove} needs it:
   * without it, a password is the last way to sign in.
   */
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  /** Persists identities at OAuth providers, with which a user without a password can sign in. */
  readonly identities?: Pick<IdentityStore, "list" | "delete"> | undefined;
  /** Counts attempts. `"insecureSkip"` does not: passwords can then be guessed without a limit. */
  readonly throttle: ThrottleService | "insecureSkip";
  /**
   * Hashes passwords. Of an array the first one does; the others verify their existing hashes, which a login replaces. To
   * change the algorithm, keep the old hasher in the array, or existing passwords do not verify. Until all hashes are
   * replaced, the duration of a login reveals the algorithm of the account's hash.
   *
   * @default {pbkdf2Hasher()}
   */
  readonly hasher?: PasswordHasher | readonly PasswordHasher[] | undefined;
  /** How many requests hash passwords, and wait for it, concurrently. Clients share them. @default 4 and 64 */
  readonly hashing?: HasherLimitOptions | undefined;
  /** Requirements on new passwords, created by {@linkcode passwordPolicy}. @default {passwordPolicy()} */
  readonly policy?: PasswordPolicy | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** The credentials of a user. */
export interface PasswordCredentials {
  /** An e-mail address or a name; see {@linkcode canonicalIdentifier}. */
  readonly identifier: string;
  /** The password. */
  readonly password: string;
}

/** Options of {@linkcode PasswordService.createUser}. */
export interface CreateUserOptions {
  /** The client that registers; without it, the registration is not counted, and has no limit of hashing. */
  readonly client?: LoginClient | undefined;
  /** The subject id. @default 128 random bits */
  readonly sub?: string | undefined;
}

/** A password change by the user. */
export interface PasswordChange {
  /** The current password. */
  readonly currentPassword: string;
  /** The new password. */
  readonly newPassword: string;
}

/** Options of {@linkcode PasswordService.reset}. */
export interface ResetPasswordOptions {
  /** Whether API keys stay valid, although an attacker who knew the old password may have created some. @default {false} */
  readonly keepApiKeys?: boolean | undefined;
  /** Whether passkeys stay, although an attacker who knew the old password may have added one. @default {false} */
  readonly keepPasskeys?: boolean | undefined;
}

/** Creates users, and verifies and changes passwords. */
export interface PasswordService {
  /**
   * Creates a user.
   *
   * @throws {AuthError} `invalid_identifier`, `throttled`, `weak_password` (with `violations`), `identifier_unavailable`
   * or `service_unavailable`.
   * @throws {TypeError} If `sub` is not a non-empty string.
   */
  createUser(
    credentials: PasswordCredentials,
    options?: CreateUserOptions,
  ): Promise<PasswordAuthentication>;
  /**
   * Verifies a password. An unknown or disabled user, a user without a password and a wrong password get the same error
   * after the same work. An outdated hash is replaced.
   *
   * @throws {AuthError} `invalid_credentials`, `throttled`, `invalid_identifier` or `service_unavailable`.
   * @throws {TypeError} If `client` is missing.
   */
  verify(credentials: PasswordCredentials, client: LoginClient): Promise<PasswordAuthentication>;
  /**
   * Changes a user's password. All sessions and refresh tokens of the user are revoked, API keys stay valid; create a new
   * session from the returned authentication.
   *
   * @throws {AuthError} `wrong_password` if the current password is wrong or the user does not exist, `throttled`,
   * `weak_password` or `service_unavailable`.
   * @throws {TypeError} If `client` is missing.
   */
  change(sub: string, change: PasswordChange, client: LoginClient): Promise<PasswordAuthentication>;
  /**
   * Sets a password without the current one, for account recovery and for administrators; the caller authorizes it. All
   * sessions, refresh tokens and API keys of the user are revoked, and all passkeys deleted. If it rejects with
   * `service_unavailable`, or with an error of a store, repeat the call.
   *
   * @throws {AuthError} `invalid_credentials` if the user does not exist, `weak_password` or `service_unavailable`.
   */
  reset(sub: string, newPassword: string, options?: ResetPasswordOptions): Promise<void>;
  /**
   * Removes the password of a user who can sign in with a passkey; the caller authorizes it. Sessions, tokens and API keys stay
   * valid.
   *
   * @throws {AuthError} `last_way_in`, if the user could not sign in any more; `service_unavailable`.
   * @returns Whether there was one.
   */
  remove(sub: string): Promise<boolean>;
}
