/**
 * Attestation statements, WebAuthn Level 3 §8: `none` and self attestation here, all others by the application's hook.
 *
 * @module
 */

import { type Bytes, concatBytes } from "../_bytes.ts";
import { verifyCoseSignature } from "./_cose.ts";
import { CeremonyError, check } from "./_failure.ts";
import type { AttestationEvidence, AttestationVerdict, WebAuthnConfig } from "./types.ts";

/** An attestation statement, and what it is about. */
export interface Attestation extends Omit<AttestationEvidence, "x5c"> {
  /** The credential's key, imported. */
  readonly key: CryptoKey;
}

/** Verifies a statement. @returns `false` if only the hook can. */
type FormatVerifier = (attestation: Attestation) => boolean | Promise<boolean>;

/** One row for each format that needs no certificate. */
const FORMATS = /* @__PURE__ */ new Map<string, FormatVerifier>([
  ["none", verifyNone],
  ["packed", verifyPacked],
]);

/**
 * Steps 21 to 24 of §7.1.
 *
 * @throws {CeremonyError} `attestation_invalid`, `attestation_unsupported` or `attestation_untrusted`.
 */
export async function verifyAttestation(
  { key, ...attestation }: Attestation,
  { attestation: conveyance = "none", verifyAttestation: hook }: Pick<
    WebAuthnConfig,
    "attestation" | "verifyAttestation"
  >,
): Promise<void> {
  const isVerified = await FORMATS.get(attestation.fmt)?.({ ...attestation, key }) ?? false;
  if (isVerified && conveyance === "none") return; // where more is asked for, the application judges all
  check(hook !== undefined, "attestation_unsupported");
  const verdict = await judge(hook, { ...attestation, ...certificatesOf(attestation) });
  if (verdict?.trusted === true) return;
  const { reason: detail } = verdict ?? {};
  throw new CeremonyError("attestation_untrusted", typeof detail === "string" ? { detail } : {});
}

/** §8.7 */
function verifyNone({ statement }: Attestation): boolean {
  check(statement.size === 0, "attestation_invalid");
  return true;
}

/** §8.2, self attestation: signed by the credential's own key. */
async function verifyPacked(
  { statement, algorithm, key, authData, clientDataHash }: Attestation,
): Promise<boolean> {
  if (statement.has("x5c") || statement.has("ecdaaKeyId")) return false;
  const signature = statement.get("sig");
  check(statement.size === 2 && statement.get("alg") === algorithm, "attestation_invalid");
  check(signature instanceof Uint8Array, "attestation_invalid");
  const data = concatBytes(authData, clientDataHash);
  const isValid = await verifyCoseSignature(key, algorithm, { signature, data });
  check(isValid, "attestation_invalid");
  return true;
}

/** The certificates of a statement, which some formats carry as `x5c`. */
function certificatesOf({ statement }: Pick<Attestation, "statement">): { x5c?: Bytes[] } {
  const x5c = statement.get("x5c");
  const isBytes = (item: unknown): item is Bytes => item instanceof Uint8Array;
  return Array.isArray(x5c) && x5c.every(isBytes) ? { x5c } : {};
}

/** A hook that fails trusts nothing. */
async function judge(
  hook: NonNullable<WebAuthnConfig["verifyAttestation"]>,
  evidence: AttestationEvidence,
): Promise<AttestationVerdict | undefined> {
  try {
    return await hook(evidence);
  } catch (cause) {
    throw new CeremonyError("attestation_untrusted", { detail: "verifyAttestation failed", cause });
  }
}
