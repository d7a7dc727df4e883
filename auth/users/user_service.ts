/**
 * Account administration: changing the identifier, disabling, enabling and deleting accounts.
 *
 * @module
 */

import { updateUser } from "./update_user.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { revokeAccess } from "./revoke_access.ts";
import { toUserInfo, type UserInfo } from "./user_info.ts";
import { randomId } from "../_random.ts";
import { checkAttributes } from "./_attributes.ts";
import { checkedUsers, isAbsent, isDisabled } from "../stores/checked.ts";
import type { AuthEventListener } from "../events.ts";
import { canonicalIdentifier, canonicalOrNone } from "../identifier.ts";
import type {
  ApiKeyStore,
  CredentialStore,
  EmailStore,
  FactorStore,
  IdentityStore,
  ListUsersOptions,
  RefreshTokenStore,
  SessionStore,
  User,
  UserAttributes,
  UserStore,
} from "../stores/types.ts";

/** Options of {@linkcode userService}. */
export interface UserServiceOptions {
  /** Persists users. */
  readonly users: UserStore;
  /** Persists e-mail addresses; a user's is deleted with the account. @default users have none */
  readonly emails?: Pick<EmailStore, "findBySub" | "delete"> | undefined;
  /** Persists sessions; a user's are revoked with the account. */
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  /** Persists refresh tokens; a user's are revoked with the account. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** Persists passkeys; a user's are deleted with the account. */
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  /** Persists identities at OAuth providers; a user's are deleted with the account. */
  readonly identities?: Pick<IdentityStore, "list" | "delete"> | undefined;
  /** Persists second factors; a user's are deleted with the account. */
  readonly factors?: Pick<FactorStore, "delete"> | undefined;
  /**
   * Persists API keys; a user's are revoked with the account. Without it, the keys of a disabled account are valid again
   * when the account is enabled.
   */
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** An account, as administrators see it. */
export interface AccountInfo extends UserInfo {
  /** Whether it is disabled. */
  readonly disabled: boolean;
  /** E-mail address, if there is one. */
  readonly email?: string;
  /** When the address was verified. */
  readonly emailVerifiedAt?: number;
  /** Data of the application. */
  readonly attributes?: UserAttributes;
}

/** Administers accounts. The caller authorizes the calls, and verifies e-mail addresses. */
export interface UserService {
  /** Finds an account by its subject id. */
  find(sub: string): Promise<AccountInfo | undefined>;
  /** Finds an account by what its user signs in with, in any spelling that signs in: see {@linkcode canonicalIdentifier}. */
  findByIdentifier(identifier: string): Promise<AccountInfo | undefined>;
  /**
   * A page of all accounts, in the order of their subject ids. For the next page, pass the last `sub` as `after`; an empty page
   * is the end. Accounts that are created or deleted meanwhile may be included or not.
   *
   * @param options `limit` is an integer from 1 to 1,000. @default {{ limit: 100 }}
   * @throws {RangeError} If `limit` is out of range.
   */
  list(options?: Partial<ListUsersOptions>): Promise<readonly AccountInfo[]>;
  /**
   * Replaces the application's data about a user as a whole; `null` removes it. Sessions stay valid. Columns of your own table
   * are an alternative, see docs/accounts.md.
   *
   * @param update `attributes` is a JSON object of at most 4 KiB, as UTF-8.
   * @throws {TypeError} If it is not a JSON object.
   * @throws {RangeError} If it is longer.
   * @throws {AuthError} `service_unavailable`.
   * @returns Whether the user exists.
   */
  update(sub: string, update: { readonly attributes: UserAttributes | null }): Promise<boolean>;
  /**
   * Changes the identifier that a user signs in with. Sessions stay valid; device cookies become invalid.
   *
   * @throws {AuthError} `invalid_identifier`, `identifier_unavailable` or `service_unavailable`.
   * @returns Whether the user exists.
   */
  changeIdentifier(sub: string, identifier: string): Promise<boolean>;
  /**
   * Disables an account: the user cannot sign in, and all sessions, refresh tokens and API keys are revoked. Access tokens are
   * rejected where the users are read, as by guards of `registerAuth()`; elsewhere they are valid until they expire.
   *
   * @returns Whether the user exists.
   */
  disable(sub: string): Promise<boolean>;
  /** Enables an account again. What was revoked stays revoked. @returns Whether the user exists. */
  enable(sub: string): Promise<boolean>;
  /**
   * Deletes an account with its e-mail address, sessions, refresh tokens, API keys, passkeys, identities and second factors. If
   * it rejects, repeat the call.
   */
  remove(sub: string): Promise<void>;
}

/**
 * Creates a service for account administration.
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
 * assertEquals((await accounts.findByIdentifier("Eve"))?.sub, "u1");
 * ```
 */
export function userService(options: UserServiceOptions): UserService {
  const { events, warn, sessions, refreshTokens, apiKeys, credentials, identities } = options;
  const { emails, factors } = options;
  const access = { sessions, refreshTokens, apiKeys }; // a disabled user cannot sign in with the others
  const all = { ...access, credentials, identities, emails, factors };
  const users = checkedUsers(options.users);
  const emit = createEmitter({ events, now: createClock(options.now), warn });

  async function accountInfo(user: User | null): Promise<AccountInfo | undefined> {
    if (user === null) return undefined;
    const { email, verifiedAt } = await emails?.findBySub(user.sub) ?? {};
    const { attributes } = user;
    return {
      ...toUserInfo(user),
      disabled: isDisabled(user),
      ...(email === undefined ? {} : { email }),
      ...(typeof verifiedAt === "number" ? { emailVerifiedAt: verifiedAt } : {}),
      ...(isAbsent(attributes) ? {} : { attributes }),
    };
  }

  return Object.freeze({
    find: async (sub: string) => await accountInfo(await users.findBySub(sub)),
    async findByIdentifier(identifier: string) {
      const canonical = canonicalOrNone(identifier);
      return canonical === undefined
        ? undefined
        : await accountInfo(await users.findByIdentifier(canonical));
    },
    async list({ limit = 100, after }: Partial<ListUsersOptions> = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
        throw new RangeError(`Cannot list users: limit must be an integer from 1 to ${MAX_PAGE}`);
      }
      const found = await Promise.all((await users.list({ limit, after })).map(accountInfo));
      return found.filter((account) => account !== undefined);
    },
    async update(sub: string, { attributes }: { readonly attributes: UserAttributes | null }) {
      const patch = { attributes: attributes === null ? null : checkAttributes(attributes) };
      return await updateUser(users, sub, () => patch);
    },
    async changeIdentifier(sub: string, identifier: string) {
      const canonical = canonicalIdentifier(identifier);
      const changed = await updateUser(users, sub, () => ({ identifier: canonical }));
      if (changed) emit("user.identifier_changed", { sub });
      return changed;
    },
    // With a new stamp, or a session that survived would be valid again when the account is enabled
    async disable(sub: string) {
      const patch = { disabled: true, securityStamp: randomId() };
      if (!await updateUser(users, sub, () => patch)) return false;
      emit("user.disabled", { sub });
      await revokeAccess(access, sub);
      return true;
    },
    async enable(sub: string) {
      const patch = { disabled: false, securityStamp: randomId() };
      const changed = await updateUser(users, sub, async (user) => {
        if (isDisabled(user)) await revokeAccess(access, sub); // what an interrupted disable() has left
        return patch;
      });
      if (changed) emit("user.enabled", { sub });
      return changed;
    },
    async remove(sub: string) {
      // Also before: if this is interrupted, another user may get the same sub later. A failure is repeated below
      await revokeAccess(all, sub).catch(() => {});
      await users.delete(sub);
      emit("user.removed", { sub });
      await revokeAccess(all, sub);
    },
  });
}

/** Accounts of a page, at most. */
const MAX_PAGE = 1_000;
