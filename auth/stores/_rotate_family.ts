/**
 * Rotation of a refresh token family: the next record for a presented secret. Stores apply it inside their
 * compare-and-swap.
 *
 * @module
 */

import type { RefreshFamily, RefreshRotation, RefreshSelector } from "./types.ts";

/** The outcome for a presented secret, and the next record if one must be written. */
export type RotationStep =
  | { readonly outcome: "rotated" | "reused"; readonly next: RefreshFamily }
  | { readonly outcome: "expired" | "repeated" | "revoked" };

/** Decides about a presented secret. The outcome is the first of these that applies: revoked, repeated, reused, expired, rotated. */
export function rotationStep(family: RefreshFamily, rotation: RefreshRotation): RotationStep {
  if (family.revoked) return { outcome: "revoked" };
  // Before expiry: an old secret is reuse even if the current one has expired
  const { previous } = family;
  if (family.currentHash !== rotation.fromHash) {
    const isRepeated = previous?.hash === rotation.fromHash && rotation.now < previous.until;
    if (isRepeated) return { outcome: "repeated" };
    return { outcome: "reused", next: { ...family, revoked: true } };
  }
  const { familyExpiresAt } = family;
  if (rotation.now >= Math.min(family.expiresAt, familyExpiresAt)) return { outcome: "expired" };
  const next: RefreshFamily = {
    ...family,
    previous: rotation.previous,
    currentHash: rotation.toHash,
    generation: family.generation + 1,
    expiresAt: Math.min(rotation.expiresAt, familyExpiresAt),
  };
  return { outcome: "rotated", next };
}

/** Whether a selector of a user matches the session of a family. */
export function isSelected(
  { sessionId }: RefreshFamily,
  { exceptSessionId, onlySessionId }: Extract<RefreshSelector, { readonly sub: string }>,
): boolean {
  if (onlySessionId !== undefined && sessionId !== onlySessionId) return false;
  return exceptSessionId === undefined || sessionId !== exceptSessionId;
}
