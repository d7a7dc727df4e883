/**
 * Counts of attempts over an adapter: one record for each key.
 *
 * @module
 */

import {
  readAtomicAdapter,
  type RepoStoreOptions,
  retryOnConflict,
  updateRecord,
} from "./_repo.ts";
import { createKeyedMutex } from "./_turns.ts";
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

/** An attempt that is counted under one key, until it is known whether the others allow it too. */
interface Counted {
  readonly claim: ThrottleKey;
  /** What was there before. */
  readonly before: Versioned | null;
  /** Version of what is there now, unless somebody else has counted on top of it. */
  readonly version: string;
}

/**
 * Counts attempts for all processes that share a database.
 *
 * Where an attempt is counted under one key and refused under the next, it is taken back. If others have counted on top of
 * it meanwhile, or the process ends in between, a little less is allowed than the rules say, never more.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: a thousand guesses at once could count as one.
 */
export function repoLoginThrottle(options: RepoStoreOptions): LoginThrottle {
  const adapter = readAtomicAdapter({
    store: "login throttle",
    why: "reserve() counts many guesses at once as one",
  }, options);
  const { atomic } = adapter;
  const turns = createKeyedMutex();

  /** Counts under every claim. `undefined` if somebody else was first at one of them, and nothing is counted. */
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
        for (const one of counted) await takeBack(one, now);
        return undefined;
      }
      counted.push({ claim, before, version: result.version });
    }
    return { allowed: true };
  }

  async function takeBack({ claim, before, version }: Counted, now: number): Promise<void> {
    const old = recordOf(before);
    const restored = old === null ? null : throttleRecord(old);
    const { status } = await atomic.cas(THROTTLE, claim.key, version, restored);
    // Under a backoff nothing less than all of it can be taken back: others have counted there
    if (status !== "ok" && claim.rule.kind === "window") await forgive(claim, now);
  }

  async function forgive({ key, rule }: ThrottleKey, reservedAt: number): Promise<void> {
    await updateRecord(adapter, [THROTTLE, key], (value) => {
      const record = value as ThrottleRecord;
      const left = throttleSuccess(rule, record, reservedAt);
      const isSame = left === record;
      return {
        outcome: undefined,
        ...(isSame ? {} : { next: left === null ? null : throttleRecord(left) }),
      };
    });
  }

  return {
    async reserve(claims, now) {
      const sorted = inOrder(claims);
      const [first] = sorted;
      if (first === undefined) return { allowed: true };
      return await turns(first.key, () => retryOnConflict(() => count(sorted, now)));
    },
    async succeed(claims, reservedAt) {
      for (const claim of inOrder(claims)) {
        await turns(claim.key, () => forgive(claim, reservedAt));
      }
    },
  };
}

/** Each key once, and all in one order: of two who want the same keys, one is first at all of them. */
function inOrder(claims: readonly ThrottleKey[]): readonly ThrottleKey[] {
  return [...uniqueKeys(claims)].sort((a, b) => a.key < b.key ? -1 : 1);
}

function recordOf(found: Versioned | null): ThrottleRecord | null {
  return found === null ? null : found.value as ThrottleRecord;
}

function throttleRecord(record: ThrottleRecord): { value: ThrottleRecord; expiresAt: number } {
  return { value: record, expiresAt: record.expiresAt };
}
