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
  /** Position among reads and writes: a read counts from its start, a write from its end. */
  readonly order: number;
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
  let orders = 0;
  let newest = 0;
  let writes = 0;

  /** Keeps what was read, unless a newer view is known: answers may overtake each other. */
  function keep(read: View): View {
    if (read.order < newest) return view ?? read;
    newest = read.order;
    return view = read;
  }

  /** Drops the view, and answers to earlier reads. */
  function invalidate(): void {
    view = undefined;
    newest = ++orders;
  }

  /** Reads the ring and writes what a plan asks for, until it asks for nothing. */
  async function reconcile(plan: Planner, revoke = false): Promise<View> {
    const generated = new Map<string, GeneratedKey>();
    let usable: View | undefined; // the ring as it is, if what it lacks can wait
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const order = ++orders;
      const loadedAt = now();
      const ring = await store.load();
      const version = versionOf(ring);
      const stored = ring === null ? [] : withoutNulls(ring.keys);
      const keys = await importUsable(stored, { known: view?.keys, revoke });
      const planned = plan(keys && stored, loadedAt);
      const read: View = { order, loadedAt, keys: keys ?? [] };
      if (planned === undefined) return keep(read);
      usable = planned.isUrgent ? undefined : read;
      const added = await Promise.all(planned.missing.map((key) => fill(key, generated)));
      const next = [...planned.keys, ...added];
      const written = await write(next, { version, mayFail: !planned.isUrgent });
      if (written === undefined) continue;
      const saved = keep({ order: written, loadedAt, keys: await importKeys(next, keys) });
      for (const { alg, kid } of added) emit("key.rotated", { alg, kid });
      return saved;
    }
    if (usable === undefined) {
      throw new AuthError("service_unavailable", { reason: "key_ring_contended" });
    }
    // Without the error: a driver's error may contain what was written
    warn("Cannot write key ring: the store does not take it; the next keys have to wait");
    return keep(usable);
  }

  /**
   * Writes the ring. A store that fails counts as one that refuses, if the present keys can go on.
   *
   * @returns The order of the write; -1 if another one has begun meanwhile; `undefined` if the write was lost.
   */
  async function write(
    keys: readonly StoredKey[],
    { version, mayFail }: { readonly version: string | null; readonly mayFail: boolean },
  ): Promise<number | undefined> {
    const current = ++writes;
    try {
      if (await store.save(keys, version) !== "saved") return undefined;
    } catch (error) {
      if (mayFail) return undefined;
      invalidate(); // the write may be done, and only the answer lost
      throw error;
    }
    if (current === writes) return ++orders;
    invalidate(); // which of the two writes came last, the next read shows
    return -1;
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
