import { assertEquals } from "@std/assert";
import type { LoginFailure } from "../../../auth/events.ts";
import {
  ADA,
  CLIENT,
  OTHER_PASSWORD,
  PASSWORD,
  refusal,
  repeat,
  shown,
  START,
  withUsers,
} from "../_services.ts";

Deno.test("verify() refuses alike, after one hash, whatever the reason", async () => {
  const services = await withUsers();
  const { passwords, hasher, events } = services;
  const cases: readonly [reason: LoginFailure, identifier: string, password: string][] = [
    ["user_unknown", "nobody", PASSWORD],
    ["password_unset", "unset", PASSWORD],
    ["password_wrong", "ada@example.org", OTHER_PASSWORD],
    ["password_wrong", "disabled", OTHER_PASSWORD],
    ["user_disabled", "disabled", PASSWORD],
    ["password_unset", "disabled-unset", PASSWORD],
  ];
  const refused: Record<string, unknown>[] = [];
  for (const [reason, identifier, password] of cases) {
    hasher.calls.length = 0;
    events.length = 0;
    refused.push(shown(await refusal(() => passwords.verify({ identifier, password }, CLIENT))));
    assertEquals(hasher.calls.length, 1, reason);
    assertEquals(events.map((event) => ({ ...event, sub: "" })), [
      { type: "login.failed", at: START, reason, sub: "", ...CLIENT },
    ]);
  }
  for (const error of refused) assertEquals(error, refused[0]);
  assertEquals([refused[0]?.code, refused[0]?.status], ["invalid_credentials", 401]);
  hasher.calls.length = 0;
  await passwords.verify(ADA, CLIENT);
  assertEquals(hasher.calls, ["verify"]);
});

Deno.test("verify() asks the throttle and the store as often for every reason", async () => {
  const asked: string[] = [];
  const services = await withUsers({
    wrap: (stores) => ({
      users: spied(stores.users, asked),
      throttle: spied(stores.throttle, asked),
    }),
  });
  for (const identifier of ["nobody", "unset", "disabled", "ada@example.org"]) {
    asked.length = 0;
    await refusal(() =>
      services.passwords.verify({ identifier, password: OTHER_PASSWORD }, CLIENT)
    );
    assertEquals(asked, ["reserve", "findByIdentifier"], identifier);
  }
});

const IMPOSSIBLE: readonly [why: string, password: unknown][] = [
  ["2 KiB", "x".repeat(2048)],
  ["257 code points", "x".repeat(257)],
  ["NUL behind the right one", `${PASSWORD}\0`],
  ["NUL before the right one", `\0${PASSWORD}`],
  ["a lone high surrogate", `${PASSWORD}\ud800`],
  ["a lone low surrogate", `\udc00${PASSWORD}`],
  ["a list of guesses", [PASSWORD, OTHER_PASSWORD]],
  ["an object that says it is the password", { toString: () => PASSWORD }],
  ["a number", 1e20],
  ["null", null],
  ["absent", undefined],
];
for (const [why, password] of IMPOSSIBLE) {
  Deno.test(`verify() refuses a password that cannot be one, without a hash: ${why}`, async () => {
    const { passwords, hasher, events } = await withUsers();
    const plain = shown(
      await refusal(() => passwords.verify({ ...ADA, password: OTHER_PASSWORD }, CLIENT)),
    );
    hasher.calls.length = 0;
    events.length = 0;
    for (const identifier of ["ada@example.org", "nobody", "unset", "disabled"]) {
      const credentials = { identifier, password: password as string };
      const error = await refusal(() => passwords.verify(credentials, CLIENT));
      assertEquals([shown(error), error.reason], [plain, "password_invalid"]);
    }
    assertEquals(hasher.calls, []);
    assertEquals(events, []); // it would fill every log
  });
}

Deno.test("verify() of an impossible password, which is no guess, counts nothing and asks nobody", async () => {
  const asked: string[] = [];
  const { passwords } = await withUsers({
    wrap: (stores) => ({
      users: spied(stores.users, asked),
      throttle: spied(stores.throttle, asked),
    }),
  });
  asked.length = 0;
  const attempt = () => passwords.verify({ ...ADA, password: "x".repeat(2048) }, CLIENT);
  for (const _ of repeat(60, () => 0)) assertEquals((await refusal(attempt)).status, 401);
  assertEquals(asked, []);
  assertEquals((await passwords.verify(ADA, CLIENT)).sub, "u1");
});

Deno.test("verify() refuses with 429 while locked, the right password and unknown users alike", async () => {
  const { passwords, hasher, clock } = await withUsers();
  const refused: unknown[] = [];
  for (const identifier of ["ada@example.org", "nobody", "unset", "disabled"]) {
    const wrong = { identifier, password: OTHER_PASSWORD };
    for (const _ of repeat(5, () => 0)) await refusal(() => passwords.verify(wrong, CLIENT));
    hasher.calls.length = 0;
    const error = await refusal(() => passwords.verify({ ...ADA, identifier }, CLIENT));
    assertEquals(hasher.calls, []);
    assertEquals([error.status, error.headers["Retry-After"]], [429, "30"]);
    refused.push(shown(error));
  }
  for (const error of refused) assertEquals(error, refused[0]);
  clock.now += 29;
  const last = await refusal(() => passwords.verify(ADA, CLIENT));
  assertEquals([last.status, last.headers["Retry-After"]], [429, "1"]);
  clock.now += 1;
  assertEquals((await passwords.verify(ADA, CLIENT)).authTime, START + 30);
});

/** A store that says which methods were called. */
function spied<Store extends object>(store: Store, asked: string[]): Store {
  return new Proxy(store, {
    get(target, name) {
      asked.push(String(name));
      return Reflect.get(target, name);
    },
  });
}
