/**
 * Failures of ceremonies, and what a client gets for each.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { WebAuthnFailure } from "../events.ts";

/** The ceremonies of WebAuthn, Level 3 §4. */
export type Ceremony = "registration" | "authentication";

/** Ends a ceremony; the service turns it into an event and an {@linkcode AuthError}. */
export class CeremonyError extends Error {
  /** Name of the class. */
  override readonly name = "CeremonyError";
  /** Which check failed. */
  readonly reason: WebAuthnFailure;
  /** What `verifyAttestation` said, or the unexpected origin. */
  readonly detail: string | undefined;

  /** Creates the error. */
  constructor(
    reason: WebAuthnFailure,
    { detail, cause }: { detail?: string | undefined; cause?: unknown } = {},
  ) {
    super(reason, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.detail = detail;
  }
}

/** A step of a ceremony. @throws {CeremonyError} If the condition is false. */
export function check(condition: boolean, reason: WebAuthnFailure): asserts condition {
  if (!condition) throw new CeremonyError(reason);
}

/** Runs a decoder. @throws {CeremonyError} If it throws; what it threw is the cause. */
export function decodeOr<T>(reason: WebAuthnFailure, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw new CeremonyError(reason, { cause });
  }
}

/** What decides about the error that the client gets. */
export interface ClientErrorContext {
  readonly ceremony: Ceremony;
  /** Whether anybody may see the credential ids of an identifier, among decoys. */
  readonly identified: boolean;
}

/** The error that the client gets. */
export function clientError(
  reason: WebAuthnFailure,
  { ceremony, identified }: ClientErrorContext,
): AuthError {
  switch (reason) {
    case "challenge_foreign":
    case "challenge_unknown":
      return new AuthError("invalid_challenge", { reason });
    case "credential_unknown": // only where no record has the id: the page may tell the browser to delete the passkey
      if (!identified) return new AuthError("credential_unknown", { reason });
      return failed(ceremony, reason); // the code would tell decoys from real ids, §14.6.2
    case "algorithm_not_offered":
    case "algorithm_unsupported":
    case "attestation_invalid":
    case "attestation_malformed":
    case "attestation_unsupported":
    case "attestation_untrusted":
    case "authenticator_data_malformed":
    case "backup_eligibility_changed":
    case "backup_flags_invalid":
    case "client_data_malformed":
    case "counter_regressed":
    case "credential_id_invalid":
    case "credential_not_allowed":
    case "credential_taken":
    case "cross_origin":
    case "key_invalid":
    case "origin_unexpected":
    case "response_malformed":
    case "rp_id_mismatch":
    case "signature_invalid":
    case "top_origin_unexpected":
    case "type_wrong":
    case "user_absent":
    case "user_changed":
    case "user_disabled":
    case "user_handle_mismatch":
    case "user_handle_missing":
    case "user_unverified":
      return failed(ceremony, reason);
  }
}

function failed(ceremony: Ceremony, reason: WebAuthnFailure): AuthError {
  return ceremony === "registration"
    ? new AuthError("webauthn_failed", { reason })
    : new AuthError("unauthenticated", { code: "webauthn_failed", reason });
}
