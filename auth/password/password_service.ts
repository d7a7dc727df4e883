/**
 * Passwords: creating users, verifying and changing passwords. NIST SP 800-63B-4 §3.1.1.
 *
 * @module
 */

import { identifierTaken, updateUser } from "../users/update_user.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { type AccessStores, revokeAccess } from "../users/revoke_access.ts";
import { hasPassword, removeWayIn } from "../users/ways_in.ts";
import { combineHashers } from "./_hashers.ts";
import { createHashingQueue } from "./_hashing_queue.ts";
import { asWrongPassword, passwordSteps } from "./_verify.ts";
import { randomId } from "../_random.ts";
import { warnConsole } from "../_report.ts";
import { checkedUsers } from "../stores/checked.ts";
import { AuthError } from "../error.ts";
import { canonicalIdentifier, type Identifier } from "../identifier.ts";
import { pbkdf2Hasher } from "./pbkdf2.ts";
import type {
  CreateUserOptions,
  PasswordChange,
  PasswordCredentials,
  PasswordService,
  PasswordServiceOptions,
  ResetPasswordOptions,
} from "./password_types.ts";
import { passwordPolicy } from "./policy.ts";
import type { PasswordAuthentication } from "../principal.ts";
import { addressBuckets } from "../throttle/client_address.ts";
import type { LoginAttempt, LoginClient, ThrottleService } from "../throttle/throttle_types.ts";

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
  const { throttle, events, warn = warnConsole, sessions, refreshTokens } = options;
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
    revoked: AccessStores,
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
    await revokeAccess(revoked, sub);
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
        // Not API keys: a password that its owner changes must not break the owner's API clients
        return await replace(sub, newPassword, { sessions, refreshTokens }, current);
      } catch (error) {
        throw asWrongPassword(error);
      }
    },

    async reset(
      sub: string,
      newPassword: string,
      { keepApiKeys = false, keepPasskeys = false }: ResetPasswordOptions = {},
    ) {
      await replace(sub, newPassword, {
        sessions,
        refreshTokens,
        apiKeys: keepApiKeys ? undefined : options.apiKeys,
        credentials: keepPasskeys ? undefined : options.credentials,
      });
      // A concurrent remove() may have counted a passkey that was deleted after it: the user could not sign in
      const user = await users.findBySub(sub);
      if (keepPasskeys || (user !== null && hasPassword(user))) return;
      throw new AuthError("service_unavailable", { reason: "update_conflict" });
    },

    async remove(sub: string) {
      const { credentials, identities } = options;
      const stores = { users, credentials, identities };
      const outcome = await removeWayIn(stores, sub, { kind: "password" });
      if (outcome === "last") {
        throw new AuthError("last_way_in", {
          detail: "Add a passkey or a provider before removing the password",
        });
      }
      if (outcome === "removed") emit("password.removed", { sub });
      return outcome === "removed";
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
    "Cannot verify password: client must be { address }",
  );
}

function requireSub(sub: unknown): void {
  if (typeof sub === "string" && sub !== "") return;
  throw new TypeError("Cannot create user: sub must be a non-empty string");
}
