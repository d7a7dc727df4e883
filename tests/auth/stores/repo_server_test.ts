/** What the stores of an authorization server write, and in how many calls. */

import { assertEquals, assertRejects } from "@std/assert";
import type { CasResult, StorageAdapter } from "../../../auth/stores/adapter.ts";
import { repoAuthorizationStore, repoClientStore } from "../../../auth/stores/repo.ts";
import type { Authorization, AuthorizationBase, NewClient } from "../../../auth/stores/types.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import {
  clientOf,
  CREATED,
  deviceIssuedOf,
  devicePendingOf,
  findClient,
  issuedOf,
  pendingOf,
  pushedOf,
  redeemedOf,
  signInsOf,
  WHOLE_REQUEST,
} from "../../contracts/_server_records.ts";

const now = () => CREATED;

/** An authorization of each state. */
const WRITTEN: readonly (readonly [state: string, authorization: Authorization])[] = [
  ["pending", {
    ...pendingOf("a1"),
    request: WHOLE_REQUEST,
    seen: { authTime: CREATED, sessionId: "s1" },
  }],
  ["issued", {
    ...issuedOf("a1"),
    subject: { ...issuedOf("a1").subject, provider: { name: "google", issuer: "https://g" } },
  }],
  ["pushed", pushedOf("a1")],
  ["device_pending", { ...devicePendingOf("a1"), browser: "digest of a cookie" }],
  ["device_issued", deviceIssuedOf("a1")],
  ["redeemed", redeemedOf("a1", "g1")],
  ["sign_ins", signInsOf("a1")],
  ["denied", { ...baseOf(pendingOf("a1")), state: "denied" }],
];

for (const [state, authorization] of WRITTEN) {
  Deno.test(`repoAuthorizationStore() stores an authorization as it is: ${state}`, async () => {
    const adapter = memoryAdapter({ now });
    const store = repoAuthorizationStore({ adapter });
    await store.create(issuedOf("a1"));
    const { version = "" } = await store.find("a1") ?? {};
    assertEquals(await store.update(authorization, version), "updated");
    assertEquals((await adapter.get("authorizations", "a1"))?.value, authorization);
  });
}

Deno.test("repoClientStore() stores a client as it is, without its version", async () => {
  const adapter = memoryAdapter({ now });
  const store = repoClientStore({ adapter });
  const client: NewClient = { ...clientOf("c1"), secretHashes: ["h"], disabled: false };
  await store.create({ ...client, version: "1" } as NewClient);
  assertEquals((await adapter.get("oauth_clients", "c1"))?.value, client);
  const { version } = await findClient(store, "c1");
  assertEquals(await store.update({ ...client, version }), "updated");
  assertEquals((await adapter.get("oauth_clients", "c1"))?.value, client);
});

Deno.test("repoAuthorizationStore() takes one call of the adapter for each method", async () => {
  const calls: string[] = [];
  const store = repoAuthorizationStore({ adapter: counting(calls) });
  await store.create(pendingOf("a1"));
  const { version = "" } = await store.find("a1") ?? {};
  await store.update(issuedOf("a1"), version);
  await store.update(redeemedOf("a1", "g1"), version);
  assertEquals(calls, ["cas", "get", "cas", "cas"]);
});

Deno.test("repoClientStore() reads after an update only if it was lost", async () => {
  const calls: string[] = [];
  const store = repoClientStore({ adapter: counting(calls) });
  await store.create(clientOf("c1"));
  const client = await findClient(store, "c1");
  assertEquals(await store.update(client), "updated");
  assertEquals(await store.update(client), "lost");
  assertEquals(await store.update({ ...client, clientId: "c2" }), "not_found");
  assertEquals(calls, ["cas", "get", "cas", "cas", "get", "cas", "get"]);
});

Deno.test("repoAuthorizationStore() rejects a taken id with a message that does not contain it", async () => {
  const store = repoAuthorizationStore({ adapter: memoryAdapter({ now }) });
  await store.create(pendingOf("a1"));
  const { message } = await assertRejects(() => store.create(issuedOf("a1")), Error);
  assertEquals(message, "Cannot create authorization: its id is taken");
});

Deno.test("repoAuthorizationStore() and repoClientStore() reject if the adapter fails", async () => {
  const failed = () => Promise.reject(new Error("gone"));
  const adapter = { ...memoryAdapter({ now }), get: failed, list: failed, delete: failed };
  const options = { adapter: { ...adapter, atomic: { cas: failed } } };
  const authorizations = repoAuthorizationStore(options);
  const clients = repoClientStore(options);
  for (
    const call of [
      () => authorizations.create(pendingOf("a1")),
      () => authorizations.find("a1"),
      () => authorizations.update(pendingOf("a1"), "1"),
      () => clients.create(clientOf("c1")),
      () => clients.find("c1"),
      () => clients.update({ ...clientOf("c1"), version: "1" }),
      () => clients.delete("c1"),
      () => clients.list({ limit: 1 }),
    ]
  ) await assertRejects(async () => void await call(), Error, "gone");
});

function baseOf({ id, issuer, clientId, createdAt, expiresAt }: AuthorizationBase) {
  return { id, issuer, clientId, createdAt, expiresAt };
}

/** An adapter that records the calls to it. */
function counting(calls: string[]): StorageAdapter {
  const inner = memoryAdapter({ now });
  return {
    ...inner,
    get(...args) {
      calls.push("get");
      return inner.get(...args);
    },
    atomic: {
      async cas(...args): Promise<CasResult> {
        calls.push("cas");
        return await inner.atomic?.cas(...args) ?? { status: "lost" };
      },
    },
  };
}
