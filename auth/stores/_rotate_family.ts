/**
 * How a family of refresh tokens is rotated: the step from one record to the next. Stores apply it inside their
 * compare-and-swap.
 *
 * @module
 */

import type { RefreshFamily, RefreshRotation, RefreshSelector } from "./types.ts";

/** What a presented secret comes to; where something is to be written, the family as it is then. */
export type RotationStep =
  | { readonly outcome: "rotated" | "reused"; readonly next: RefreshFamily }
  | { readonly outcome: "expired" | "revoked" };

/** Judges a presented secret. The answer is the first of these that holds: revoked, reused, expired, rotated. */
export function rotationStep(family: RefreshFamily, rotation: RefreshRotation): RotationStep {
  if (family.revoked) return { outcome: "revoked" };
  // Before the time is looked at: an old secret is a stolen one even where the current one has ended
  if (family.currentHash !== rotation.fromHash) {
    return { outcome: "reused", next: { ...family, revoked: true } };
  }
  const { familyExpiresAt } = family;
  if (rotation.now >= Math.min(family.expiresAt, familyExpiresAt)) return { outcome: "expired" };
  const next: RefreshFamily = {
    ...family,
    currentHash: rotation.toHash,
    generation: family.generation + 1,
    expiresAt: Math.min(rotation.expiresAt, familyExpiresAt),
  };
  return { outcome: "rotated", next };
}

/** Whether one of a user's families is selected by its session. */
export function isSelected(
  { sessionId }: RefreshFamily,
  { exceptSessionId, onlySessionId }: Extract<RefreshSelector, { readonly sub: string }>,
): boolean {
  if (onlySessionId !== undefined && sessionId !== onlySessionId) return false;
  return exceptSessionId === undefined || sessionId !== exceptSessionId;
}
