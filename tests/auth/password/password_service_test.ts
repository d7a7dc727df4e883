import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import type { PasswordHasher } from "../../../auth/password/hasher.ts";
import {
  passwordService,
  type PasswordServiceOptions,
} from "../../../auth/password/password_service.ts";
import {
  ADA,
  cheapHasher,
  CLIENT,
  createServices,
  NOBODY,
  once,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  START,
  types,
  unasked,
} from "../_services.ts";

const SAME_USER: readonly [why: string, identifier: string][] = [
  ["as it was given", "ada@example.org"],
  ["case", "ADA@Example.ORG"],
  ["white space around it", " ada@example.org\t"],
  ["full-width characters, NFKC", "ａｄａ＠example.org"],
];

Deno.test("createUser() refuses a malformed identifier before it counts or asks anybody", async () => {
  const asked = () => Promise.reject(new Error("The users were asked"));
  const { passwords, events, hasher } = createServices({
    wrap: ({ users }) => ({
      users: { ...users, findByIdentifier: asked, create: asked },
      throttle: unasked(),
    }),
  });
  for (const identifier of ["", " ", "a@x,b@y", "a@b@c", ["ada"], { ada: 1 }, null, undefined, 1]) {
    const account = { identifier: identifier as string, password: PASSWORD };
    for (
      const attempt of [
        () => passwords.createUser(account, { client: CLIENT }),
        () => passwords.verify(account, CLIENT),
      ]
    ) {
      const error = await refusal(attempt);
      assertEquals([error.code, error.status], ["invalid_identifier", 400]);
    }
  }
  assertEquals([events, hasher.calls], [[], []]);
});

Deno.test("createUser() and verify() tell of what happens, and of no secret", async () => {
  const { passwords, stores, events } = createServices();
  const { sub, securityStamp } = await passwords.createUser(ADA, { client: CLIENT, sub: "u1" });
  await passwords.verify(ADA, CLIENT);
  await passwords.verify(ADA, NOBODY);
  await refusal(() => passwords.verify({ ...ADA, password: OTHER_PASSWORD }, CLIENT));
  await refusal(() => passwords.verify({ ...ADA, identifier: "typed-secret" }, NOBODY));
  assertEquals(events, [
    { type: "user.created", at: START, sub },
    { type: "login.succeeded", at: START, sub, ...CLIENT },
    { type: "login.succeeded", at: START, sub },
    { type: "login.failed", at: START, reason: "password_wrong", sub, ...CLIENT },
    { type: "login.failed", at: START, reason: "user_unknown" },
  ]);
  const hash = (await stores.users.findBySub("u1"))?.passwordHash ?? "?";
  for (const secret of [PASSWORD, OTHER_PASSWORD, "typed-secret", "ada", hash, securityStamp]) {
    assert(!JSON.stringify(events).includes(secret), secret);
  }
});

Deno.test("verify() finds the user by every spelling of the identifier", async () => {
  const { passwords } = createServices();
  const { sub, securityStamp } = await passwords.createUser(ADA);
  for (const [why, identifier] of SAME_USER) {
    const found = await passwords.verify({ ...ADA, identifier }, NOBODY);
    const authentication = { sub, securityStamp, authTime: START, amr: ["pwd"] };
    assertEquals(found, { ...authentication, identifier: ADA.identifier }, why);
  }
});

Deno.test("verify() takes a password in NFD for the same in NFC, and no other for it", async () => {
  const { passwords } = createServices();
  const identifier = "zoë";
  await passwords.createUser({
    identifier,
    password: "café au lait s'il vous plaît".normalize("NFC"),
  });
  const decomposed = "café au lait s'il vous plaît".normalize("NFD");
  assertEquals((await passwords.verify({ identifier, password: decomposed }, NOBODY)).amr, ["pwd"]);
  for (const password of ["cafe au lait s'il vous plait", "CAFÉ AU LAIT S'IL VOUS PLAÎT"]) {
    assertEquals(
      (await refusal(() => passwords.verify({ identifier, password }, NOBODY))).status,
      401,
    );
  }
});

Deno.test("verify() is no success if the users cannot be asked", async () => {
  const down = new Error("the users are out of order");
  const { passwords, hasher, events } = createServices({
    wrap: ({ users }) => ({
      users: { ...users, findByIdentifier: () => Promise.reject(down) },
    }),
  });
  assertStrictEquals(await assertRejects(() => passwords.verify(ADA, CLIENT)), down);
  assertEquals([hasher.calls, events], [[], []]);
});

Deno.test("verify() is no success if nobody can count", async () => {
  for (const step of ["reserve", "succeed"] as const) {
    const down = new Error(`cannot ${step}`);
    const { passwords, events } = createServices({
      wrap: ({ throttle }) => ({ throttle: { ...throttle, [step]: () => Promise.reject(down) } }),
    });
    await passwords.createUser(ADA);
    assertStrictEquals(await assertRejects(() => passwords.verify(ADA, CLIENT)), down);
    assertEquals(types(events), ["user.created"]);
  }
});

Deno.test("verify() fails closed on a stored hash that is none", async () => {
  for (
    const passwordHash of ["", "plain", "$pbkdf2-sha256$i=4294967295$c2FsdHNhbHQ$a2V5", PASSWORD]
  ) {
    const { passwords, stores } = createServices();
    await passwords.createUser({ ...ADA }, { sub: "u1" });
    const { version } = await stores.users.findBySub("u1") ?? { version: "" };
    assertEquals(await stores.users.update("u1", version, { passwordHash }), "updated");
    const error = await refusal(() => passwords.verify(ADA, CLIENT));
    assertEquals(error.code, "invalid_credentials");
  }
});

Deno.test("passwordService() needs a throttle, or a word that says there is none", async () => {
  const { stores } = createServices();
  for (const throttle of [undefined, null, "skip", true, {}, stores.throttle]) {
    const options = { users: stores.users, throttle } as unknown as PasswordServiceOptions;
    assertThrows(() => passwordService(options), TypeError, "Cannot create password service");
  }
  const { passwords } = createServices({ uncounted: true });
  await passwords.createUser(ADA, { client: CLIENT });
  const wrong = repeat(40, () => passwords.verify({ ...ADA, password: "wrong" }, CLIENT));
  assertEquals(await outcomes(wrong), { invalid_credentials: 40 });
  assertEquals((await passwords.verify(ADA, CLIENT)).amr, ["pwd"]);
});

Deno.test("verify() returns nothing that a caller can change for the others", async () => {
  const { passwords } = createServices();
  const { amr } = await passwords.createUser(ADA);
  try {
    (amr as string[]).push("mfa");
  } catch { // frozen
  }
  assertEquals((await passwords.verify(ADA, NOBODY)).amr, ["pwd"]);
});

Deno.test("createUser() and verify() differ in the stamp and the salt of every user", async () => {
  const { passwords, stores } = createServices();
  const ada = await passwords.createUser(ADA);
  const bob = await passwords.createUser({ ...ADA, identifier: "bob" });
  assertNotEquals(ada.sub, bob.sub);
  assertNotEquals(ada.securityStamp, bob.securityStamp);
  const [a, b] = [await stores.users.findBySub(ada.sub), await stores.users.findBySub(bob.sub)];
  assertNotEquals(a?.passwordHash, b?.passwordHash);
});

Deno.test("verify() of a user who is deleted on the way makes no session that lives", async () => {
  const { passwords, sessions, stores } = createServices({
    wrap: ({ users }) => {
      const deleted = once(() => users.delete("u1"));
      return {
        users: {
          ...users,
          async findByIdentifier(identifier) {
            const user = await users.findByIdentifier(identifier);
            await deleted();
            return user;
          },
        },
      };
    },
  });
  await passwords.createUser({ ...ADA }, { sub: "u1" });
  const { token } = await sessions.create(await passwords.verify(ADA, NOBODY));
  assertEquals(await stores.users.findBySub("u1"), null);
  assertEquals(await sessions.verify(token), undefined);
});

Deno.test("verify() refuses with 503 where too many passwords are hashed, and counts nothing", async () => {
  const gate = Promise.withResolvers<void>();
  const reserved: number[] = [];
  const { passwords, hasher, events } = createServices({
    hasher: slowHasher(gate.promise),
    hashing: { running: 1, waiting: 1 },
    wrap: ({ throttle }) => ({
      throttle: {
        ...throttle,
        reserve(claims, now) {
          reserved.push(claims.length);
          return throttle.reserve(claims, now);
        },
      },
    }),
  });
  const account = { ...ADA, identifier: "nobody" };
  const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
  const wrong = repeat(2, () => refusal(() => passwords.verify(account, CLIENT)));
  const refused = [
    () => passwords.verify(account, CLIENT),
    () => passwords.verify(ADA, CLIENT),
    () => passwords.createUser(ADA),
    () => passwords.reset("u1", OTHER_PASSWORD),
    () => passwords.change("u1", change, CLIENT),
  ];
  for (const attempt of refused) {
    const error = await refusal(attempt);
    assertEquals([error.code, error.status], ["service_unavailable", 503]);
    assertMatch(error.headers["Retry-After"] ?? "", /^[1-9]\d*$/);
  }
  gate.resolve();
  assertEquals((await Promise.all(wrong)).map(({ status }) => status), [401, 401]);
  assertEquals(reserved, [3, 3]);
  assertEquals(hasher.calls, ["hash", "hash"]);
  assertEquals(types(events), ["login.failed", "login.failed"]);
});

Deno.test("verify() leaves its place to others however it ends", async () => {
  const { passwords } = createServices({
    hashing: { running: 1, waiting: 0 },
    hasher: { ...cheapHasher(), verify: () => Promise.reject(new Error("no memory")) },
  });
  await passwords.createUser(ADA);
  for (const _ of repeat(3, () => 0)) {
    await assertRejects(() => passwords.verify(ADA, CLIENT), Error, "no memory"); // the hasher
    await refusal(() => passwords.createUser(ADA)); // taken
    await refusal(() => passwords.createUser({ ...ADA, password: "weak" }));
    await refusal(() => passwords.reset("nobody", OTHER_PASSWORD));
  }
  const nobody = { ...ADA, identifier: "nobody" };
  for (const _ of repeat(5, () => 0)) await refusal(() => passwords.verify(nobody, CLIENT));
  assertEquals((await refusal(() => passwords.verify(nobody, CLIENT))).code, "throttled");
  assertEquals((await refusal(() => passwords.verify(nobody, CLIENT))).code, "throttled");
});

const LISTENERS: readonly [why: string, events: () => void | Promise<void>][] = [
  ["throws", () => {
    throw new Error(PASSWORD);
  }],
  ["rejects", () => Promise.reject(new Error(PASSWORD))],
  ["never ends", () => new Promise(() => {})],
];
for (const [why, events] of LISTENERS) {
  Deno.test(`createUser() and verify() go on where a listener ${why}`, async () => {
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const { users } = createServices().stores;
    const hasher = cheapHasher();
    const passwords = passwordService({ users, throttle: "insecureSkip", hasher, events, warn });
    await passwords.createUser({ ...ADA }, { sub: "u1" });
    assertEquals((await passwords.verify(ADA, NOBODY)).sub, "u1");
    const error = await refusal(() => passwords.verify({ ...ADA, password: "wrong" }, NOBODY));
    assertEquals(error.code, "invalid_credentials");
    assertEquals(warnings.length, why === "never ends" ? 0 : 3);
    assert(!JSON.stringify(warnings).includes(PASSWORD));
  });
}

/** A hasher that waits. */
function slowHasher(until: Promise<void>): PasswordHasher {
  const hasher = cheapHasher();
  return {
    ...hasher,
    async hash(password) {
      await until;
      return await hasher.hash(password);
    },
  };
}
