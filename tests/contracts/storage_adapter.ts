/**
 * The contract of every storage adapter, and how to run it: on the adapter itself, and on the stores over it.
 *
 * ```ts ignore
 * registerAdapter({
 *   name: "memoryAdapter()",
 *   open: (now) => ({ adapters: [memoryAdapter({ now })] }),
 * });
 * ```
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { StorageAdapter } from "../../auth/stores/adapter.ts";
import { authStores } from "../../auth/stores/repo.ts";
import { fakeClock, registerContracts, type StoreImplementation } from "./_contract.ts";
import { STORAGE_EXPIRY_CASES } from "./_storage_expiry.ts";
import type { StorageCase } from "./_storage_helpers.ts";
import { STORAGE_LIST_CASES } from "./_storage_lists.ts";
import { STORAGE_MEETING_CASES } from "./_storage_interleavings.ts";
import { STORAGE_RACE_CASES } from "./_storage_races.ts";
import { STORAGE_RECORD_CASES } from "./_storage_records.ts";
import { STORAGE_REFUSED_CASES } from "./_storage_rejections.ts";
import { STORAGE_SWAP_CASES } from "./_storage_swaps.ts";
import { STORAGE_UNIQUE_CASES } from "./_storage_unique.ts";

export type { StorageCase } from "./_storage_helpers.ts";

/** Adapters, for one case. */
export interface OpenAdapters {
  /** Adapters over one empty database. With more than one, decisions in memory fail the races. */
  readonly adapters: readonly [StorageAdapter, ...StorageAdapter[]];
  /** Closes and deletes the database. */
  readonly dispose?: () => Promise<void> | void;
}

/** An implementation of adapters. */
export interface AdapterImplementation {
  /** First part of the tests' names. */
  readonly name: string;
  /** Whether it has the atomic hook; without it only the cases that do not need it are run. @default {true} */
  readonly atomic?: boolean;
  /** Opens an empty database for one case. */
  open(now: () => number): Promise<OpenAdapters> | OpenAdapters;
}

/** The cases. */
export const STORAGE_CASES: readonly StorageCase[] = [
  ...STORAGE_RECORD_CASES,
  ...STORAGE_REFUSED_CASES,
  ...STORAGE_SWAP_CASES,
  ...STORAGE_EXPIRY_CASES,
  ...STORAGE_UNIQUE_CASES,
  ...STORAGE_LIST_CASES,
  ...STORAGE_RACE_CASES,
  ...STORAGE_MEETING_CASES,
];

/** Registers a test for each case of both contracts: the one of adapters, and the one of the stores over them. */
export function registerAdapter(implementation: AdapterImplementation): void {
  registerStorageContract(implementation);
  registerContracts(storesOver(implementation));
}

/** The stores over an implementation's adapters. */
export function storesOver({ name, open }: AdapterImplementation): StoreImplementation {
  return {
    name: `authStores() over ${name}`,
    async open(now) {
      const { adapters: [first, ...others], dispose } = await open(now);
      return {
        stores: [authStores(first), ...others.map((adapter) => authStores(adapter))],
        ...(dispose && { dispose }),
      };
    },
  };
}

/** Registers a test for each case that an implementation must pass. */
export function registerStorageContract(implementation: AdapterImplementation): void {
  const { name, atomic = true } = implementation;
  Deno.test(`${name} ${atomic ? "has an" : "has no"} atomic hook`, async () => {
    const { adapters, dispose } = await implementation.open(fakeClock().now);
    try {
      for (const adapter of adapters) assertEquals(adapter.atomic !== undefined, atomic);
    } finally {
      await dispose?.();
    }
  });
  for (const storageCase of STORAGE_CASES) {
    if (storageCase.atomic && !atomic) continue;
    Deno.test(`${name} ${storageCase.name}`, () => runStorageCase(implementation, storageCase));
  }
}

/** Runs one case on an empty database. Rejects if the implementation is wrong. */
export async function runStorageCase(
  implementation: AdapterImplementation,
  storageCase: StorageCase,
): Promise<void> {
  const clock = fakeClock();
  const { adapters, dispose } = await implementation.open(clock.now);
  try {
    await storageCase.run({ store: adapters[0], stores: adapters, clock });
  } finally {
    await dispose?.();
  }
}
