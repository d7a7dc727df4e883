import { assert, assertEquals, assertMatch } from "@std/assert";
import type { UserStore } from "../../../auth/stores/types.ts";
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
  type Services,
  type ServicesOptions,
  setDisabled,
  START,
  types,
} from "../_services.ts";

Deno.test("verify() replaces a hash of fewer iterations, and nothing else of the user", async () => {
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

Deno.test("verify() keeps a hash of more iterations", async () => {
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
  ["before it looks at the password", "findByIdentifier"],
];
for (const [why, where] of RACES) {
  Deno.test(`verify() keeps the change of a password that somebody makes ${why}`, async () => {
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

Deno.test("verify() of the same user 30 times at once succeeds each time, and rehashes once", async () => {
  const { passwords, events, stores } = await grown({ uncounted: true });
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
          throw new Error("not even a promise");
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
  Deno.test(`verify() succeeds without a new hash where ${why}, and warns`, async () => {
    const { passwords, stores, warnings, events, before } = await grown(options);
    assertEquals((await passwords.verify(ADA, CLIENT)).sub, "u1");
    assertEquals(await stores.users.findBySub("u1"), before);
    assertEquals(warnings.length, 1);
    assertMatch(warnings[0] ?? "", /^Cannot /);
    assert(!warnings[0]?.includes(PASSWORD));
    assertEquals(types(events), ["login.succeeded"]);
  });
}

Deno.test("verify() succeeds where the user is deleted before the new hash is written", async () => {
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
  /** The services before the number of iterations grew. */
  readonly plain: Services;
}

/** A user whose hash has 1,000 iterations, and services that want 2,000. */
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

/** A store in which something happens before a step is done (`update`), or after it (`findByIdentifier`). */
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
