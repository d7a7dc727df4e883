/**
 * Keeps a process's view of the ring of signing keys, and writes what the ring lacks. There is no timer: whoever asks for
 * the ring does what is due.
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

/** What {@linkcode keyCache} takes. */
export interface KeyKeeperOptions {
  readonly store: KeyStore;
  readonly rules: RingRules;
  readonly now: () => number;
  readonly emit: Emit;
  readonly warn: Warn;
}

/** A process's view of the ring. */
export interface KeyKeeper {
  /** The keys, as they were at most so many seconds ago. @param maxAge At most and by default {@linkcode RING_AGE}. */
  current(maxAge?: number): Promise<readonly SigningKey[]>;
  /** Makes new keys that sign at once. */
  replace(revoke: boolean): Promise<void>;
}

/** The ring as it was read. */
interface View {
  /** Which reading it came from, by when that began. */
  readonly order: number;
  readonly loadedAt: number;
  readonly keys: readonly SigningKey[];
}

/**
 * What a ring is to become; nothing if it may stay as it is.
 *
 * @param keys `undefined` if they cannot be used, and only for who repairs that.
 */
type Planner = (
  keys: readonly StoredKey[] | undefined,
  at: number,
) => RingPlan<StoredKey> | undefined;

/** How far the ring is settled. */
interface SettleOptions {
  /** Whether keys that cannot be used are replaced. */
  readonly repairs?: boolean;
  /** Whether what is known serves while all that can be read is a copy that lags. */
  readonly mayWait?: boolean;
}

/** What names a key. */
type Named = Pick<StoredKey, "kid">;

/** How often a write is tried. Who loses finds in the ring what the winner wrote, so that the second reading settles most. */
const ATTEMPTS = 8;

/** Makes a process's view of the ring. */
export function keyCache({ store, rules, now, emit, warn }: KeyKeeperOptions): KeyKeeper {
  let view: View | undefined;
  let newest = 0;
  let orders = 0;
  let inFlight: Promise<View> | undefined;
  const removed = removedKeys();

  /** Keeps what was read, unless what is known is newer: answers may overtake each other. */
  function keep(read: View): View {
    const rest = { ...read, keys: removed.without(read.keys) };
    const lags = removed.isIn(read.keys) && view !== undefined &&
      read.loadedAt - view.loadedAt < RING_AGE;
    if (read.order < newest || lags) return view ?? rest;
    newest = read.order;
    return view = rest;
  }

  /** Reads the ring, and writes what a plan says, until the ring is as the plan wants it. */
  async function reconcile(
    plan: Planner,
    { repairs = false, mayWait = false }: SettleOptions,
  ): Promise<View> {
    const made = new Map<string, GeneratedKey>();
    let waiting: View | undefined; // the ring as it is, where what it lacks can wait
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const order = ++orders;
      const loadedAt = now();
      const ring = await store.load();
      const version = versionOf(ring);
      const stored = ring === null ? [] : withoutNulls(ring.keys);
      const keys = await importUsable(stored, { known: view?.keys, repairs });
      const planned = plan(keys && removed.without(stored), loadedAt);
      if (planned === undefined) return keep({ order, loadedAt, keys: keys ?? [] });
      waiting = planned.isUrgent ? undefined : { order, loadedAt, keys: keys ?? [] };
      const added = await Promise.all(planned.missing.map((key) => fill(key, made)));
      const next = [...planned.keys, ...added];
      if (await write(next, { version, mayFail: !planned.isUrgent }) === "saved") {
        removed.note(keys ?? [], next);
        const saved = keep({ order: ++orders, loadedAt, keys: await importKeys(next, keys) });
        for (const { alg, kid } of added) emit("key.rotated", { alg, kid });
        return saved;
      }
      // A copy that lags, and no backup that came back: it takes no write, and what is known is newer
      if (mayWait && view !== undefined && removed.isIn(keys ?? [])) {
        return view = { ...view, loadedAt };
      }
    }
    if (waiting === undefined) {
      throw new AuthError("service_unavailable", { reason: "key_ring_contended" });
    }
    // Without the error: a driver's may hold what was written
    warn("Cannot write key ring: the store does not take it; the next keys have to wait");
    return keep(waiting);
  }

  /** Writes the ring. A store that fails counts as one that refuses where keys that sign are there. */
  async function write(
    keys: readonly StoredKey[],
    { version, mayFail }: { readonly version: string | null; readonly mayFail: boolean },
  ): Promise<"saved" | "lost"> {
    try {
      return await store.save(keys, version);
    } catch (error) {
      if (mayFail) return "lost";
      view = undefined; // it may have been written, and only the answer be lost
      newest = ++orders;
      throw error;
    }
  }

  /** What the ring lacks to go on. */
  const lacking: Planner = (keys, at) => keys && planRing(keys, at, rules);

  return {
    async current(maxAge = RING_AGE) {
      const at = now();
      const isFresh = view !== undefined && view.loadedAt <= at && at - view.loadedAt < maxAge;
      if (view !== undefined && isFresh) return view.keys;
      if (isWorkerd()) return (await reconcile(lacking, { mayWait: true })).keys;
      inFlight ??= reconcile(lacking, { mayWait: true }).finally(() => inFlight = undefined);
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
        if (isDone) return planRing(keys, at, rules); // somebody else has replaced them meanwhile
        old ??= new Set(keys?.map(({ kid }) => kid));
        return replaceKeys(keys ?? [], at, { rules, revoke });
      }, { repairs: revoke });
    },
  };
}

/** Keys that this process has taken out. A copy of the store that lags must not bring them back: one may be stolen. */
function removedKeys() {
  const kids = new Set<string>();
  return {
    /** Notes which of the old keys are not among the new ones. */
    note(old: readonly Named[], next: readonly Named[]): void {
      const kept = new Set(next.map(({ kid }) => kid));
      for (const { kid } of old) if (!kept.has(kid)) kids.add(kid);
    },
    isIn: (keys: readonly Named[]): boolean => keys.some(({ kid }) => kids.has(kid)),
    without: <Key extends Named>(keys: readonly Key[]): readonly Key[] =>
      keys.filter(({ kid }) => !kids.has(kid)),
  };
}

/** Imports keys; `undefined` where they cannot be used, and are to be replaced. */
async function importUsable(
  stored: readonly StoredKey[],
  { known, repairs }: {
    readonly known: readonly SigningKey[] | undefined;
    readonly repairs: boolean;
  },
): Promise<readonly SigningKey[] | undefined> {
  try {
    return await importKeys(stored, known);
  } catch (error) {
    if (!repairs) throw error;
    return undefined;
  }
}

/** Makes what is to be made, once: where a write is lost, the key is there for the next one. */
async function fill(
  { alg, ...times }: NewRingKey,
  made: Map<string, GeneratedKey>,
): Promise<StoredKey> {
  const key = made.get(alg) ?? await generateKey(alg);
  made.set(alg, key);
  return { ...key, alg, ...times };
}
