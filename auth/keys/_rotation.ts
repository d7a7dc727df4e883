/**
 * The rules of the ring of signing keys, as functions of the time: which key signs, which keys are published, what the ring
 * lacks. They read no clock and generate no key.
 *
 * A key is pending until `activeAt`, signs until `retiredAt`, and verifies for a while after that. The newest active key
 * signs. The end of a key is written together with its successor, long before it is reached, so that processes which read
 * the ring at different times change over at the same second.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { StoredKey } from "../stores/types.ts";

/** The members of a key that the rules read. */
export type RingKey = Omit<StoredKey, "key">;

/** The numbers of a ring, in seconds. */
export interface RingRules {
  /** Algorithms that sign. */
  readonly algorithms: readonly AsymmetricAlgorithm[];
  /** For how long a key signs. */
  readonly rotateAfter: number;
  /** For how long a key is published before it signs. */
  readonly prepublishSeconds: number;
  /** For how long a key is published after it has retired. */
  readonly retentionSeconds: number;
}

/** A key that is to be generated. */
export interface NewRingKey extends Pick<StoredKey, "createdAt" | "activeAt" | "retiredAt"> {
  readonly alg: AsymmetricAlgorithm;
}

/** What a ring must become. */
export interface RingPlan<Key extends RingKey> {
  /** Keys that stay. */
  readonly keys: readonly Key[];
  /** Keys that are to be generated. */
  readonly missing: readonly NewRingKey[];
  /** Whether it cannot wait: an algorithm has no key that signs. */
  readonly isUrgent: boolean;
}

/** Maximum age of a process's copy of the ring, in seconds. */
export const RING_AGE = 60;

/** For how long verifiers accept an expired token, in seconds: the default of `clockTolerance`. */
const LEEWAY = 30;

/** How far the clocks of processes and verifiers may differ, in seconds. */
const MARGIN = 60;

/** The numbers that the rules follow from. */
export interface RingNumbers {
  readonly algorithms: readonly AsymmetricAlgorithm[];
  readonly rotateAfter: number;
  readonly cacheAge: number;
  readonly maxTokenAge: number;
}

/** The rules that follow from the numbers of a service. */
export function ringRules(
  { algorithms, rotateAfter, cacheAge, maxTokenAge }: RingNumbers,
): RingRules {
  return {
    algorithms,
    rotateAfter,
    // A verifier may cache a set that a shared cache has kept, which came from an old copy of the ring
    prepublishSeconds: 2 * (cacheAge + RING_AGE),
    // A process that has not read yet that a key is retired signs by it until its copy of the ring expires
    retentionSeconds: RING_AGE + maxTokenAge + LEEWAY + MARGIN,
  };
}

/** Whether a key is published and verifies. */
export function isPublished(
  { retiredAt }: RingKey,
  at: number,
  { retentionSeconds }: RingRules,
): boolean {
  return retiredAt === undefined || at < retiredAt + retentionSeconds;
}

/**
 * The key that signs: the newest active one. If none is active yet, a key that was generated to sign at once does: the
 * clock of the process that generated it is ahead.
 */
export function findSigner<Key extends RingKey>(
  keys: readonly Key[],
  alg: string,
  at: number,
): Key | undefined {
  const usable = keys
    .filter(({ alg: own, activeAt, retiredAt = Infinity }) =>
      own === alg && at < retiredAt && activeAt < retiredAt
    )
    .sort((a, b) => a.activeAt - b.activeAt);
  return usable.filter(({ activeAt }) => activeAt <= at).at(-1) ??
    usable.find(({ createdAt, activeAt }) => createdAt === activeAt);
}

/** What a ring lacks; `undefined` if it needs no change. Expired keys are removed with the next change, and cause none. */
export function planRing<Key extends RingKey>(
  keys: readonly Key[],
  at: number,
  rules: RingRules,
): RingPlan<Key> | undefined {
  const { algorithms, rotateAfter, prepublishSeconds } = rules;
  const kept = keys.filter((key) => isPublished(key, at, rules));
  const missing: NewRingKey[] = [];
  const ends = new Map<string, number>();
  const signers = new Set<string>();
  for (const alg of algorithms) {
    const signer = findSigner(kept, alg, at);
    const next = nextKey(kept, alg, { at, rules });
    if (signer === undefined) {
      const end = next === undefined ? {} : { retiredAt: next.activeAt };
      missing.push({ alg, createdAt: at, activeAt: at, ...end });
      continue;
    }
    signers.add(signer.kid);
    const end = Math.min(signer.retiredAt ?? Infinity, signer.activeAt + rotateAfter);
    if (next !== undefined || at < end - prepublishSeconds) continue;
    const activeAt = at + prepublishSeconds;
    missing.push({ alg, createdAt: at, activeAt });
    ends.set(signer.kid, activeAt);
  }
  for (const { kid, activeAt, retiredAt } of kept) {
    // Its algorithm was removed, or a newer key signs. During a deployment, processes with the old list still sign by it
    const isLeftOver = retiredAt === undefined && activeAt <= at && !signers.has(kid);
    if (isLeftOver) ends.set(kid, at + prepublishSeconds);
  }
  if (missing.length === 0 && ends.size === 0) return undefined;
  return {
    keys: kept.map((key) => withEnd(key, ends.get(key.kid) ?? key.retiredAt)),
    missing,
    isUrgent: signers.size < algorithms.length,
  };
}

/**
 * The ring with new keys that sign at once, and all others retired.
 *
 * @param revoke Whether the others are removed.
 */
export function replaceKeys<Key extends RingKey>(
  keys: readonly Key[],
  at: number,
  { rules, revoke }: { readonly rules: RingRules; readonly revoke: boolean },
): RingPlan<Key> {
  const kept = revoke ? [] : keys.filter((key) => isPublished(key, at, rules));
  return {
    keys: kept.map((key) => withEnd(key, Math.min(key.retiredAt ?? at, at))),
    missing: rules.algorithms.map((alg) => ({ alg, createdAt: at, activeAt: at })),
    isUrgent: true,
  };
}

/** The key that signs next. One that is further away than any is planned was made by a clock ahead, and is not waited for. */
function nextKey<Key extends RingKey>(
  keys: readonly Key[],
  alg: string,
  { at, rules }: { readonly at: number; readonly rules: RingRules },
): Key | undefined {
  const latest = at + rules.prepublishSeconds + SKEW_SECONDS;
  const isNext = ({ alg: own, activeAt, retiredAt = Infinity }: Key) =>
    own === alg && at < activeAt && activeAt <= latest && activeAt < retiredAt;
  return keys.filter(isNext).sort((a, b) => a.activeAt - b.activeAt)[0];
}

function withEnd<Key extends RingKey>(key: Key, retiredAt: number | undefined): Key {
  return key.retiredAt === retiredAt ? key : { ...key, retiredAt };
}
