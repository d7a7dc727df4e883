/**
 * The contracts of the stores on every runtime: those in memory, and those that are made of an adapter.
 *
 * @module
 */

import { inMemoryAuthStores } from "../../mod.ts";
import { memoryAdapters } from "../contracts/_memory_adapter.ts";
import { adapterContracts, storeContract } from "./contract_cases.ts";
import type { RuntimeCase } from "./harness.ts";

/** The cases, in the order in which they run. */
export const storeCases: readonly RuntimeCase[] = [
  ...storeContract({
    name: "stores: inMemoryAuthStores()",
    open: (now) => ({ stores: [inMemoryAuthStores({ now })] }),
  }),
  ...adapterContracts({
    name: "stores: memoryAdapter()",
    open: (now) => ({ adapters: memoryAdapters({ now }) }),
  }),
];
