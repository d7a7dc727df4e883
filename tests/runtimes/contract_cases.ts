/**
 * The contracts of stores, and of what they keep things in, as cases.
 *
 * @module
 */

import {
  CONTRACTS,
  FAMILIES,
  type Family,
  runCase,
  type StoreImplementation,
} from "../contracts/_contract.ts";
import {
  type AdapterImplementation,
  runStorageCase,
  STORAGE_CASES,
  storesOver,
} from "../contracts/storage_adapter.ts";
import type { RuntimeCase } from "./harness.ts";

/** A case for each promise of each store that an implementation has. */
export function storeContract(implementation: StoreImplementation): readonly RuntimeCase[] {
  const { families = FAMILIES } = implementation;
  return families.flatMap((family) => familyContract(implementation, family));
}

function familyContract<F extends Family>(
  implementation: StoreImplementation,
  family: F,
): readonly RuntimeCase[] {
  return CONTRACTS[family].map((contractCase) => ({
    name: `${implementation.name} ${family}.${contractCase.name}`,
    run: () => runCase(implementation, { family, contractCase }),
  }));
}

/** A case for each promise of an adapter that has the atomic hook, and of the stores over it. */
export function adapterContracts(implementation: AdapterImplementation): readonly RuntimeCase[] {
  return [...storageContract(implementation), ...storeContract(storesOver(implementation))];
}

function storageContract(implementation: AdapterImplementation): readonly RuntimeCase[] {
  return STORAGE_CASES.map((storageCase) => ({
    name: `${implementation.name} ${storageCase.name}`,
    run: () => runStorageCase(implementation, storageCase),
  }));
}
