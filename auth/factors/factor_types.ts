/**
 * The types of the factor service.
 *
 * @module
 */

import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { FactorStore, UserStore } from "../stores/types.ts";
import type { LoginClient, ThrottleService } from "../throttle/throttle_types.ts";

/** Options of {@linkcode factorService}. */
export interface FactorServiceOptions {
  /** Persists second factors. Pass it to {@linkcode userService} too, so that they are deleted with the account. */
  readonly factors: FactorStore;
  /** Reads users: those who are disabled or deleted are refused. @default every user is accepted */
  readonly users?: Pick<UserStore, "findBySub"> | undefined;
  /** Encrypts the secrets of authenticators. */
  readonly keys: Pick<DerivedKeys, "encrypt" | "decrypt">;
  /**
   * Limits attempts; `"insecureSkip"` does not, for callers that limit them: a code of six digits is guessed by a million
   * attempts.
   */
  readonly throttle: Pick<ThrottleService, "factor"> | "insecureSkip";
  /** Name of the service, shown by authenticator apps: 1 to 100 characters, without colons and control characters. */
  readonly issuer: string;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings: a secret that cannot be decrypted. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** The second factors of a user. */
export interface FactorInfo {
  /** The authenticator app; `undefined` if the user has none, or has not confirmed it. */
  readonly totp: { readonly confirmedAt: number } | undefined;
  /** Number of recovery codes that were not used. */
  readonly recoveryCodes: number;
}

/** What a user's authenticator app needs, once. */
export interface TotpEnrolment {
  /** The secret in base32, for users who type it. */
  readonly secret: string;
  /** The URI of {@linkcode otpauthUri}, to be shown as a QR code. */
  readonly uri: string;
}

/** Result of {@linkcode FactorService.confirmTotp}. */
export interface ConfirmedTotp {
  /** New recovery codes, to be shown once; none if earlier ones are still valid. */
  readonly recoveryCodes: readonly string[];
}

/** What a user proves the second factor by: a code of the authenticator app, or a recovery code. */
export type FactorProof =
  | { readonly totp: string; readonly recoveryCode?: undefined }
  | { readonly recoveryCode: string; readonly totp?: undefined };

/** A second factor that was verified. */
export interface VerifiedFactor {
  /** Authentication methods to be added to those of the first factor, RFC 8176: `otp`, a one-time password. */
  readonly amr: readonly string[];
}

/** Sets up and verifies second factors: an authenticator app (TOTP, RFC 6238), with recovery codes. */
export interface FactorService {
  /** The second factors of a user. */
  list(sub: string): Promise<FactorInfo>;
  /** Whether the user has a confirmed authenticator. Recovery codes alone are no second factor. */
  has(sub: string): Promise<boolean>;
  /**
   * Creates a secret for an authenticator app. It counts from {@linkcode FactorService.confirmTotp} on, within 10 minutes; until
   * then an earlier authenticator stays valid. Require a recent sign-in first, with the second factor if the user has one.
   *
   * @param account Name of the user's account, shown by the app: the identifier.
   * @throws {TypeError} If `account` is not a non-empty, well-formed string.
   * @throws {AuthError} `invalid_second_factor` if the user is disabled or deleted; `service_unavailable`.
   */
  enrolTotp(sub: string, account: string): Promise<TotpEnrolment>;
  /**
   * Confirms the authenticator by its first code, and replaces an earlier one. Creates recovery codes for the first authenticator,
   * and if none is left.
   *
   * @throws {AuthError} `invalid_second_factor`, also after more than 10 minutes; `service_unavailable`.
   */
  confirmTotp(sub: string, code: string): Promise<ConfirmedTotp>;
  /**
   * Replaces all recovery codes of a user by ten new ones, to be shown once. Require a recent sign-in first.
   *
   * @throws {AuthError} `invalid_second_factor` if the user has no confirmed authenticator; `service_unavailable`.
   */
  regenerateRecoveryCodes(sub: string): Promise<readonly string[]>;
  /**
   * Verifies a second factor, after the first one. Of concurrent calls with one code exactly one succeeds. Attempts are
   * counted by the rule `factor` of the throttle, per account: who has the password can delay the user, and not guess.
   *
   * A code of the app is accepted in its time step of 30 seconds, and in those before and after it; only one that is later than the
   * last accepted one. Spaces do not matter. A recovery code is used up.
   *
   * @throws {AuthError} `invalid_second_factor` for every wrong, used or expired code, and for users without a second factor;
   * `throttled`; `service_unavailable`.
   */
  verify(sub: string, proof: FactorProof, client: LoginClient): Promise<VerifiedFactor>;
  /**
   * Deletes the second factors of a user, with the recovery codes. Require a recent sign-in with the second factor first.
   *
   * @returns Whether there was a record.
   */
  remove(sub: string): Promise<boolean>;
}
