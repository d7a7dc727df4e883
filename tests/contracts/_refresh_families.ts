/**
 * Refresh families, and rotations of them, for the cases of their store.
 *
 * @module
 */

import type { RefreshFamily, RefreshRotation, RefreshTokenStore } from "../../auth/stores/types.ts";

export const START = 1_700_000_000;
export const DAY = 86_400;
export const TOKEN_END: number = START + 14 * DAY;
export const FAMILY_END: number = START + 30 * DAY;

export function newFamily(id: string, sub = "u1"): RefreshFamily {
  return {
    id,
    sub,
    securityStamp: "stamp",
    currentHash: "hash 0",
    generation: 0,
    revoked: false,
    createdAt: START,
    expiresAt: TOKEN_END,
    familyExpiresAt: FAMILY_END,
    authTime: START - 5,
    amr: ["pwd", "otp"],
  };
}

export async function createFamily(
  store: RefreshTokenStore,
  family: RefreshFamily = newFamily("f1"),
): Promise<RefreshFamily> {
  await store.create(family);
  return family;
}

/** A rotation from the first secret to the second, on the first day. */
export function rotation(changes: Partial<RefreshRotation> = {}): RefreshRotation {
  return {
    familyId: "f1",
    fromHash: "hash 0",
    toHash: "hash 1",
    now: START,
    expiresAt: START + 14 * DAY,
    ...changes,
  };
}

/** A rotation at a time, valid for fourteen days. */
export function rotationAt(now: number, changes: Partial<RefreshRotation> = {}): RefreshRotation {
  return rotation({ now, expiresAt: now + 14 * DAY, ...changes });
}

/** The families that are revoked. */
export async function revoked(store: RefreshTokenStore, ids: readonly string[]): Promise<string[]> {
  const families = await Promise.all(ids.map((id) => store.find(id)));
  return families.flatMap((family) => family?.revoked ? family.id : []);
}

export async function listIds(store: RefreshTokenStore, sub: string): Promise<string[]> {
  return (await store.list(sub)).map(({ id }) => id).sort();
}
