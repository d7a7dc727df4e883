/**
 * Passkeys and API keys, and the interfaces of the stores that persist them.
 *
 * @module
 */

/** A passkey, WebAuthn Level 3 §4 "Credential Record". */
export interface Credential {
  /** Credential id, base64url; unique among all users. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** The domain that it belongs to. */
  readonly rpId: string;
  /** How the authenticator names the user, base64url: up to 64 bytes without personal data. */
  readonly userHandle: string;
  /** COSE key, base64url; it names its algorithm. */
  readonly publicKey: string;
  /** The authenticator's signature counter, as last seen; 0 if it has none. */
  readonly signCount: number;
  /** How to communicate with the authenticator. */
  readonly transports?: readonly string[];
  /** Backup eligibility (BE): whether it may be copied to other devices, §6.1. */
  readonly backupEligible: boolean;
  /** Backup state (BS): whether it has been copied. */
  readonly backedUp: boolean;
  /** Whether the authenticator has verified the user, by a fingerprint, face or PIN, at least once. */
  readonly userVerified: boolean;
  /** Whether it can sign in without an identifier; absent if the browser did not say. */
  readonly discoverable?: boolean;
  /** Identifies the make of the authenticator: a UUID in lower case, zeros if it is not disclosed. */
  readonly aaguid: string;
  /** Attestation statement format of its registration: `none`, `packed`. */
  readonly fmt: string;
  /** Name given by the user. */
  readonly name?: string;
  /** When it was registered. */
  readonly createdAt: number;
  /** When it was last used to sign in. */
  readonly lastUsedAt?: number;
}

/** What a sign-in records of a passkey, besides its signature counter. */
export interface CredentialUse {
  /** Backup state (BS). */
  readonly backedUp: boolean;
  /** Whether the authenticator has verified the user: `false` leaves `true` unchanged. */
  readonly userVerified: boolean;
  /** When it was used: an earlier time than the stored one leaves it unchanged. */
  readonly lastUsedAt: number;
}

/** Persists passkeys. */
export interface CredentialStore {
  /** Adds a credential, unless its id is taken, by any user. */
  create(credential: Credential): Promise<"created" | "taken">;
  /** Finds a credential. */
  find(id: string): Promise<Credential | null>;
  /** Credentials of a user, in any order. */
  list(sub: string): Promise<readonly Credential[]>;
  /**
   * Sets `signCount` to `to` if it is still `from`, and records the use in the same step. For a deleted credential it is
   * `lost`: it must not be restored. A concurrent change of other members is not a conflict: all of many updates from 0 to 0
   * succeed.
   */
  updateSignCount(
    id: string,
    from: number,
    to: number,
    use?: CredentialUse,
  ): Promise<"updated" | "lost">;
  /** Sets the name of a user's credential; for another user's it is `not_found`. */
  rename(id: string, sub: string, name: string): Promise<"renamed" | "not_found">;
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
