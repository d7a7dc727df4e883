/**
 * Helpers for the cases of storage adapters. The default collection is {@linkcode COLLECTION}.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type {
  AtomicHook,
  CasResult,
  ListRecordsOptions,
  StorageAdapter,
  StoredRecord,
} from "../../auth/stores/adapter.ts";
import type { ContractCase } from "./_contract.ts";

/** One requirement of an adapter. */
export interface StorageCase extends ContractCase<StorageAdapter> {
  /** Whether it needs {@linkcode StorageAdapter.atomic}; every race does. */
  readonly atomic?: true;
}

/** Collection of most records. */
export const COLLECTION = "records";

/** When a case starts, in seconds since the epoch. */
export const START = 1_700_000_000;

/** Expiry of the records of a case. */
export const END: number = START + 600;

/** An adapter's compare-and-swap. */
export function hookOf({ atomic }: StorageAdapter): AtomicHook {
  assert(atomic !== undefined, "the adapter has no atomic hook");
  return atomic;
}

/** Writes a record. */
export function put(adapter: StorageAdapter, key: string, record: StoredRecord): Promise<void> {
  return adapter.put(COLLECTION, key, record);
}

/** Compares and swaps. */
export function cas(
  adapter: StorageAdapter,
  ...[key, expected, next]: [key: string, expected: string | null, next: StoredRecord | null]
): Promise<CasResult> {
  return hookOf(adapter).cas(COLLECTION, key, expected, next);
}

/** Compares and swaps, and returns the status only. */
export async function casStatus(
  adapter: StorageAdapter,
  ...swap: [key: string, expected: string | null, next: StoredRecord | null]
): Promise<CasResult["status"]> {
  return (await cas(adapter, ...swap)).status;
}

/** Compares and swaps, which must succeed, and returns the new version. */
export async function casOk(
  adapter: StorageAdapter,
  ...swap: [key: string, expected: string | null, next: StoredRecord | null]
): Promise<string> {
  const result = await cas(adapter, ...swap);
  assert(result.status === "ok", `cas() of ${swap[0]} is ${result.status}`);
  return result.version;
}

/** Takes a value, with get() and cas() if there is no take(). */
export async function take(
  adapter: StorageAdapter,
  key: string,
  collection: string = COLLECTION,
): Promise<unknown> {
  const hook = hookOf(adapter);
  if (hook.take !== undefined) return await hook.take(collection, key);
  while (true) {
    const record = await adapter.get(collection, key);
    if (record === null) return null;
    const { status } = await hook.cas(collection, key, record.version, null);
    if (status === "ok") return record.value;
  }
}

/** A record's version. Fails if there is no record. */
export async function versionOf(adapter: StorageAdapter, key: string): Promise<string> {
  const record = await adapter.get(COLLECTION, key);
  assert(record !== null, `${key} does not exist`);
  return record.version;
}

/** A record's value, `null` if there is none. */
export async function valueOf(adapter: StorageAdapter, key: string): Promise<unknown> {
  return (await adapter.get(COLLECTION, key))?.value ?? null;
}

/** The key of the record that has a unique string, `null` if there is none. */
export async function holderOf(adapter: StorageAdapter, unique: string): Promise<string | null> {
  return (await adapter.find(COLLECTION, unique))?.key ?? null;
}

/** The keys of a list. */
export async function listKeys(
  adapter: StorageAdapter,
  ...[index, text, options]: [index: 0 | 1, text: string, options?: ListRecordsOptions]
): Promise<string[]> {
  const found = options === undefined
    ? await adapter.list(COLLECTION, index, text)
    : await adapter.list(COLLECTION, index, text, options);
  return found.map(({ key }) => key);
}

/** Everything that a log may show of an error: name, message, stack, cause and other fields, recursively. */
export function shown(value: unknown, met: Set<unknown> = new Set()): string {
  if (typeof value === "string") return `"${value}"`;
  if (typeof value !== "object" || value === null) return String(value);
  if (met.has(value)) return "(again)";
  met.add(value);
  const members = Reflect.ownKeys(value).map((name) =>
    `${String(name)}: ${shown(Reflect.get(value, name), met)}`
  );
  return `${value instanceof Error ? value.name : ""} {${members.join(", ")}}`;
}

/** Asserts that a record is found unchanged, by key and by index entries. */
export async function assertKept(
  adapter: StorageAdapter,
  key: string,
  { collection = COLLECTION, why = key, ...record }: StoredRecord & {
    readonly collection?: string;
    readonly why?: string;
  },
): Promise<void> {
  const { value, expiresAt, unique, index = [] } = record;
  const found = await adapter.get(collection, key);
  assert(found !== null, `${why}: get() finds nothing`);
  const { version } = found;
  const expected = expiresAt === undefined ? { value, version } : { value, version, expiresAt };
  assertEquals(found, expected, why);
  if (unique !== undefined) {
    assertEquals(await adapter.find(collection, unique), { key, ...expected }, why);
  }
  for (const which of [0, 1] as const) {
    const text = index[which];
    if (text === undefined) continue;
    const listed = await adapter.list(collection, which, text);
    assertEquals(listed.filter((each) => each.key === key), [{ key, ...expected }], why);
  }
}

/** Asserts that no record is found by a record's key and strings. */
export async function assertGone(
  adapter: StorageAdapter,
  key: string,
  { collection = COLLECTION, why = key, unique, index = [] }: Omit<StoredRecord, "value"> & {
    readonly collection?: string;
    readonly why?: string;
  } = {},
): Promise<void> {
  assertEquals(await adapter.get(collection, key), null, `${why}: get()`);
  if (unique !== undefined) {
    assertEquals(await adapter.find(collection, unique), null, `${why}: find()`);
  }
  for (const which of [0, 1] as const) {
    const text = index[which];
    if (text === undefined) continue;
    const listed = (await adapter.list(collection, which, text)).map((each) => each.key);
    assertEquals(listed.includes(key), false, `${why}: list()`);
  }
}
