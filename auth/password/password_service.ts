/**
 * Passwords: creating users, verifying and changing. NIST SP 800-63B-4 §3.1.1.
 *
 * @module
 */

import { changeUser, identifierTaken } from "../users/update_user.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { revokeAccess } from "../users/revoke_access.ts";
import { combineHashers } from "./_hashers.ts";
import { limitHasher } from "./_concurrency.ts";
import { asWrongPassword, passwordSteps } from "./_verify.ts";
import { randomId } from "../_random.ts";
import { warnConsole } from "../_report.ts";
import { checkedUsers } from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import { canonicalIdentifier } from "../identifier.ts";
import type { HasherLimitOptions, PasswordHasher } from "./hasher.ts";
import { pbkdf2Hasher } from "./pbkdf2.ts";
import { type PasswordPolicy, passwordPolicy } from "./policy.ts";
import type { PasswordAuthentication } from "../principal.ts";
import type { RefreshTokenStore, SessionStore, User, UserStore } from "../stores/types.ts";
import type {
  LoginClient,
  LoginReservation,
  ThrottleService,
} from "../throttle/throttle_service.ts";

/** Options of {@linkcode passwordService}. */
export interface PasswordServiceOptions {
  /** Keeps users. */
  readonly users: UserStore;
  /** Keeps sessions; a user's end with the password. */
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  /** Keeps refresh tokens; a user's end with the password. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** Counts attempts. Whoever leaves it out has to say so: nothing else stops somebody from guessing. */
  readonly throttle: ThrottleService | "insecureSkip";
  /**
   * Hashes passwords. Of a list the first does; the others verify what they hashed before, and a login replaces it. Who
   * changes the algorithm keeps the old one in the list, or nobody's password fits any more. Until then, the time of a
   * login tells by which algorithm an account is hashed.
   *
   * @default {pbkdf2Hasher()}
   */
  readonly hasher?: PasswordHasher | readonly PasswordHasher[] | undefined;
  /** How many hashes run and wait at once. @default 4 and 64 */
  readonly hashing?: HasherLimitOptions | undefined;
  /** What a new password must be, made by {@linkcode passwordPolicy}. @default {passwordPolicy()} */
  readonly policy?: PasswordPolicy | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of what went wrong without stopping a login. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What a user signs in by: a name and a password. */
export interface PasswordCredentials {
  /** An e-mail address or a name; see {@linkcode canonicalIdentifier}. */
  readonly identifier: string;
  /** The password. */
  readonly password: string;
}

/** What is said of a new user beside its credentials. */
export interface CreateUserOptions {
  /** Who asks, where people register themselves; without it, registrations are not counted. */
  readonly client?: LoginClient | undefined;
  /** The subject id, where the application has one. @default 128 random bits */
  readonly sub?: string | undefined;
}

/** A change of a password by its owner. */
export interface PasswordChange {
  /** The password until now. */
  readonly currentPassword: string;
  /** The one from now on. */
  readonly newPassword: string;
}

/** Creates users, and verifies and changes passwords. */
export interface PasswordService {
  /**
   * Creates a user.
   *
   * @throws {AuthError} `invalid_identifier`, `throttled`, `weak_password` (with `violations`), `identifier_unavailable`
   * or `service_unavailable`.
   * @throws {TypeError} If `sub` is not a text with something in it.
   */
  createUser(
    credentials: PasswordCredentials,
    options?: CreateUserOptions,
  ): Promise<PasswordAuthentication>;
  /**
   * Verifies a password, with the same error and the same work whether the user is unknown, disabled or without a
   * password, or the password is wrong. A hash with older parameters is replaced on the way.
   *
   * @throws {AuthError} `invalid_credentials`, `throttled`, `invalid_identifier` or `service_unavailable`.
   * @throws {TypeError} If nothing is said of the client.
   */
  verify(credentials: PasswordCredentials, client: LoginClient): Promise<PasswordAuthentication>;
  /**
   * Changes a user's password. Every session and refresh token of the user ends; make a new session from what this
   * returns, in place of the one that asked.
   *
   * @throws {AuthError} `wrong_password` if the current one is not right or there is no such user, `throttled`, `weak_password` or
   * `service_unavailable`.
   * @throws {TypeError} If nothing is said of the client.
   */
  change(sub: string, change: PasswordChange, client: LoginClient): Promise<PasswordAuthentication>;
  /**
   * Sets a password without the current one, for the recovery of accounts and for administrators; who may is for the
   * caller to know. Every session and refresh token of the user ends. The user then signs in with it.
   *
   * @throws {AuthError} `invalid_credentials` if there is no such user, `weak_password` or `service_unavailable`.
   */
  reset(sub: string, newPassword: string): Promise<void>;
}

/**
 * Creates a password service.
 *
 * @throws {TypeError} If there is no throttle, or the list of hashers is empty.
 *
 * @example
 * ```ts
 * import {
 *   deriveKeys,
 *   inMemoryAuthStores,
 *   passwordService,
 *   throttleService,
 * } from "@gatehouse/http/auth";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * const keys = deriveKeys("a secret of at least 32 bytes, kept");
 * const passwords = passwordService({
 *   users: stores.users,
 *   sessions: stores.sessions,
 *   throttle: throttleService({ store: stores.throttle, keys }),
 * });
 *
 * const ada = { identifier: "ada@example.org", password: "lovelace wrote notes" };
 * await passwords.createUser(ada);
 *
 * const client = { address: "192.0.2.1" }; // clientAddressReader() tells it
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
  const hashers = combineHashers(options.hasher ?? pbkdf2Hasher(), warn);
  const limit = limitHasher(hashers, { ...options.hashing, now });
  const emit = createEmitter({ events, now, warn });
  const policy = options.policy ?? passwordPolicy();
  const steps = passwordSteps({ users, policy, now, emit, warn });

  async function reserve(account: string, client: LoginClient): Promise<LoginReservation> {
    return throttle === "insecureSkip" ? UNCOUNTED : await throttle.login(account, client);
  }

  /** Writes a new password; the stamp that goes with it ends every session. The policy may ask others, and waits for no place. */
  async function replace(
    sub: string,
    newPassword: unknown,
    check: (user: User, hasher: PasswordHasher) => Promise<void>,
  ): Promise<PasswordAuthentication> {
    const { identifier = "" } = await users.findBySub(sub) ?? {};
    const password = await steps.requireStrong(newPassword, identifier, "/newPassword");
    const securityStamp = randomId();
    const changed = await limit.admit((hasher) =>
      changeUser(users, sub, async (user) => {
        await check(user, hasher);
        return { passwordHash: await hasher.hash(password), securityStamp };
      })
    );
    if (!changed) throw new AuthError("invalid_credentials", { reason: "user_unknown" });
    emit("password.changed", { sub });
    await revokeAccess(options, sub);
    return steps.authenticate({ sub, identifier, securityStamp });
  }

  return Object.freeze({
    async createUser(
      credentials: PasswordCredentials,
      { client, sub = randomId() }: CreateUserOptions = {},
    ) {
      requireSub(sub);
      const identifier = canonicalIdentifier(credentials.identifier);
      if (throttle !== "insecureSkip" && client !== undefined) await throttle.registration(client);
      const password = await steps.requireStrong(credentials.password, identifier, "/password");
      const passwordHash = await limit.admit((hasher) => hasher.hash(password));
      const user = { sub, identifier, passwordHash, securityStamp: randomId(), createdAt: now() };
      if (await users.create(user) === "identifier_taken") throw identifierTaken();
      emit("user.created", { sub });
      return steps.authenticate(user);
    },

    // A possible password, a place to hash it, a count, the user, one hash, the count back, a better hash
    async verify({ identifier, password }: PasswordCredentials, client: LoginClient) {
      requireClient(client);
      const account = canonicalIdentifier(identifier);
      const prepared = steps.normalizePassword(password); // no guess, so it is not counted
      return await limit.admit(async (hasher) => {
        const reservation = await reserve(account, client);
        const found = await users.findByIdentifier(account);
        await reservation.confirm(found);
        const user = await steps.requireMatch(hasher, { user: found, password: prepared, client });
        await reservation.succeed();
        await steps.rehash(hasher, user, prepared);
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
      const changing = replace(sub, newPassword, async (user, hasher) => {
        const password = steps.normalizePassword(currentPassword);
        const reservation = await reserve(user.identifier, client);
        await reservation.confirm(user);
        await steps.requireMatch(hasher, { user, password, client });
        await reservation.succeed();
      });
      return await changing.catch((error) => {
        throw asWrongPassword(error);
      });
    },

    async reset(sub: string, newPassword: string) {
      await replace(sub, newPassword, () => Promise.resolve());
    },
  });
}

/** What stands for a reservation where nobody counts. */
const UNCOUNTED: LoginReservation = {
  confirm: () => Promise.resolve(),
  succeed: () => Promise.resolve(),
};

function requireThrottle(throttle: unknown): void {
  if (throttle === "insecureSkip") return;
  if (typeof (throttle as Partial<ThrottleService> | null)?.login === "function") return;
  throw new TypeError(
    'Cannot create password service: throttle is none; throttleService() makes one, "insecureSkip" does without',
  );
}

function requireClient(client: unknown): void {
  if (typeof client === "object" && client !== null && "address" in client) return;
  throw new TypeError(
    "Cannot verify password: say who the client is, by { address }; undefined if nobody knows",
  );
}

function requireSub(sub: unknown): void {
  if (typeof sub === "string" && sub !== "") return;
  throw new TypeError("Cannot create user: sub is not a text with something in it");
}
