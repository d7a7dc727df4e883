/** What the methods are given by application code: clients that are missing, bodies as they came, clocks. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import type { PasswordHasher } from "../../../auth/password/hasher.ts";
import {
  ADA,
  cheapHasher,
  CLIENT,
  createServices,
  NOBODY,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  START,
  unasked,
  withAda,
} from "../_services.ts";

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

for (const client of [undefined, null, {}, { device: "x" }, "192.0.2.1", []]) {
  const what = JSON.stringify(client) ?? "nothing";
  Deno.test(`verify() and change() refuse a client of whom nothing is said: ${what}`, async () => {
    const { passwords, hasher, events } = await withAda({
      wrap: () => ({ throttle: unasked() }),
    });
    const given = client as never;
    for (
      const attempt of [
        () => passwords.verify(ADA, given),
        () => passwords.change("u1", CHANGE, given),
      ]
    ) await assertRejects(attempt, TypeError, "client must be { address }");
    assertEquals([hasher.calls, events], [[], []]);
  });

  Deno.test(`verify() and change() refuse it without a throttle too: ${what}`, async () => {
    const { passwords } = await withAda({ uncounted: true });
    const given = client as never;
    await assertRejects(
      () => passwords.verify(ADA, given),
      TypeError,
      "client must be { address }",
    );
    await assertRejects(() => passwords.change("u1", CHANGE, given), TypeError, "say who");
  });
}

Deno.test("verify() takes a client of whom somebody said that nothing is known", async () => {
  const { passwords } = await withAda();
  assertEquals((await passwords.verify(ADA, { address: undefined })).sub, "u1");
});

Deno.test("createUser() takes nothing of a body but identifier and password", async () => {
  const { passwords, stores } = createServices();
  const body = {
    ...ADA,
    sub: "admin",
    disabled: true,
    securityStamp: "known",
    createdAt: 0,
    version: "1",
    passwordHash: "$known",
    client: CLIENT,
    role: "admin",
  };
  const { sub, securityStamp } = await passwords.createUser(body);
  assertMatch(sub, /^[\w-]{22}$/);
  assertNotEquals(securityStamp, "known");
  assertEquals(await stores.users.findBySub("admin"), null);
  const user = await stores.users.findBySub(sub);
  assert(user !== null && user.passwordHash !== "$known");
  assertEquals(Object.keys(user).sort(), [
    "createdAt",
    "identifier",
    "passwordHash",
    "securityStamp",
    "sub",
    "version",
  ]);
  assertEquals([user.createdAt, user.securityStamp], [START, securityStamp]);
});

for (const sub of ["", null, 7, 7n, { a: 1 }, ["u1"], true]) {
  Deno.test(`createUser() refuses a sub that is no text with something in it: ${typeof sub} ${sub}`, async () => {
    const { passwords, stores, hasher } = createServices({
      wrap: () => ({ throttle: unasked() }),
    });
    const given = { sub: sub as string, client: CLIENT };
    await assertRejects(() => passwords.createUser(ADA, given), TypeError, "Cannot create user");
    assertEquals([await stores.users.findByIdentifier(ADA.identifier), hasher.calls], [null, []]);
  });
}

Deno.test("createUser() draws a sub where that is undefined", async () => {
  const { passwords } = createServices();
  const { sub } = await passwords.createUser(ADA, { sub: undefined, client: undefined });
  assertMatch(sub, /^[\w-]{22}$/);
});

for (const now of [START * 1_000, 1e11, NaN, Infinity, `${START}`]) {
  Deno.test(`createUser() and verify() refuse a clock that gives ${typeof now} ${now}`, async () => {
    for (const uncounted of [true, false]) {
      const { passwords, stores, clock } = await withAda({ uncounted });
      clock.now = now as number;
      const message = "Invalid clock";
      await assertRejects(() => passwords.verify(ADA, CLIENT), RangeError, message);
      const eve = { ...ADA, identifier: "eve" };
      await assertRejects(() => passwords.createUser(eve), RangeError, message);
      assertEquals(await stores.users.findByIdentifier("eve"), null);
    }
  });
}

Deno.test("verify() and createUser() give whole seconds of a clock between them", async () => {
  const { passwords, stores, clock } = createServices();
  clock.now = START + 0.9;
  assertEquals((await passwords.createUser(ADA, { sub: "u1" })).authTime, START);
  assertEquals((await stores.users.findBySub("u1"))?.createdAt, START);
  assertEquals((await passwords.verify(ADA, CLIENT)).authTime, START);
});

Deno.test("verify() ends what browsers are known by where the password is changed", async () => {
  const { passwords, throttle } = await withAda();
  const device = await throttle.issueDevice(await passwords.verify(ADA, CLIENT));
  const changed = await passwords.change("u1", CHANGE, { ...CLIENT, device });
  const fresh = await throttle.issueDevice(changed);
  const wrong = { ...ADA, password: PASSWORD };
  for (let i = 0; i < 5; i++) await outcomes([passwords.verify(wrong, CLIENT)]);
  const right = { ...ADA, password: OTHER_PASSWORD };
  const attempt = (device: string) => outcomes([passwords.verify(right, { ...CLIENT, device })]);
  assertEquals(await attempt(device), { throttled: 1 });
  assertEquals(await attempt(fresh), { made: 1 });
});

Deno.test("verify() lets others in a minute after a hash that never ends, by the service's clock", async () => {
  const cheap = cheapHasher();
  const begun = Promise.withResolvers<void>();
  let hangs = true;
  const hasher: PasswordHasher = {
    ...cheap,
    verify(password, encoded) {
      if (!hangs) return cheap.verify(password, encoded);
      begun.resolve();
      return new Promise(() => {});
    },
  };
  const { passwords, clock } = createServices({ hasher, hashing: { running: 1, waiting: 0 } });
  await passwords.createUser(ADA);
  void passwords.verify(ADA, NOBODY);
  await begun.promise;
  hangs = false;
  assertEquals((await refusal(() => passwords.verify(ADA, NOBODY))).code, "service_unavailable");
  clock.now += 60;
  assertEquals((await passwords.verify(ADA, NOBODY)).amr, ["pwd"]);
});
