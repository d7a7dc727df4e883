/**
 * What proves who asks, beside passwords: passkeys and API keys, and the interfaces of whatever keeps them.
 *
 * @module
 */

/** A passkey. */
export interface Credential {
  /** Credential id, base64url; unique. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** COSE algorithm. */
  readonly algorithm: number;
  /** The authenticator's counter, as seen last. */
  readonly signCount: number;
  /** How the authenticator is reached. */
  readonly transports?: readonly string[];
  /** Whether it may be copied to other devices (BE), WebAuthn Level 3 §6.1. */
  readonly backupEligible: boolean;
  /** Whether it has been (BS). */
  readonly backedUp: boolean;
  /** What the user calls it. */
  readonly name?: string;
  /** When it was registered. */
  readonly createdAt: number;
}

/** Keeps passkeys. */
export interface CredentialStore {
  /** Adds a credential, unless its id is known, whoever has it. */
  create(credential: Credential): Promise<"created" | "taken">;
  /** Finds a credential. */
  find(id: string): Promise<Credential | null>;
  /** Credentials of a user, in any order. */
  list(sub: string): Promise<readonly Credential[]>;
  /** Sets `signCount` to `to` if it is still `from`. */
  updateSignCount(id: string, from: number, to: number): Promise<"updated" | "lost">;
  /** Removes a credential; nothing happens if there is none. */
  delete(id: string): Promise<void>;
}

/** An API key. What its owner has is not kept, only its SHA-256. */
export interface ApiKey {
  /** Public identifier: the part of the key that finds it. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** SHA-256 of the key without its checksum, base64url. */
  readonly keyHash: string;
  /** What the user calls it. */
  readonly name?: string;
  /** What it is good for, RFC 6749 §3.3. */
  readonly scope: readonly string[];
  /** When it was made. */
  readonly createdAt: number;
  /** When it ends by itself. */
  readonly expiresAt?: number;
  /** When it was used last, to the minute. */
  readonly lastUsedAt?: number;
}

/**
 * Keeps API keys. One that has ended by itself stays until somebody revokes it: its owner is to see why a program stopped.
 */
export interface ApiKeyStore {
  /** Adds a key. Rejects if another has the id, which is the caller's mistake. */
  create(key: ApiKey): Promise<void>;
  /** Finds a key, one that has ended too. */
  find(id: string): Promise<ApiKey | null>;
  /** Keys of a user, those that have ended too, in any order. */
  list(sub: string): Promise<readonly ApiKey[]>;
  /**
   * Sets `lastUsedAt` to `to` if it is still `from`: `null` if the key was not used yet. A key that is gone is `lost`, and
   * must not come back.
   */
  touch(id: string, from: number | null, to: number): Promise<"updated" | "lost">;
  /** Removes a key; nothing happens if there is none. */
  revoke(id: string): Promise<void>;
  /** Removes all keys of a user. */
  revokeAll(sub: string): Promise<void>;
}
