/**
 * A storage adapter in a `Map`, each step of it in one synchronous turn: what the others are measured by.
 *
 * @module
 */

import {
  checkList,
  checkStrings,
  type EncodedRecord,
  encodeRecord,
  isExpired,
  uniqueTaken,
} from "../../auth/stores/_records.ts";
import type {
  AtomicHook,
  CasResult,
  KeyedRecord,
  StorageAdapter,
  Versioned,
} from "../../auth/stores/adapter.ts";
import { compareUtf8 } from "./_utf8.ts";

/** How {@linkcode memoryAdapter} is made. */
export interface MemoryAdapterOptions {
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /** Whether it has a compare-and-swap. @default {true} */
  readonly atomic?: boolean;
  /** Whether the compare-and-swap comes with a take. @default {true} */
  readonly take?: boolean;
}

/** How {@linkcode memoryAdapters} are made. */
export interface MemoryAdaptersOptions extends MemoryAdapterOptions {
  /** How far away each of them is: so many turns there, and as many back. @default {[0, 0]} */
  readonly turns?: readonly [number, ...number[]];
}

interface Row extends EncodedRecord {
  readonly version: string;
}

/** What is kept, and the steps that change it: each is done before it returns. */
interface Place {
  /** The record of a key, unless it has ended. */
  get(collection: string, key: string): Row | undefined;
  /** The records that have not ended. */
  all(collection: string): readonly (readonly [key: string, row: Row])[];
  /** Writes a record and gives its version, or `undefined` if another one has its `unique` text. */
  write(collection: string, key: string, record: EncodedRecord): string | undefined;
  remove(collection: string, key: string): void;
}

/** Makes an adapter over an empty place of its own. */
export function memoryAdapter(options: MemoryAdapterOptions): StorageAdapter {
  return adapterOver(createPlace(options.now), { ...options, turns: 0 });
}

/** Makes several adapters over one empty place. */
export function memoryAdapters(
  { turns: [first, ...others] = [0, 0], ...options }: MemoryAdaptersOptions,
): [StorageAdapter, ...StorageAdapter[]] {
  const place = createPlace(options.now);
  const make = (turns: number) => adapterOver(place, { ...options, turns });
  return [make(first), ...others.map(make)];
}

function createPlace(now: () => number): Place {
  const collections = new Map<string, Map<string, Row>>();
  let writes = 0;
  const rowsOf = (collection: string): Map<string, Row> => {
    const rows = collections.get(collection) ?? new Map<string, Row>();
    collections.set(collection, rows);
    return rows;
  };
  const place: Place = {
    get(collection, key) {
      const row = rowsOf(collection).get(key);
      return row === undefined || isExpired(row.expiresAt, now()) ? undefined : row;
    },
    all: (collection) =>
      [...rowsOf(collection)].filter(([, { expiresAt }]) => !isExpired(expiresAt, now())),
    write(collection, key, record) {
      const { unique } = record;
      const rows = rowsOf(collection);
      if (unique !== undefined) {
        const holder = place.all(collection).find(([, row]) => row.unique === unique);
        if (holder !== undefined && holder[0] !== key) return undefined;
        // An ended one that had the text would have it again for a clock that is behind
        for (const [other, row] of rows) if (row.unique === unique) rows.delete(other);
      }
      const version = `${++writes}`;
      rows.set(key, { ...record, version });
      return version;
    },
    remove: (collection, key) => void rowsOf(collection).delete(key),
  };
  return place;
}

function adapterOver(
  place: Place,
  { atomic = true, take = true, turns }: MemoryAdapterOptions & { readonly turns: number },
): StorageAdapter {
  const wait = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  /** Goes there, takes one step, and comes back. */
  const visit = async <Result>(step: () => Result): Promise<Result> => {
    if (turns > 0) await wait();
    const result = step();
    if (turns > 0) await wait();
    return result;
  };

  const hook: AtomicHook = {
    async cas(collection, key, expected, next): Promise<CasResult> {
      checkStrings(collection, key);
      const record = next === null ? null : encodeRecord(next);
      return await visit((): CasResult => {
        const row = place.get(collection, key);
        if ((row?.version ?? null) !== expected) return { status: "lost" };
        if (record === null) {
          place.remove(collection, key);
          return { status: "ok", version: "" };
        }
        const version = place.write(collection, key, record);
        return version === undefined ? { status: "taken" } : { status: "ok", version };
      });
    },
    async take(collection, key): Promise<unknown | null> {
      checkStrings(collection, key);
      return await visit(() => {
        const row = place.get(collection, key);
        if (row === undefined) return null;
        place.remove(collection, key);
        return JSON.parse(row.text);
      });
    },
  };

  return {
    async get(collection, key): Promise<Versioned | null> {
      checkStrings(collection, key);
      return await visit(() => {
        const row = place.get(collection, key);
        return row === undefined ? null : readRow(row);
      });
    },
    async find(collection, unique): Promise<KeyedRecord | null> {
      checkStrings(collection, unique);
      return await visit(() => {
        const holder = place.all(collection).find(([, row]) => row.unique === unique);
        return holder === undefined ? null : { key: holder[0], ...readRow(holder[1]) };
      });
    },
    async list(collection, index, value, options = {}): Promise<readonly KeyedRecord[]> {
      const { limit, after, reverse = false } = options;
      checkStrings(collection, value);
      checkList(index, options);
      const direction = reverse ? -1 : 1;
      return await visit(() =>
        place.all(collection)
          .filter(([, row]) => row.index[index] === value)
          .filter(([key]) => after === undefined || direction * compareUtf8(key, after) > 0)
          .sort(([a], [b]) => direction * compareUtf8(a, b))
          .slice(0, limit)
          .map(([key, row]) => ({ key, ...readRow(row) }))
      );
    },
    async put(collection, key, record): Promise<void> {
      checkStrings(collection, key);
      const encoded = encodeRecord(record);
      const version = await visit(() => place.write(collection, key, encoded));
      if (version === undefined) throw uniqueTaken();
    },
    async delete(collection, key): Promise<void> {
      checkStrings(collection, key);
      await visit(() => place.remove(collection, key));
    },
    ...(atomic ? { atomic: take ? hook : { cas: hook.cas } } : {}),
  };
}

function readRow({ text, version, expiresAt }: Row): Versioned {
  const value: unknown = JSON.parse(text);
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}
