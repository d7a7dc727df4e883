/** The contract of storage adapters: correct adapters pass, defective ones fail. */

import { assert, assertEquals, AssertionError, assertRejects } from "@std/assert";
import type { AuthStores } from "../../auth/stores/types.ts";
import {
  type ContractCase,
  CONTRACTS,
  FAMILIES,
  type Family,
  runCase,
  type StoreImplementation,
} from "./_contract.ts";
import { defectiveAdapter } from "./_defective_adapters.ts";
import { END_DEFECTS, VERSION_DEFECTS } from "./_defects_expiry.ts";
import { FINDING_DEFECTS, RECORD_DEFECTS } from "./_defects_strings.ts";
import { memoryAdapters } from "./_memory_adapter.ts";
import { naiveAuthStores } from "./_naive.ts";
import { naiveAdapter } from "./_naive_adapter.ts";
import {
  type AdapterImplementation,
  registerStorageContract,
  runStorageCase,
  STORAGE_CASES,
} from "./storage_adapter.ts";

registerStorageContract({
  name: "memoryAdapter()",
  open: (now) => ({ adapters: memoryAdapters({ now }) }),
});

// Adapters must not depend on calls that complete synchronously
registerStorageContract({
  name: "memoryAdapter() with latency",
  open: (now) => ({ adapters: memoryAdapters({ now, turns: [1, 4, 2] }) }),
});

registerStorageContract({
  name: "memoryAdapter() without take()",
  open: (now) => ({ adapters: memoryAdapters({ now, take: false }) }),
});

registerStorageContract({
  name: "memoryAdapter() without atomic",
  atomic: false,
  open: (now) => ({ adapters: memoryAdapters({ now, atomic: false }) }),
});

const NAIVE: readonly AdapterImplementation[] = [
  { name: "naiveAdapter()", open: (now) => ({ adapters: [naiveAdapter({ now })] }) },
  {
    name: "naiveAdapter() with two objects",
    open(now) {
      const adapter = naiveAdapter({ now });
      return { adapters: [adapter, { ...adapter }] };
    },
  },
];

Deno.test("STORAGE_CASES has races, and all of them need the atomic hook", () => {
  const races = STORAGE_CASES.filter(({ race }) => race);
  assert(races.length > 0);
  assert(races.every(({ atomic }) => atomic));
});

for (const storageCase of STORAGE_CASES) {
  for (const naive of NAIVE) {
    const run = () => runStorageCase(naive, storageCase);
    const name = `${naive.name} ${storageCase.name}`;
    if (storageCase.race) {
      Deno.test(`${name}: fails the race`, async () => {
        await assertRejects(run, AssertionError);
      });
    } else {
      Deno.test(`${name}: passes sequentially`, run);
    }
  }
}

const DEFECTS = [...END_DEFECTS, ...VERSION_DEFECTS, ...FINDING_DEFECTS, ...RECORD_DEFECTS];

for (const defect of DEFECTS) {
  const { why, found } = defect;
  Deno.test(`STORAGE_CASES detects the defect: ${why}`, async () => {
    const cases = STORAGE_CASES.filter(({ name }) => name.startsWith(found));
    assertEquals(cases.length, 1, "the case exists");
    for (const storageCase of cases) {
      const open = (now: () => number) => ({
        adapters: [defectiveAdapter(defect, { now })] as const,
      });
      await assertRejects(() => runStorageCase({ name: why, open }, storageCase), AssertionError);
    }
  });
}

// The contracts: stores without a compare-and-swap fail the races, and pass all other cases.

const NAIVE_STORES: StoreImplementation = {
  name: "naiveAuthStores()",
  open: (now) => ({ stores: [naiveAuthStores(now)] }),
};

/** One engine with two instances: decisions in memory fail the races. */
const NAIVE_STORES_TWICE: StoreImplementation = {
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
    for (const naive of [NAIVE_STORES, NAIVE_STORES_TWICE]) {
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
