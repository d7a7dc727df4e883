/** The catalogue "Passwords and throttle": stored hashes, concurrent changes, and leaks. */

import { assert, assertEquals } from "@std/assert";
import {
  ADA,
  cheapHasher,
  CLIENT,
  createServices,
  NOBODY,
  once,
  OTHER_PASSWORD,
  PASSWORD,
  patchUser,
  refusal,
  repeat,
  type Services,
  setDisabled,
  shown,
} from "../auth/_services.ts";

const HASH = "$pbkdf2-sha256$i=1000$c2FsdHNhbHRzYWx0c2FsdA$";
const KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

const STORED: readonly (readonly [source: string, what: string, hash: unknown])[] = [
  ["ATTACKS", "4294967295 iterations", `${HASH.replace("1000", "4294967295")}${KEY}`],
  ["ATTACKS", "99999999 iterations", `${HASH.replace("1000", "99999999")}${KEY}`],
  ["neighbour", "999 iterations", `${HASH.replace("1000", "999")}${KEY}`],
  ["neighbour", "no iterations", `${HASH.replace("i=1000", "i=0")}${KEY}`],
  ["neighbour", "1e3 iterations", `${HASH.replace("1000", "1e3")}${KEY}`],
  ["ATTACKS", "no key", HASH],
  ["neighbour", "a key of one byte", `${HASH}AA`],
  ["neighbour", "no salt", HASH.replace(/\$[^$]*\$$/, `$$$${KEY}`)],
  [
    "neighbour",
    "another algorithm",
    "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234",
  ],
  ["neighbour", "an empty string", ""],
  ["neighbour", "the password itself", PASSWORD],
  ["neighbour", "1 MB", `${HASH}${KEY.repeat(25_000)}`],
  ["neighbour", "a line feed at the end", `${HASH}${KEY}\n`],
];
for (const [source, what, passwordHash] of STORED) {
  Deno.test(`[${source}] stored hash: ${what} → invalid_credentials`, async () => {
    const { passwords, stores } = createServices();
    await passwords.createUser({ ...ADA }, { sub: "u1" });
    await patchUser(stores, { passwordHash: passwordHash as string });
    for (const password of [PASSWORD, passwordHash as string, "", "\0"]) {
      const error = await refusal(() => passwords.verify({ ...ADA, password }, NOBODY));
      assertEquals([error.code, error.status], ["invalid_credentials", 401]);
    }
    const change = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    const error = await refusal(() => passwords.change("u1", change, NOBODY));
    assertEquals(error.code, "wrong_password");
  });
}

const TEXTS: readonly (readonly [source: string, what: string, own: string, other: string])[] = [
  ["ATTACKS", "NUL at the end", PASSWORD, `${PASSWORD}\0`],
  ["ATTACKS", "NUL and more at the end", PASSWORD, `${PASSWORD}\0babbage`],
  ["ATTACKS", "a lone surrogate at the end", `${PASSWORD}\ufffd`, `${PASSWORD}\ud800`],
  ["ATTACKS", "another lone surrogate", `${PASSWORD}\ufffd`, `${PASSWORD}\udbff`],
  ["neighbour", "a space at the end", PASSWORD, `${PASSWORD} `],
  ["neighbour", "the same, truncated after 72 bytes", "x y z ".repeat(14), "x y z ".repeat(12)],
  [
    "neighbour",
    "the same, truncated after 64 bytes",
    "ada & bob ".repeat(8),
    "ada & bob ".repeat(8).slice(0, 64),
  ],
  [
    "neighbour",
    "compatible letters, which NFC distinguishes",
    "ﬁnest password of all",
    "finest password of all",
  ],
  ["neighbour", "upper case", PASSWORD, PASSWORD.toUpperCase()],
];
for (const [source, what, own, other] of TEXTS) {
  Deno.test(`[${source}] password: ${what} → another password`, async () => {
    const anything = { check: () => Promise.resolve([]) };
    const { passwords } = createServices({ policy: anything });
    await passwords.createUser({ ...ADA, password: own });
    const error = await refusal(() => passwords.verify({ ...ADA, password: other }, NOBODY));
    assertEquals(error.code, "invalid_credentials");
    assertEquals((await passwords.verify({ ...ADA, password: own }, NOBODY)).amr, ["pwd"]);
  });
}

Deno.test("[ATTACKS] password: 15 emoji are 15 characters, and 14 are too few", async () => {
  const { passwords } = createServices();
  const emoji = "🍏🚲🎻🌋🐙🧵🪁🛶🥁🦉🧊🪐🌵🎈🧭";
  const short = { identifier: "ada", password: [...emoji].slice(1).join("") };
  assertEquals((await refusal(() => passwords.createUser(short))).code, "weak_password");
  await passwords.createUser({ identifier: "ada", password: emoji });
  assertEquals((await passwords.verify({ identifier: "ada", password: emoji }, NOBODY)).amr, [
    "pwd",
  ]);
});

Deno.test("[ATTACKS] rehash: a rehash that races a password change → the change stays", async () => {
  const plain = createServices({ uncounted: true });
  await plain.passwords.createUser({ ...ADA }, { sub: "u1" });
  const change = once(() =>
    plain.passwords.change("u1", { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }, NOBODY)
  );
  const { passwords } = createServices({
    stores: plain.stores,
    hasher: cheapHasher(2_000),
    wrap: ({ users }) => ({
      users: {
        ...users,
        async update(...args) {
          await change();
          return await users.update(...args);
        },
      },
    }),
  });
  await passwords.verify(ADA, NOBODY);
  assertEquals(
    (await refusal(() => plain.passwords.verify(ADA, NOBODY))).code,
    "invalid_credentials",
  );
  const changed = { ...ADA, password: OTHER_PASSWORD };
  assertEquals((await plain.passwords.verify(changed, NOBODY)).sub, "u1");
});

/** Changes between the verification of the password and the creation of the session. */
const MEANWHILE: readonly (readonly [
  source: string,
  what: string,
  meanwhile: (services: Services) => Promise<unknown>,
])[] = [
  [
    "neighbour",
    "the user changes the password",
    ({ passwords }) =>
      passwords.change("u1", { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }, NOBODY),
  ],
  [
    "neighbour",
    "the user changes the password to the same one",
    ({ passwords }) =>
      passwords.change("u1", { currentPassword: PASSWORD, newPassword: PASSWORD }, NOBODY),
  ],
  [
    "neighbour",
    "an administrator resets the password",
    ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD),
  ],
  ["ATTACKS", "the account is disabled", ({ stores }) => setDisabled(stores)],
  ["ATTACKS", "the account is disabled and enabled again", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }],
  ["ATTACKS", "the account is deleted", ({ stores }) => stores.users.delete("u1")],
  ["neighbour", "the account is deleted and created again", async ({ passwords, stores }) => {
    await stores.users.delete("u1");
    await passwords.createUser({ ...ADA }, { sub: "u1" });
  }],
];
for (const [source, what, meanwhile] of MEANWHILE) {
  Deno.test(`[${source}] login: ${what} during a login → no valid session`, async () => {
    const services = createServices();
    const { passwords, sessions } = services;
    const first = await sessions.create(await passwords.createUser({ ...ADA }, { sub: "u1" }));
    const stale = await passwords.verify(ADA, CLIENT);
    await meanwhile(services);
    const second = await sessions.create(stale);
    assertEquals(await sessions.list("u1"), []);
    for (const { token } of [first, second]) {
      assertEquals(await sessions.verify(token), undefined);
    }
  });
}

Deno.test("[ATTACKS] leaks: no event, warning or error contains user input or stored data", async () => {
  const services = createServices({ hasher: cheapHasher(1_000) });
  const { passwords, sessions, stores, events, warnings, throttle, clock } = services;
  const output: unknown[] = [events, warnings];
  const tell = async (attempt: () => Promise<unknown>) => {
    const error = await refusal(attempt);
    output.push(shown(error), error.stack, error.reason, `${error.cause}`, Deno.inspect(error));
  };
  const typed = "typed-into-the-wrong-field";
  const authentication = await passwords.createUser(ADA, { client: CLIENT, sub: "u1" });
  const device = await throttle.issueDevice(authentication);
  const client = { ...CLIENT, device };
  const { token } = await sessions.create(authentication, { userAgent: "Mozilla/5.0 secret" });
  const hash = (await stores.users.findBySub("u1"))?.passwordHash;
  const tokenHash = (await stores.sessions.list("u1"))[0]?.tokenHash;
  await tell(() => passwords.createUser({ identifier: typed, password: "weak-password" }));
  await tell(() => passwords.createUser(ADA, { client }));
  await tell(() => passwords.verify({ identifier: typed, password: PASSWORD }, client));
  await tell(() => passwords.verify({ identifier: `${typed},b`, password: PASSWORD }, client));
  const change = { currentPassword: typed, newPassword: OTHER_PASSWORD };
  await tell(() => passwords.change("u1", change, client));
  const weak = { currentPassword: PASSWORD, newPassword: "weak-password" };
  await tell(() => passwords.change("u1", weak, client));
  for (const _ of repeat(6, () => 0)) {
    await refusal(() => passwords.verify({ ...ADA, password: typed }, client));
  }
  await tell(() => passwords.verify(ADA, client));
  clock.now += 3_600;
  await sessions.verify(token);
  await passwords.reset("u1", OTHER_PASSWORD);
  const written = JSON.stringify(output);
  assert(events.length > 5);
  const secrets = { hash, token, tokenHash, device, mac: device.slice(23), ...authentication };
  for (const secret of Object.values({ ...secrets, typed, weakest: "weak-password" })) {
    if (secret === "u1" || typeof secret !== "string") continue;
    assert(!written.includes(secret), secret);
  }
  for (const text of [PASSWORD, OTHER_PASSWORD, "ada@", "example.org", "Mozilla"]) {
    assert(!written.includes(text), text);
  }
});
