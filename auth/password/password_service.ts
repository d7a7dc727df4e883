/**
 * Passwords: creating users, verifying and changing passwords. NIST SP 800-63B-4 §3.1.1.
 *
 * @module
 */

import { identifierTaken, updateUser } from "../users/update_user.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { revokeAccess, revokeAccountAccess } from "../users/revoke_access.ts";
import { combineHashers } from "./_hashers.ts";
import { createHashingQueue } from "./_hashing_queue.ts";
import { asWrongPassword, passwordSteps } from "./_verify.ts";
import { randomId } from "../_random.ts";
import { warnConsole } from "../_report.ts";
import { checkedUsers } from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import { canonicalIdentifier, type Identifier } from "../identifier.ts";
import type { HasherLimitOptions, PasswordHasher } from "./hasher.ts";
import { pbkdf2Hasher } from "./pbkdf2.ts";
import { type PasswordPolicy, passwordPolicy } from "./policy.ts";
import type { PasswordAuthentication } from "../principal.ts";
import type { ApiKeyStore, RefreshTokenStore, SessionStore, UserStore } from "../stores/types.ts";
import { addressBuckets } from "../throttle/client_address.ts";
import type { LoginAttempt, LoginClient, ThrottleService } from "../throttle/throttle_service.ts";

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
   * sessions, refresh tokens and API keys of the user are revoked.
   *
   * @throws {AuthError} `invalid_credentials` if the user does not exist, `weak_password` or `service_unavailable`.
   */
  reset(sub: string, newPassword: string, options?: ResetPasswordOptions): Promise<void>;
}

/**
 * Creates a password service.
 *
 * @throws {TypeError} If `throttle` is missing, or `hasher` is an empty array.
 * @throws {RangeError} If a limit of `hashing` is not an integer from 1 (`waiting`: 0).
 *
 * @example
 * ```ts
 * import {
 *   deriveKeys,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   passwordService,
 *   throttleService,
 * } from "@gatehouse/http/auth";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * const keys = deriveKeys(generateSecret());
 * const passwords = passwordService({
 *   users: stores.users,
 *   sessions: stores.sessions,
 *   throttle: throttleService({ store: stores.throttle, keys }),
 * });
 *
 * const ada = { identifier: "ada@example.org", password: "lovelace wrote notes" };
 * await passwords.createUser(ada);
 *
 * const client = { address: "192.0.2.1" }; // of clientAddressReader()
 * const { amr } = await passwords.verify({ ...ada, identifier: "Ada@Example.org" }, client);
 * assertEquals(amr, ["pwd"]);
 * await assertRejects(() => passwords.verify({ ...ada, password: "babbage did" }, client));
 * ```
 */
export function passwordService(options: PasswordServiceOptions): PasswordService {
  const { throttle, events, warn = warnConsole } = options;
  const users = checkedUsers(options.users);
  requireThrottle(throttle);
  const now = createClock(options.now);
  const hasher = combineHashers(options.hasher ?? pbkdf2Hasher(), warn);
  const queue = createHashingQueue(options.hashing);
  const emit = createEmitter({ events, now, warn });
  const policy = options.policy ?? passwordPolicy();
  const steps = passwordSteps({ users, hasher, policy, now, emit, warn });

  async function identify(account: Identifier, client: LoginClient): Promise<LoginAttempt> {
    return throttle === "insecureSkip"
      ? uncounted(account, client)
      : await throttle.login(account, client);
  }

  /** Writes a new password and security stamp. The policy runs before, without a place: it may call another service. */
  async function replace(
    sub: string,
    newPassword: unknown,
    revoke: typeof revokeAccess,
    current?: { readonly password: unknown; readonly client: LoginClient },
  ): Promise<PasswordAuthentication> {
    const { identifier = "" } = await users.findBySub(sub) ?? {};
    const password = await steps.requireStrong(newPassword, identifier, "/newPassword");
    const securityStamp = randomId();
    const attempt = current && await identify(identifier as Identifier, current.client);
    const changed = await queue.hold(attempt, (run) =>
      updateUser(users, sub, async (user) => {
        if (attempt !== undefined && current !== undefined) {
          const { client } = current;
          const password = steps.normalizePassword(current.password);
          await steps.requireMatch({ user, password, client, attempt, run });
        }
        return { passwordHash: await run(() => hasher.hash(password)), securityStamp };
      }));
    if (!changed) throw new AuthError("invalid_credentials", { reason: "user_unknown" });
    emit("password.changed", { sub });
    await revoke(options, sub);
    return steps.authenticate({ sub, identifier, securityStamp });
  }

  return Object.freeze({
    async createUser(
      credentials: PasswordCredentials,
      { client, sub = randomId() }: CreateUserOptions = {},
    ) {
      requireSub(sub);
      const identifier = canonicalIdentifier(credentials.identifier);
      const passwordHash = await queue.hold(
        client && uncounted(identifier, client),
        async (run) => {
          if (throttle !== "insecureSkip" && client !== undefined) {
            await throttle.registration(client);
          }
          const password = await steps.requireStrong(credentials.password, identifier, "/password");
          return await run(() => hasher.hash(password));
        },
      );
      const user = { sub, identifier, passwordHash, securityStamp: randomId(), createdAt: now() };
      if (await users.create(user) === "identifier_taken") throw identifierTaken();
      emit("user.created", { sub });
      return steps.authenticate(user);
    },

    // Valid password, device, place, user, attempt counted, one hash, outcome counted, rehash
    async verify({ identifier, password }: PasswordCredentials, client: LoginClient) {
      requireClient(client);
      const account = canonicalIdentifier(identifier);
      const prepared = steps.normalizePassword(password); // an invalid password is not counted
      const attempt = await identify(account, client);
      return await queue.hold(attempt, async (run) => {
        const found = await users.findByIdentifier(account);
        const given = { user: found, password: prepared, client };
        const user = await steps.requireMatch({ ...given, attempt, run });
        await steps.rehash(user, prepared, run);
        emit("login.succeeded", { sub: user.sub, address: client.address });
        return steps.authenticate(user);
      });
    },

    async change(
      sub: string,
      { currentPassword, newPassword }: PasswordChange,
      client: LoginClient,
    ) {
      requireClient(client);
      const current = { password: currentPassword, client };
      try {
        return await replace(sub, newPassword, revokeAccess, current);
      } catch (error) {
        throw asWrongPassword(error);
      }
    },

    async reset(
      sub: string,
      newPassword: string,
      { keepApiKeys = false }: ResetPasswordOptions = {},
    ) {
      await replace(sub, newPassword, keepApiKeys ? revokeAccess : revokeAccountAccess);
    },
  });
}

/** An attempt that is not counted. */
function uncounted(account: Identifier, { address = "" }: LoginClient): LoginAttempt {
  const done = () => Promise.resolve();
  return {
    account,
    buckets: addressBuckets(address) ?? [],
    reserve: done,
    fail: done,
    succeed: done,
  };
}

function requireThrottle(throttle: unknown): void {
  if (throttle === "insecureSkip") return;
  if (typeof (throttle as Partial<ThrottleService> | null)?.login === "function") return;
  throw new TypeError(
    'Cannot create password service: throttle must be created by throttleService(), or be "insecureSkip"',
  );
}

function requireClient(client: unknown): void {
  if (typeof client === "object" && client !== null && "address" in client) return;
  throw new TypeError(
    "Cannot verify password: client must be { address }, with undefined for an unknown address",
  );
}

function requireSub(sub: unknown): void {
  if (typeof sub === "string" && sub !== "") return;
  throw new TypeError("Cannot create user: sub must be a non-empty string");
}
