/** What somebody may ask for that nothing can be found by: no engine keeps a NUL or half a surrogate pair. */

import { assertEquals, assertRejects } from "@std/assert";
import { authStores } from "../../../auth/stores/repo.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";

const NOW = 1_700_000_000;

/** Ways to ask by a text that comes from a client, and what is heard of one that nobody has. */
const ASKED: readonly (readonly [
  name: string,
  ask: (stores: AuthStores, text: string) => Promise<unknown>,
  answer: unknown,
])[] = [
  ["users.findByIdentifier()", ({ users }, text) => users.findByIdentifier(text), null],
  ["users.findBySub()", ({ users }, text) => users.findBySub(text), null],
  ["users.delete()", ({ users }, text) => users.delete(text), undefined],
  ["sessions.findByTokenHash()", ({ sessions }, text) => sessions.findByTokenHash(text), null],
  ["sessions.list()", ({ sessions }, text) => sessions.list(text), []],
  ["sessions.touch()", ({ sessions }, text) => sessions.touch(text, NOW, NOW + 60), "lost"],
  ["sessions.revoke()", ({ sessions }, text) => sessions.revoke(text), undefined],
  ["sessions.revokeAll()", ({ sessions }, text) => sessions.revokeAll(text), undefined],
  ["states.consume()", ({ states }, text) => states.consume(text), null],
  ["credentials.find()", ({ credentials }, text) => credentials.find(text), null],
  ["refreshTokens.find()", ({ refreshTokens }, text) => refreshTokens.find(text), null],
  [
    "refreshTokens.rotate()",
    ({ refreshTokens }, familyId) =>
      refreshTokens.rotate({ familyId, fromHash: "a", toHash: "b", now: NOW, expiresAt: NOW + 60 }),
    "not_found",
  ],
  [
    "refreshTokens.revoke()",
    ({ refreshTokens }, familyId) => refreshTokens.revoke({ familyId }),
    undefined,
  ],
  ["apiKeys.find()", ({ apiKeys }, text) => apiKeys.find(text), null],
  ["apiKeys.touch()", ({ apiKeys }, text) => apiKeys.touch(text, null, NOW), "lost"],
  ["apiKeys.revoke()", ({ apiKeys }, text) => apiKeys.revoke(text), undefined],
];

for (const [name, ask, answer] of ASKED) {
  Deno.test(`authStores() ${name} finds nothing by what is no text`, async () => {
    const stores = authStores(memoryAdapter({ now: () => NOW }));
    for (const text of ["\0", "a\0b", "\ud83d", "a\udd11", "\udd11\ud83d"]) {
      assertEquals(await ask(stores, text), answer, JSON.stringify(text));
    }
  });
}

Deno.test("authStores() keeps nothing under what is no text", async () => {
  const { users, states } = authStores(memoryAdapter({ now: () => NOW }));
  const user = { sub: "u1", identifier: "a\0", securityStamp: "stamp", createdAt: NOW };
  await assertRejects(() => users.create(user), TypeError);
  assertEquals(await users.findBySub("u1"), null);
  await assertRejects(() => states.put("\ud83d", 1, NOW + 60), TypeError);
});
