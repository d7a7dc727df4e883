/**
 * Adapters with one defect each, of those that are likely in a new engine.
 *
 * @module
 */

import type { AtomicHook, StorageAdapter, StoredRecord } from "../../auth/stores/adapter.ts";
import { memoryAdapter } from "./_memory_adapter.ts";

/** A correct adapter, and the tools to add a defect. */
export interface Tools {
  /** The adapter. */
  readonly sound: StorageAdapter;
  /** Its compare-and-swap. */
  readonly hook: Required<AtomicHook>;
  /** The time. */
  readonly now: () => number;
  /** Runs one step of the adapter at another time. */
  at<Result>(seconds: number, step: () => Promise<Result>): Promise<Result>;
}

/** A defect of an adapter. */
export interface Defect {
  /** Description of the defect. */
  readonly why: string;
  /** Start of the name of the case that must detect it. */
  readonly found: string;
  /** Creates an adapter with the defect. */
  readonly make: (tools: Tools) => StorageAdapter;
}

/** Creates an adapter with a defect, over an empty database. */
export function defectiveAdapter(
  { make }: Defect,
  { now }: { readonly now: () => number },
): StorageAdapter {
  let other: number | undefined;
  const sound = memoryAdapter({ now: () => other ?? now() });
  const { cas, take } = sound.atomic ?? {};
  if (cas === undefined || take === undefined) throw new TypeError("Cannot make adapter: no hook");
  return make({
    sound,
    hook: { cas, take },
    now,
    at(seconds, step) {
      other = seconds;
      const result = step(); // done before it returns
      other = undefined;
      return result;
    },
  });
}

/** Replaces the records that are written. */
export function rewriting(
  { sound, hook }: Tools,
  rewrite: (record: StoredRecord) => StoredRecord,
): StorageAdapter {
  return {
    ...sound,
    put: (collection, key, record) => sound.put(collection, key, rewrite(record)),
    atomic: {
      ...hook,
      cas: (collection, key, expected, next) =>
        hook.cas(collection, key, expected, next && rewrite(next)),
    },
  };
}

/** Replaces versions, based on the previous one. */
export function reversioning(
  { sound, hook }: Tools,
  next: (before: string | undefined, how: "put" | "cas") => string,
): StorageAdapter {
  const shown = new Map<string, string>();
  const nameOf = (collection: string, key: string) => JSON.stringify([collection, key]);
  const show = <Found extends { version: string }>(name: string, found: Found): Found => ({
    ...found,
    version: shown.get(name) ?? "",
  });
  return {
    async get(collection, key) {
      const found = await sound.get(collection, key);
      return found && show(nameOf(collection, key), found);
    },
    async find(collection, unique) {
      const found = await sound.find(collection, unique);
      return found && show(nameOf(collection, found.key), found);
    },
    async list(collection, ...asked) {
      const found = await sound.list(collection, ...asked);
      return found.map((each) => show(nameOf(collection, each.key), each));
    },
    async put(collection, key, record) {
      await sound.put(collection, key, record);
      const name = nameOf(collection, key);
      shown.set(name, next(shown.get(name), "put"));
    },
    async delete(collection, key) {
      await sound.delete(collection, key);
      shown.delete(nameOf(collection, key));
    },
    atomic: {
      async cas(collection, key, expected, record) {
        const name = nameOf(collection, key);
        const { version } = await sound.get(collection, key) ?? {};
        if (expected !== null && expected !== shown.get(name)) return { status: "lost" };
        const current = expected === null ? null : version ?? "";
        const result = await hook.cas(collection, key, current, record);
        if (result.status !== "ok") return result;
        const shownNext = next(shown.get(name), "cas");
        if (record === null) shown.delete(name);
        else shown.set(name, shownNext);
        return { status: "ok", version: shownNext };
      },
      async take(collection, key) {
        const value = await hook.take(collection, key);
        if (value !== null) shown.delete(nameOf(collection, key));
        return value;
      },
    },
  };
}

/** Replaces the keys of reads. */
export function renaming({ sound, hook }: Tools, rename: (key: string) => string): StorageAdapter {
  return {
    ...sound,
    get: (collection, key) => sound.get(collection, rename(key)),
    put: (collection, key, record) => sound.put(collection, rename(key), record),
    delete: (collection, key) => sound.delete(collection, rename(key)),
    atomic: {
      cas: (collection, key, ...swap) => hook.cas(collection, rename(key), ...swap),
      take: (collection, key) => hook.take(collection, rename(key)),
    },
  };
}
