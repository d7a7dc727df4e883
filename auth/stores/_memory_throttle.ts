/**
 * Counts of attempts in memory.
 *
 * @module
 */

import { createLruMap } from "./_lru_map.ts";
import { inOneTurn } from "./_memory_record.ts";
import type { LoginThrottle } from "./types.ts";
import {
  type ThrottleKey,
  type ThrottleRecord,
  throttleSteps,
  throttleSuccess,
  uniqueKeys,
} from "../throttle/rule.ts";

/**
 * Counts attempts in memory, for this process. Beyond `limit` keys, of those whose last attempt is longest ago the ones
 * with the fewest attempts are forgotten, but none that is locked: whoever makes up a lot of keys would unlock it.
 *
 * The time is the caller's. Of claims with one key, the first counts.
 *
 * @param limit Keys that are kept; more if so many are locked.
 */
export function memoryLoginThrottle(limit: number): LoginThrottle {
  const records = createLruMap<ThrottleRecord>({
    limit,
    expiresAt: (record) => record.expiresAt,
    isPinned: (record, now) => now < record.lockedUntil,
    weigh: (record) => record.failures,
  });

  return {
    reserve: (claims, now) =>
      inOneTurn(() => {
        const recordOf = ({ key }: ThrottleKey) => records.get(key, now) ?? null;
        const decision = throttleSteps(uniqueKeys(claims), recordOf, now);
        if (!decision.allowed) return decision;
        for (const { claim, record } of decision.steps) records.set(claim.key, record, now);
        return { allowed: true };
      }),
    succeed: (claims, reservedAt) =>
      inOneTurn(() => {
        for (const { key, rule } of uniqueKeys(claims)) {
          const record = records.get(key, reservedAt);
          if (record === undefined) continue;
          const left = throttleSuccess(rule, record, reservedAt);
          if (left === null) records.delete(key);
          else records.set(key, left, reservedAt);
        }
      }),
  };
}
