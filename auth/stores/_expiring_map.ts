/**
 * A map whose values end by themselves, without timers. What has ended is never returned, and its memory comes back
 * because every write looks at a few of the others.
 *
 * @module
 */

/**
 * Entries that a write looks at. At most one is added for each four that are looked at, so a round over all of them takes
 * a third as many writes as there were entries: in a steady stream, what has ended is at most half of what has not.
 */
const LOOKS = 4;

/** Options of {@linkcode createExpiringMap}. */
export interface ExpiringMapOptions<Value> {
  /** From when on a value counts as absent, in seconds since the epoch. */
  readonly expiresAt: (value: Value) => number;
  /** Is told of a value that was deleted or has ended, so that indexes can follow. Not of one that was replaced. */
  readonly removed?: (value: Value) => void;
}

/** A map whose values end by themselves. Times are in seconds since the epoch. */
export interface ExpiringMap<Value> {
  /** Entries in memory; some of them may have ended. */
  readonly size: number;
  /** Finds a value that has not ended. */
  get(key: string, now: number): Value | undefined;
  /** Keeps a value, in place of an earlier one. */
  set(key: string, value: Value, now: number): void;
  /** Removes a value; nothing happens if there is none. */
  delete(key: string): void;
}

/** Makes an empty map. */
export function createExpiringMap<Value>(options: ExpiringMapOptions<Value>): ExpiringMap<Value> {
  const { expiresAt, removed = () => {} } = options;
  const entries = new Map<string, Value>();
  // A Map's iterator stays where it is while entries come and go, and meets the new ones at the end
  let round = entries.entries();

  function get(key: string, now: number): Value | undefined {
    const value = entries.get(key);
    if (value === undefined || !hasEnded(value, now)) return value;
    remove(key, value);
    return undefined;
  }

  /** What ends at no number has ended: it would stay for ever. */
  function hasEnded(value: Value, now: number): boolean {
    return !(now < expiresAt(value));
  }

  function remove(key: string, value: Value): void {
    entries.delete(key);
    removed(value);
  }

  function sweep(now: number): void {
    for (let looks = 0; looks < LOOKS; looks++) {
      const next = round.next();
      if (next.done) {
        round = entries.entries();
        return;
      }
      const [key, value] = next.value;
      if (hasEnded(value, now)) remove(key, value);
    }
  }

  return {
    get size() {
      return entries.size;
    },
    get,
    set(key, value, now) {
      get(key, now); // one that has ended is not replaced but removed
      entries.set(key, value);
      sweep(now);
    },
    delete(key) {
      const value = entries.get(key);
      if (value !== undefined) remove(key, value);
    },
  };
}
