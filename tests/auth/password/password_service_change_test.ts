/** Creation of users, and changes of passwords. */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import {
  ADA,
  canonical,
  CLIENT,
  createServices,
  NOBODY,
  once,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  type Services,
  setDisabled,
  shown,
  START,
  types,
  unasked,
  withAda,
} from "../_services.ts";

const SAME_USER: readonly [why: string, identifier: string][] = [
  ["unchanged", "ada@example.org"],
  ["case", "ADA@Example.ORG"],
  ["white space around it", " ada@example.org\t"],
  ["full-width characters, NFKC", "ａｄａ＠example.org"],
];

Deno.test("createUser() creates a user who can sign in", async () => {
  const { passwords, stores, sessions, hasher } = createServices();
  const authentication = await passwords.createUser(ADA, { client: CLIENT });
  const user = await stores.users.findByIdentifier("ada@example.org");
  assertEquals(authentication, {
    sub: user?.sub ?? "",
    identifier: ADA.identifier,
    securityStamp: user?.securityStamp ?? "",
    authTime: START,
    amr: ["pwd"],
  });
  assertMatch(authentication.sub, /^[\w-]{22}$/);
  assertMatch(authentication.securityStamp, /^[\w-]{22}$/);
  assertEquals([user?.createdAt, user?.disabled], [START, undefined]);
  assertMatch(user?.passwordHash ?? "", /^\$pbkdf2-sha256\$i=1000\$/);
  assertEquals(hasher.calls, ["hash"]);
  const { token } = await sessions.create(authentication);
  assertEquals((await sessions.verify(token))?.user.sub, authentication.sub);
});

Deno.test("createUser() stores the canonical identifier", async () => {
  for (const [why, identifier] of SAME_USER) {
    const { passwords, stores } = createServices();
    await passwords.createUser({ ...ADA, identifier });
    assert(await stores.users.findByIdentifier("ada@example.org") !== null, why);
  }
});

Deno.test("createUser() rejects a taken identifier in any spelling", async () => {
  const { passwords, stores } = createServices();
  const { sub } = await passwords.createUser(ADA);
  const before = await stores.users.findBySub(sub);
  for (const [why, identifier] of SAME_USER) {
    const error = await refusal(() =>
      passwords.createUser({ identifier, password: OTHER_PASSWORD })
    );
    assertEquals([error.code, error.status], ["identifier_unavailable", 409], why);
  }
  assertEquals(await stores.users.findBySub(sub), before);
});

Deno.test("createUser() gives an identifier to one of 50 concurrent calls", async () => {
  const { passwords, stores } = createServices();
  const attempts = repeat(50, (i) => passwords.createUser({ ...ADA }, { sub: `u${i}` }));
  assertEquals(await outcomes(attempts), { made: 1, identifier_unavailable: 49 });
  const [winner] = (await Promise.allSettled(attempts)).flatMap((attempt) =>
    attempt.status === "fulfilled" ? [attempt.value.sub] : []
  );
  assertEquals((await stores.users.findByIdentifier(ADA.identifier))?.sub, winner);
});

Deno.test("createUser() reports the problems of a password, without a hash", async () => {
  const { passwords, stores, hasher } = createServices();
  const weak: readonly [why: string, password: unknown][] = [
    ["too short", "short"],
    ["not a string", 12345678901234567890n],
    ["an array of strings", [PASSWORD]],
    ["absent", undefined],
    ["too long", "long and ".repeat(200)],
    ["NUL", `${PASSWORD}\0`],
    ["a lone surrogate", `${PASSWORD}\ud83d`],
  ];
  for (const [why, password] of weak) {
    const error = await refusal(() =>
      passwords.createUser({ ...ADA, password: password as string })
    );
    assertEquals([error.code, error.status], ["weak_password", 422], why);
    const [first] = error.problem.violations ?? [];
    assertEquals([first?.in, first?.pointer], ["body", "/password"], why);
    assertMatch(first?.code ?? "", /^[a-z_]+$/, why);
    assert((first?.message ?? "").length > 5, why);
    assert(!JSON.stringify(shown(error)).includes(PASSWORD), why);
  }
  assertEquals(hasher.calls, []);
  assertEquals(await stores.users.findByIdentifier(ADA.identifier), null);
});

Deno.test("createUser() passes the identifier to the policy, and rejects an invalid password that the policy accepts", async () => {
  const seen: unknown[] = [];
  const { passwords, hasher } = createServices({
    policy: {
      check(_password, context) {
        seen.push(context?.identifier);
        return Promise.resolve([]);
      },
    },
  });
  const impossible = { identifier: "Ada@example.org", password: "nul \0 in it" };
  const error = await refusal(() => passwords.createUser(impossible));
  assertEquals(seen, ["ada@example.org"]);
  assertEquals(error.code, "weak_password");
  assertEquals(error.problem.violations?.length, 1);
  assertEquals(hasher.calls, []);
});

Deno.test("createUser() uses the application's subject id", async () => {
  const { passwords, stores } = createServices();
  assertEquals((await passwords.createUser({ ...ADA }, { sub: "u1" })).sub, "u1");
  assertEquals((await stores.users.findBySub("u1"))?.identifier, ADA.identifier);
});

Deno.test("createUser() counts attempts by address for every outcome, and rejects without a hash", async () => {
  const { passwords, hasher, clock, events } = createServices();
  for (const i of repeat(10, (i) => i)) {
    await passwords.createUser({ ...ADA, identifier: `user-${i}` }, { client: CLIENT });
  }
  for (const _ of repeat(5, () => 0)) {
    await refusal(() => passwords.createUser({ ...ADA, identifier: "user-0" }, { client: CLIENT }));
    await refusal(() => passwords.createUser({ ...ADA, password: "weak" }, { client: CLIENT }));
  }
  hasher.calls.length = 0;
  events.length = 0;
  for (const password of [PASSWORD, "weak"]) {
    const error = await refusal(() =>
      passwords.createUser({ ...ADA, password }, { client: CLIENT })
    );
    assertEquals([error.code, error.headers["Retry-After"]], ["throttled", "3600"]);
  }
  assertEquals([hasher.calls, types(events)], [[], ["login.throttled", "login.throttled"]]);
  await passwords.createUser(ADA, { client: { address: "192.0.2.2" } });
  clock.now += 3_600;
  await passwords.createUser({ ...ADA, identifier: "bob" }, { client: CLIENT });
});

Deno.test("createUser(), change() and reset() hash the NFC form", async () => {
  const { passwords } = createServices();
  const [composed, decomposed] = ["NFC", "NFD"].map((form) =>
    "Ä rose is Ä rosé is a ñandú".normalize(form)
  ) as [string, string];
  const sub = "u1";
  const matches = async () => await passwords.verify({ ...ADA, password: composed }, NOBODY);
  await passwords.createUser({ ...ADA, password: decomposed }, { sub });
  await matches();
  await passwords.change(sub, { currentPassword: decomposed, newPassword: decomposed }, NOBODY);
  await matches();
  await passwords.reset(sub, decomposed);
  await matches();
});

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

Deno.test("change() requires the current password, and rejects equally for every reason", async () => {
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
  assertEquals(JSON.parse(JSON.stringify(refused[0]?.problem)), {
    headers: {},
    violations: [{ in: "body", pointer: "/currentPassword", code: "wrong_password", message }],
  });
  const reasons = events.map((event) => event.type === "login.failed" ? event.reason : "");
  assertEquals(reasons, cases.map(([reason]) => reason));
  assertEquals(await stores.users.findBySub("u1"), services.before);
});

Deno.test("change() rejects a weak password before it verifies the current one, uncounted and without a hash", async () => {
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
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical(ADA.identifier), CLIENT);
});

Deno.test("change() counts attempts together with logins of the account", async () => {
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

Deno.test("change() and reset() of an unknown user do not count, hash or emit", async () => {
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

Deno.test("change() rejects an invalid current password, uncounted and without a hash", async () => {
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

Deno.test("change() does not accept a device from before the last change", async () => {
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

Deno.test("change() accepts a known device while others exhaust the account", async () => {
  const { passwords, throttle, before } = await withAda();
  const device = await throttle.issueDevice(before);
  for (const i of repeat(100, (i) => i)) {
    await throttle.login(canonical(ADA.identifier), { address: `198.51.100.${i}` });
  }
  assertEquals((await passwords.change("u1", CHANGE, { ...CLIENT, device })).sub, "u1");
});

Deno.test("change() reads its account from the first argument only", async () => {
  const { passwords, stores } = await withAda();
  await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u2" });
  const before = await stores.users.findBySub("u2");
  const body = { ...CHANGE, sub: "u2", identifier: "eve", disabled: true };
  assertEquals((await passwords.change("u1", body, CLIENT)).sub, "u1");
  assertEquals(await stores.users.findBySub("u2"), before);
  assertEquals((await stores.users.findBySub("u1"))?.disabled, undefined);
});

Deno.test("change() takes back its attempt after a success", async () => {
  const { passwords } = await withAda();
  let currentPassword = PASSWORD;
  for (const i of repeat(12, (i) => i)) {
    const newPassword = `${OTHER_PASSWORD} no ${i}`;
    await passwords.change("u1", { currentPassword, newPassword }, CLIENT);
    currentPassword = newPassword;
  }
});

for (const uncounted of [true, false]) {
  const how = uncounted ? "without a throttle" : "with the throttle";
  Deno.test(`change() 50 times concurrently ${how} leaves the password of the one that succeeded`, async () => {
    const { passwords, stores, sessions } = await withAda({
      uncounted,
      hashing: { waiting: 4_000 },
    });
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

Deno.test("reset() 50 times concurrently leaves the password of a call that succeeded", async () => {
  const { passwords, stores } = await withAda();
  const attempts = repeat(50, (i) => passwords.reset("u1", `${OTHER_PASSWORD} no ${i}`));
  const results = await Promise.allSettled(attempts);
  for (const outcome of Object.keys(await outcomes(attempts))) {
    assert(["made", "service_unavailable"].includes(outcome), outcome);
  }
  const hashing = { waiting: 4_000 };
  const { passwords: uncounted } = createServices({ stores, uncounted: true, hashing });
  const heard = results.flatMap((result, i) => result.status === "fulfilled" ? [i] : []);
  const kept = await outcomes(
    heard.map((i) => uncounted.verify({ ...ADA, password: `${OTHER_PASSWORD} no ${i}` }, NOBODY)),
  );
  const lost = heard.length - 1;
  assertEquals(kept, lost === 0 ? { made: 1 } : { made: 1, invalid_credentials: lost });
});

Deno.test("change() invalidates the session of a concurrent login with the old password", async () => {
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

Deno.test("reset() sets a first password, and rejects an unknown user", async () => {
  const { passwords, stores } = await withAda();
  await stores.users.create({ sub: "u2", identifier: "bob", securityStamp: "s", createdAt: 0 });
  await passwords.reset("u2", OTHER_PASSWORD);
  const bob = { identifier: "bob", password: OTHER_PASSWORD };
  assertEquals((await passwords.verify(bob, NOBODY)).sub, "u2");
  const error = await refusal(() => passwords.reset("nobody", OTHER_PASSWORD));
  assertEquals([error.code, error.status], ["invalid_credentials", 401]);
});

Deno.test("reset() does not enable a disabled account", async () => {
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

const DOWN: readonly [why: string, fail: () => Promise<never>][] = [
  ["reject", () => Promise.reject(new Error("The store is out of order"))],
  ["throw synchronously", () => {
    throw new Error("The store is out of order");
  }],
];

/** Both operations that set a password. */
const WAYS: readonly [
  name: string,
  set: (services: Services, newPassword?: string) => Promise<unknown>,
][] = [
  [
    "change()",
    ({ passwords }, newPassword = OTHER_PASSWORD) =>
      passwords.change("u1", { currentPassword: PASSWORD, newPassword }, CLIENT),
  ],
  [
    "reset()",
    ({ passwords }, newPassword = OTHER_PASSWORD) => passwords.reset("u1", newPassword),
  ],
];

for (const [name, set] of WAYS) {
  Deno.test(`${name} invalidates the old password, every session and every refresh family`, async () => {
    const services = await withAda();
    const { passwords, sessions, stores, clock, tokens } = services;
    clock.now += 10;
    const made = await set(services);
    const { securityStamp = "" } = await stores.users.findBySub("u1") ?? {};
    const authentication = {
      sub: "u1",
      identifier: ADA.identifier,
      securityStamp,
      authTime: START + 10,
      amr: ["pwd"],
    };
    // A password reset authenticates nobody, and returns nothing that could create a session
    assertEquals(made, name === "reset()" ? undefined : authentication);
    assertNotEquals(securityStamp, services.before.securityStamp);
    assertEquals((await refusal(() => passwords.verify(ADA, NOBODY))).code, "invalid_credentials");
    const changed = { ...ADA, password: OTHER_PASSWORD };
    assertEquals(await passwords.verify(changed, NOBODY), authentication);
    for (const token of tokens) assertEquals(await sessions.verify(token), undefined);
    assertEquals(await stores.sessions.list("u1"), []);
    assertEquals((await stores.refreshTokens.find("f1"))?.revoked, true);
    assertEquals((await stores.refreshTokens.find("f2"))?.revoked, true);
    assertEquals((await stores.refreshTokens.find("other"))?.revoked, false);
    const { token } = await sessions.create(authentication);
    assertEquals((await sessions.verify(token))?.user.sub, "u1");
  });

  Deno.test(`${name} emits it without secrets`, async () => {
    const services = await withAda();
    await set(services);
    assertEquals(services.events, [{ type: "password.changed", at: START, sub: "u1" }]);
  });

  Deno.test(`${name} rejects a weak password, and changes nothing`, async () => {
    const services = await withAda();
    const { stores, sessions, tokens } = services;
    for (const weak of ["short", `${OTHER_PASSWORD}\0`, "x".repeat(2048), null, [OTHER_PASSWORD]]) {
      const error = await refusal(() => set(services, weak as string));
      assertEquals([error.code, error.status], ["weak_password", 422]);
      assertEquals(error.problem.violations?.map(({ pointer }) => pointer), ["/newPassword"]);
    }
    assertEquals(await stores.users.findBySub("u1"), services.before);
    for (const token of tokens) assert(await sessions.verify(token) !== undefined);
    assertEquals((await stores.refreshTokens.find("f1"))?.revoked, false);
    assertEquals(services.events, []);
  });

  Deno.test(`${name} checks a password with the user's identifier`, async () => {
    const services = await withAda();
    // 15 characters, but easy to guess
    assertEquals((await refusal(() => set(services, ADA.identifier))).code, "weak_password");
    assertEquals(await services.stores.users.findBySub("u1"), services.before);
  });

  for (const [why, fail] of DOWN) {
    Deno.test(`${name} revokes the refresh families even if the sessions ${why}`, async () => {
      const services = await withAda({
        wrap: ({ sessions }) => ({ sessions: { ...sessions, revokeAll: fail } }),
      });
      await assertRejects(() => set(services), Error, "out of order");
      assertEquals((await services.stores.refreshTokens.find("f1"))?.revoked, true);
      for (const token of services.tokens) {
        assertEquals(await services.sessions.verify(token), undefined);
      }
    });

    Deno.test(`${name} revokes the sessions even if the refresh families ${why}`, async () => {
      const services = await withAda({
        wrap: ({ refreshTokens }) => ({ refreshTokens: { ...refreshTokens, revoke: fail } }),
      });
      await assertRejects(() => set(services), Error, "out of order");
      assertEquals(await services.stores.sessions.list("u1"), []);
    });
  }

  Deno.test(`${name} retries on conflict`, async () => {
    const services = await withAda({
      wrap: ({ users }) => {
        const renamed = once(async () => {
          const { version } = await users.findBySub("u1") ?? { version: "" };
          await users.update("u1", version, {});
        });
        return {
          users: {
            ...users,
            async update(...args) {
              await renamed();
              return await users.update(...args);
            },
          },
        };
      },
    });
    await set(services);
    const changed = { ...ADA, password: OTHER_PASSWORD };
    assertEquals((await services.passwords.verify(changed, NOBODY)).sub, "u1");
  });

  Deno.test(`${name} rejects after repeated conflicts`, async () => {
    let updates = 0;
    const services = await withAda({
      wrap: ({ users }) => ({
        users: {
          ...users,
          update: () => (updates++, Promise.resolve("lost" as const)),
        },
      }),
    });
    const error = await refusal(() => set(services));
    assertEquals([error.code, error.status], ["service_unavailable", 503]);
    assert(updates > 1 && updates < 20, `${updates} updates`);
    assertEquals(types(services.events), []);
    for (const token of services.tokens) {
      assert(await services.sessions.verify(token) !== undefined);
    }
  });
}
