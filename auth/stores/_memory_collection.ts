/**
 * The records of one collection in memory: its indexes, the removal of what has expired, and the limit of its size.
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

/** Records of one collection. They are found until they are removed, expired or not. */
export interface Collection {
  get(key: string): Row | undefined;
  findUnique(unique: string): Row | undefined;
  listIndex(index: 0 | 1, value: string): readonly Row[];
  /** Stores a record in place of the earlier one of its key. `unique` must be free. */
  set(row: Row, now: number): void;
  delete(key: string): void;
}

/**
 * Records that a write looks at. At most one is added meanwhile, so a round over all of them takes a third as many writes
 * as there were records: in a steady stream, at most half as many have expired as have not.
 */
const LOOKS = 4;

/**
 * Makes an empty collection.
 *
 * @param limit Records from which on each new one replaces another; they must be of type {@linkcode ThrottleRecord} then.
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
   * Looks at the records in front. Those that have expired are removed; where the collection is full, so is the one with the
   * fewest attempts: a flood of keys must not push out one that many attempts were made under, or one that is locked. The
   * others go to the back, among the new ones: of records that stay together, the next round would remove one of each few.
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
      if (rows.size >= limit) sweep(now); // or one that locked records have made too large would stay so
      add(row);
    },
    delete(key) {
      const row = rows.get(key);
      if (row !== undefined) remove(row);
    },
  };
}

/**
 * Gives the value in front of a map whose values go to the back or away once they were given. To begin at the front each
 * time would pass all the places that were left; but an iterator that stays behind keeps what was removed since in memory.
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
