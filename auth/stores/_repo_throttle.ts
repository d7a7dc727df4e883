/**
 * Counts of attempts over an adapter: one record per key.
 *
 * @module
 */

import { readAtomicAdapter, type RepoStoreOptions, retryOnConflict } from "./_repo.ts";
import { createKeyedMutex } from "./_keyed_mutex.ts";
import type { LoginThrottle } from "./types.ts";
import {
  reserveStep,
  type ThrottleDecision,
  type ThrottleRecord,
  throttleStep,
} from "../throttle/rule.ts";

/** The collection of counts. */
export const THROTTLE = "throttle";

/**
 * Counts attempts for all processes that share a database.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: a thousand concurrent guesses could count as one.
 */
export function repoLoginThrottle(options: RepoStoreOptions): LoginThrottle {
  const adapter = readAtomicAdapter({
    store: "login throttle",
    why: "reserve() counts many concurrent guesses as one",
  }, options);
  const inTurn = createKeyedMutex();

  return {
    async reserve(key, others, now) {
      const keys = [key, ...others] as const;
      return await inTurn(
        key.key,
        () =>
          retryOnConflict(async (): Promise<ThrottleDecision | undefined> => {
            const found = await adapter.getMany(THROTTLE, keys.map(({ key }) => key));
            const records = found.map((one) => one === null ? null : one.value as ThrottleRecord);
            const step = reserveStep(keys, records, now);
            if (!step.allowed) return step;
            const { record: value } = step;
            const expected = found[0]?.version ?? null;
            const next = { value, expiresAt: value.expiresAt };
            const { status } = await adapter.atomic.cas(THROTTLE, key.key, expected, next);
            if (status !== "ok") return undefined;
            const recorded = others.filter((_, i) => records[i + 1] !== null).map(({ key }) => key);
            return { allowed: true, recorded };
          }),
      );
    },
    async wait({ key, rule }, now) {
      const found = await adapter.get(THROTTLE, key);
      const step = throttleStep(rule, (found?.value ?? null) as ThrottleRecord | null, now);
      return step.allowed ? 0 : step.retryAfter;
    },
    async reset(key) {
      await adapter.delete(THROTTLE, key);
    },
  };
}
