/**
 * A process's copy of the ring of signing keys, and the writes that the ring needs. There is no timer: each call reads and
 * writes what is due.
 *
 * @module
 */

import type { Emit } from "../_emit.ts";
import {
  type GeneratedKey,
  generateKey,
  importKeys,
  type SigningKey,
  versionOf,
  withoutNulls,
} from "./_import.ts";
import {
  type NewRingKey,
  planRing,
  replaceKeys,
  RING_AGE,
  type RingPlan,
  type RingRules,
} from "./_rotation.ts";
import type { Warn } from "../_report.ts";
import { isWorkerd } from "../_workerd.ts";
import { AuthError } from "../error.ts";
import type { KeyStore, StoredKey } from "../stores/types.ts";

/** Options of {@linkcode keyCache}. */
export interface KeyCacheOptions {
  readonly store: KeyStore;
  readonly rules: RingRules;
  readonly now: () => number;
  readonly emit: Emit;
  readonly warn: Warn;
}

/** A process's copy of the ring. */
export interface KeyCache {
  /** The keys, at most so many seconds old. @param maxAge At most and by default {@linkcode RING_AGE}. */
  current(maxAge?: number): Promise<readonly SigningKey[]>;
  /** Generates new keys that sign at once. */
  replace(revoke: boolean): Promise<void>;
}

/** The ring as it was read. */
interface View {
  readonly loadedAt: number;
  readonly keys: readonly SigningKey[];
}

/**
 * What a ring must become; `undefined` if it needs no change.
 *
 * @param keys `undefined` if they cannot be used and are to be replaced.
 */
type Planner = (
  keys: readonly StoredKey[] | undefined,
  at: number,
) => RingPlan<StoredKey> | undefined;

/** How often a write is tried. After a conflict the next read finds the winner's keys, so the second attempt mostly ends it. */
const ATTEMPTS = 8;

/** Creates a process's copy of the ring. */
export function keyCache({ store, rules, now, emit, warn }: KeyCacheOptions): KeyCache {
  let view: View | undefined;
  let inFlight: Promise<View> | undefined;
  /** Reads and writes so far. Answers may overtake each other: one is kept only if nothing has begun after it. */
  let steps = 0;

  function keep(read: View, step: number): View {
    if (step !== steps) return view ?? read;
    return view = read;
  }

  /** Reads the ring and writes what a plan asks for, until it asks for nothing. */
  async function reconcile(plan: Planner, revoke = false): Promise<View> {
    const generated = new Map<string, GeneratedKey>();
    let usable: { readonly read: View; readonly step: number } | undefined; // if what it lacks can wait
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const step = ++steps;
      const loadedAt = now();
      const ring = await store.load();
      const version = versionOf(ring);
      const stored = ring === null ? [] : withoutNulls(ring.keys);
      const keys = await importUsable(stored, { known: view?.keys, revoke });
      const planned = plan(keys && stored, loadedAt);
      const read: View = { loadedAt, keys: keys ?? [] };
      if (planned === undefined) return keep(read, step);
      usable = planned.isUrgent ? undefined : { read, step: step + 1 }; // the write is the next step
      const added = await Promise.all(planned.missing.map((key) => fill(key, generated)));
      const next = [...planned.keys, ...added];
      const written = await write(next, { version, mayFail: !planned.isUrgent });
      if (written === undefined) continue;
      const saved = keep({ loadedAt, keys: await importKeys(next, keys) }, written);
      for (const { alg, kid } of added) emit("key.rotated", { alg, kid });
      return saved;
    }
    if (usable === undefined) {
      throw new AuthError("service_unavailable", { reason: "key_ring_contended" });
    }
    // Without the error: a driver's error may contain what was written
    warn("Cannot write key ring: the store does not take it; the next keys have to wait");
    return keep(usable.read, usable.step);
  }

  /**
   * Writes the ring. A store that fails counts as one that refuses, if the present keys can go on.
   *
   * @returns The step of the write; -1 if another has begun meanwhile; `undefined` if the write was lost.
   */
  async function write(
    keys: readonly StoredKey[],
    { version, mayFail }: { readonly version: string | null; readonly mayFail: boolean },
  ): Promise<number | undefined> {
    const step = ++steps;
    try {
      if (await store.save(keys, version) !== "saved") return undefined;
    } catch (error) {
      if (mayFail) return undefined;
      view = undefined; // the write may be done, and only the answer lost
      steps++;
      throw error;
    }
    view = undefined;
    return ++steps === step + 1 ? steps : -1;
  }

  const lacking: Planner = (keys, at) => keys && planRing(keys, at, rules);

  return {
    async current(maxAge = RING_AGE) {
      const at = now();
      const isFresh = view !== undefined && view.loadedAt <= at && at - view.loadedAt < maxAge;
      if (view !== undefined && isFresh) return view.keys;
      if (isWorkerd()) return (await reconcile(lacking)).keys;
      inFlight ??= reconcile(lacking).finally(() => inFlight = undefined);
      return (await inFlight).keys;
    },

    async replace(revoke) {
      let old: ReadonlySet<string> | undefined;
      const isReplaced = (keys: readonly StoredKey[], at: number) =>
        keys.every(({ kid, retiredAt = Infinity }) =>
          !old?.has(kid) || (!revoke && retiredAt <= at)
        );
      await reconcile((keys, at) => {
        const isDone = old !== undefined && keys !== undefined && isReplaced(keys, at);
        if (isDone) return planRing(keys, at, rules); // another process has replaced them meanwhile
        old ??= new Set(keys?.map(({ kid }) => kid));
        return replaceKeys(keys ?? [], at, { rules, revoke });
      }, revoke);
    },
  };
}

/** Imports keys; `undefined` if they cannot be used and all of them are revoked anyway. */
async function importUsable(
  stored: readonly StoredKey[],
  { known, revoke }: {
    readonly known: readonly SigningKey[] | undefined;
    readonly revoke: boolean;
  },
): Promise<readonly SigningKey[] | undefined> {
  try {
    return await importKeys(stored, known);
  } catch (error) {
    if (!revoke) throw error;
    return undefined;
  }
}

/** Generates each missing key once: after a conflict, it is there for the next attempt. */
async function fill(
  { alg, ...times }: NewRingKey,
  generated: Map<string, GeneratedKey>,
): Promise<StoredKey> {
  const key = generated.get(alg) ?? await generateKey(alg);
  generated.set(alg, key);
  return { ...key, alg, ...times };
}
