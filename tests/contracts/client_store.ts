/**
 * What every store of clients must do.
 *
 * @module
 */

import { assertEquals, assertNotEquals } from "@std/assert";
import type { ClientStore, NewClient, RegisteredClient } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { assertDetached, makePairs, ODD_KEYS, race, raceForOne, raceToEnd } from "./_helpers.ts";
import { clientOf, findClient } from "./_server_records.ts";
import { compareUtf8 } from "./_utf8.ts";

/** A client with every member. */
const WHOLE: NewClient = {
  ...clientOf("c1"),
  type: "native",
  redirectUris: ["http://127.0.0.1/callback", "com.example.shop:/callback"],
  postLogoutRedirectUris: ["com.example.shop:/signed-out"],
  backchannelLogoutUri: "https://shop.example/logout",
  authentication: "client_secret_post",
  secretHashes: ["newest", "older"],
  jwks: {
    keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }],
  },
  jwksUri: "https://shop.example/jwks.json",
  grants: ["authorization_code", "refresh_token"],
  scope: ["openid", "notes:read"],
  firstParty: false,
  clientUri: "https://shop.example/",
  dpopBound: true,
  introspects: ["https://api.example"],
  requirePushedRequests: true,
  disabled: true,
};

/** The cases. */
export const CLIENT_STORE_CASES: readonly ContractCase<ClientStore>[] = [
  {
    name: "create() keeps every member, found by id and in the list",
    async run({ store }) {
      assertEquals(await store.create(WHOLE), "created");
      const found = await findClient(store, "c1");
      assertEquals(withoutVersion(found), WHOLE);
      assertEquals(typeof found.version === "string" && found.version !== "", true);
      assertEquals(await store.list({ limit: 10 }), [found]);
    },
  },
  {
    name: "create() omits absent members",
    async run({ store }) {
      await store.create(clientOf("c1"));
      const members = Object.keys(withoutVersion(await findClient(store, "c1")));
      assertEquals(members.sort(), Object.keys(clientOf("c1")).sort());
    },
  },
  {
    name: "create() rejects a taken id, and keeps the client",
    async run({ store }) {
      await store.create(WHOLE);
      const before = await findClient(store, "c1");
      assertEquals(await store.create(clientOf("c1")), "taken");
      assertEquals(await store.create({ ...before, name: "other" }), "taken");
      assertEquals(await store.find("c1"), before);
      assertEquals((await store.list({ limit: 10 })).length, 1);
    },
  },
  {
    name: "find() and delete() do not confuse ids, nor members with ids",
    async run({ store }) {
      await store.create(WHOLE);
      for (const key of ["", "C1", "c", "c11", "c1 ", "Shop", "newest", "all", "__proto__"]) {
        assertEquals(await store.find(key), null, key);
        await store.delete(key);
      }
      assertEquals(withoutVersion(await findClient(store, "c1")), WHOLE);
    },
  },
  {
    name: "create(), find(), update() and delete() accept unusual keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) {
        assertEquals(await store.create(clientOf(key)), "created", why);
      }
      for (const [why, key] of ODD_KEYS) {
        const found = await findClient(store, key);
        assertEquals(withoutVersion(found), clientOf(key), why);
        assertEquals(await store.update({ ...found, name: why }), "updated", why);
        assertEquals((await store.find(key))?.name, why);
        await store.delete(key);
        assertEquals(await store.find(key), null, why);
      }
      assertEquals(await store.list({ limit: 10 }), []);
    },
  },
  {
    name: "find() and list() return clients that are detached",
    async run({ store }) {
      const client = structuredClone(WHOLE);
      await store.create(client);
      const expected = await findClient(store, "c1");
      await assertDetached<unknown>(client, {
        expected: structuredClone(expected),
        find: () => store.find("c1"),
      });
      await assertDetached<unknown>(client, {
        expected: [structuredClone(expected)],
        find: () => store.list({ limit: 1 }),
      });
    },
  },
  {
    name: "find() and list() return a client at all times",
    async run({ store, clock }) {
      await store.create(clientOf("c1"));
      const found = await findClient(store, "c1");
      for (const years of [1, 10, 100]) {
        clock.set(found.registeredAt + years * 31_557_600);
        assertEquals(await store.find("c1"), found, `${years}`);
        assertEquals(await store.list({ limit: 10 }), [found], `${years}`);
      }
    },
  },
  {
    name:
      "find() and list() return no client from its expiresAt on, which update() moves or removes",
    async run({ store, clock }) {
      const { registeredAt } = clientOf("c1");
      const [first, second] = [registeredAt + 60, registeredAt + 600];
      for (const id of ["c1", "c2"]) await store.create({ ...clientOf(id), expiresAt: first });
      clock.set(first - 1);
      const found = await findClient(store, "c1");
      assertEquals(withoutVersion(found), { ...clientOf("c1"), expiresAt: first });
      assertEquals(await store.update({ ...found, expiresAt: second }), "updated");
      clock.set(first);
      assertEquals(await store.find("c2"), null);
      const ids = (await store.list({ limit: 10 })).map(({ clientId }) => clientId);
      assertEquals(ids, ["c1"]);
      assertEquals(await store.create({ ...clientOf("c2"), expiresAt: second }), "created");
      const { version } = await findClient(store, "c1");
      assertEquals(await store.update({ ...clientOf("c1"), version }), "updated");
      clock.set(second);
      assertEquals([await store.find("c2"), await store.find("c1") === null], [null, false]);
      const { version: old, ...expired } = { ...clientOf("c2"), expiresAt: second, version: "1" };
      assertEquals(await store.update({ ...expired, version: old }), "not_found");
    },
  },
  {
    name: "list() returns all clients in the order of their ids, in pages",
    async run({ store }) {
      assertEquals(await store.list({ limit: 10 }), []);
      const ids = ["b", "a", "c", "é", "B", "🔑", "\uffee"];
      for (const id of ids) await store.create(clientOf(id));
      const expected = [...ids].sort(compareUtf8);
      const listed = await store.list({ limit: 100 });
      assertEquals(listed.map(({ clientId }) => clientId), expected);
      for (const client of listed) assertEquals(client, await store.find(client.clientId));
      const paged: string[] = [];
      for (;;) {
        const page = await store.list({ limit: 3, after: paged.at(-1) });
        if (page.length === 0) break;
        paged.push(...page.map(({ clientId }) => clientId));
      }
      assertEquals(paged, expected);
    },
  },
  {
    name: "list() returns updated clients once, and no deleted ones",
    async run({ store }) {
      for (const id of ["c1", "c2", "c3"]) await store.create(clientOf(id));
      const first = await findClient(store, "c1");
      assertEquals(await store.update({ ...first, name: "renamed" }), "updated");
      await store.delete("c2");
      const listed = await store.list({ limit: 100 });
      assertEquals(listed.map(({ clientId, name }) => [clientId, name]), [
        ["c1", "renamed"],
        ["c3", "Shop"],
      ]);
      const rest = await store.list({ limit: 100, after: "c2" });
      assertEquals(rest.map(({ clientId }) => clientId), ["c3"], "after a deleted client");
    },
  },
  {
    name: "update() replaces every member, removes absent ones, and changes the version every time",
    async run({ store }) {
      await store.create(WHOLE);
      const versions = [(await findClient(store, "c1")).version];
      const steps = [clientOf("c1"), WHOLE, { ...WHOLE, disabled: false }, clientOf("c1")];
      for (const [step, next] of [...steps, clientOf("c1")].entries()) {
        const version = versions.at(-1) ?? "";
        assertEquals(await store.update({ ...next, version }), "updated", `${step}`);
        const found = await findClient(store, "c1");
        assertEquals(withoutVersion(found), next, `${step}`);
        assertEquals(Object.keys(found).length, Object.keys(next).length + 1, `${step}`);
        versions.push(found.version);
      }
      assertEquals(new Set(versions).size, versions.length);
    },
  },
  {
    name: "update() with another version is lost, and a revoked secret stays revoked",
    async run({ store }) {
      await store.create(WHOLE);
      const first = await findClient(store, "c1");
      assertEquals(await store.update({ ...first, secretHashes: ["newest"] }), "updated");
      const before = await findClient(store, "c1");
      for (const version of [first.version, "", "0", `${before.version}0`, "__proto__"]) {
        assertEquals(await store.update({ ...first, version }), "lost", version);
      }
      assertEquals(await store.find("c1"), before);
    },
  },
  {
    name: "update() of an unknown client creates none",
    async run({ store }) {
      assertEquals(await store.update({ ...clientOf("c1"), version: "1" }), "not_found");
      await store.create(clientOf("c1"));
      const client = await findClient(store, "c1");
      assertEquals(await store.update({ ...client, clientId: "c2" }), "not_found");
      await store.delete("c1");
      assertEquals(await store.update(client), "not_found");
      assertEquals(await store.find("c1"), null);
      assertEquals(await store.find("c2"), null);
    },
  },
  {
    name: "update() with the version of a client that was deleted and created again is lost",
    async run({ store }) {
      await store.create(WHOLE);
      const client = await findClient(store, "c1");
      await store.delete("c1");
      assertEquals(await store.create(clientOf("c1")), "created");
      assertNotEquals((await findClient(store, "c1")).version, client.version);
      assertEquals(await store.update(client), "lost");
      assertEquals(withoutVersion(await findClient(store, "c1")), clientOf("c1"));
    },
  },
  {
    name: "delete() frees the id, and may be repeated",
    async run({ store }) {
      await store.delete("c1");
      await store.create(WHOLE);
      await store.create(clientOf("c2"));
      await store.delete("c1");
      await store.delete("c1");
      assertEquals(await store.find("c1"), null);
      assertEquals((await store.list({ limit: 10 })).map(({ clientId }) => clientId), ["c2"]);
      assertEquals(await store.create(clientOf("c1")), "created");
      assertEquals(withoutVersion(await findClient(store, "c1")), clientOf("c1"));
    },
  },
  {
    name: "create() lets one of many have an id",
    race: true,
    async run(subject) {
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.create({ ...clientOf("c1"), name: `n${racer}` }),
        won: "created",
        lost: "taken",
      });
      assertEquals((await findClient(subject.store, "c1")).name, `n${winner}`);
      assertEquals((await subject.store.list({ limit: 10 })).length, 1);
    },
  },
  {
    name: "update() lets one of many writers of one version win",
    race: true,
    async run(subject) {
      await subject.store.create(WHOLE);
      const client = await findClient(subject.store, "c1");
      const winner = await raceForOne<ClientStore, string>(subject, {
        start: (store, racer) => store.update({ ...client, name: `n${racer}` }),
        won: "updated",
        lost: "lost",
      });
      assertEquals((await findClient(subject.store, "c1")).name, `n${winner}`);
    },
  },
  {
    name: "update() that adds a secret loses none of those that others add",
    race: true,
    async run(subject) {
      await subject.store.create({ ...WHOLE, secretHashes: [] });
      const count = 12; // each of them retries until it wins
      await race(subject, async (store, racer) => {
        for (;;) {
          const client = await findClient(store, "c1");
          const secretHashes = [...client.secretHashes ?? [], `s${racer}`];
          if (await store.update({ ...client, secretHashes }) === "updated") return;
        }
      }, count);
      const { secretHashes = [] } = await findClient(subject.store, "c1");
      const expected = Array.from({ length: count }, (_, racer) => `s${racer}`);
      assertEquals([...secretHashes].sort(), expected.sort());
    },
  },
  {
    name: "update() concurrent with delete() restores no client",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs(async (index) => {
        await store.create(clientOf(`c${index}`));
        return await findClient(store, `c${index}`);
      });
      await raceToEnd(subject, {
        items,
        end: (each, { clientId }) => each.delete(clientId),
        change: (each, client) => each.update({ ...client, name: "late" }),
      });
      for (const { clientId } of items) assertEquals(await store.find(clientId), null);
      assertEquals(await store.list({ limit: 10 }), []);
    },
  },
];

/** A client as it was created. */
function withoutVersion({ version: _, ...client }: RegisteredClient): NewClient {
  return client;
}
