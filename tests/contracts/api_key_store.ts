/**
 * What every store of API keys must do.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import type { ApiKey, ApiKeyStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import {
  assertDetached,
  assertSoleOwner,
  atTimesAround,
  makePairs,
  ODD_KEYS,
  raceForOne,
  raceToEnd,
} from "./_helpers.ts";

const START = 1_700_000_000;
const END = START + 86_400;

function newApiKey(id: string, sub = "u1"): ApiKey {
  return { id, sub, keyHash: `hash of ${id}`, scope: ["notes:read"], createdAt: START };
}

async function createApiKey(store: ApiKeyStore, key: ApiKey): Promise<ApiKey> {
  await store.create(key);
  return key;
}

/** Ids of a user's keys, sorted. */
async function listIds(store: ApiKeyStore, sub: string): Promise<string[]> {
  return (await store.list(sub)).map(({ id }) => id).sort();
}

/** The cases. */
export const API_KEY_STORE_CASES: readonly ContractCase<ApiKeyStore>[] = [
  {
    name: "create() keeps every member, found by id and in the list",
    async run({ store }) {
      const key = await createApiKey(store, {
        ...newApiKey("k1"),
        name: "Ada's engine 🦊",
        scope: ["notes:read", "notes:write"],
        expiresAt: END,
        lastUsedAt: START + 60,
      });
      assertEquals(await store.find("k1"), key);
      assertEquals(await store.list("u1"), [key]);
    },
  },
  {
    name: "create() omits absent members, and keeps an empty array",
    async run({ store }) {
      const key = await createApiKey(store, { ...newApiKey("k1"), scope: [] });
      const found = await store.find("k1");
      assertEquals(found, key);
      const optional = ["name", "expiresAt", "lastUsedAt"];
      assertEquals(optional.filter((member) => member in (found ?? {})), []);
    },
  },
  {
    name: "create() rejects a taken id, of any user, and keeps the key",
    async run({ store }) {
      const key = await createApiKey(store, newApiKey("k1"));
      for (const sub of ["u1", "u2"]) {
        const other: ApiKey = { ...newApiKey("k1", sub), keyHash: "another" };
        await assertRejects(() => store.create(other), Error);
      }
      assertEquals(await store.find("k1"), key);
      assertEquals([await store.list("u1"), await store.list("u2")], [[key], []]);
    },
  },
  {
    name: "find() and list() return nothing for an unknown key or another member",
    async run({ store }) {
      assertEquals(await store.find("k1"), null);
      assertEquals(await store.list("u1"), []);
      await createApiKey(store, { ...newApiKey("k1"), name: "engine" });
      const foreign = ["", "k", "k11", "hash of k1", "engine", "__proto__", "constructor"];
      for (const id of [...foreign, "u1"]) assertEquals(await store.find(id), null, id);
      for (const sub of [...foreign, "k1", "u"]) assertEquals(await store.list(sub), [], sub);
    },
  },
  {
    name: "create(), list(), touch() and revoke() accept unusual keys",
    async run({ store }) {
      for (const [, key] of ODD_KEYS) await store.create(newApiKey(key, key));
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.find(key), newApiKey(key, key), why);
        assertEquals(await store.list(key), [newApiKey(key, key)], why);
        assertEquals(await store.touch(key, null, START), "updated", why);
        await store.revoke(key);
        assertEquals(await store.find(key), null, why);
        assertEquals(await store.list(key), [], why);
      }
    },
  },
  {
    name: "list() and revokeAll() do not confuse adjacent keys",
    async run({ store }) {
      for (const [id, sub] of [["b:c", "a"], ["c", "a:b"], ["b/d", "a"], ["d", "a/b"]] as const) {
        await store.create(newApiKey(id, sub));
      }
      assertEquals(await listIds(store, "a"), ["b/d", "b:c"]);
      assertEquals(await listIds(store, "a:b"), ["c"]);
      await store.revokeAll("a");
      assertEquals(await listIds(store, "a"), []);
      assertEquals(await listIds(store, "a/b"), ["d"]);
    },
  },
  {
    name: "find() and list() return keys that are detached",
    async run({ store }) {
      const key = newApiKey("k1");
      await store.create(key);
      const expected = newApiKey("k1");
      await assertDetached(key, { expected, find: () => store.find("k1") });
      await assertDetached<unknown>([], { expected: [expected], find: () => store.list("u1") });
    },
  },
  {
    name: "find(), list() and touch() return a key from its expiry on, until it is revoked",
    async run({ store, clock }) {
      const key = await createApiKey(store, { ...newApiKey("k1"), expiresAt: END });
      let lastUsedAt: number | null = null;
      await atTimesAround({ clock, end: END }, async ({ why }) => {
        const now = clock.now();
        const used = lastUsedAt === null ? key : { ...key, lastUsedAt };
        assertEquals(await store.find("k1"), used, why);
        assertEquals(await store.list("u1"), [used], why);
        assertEquals(await store.touch("k1", lastUsedAt, now), "updated", why);
        lastUsedAt = now;
        await store.create(newApiKey(`k${now}`, "u2")); // no write purges it
      });
      assertEquals((await store.find("k1"))?.lastUsedAt, END + 1);
      await store.revoke("k1");
      assertEquals([await store.find("k1"), await store.list("u1")], [null, []]);
    },
  },
  {
    name: "create() of an expired key keeps it",
    async run({ store, clock }) {
      clock.set(END);
      const key = await createApiKey(store, { ...newApiKey("k1"), expiresAt: START });
      assertEquals([await store.find("k1"), await store.list("u1")], [key, [key]]);
    },
  },
  {
    name: "touch() changes lastUsedAt only: from absent, forwards, and backwards",
    async run({ store }) {
      const key = await createApiKey(store, { ...newApiKey("k1"), expiresAt: END });
      const other = await createApiKey(store, newApiKey("k2"));
      let from: number | null = null;
      for (const to of [START + 60, START + 120, START + 120, START]) {
        assertEquals(await store.touch("k1", from, to), "updated");
        assertEquals(await store.find("k1"), { ...key, lastUsedAt: to });
        from = to;
      }
      assertEquals(await store.find("k2"), other);
      assertEquals(await listIds(store, "u1"), ["k1", "k2"]);
    },
  },
  {
    name: "touch() from another time, or from absent, is lost and does not change the key",
    async run({ store }) {
      const fresh = await createApiKey(store, newApiKey("k1"));
      for (const from of [0, START, START + 60]) {
        assertEquals(await store.touch("k1", from, START + 60), "lost");
      }
      assertEquals(await store.find("k1"), fresh);
      const used = await createApiKey(store, { ...newApiKey("k2"), lastUsedAt: START });
      for (const from of [null, 0, START - 1, START + 1]) {
        assertEquals(await store.touch("k2", from, START + 60), "lost");
      }
      assertEquals(await store.find("k2"), used);
      await store.create({ ...newApiKey("k3"), lastUsedAt: 0 });
      assertEquals(await store.touch("k3", null, START), "lost", "0 is a time, not absent");
      assertEquals(await store.touch("k3", 0, START), "updated");
    },
  },
  {
    name: "touch() of a key that does not exist creates none",
    async run({ store }) {
      for (const from of [null, START]) {
        assertEquals(await store.touch("k1", from, START + 60), "lost");
      }
      await createApiKey(store, newApiKey("k1"));
      await store.revoke("k1");
      assertEquals(await store.touch("k1", null, START + 60), "lost");
      assertEquals([await store.find("k1"), await store.list("u1")], [null, []]);
    },
  },
  {
    name: "revoke() deletes one key and frees its id, and may be repeated",
    async run({ store }) {
      await store.revoke("k1");
      await createApiKey(store, newApiKey("k1"));
      const second = await createApiKey(store, newApiKey("k2"));
      await store.revoke("k1");
      await store.revoke("k1");
      assertEquals(await store.find("k1"), null);
      assertEquals(await store.list("u1"), [second]);
      const again = await createApiKey(store, newApiKey("k1", "u2"));
      assertEquals([await store.list("u1"), await store.list("u2")], [[second], [again]]);
    },
  },
  {
    name: "revokeAll() deletes a user's keys, and no other user's; it may be repeated",
    async run({ store }) {
      await store.revokeAll("u1");
      for (const id of ["k1", "k2", "k3"]) await store.create(newApiKey(id));
      await store.create({ ...newApiKey("k4"), expiresAt: START });
      const other = await createApiKey(store, newApiKey("k5", "u2"));
      await store.revokeAll("u1");
      await store.revokeAll("u1");
      assertEquals(await store.list("u1"), []);
      for (const id of ["k1", "k2", "k3", "k4"]) assertEquals(await store.find(id), null, id);
      assertEquals([await store.find("k5"), await store.list("u2")], [other, [other]]);
    },
  },
  {
    name: "create() lets one of many have an id",
    race: true,
    async run(subject) {
      const { store } = subject;
      const winner = await raceForOne(subject, {
        start: (each, racer) =>
          each.create(newApiKey("k1", `u${racer}`)).then(() => "created", () => "taken"),
        won: "created",
        lost: "taken",
      });
      assertEquals((await store.find("k1"))?.sub, `u${winner}`);
      await assertSoleOwner(store, winner);
    },
  },
  {
    name: "touch() lets one of many record the first use, and one of many the next",
    race: true,
    async run(subject) {
      await subject.store.create(newApiKey("k1"));
      let from: number | null = null;
      for (const time of [START, START + 1_000]) {
        const winner = await raceForOne(subject, {
          start: (store, racer) => store.touch("k1", from, time + racer),
          won: "updated",
          lost: "lost",
        });
        from = time + winner;
        assertEquals((await subject.store.find("k1"))?.lastUsedAt, from);
      }
    },
  },
  {
    name: "touch() concurrent with revoke() restores no key",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createApiKey(store, newApiKey(`k${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { id }) => each.revoke(id),
        change: (each, { id }) => each.touch(id, null, START + 60),
      });
      for (const { id } of items) assertEquals(await store.find(id), null);
      assertEquals(await store.list("u1"), []);
    },
  },
  {
    name: "touch() concurrent with revokeAll() restores no key",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createApiKey(store, newApiKey(`k${i}`, `u${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { sub }) => each.revokeAll(sub),
        change: (each, { id }) => each.touch(id, null, START + 60),
      });
      for (const { id, sub } of items) {
        assertEquals(await store.find(id), null);
        assertEquals(await store.list(sub), []);
      }
    },
  },
];
