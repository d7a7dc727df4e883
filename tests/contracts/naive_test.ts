/** The contracts themselves: their races find out stores that have no compare-and-swap, for no other reason. */

import { assert, AssertionError, assertRejects } from "@std/assert";
import type { AuthStores } from "../../auth/stores/types.ts";
import {
  type ContractCase,
  CONTRACTS,
  FAMILIES,
  type Family,
  runCase,
  type StoreImplementation,
} from "./_contract.ts";
import { naiveAuthStores } from "./_naive.ts";

const NAIVE: StoreImplementation = {
  name: "naiveAuthStores()",
  open: (now) => ({ stores: [naiveAuthStores(now)] }),
};

/** One engine with two objects: what a store must not decide in its own memory. */
const NAIVE_TWICE: StoreImplementation = {
  name: "naiveAuthStores() with two objects",
  open(now) {
    const stores = naiveAuthStores(now);
    return { stores: [stores, { ...stores }] };
  },
};

for (const family of FAMILIES) testFamily(family);

function testFamily<F extends Family>(family: F): void {
  const cases: readonly ContractCase<AuthStores[F]>[] = CONTRACTS[family];

  Deno.test(`CONTRACTS has races for ${family}`, () => {
    assert(cases.some(({ race }) => race));
  });

  for (const contractCase of cases) {
    for (const naive of [NAIVE, NAIVE_TWICE]) {
      const run = () => runCase(naive, { family, contractCase });
      const name = `${naive.name} ${family}.${contractCase.name}`;
      if (contractCase.race) {
        Deno.test(`${name}: fails the race`, async () => {
          await assertRejects(run, AssertionError);
        });
      } else {
        Deno.test(`${name}: passes sequentially`, run);
      }
    }
  }
}
