/**
 * A storage adapter that is correct for one caller but not for concurrent ones: it reads, waits, and then writes. Every
 * race must detect that, both for adapters and for the stores over them.
 *
 * @module
 */

import { checkList, checkStrings, encodeRecord, isExpired } from "../../auth/stores/_records.ts";
import type {
  CasResult,
  KeyedRecord,
  ListRecordsOptions,
  StorageAdapter,
  StoredRecord,
  Versioned,
} from "../../auth/stores/adapter.ts";
import { compareUtf8 } from "./_utf8.ts";

/** A database without transactions: every call takes some turns. */
interface Table<Value> {
  get(...path: string[]): Promise<Value | undefined>;
  set(value: Value, ...path: string[]): Promise<void>;
  remove(...path: string[]): Promise<void>;
  /** The upper bound of paths with a prefix, in the order of UTF-8. */
  lasts(...path: string[]): Promise<string[]>;
}

type Row = ReturnType<typeof encodeRecord> & { readonly version: string };

/** Creates an adapter that has no atomic compare-and-swap, but claims to have one. */
export function naiveAdapter({ now }: { readonly now: () => number }): StorageAdapter {
  const records = createTable<Row>();
  const holders = createTable<string>();
  const entries = createTable<true>();

  const living = async (collection: string, key: string): Promise<Row | undefined> => {
    const row = await records.get(collection, key);
    return row === undefined || isExpired(row.expiresAt, now()) ? undefined : row;
  };
  const isTaken = async (collection: string, key: string, unique?: string): Promise<boolean> => {
    if (unique === undefined) return false;
    const holder = await holders.get(collection, unique);
    return holder !== undefined && holder !== key && await living(collection, holder) !== undefined;
  };
  const unlink = async (collection: string, key: string): Promise<void> => {
    const row = await records.get(collection, key);
    if (row === undefined) return;
    for (const [which, text] of row.index.entries()) {
      if (text !== undefined) await entries.remove(collection, `${which}`, text, key);
    }
    if (row.unique !== undefined && await holders.get(collection, row.unique) === key) {
      await holders.remove(collection, row.unique);
    }
  };
  const remove = async (collection: string, key: string): Promise<void> => {
    await unlink(collection, key);
    await records.remove(collection, key);
  };
  const write = async (collection: string, key: string, row: Row): Promise<CasResult> => {
    if (await isTaken(collection, key, row.unique)) return { status: "taken" };
    await unlink(collection, key);
    if (row.unique !== undefined) await holders.set(key, collection, row.unique);
    for (const [which, text] of row.index.entries()) {
      if (text !== undefined) await entries.set(true, collection, `${which}`, text, key);
    }
    await records.set(row, collection, key);
    return { status: "ok", version: row.version };
  };

  return {
    async get(collection, key): Promise<Versioned | null> {
      checkStrings(collection, key);
      const row = await living(collection, key);
      return row === undefined ? null : readRow(row);
    },
    async find(collection, unique): Promise<KeyedRecord | null> {
      checkStrings(collection, unique);
      const key = await holders.get(collection, unique);
      const row = key === undefined ? undefined : await living(collection, key);
      return key === undefined || row === undefined ? null : { key, ...readRow(row) };
    },
    async list(
      collection,
      index,
      value,
      options: ListRecordsOptions = {},
    ): Promise<readonly KeyedRecord[]> {
      const { limit = Infinity, after, reverse = false } = options;
      checkStrings(collection, value);
      checkList(index, options);
      const keys = await entries.lasts(collection, `${index}`, value);
      if (reverse) keys.reverse();
      const found: KeyedRecord[] = [];
      for (const key of keys) {
        const [before, behind] = reverse ? [key, after] : [after, key];
        if (found.length >= limit) break;
        if (before !== undefined && behind !== undefined && compareUtf8(before, behind) >= 0) {
          continue;
        }
        const row = await living(collection, key);
        if (row !== undefined) found.push({ key, ...readRow(row) });
      }
      return found;
    },
    async put(collection, key, record): Promise<void> {
      checkStrings(collection, key);
      const { status } = await write(collection, key, newRow(record));
      if (status !== "ok") {
        throw new Error("Cannot put record: another record has its unique string");
      }
    },
    async delete(collection, key): Promise<void> {
      checkStrings(collection, key);
      await remove(collection, key);
    },
    atomic: {
      async cas(collection, key, expected, next): Promise<CasResult> {
        checkStrings(collection, key);
        const row = next === null ? null : newRow(next);
        const current = await living(collection, key);
        if ((current?.version ?? null) !== expected) return { status: "lost" };
        if (row !== null) return await write(collection, key, row);
        await remove(collection, key);
        return { status: "ok", version: "" };
      },
      async take(collection, key): Promise<unknown | null> {
        checkStrings(collection, key);
        const row = await living(collection, key);
        if (row === undefined) return null;
        await remove(collection, key);
        return JSON.parse(row.text);
      },
    },
  };
}

function newRow(record: StoredRecord): Row {
  return { ...encodeRecord(record), version: crypto.randomUUID() };
}

function readRow({ text, version, expiresAt }: Row): Versioned {
  const value: unknown = JSON.parse(text);
  return expiresAt === undefined ? { value, version } : { value, version, expiresAt };
}

function createTable<Value>(): Table<Value> {
  const rows = new Map<string, { readonly path: readonly string[]; readonly value: Value }>();
  const soon = async <Result>(step: () => Result): Promise<Result> => {
    await Promise.resolve();
    return step();
  };
  return {
    get: (...path) => soon(() => rows.get(JSON.stringify(path))?.value),
    set: (value, ...path) => soon(() => void rows.set(JSON.stringify(path), { path, value })),
    remove: (...path) => soon(() => void rows.delete(JSON.stringify(path))),
    lasts: (...path) =>
      soon(() => {
        const starts = [...rows.values()].filter((row) =>
          path.every((part, at) => row.path[at] === part)
        );
        return starts.map((row) => row.path[path.length] ?? "").sort(compareUtf8);
      }),
  };
}
