/**
 * The contracts of the stores in memory, on every runtime.
 *
 * @module
 */

import { inMemoryAuthStores } from "../../mod.ts";
import { CONTRACTS, FAMILIES, type Family, runCase } from "../contracts/_contract.ts";
import type { RuntimeCase } from "./harness.ts";

/** The cases, in the order in which they run. */
export const storeCases: readonly RuntimeCase[] = FAMILIES.flatMap((family) => casesOf(family));

function casesOf<F extends Family>(family: F): readonly RuntimeCase[] {
  const memory = {
    name: "inMemoryAuthStores()",
    open: (now: () => number) => ({ stores: [inMemoryAuthStores({ now })] as const }),
  };
  return CONTRACTS[family].map((contractCase) => ({
    name: `stores: ${family}.${contractCase.name}`,
    run: () => runCase(memory, { family, contractCase }),
  }));
}
