/**
 * What the stores over an adapter share: what they ask of it, how often they start over, and how they walk through lists.
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
} from "./adapter.ts";

/** Options of every store over an adapter. */
export interface RepoStoreOptions {
  /** The database. */
  readonly adapter: StorageAdapter;
}

/** An adapter that has the hook. */
export interface AtomicAdapter extends StorageAdapter {
  readonly atomic: AtomicHook;
}

const METHODS = ["get", "find", "list", "put", "delete"] as const;

/**
 * The adapter among a store's options, as stores use it: it finds nothing by a text that nothing can have, which is what
 * somebody may ask for.
 *
 * @throws {TypeError} If it is none.
 */
export function readAdapter(store: string, options: RepoStoreOptions): StorageAdapter {
  const { adapter } = options ?? {};
  const missing = METHODS.find((method) => typeof adapter?.[method] !== "function");
  if (missing !== undefined) {
    throw new TypeError(`Cannot create ${store}: the adapter has no ${missing}()`);
  }
  const { atomic } = adapter;
  return {
    get: (collection, key) =>
      isStoreString(key) ? adapter.get(collection, key) : Promise.resolve(null),
    find: (collection, text) =>
      isStoreString(text) ? adapter.find(collection, text) : Promise.resolve(null),
    list: (collection, index, text, options) =>
      isStoreString(text) ? adapter.list(collection, index, text, options) : Promise.resolve([]),
    put: (...args) => adapter.put(...args),
    delete: (collection, key) =>
      isStoreString(key) ? adapter.delete(collection, key) : Promise.resolve(),
    ...(typeof atomic?.cas === "function" ? { atomic } : {}),
  };
}

/**
 * The adapter of a store that is worth nothing without a compare-and-swap.
 *
 * @param why What would go wrong: `two requests could use one value`.
 * @throws {TypeError} If it has none.
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

/** Whether an adapter has the hook. */
export function isAtomic(adapter: StorageAdapter): adapter is AtomicAdapter {
  return adapter.atomic !== undefined;
}

/** Writes a record if it still has a version, and says what came of it. */
export type CompareAndSwap = (
  collection: string,
  key: string,
  expected: string | null,
  next: StoredRecord,
) => Promise<CasResult["status"]>;

/**
 * The compare-and-swap of an adapter, or for one that has none the best there is: of two at once, the later one wins.
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

/** How often a step starts over because somebody else was first. */
const ATTEMPTS = 100;
/** The longest wait before it does, in milliseconds. */
const MAX_WAIT_MS = 50;

/**
 * Runs a step until it comes to something. Those who meet wait for a random while each, so that they meet no more.
 *
 * @param step Gives `undefined` where somebody else was first.
 * @throws {AuthError} `service_unavailable`, if somebody else is first each time.
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

/** What is decided about a record: the answer, and what is to be there. Without `next` it stays as it is. */
export interface Decision<Outcome> {
  readonly outcome: Outcome;
  readonly next?: StoredRecord | null;
}

/**
 * Decides about a record, and again where somebody else changed it meanwhile.
 *
 * @returns The answer; `null` if there is no such record.
 * @throws {AuthError} `service_unavailable`, if somebody else is first each time.
 */
export async function updateRecord<Outcome>(
  adapter: AtomicAdapter,
  [collection, key]: readonly [collection: string, key: string],
  judge: (value: unknown) => Decision<Outcome>,
): Promise<Outcome | null> {
  const { outcome } = await retryOnConflict(async () => {
    const found = await adapter.get(collection, key);
    if (found === null) return { outcome: null };
    const decision = judge(found.value);
    if (decision.next === undefined) return decision;
    const { status } = await adapter.atomic.cas(collection, key, found.version, decision.next);
    return status === "ok" ? decision : undefined;
  });
  return outcome;
}

/** Removes a record and gives its value, once. */
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

/** Records that are read at once. */
const PAGE = 500;

/** All records by a text of an index; those that come or go meanwhile may be among them or not. */
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

/** How many records are changed at once: one after the other, a thousand take as many round trips. */
const AT_ONCE = 16;

/** Does something with each of many records. Where that fails for one, the others come first. */
export async function eachOf<One>(
  all: readonly One[],
  work: (one: One) => Promise<void>,
): Promise<void> {
  const faults: unknown[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const results = await Promise.allSettled(all.slice(from, from + AT_ONCE).map(work));
    for (const result of results) if (result.status === "rejected") faults.push(result.reason);
  }
  if (faults.length > 0) throw faults[0];
}
