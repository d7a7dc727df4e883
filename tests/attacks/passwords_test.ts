/** The catalogue "Passwords and throttle", without routes: one row per attack; rows are only added. */

import { assertEquals } from "@std/assert";
import { clientAddressReader } from "../../auth/throttle/client_address.ts";
import type { AuthErrorCode } from "../../auth/error.ts";
import type { LoginClient } from "../../auth/throttle/throttle_types.ts";
import {
  ADA,
  CLIENT,
  createServices,
  deviceOf,
  EVE_PASSWORD,
  fail,
  NOBODY,
  OTHER_PASSWORD,
  outcomes,
  PASSWORD,
  refusal,
  repeat,
  type Services,
  withUsers,
} from "../auth/_services.ts";

const WRONG = { ...ADA, password: "babbage did it" };
const EVE = { identifier: "eve@example.org", password: EVE_PASSWORD };
const OFFICE = { address: "192.0.2.77" };

type Attack = readonly [
  source: string,
  attack: string,
  refusal: AuthErrorCode,
  attempt: (services: Services) => Promise<unknown>,
];

/** Ways to guess more often. Each one ends with an attempt with the right password, which must be rejected. */
const GUESSING: readonly Attack[] = [
  ["SP 800-63B-4 §3.2.2", "six guesses from one address", "throttled", async ({ passwords }) => {
    await fail(5, () => passwords.verify(WRONG, CLIENT));
    return await passwords.verify(ADA, CLIENT);
  }],
  ["SP 800-63B-4 §3.2.2", "100 guesses from 100 addresses", "throttled", async ({ passwords }) => {
    await fail(100, (i) => passwords.verify(WRONG, { address: `198.51.100.${i}` }));
    return await passwords.verify(ADA, CLIENT);
  }],
  ["CWE-307", "one password for 50 accounts", "throttled", async ({ passwords }) => {
    await fail(50, (i) => passwords.verify({ ...WRONG, identifier: `user-${i}` }, CLIENT));
    return await passwords.verify(ADA, CLIENT);
  }],
  ["ATTACKS", "spoofed X-Forwarded-For values", "throttled", async ({ passwords }) => {
    const reader = clientAddressReader({ warn: () => {} });
    const info = { remoteAddr: { transport: "tcp", hostname: CLIENT.address } };
    const from = (i: number) => {
      const headers = { "X-Forwarded-For": `198.51.100.${i}`, "X-Real-IP": `198.51.100.${i}` };
      return { address: reader(new Request("http://localhost/", { headers }), info) };
    };
    await fail(5, (i) => passwords.verify(WRONG, from(i)));
    return await passwords.verify(ADA, from(99));
  }],
  ["ATTACKS", "spoofed X-Forwarded-For values with a proxy", "throttled", async (services) => {
    const { passwords } = services;
    const reader = clientAddressReader({ deployment: { proxies: ["10.0.0.0/8"] }, warn: () => {} });
    const info = { remoteAddr: { transport: "tcp", hostname: "10.0.0.1" } };
    const from = (i: number) => {
      const headers = { "X-Forwarded-For": `198.51.100.${i}, ${CLIENT.address}` };
      return { address: reader(new Request("http://localhost/", { headers }), info) };
    };
    await fail(5, (i) => passwords.verify(WRONG, from(i)));
    return await passwords.verify(ADA, CLIENT);
  }],
  ["ATTACKS", "other addresses of one IPv6 network", "throttled", async ({ passwords }) => {
    await fail(5, (i) => passwords.verify(WRONG, { address: `2001:db8:0:1:${i}::1` }));
    return await passwords.verify(ADA, { address: "2001:db8:0:1:ffff::1" });
  }],
  ["ATTACKS", "spellings of one IPv4 address", "throttled", async ({ passwords }) => {
    await fail(3, () => passwords.verify(WRONG, { address: "::ffff:192.0.2.1" }));
    await fail(2, () => passwords.verify(WRONG, { address: "::FFFF:c000:201" }));
    return await passwords.verify(ADA, CLIENT);
  }],
  ["ATTACKS", "spellings of one identifier", "throttled", async ({ passwords }) => {
    const spellings = [
      "ADA@example.org",
      "ada＠example.org",
      " ada@example.org",
      "ａda@example.org",
    ];
    for (const identifier of [...spellings, ADA.identifier]) {
      await fail(1, () => passwords.verify({ ...WRONG, identifier }, CLIENT));
    }
    return await passwords.verify(ADA, CLIENT);
  }],
  [
    "PortSwigger: IP block",
    "logins of the attacker in between",
    "throttled",
    async (services) => {
      const { passwords } = services;
      for (const _ of repeat(5, () => 0)) {
        await fail(1, () => passwords.verify(WRONG, CLIENT));
        await passwords.verify(EVE, CLIENT);
      }
      return await passwords.verify(ADA, CLIENT);
    },
  ],
  [
    "PortSwigger: IP block",
    "logins of the attacker in between, one guess for each account",
    "throttled",
    async (
      { passwords },
    ) => {
      for (const i of repeat(50, (i) => i)) {
        if (i < 49) await passwords.verify(EVE, CLIENT);
        await fail(1, () => passwords.verify({ ...WRONG, identifier: `user-${i}` }, CLIENT));
      }
      return await passwords.verify(ADA, CLIENT);
    },
  ],
  ["PortSwigger: many credentials", "an array of guesses in one request", "invalid_credentials", (
    { passwords },
  ) => passwords.verify({ ...ADA, password: [WRONG.password, PASSWORD] as never }, CLIENT)],
  ["neighbour", "guesses by password changes", "throttled", async ({ passwords }) => {
    const change = (currentPassword: string) =>
      passwords.change("u1", { currentPassword, newPassword: OTHER_PASSWORD }, CLIENT);
    await fail(5, () => change("wrong"));
    return await change(PASSWORD);
  }],
  [
    "neighbour",
    "uncounted guesses by changes to a weak password",
    "weak_password",
    ({ passwords }) => {
      const change = { currentPassword: PASSWORD, newPassword: "weak" };
      return passwords.change("u1", change, CLIENT);
    },
  ],
  ["neighbour", "invalid passwords that evict the counts", "throttled", async (services) => {
    const { passwords } = services;
    await fail(99, (i) => passwords.verify(WRONG, { address: `198.51.100.${i}` }));
    await fail(20_000, (i) => {
      const address = `2001:db8:${(i >> 8).toString(16)}:${(i & 255).toString(16)}::1`;
      return passwords.verify({ identifier: `user-${i}`, password: "\0" }, { address });
    });
    await fail(1, () => passwords.verify(WRONG, OFFICE));
    return await passwords.verify(ADA, CLIENT);
  }],
  ["neighbour", "a forged device cookie for each guess", "throttled", async ({ passwords }) => {
    const forged = (i: number) => `${String(i).padStart(22, "A")}.${"A".repeat(43)}`;
    await fail(5, (i) => passwords.verify(WRONG, { ...CLIENT, device: forged(i) }));
    return await passwords.verify(ADA, { ...CLIENT, device: forged(9) });
  }],
  [
    "neighbour",
    "the attacker's own device cookie",
    "throttled",
    async (services) => {
      const { passwords } = services;
      const device = await deviceOf(services, EVE.identifier);
      await fail(5, () => passwords.verify(WRONG, { ...CLIENT, device }));
      return await passwords.verify(ADA, { ...CLIENT, device });
    },
  ],
  ["neighbour", "a stolen device cookie", "throttled", async (services) => {
    const { passwords } = services;
    const device = await deviceOf(services);
    await fail(5, (i) => passwords.verify(WRONG, { address: `198.51.100.${i}`, device }));
    return await passwords.verify(ADA, { ...CLIENT, device });
  }],
  ["CWE-307", "400 device cookies of the attacker", "throttled", async (services) => {
    const { passwords } = services;
    const devices = await Promise.all(repeat(400, () => deviceOf(services)));
    await fail(100, (i) => passwords.verify(WRONG, { ...CLIENT, device: devices[i] }));
    return await passwords.verify(ADA, { ...CLIENT, device: devices[399] });
  }],
  ["CWE-307", "device cookies from before a change of the password", "throttled", async (
    services,
  ) => {
    const { passwords } = services;
    const devices = await Promise.all(repeat(6, () => deviceOf(services)));
    await passwords.reset("u1", OTHER_PASSWORD);
    await fail(5, (i) => passwords.verify(ADA, { ...CLIENT, device: devices[i] }));
    const changed = { ...ADA, password: OTHER_PASSWORD };
    return await passwords.verify(changed, { ...CLIENT, device: devices[5] });
  }],
  [
    "neighbour",
    "half a second before the delay is over",
    "throttled",
    async ({ passwords, clock }) => {
      await fail(5, () => passwords.verify(WRONG, CLIENT));
      clock.now += 29.5;
      return await passwords.verify(ADA, CLIENT);
    },
  ],
  ["neighbour", "a clock that goes backwards", "throttled", async ({ passwords, clock }) => {
    await fail(5, () => passwords.verify(WRONG, CLIENT));
    clock.now -= 1_000;
    return await passwords.verify(ADA, CLIENT);
  }],
  ["issue 20", "100 addresses, an hour later one, and then another", "throttled", async (
    { passwords, clock },
  ) => {
    await fail(100, (i) => passwords.verify(WRONG, { address: `198.51.100.${i}` }));
    clock.now += 3_600;
    await fail(1, () => passwords.verify(WRONG, { address: "203.0.113.1" }));
    return await passwords.verify(ADA, { address: "203.0.113.2" });
  }],
  ["issue 20", "100 failures of an account over 100 days", "throttled", async (
    { passwords, clock },
  ) => {
    await fail(100, (i) => {
      clock.now += 86_400;
      return passwords.verify(WRONG, { address: `198.51.100.${i}` });
    });
    return await passwords.verify(ADA, OFFICE);
  }],
  [
    "issue 20",
    "the /64s of an IPv6 /48, one after the other",
    "throttled",
    async ({ passwords }) => {
      const from = (i: number) => ({ address: `2001:db8:7:${i.toString(16)}::1` });
      await fail(250, (i) => passwords.verify({ ...WRONG, identifier: `user-${i}` }, from(i)));
      return await passwords.verify(ADA, from(999));
    },
  ],
  ["issue 20", "the networks of a 6to4 prefix", "throttled", async ({ passwords }) => {
    await fail(5, (i) => passwords.verify(WRONG, { address: `2002:c000:201:${i}::1` }));
    return await passwords.verify(ADA, { address: "192.0.2.1" });
  }],
  ["issue 20", "guesses without an address, all at once", "throttled", async ({ passwords }) => {
    for (let i = 0; i < 20; i++) {
      await outcomes(repeat(6, () => passwords.verify(WRONG, NOBODY)));
    }
    return await passwords.verify(ADA, NOBODY);
  }],
  ["neighbour", "200 parallel guesses, and one more", "throttled", async ({ passwords }) => {
    await outcomes(repeat(200, () => passwords.verify(WRONG, CLIENT)));
    return await passwords.verify(ADA, CLIENT);
  }],
];
for (const [source, attack, code, attempt] of GUESSING) {
  Deno.test(`[${source}] guessing: ${attack} → ${code}`, async () => {
    const services = await withUsers();
    assertEquals((await refusal(() => attempt(services))).code, code);
  });
}

Deno.test("[ATTACKS] guessing: 200 parallel guesses → five are verified", async () => {
  const { passwords, hasher } = await withUsers({ hashing: { waiting: 4_000 } });
  const guesses = repeat(200, () => passwords.verify(WRONG, CLIENT));
  assertEquals(await outcomes(guesses), { invalid_credentials: 5, throttled: 195 });
  assertEquals(hasher.calls.length, 5);
});

Deno.test("[neighbour] guessing: 200 parallel guesses with the right one last → five are verified", async () => {
  const { passwords } = await withUsers({ hashing: { waiting: 4_000 } });
  const guesses = repeat(200, (i) => passwords.verify(i === 199 ? ADA : WRONG, CLIENT));
  assertEquals(await outcomes(guesses), { invalid_credentials: 5, throttled: 195 });
});

/** Attempts of an attacker after which the user must still be able to sign in. */
const LOCKOUTS: readonly (readonly [
  source: string,
  attack: string,
  client: (services: Services) => Promise<LoginClient>,
  attack: (services: Services) => Promise<unknown>,
])[] = [
  ["ATTACKS", "100 addresses against a known browser", async (services) => ({
    ...OFFICE,
    device: await deviceOf(services),
  }), ({ passwords }) => fail(100, (i) => passwords.verify(WRONG, { address: `198.51.100.${i}` }))],
  ["neighbour", "a known browser at the attacker's address", async (services) => ({
    ...CLIENT,
    device: await deviceOf(services),
  }), ({ passwords }) => fail(5, () => passwords.verify(WRONG, CLIENT))],
  [
    "neighbour",
    "guesses for other accounts with empty addresses",
    () => Promise.resolve({ address: "" }),
    (
      { passwords },
    ) => fail(120, (i) => passwords.verify({ ...WRONG, identifier: `user-${i}` }, { address: "" })),
  ],
  ["ATTACKS", "guesses for other accounts without an address", () => Promise.resolve(NOBODY), (
    { passwords },
  ) => fail(120, (i) => passwords.verify({ ...WRONG, identifier: `user-${i}` }, NOBODY))],
  ["neighbour", "five guesses from another address", () => Promise.resolve(OFFICE), (
    { passwords },
  ) => fail(5, () => passwords.verify(WRONG, CLIENT))],
  [
    "neighbour",
    "throttled guesses, which do not prolong the delay",
    () => Promise.resolve(CLIENT),
    async (
      { passwords, clock },
    ) => {
      await fail(500, () => passwords.verify(WRONG, CLIENT));
      clock.now += 30;
    },
  ],
  ["issue 20", "100 consecutive failures at a known browser", async (services) => ({
    ...OFFICE,
    device: await deviceOf(services),
  }), async ({ passwords, clock }) => {
    await fail(100, (i) => passwords.verify(WRONG, { address: `198.51.100.${i}` }));
    for (let i = 0; i < 20; i++) {
      clock.now += 3_600;
      await fail(9, () => passwords.verify(WRONG, CLIENT));
    }
  }],
  ["issue 20", "400 correct logins from the same address", () => Promise.resolve(CLIENT), async (
    { passwords },
  ) => {
    const eve = { identifier: "eve@example.org", password: EVE_PASSWORD };
    for (let i = 0; i < 400; i++) await passwords.verify(eve, CLIENT);
  }],
  ["neighbour", "registrations from the same address", () => Promise.resolve(CLIENT), (
    { passwords },
  ) => fail(50, () => passwords.createUser({ ...ADA, password: "weak" }, { client: CLIENT }))],
];
for (const [source, attack, client, lock] of LOCKOUTS) {
  Deno.test(`[${source}] lockout: ${attack} → the user can sign in`, async () => {
    const services = await withUsers();
    const own = await client(services);
    await lock(services);
    assertEquals((await services.passwords.verify(ADA, own)).sub, "u1");
  });
}

/** Passwords that an attacker tries first, although they are long enough. */
const GUESSABLE: readonly (readonly [source: string, what: string, password: string])[] = [
  ["SP 800-63B-4 §3.1.1.2", "an entry of the list of 15 characters", "mailcreated5240"],
  ["SP 800-63B-4 §3.1.1.2", "the identifier", "eve@example.org.."],
  ["SP 800-63B-4 §3.1.1.2", "the identifier and a date", "eve-example-01.01.1990"],
  ["SP 800-63B-4 §3.1.1.2", "repetitions", "Summer24!Summer24!"],
  ["SP 800-63B-4 §3.1.1.2", "a sequence", "abcdefghijklmnop"],
  ["hashcat rules", "a phrase around a common word", "thisismypassword"],
  ["hashcat rules", "the same with separators, capitals and a year", "This is my Password, 2026!"],
  ["hashcat rules", "a common phrase and a word", "iloveyouforever"],
  ["hashcat rules", "even and odd characters in sequence", "1a2b3c4d5e6f7g8h"],
  ["hashcat rules", "rows of a keyboard", "qwertyuiopasdfgh"],
];
for (const [source, what, password] of GUESSABLE) {
  Deno.test(`[${source}] new password: ${what} → weak_password`, async () => {
    const { passwords } = createServices();
    const error = await refusal(() => passwords.createUser({ ...EVE, password }));
    assertEquals(error.code, "weak_password");
  });
}

/** Floods of one client, during which the user must be able to sign in. */
const FLOODS: readonly (readonly [source: string, flood: string, credentials: object])[] = [
  ["issue 20", "90 correct logins at once", {
    identifier: "eve@example.org",
    password: EVE_PASSWORD,
  }],
  ["issue 20", "90 guesses at the account at once", WRONG],
];
for (const [source, flood, credentials] of FLOODS) {
  Deno.test(`[${source}] lockout: ${flood}, again and again → the user can sign in`, async () => {
    const services = await withUsers();
    const { passwords } = services;
    const attack = () => repeat(90, () => passwords.verify({ ...WRONG, ...credentials }, CLIENT));
    await outcomes(attack());
    const running = outcomes(attack());
    const device = await deviceOf(services);
    for (const client of [OFFICE, { ...OFFICE, device }, { ...CLIENT, device }]) {
      assertEquals((await passwords.verify(ADA, client)).sub, "u1");
    }
    await running;
  });
}
