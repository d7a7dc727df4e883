/**
 * Looking after accounts: another identifier, closing them, opening them again, removing them.
 *
 * @module
 */

import { changeUser } from "./update_user.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { revokeAccountAccess } from "./revoke_access.ts";
import { randomId } from "../_random.ts";
import { checkedUsers, isDisabled } from "../stores/checked.ts";
import type { AuthEventListener } from "../events.ts";
import { canonicalIdentifier } from "../identifier.ts";
import type {
  ApiKeyStore,
  CredentialStore,
  RefreshTokenStore,
  SessionStore,
  UserStore,
} from "../stores/types.ts";

/** Options of {@linkcode userService}. */
export interface UserServiceOptions {
  /** Keeps users. */
  readonly users: UserStore;
  /** Keeps sessions; a user's end with the account. */
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  /** Keeps refresh tokens; a user's end with the account. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** Keeps passkeys; a user's go with the account. */
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  /**
   * Keeps API keys; a user's end with the account. Without it, those of a closed account only sleep, and wake up where it
   * is opened again.
   */
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Looks after accounts. Who may is for the caller to know, and whose an e-mail address is. */
export interface UserService {
  /**
   * Changes what a user signs in by. Sessions go on; browsers that were known are so no more.
   *
   * @throws {AuthError} `invalid_identifier`, `identifier_unavailable` or `service_unavailable`.
   * @returns Whether there is such a user.
   */
  changeIdentifier(sub: string, identifier: string): Promise<boolean>;
  /**
   * Closes an account: its user signs in no more, and all sessions, refresh tokens and API keys end.
   *
   * @returns Whether there is one.
   */
  disable(sub: string): Promise<boolean>;
  /** Opens an account again. What had ended stays so. @returns Whether there is one. */
  enable(sub: string): Promise<boolean>;
  /** Removes an account, with its sessions, refresh tokens, API keys and passkeys. If it rejects, it wants to be repeated. */
  remove(sub: string): Promise<void>;
}

/**
 * Creates a service for whoever looks after accounts.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, sessionService, userService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * await stores.users.create({ sub: "u1", identifier: "eve", securityStamp: "s1", createdAt: 0 });
 * const sessions = sessionService(stores);
 * const authentication = { sub: "u1", securityStamp: "s1", authTime: 1_700_000_000, amr: ["pwd"] };
 * const { token } = await sessions.create(authentication);
 *
 * const accounts = userService(stores);
 * await accounts.disable("u1");
 * await accounts.enable("u1");
 * assertEquals(await sessions.verify(token), undefined);
 * ```
 */
export function userService(options: UserServiceOptions): UserService {
  const { credentials, events, warn } = options;
  const users = checkedUsers(options.users);
  const emit = createEmitter({ events, now: createClock(options.now), warn });

  /** Ends all that an account can be used by. */
  async function endAll(sub: string): Promise<void> {
    await revokeAccountAccess(options, sub);
    for (const { id } of await credentials?.list(sub) ?? []) await credentials?.delete(id);
  }

  return Object.freeze({
    async changeIdentifier(sub: string, identifier: string) {
      const canonical = canonicalIdentifier(identifier);
      const changed = await changeUser(users, sub, () => ({ identifier: canonical }));
      if (changed) emit("user.identifier_changed", { sub });
      return changed;
    },
    // The stamp goes with it, or a session that slept meanwhile would wake up with the account
    async disable(sub: string) {
      const closed = { disabled: true, securityStamp: randomId() };
      if (!await changeUser(users, sub, () => closed)) return false;
      emit("user.disabled", { sub });
      await revokeAccountAccess(options, sub);
      return true;
    },
    async enable(sub: string) {
      const opened = { disabled: false, securityStamp: randomId() };
      const changed = await changeUser(users, sub, async (user) => {
        if (isDisabled(user)) await revokeAccountAccess(options, sub); // what a disable() that broke off has left
        return opened;
      });
      if (changed) emit("user.enabled", { sub });
      return changed;
    },
    async remove(sub: string) {
      // Before, too: where this breaks off, somebody else may get the same sub one day. What fails will fail again below
      await endAll(sub).catch(() => {});
      await users.delete(sub);
      emit("user.removed", { sub });
      await endAll(sub);
    },
  });
}
