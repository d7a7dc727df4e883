/**
 * The types of the API key service.
 *
 * @module
 */

import type { AuthEventListener } from "../events.ts";
import type { UserInfo } from "../session/types.ts";
import type { ApiKey, ApiKeyStore, UserStore } from "../stores/types.ts";

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
