/**
 * The records of one collection in memory: indexes, removal of expired records, and the limit of its size.
 *
 * @module
 */

import { type EncodedRecord, isExpired, purgeAfter } from "./_records.ts";
import type { ThrottleRecord } from "../throttle/rule.ts";

/** A stored record. */
export interface Row extends Omit<EncodedRecord, "text"> {
  readonly key: string;
  /** Deeply frozen. */
  readonly value: unknown;
  readonly version: string;
}

/** Records of one collection. Expired ones are returned until they are removed. */
export interface Collection {
  get(key: string): Row | undefined;
  findUnique(unique: string): Row | undefined;
  listIndex(index: 0 | 1, value: string): readonly Row[];
  /** Creates or replaces a record. No other one may have its `unique` string. */
  set(row: Row, now: number): void;
  delete(key: string): void;
}

/**
 * Records that a write looks at. It adds at most one, so a round over all of them takes a third as many writes as there are
 * records: in a steady stream, there are at most half as many expired records as valid ones.
 */
const LOOKS = 4;

/**
 * Makes an empty collection.
 *
 * @param limit Maximum number of records, except locked ones; with a limit, values must be {@linkcode ThrottleRecord}s.
 */
export function createCollection(limit: number): Collection {
  const rows = new Map<string, Row>();
  const byUnique = new Map<string, Row>();
  const byIndex = [new Map<string, Set<Row>>(), new Map<string, Set<Row>>()] as const;
  const next = eachInFront(rows);

  function remove(row: Row): void {
    rows.delete(row.key);
    if (row.unique !== undefined) byUnique.delete(row.unique);
    for (const index of [0, 1] as const) {
      const value = row.index[index];
      if (value === undefined) continue;
      const found = byIndex[index].get(value);
      found?.delete(row);
      if (found?.size === 0) byIndex[index].delete(value);
    }
  }

  function add(row: Row): void {
    rows.set(row.key, row);
    if (row.unique !== undefined) byUnique.set(row.unique, row);
    for (const index of [0, 1] as const) {
      const value = row.index[index];
      if (value === undefined) continue;
      const found = byIndex[index].get(value);
      if (found === undefined) byIndex[index].set(value, new Set([row]));
      else found.add(row);
    }
  }

  /**
   * Looks at the first few records and removes those that have expired. If the collection is full, it also removes the one
   * with the fewest attempts that is not locked: a flood of new keys must not evict a key that is being guessed at. The others
   * move to the back, between new ones: if they stayed together, each round would evict one of every few.
   */
  function sweep(now: number): void {
    let lightest: { readonly row: Row; readonly failures: number } | undefined;
    for (let looks = 0; looks < LOOKS; looks++) {
      const row = next();
      if (row === undefined) return;
      if (row.expiresAt !== undefined && isExpired(purgeAfter(row.expiresAt), now)) {
        remove(row);
        continue;
      }
      rows.delete(row.key);
      rows.set(row.key, row);
      if (rows.size < limit) continue;
      const { lockedUntil, failures } = row.value as ThrottleRecord;
      const isLighter = lightest === undefined || failures < lightest.failures;
      if (isLighter && !(now < lockedUntil)) lightest = { row, failures };
    }
    if (rows.size >= limit && lightest !== undefined) remove(lightest.row);
  }

  return {
    get: (key) => rows.get(key),
    findUnique: (unique) => byUnique.get(unique),
    listIndex: (index, value) => [...byIndex[index].get(value) ?? []],
    set(row, now) {
      const earlier = rows.get(row.key);
      if (earlier !== undefined) remove(earlier);
      sweep(now);
      if (rows.size >= limit) sweep(now); // twice, to return to the limit after locked records have exceeded it
      add(row);
    },
    delete(key) {
      const row = rows.get(key);
      if (row !== undefined) remove(row);
    },
  };
}

/**
 * Returns the first value of a map on each call; the caller must move it to the back or delete it. One iterator is kept, as
 * a new one would skip all deleted entries each time. It must be advanced with every write: an old one keeps entries that
 * were deleted since in memory.
 */
function eachInFront<Value>(map: ReadonlyMap<string, Value>): () => Value | undefined {
  let values = map.values();
  return () => {
    let step = values.next();
    if (step.done) {
      values = map.values();
      step = values.next();
    }
    return step.done ? undefined : step.value;
  };
}
