/**
 * Passwords: creating users, verifying and changing. NIST SP 800-63B-4 §3.1.1.
 *
 * @module
 */

import { nowSeconds } from "./_clock.ts";
import { createEmitter } from "./_emit.ts";
import { joinHashers } from "./_join_hashers.ts";
import { passwordSteps } from "./_password_steps.ts";
import { randomId } from "./_random.ts";
import { warnConsole } from "./_report.ts";
import { AuthError } from "./error.ts";
import type { AuthEventListener } from "./events.ts";
import { canonicalIdentifier } from "./identifier.ts";
import { type PasswordHasher, pbkdf2Hasher } from "./password_hasher.ts";
import { type PasswordPolicy, passwordPolicy } from "./password_policy.ts";
import { type HasherLimitOptions, limitHasher } from "./password_queue.ts";
import type { Authentication } from "./principal.ts";
import type { RefreshTokenStore, SessionStore, User, UserStore } from "./store_types.ts";
import type { LoginClient, LoginReservation, ThrottleService } from "./throttle.ts";

/** Options of {@linkcode passwordService}. */
export interface PasswordServiceOptions {
  /** Keeps users. */
  readonly users: UserStore;
  /** Keeps sessions; a user's end with the password. */
  readonly sessions?: Pick<SessionStore, "revokeAll">;
  /** Keeps refresh tokens; a user's end with the password. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke">;
  /** Counts attempts. Whoever leaves it out has to say so: nothing else stops somebody from guessing. */
  readonly throttle: ThrottleService | "insecureSkip";
  /**
   * Hashes passwords. Of a list the first does; the others verify what they hashed before, and a login replaces it. Who
   * changes the algorithm keeps the old one in the list, or nobody's password fits any more.
   *
   * @default {pbkdf2Hasher()}
   */
  readonly hasher?: PasswordHasher | readonly PasswordHasher[];
  /** How many hashes run and wait at once. @default 4 and 64 */
  readonly hashing?: HasherLimitOptions;
  /** What a new password must be. @default {passwordPolicy()} */
  readonly policy?: PasswordPolicy;
  /** The time, in seconds since the epoch. */
  readonly now?: () => number;
  /** Is told of what happens. */
  readonly events?: AuthEventListener;
  /** Is told of what went wrong without stopping a login. @default console.warn */
  readonly warn?: (message: string) => void;
}

/** A new account. */
export interface NewAccount {
  /** What the user signs in by; see {@linkcode canonicalIdentifier}. */
  readonly identifier: string;
  /** The password. */
  readonly password: string;
  /** The subject id, where the application has one. @default 128 random bits */
  readonly sub?: string;
}

/** Who signs in. */
export interface PasswordCredentials {
  /** What the user signs in by. */
  readonly identifier: string;
  /** The password. */
  readonly password: string;
}

/** A change of a password by its owner. */
export interface PasswordChange {
  /** Whose. */
  readonly sub: string;
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
   */
  createUser(account: NewAccount, client?: LoginClient): Promise<Authentication>;
  /**
   * Verifies a password, with the same error and the same work whether the user is unknown, disabled or without a
   * password, or the password is wrong. A hash with older parameters is replaced on the way.
   *
   * @throws {AuthError} `invalid_credentials`, `throttled`, `invalid_identifier` or `service_unavailable`.
   */
  verify(credentials: PasswordCredentials, client?: LoginClient): Promise<Authentication>;
  /**
   * Changes a password. Every session and refresh token of the user ends; make a new session from what this returns, in
   * place of the one that asked.
   *
   * @throws {AuthError} `invalid_credentials`, `throttled`, `weak_password` or `service_unavailable`.
   */
  change(change: PasswordChange, client?: LoginClient): Promise<Authentication>;
  /**
   * Sets a password without the current one, for the recovery of accounts and for administrators; who may is for the
   * caller to know. Every session and refresh token of the user ends.
   *
   * @throws {AuthError} `invalid_credentials` if there is no such user, `weak_password` or `service_unavailable`.
   */
  reset(sub: string, newPassword: string): Promise<Authentication>;
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
 * await passwords.createUser({ identifier: "ada@example.org", password: "lovelace wrote notes" });
 *
 * const credentials = { identifier: "Ada@Example.org", password: "lovelace wrote notes" };
 * const { amr } = await passwords.verify(credentials, { address: "192.0.2.1" });
 * assertEquals(amr, ["pwd"]);
 * await assertRejects(() => passwords.verify({ ...credentials, password: "babbage did" }));
 * ```
 */
export function passwordService(options: PasswordServiceOptions): PasswordService {
  const { users, throttle, events, warn = warnConsole, now = nowSeconds } = options;
  requireThrottle(throttle);
  const limit = limitHasher(joinHashers(options.hasher ?? pbkdf2Hasher()), options.hashing);
  const emit = createEmitter({ events, now, warn });
  const policy = options.policy ?? passwordPolicy();
  const steps = passwordSteps({ ...options, policy, now, emit, warn });

  async function reserve(account: string, client: LoginClient): Promise<LoginReservation> {
    return throttle === "insecureSkip" ? UNCOUNTED : await throttle.login(account, client);
  }

  /** Reads, checks and writes, again if somebody else wrote in between. The policy, which may ask others, takes no place. */
  async function replace(
    sub: string,
    newPassword: unknown,
    check: (user: User | null, hasher: PasswordHasher) => Promise<User>,
  ): Promise<Authentication> {
    const { identifier = "" } = await users.findBySub(sub) ?? {};
    const password = await steps.requireStrong(newPassword, identifier, "/newPassword");
    return await limit.admit(async (hasher) => {
      for (let attempt = 0; attempt < REPLACE_ATTEMPTS; attempt++) {
        const user = await check(await users.findBySub(sub), hasher);
        const written = await steps.write(user, await hasher.hash(password));
        if (written !== undefined) return written;
      }
      throw new AuthError("service_unavailable", { reason: "the user changes all the time" });
    });
  }

  return Object.freeze({
    async createUser(account: NewAccount, client: LoginClient = {}) {
      const { sub = randomId() } = account;
      if (typeof sub !== "string" || sub === "") {
        throw new TypeError("Cannot create user: sub is not a text with something in it");
      }
      const identifier = canonicalIdentifier(account.identifier);
      if (throttle !== "insecureSkip") await throttle.registration(client);
      const password = await steps.requireStrong(account.password, identifier, "/password");
      const user = {
        sub,
        identifier,
        passwordHash: await limit.admit((hasher) => hasher.hash(password)),
        securityStamp: randomId(),
        createdAt: now(),
      };
      if (await users.create(user) === "identifier_taken") {
        throw new AuthError("identifier_unavailable", { detail: "The identifier is taken" });
      }
      emit("user.created", { sub: user.sub });
      return steps.authenticate(user);
    },

    async verify({ identifier, password }: PasswordCredentials, client: LoginClient = {}) {
      const account = canonicalIdentifier(identifier);
      return await limit.admit(async (hasher) => {
        const reservation = await reserve(account, client); // counted before it is made
        const found = await users.findByIdentifier(account);
        const user = await steps.requireMatch(hasher, { user: found, password, client });
        await reservation.succeed();
        await steps.rehash(hasher, user, password);
        const { address } = client;
        emit("login.succeeded", { sub: user.sub, ...(address === undefined ? {} : { address }) });
        return steps.authenticate(user);
      });
    },

    change({ sub, currentPassword, newPassword }: PasswordChange, client: LoginClient = {}) {
      return replace(sub, newPassword, async (user, hasher) => {
        const reservation = await reserve(user?.identifier ?? sub, client);
        const login = { user, password: currentPassword, client };
        const matched = await steps.requireMatch(hasher, login);
        await reservation.succeed();
        return matched;
      });
    },

    reset(sub: string, newPassword: string) {
      return replace(sub, newPassword, (user) => {
        if (user !== null) return Promise.resolve(user);
        return Promise.reject(new AuthError("invalid_credentials", { reason: "user_unknown" }));
      });
    },
  });
}

/** How often a change starts over because somebody else changed the user. */
const REPLACE_ATTEMPTS = 5;

/** What stands for a reservation where nobody counts. */
const UNCOUNTED: LoginReservation = { succeed: () => Promise.resolve() };

function requireThrottle(throttle: unknown): void {
  if (throttle === "insecureSkip" || (typeof throttle === "object" && throttle !== null)) return;
  throw new TypeError('Cannot create password service: give a throttle, or say "insecureSkip"');
}
