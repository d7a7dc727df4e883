/**
 * The types of the API key service.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { UserInfo } from "../users/user_info.ts";
import type { ApiKey, ApiKeyStore, UserStore } from "../stores/types.ts";

/** Options of {@linkcode apiKeyService}. */
export interface ApiKeyServiceOptions {
  /** Persists API keys. Pass it to {@linkcode userService} too, so that keys are revoked with the account. */
  readonly apiKeys: ApiKeyStore;
  /** Reads users: every use of a key checks its user. */
  readonly users: Pick<UserStore, "findBySub">;
  /**
   * Prefix of every key: a lowercase letter, then up to 19 lowercase letters and digits. Keys with another prefix are
   * rejected, so a new prefix invalidates all keys.
   *
   * @default {"key"}
   */
  readonly prefix?: string | undefined;
  /**
   * Maximum number of keys of a user, including expired ones. Concurrent requests may exceed it for a moment.
   *
   * @default {100}
   */
  readonly maxPerUser?: number | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings: a listener that throws. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Options of {@linkcode ApiKeyService.create}. */
export interface NewApiKeyOptions {
  /** Display name: 1 to 100 characters without control characters; trimmed. */
  readonly name?: string | undefined;
  /**
   * Granted scopes, RFC 6749 §3.3, without duplicates, each of at most 200 characters. The caller decides which scopes a user
   * may grant.
   *
   * @default {[]}
   */
  readonly scope?: readonly string[] | undefined;
  /** Seconds until it expires: an integer from 1 to 34,560,000 (400 days). @default never */
  readonly expiresIn?: number | undefined;
}

/** An API key without its digest. */
export type ApiKeyInfo = Omit<ApiKey, "keyHash">;

/** A new API key. */
export interface NewApiKey {
  /** The complete key. Show it to its owner now: it cannot be recovered from the stored digest. */
  readonly key: string;
  /** Its public data. */
  readonly info: ApiKeyInfo;
}

/** A valid API key. */
export interface VerifiedApiKey {
  /** Its public data. */
  readonly apiKey: ApiKeyInfo;
  /** Its owner. */
  readonly user: UserInfo;
}

/** Creates, lists, verifies and revokes API keys. */
export interface ApiKeyService {
  /**
   * Creates an API key for a user. Require a session and a recent authentication first: the key outlives the session, and a
   * key that can create keys could escalate its scope.
   *
   * @throws {TypeError} If the user does not exist or is disabled; if an option has the wrong type.
   * @throws {RangeError} If an option has an invalid value.
   * @throws {AuthError} `too_many_keys` if the user has `maxPerUser` keys, with the limit in `detail`;
   * `service_unavailable` if the user's account or credentials change concurrently: no key exists then.
   */
  create(sub: string, options?: NewApiKeyOptions): Promise<NewApiKey>;
  /**
   * Keys of a user, newest first. Expired keys are included until they are revoked, so that their owner sees why an API
   * client stopped.
   */
  list(sub: string): Promise<readonly ApiKeyInfo[]>;
  /** Revokes a key of a user. @returns Whether the user had it. */
  revoke(sub: string, id: string): Promise<boolean>;
  /** Revokes all keys of a user. A password change does not revoke them. */
  revokeAll(sub: string): Promise<void>;
  /**
   * Verifies an API key and records its use to the minute. A mistyped key is rejected without a lookup.
   *
   * @returns `undefined` if the key is unknown, revoked or expired, or its user is deleted or disabled.
   */
  verify(key: string): Promise<VerifiedApiKey | undefined>;
}
