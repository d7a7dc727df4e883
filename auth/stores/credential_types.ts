/**
 * Passkeys and API keys, and the interfaces of the stores that persist them.
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
  /** The authenticator's signature counter, as last seen. */
  readonly signCount: number;
  /** How to communicate with the authenticator. */
  readonly transports?: readonly string[];
  /** Backup eligibility (BE): whether it may be copied to other devices, WebAuthn Level 3 §6.1. */
  readonly backupEligible: boolean;
  /** Backup state (BS): whether it has been copied. */
  readonly backedUp: boolean;
  /** Name given by the user. */
  readonly name?: string;
  /** When it was registered. */
  readonly createdAt: number;
}

/** Persists passkeys. */
export interface CredentialStore {
  /** Adds a credential, unless its id is taken, by any user. */
  create(credential: Credential): Promise<"created" | "taken">;
  /** Finds a credential. */
  find(id: string): Promise<Credential | null>;
  /** Credentials of a user, in any order. */
  list(sub: string): Promise<readonly Credential[]>;
  /** Sets `signCount` to `to` if it is still `from`. */
  updateSignCount(id: string, from: number, to: number): Promise<"updated" | "lost">;
  /** Deletes a credential, if it exists. */
  delete(id: string): Promise<void>;
}

/** An API key. The key itself is not stored, only its SHA-256. */
export interface ApiKey {
  /** Public identifier: the part of the key by which it is found. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** SHA-256 of the key without its checksum, base64url. */
  readonly keyHash: string;
  /** Name given by the user. */
  readonly name?: string;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope: readonly string[];
  /** When it was created. */
  readonly createdAt: number;
  /** When it expires; never if it is absent. */
  readonly expiresAt?: number;
  /** When it was last used, to the minute. */
  readonly lastUsedAt?: number;
}

/**
 * Persists API keys. An expired key is kept until it is revoked: its owner can see why an API client stopped working.
 */
export interface ApiKeyStore {
  /** Adds a key. Rejects if the id is taken, which is an error of the caller. */
  create(key: ApiKey): Promise<void>;
  /** Finds a key, including an expired one. */
  find(id: string): Promise<ApiKey | null>;
  /** Keys of a user, including expired ones, in any order. */
  list(sub: string): Promise<readonly ApiKey[]>;
  /**
   * Sets `lastUsedAt` to `to` if it is still `from`: `null` if the key was not used yet. For a deleted key it is `lost`: it
   * must not be restored.
   */
  touch(id: string, from: number | null, to: number): Promise<"updated" | "lost">;
  /** Deletes a key, if it exists. */
  revoke(id: string): Promise<void>;
  /** Deletes all keys of a user. */
  revokeAll(sub: string): Promise<void>;
}
