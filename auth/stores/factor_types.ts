/**
 * Record and store of second factors.
 *
 * @module
 */

/** A time-based one-time password, RFC 6238, that was confirmed by a first code. */
export interface StoredTotp {
  /** The shared secret, encrypted. */
  readonly secret: string;
  /** When the secret was created. */
  readonly createdAt: number;
  /** When the user confirmed it. */
  readonly confirmedAt: number;
  /** Number of the last time step whose code was accepted: only codes of later ones are. */
  readonly lastStep: number;
}

/** The secret of an authenticator that is being set up. */
export interface PendingTotp {
  /** The shared secret, encrypted. */
  readonly secret: string;
  /** When it was created. */
  readonly createdAt: number;
}

/** All second factors of a user: one record, so that one compare-and-swap decides which code is used. */
export interface UserFactors {
  /** Subject id of the user. */
  readonly sub: string;
  /** The authenticator app; absent if the user has none. */
  readonly totp?: StoredTotp;
  /** An authenticator that is being set up; the confirmed one stays valid beside it. */
  readonly pending?: PendingTotp;
  /** Digests of the recovery codes that were not used. */
  readonly recoveryCodes: readonly string[];
  /** Changes with every save. */
  readonly version: string;
}

/** The second factors of a user before they are stored. */
export type NewUserFactors = Omit<UserFactors, "version">;

/** Persists second factors. */
export interface FactorStore {
  /** Finds the second factors of a user. */
  find(sub: string): Promise<UserFactors | null>;
  /** Replaces the record of a user if it still has the version that was read; `null` if there is none. */
  save(factors: NewUserFactors, expected: string | null): Promise<"saved" | "lost">;
  /** Deletes the record of a user, if it exists. */
  delete(sub: string): Promise<void>;
}
