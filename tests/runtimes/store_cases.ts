/**
 * The contracts of the stores on every runtime: those in memory, and those that are made of an adapter.
 *
 * @module
 */

import { authStores, inMemoryAuthStores } from "../../mod.ts";
import { memoryAdapters } from "../contracts/_memory_adapter.ts";
import { storageContract, storeContract } from "./contract_cases.ts";
import type { RuntimeCase } from "./harness.ts";

/** The cases, in the order in which they run. */
export const storeCases: readonly RuntimeCase[] = [
  ...storeContract({
    name: "stores: inMemoryAuthStores()",
    open: (now) => ({ stores: [inMemoryAuthStores({ now })] }),
  }),
  ...storageContract({
    name: "stores: memoryAdapter()",
    open: (now) => ({ adapters: memoryAdapters({ now }) }),
  }),
  ...storeContract({
    name: "stores: authStores(memoryAdapter())",
    open(now) {
      const [first, ...others] = memoryAdapters({ now });
      return { stores: [authStores(first), ...others.map(authStores)] };
    },
  }),
];
