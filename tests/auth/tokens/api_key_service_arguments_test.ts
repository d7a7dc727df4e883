import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { apiKeyService } from "../../../auth/tokens/api_key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { untyped } from "../../router/_helpers.ts";
import { withKeys } from "./_api_keys.ts";
import { refusal, repeat, START } from "../_services.ts";

const { apiKeys, users } = inMemoryAuthStores();
const SERVICES: readonly [why: string, options: unknown, error: typeof TypeError][] = [
  ["nothing", undefined, TypeError],
  ["null", null, TypeError],
  ["no store of keys", { users }, TypeError],
  ["no store of users", { apiKeys }, TypeError],
  ["a store without methods", { users, apiKeys: {} }, TypeError],
  ["users without methods", { users: {}, apiKeys }, TypeError],
  ["a prefix in capitals", { users, apiKeys, prefix: "KEY" }, RangeError],
  ["a prefix with an underscore", { users, apiKeys, prefix: "my_key" }, RangeError],
  ["an empty prefix", { users, apiKeys, prefix: "" }, RangeError],
  ["a prefix that is no text", { users, apiKeys, prefix: null }, TypeError],
  ["no keys at all", { users, apiKeys, maxPerUser: 0 }, RangeError],
  ["half a key", { users, apiKeys, maxPerUser: 1.5 }, RangeError],
  ["keys without number", { users, apiKeys, maxPerUser: NaN }, RangeError],
  ["keys without end", { users, apiKeys, maxPerUser: Infinity }, RangeError],
  ["a number as text", { users, apiKeys, maxPerUser: "5" }, RangeError],
];
for (const [why, options, error] of SERVICES) {
  Deno.test(`apiKeyService() refuses ${why}`, () => {
    const thrown = assertThrows(() => apiKeyService(untyped(options)), error);
    assert(thrown.message.startsWith("Cannot create API key service: "));
  });
}

const OPTIONS: readonly [why: string, options: unknown, error: typeof TypeError][] = [
  ["a name that is no text", { name: 7 }, TypeError],
  ["a name that is null", { name: null }, TypeError],
  ["an empty name", { name: "" }, RangeError],
  ["a name of spaces", { name: " \t\n\u00a0 " }, RangeError],
  ["a name of 101 characters", { name: "n".repeat(101) }, RangeError],
  ["a name with a line's end", { name: "Back\nup" }, RangeError],
  ["a name with NUL", { name: "Back\0up" }, RangeError],
  ["a name with an escape sequence", { name: "\x1b[31mBackup" }, RangeError],
  ["a name with DEL", { name: "Back\x7fup" }, RangeError],
  ["a name with a C1 control", { name: "Back\x85up" }, RangeError],
  ["a name with Unicode's line's end", { name: "Back\u2028up" }, RangeError],
  ["a name with half a character", { name: "Back\ud800up" }, RangeError],
  ["a scope that is a text", { scope: "notes:read" }, TypeError],
  ["a scope that is null", { scope: null }, TypeError],
  ["a scope that is a set", { scope: new Set(["a"]) }, TypeError],
  ["a scope with a number", { scope: ["a", 7] }, TypeError],
  ["a scope with a hole", { scope: new Array(1) }, TypeError],
  ["an empty token", { scope: [""] }, RangeError],
  ["two tokens in one", { scope: ["notes:read notes:write"] }, RangeError],
  ["a token with a quote", { scope: ['a"b'] }, RangeError],
  ["a token with a backslash", { scope: ["a\\b"] }, RangeError],
  ["a token with a line's end", { scope: ["a\n"] }, RangeError],
  ["a token beyond ASCII", { scope: ["ü"] }, RangeError],
  ["a token with DEL", { scope: ["a\x7f"] }, RangeError],
  ["a token of 201 characters", { scope: ["s".repeat(201)] }, RangeError],
  ["a token twice", { scope: ["a", "b", "a"] }, RangeError],
  ["an end at once", { expiresIn: 0 }, RangeError],
  ["an end in the past", { expiresIn: -1 }, RangeError],
  ["half a second", { expiresIn: 0.5 }, RangeError],
  ["no number", { expiresIn: NaN }, RangeError],
  ["an end that never comes", { expiresIn: Infinity }, RangeError],
  ["a number as text", { expiresIn: "60" }, RangeError],
  ["an end that is null", { expiresIn: null }, RangeError],
  ["more than 400 days", { expiresIn: 34_560_001 }, RangeError],
  ["a day in milliseconds", { expiresIn: 86_400_000 }, RangeError],
];
for (const [why, options, error] of OPTIONS) {
  Deno.test(`create() refuses ${why}, before anybody is asked`, async () => {
    const asked: string[] = [];
    const { apiKeys, calls, events } = await withKeys({
      wrap: ({ users }) => ({
        users: { ...users, findBySub: (sub) => (asked.push(sub), users.findBySub(sub)) },
      }),
    });
    asked.length = 0;
    const thrown = await assertRejects(() => apiKeys.create("u1", untyped(options)), error);
    assert(thrown.message.startsWith("Cannot create API key: "));
    assert(!thrown.message.includes("Back") && !thrown.message.includes("notes"), "no raw input");
    assertEquals([asked, calls, events], [[], [], []]);
  });
}

const TAKEN: readonly [why: string, options: object, expected: object][] = [
  ["a name of one character", { name: "x" }, { name: "x" }],
  ["a name of 100 foxes", { name: "🦊".repeat(100) }, { name: "🦊".repeat(100) }],
  ["a name in spaces", { name: "\n Backup\t" }, { name: "Backup" }],
  ["a name with a joiner", { name: "👩‍💻 می‌خواهم" }, { name: "👩‍💻 می‌خواهم" }],
  ["all characters of a token", { scope: ["!#[]~:/.*%'"] }, { scope: ["!#[]~:/.*%'"] }],
  ["no scope", { scope: [] }, { scope: [] }],
  ["tokens in other case", { scope: ["a", "A"] }, { scope: ["a", "A"] }],
  ["a second", { expiresIn: 1 }, { expiresAt: START + 1 }],
  ["400 days", { expiresIn: 34_560_000 }, { expiresAt: START + 34_560_000 }],
];
for (const [why, options, expected] of TAKEN) {
  Deno.test(`create() takes ${why}`, async () => {
    const { apiKeys } = await withKeys();
    const { info } = await apiKeys.create("u1", options);
    assertEquals(info, { id: info.id, sub: "u1", scope: [], createdAt: START, ...expected });
    assertEquals(await apiKeys.list("u1"), [info]);
  });
}

Deno.test("create() lets a user have so many keys, those that have ended included, until one is revoked", async () => {
  const { apiKeys, clock, calls } = await withKeys({ maxPerUser: 3 });
  const made = await Promise.all(repeat(2, () => apiKeys.create("u1", { expiresIn: 1 })));
  await apiKeys.create("u1");
  clock.now += 10;
  calls.length = 0;
  const { code, status, message } = await refusal(() => apiKeys.create("u1"));
  assertEquals([code, status], ["too_many_keys", 409]);
  assertEquals(message, "There are 3 API keys already; revoke one first");
  assertEquals(calls, ["list"]);
  await apiKeys.revoke("u1", made[0]?.info.id ?? "");
  await apiKeys.create("u1");
  assertEquals((await refusal(() => apiKeys.create("u1"))).code, "too_many_keys");
});

Deno.test("create() lets a user have 100 keys by default, whatever others have", async () => {
  const { apiKeys, stores } = await withKeys();
  await stores.users.create({ sub: "u9", identifier: "e", securityStamp: "s", createdAt: START });
  for (let i = 0; i < 100; i++) await apiKeys.create("u1");
  assertMatch((await refusal(() => apiKeys.create("u1"))).message, /are 100 API keys/);
  await apiKeys.create("u9");
});
