/**
 * Attestation statements, WebAuthn Level 3 §8: `none` and self attestation here, all others by the application's hook.
 *
 * @module
 */

import { type Bytes, concatBytes } from "../_bytes.ts";
import { verifyCoseSignature } from "./_cose.ts";
import { CeremonyError, check } from "./_failure.ts";
import type { AttestationEvidence, CborMap, WebAuthnConfig } from "./types.ts";

/** A statement, and what it is about. */
export interface Attestation extends AttestationEvidence {
  /** The credential's key, imported. */
  readonly key: CryptoKey;
}

/** Verifies a statement, or returns `unsupported` for the hook to judge. */
type FormatVerifier = (
  attestation: Attestation,
) => void | "unsupported" | Promise<void | "unsupported">;

/** One row for each format that needs no certificate. */
const FORMATS: Readonly<Record<string, FormatVerifier>> = {
  none: verifyNone,
  packed: verifyPacked,
};

/**
 * Steps 21 to 24 of §7.1.
 *
 * @throws {CeremonyError} `attestation_invalid`, `attestation_unsupported` or `attestation_untrusted`.
 */
export async function verifyAttestation(
  attestation: Attestation,
  { attestation: conveyance = "none", verifyAttestation: hook }: Pick<
    WebAuthnConfig,
    "attestation" | "verifyAttestation"
  >,
): Promise<void> {
  const { fmt } = attestation;
  const verify = Object.hasOwn(FORMATS, fmt) ? FORMATS[fmt] : undefined;
  const isVerified = verify !== undefined && await verify(attestation) !== "unsupported";
  if (isVerified && conveyance === "none") return; // where more is asked for, the application judges all
  check(hook !== undefined, "attestation_unsupported");
  const { key: _, ...evidence } = attestation;
  const verdict = await judge(hook, evidence);
  if (verdict?.trusted === true) return;
  const { reason: detail } = verdict ?? {};
  throw new CeremonyError("attestation_untrusted", typeof detail === "string" ? { detail } : {});
}

/** The certificates of a statement, which some formats carry as `x5c`. */
export function certificatesOf(statement: CborMap): readonly Bytes[] | undefined {
  const x5c = statement.get("x5c");
  return Array.isArray(x5c) && x5c.every((item) => item instanceof Uint8Array)
    ? x5c as readonly Bytes[]
    : undefined;
}

/** §8.7 */
function verifyNone({ statement }: Attestation): void {
  check(statement.size === 0, "attestation_invalid");
}

/** §8.2, self attestation: signed by the credential's own key. */
async function verifyPacked(
  { statement, algorithm, key, authData, clientDataHash }: Attestation,
): Promise<void | "unsupported"> {
  if (statement.has("x5c") || statement.has("ecdaaKeyId")) return "unsupported";
  const signature = statement.get("sig");
  check(statement.size === 2 && statement.get("alg") === algorithm, "attestation_invalid");
  check(signature instanceof Uint8Array, "attestation_invalid");
  const data = concatBytes(authData, clientDataHash);
  const isValid = await verifyCoseSignature(key, algorithm, { signature, data });
  check(isValid, "attestation_invalid");
}

/** A hook that fails trusts nothing. */
async function judge(
  hook: NonNullable<WebAuthnConfig["verifyAttestation"]>,
  evidence: AttestationEvidence,
): ReturnType<typeof hook> extends infer Result ? Promise<Awaited<Result>> : never {
  try {
    return await hook(evidence);
  } catch (cause) {
    throw new CeremonyError("attestation_untrusted", { detail: "verifyAttestation failed", cause });
  }
}
