/**
 * What every store of signing keys must do.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { KeyRing, KeyStore, StoredKey } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { assertDetached, ODD_KEYS, raceForOne } from "./_helpers.ts";

function newKey(kid: string): StoredKey {
  return {
    kid,
    alg: "ES256",
    key: { kty: "EC", crv: "P-256", x: "eA", y: "eQ", d: "ZA", key_ops: ["sign"] },
    createdAt: 1_700_000_000,
    activeAt: 1_700_003_600,
  };
}

/** Saves a ring and reads it. */
async function save(
  store: KeyStore,
  keys: readonly StoredKey[],
  expected: string | null = null,
): Promise<KeyRing> {
  assertEquals(await store.save(keys, expected), "saved");
  const ring = await store.load();
  assert(ring !== null);
  return ring;
}

/** The cases. */
export const KEY_STORE_CASES: readonly ContractCase<KeyStore>[] = [
  {
    name: "load() returns null before the first save",
    async run({ store }) {
      assertEquals(await store.load(), null);
      assertEquals(await store.load(), null);
    },
  },
  {
    name: "save() keeps every member, and the order",
    async run({ store }) {
      const keys: StoredKey[] = [
        { ...newKey("b"), retiredAt: 1_700_007_200 },
        { ...newKey("a"), alg: "EdDSA", key: "encrypted.text" },
        ...ODD_KEYS.map(([, kid]) => newKey(kid)),
      ];
      const ring = await save(store, keys);
      assertEquals(ring.keys, keys);
      assertEquals(typeof ring.version, "string");
      assertEquals("retiredAt" in (ring.keys[1] ?? {}), false);
      assertEquals(await store.load(), ring);
    },
  },
  {
    name: "save() keeps an empty ring, which is not the same as none",
    async run({ store }) {
      const ring = await save(store, []);
      assertEquals(ring.keys, []);
      assertEquals(await store.save([newKey("a")], null), "lost");
      assertEquals((await save(store, [newKey("a")], ring.version)).keys, [newKey("a")]);
    },
  },
  {
    name: "save() replaces the ring that was read, and changes its version every time",
    async run({ store }) {
      const versions = new Set<string>();
      let expected: string | null = null;
      for (
        const keys of [[newKey("a")], [newKey("b"), newKey("a")], [newKey("b")], [newKey("b")]]
      ) {
        const ring = await save(store, keys, expected);
        assertEquals(ring.keys, keys);
        versions.add(ring.version);
        expected = ring.version;
      }
      assertEquals(versions.size, 4);
    },
  },
  {
    name: "save() with another version is lost and does not change the ring",
    async run({ store }) {
      assertEquals(await store.save([newKey("a")], "1"), "lost", "no ring has no version");
      assertEquals(await store.load(), null);
      const first = await save(store, [newKey("a")]);
      const second = await save(store, [newKey("b")], first.version);
      for (const expected of [null, first.version, "", "__proto__"]) {
        assertEquals(await store.save([newKey("c")], expected), "lost", `${expected}`);
      }
      assertEquals(await store.load(), second);
    },
  },
  {
    name: "load() returns rings that are detached",
    async run({ store }) {
      const keys = [newKey("a")];
      const { version } = await save(store, keys);
      const expected = { version, keys: [newKey("a")] };
      await assertDetached<unknown>(keys, { expected, find: () => store.load() });
    },
  },
  {
    name: "load() returns keys that never expire",
    async run({ store, clock }) {
      const ring = await save(store, [{ ...newKey("a"), retiredAt: 1_700_007_200 }]);
      clock.set(1_700_007_200 + 10 * 365 * 86_400);
      assertEquals(await store.load(), ring);
    },
  },
  {
    name: "save() lets one of many create the first ring",
    race: true,
    async run(subject) {
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.save([newKey(`k${racer}`)], null),
        won: "saved",
        lost: "lost",
      });
      assertEquals((await subject.store.load())?.keys, [newKey(`k${winner}`)]);
    },
  },
  {
    name: "save() lets one of many replace a ring",
    race: true,
    async run(subject) {
      const { version } = await save(subject.store, [newKey("first")]);
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.save([newKey(`k${racer}`)], version),
        won: "saved",
        lost: "lost",
      });
      assertEquals((await subject.store.load())?.keys, [newKey(`k${winner}`)]);
    },
  },
];
