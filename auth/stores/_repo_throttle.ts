/**
 * Counts of attempts over an adapter: one record per key.
 *
 * @module
 */

import {
  readAtomicAdapter,
  type RepoStoreOptions,
  retryOnConflict,
  updateRecord,
} from "./_repo.ts";
import { createKeyedMutex } from "./_keyed_mutex.ts";
import type { Versioned } from "./adapter.ts";
import type { LoginThrottle } from "./types.ts";
import {
  type ThrottleDecision,
  type ThrottleKey,
  type ThrottleRecord,
  throttleSteps,
  throttleSuccess,
  uniqueKeys,
} from "../throttle/rule.ts";

/** The collection of counts. */
export const THROTTLE = "throttle";

/** An attempt that was counted under one key, until it is known whether the other keys allow it. */
interface Counted {
  readonly claim: ThrottleKey;
  /** The record before. */
  readonly before: Versioned | null;
  /** Version of the record after. */
  readonly version: string;
}

/**
 * Counts attempts for all processes that share a database.
 *
 * An attempt that was counted under one key and conflicts under the next is rolled back. If other attempts were counted
 * meanwhile, or the process stops in between, less is allowed than the rules say, never more.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: a thousand concurrent guesses could count as one.
 */
export function repoLoginThrottle(options: RepoStoreOptions): LoginThrottle {
  const adapter = readAtomicAdapter({
    store: "login throttle",
    why: "reserve() counts many concurrent guesses as one",
  }, options);
  const { atomic } = adapter;
  const inTurn = createKeyedMutex();

  /** Counts under every key. `undefined` on a conflict under one of them: then nothing is counted. */
  async function count(
    claims: readonly ThrottleKey[],
    now: number,
  ): Promise<ThrottleDecision | undefined> {
    const found = await Promise.all(claims.map(({ key }) => adapter.get(THROTTLE, key)));
    const decision = throttleSteps(claims, (_, place) => recordOf(found[place] ?? null), now);
    if (!decision.allowed) return decision;
    const counted: Counted[] = [];
    for (const [i, { claim, record }] of decision.steps.entries()) {
      const before = found[i] ?? null;
      const expected = before?.version ?? null;
      const result = await atomic.cas(THROTTLE, claim.key, expected, throttleRecord(record));
      if (result.status !== "ok") {
        for (const one of counted) await rollBack(one, now);
        return undefined;
      }
      counted.push({ claim, before, version: result.version });
    }
    return { allowed: true };
  }

  async function rollBack({ claim, before, version }: Counted, now: number): Promise<void> {
    const old = recordOf(before);
    const restored = old === null ? null : throttleRecord(old);
    const { status } = await atomic.cas(THROTTLE, claim.key, version, restored);
    // A backoff can only be forgotten as a whole, with the attempts that others have counted
    if (status !== "ok" && claim.rule.kind === "window") await uncount(claim, now);
  }

  async function uncount({ key, rule }: ThrottleKey, reservedAt: number): Promise<void> {
    await updateRecord(adapter, [THROTTLE, key], (value) => {
      const record = value as ThrottleRecord;
      const next = throttleSuccess(rule, record, reservedAt);
      const isSame = next === record;
      return {
        outcome: undefined,
        ...(isSame ? {} : { next: next === null ? null : throttleRecord(next) }),
      };
    });
  }

  return {
    async reserve(claims, now) {
      const sorted = inOrder(claims);
      const [first] = sorted;
      if (first === undefined) return { allowed: true };
      return await inTurn(first.key, () => retryOnConflict(() => count(sorted, now)));
    },
    async succeed(claims, reservedAt) {
      for (const claim of inOrder(claims)) {
        await inTurn(claim.key, () => uncount(claim, reservedAt));
      }
    },
  };
}

/** Each key once, and all in one order: of two callers with the same keys, one is first under all of them. */
function inOrder(claims: readonly ThrottleKey[]): readonly ThrottleKey[] {
  return [...uniqueKeys(claims)].sort((a, b) => a.key < b.key ? -1 : 1);
}

function recordOf(found: Versioned | null): ThrottleRecord | null {
  return found === null ? null : found.value as ThrottleRecord;
}

function throttleRecord(record: ThrottleRecord): { value: ThrottleRecord; expiresAt: number } {
  return { value: record, expiresAt: record.expiresAt };
}
