/** The stores over a storage adapter, a correct one and a naive one. */

import { assertEquals, AssertionError, assertRejects, assertThrows } from "@std/assert";
import type { StorageAdapter } from "../../auth/stores/adapter.ts";
import {
  authStores,
  repoApiKeyStore,
  repoSessionStore,
  repoUserStore,
} from "../../auth/stores/repo.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import {
  type ContractCase,
  CONTRACTS,
  FAMILIES,
  type Family,
  registerContracts,
  runCase,
  type StoreImplementation,
} from "./_contract.ts";
import { memoryAdapter, memoryAdapters } from "./_memory_adapter.ts";
import { naiveAdapter } from "./_naive_adapter.ts";

registerContracts({
  name: "authStores(memoryAdapter())",
  open: (now) => ({ stores: storesOf(memoryAdapters({ now })) }),
});

// Adapters must not depend on calls that complete synchronously
registerContracts({
  name: "authStores(memoryAdapter()) with latency",
  open: (now) => ({ stores: storesOf(memoryAdapters({ now, turns: [1, 4, 2] })) }),
});

registerContracts({
  name: "authStores(memoryAdapter()) without take()",
  families: ["states"],
  open: (now) => ({ stores: storesOf(memoryAdapters({ now, take: false, turns: [1, 3] })) }),
});

function storesOf(
  [first, ...others]: readonly [StorageAdapter, ...StorageAdapter[]],
): [AuthStores, ...AuthStores[]] {
  return [authStores(first), ...others.map(authStores)];
}

Deno.test("authStores() throws TypeError if the adapter has no atomic hook", () => {
  assertThrows(() => authStores(memoryAdapter({ now: () => 0, atomic: false })), TypeError);
});

const WITHOUT_ATOMIC: StoreImplementation = {
  name: "authStores(memoryAdapter()) without atomic",
  families: ["users", "sessions", "apiKeys"],
  open(now) {
    const adapter = memoryAdapter({ now, atomic: false });
    return {
      stores: [{
        users: repoUserStore({ adapter }),
        sessions: repoSessionStore({ adapter }),
        apiKeys: repoApiKeyStore({ adapter }),
      }],
    };
  },
};

/** Not written without the hook, because it could restore revoked records: uses, and rehashed passwords. */
const UNKEPT: ReadonlySet<string> = new Set([
  "users.update() changes the members of the patch, and the version every time",
  "sessions.touch() changes activeAt only, not the expiry",
  "apiKeys.find(), list() and touch() return a key from its expiry on, until it is revoked",
  "apiKeys.touch() changes lastUsedAt only: from absent, forwards, and backwards",
]);

for (const family of WITHOUT_ATOMIC.families ?? []) testWithoutAtomic(family);

function testWithoutAtomic<F extends Family>(family: F): void {
  const cases: readonly ContractCase<AuthStores[F]>[] = CONTRACTS[family];
  for (const contractCase of cases.filter(({ race }) => !race)) {
    const run = () => runCase(WITHOUT_ATOMIC, { family, contractCase });
    const name = `${family}.${contractCase.name}`;
    if (UNKEPT.has(name)) {
      Deno.test(`${WITHOUT_ATOMIC.name} ${name}: is not guaranteed`, async () => {
        await assertRejects(run, AssertionError);
      });
    } else {
      Deno.test(`${WITHOUT_ATOMIC.name} ${name}`, run);
    }
  }
}

Deno.test("CONTRACTS has every case that is not guaranteed without atomic", () => {
  const names = FAMILIES.flatMap((family) =>
    CONTRACTS[family].map(({ name }) => `${family}.${name}`)
  );
  assertEquals([...UNKEPT].filter((name) => !names.includes(name)), []);
});

const NAIVE: StoreImplementation = {
  name: "authStores(naiveAdapter())",
  open(now) {
    const adapter = naiveAdapter({ now });
    return { stores: [authStores(adapter), authStores(adapter)] };
  },
};

for (const family of FAMILIES) testNaive(family);

function testNaive<F extends Family>(family: F): void {
  const cases: readonly ContractCase<AuthStores[F]>[] = CONTRACTS[family];
  for (const contractCase of cases) {
    const run = () => runCase(NAIVE, { family, contractCase });
    const name = `${NAIVE.name} ${family}.${contractCase.name}`;
    if (contractCase.race) {
      Deno.test(`${name}: fails the race`, async () => {
        await assertRejects(run, AssertionError);
      });
    } else {
      Deno.test(`${name}: passes sequentially`, run);
    }
  }
}
