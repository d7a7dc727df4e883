/**
 * API keys of users, for their programs: made, listed, verified and revoked.
 *
 * @module
 */

import { readNewApiKey, toApiKeyInfo } from "./_api_key_options.ts";
import { equalText } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { toUserInfo } from "../session/_limits.ts";
import { checkedApiKeys, checkedUserReader, isDisabled } from "../stores/checked.ts";
import {
  checkApiKeyPrefix,
  DEFAULT_API_KEY_PREFIX,
  digestApiKey,
  generateApiKey,
  parseApiKey,
} from "./api_key_format.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import type { UserInfo } from "../session/types.ts";
import type { ApiKey, ApiKeyStore, User, UserStore } from "../stores/types.ts";

/** Options of {@linkcode apiKeyService}. */
export interface ApiKeyServiceOptions {
  /** Keeps API keys. Hand it to {@linkcode userService} too: a user's end with the account. */
  readonly apiKeys: ApiKeyStore;
  /** Keeps users: every use of a key asks whether there still is one. */
  readonly users: Pick<UserStore, "findBySub">;
  /**
   * What every key begins with: a small letter, then up to 19 small letters and digits. Keys that begin otherwise are
   * refused, so one that is replaced ends them all.
   *
   * @default {"key"}
   */
  readonly prefix?: string | undefined;
  /**
   * Keys that a user may have, those that have ended by themselves included. Several that are made at once may go beyond
   * it.
   *
   * @default {100}
   */
  readonly maxPerUser?: number | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What is said of a new API key beside whose it is. */
export interface NewApiKeyOptions {
  /** What its owner calls it: 1 to 100 characters, none of them a control character; trimmed. */
  readonly name?: string | undefined;
  /**
   * What it is good for: scope tokens of RFC 6749 §3.3, each once and of at most 200 characters. Which ones a user may give
   * is for the caller to know.
   *
   * @default {[]}
   */
  readonly scope?: readonly string[] | undefined;
  /** Seconds until it ends by itself: an integer from 1 to 34,560,000 (400 days). @default never */
  readonly expiresIn?: number | undefined;
}

/** An API key as it may be shown: without the SHA-256 of the key. */
export type ApiKeyInfo = Omit<ApiKey, "keyHash">;

/** An API key that has just been made. */
export interface NewApiKey {
  /** The whole key. It is shown to its owner now, and never again: nothing else can be made from what is stored. */
  readonly key: string;
  /** What is known of it. */
  readonly info: ApiKeyInfo;
}

/** An API key that was presented, and is valid. */
export interface VerifiedApiKey {
  /** What is known of it. */
  readonly apiKey: ApiKeyInfo;
  /** Its owner, as it is now. */
  readonly user: UserInfo;
}

/** Makes, lists, verifies and revokes API keys. */
export interface ApiKeyService {
  /**
   * Makes an API key for a user. Ask for a session, and for a recent authentication before: the key outlives it, and a key
   * that may make keys would make one for all.
   *
   * @throws {TypeError} If there is no such user or the account is closed, which the caller was to know; if an option has
   * another shape or is not known.
   * @throws {RangeError} If an option has another value.
   * @throws {AuthError} `too_many_keys` if the user has `maxPerUser` of them, with a `detail` that says how many;
   * `service_unavailable` if the user's account or credentials change meanwhile: there is no key then, and who tries again
   * finds out what has become of the user.
   */
  create(sub: string, options?: NewApiKeyOptions): Promise<NewApiKey>;
  /**
   * Keys of a user, the newest first. Those that have ended by themselves are among them until they are revoked, so that
   * their owner sees why a program stopped.
   */
  list(sub: string): Promise<readonly ApiKeyInfo[]>;
  /** Ends one of a user's keys. @returns Whether the user had it. */
  revoke(sub: string, id: string): Promise<boolean>;
  /** Ends all of a user's keys. A new password does not: programs go on, unless this is called. */
  revokeAll(sub: string): Promise<void>;
  /**
   * Finds the API key that a text is, and notes to the minute that it was used. A mistyped one is refused before anything
   * is searched for.
   *
   * @returns `undefined` if there is none, it has ended, or its user is gone or disabled.
   */
  verify(key: string): Promise<VerifiedApiKey | undefined>;
}

const ACTION = "Cannot create API key service";

/** Seconds between two notes of use: at most one write a minute, however many requests. */
const TOUCH_AFTER = 60;

/**
 * Creates a service for API keys. What is stored is the SHA-256 of the key, 256 bits of which are random and secret, so
 * that whoever reads the store gets no key.
 *
 * @throws {TypeError} If a store is missing, or the prefix is no text.
 * @throws {RangeError} If the prefix has other characters, or `maxPerUser` is not a whole number from 1 on.
 *
 * @example
 * ```ts
 * import { apiKeyService, inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * await stores.users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 *
 * const apiKeys = apiKeyService({ ...stores, prefix: "acme" });
 * const { key, info } = await apiKeys.create("u1", { name: "Backup", scope: ["notes:read"] });
 * assertEquals((await apiKeys.verify(key))?.apiKey.scope, ["notes:read"]);
 *
 * await apiKeys.revoke("u1", info.id);
 * assertEquals(await apiKeys.verify(key), undefined);
 * ```
 */
export function apiKeyService(options: ApiKeyServiceOptions): ApiKeyService {
  const { events, warn } = options ?? {};
  const { prefix = DEFAULT_API_KEY_PREFIX, maxPerUser = 100 } = options ?? {};
  if (
    typeof options?.apiKeys?.touch !== "function" || typeof options.users?.findBySub !== "function"
  ) {
    throw new TypeError(`${ACTION}: apiKeys or users are missing`);
  }
  const apiKeys = checkedApiKeys(options.apiKeys);
  const users = checkedUserReader(options.users);
  checkApiKeyPrefix(ACTION, prefix);
  if (!Number.isSafeInteger(maxPerUser) || maxPerUser < 1) {
    throw new RangeError(`${ACTION}: maxPerUser is not a whole number from 1 on`);
  }
  const now = createClock(options.now);
  const emit = createEmitter({ events, now, warn });

  function tooMany(): AuthError {
    return new AuthError("too_many_keys", {
      detail: `There are ${maxPerUser} API keys already; revoke one first`,
    });
  }

  async function findActiveUser(sub: string): Promise<User | null> {
    const user = await users.findBySub(sub);
    return user === null || isDisabled(user) ? null : user;
  }

  /**
   * Notes that a key was used. Where that is lost, somebody else was first, or the key was revoked: what is read then
   * counts only if it is newer, since a store may still show what was there before.
   */
  async function touch(key: ApiKey, at: number): Promise<ApiKey | null> {
    const usedAt = key.lastUsedAt ?? null;
    if (usedAt !== null && at - usedAt < TOUCH_AFTER) return key;
    const touched = await apiKeys.touch(key.id, usedAt, at);
    if (touched === "updated") return { ...key, lastUsedAt: at };
    const current = await apiKeys.find(key.id);
    return (current?.lastUsedAt ?? -Infinity) > (usedAt ?? -Infinity) ? current : null;
  }

  return Object.freeze({
    async create(sub: string, options: NewApiKeyOptions = {}) {
      const { name, scope, expiresIn } = readNewApiKey(options);
      const user = await findActiveUser(sub);
      if (user === null) {
        throw new TypeError(
          "Cannot create API key: there is no such user, or the account is closed",
        );
      }
      if ((await apiKeys.list(sub)).length >= maxPerUser) throw tooMany();
      const { key, id, keyHash } = await generateApiKey(prefix);
      const at = now();
      const apiKey: ApiKey = {
        id,
        sub,
        keyHash,
        ...(name === undefined ? {} : { name }),
        scope,
        createdAt: at,
        ...(expiresIn === undefined ? {} : { expiresAt: at + expiresIn }),
      };
      await apiKeys.create(apiKey);
      // Whoever closed the account meanwhile may have ended its keys before this one was there. An account that is open
      // again by now has another stamp
      const current = await findActiveUser(sub);
      if (current?.securityStamp !== user.securityStamp) {
        await apiKeys.revoke(id);
        throw new AuthError("service_unavailable", { reason: "user_changed" });
      }
      if ((await apiKeys.list(sub)).length > maxPerUser) { // of many at once each has seen room
        await apiKeys.revoke(id);
        throw tooMany();
      }
      emit("api_key.created", { sub, apiKeyId: id });
      return { key, info: toApiKeyInfo(apiKey) };
    },

    async list(sub: string) {
      const found = await apiKeys.list(sub);
      return [...found].sort((a, b) => b.createdAt - a.createdAt).map(toApiKeyInfo);
    },

    async revoke(sub: string, id: string) {
      const found = await options.apiKeys.find(id); // unchecked: an invalid record can be revoked, too
      if (found === null || found.sub !== sub) return false;
      await apiKeys.revoke(id);
      emit("api_key.revoked", { sub, apiKeyId: id });
      return true;
    },

    async revokeAll(sub: string) {
      await apiKeys.revokeAll(sub);
      emit("api_key.revoked", { sub });
    },

    // Its shape and checksum, whose it is, what is stored, its secret, its end, its user, a note of its use
    async verify(key: string) {
      const parsed = parseApiKey(key);
      if (parsed === undefined || parsed.prefix !== prefix) return undefined;
      const found = await apiKeys.find(parsed.id);
      const keyHash = await digestApiKey(parsed); // the same work whether there is one or not
      if (found === null || !equalText(found.keyHash, keyHash)) return undefined;
      const at = now();
      if (at >= (found.expiresAt ?? Infinity)) return undefined;
      const user = await findActiveUser(found.sub);
      if (user === null) return undefined;
      const current = await touch(found, at);
      if (current === null) return undefined;
      return { apiKey: toApiKeyInfo(current), user: toUserInfo(user) };
    },
  });
}
