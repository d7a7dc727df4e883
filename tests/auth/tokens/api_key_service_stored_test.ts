/** What engines with types of their own give back of API keys: nothing that is closed may open. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { ApiKey } from "../../../auth/stores/types.ts";
import { withKey, type WithKeys } from "./_api_keys.ts";
import { START } from "../_services.ts";

const NO_TEXTS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
const NO_TIMES: readonly unknown[] = [
  `${START}`,
  BigInt(START),
  new Date(START * 1_000),
  new Date(START * 1_000).toISOString(),
  NaN,
  Infinity,
  true,
];
const NO_LISTS: readonly unknown[] = [
  null,
  undefined,
  "",
  "notes:read",
  '["notes:read"]',
  { 0: "notes:read" },
  [7],
  [null],
];

const ODD: readonly [member: keyof ApiKey, values: readonly unknown[]][] = [
  ["id", NO_TEXTS],
  ["sub", NO_TEXTS],
  ["keyHash", NO_TEXTS],
  ["createdAt", [...NO_TIMES, null, undefined]],
  ["expiresAt", NO_TIMES],
  ["lastUsedAt", NO_TIMES],
  ["scope", NO_LISTS],
];
for (const [member, values] of ODD) {
  for (const value of values) {
    Deno.test(`an API key whose ${member} is ${shown(value)} lets nobody in, and loudly`, async () => {
      const { services: { apiKeys, key, calls, events }, odd } = await withOdd();
      odd.patch = { [member]: value };
      for (const attempt of [() => apiKeys.verify(key), () => apiKeys.list("u1")]) {
        const message = `Cannot use API key: the stored ${member} must be `;
        const error = await assertRejects(attempt, TypeError, message);
        assert(!error.message.includes("notes") && !error.message.includes(`${START}`));
      }
      assertEquals([calls, events], [["find", "list"], []]);
    });
  }
}

Deno.test("an API key that cannot be read can be revoked", async () => {
  const { services: { apiKeys, key, id, stores }, odd } = await withOdd();
  odd.patch = { scope: null, expiresAt: "never" };
  assertEquals(await apiKeys.revoke("u1", id), true);
  assertEquals([await stores.apiKeys.list("u1"), await apiKeys.verify(key)], [[], undefined]);
});

Deno.test("an API key shows nothing of what a store adds to it, and nothing of null", async () => {
  const { services: { apiKeys, key, id }, odd } = await withOdd();
  odd.patch = { name: null, expiresAt: null, lastUsedAt: null, ip: "192.0.2.1", version: 3 };
  const shown = { id, sub: "u1", scope: ["notes:read"], createdAt: START };
  assertEquals(await apiKeys.list("u1"), [shown]);
  assertEquals((await apiKeys.verify(key))?.apiKey, { ...shown, lastUsedAt: START });
});

Deno.test("an API key is looked at again where its use was noted by somebody else", async () => {
  let reads = 0;
  const { apiKeys, key } = await withKey({
    wrap: ({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        touch: () => Promise.resolve("lost"),
        async find(id) {
          const found = await apiKeys.find(id);
          if (found === null || reads++ === 0) return found;
          return { ...found, lastUsedAt: `${START}` as unknown as number };
        },
      },
    }),
  });
  await assertRejects(() => apiKeys.verify(key), TypeError, "the stored lastUsedAt");
});

Deno.test("inMemoryAuthStores() gives API keys that are frozen, and rejects a taken id without saying it", async () => {
  const { apiKeys } = inMemoryAuthStores({ now: () => START });
  const key: ApiKey = { id: "k1", sub: "u1", keyHash: "h", scope: ["a"], createdAt: START };
  await apiKeys.create(key);
  assertEquals([Object.isFrozen(key), Object.isFrozen(key.scope)], [false, false]);
  for (let round = 0; round < 2; round++) {
    const found = await apiKeys.find("k1");
    const list = await apiKeys.list("u1");
    for (const frozen of [found, found?.scope, list[0]]) assert(Object.isFrozen(frozen));
    await apiKeys.touch("k1", null, START);
  }
  const taken = () => apiKeys.create({ ...key, sub: "u2" });
  await assertRejects(taken, Error, "Cannot create API key: its id is taken");
});

/** Ada, a key of hers, and what it is changed to on its way out of the store. */
async function withOdd(): Promise<{
  readonly services: WithKeys & { readonly key: string; readonly id: string };
  readonly odd: { patch: object };
}> {
  const odd = { patch: {} };
  const oddOf = (key: ApiKey): ApiKey => ({ ...key, ...odd.patch });
  const services = await withKey({
    wrap: ({ apiKeys }) => ({
      apiKeys: {
        ...apiKeys,
        async find(id) {
          const found = await apiKeys.find(id);
          return found === null ? null : oddOf(found);
        },
        list: async (sub) => (await apiKeys.list(sub)).map(oddOf),
      },
    }),
  }, { scope: ["notes:read"] });
  return { services, odd };
}

function shown(value: unknown): string {
  if (value === "" || value instanceof Date) return value === "" ? "empty" : "a date";
  return `${typeof value} ${Array.isArray(value) ? "list " : ""}${value}`;
}
