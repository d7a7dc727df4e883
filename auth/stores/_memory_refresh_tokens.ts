/**
 * Families of refresh tokens in memory.
 *
 * @module
 */

import { createExpiringMap } from "./_expiring_map.ts";
import { createIdIndex, frozenCopy, inOneTurn } from "./_memory_record.ts";
import { isSelected, rotationStep } from "./_rotate_family.ts";
import type { RefreshFamily, RefreshSelector, RefreshTokenStore } from "./types.ts";

/**
 * Keeps families of refresh tokens in memory. To create one whose id another has rejects with an `Error`.
 *
 * @param now The time, in seconds since the epoch.
 */
export function memoryRefreshTokenStore(now: () => number): RefreshTokenStore {
  const idsBySub = createIdIndex();
  const idsBySessionId = createIdIndex();
  const families = createExpiringMap<RefreshFamily>({
    expiresAt: (family) => family.familyExpiresAt,
    removed({ id, sub, sessionId }) {
      idsBySub.remove(sub, id);
      if (sessionId !== undefined) idsBySessionId.remove(sessionId, id);
    },
  });

  function select(by: RefreshSelector): readonly string[] {
    if ("familyId" in by) return [by.familyId];
    if ("sessionId" in by) return idsBySessionId.list(by.sessionId);
    return list(by.sub).filter((family) => isSelected(family, by)).map(({ id }) => id);
  }

  function revoke(id: string): void {
    const time = now();
    const family = families.get(id, time);
    if (family !== undefined) {
      families.set(id, Object.freeze({ ...family, revoked: true }), time);
    }
  }

  function list(sub: string): RefreshFamily[] {
    const time = now();
    return idsBySub.list(sub).flatMap((id) => {
      const family = families.get(id, time);
      return family === undefined || family.revoked ? [] : family;
    });
  }

  return {
    create: (family) =>
      inOneTurn(() => {
        const created = frozenCopy(family);
        const { id, sub, sessionId } = created;
        const time = now();
        if (families.get(id, time) !== undefined) {
          throw new Error("Cannot create refresh family: its id is taken");
        }
        idsBySub.add(sub, id);
        if (sessionId !== undefined) idsBySessionId.add(sessionId, id);
        families.set(id, created, time);
      }),
    find: (familyId) => inOneTurn(() => families.get(familyId, now()) ?? null),
    rotate: (rotation) =>
      inOneTurn(() => {
        const { familyId } = rotation;
        const time = now();
        const family = families.get(familyId, time);
        if (family === undefined) return "not_found";
        const step = rotationStep(family, rotation);
        if ("next" in step) families.set(familyId, Object.freeze(step.next), time);
        return step.outcome;
      }),
    revoke: (by) => inOneTurn(() => select(by).forEach(revoke)),
    list: (sub) => inOneTurn(() => Object.freeze(list(sub))),
  };
}
