import { assert, assertEquals } from "@std/assert";
import {
  ADA,
  CLIENT,
  createServices,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  shown,
  START,
  withAda,
} from "./_services.ts";

const CHANGE = { sub: "u1", currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

Deno.test("change() needs the current password, and refuses alike whatever the reason", async () => {
  const services = await withAda();
  const { passwords, stores, hasher, events } = services;
  const bare = { securityStamp: "s", createdAt: START };
  await stores.users.create({ ...bare, sub: "u2", identifier: "unset" });
  await passwords.createUser({ ...ADA, sub: "u3", identifier: "disabled" });
  const { version } = await stores.users.findBySub("u3") ?? { version: "" };
  await stores.users.update("u3", version, { disabled: true });
  events.length = 0;
  const cases: readonly [reason: string, sub: string, currentPassword: string][] = [
    ["user_unknown", "nobody", PASSWORD],
    ["password_unset", "u2", PASSWORD],
    ["password_wrong", "u1", OTHER_PASSWORD],
    ["user_disabled", "u3", PASSWORD],
  ];
  const refused: Record<string, unknown>[] = [];
  for (const [, sub, currentPassword] of cases) {
    hasher.calls.length = 0;
    const change = { ...CHANGE, sub, currentPassword };
    refused.push(shown(await refusal(() => passwords.change(change, CLIENT))));
    assertEquals(hasher.calls.length, 1, sub);
  }
  for (const error of refused) assertEquals(error, refused[0]);
  assertEquals([refused[0]?.code, refused[0]?.status], ["invalid_credentials", 401]);
  const reasons = events.map((event) => event.type === "login.failed" ? event.reason : "");
  assertEquals(reasons, cases.map(([reason]) => reason));
  assertEquals(await stores.users.findBySub("u1"), services.before);
});

Deno.test("change() refuses a weak password whatever the current one, uncounted and without a hash", async () => {
  const { passwords, hasher, throttle } = await withAda();
  const refused: unknown[] = [];
  for (const currentPassword of [PASSWORD, "wrong", "x".repeat(2048)]) {
    const change = { ...CHANGE, currentPassword, newPassword: "short" };
    for (const _ of repeat(10, () => 0)) {
      refused.push(shown(await refusal(() => passwords.change(change, CLIENT))));
    }
  }
  for (const error of refused) assertEquals(error, refused[0]);
  assertEquals(hasher.calls, []);
  for (const _ of repeat(5, () => 0)) await throttle.login(ADA.identifier, CLIENT);
});

Deno.test("change() is counted with the logins of the account", async () => {
  const { passwords, clock } = await withAda();
  const wrong = { ...CHANGE, currentPassword: "wrong" };
  for (const _ of repeat(3, () => 0)) await refusal(() => passwords.change(wrong, CLIENT));
  for (const _ of repeat(2, () => 0)) {
    await refusal(() => passwords.verify({ ...ADA, password: "wrong" }, CLIENT));
  }
  const error = await refusal(() => passwords.change(CHANGE, CLIENT));
  assertEquals([error.code, error.headers["Retry-After"]], ["throttled", "30"]);
  assertEquals((await refusal(() => passwords.verify(ADA, CLIENT))).code, "throttled");
  clock.now += 30;
  assertEquals((await passwords.change(CHANGE, CLIENT)).sub, "u1");
});

Deno.test("change() for a user who is not there is counted too", async () => {
  const { passwords } = await withAda();
  const nobody = { ...CHANGE, sub: "nobody" };
  for (const _ of repeat(5, () => 0)) await refusal(() => passwords.change(nobody, CLIENT));
  assertEquals((await refusal(() => passwords.change(nobody, CLIENT))).code, "throttled");
  const other = { ...CHANGE, sub: "nobody else" };
  const error = await refusal(() => passwords.change(other, CLIENT));
  assertEquals(error.code, "invalid_credentials");
});

Deno.test("change() that succeeds gives its attempt back", async () => {
  const { passwords } = await withAda();
  let currentPassword = PASSWORD;
  for (const i of repeat(12, (i) => i)) {
    const newPassword = `${OTHER_PASSWORD} no ${i}`;
    await passwords.change({ sub: "u1", currentPassword, newPassword }, CLIENT);
    currentPassword = newPassword;
  }
});

for (const uncounted of [true, false]) {
  const how = uncounted ? "without a throttle" : "under the throttle";
  Deno.test(`change() 50 times at once ${how} leaves the password of the one that succeeded`, async () => {
    const { passwords, stores, sessions } = await withAda({ uncounted });
    const attempts = repeat(
      50,
      (i) => passwords.change({ ...CHANGE, newPassword: `${OTHER_PASSWORD} no ${i}` }, CLIENT),
    );
    const results = await Promise.allSettled(attempts);
    const counts = await outcomes(attempts);
    assertEquals(
      Object.values(counts).reduce((a: number, b: number) => a + b, 0),
      50,
    );
    for (const outcome of Object.keys(counts)) {
      assert(["made", "invalid_credentials", "throttled"].includes(outcome), outcome);
    }
    const won = results.flatMap((result, i) =>
      result.status === "fulfilled" ? [{ i, authentication: result.value }] : []
    );
    assertEquals(won.length, 1);
    const { i, authentication } = won[0] ?? { i: -1 };
    const user = await stores.users.findBySub("u1");
    assertEquals(authentication?.securityStamp, user?.securityStamp);
    const { passwords: uncountedPasswords } = createServices({ stores, uncounted: true });
    const password = `${OTHER_PASSWORD} no ${i}`;
    const verified = await uncountedPasswords.verify({ ...ADA, password });
    const { token } = await sessions.create(verified);
    assertEquals((await sessions.verify(token))?.user.sub, "u1");
  });
}

Deno.test("reset() 50 times at once leaves a password whose caller heard so", async () => {
  const { passwords, stores } = await withAda();
  const attempts = repeat(50, (i) => passwords.reset("u1", `${OTHER_PASSWORD} no ${i}`));
  const results = await Promise.allSettled(attempts);
  for (const outcome of Object.keys(await outcomes(attempts))) {
    assert(["made", "service_unavailable"].includes(outcome), outcome);
  }
  const stamp = (await stores.users.findBySub("u1"))?.securityStamp;
  const [last] = results.flatMap((result, i) =>
    result.status === "fulfilled" && result.value.securityStamp === stamp ? [i] : []
  );
  assert(last !== undefined, "nobody heard of the password that is kept");
  const password = `${OTHER_PASSWORD} no ${last}`;
  assertEquals((await passwords.verify({ ...ADA, password })).sub, "u1");
});

Deno.test("change() ends the session of a login with the old password that is under way", async () => {
  const { passwords, sessions, stores, events } = await withAda();
  const stale = await passwords.verify(ADA, CLIENT);
  await passwords.change(CHANGE, CLIENT);
  const { token, session } = await sessions.create(stale);
  events.length = 0;
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.list("u1"), []);
  assertEquals(events, [{
    type: "session.expired",
    at: START,
    sub: "u1",
    sessionId: session.id,
    reason: "credentials_changed",
  }]);
});

Deno.test("reset() opens an account that had no password, and knows no account that is not there", async () => {
  const { passwords, stores } = await withAda();
  await stores.users.create({ sub: "u2", identifier: "bob", securityStamp: "s", createdAt: 0 });
  await passwords.reset("u2", OTHER_PASSWORD);
  const bob = { identifier: "bob", password: OTHER_PASSWORD };
  assertEquals((await passwords.verify(bob)).sub, "u2");
  const error = await refusal(() => passwords.reset("nobody", OTHER_PASSWORD));
  assertEquals([error.code, error.status], ["invalid_credentials", 401]);
});

Deno.test("reset() opens no account that is disabled", async () => {
  const { passwords, sessions, stores, before } = await withAda();
  await stores.users.update("u1", before.version, { disabled: true });
  const { token } = await sessions.create(await passwords.reset("u1", OTHER_PASSWORD));
  assertEquals(await sessions.verify(token), undefined);
  const changed = { ...ADA, password: OTHER_PASSWORD };
  assertEquals((await refusal(() => passwords.verify(changed))).code, "invalid_credentials");
});
