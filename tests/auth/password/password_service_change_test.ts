import { assert, assertEquals } from "@std/assert";
import {
  ADA,
  CLIENT,
  createServices,
  NOBODY,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  setDisabled,
  shown,
  START,
  unasked,
  withAda,
} from "../_services.ts";

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

Deno.test("change() needs the current password, and refuses alike whatever the reason", async () => {
  const services = await withAda();
  const { passwords, stores, hasher, events } = services;
  const bare = { securityStamp: "s", createdAt: START };
  await stores.users.create({ ...bare, sub: "u2", identifier: "unset" });
  await passwords.createUser({ ...ADA, identifier: "disabled" }, { sub: "u3" });
  await setDisabled(stores, "u3");
  events.length = 0;
  const cases: readonly [reason: string, sub: string, currentPassword: string][] = [
    ["password_unset", "u2", PASSWORD],
    ["password_wrong", "u1", OTHER_PASSWORD],
    ["user_disabled", "u3", PASSWORD],
  ];
  const refused: Record<string, unknown>[] = [];
  for (const [, sub, currentPassword] of cases) {
    hasher.calls.length = 0;
    const change = { ...CHANGE, currentPassword };
    refused.push(shown(await refusal(() => passwords.change(sub, change, CLIENT))));
    assertEquals(hasher.calls.length, 1, sub);
  }
  refused.push(shown(await refusal(() => passwords.change("nobody", CHANGE, CLIENT))));
  for (const error of refused) assertEquals(error, refused[0]);
  assertEquals([refused[0]?.code, refused[0]?.status], ["wrong_password", 422]);
  const message = "This is not the current password";
  assertEquals(refused[0]?.problem, {
    headers: {},
    violations: [{ in: "body", pointer: "/currentPassword", code: "wrong_password", message }],
  });
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
      refused.push(shown(await refusal(() => passwords.change("u1", change, CLIENT))));
    }
  }
  for (const error of refused) assertEquals(error, refused[0]);
  assertEquals(hasher.calls, []);
  for (const _ of repeat(5, () => 0)) await throttle.login(ADA.identifier, CLIENT);
});

Deno.test("change() is counted with the logins of the account", async () => {
  const { passwords, clock } = await withAda();
  const wrong = { ...CHANGE, currentPassword: "wrong" };
  for (const _ of repeat(3, () => 0)) await refusal(() => passwords.change("u1", wrong, CLIENT));
  for (const _ of repeat(2, () => 0)) {
    await refusal(() => passwords.verify({ ...ADA, password: "wrong" }, CLIENT));
  }
  const error = await refusal(() => passwords.change("u1", CHANGE, CLIENT));
  assertEquals([error.code, error.headers["Retry-After"]], ["throttled", "30"]);
  assertEquals((await refusal(() => passwords.verify(ADA, CLIENT))).code, "throttled");
  clock.now += 30;
  assertEquals((await passwords.change("u1", CHANGE, CLIENT)).sub, "u1");
});

Deno.test("change() and reset() of a user who is not there count, hash and tell nothing", async () => {
  const { passwords, hasher, events } = await withAda({
    wrap: () => ({ throttle: unasked() }),
  });
  const attempts: readonly [code: string, status: number, attempt: () => Promise<unknown>][] = [
    ["wrong_password", 422, () => passwords.change("nobody", CHANGE, CLIENT)],
    ["wrong_password", 422, () => passwords.change("", CHANGE, CLIENT)],
    ["invalid_credentials", 401, () => passwords.reset("nobody", OTHER_PASSWORD)],
  ];
  for (const [expected, expectedStatus, attempt] of attempts) {
    const { code, status, reason } = await refusal(attempt);
    assertEquals([code, status, reason], [expected, expectedStatus, "user_unknown"]);
  }
  assertEquals([hasher.calls, events], [[], []]);
});

Deno.test("change() refuses an impossible current password, uncounted and without a hash", async () => {
  const { passwords, hasher, events } = await withAda({
    wrap: () => ({ throttle: unasked() }),
  });
  for (const currentPassword of [`${PASSWORD}\0`, "x".repeat(2048), `${PASSWORD}\ud800`, null]) {
    const change = { ...CHANGE, currentPassword: currentPassword as string };
    const { reason, code } = await refusal(() => passwords.change("u1", change, CLIENT));
    assertEquals([code, reason], ["wrong_password", "password_invalid"]);
  }
  assertEquals([hasher.calls, events], [[], []]);
});

Deno.test("change() knows no browser from before the last change", async () => {
  const { passwords, throttle } = await withAda();
  const known = { identifier: ADA.identifier, securityStamp: "of long ago" };
  const wrong = { ...CHANGE, currentPassword: "wrong" };
  for (const _ of repeat(5, () => 0)) {
    const device = await throttle.issueDevice(known);
    await refusal(() => passwords.change("u1", wrong, { ...CLIENT, device }));
  }
  const device = await throttle.issueDevice(known);
  const error = await refusal(() => passwords.change("u1", CHANGE, { ...CLIENT, device }));
  assertEquals([error.code, error.headers["Retry-After"]], ["throttled", "30"]);
});

Deno.test("change() lets a known browser go on while others use the account up", async () => {
  const { passwords, throttle, before } = await withAda();
  const device = await throttle.issueDevice(before);
  for (const i of repeat(100, (i) => i)) {
    await throttle.login(ADA.identifier, { address: `198.51.100.${i}` });
  }
  assertEquals((await passwords.change("u1", CHANGE, { ...CLIENT, device })).sub, "u1");
});

Deno.test("change() takes its account from the first argument, and from no body", async () => {
  const { passwords, stores } = await withAda();
  await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u2" });
  const before = await stores.users.findBySub("u2");
  const body = { ...CHANGE, sub: "u2", identifier: "eve", disabled: true };
  assertEquals((await passwords.change("u1", body, CLIENT)).sub, "u1");
  assertEquals(await stores.users.findBySub("u2"), before);
  assertEquals((await stores.users.findBySub("u1"))?.disabled, undefined);
});

Deno.test("change() that succeeds gives its attempt back", async () => {
  const { passwords } = await withAda();
  let currentPassword = PASSWORD;
  for (const i of repeat(12, (i) => i)) {
    const newPassword = `${OTHER_PASSWORD} no ${i}`;
    await passwords.change("u1", { currentPassword, newPassword }, CLIENT);
    currentPassword = newPassword;
  }
});

for (const uncounted of [true, false]) {
  const how = uncounted ? "without a throttle" : "under the throttle";
  Deno.test(`change() 50 times at once ${how} leaves the password of the one that succeeded`, async () => {
    const { passwords, stores, sessions } = await withAda({ uncounted });
    const attempts = repeat(
      50,
      (i) =>
        passwords.change("u1", { ...CHANGE, newPassword: `${OTHER_PASSWORD} no ${i}` }, CLIENT),
    );
    const results = await Promise.allSettled(attempts);
    const counts = await outcomes(attempts);
    assertEquals(
      Object.values(counts).reduce((a: number, b: number) => a + b, 0),
      50,
    );
    for (const outcome of Object.keys(counts)) {
      assert(["made", "wrong_password", "throttled"].includes(outcome), outcome);
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
    const verified = await uncountedPasswords.verify({ ...ADA, password }, NOBODY);
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
  const { passwords: uncounted } = createServices({ stores, uncounted: true });
  const heard = results.flatMap((result, i) => result.status === "fulfilled" ? [i] : []);
  const kept = await outcomes(
    heard.map((i) => uncounted.verify({ ...ADA, password: `${OTHER_PASSWORD} no ${i}` }, NOBODY)),
  );
  const lost = heard.length - 1;
  assertEquals(kept, lost === 0 ? { made: 1 } : { made: 1, invalid_credentials: lost });
});

Deno.test("change() leaves no life in the session of a login that is under way with the old password", async () => {
  const { passwords, sessions, stores, events } = await withAda();
  const stale = await passwords.verify(ADA, CLIENT);
  await passwords.change("u1", CHANGE, CLIENT);
  const { token, session } = await sessions.create(stale);
  events.length = 0;
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await sessions.list("u1"), []);
  assertEquals((await stores.sessions.list("u1")).map(({ id }) => id), [session.id]);
  assertEquals(events, []);
});

Deno.test("reset() opens an account that had no password, and knows no account that is not there", async () => {
  const { passwords, stores } = await withAda();
  await stores.users.create({ sub: "u2", identifier: "bob", securityStamp: "s", createdAt: 0 });
  await passwords.reset("u2", OTHER_PASSWORD);
  const bob = { identifier: "bob", password: OTHER_PASSWORD };
  assertEquals((await passwords.verify(bob, NOBODY)).sub, "u2");
  const error = await refusal(() => passwords.reset("nobody", OTHER_PASSWORD));
  assertEquals([error.code, error.status], ["invalid_credentials", 401]);
});

Deno.test("reset() opens no account that is disabled", async () => {
  const { passwords, stores } = await withAda();
  await setDisabled(stores);
  await passwords.reset("u1", OTHER_PASSWORD);
  assertEquals((await stores.users.findBySub("u1"))?.disabled, true);
  const changed = { ...ADA, password: OTHER_PASSWORD };
  assertEquals(
    (await refusal(() => passwords.verify(changed, NOBODY))).code,
    "invalid_credentials",
  );
});
