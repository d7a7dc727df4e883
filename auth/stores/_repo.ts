/**
 * What the stores over an adapter share: checks of the adapter, retries on conflict, and paging.
 *
 * @module
 */

import { sleepWithJitter } from "../_backoff.ts";
import { isStoreString } from "./_records.ts";
import { AuthError } from "../error.ts";
import type {
  AtomicHook,
  CasResult,
  KeyedRecord,
  StorageAdapter,
  StoredRecord,
  Versioned,
} from "./adapter.ts";

/** Options of every store over an adapter. */
export interface RepoStoreOptions {
  /** The database. */
  readonly adapter: StorageAdapter;
}

/** An adapter that has `getMany()`. */
export interface RepoAdapter extends StorageAdapter {
  getMany(collection: string, keys: readonly string[]): Promise<readonly (Versioned | null)[]>;
}

/** An adapter that has the `atomic` hook. */
export interface AtomicAdapter extends RepoAdapter {
  readonly atomic: AtomicHook;
}

const METHODS = ["get", "find", "list", "put", "delete"] as const;

/**
 * The adapter of a store's options. Where adapters reject strings that no key can be, it finds nothing: they may come from a
 * request.
 *
 * @throws {TypeError} If it is not an adapter.
 */
export function readAdapter(store: string, options: RepoStoreOptions): RepoAdapter {
  const { adapter } = options ?? {};
  const missing = METHODS.find((method) => typeof adapter?.[method] !== "function");
  if (missing !== undefined) {
    throw new TypeError(`Cannot create ${store}: the adapter has no ${missing}()`);
  }
  const { atomic } = adapter;
  const get: StorageAdapter["get"] = (collection, key) =>
    isStoreString(key) ? adapter.get(collection, key) : Promise.resolve(null);
  return {
    get,
    getMany: (collection, keys) =>
      adapter.getMany?.(collection, keys) ??
        Promise.all(keys.map((key) => get(collection, key))),
    find: (collection, unique) =>
      isStoreString(unique) ? adapter.find(collection, unique) : Promise.resolve(null),
    list: (collection, index, value, options) =>
      isStoreString(value) ? adapter.list(collection, index, value, options) : Promise.resolve([]),
    put: (...args) => adapter.put(...args),
    delete: (collection, key) =>
      isStoreString(key) ? adapter.delete(collection, key) : Promise.resolve(),
    ...(typeof atomic?.cas === "function" ? { atomic } : {}),
  };
}

/**
 * The adapter of a store that needs a compare-and-swap.
 *
 * @param why What would go wrong without it: `two requests could use one value`.
 * @throws {TypeError} If it is not an adapter, or has no compare-and-swap.
 */
export function readAtomicAdapter(
  { store, why }: { readonly store: string; readonly why: string },
  options: RepoStoreOptions,
): AtomicAdapter {
  const adapter = readAdapter(store, options);
  if (isAtomic(adapter)) return adapter;
  throw new TypeError(
    `Cannot create ${store}: the adapter has no atomic.cas(); without a compare-and-swap ${why}`,
  );
}

/** Whether an adapter has the `atomic` hook. */
export function isAtomic<Adapter extends StorageAdapter>(
  adapter: Adapter,
): adapter is Adapter & { readonly atomic: AtomicHook } {
  return adapter.atomic !== undefined;
}

/** Writes a record if it still has the expected version. */
export type CompareAndSwap = (
  collection: string,
  key: string,
  expected: string | null,
  next: StoredRecord,
) => Promise<CasResult["status"]>;

/**
 * The compare-and-swap of an adapter. For one without, a substitute: of two concurrent writes, the later one wins.
 */
export function compareAndSwap(adapter: StorageAdapter): CompareAndSwap {
  if (isAtomic(adapter)) return async (...args) => (await adapter.atomic.cas(...args)).status;
  return async (collection, key, expected, next) => {
    const current = await adapter.get(collection, key);
    if ((current?.version ?? null) !== expected) return "lost";
    const holder = next.unique === undefined ? null : await adapter.find(collection, next.unique);
    if (holder !== null && holder.key !== key) return "taken";
    await adapter.put(collection, key, next);
    return "ok";
  };
}

/** Number of attempts on conflicts. */
const ATTEMPTS = 100;
/** Maximum wait between two attempts, in milliseconds. */
const MAX_WAIT_MS = 50;

/**
 * Retries a step on conflicts, after random waits.
 *
 * @param step Resolves to `undefined` on a conflict.
 * @throws {AuthError} `service_unavailable`, if every attempt has a conflict.
 */
export async function retryOnConflict<Outcome>(
  step: () => Promise<Outcome | undefined>,
): Promise<Outcome> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await step();
    if (outcome !== undefined) return outcome;
    await sleepWithJitter(0, Math.min(MAX_WAIT_MS, 2 ** attempt));
  }
  throw new AuthError("service_unavailable", { reason: "record_contended" });
}

/** The outcome for a record, and the record to write: `null` deletes it, absent leaves it unchanged. */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly next?: StoredRecord | null;
}

/**
 * Reads a record, decides, and writes the result; retries if the record was changed meanwhile.
 *
 * @returns The outcome; `null` if there is no such record.
 * @throws {AuthError} `service_unavailable`, if every attempt has a conflict.
 */
export async function updateRecord<Outcome>(
  adapter: AtomicAdapter,
  [collection, key]: readonly [collection: string, key: string],
  decide: (value: unknown) => Decision<Outcome>,
): Promise<Outcome | null> {
  const { outcome } = await retryOnConflict(async () => {
    const found = await adapter.get(collection, key);
    if (found === null) return { outcome: null };
    const decision = decide(found.value);
    if (decision.next === undefined) return decision;
    const { status } = await adapter.atomic.cas(collection, key, found.version, decision.next);
    return status === "ok" ? decision : undefined;
  });
  return outcome;
}

/** Deletes a record and returns its value, once. */
export async function takeValue(
  adapter: AtomicAdapter,
  collection: string,
  key: string,
): Promise<unknown | null> {
  const { atomic } = adapter;
  if (!isStoreString(key)) return null;
  if (atomic.take !== undefined) return await atomic.take(collection, key);
  return await updateRecord(
    adapter,
    [collection, key],
    (value) => ({ outcome: value, next: null }),
  );
}

/** Records of one page. */
const PAGE = 500;

/** All records by a string of an index; those that are added or deleted meanwhile may be included or not. */
export async function listAll(
  adapter: StorageAdapter,
  collection: string,
  [index, value]: readonly [index: 0 | 1, value: string],
): Promise<readonly KeyedRecord[]> {
  const all: KeyedRecord[] = [];
  let after: string | undefined;
  for (;;) {
    const page = await adapter.list(collection, index, value, { limit: PAGE, after });
    all.push(...page);
    after = page.at(-1)?.key;
    if (page.length < PAGE) return all;
  }
}

/** Concurrent changes: a thousand records one by one would take a thousand round trips. */
const CONCURRENCY = 16;

/** Runs work for each of many records. If it fails for one, it still runs for all others before it throws. */
export async function eachOf<Item>(
  all: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = [];
  for (let from = 0; from < all.length; from += CONCURRENCY) {
    const results = await Promise.allSettled(all.slice(from, from + CONCURRENCY).map(work));
    for (const result of results) if (result.status === "rejected") errors.push(result.reason);
  }
  if (errors.length > 0) throw errors[0];
}
