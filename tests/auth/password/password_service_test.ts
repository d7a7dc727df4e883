/** Verification of passwords: outcomes, equal work, arguments, hashers and rehashes. */

import { scryptAsync } from "@noble/hashes/scrypt.js";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import type { LoginFailure } from "../../../auth/events.ts";
import type { PasswordHasher } from "../../../auth/password/hasher.ts";
import { passwordService } from "../../../auth/password/password_service.ts";
import type {
  PasswordService,
  PasswordServiceOptions,
} from "../../../auth/password/password_types.ts";
import { scryptHasher } from "../../../auth/password/scrypt.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { AuthStores, UserStore } from "../../../auth/stores/types.ts";
import {
  ADA,
  cheapHasher,
  CLIENT,
  countingHasher,
  createServices,
  NOBODY,
  once,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  type Services,
  type ServicesOptions,
  setDisabled,
  shown,
  START,
  types,
  unasked,
  withAda,
  withUsers,
} from "../_services.ts";

const SAME_USER: readonly [why: string, identifier: string][] = [
  ["unchanged", "ada@example.org"],
  ["case", "ADA@Example.ORG"],
  ["white space around it", " ada@example.org\t"],
  ["full-width characters, NFKC", "ａｄａ＠example.org"],
];

Deno.test("createUser() rejects an invalid identifier before it counts or reads", async () => {
  const asked = () => Promise.reject(new Error("The users were read"));
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

Deno.test("createUser() and verify() emit events without secrets", async () => {
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

Deno.test("verify() accepts a password in NFD and NFC, and no other", async () => {
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

Deno.test("verify() rejects if the user store fails", async () => {
  const down = new Error("the users are out of order");
  const { passwords, hasher, events } = createServices({
    wrap: ({ users }) => ({
      users: { ...users, findByIdentifier: () => Promise.reject(down) },
    }),
  });
  assertStrictEquals(await assertRejects(() => passwords.verify(ADA, CLIENT)), down);
  assertEquals([hasher.calls, events], [[], []]);
});

Deno.test("verify() rejects if the throttle fails", async () => {
  for (const step of ["reserve", "reset"] as const) {
    const down = new Error(`cannot ${step}`);
    const { passwords, events } = createServices({
      wrap: ({ throttle }) => ({ throttle: { ...throttle, [step]: () => Promise.reject(down) } }),
    });
    await passwords.createUser(ADA);
    assertStrictEquals(await assertRejects(() => passwords.verify(ADA, CLIENT)), down);
    assertEquals(types(events), ["user.created"]);
  }
});

Deno.test("verify() fails closed on an invalid stored hash", async () => {
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

Deno.test('passwordService() requires a throttle or "insecureSkip"', async () => {
  const { stores } = createServices();
  for (const throttle of [undefined, null, "skip", true, {}, stores.throttle]) {
    const options = { users: stores.users, throttle } as unknown as PasswordServiceOptions;
    assertThrows(() => passwordService(options), TypeError, "Cannot create password service");
  }
  const { passwords } = createServices({ uncounted: true, hashing: { waiting: 4_000 } });
  await passwords.createUser(ADA, { client: CLIENT });
  const wrong = repeat(40, () => passwords.verify({ ...ADA, password: "wrong" }, CLIENT));
  assertEquals(await outcomes(wrong), { invalid_credentials: 40 });
  assertEquals((await passwords.verify(ADA, CLIENT)).amr, ["pwd"]);
});

Deno.test("verify() returns values that are not shared with other callers", async () => {
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

Deno.test("verify() of a user who is deleted meanwhile creates no valid session", async () => {
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

Deno.test("verify() rejects with 503 if too many passwords are being hashed, and counts nothing", async () => {
  const gate = Promise.withResolvers<void>();
  const reserved: number[] = [];
  const { passwords, hasher, events } = createServices({
    hasher: slowHasher(gate.promise),
    hashing: { running: 1, waiting: 1 },
    wrap: ({ throttle }) => ({
      throttle: {
        ...throttle,
        reserve(key, others, now) {
          reserved.push(others.length);
          return throttle.reserve(key, others, now);
        },
      },
    }),
  });
  const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
  const wrong = repeat(2, (i) => {
    return refusal(() => passwords.verify({ ...ADA, identifier: `nobody-${i}` }, CLIENT));
  });
  const refused = [
    () => passwords.verify({ ...ADA, identifier: "nobody-0" }, CLIENT),
    () => passwords.verify(ADA, CLIENT),
    () => passwords.createUser(ADA, { client: CLIENT }),
    () => passwords.change("u1", change, CLIENT),
  ];
  for (const attempt of refused) {
    const error = await refusal(attempt);
    assertEquals([error.code, error.status], ["service_unavailable", 503]);
    assertMatch(error.headers["Retry-After"] ?? "", /^[1-9]\d*$/);
  }
  gate.resolve();
  assertEquals((await Promise.all(wrong)).map(({ status }) => status), [401, 401]);
  assertEquals(reserved.sort(), [0, 0, 0, 0, 2, 2]); // each reads two keys, and then counts under them
  assertEquals(hasher.calls, ["hash", "hash"]);
  assertEquals(types(events), ["login.failed", "login.failed"]);
});

Deno.test("verify() releases its slot for every outcome", async () => {
  const { passwords } = createServices({
    hashing: { running: 1, waiting: 0 },
    hasher: { ...cheapHasher(), verify: () => Promise.reject(new Error("no memory")) },
  });
  await passwords.createUser(ADA);
  for (const _ of repeat(3, () => 0)) {
    await assertRejects(() => passwords.verify(ADA, CLIENT), Error, "no memory"); // the hasher
    await refusal(() => passwords.createUser(ADA)); // a taken identifier
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
  Deno.test(`createUser() and verify() continue if a listener ${why}`, async () => {
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

/** A hasher that settles when the test says so. */
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

Deno.test("verify() rejects equally, after one hash, for every reason", async () => {
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

Deno.test("verify() calls the throttle and the store equally often for every reason", async () => {
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
    assertEquals(asked, ["findByIdentifier", ...repeat(3, () => "reserve")], identifier);
  }
});

const IMPOSSIBLE: readonly [why: string, password: unknown][] = [
  ["2 KiB", "x".repeat(2048)],
  ["257 code points", "x".repeat(257)],
  ["NUL after the right one", `${PASSWORD}\0`],
  ["NUL before the right one", `\0${PASSWORD}`],
  ["a lone high surrogate", `${PASSWORD}\ud800`],
  ["a lone low surrogate", `\udc00${PASSWORD}`],
  ["an array of guesses", [PASSWORD, OTHER_PASSWORD]],
  ["an object that converts to the password", { toString: () => PASSWORD }],
  ["a number", 1e20],
  ["null", null],
  ["absent", undefined],
];
for (const [why, password] of IMPOSSIBLE) {
  Deno.test(`verify() rejects an invalid password without a hash: ${why}`, async () => {
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
    assertEquals(events, []); // it would fill logs
  });
}

Deno.test("verify() of an invalid password counts and reads nothing", async () => {
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

Deno.test("verify() rejects with 429 while locked, for the right password and for unknown users", async () => {
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

/** A store that records the names of called methods. */
function spied<Store extends object>(store: Store, asked: string[]): Store {
  return new Proxy(store, {
    get(target, name) {
      asked.push(String(name));
      return Reflect.get(target, name);
    },
  });
}

const CHANGE = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };

for (const client of [undefined, null, {}, { device: "x" }, "192.0.2.1", []]) {
  const what = JSON.stringify(client) ?? "nothing";
  Deno.test(`verify() and change() reject a client without an address: ${what}`, async () => {
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

  Deno.test(`verify() and change() reject it without a throttle too: ${what}`, async () => {
    const { passwords } = await withAda({ uncounted: true });
    const given = client as never;
    await assertRejects(
      () => passwords.verify(ADA, given),
      TypeError,
      "client must be { address }",
    );
    await assertRejects(() => passwords.change("u1", CHANGE, given), TypeError, "client must be");
  });
}

Deno.test("verify() accepts a client with an undefined address", async () => {
  const { passwords } = await withAda();
  assertEquals((await passwords.verify(ADA, { address: undefined })).sub, "u1");
});

Deno.test("createUser() reads only identifier and password of a body", async () => {
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
  Deno.test(`createUser() rejects a sub that is not a non-empty string: ${typeof sub} ${sub}`, async () => {
    const { passwords, stores, hasher } = createServices({
      wrap: () => ({ throttle: unasked() }),
    });
    const given = { sub: sub as string, client: CLIENT };
    await assertRejects(() => passwords.createUser(ADA, given), TypeError, "Cannot create user");
    assertEquals([await stores.users.findByIdentifier(ADA.identifier), hasher.calls], [null, []]);
  });
}

Deno.test("createUser() generates a sub if it is undefined", async () => {
  const { passwords } = createServices();
  const { sub } = await passwords.createUser(ADA, { sub: undefined, client: undefined });
  assertMatch(sub, /^[\w-]{22}$/);
});

for (const now of [START * 1_000, 1e11, NaN, Infinity, `${START}`]) {
  Deno.test(`createUser() and verify() reject a clock that returns ${typeof now} ${now}`, async () => {
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

Deno.test("verify() and createUser() use whole seconds", async () => {
  const { passwords, stores, clock } = createServices();
  clock.now = START + 0.9;
  assertEquals((await passwords.createUser(ADA, { sub: "u1" })).authTime, START);
  assertEquals((await stores.users.findBySub("u1"))?.createdAt, START);
  assertEquals((await passwords.verify(ADA, CLIENT)).authTime, START);
});

Deno.test("verify() does not accept a device from before a password change", async () => {
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

function serviceOver(
  stores: AuthStores,
  hasher: PasswordHasher | readonly PasswordHasher[],
): PasswordService {
  return passwordService({ users: stores.users, throttle: "insecureSkip", hasher });
}

async function hashOfAda({ users }: AuthStores): Promise<string> {
  return (await users.findByIdentifier(ADA.identifier))?.passwordHash ?? "";
}

const scrypt = () => scryptHasher({ scrypt: scryptAsync, ln: 10, p: 1 });

Deno.test("passwordService() verifies with the hasher of the hash, and replaces with the first", async () => {
  const stores = inMemoryAuthStores();
  await serviceOver(stores, cheapHasher()).createUser(ADA);
  assertStringIncludes(await hashOfAda(stores), "$pbkdf2-sha256$i=1000$");

  const [first, second] = [countingHasher(scrypt()), countingHasher()];
  const passwords = serviceOver(stores, [first, second]);
  await refusal(() => passwords.verify({ ...ADA, password: OTHER_PASSWORD }, NOBODY));
  assertStringIncludes(
    await hashOfAda(stores),
    "$pbkdf2-sha256$",
    "a wrong password replaces no hash",
  );
  await passwords.verify(ADA, NOBODY);
  assertEquals([first.calls, second.calls], [["hash"], ["verify", "verify"]]);
  assertStringIncludes(await hashOfAda(stores), "$scrypt$ln=10,r=8,p=1$");

  await passwords.verify(ADA, NOBODY);
  assertEquals([first.calls, second.calls.length], [["hash", "verify"], 2]);
});

Deno.test("passwordService() hashes with the first hasher for unknown users", async () => {
  const [first, second] = [countingHasher(scrypt()), countingHasher()];
  await refusal(() => serviceOver(inMemoryAuthStores(), [first, second]).verify(ADA, NOBODY));
  assertEquals([first.calls, second.calls], [["hash"], []]);
});

Deno.test("passwordService() rejects a hash without a hasher", async () => {
  const stores = inMemoryAuthStores();
  await serviceOver(stores, cheapHasher()).createUser(ADA);
  const warnings: string[] = [];
  const first = countingHasher(scrypt());
  const passwords = passwordService({
    users: stores.users,
    throttle: "insecureSkip",
    hasher: [first],
    warn: (message) => void warnings.push(message),
  });
  for (const calls of [["verify"], ["verify", "verify"]] as const) {
    assertEquals((await refusal(() => passwords.verify(ADA, NOBODY))).reason, "password_wrong");
    assertEquals(first.calls, [...calls]); // as much work as for any other user
  }
  assertEquals(warnings.length, 1);
  assertStringIncludes(warnings[0] ?? "", "no hasher has the id");
});

for (
  const [why, hashers] of [
    ["no hasher", []],
    ["two hashers with the same id", [cheapHasher(), cheapHasher(2_000)]],
  ] as const
) {
  Deno.test(`passwordService() rejects ${why}`, () => {
    assertThrows(
      () => serviceOver(inMemoryAuthStores(), hashers),
      TypeError,
      "Cannot hash passwords",
    );
  });
}

Deno.test("verify() replaces a hash with fewer iterations, and nothing else of the user", async () => {
  const { passwords, sessions, stores, hasher, events, before, token } = await grown();
  const { securityStamp } = await passwords.verify(ADA, CLIENT);
  const after = await stores.users.findBySub("u1");
  assertMatch(after?.passwordHash ?? "", /^\$pbkdf2-sha256\$i=2000\$/);
  assertEquals({ ...after, passwordHash: "", version: "" }, {
    ...before,
    passwordHash: "",
    version: "",
  });
  assertEquals(securityStamp, before.securityStamp);
  assertEquals((await sessions.verify(token))?.user.sub, "u1");
  assertEquals(hasher.calls, ["verify", "hash"]);
  assertEquals(events, [
    { type: "password.rehashed", at: START, sub: "u1" },
    { type: "login.succeeded", at: START, sub: "u1", ...CLIENT },
  ]);
  hasher.calls.length = 0;
  assertEquals((await passwords.verify(ADA, CLIENT)).sub, "u1");
  assertEquals(hasher.calls, ["verify"]);
});

Deno.test("verify() keeps a hash with more iterations", async () => {
  const { stores } = await grown();
  const { passwords } = createServices({ stores, hasher: cheapHasher(2_000) });
  await passwords.verify(ADA, NOBODY);
  const kept = await stores.users.findBySub("u1");
  const lowered = createServices({ stores, hasher: cheapHasher(1_000) });
  await lowered.passwords.verify(ADA, NOBODY);
  assertEquals(await stores.users.findBySub("u1"), kept);
});

Deno.test("verify() of a wrong password, or of a disabled user, replaces no hash", async () => {
  const { passwords, stores, events, before } = await grown();
  await refusal(() => passwords.verify({ ...ADA, password: OTHER_PASSWORD }, NOBODY));
  assertEquals(await stores.users.findBySub("u1"), before);
  await setDisabled(stores);
  await refusal(() => passwords.verify(ADA, NOBODY));
  assertEquals((await stores.users.findBySub("u1"))?.passwordHash, before.passwordHash);
  assertEquals(types(events), ["login.failed", "login.failed"]);
});

Deno.test("verify() replaces a hash with one of the whole password in NFC", async () => {
  const password = "café au lait s'il vous plaît";
  const { stores, passwords } = createServices();
  await passwords.createUser({ identifier: "zoe", password });
  const grown = createServices({ stores, hasher: cheapHasher(2_000) });
  for (const form of ["NFD", "NFC", "NFD"]) {
    const credentials = { identifier: "zoe", password: password.normalize(form) };
    assertEquals((await grown.passwords.verify(credentials, NOBODY)).amr, ["pwd"]);
  }
  assertEquals(types(grown.events).filter((type) => type === "password.rehashed").length, 1);
});

const RACES: readonly [why: string, where: "update" | "findByIdentifier"][] = [
  ["before it writes the hash", "update"],
  ["before it verifies the password", "findByIdentifier"],
];
for (const [why, where] of RACES) {
  Deno.test(`verify() keeps a concurrent password change: ${why}`, async () => {
    const change = { run: (): Promise<unknown> => Promise.resolve() };
    const meanwhile = once(() => change.run());
    const { passwords, sessions, stores, events, warnings, plain } = await grown({
      wrap: ({ users }) => ({ users: interrupted(users, where, meanwhile) }),
    });
    change.run = () =>
      plain.passwords.change(
        "u1",
        { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD },
        NOBODY,
      );
    const stale = await passwords.verify(ADA, CLIENT);
    assertEquals(warnings, []);
    assert(!types(events).includes("password.rehashed"), why);
    assertEquals(
      (await refusal(() => plain.passwords.verify(ADA, NOBODY))).code,
      "invalid_credentials",
    );
    const now = await plain.passwords.verify({ ...ADA, password: OTHER_PASSWORD }, NOBODY);
    assertEquals(now.securityStamp, (await stores.users.findBySub("u1"))?.securityStamp);
    const { token } = await sessions.create(stale);
    assertEquals(await sessions.verify(token), undefined);
  });
}

Deno.test("verify() of one user 30 times concurrently succeeds each time, and rehashes once", async () => {
  const { passwords, events, stores } = await grown({
    uncounted: true,
    hashing: { waiting: 4_000 },
  });
  const attempts = repeat(30, () => passwords.verify(ADA, NOBODY));
  assertEquals(await outcomes(attempts), { made: 30 });
  assertEquals(types(events).filter((type) => type === "password.rehashed").length, 1);
  assertMatch((await stores.users.findBySub("u1"))?.passwordHash ?? "", /i=2000\$/);
});

const FAILURES: readonly [why: string, options: ServicesOptions][] = [
  ["the store is down", {
    wrap: ({ users }) => ({
      users: { ...users, update: () => Promise.reject(new Error(`no ${PASSWORD}`)) },
    }),
  }],
  ["the store throws", {
    wrap: ({ users }) => ({
      users: {
        ...users,
        update(): never {
          throw new Error("the store returns no promise");
        },
      },
    }),
  }],
  ["the hasher fails", {
    hasher: { ...cheapHasher(2_000), hash: () => Promise.reject(new Error("no memory")) },
  }],
  ["the hasher cannot read the old hash", {
    hasher: {
      ...cheapHasher(2_000),
      needsRehash(): never {
        throw new SyntaxError(`not mine: ${PASSWORD}`);
      },
    },
  }],
];
for (const [why, options] of FAILURES) {
  Deno.test(`verify() succeeds without a new hash if ${why}, and warns`, async () => {
    const { passwords, stores, warnings, events, before } = await grown(options);
    assertEquals((await passwords.verify(ADA, CLIENT)).sub, "u1");
    assertEquals(await stores.users.findBySub("u1"), before);
    assertEquals(warnings.length, 1);
    assertMatch(warnings[0] ?? "", /^Cannot /);
    assert(!warnings[0]?.includes(PASSWORD));
    assertEquals(types(events), ["login.succeeded"]);
  });
}

Deno.test("verify() succeeds if the user is deleted before the new hash is written", async () => {
  const { passwords, warnings, events } = await grown({
    wrap: ({ users }) => ({
      users: interrupted(users, "update", once(() => users.delete("u1"))),
    }),
  });
  assertEquals((await passwords.verify(ADA, NOBODY)).sub, "u1");
  assertEquals([warnings, types(events)], [[], ["login.succeeded"]]);
});

interface Grown extends Services {
  readonly before: NonNullable<Awaited<ReturnType<UserStore["findBySub"]>>>;
  readonly token: string;
  /** The services with the old number of iterations. */
  readonly plain: Services;
}

/** A user whose hash has 1,000 iterations, and services with 2,000. */
async function grown(options: ServicesOptions = {}): Promise<Grown> {
  const plain = createServices({ uncounted: true });
  const authentication = await plain.passwords.createUser({ ...ADA }, { sub: "u1" });
  const { token } = await plain.sessions.create(authentication);
  const before = await plain.stores.users.findBySub("u1");
  assert(before !== null);
  const services = createServices({
    hasher: cheapHasher(2_000),
    ...options,
    stores: plain.stores,
  });
  return { ...services, before, token, plain };
}

/** A store that calls a hook before `update`, or after `findByIdentifier`. */
function interrupted(
  users: UserStore,
  where: "update" | "findByIdentifier",
  meanwhile: () => Promise<void>,
): UserStore {
  if (where === "update") {
    return {
      ...users,
      async update(...args) {
        await meanwhile();
        return await users.update(...args);
      },
    };
  }
  return {
    ...users,
    async findByIdentifier(identifier) {
      const user = await users.findByIdentifier(identifier);
      await meanwhile();
      return user;
    },
  };
}
