/**
 * The rules of the ring of signing keys, as a function of the time: which key signs, which ones are published, what the
 * ring lacks. They ask no clock and make no key.
 *
 * A key is pending until `activeAt`, signs until `retiredAt`, and verifies for a while after that. The end of a key is
 * written together with its successor, long before it comes, so that processes which read the ring at different times
 * change over at the same one.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import type { StoredKey } from "../stores/types.ts";

/** What the rules look at. */
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

/** A key that is to be made. */
export interface NewRingKey extends Pick<StoredKey, "createdAt" | "activeAt" | "retiredAt"> {
  readonly alg: AsymmetricAlgorithm;
}

/** What a ring is to become. */
export interface RingPlan<Key extends RingKey> {
  /** Keys that stay. */
  readonly keys: readonly Key[];
  /** Keys that are to be made. */
  readonly missing: readonly NewRingKey[];
  /** Whether it cannot wait: an algorithm has no key that signs. */
  readonly isUrgent: boolean;
}

/** How old a ring may be that a process works with, in seconds. */
export const RING_AGE = 60;

/** How long verifiers take a token after its end, in seconds: the default of `clockTolerance`. */
const LEEWAY = 30;

/** How far the clocks of processes and verifiers may be apart, in seconds. */
const MARGIN = 60;

/** What rules follow from. */
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
    // A verifier may keep a set that a cache on the way has kept, which came from a ring that was old
    prepublishSeconds: 2 * (cacheAge + RING_AGE),
    // A process that has not read yet that a key was retired goes on signing by it for as long as a ring may be old
    retentionSeconds: RING_AGE + maxTokenAge + LEEWAY + MARGIN,
  };
}

/** Whether a key is published, and verifies. */
export function isPublished(
  { retiredAt }: RingKey,
  at: number,
  { retentionSeconds: keepFor }: RingRules,
): boolean {
  return retiredAt === undefined || at < retiredAt + keepFor;
}

/**
 * The key that signs. Where the clock says that none may yet, a key that was made to sign at once does: what made it had a
 * clock that was ahead, or ours was put back.
 */
export function findSigner<Key extends RingKey>(
  keys: readonly Key[],
  alg: string,
  at: number,
): Key | undefined {
  const own = keys.filter((key) => key.alg === alg && !isCancelled(key));
  const active = own.filter(({ activeAt, retiredAt = Infinity }) =>
    activeAt <= at && at < retiredAt
  );
  if (active.length > 0) return active.reduce((a, b) => b.activeAt < a.activeAt ? a : b);
  const early = own.filter(({ createdAt, activeAt }) => createdAt === activeAt && at < activeAt);
  return early.length > 0 ? early.reduce((a, b) => b.activeAt < a.activeAt ? b : a) : undefined;
}

/** What a ring lacks; nothing if it may stay as it is. Keys that are to go do so with the next change, and cause none. */
export function planRing<Key extends RingKey>(
  keys: readonly Key[],
  at: number,
  rules: RingRules,
): RingPlan<Key> | undefined {
  const kept = keys.filter((key) => isPublished(key, at, rules));
  const missing: NewRingKey[] = [];
  const ends = new Map<string, number>();
  let isUrgent = false;
  for (const key of kept) {
    const end = key.retiredAt ?? missingEnd(key, kept, { at, rules });
    if (end !== undefined) ends.set(key.kid, end);
  }
  for (const alg of rules.algorithms) {
    const signer = findSigner(kept, alg, at);
    const next = nextKey(kept, alg, { at, rules });
    if (signer === undefined) {
      isUrgent = true;
      missing.push({
        alg,
        createdAt: at,
        activeAt: at,
        ...(next === undefined ? {} : { retiredAt: next.activeAt }),
      });
    } else if (next === undefined && at >= endOf(signer, rules) - rules.prepublishSeconds) {
      const activeAt = at + rules.prepublishSeconds;
      missing.push({ alg, createdAt: at, activeAt });
      ends.set(signer.kid, activeAt);
    }
  }
  const planned = kept.map((key) => withEnd(key, ends.get(key.kid)));
  const isChanged = missing.length > 0 || planned.some((key, i) => key !== kept[i]);
  return isChanged ? { keys: planned, missing, isUrgent } : undefined;
}

/**
 * The ring with new keys that sign at once, and all others retired.
 *
 * @param revoke Whether the others go.
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

/** When rules are asked. */
interface RingMoment {
  readonly at: number;
  readonly rules: RingRules;
}

/** Whether a key was taken back before it ever signed. */
function isCancelled({ activeAt, retiredAt = Infinity }: RingKey): boolean {
  return retiredAt <= activeAt;
}

/** The key that signs next. One that is further away than any is put was made by a clock that was ahead; nobody waits for it. */
function nextKey<Key extends RingKey>(
  keys: readonly Key[],
  alg: string,
  { at, rules: { prepublishSeconds: lead } }: RingMoment,
): Key | undefined {
  const isPending = (key: Key) =>
    key.alg === alg && !isCancelled(key) &&
    at < key.activeAt && key.activeAt <= at + lead + SKEW_SECONDS;
  return keys.filter(isPending).sort((a, b) => a.activeAt - b.activeAt)[0];
}

/** Until when a key signs. */
function endOf({ activeAt, retiredAt = Infinity }: RingKey, { rotateAfter }: RingRules): number {
  return Math.min(retiredAt, activeAt + rotateAfter);
}

/**
 * The end of a key that has none, and ought to: another has overtaken it, or its algorithm is none of ours. The latter waits
 * a little: while a deployment goes on, processes with the old list still sign by it, and make the next one in time.
 */
function missingEnd(
  key: RingKey,
  keys: readonly RingKey[],
  { at, rules: { algorithms, prepublishSeconds: lead } }: RingMoment,
): number | undefined {
  if (!algorithms.some((alg) => alg === key.alg)) return Math.max(key.activeAt, at) + lead;
  const signer = findSigner(keys, key.alg, at);
  return key.activeAt <= at && signer?.kid !== key.kid ? at : undefined;
}

function withEnd<Key extends RingKey>(key: Key, retiredAt: number | undefined): Key {
  return key.retiredAt === retiredAt ? key : { ...key, retiredAt };
}
