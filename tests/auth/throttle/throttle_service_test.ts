/** The login throttle: counts, clients, known devices and options. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { joinFields } from "../../../auth/_bytes.ts";
import { digestText } from "../../../auth/_kdf.ts";
import type { LoginThrottle } from "../../../auth/stores/types.ts";
import type { ThrottleKey } from "../../../auth/throttle/rule.ts";
import {
  type KnownUser,
  type LoginClient,
  type LoginReservation,
  type ThrottleRules,
  type ThrottleService,
  throttleService,
  type ThrottleServiceOptions,
} from "../../../auth/throttle/throttle_service.ts";
import {
  canonical,
  CLIENT,
  createServices,
  NOBODY,
  outcomes,
  refusal,
  repeat,
  SECRET,
  shown,
  START,
  unasked,
  waitOf,
} from "../_services.ts";

const HOUR = 3_600;

const BROWSER: readonly [attempt: number, wait: number][] = [
  [5, 30],
  [6, 60],
  [7, 120],
  [8, 240],
  [9, 480],
  [10, 960],
  [11, 1_920],
  [12, 3_600],
  [13, 3_600],
];
Deno.test("login() allows five attempts from one address, then waits of 30 s doubling to an hour", async () => {
  const { throttle, clock } = createServices();
  const login = () => throttle.login(canonical("ada"), CLIENT);
  for (const _ of repeat(4, () => 0)) await login();
  for (const [attempt, wait] of BROWSER) {
    await login();
    assertEquals(await waitOf(login), wait, `after attempt ${attempt}`);
    clock.now += wait - 1;
    assertEquals(await waitOf(login), 1, `after attempt ${attempt}`);
    clock.now += 1;
  }
});

Deno.test("login() resets the count after a day without attempts", async () => {
  const { throttle, clock } = createServices();
  const login = () => throttle.login(canonical("ada"), CLIENT);
  for (const _ of repeat(4, () => 0)) await login();
  clock.now += 24 * HOUR - 1;
  await login();
  assertEquals(await waitOf(login), 30);
  clock.now += 24 * HOUR + 30;
  for (const _ of repeat(5, () => 0)) await login();
  assertEquals(await waitOf(login), 30);
});

Deno.test("login() counts an account's attempts from all addresses: 100 per hour", async () => {
  const { throttle, clock } = createServices();
  for (const i of repeat(100, (i) => i)) {
    await throttle.login(canonical("ada"), { address: `198.51.100.${i}` });
    clock.now += 1;
  }
  const login = () => throttle.login(canonical("ada"), { address: "203.0.113.1" });
  assertEquals(await waitOf(login), HOUR - 100);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR - 100);
  await throttle.login(canonical("bob"), { address: "203.0.113.1" });
  clock.now = START + HOUR - 1;
  assertEquals(await waitOf(login), 1);
  clock.now += 1;
  await login();
});

Deno.test("login() counts an address's attempts for all accounts: 50 per 15 minutes", async () => {
  const { throttle, clock } = createServices();
  for (const i of repeat(50, (i) => i)) await throttle.login(canonical(`user-${i}`), CLIENT);
  const login = () => throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(login), 900);
  await throttle.login(canonical("ada"), { address: "192.0.2.2" });
  clock.now += 900;
  await login();
});

Deno.test("login() that is rejected counts under no key", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  for (const _ of repeat(200, () => 0)) {
    await refusal(() => throttle.login(canonical("ada"), CLIENT));
  }
  for (const i of repeat(95, (i) => i)) {
    await throttle.login(canonical("ada"), { address: `198.51.100.${i}` });
  }
  assertEquals(
    await waitOf(() => throttle.login(canonical("ada"), { address: "203.0.113.1" })),
    HOUR,
  );
  for (const i of repeat(45, (i) => i)) await throttle.login(canonical(`user-${i}`), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("bob"), CLIENT)), 900);
});

Deno.test("login() returns the longest wait of all rejecting rules", async () => {
  const { throttle, clock } = createServices();
  for (const i of repeat(95, (i) => i)) {
    await throttle.login(canonical("ada"), { address: `198.51.100.${i}` });
  }
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), HOUR);
  clock.now += HOUR;
  await throttle.login(canonical("ada"), CLIENT);
});

Deno.test("login() of 200 concurrent attempts allows no more than the rules", async () => {
  const { throttle } = createServices();
  const one = repeat(200, () => throttle.login(canonical("ada"), CLIENT));
  assertEquals(await outcomes(one), { made: 5, throttled: 195 });
  const addresses = repeat(
    200,
    (i) => throttle.login(canonical("bob"), { address: `198.51.100.${i}` }),
  );
  assertEquals(await outcomes(addresses), { made: 100, throttled: 100 });
  const accounts = repeat(
    200,
    (i) => throttle.login(canonical(`user-${i}`), { address: "203.0.113.1" }),
  );
  assertEquals(await outcomes(accounts), { made: 50, throttled: 150 });
});

Deno.test("login() without an address counts only the account", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), HOUR);
  for (const i of repeat(300, (i) => i)) await throttle.login(canonical(`user-${i}`), NOBODY);
  await throttle.login(canonical("bob"), NOBODY);
});

Deno.test("succeed() resets the account at the address, and takes back one attempt of the windows", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(4, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  await (await throttle.login(canonical("ada"), CLIENT)).succeed();
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
  // Nine failures so far, of the account and of the address
  for (const i of repeat(41, (i) => i)) await throttle.login(canonical(`user-${i}`), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("bob"), CLIENT)), 900);
  for (const i of repeat(91, (i) => i)) {
    await throttle.login(canonical("ada"), { address: `198.51.100.${i}` });
  }
  assertEquals(
    await waitOf(() => throttle.login(canonical("ada"), { address: "203.0.113.1" })),
    HOUR,
  );
});

Deno.test("succeed() twice takes back one attempt", async () => {
  const { throttle } = createServices();
  const reservation = await throttle.login(canonical("ada"), NOBODY);
  for (const _ of repeat(98, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  await reservation.succeed();
  await reservation.succeed();
  await Promise.all(repeat(5, () => reservation.succeed()));
  for (const _ of repeat(2, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
});

Deno.test("succeed() of the last allowed attempt unlocks a window for one attempt", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(99, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  const { succeed } = await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
  await succeed();
  await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
});

Deno.test("succeed() does not change a window that began after the attempt", async () => {
  const { throttle, clock } = createServices();
  const early = await throttle.login(canonical("ada"), NOBODY);
  clock.now += HOUR;
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  await early.succeed();
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
});

Deno.test("registration() allows 20 per hour from an address, and is not counted without one", async () => {
  const { throttle, clock } = createServices();
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  const registration = () => throttle.registration(CLIENT);
  assertEquals(await waitOf(registration), HOUR);
  await throttle.registration({ address: "192.0.2.2" });
  await throttle.login(canonical("ada"), CLIENT);
  for (const _ of repeat(50, () => 0)) await throttle.registration(NOBODY);
  clock.now += HOUR - 1;
  assertEquals(await waitOf(registration), 1);
  clock.now += 1;
  await registration();
});

Deno.test("login() and registration() emit a rejection without the account", async () => {
  const { throttle, events, clock } = createServices();
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("bob"), NOBODY);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  assertEquals(events, []);
  clock.now += 0.5;
  await refusal(() => throttle.login(canonical("ada"), CLIENT));
  await refusal(() => throttle.login(canonical("bob"), NOBODY));
  await refusal(() => throttle.registration(CLIENT));
  const refused = { type: "login.throttled", at: START } as const;
  assertEquals(events, [
    { ...refused, attempt: "login", retryAfter: 30, ...CLIENT },
    { ...refused, attempt: "login", retryAfter: HOUR },
    { ...refused, attempt: "registration", retryAfter: HOUR, ...CLIENT },
  ]);
});

Deno.test("login() rejects equally for every account and every reason", async () => {
  const { throttle } = createServices();
  for (const account of ["ada", "nobody"]) {
    for (const _ of repeat(5, () => 0)) await throttle.login(canonical(account), CLIENT);
  }
  const ada = shown(await refusal(() => throttle.login(canonical("ada"), CLIENT)));
  assertEquals(shown(await refusal(() => throttle.login(canonical("nobody"), CLIENT))), ada);
  assertEquals(ada.status, 429);
  assert(!JSON.stringify(ada).includes("ada"));
  assert(!JSON.stringify(ada).includes("192.0.2.1"));
});

Deno.test("login() passes one digest per count to the store, and no input of the client", async () => {
  const claims: ThrottleKey[] = [];
  const { throttle } = createServices({
    wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
  });
  const USER = { identifier: "ada@example.org", securityStamp: "s1" };
  const client = { address: "192.0.2.1", device: await throttle.issueDevice(USER) };
  await (await throttle.login(canonical("ada@example.org"), CLIENT)).succeed();
  const reservation = await throttle.login(canonical("ada@example.org"), client);
  await reservation.confirm(USER);
  await reservation.succeed();
  await throttle.login(canonical("ada@example.org"), NOBODY);
  await throttle.registration(CLIENT);
  assertEquals(claims.map(({ rule }) => rule.kind === "window" ? rule.limit : rule.free), [
    ...[5, 100, 50], // reserved, and succeeded
    ...[5, 100, 50],
    ...[5, 100], // of the device, and of all known devices
    ...[5, 100],
    100,
    20,
  ]);
  for (const { key } of claims) assertMatch(key, /^[\w-]{22}$/);
  assertEquals(new Set(claims.map(({ key }) => key)).size, 6);
  assertEquals(claims[0], claims[3]);
  const written = JSON.stringify(claims);
  for (const text of ["ada", "example", "192", "0.2", client.device.slice(0, 22)]) {
    assert(!written.includes(text), text);
  }
});

Deno.test("login() with another secret, rule or field boundary has other keys", async () => {
  const keysOf = async (secret: string, account: string, address: string) => {
    const claims: ThrottleKey[] = [];
    const { throttle } = createServices({
      secret,
      wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
    });
    await throttle.login(canonical(account), { address });
    await throttle.registration({ address });
    return claims.map(({ key }) => key);
  };
  const lists = await Promise.all([
    keysOf(SECRET, "ada", "10.2.3.4"),
    keysOf(SECRET, "ada1", "0.2.3.4"),
    keysOf(SECRET, "10.2.3.4", "192.0.2.9"),
    keysOf(`${SECRET}!`, "ada", "10.2.3.4"),
  ]);
  assertEquals(new Set(lists.flat()).size, 16);
});

/** A store that records its calls. */
function noted(throttle: LoginThrottle, asked: ThrottleKey[]): LoginThrottle {
  return {
    reserve(claims, now) {
      asked.push(...claims);
      return throttle.reserve(claims, now);
    },
    succeed(claims, now) {
      asked.push(...claims);
      return throttle.succeed(claims, now);
    },
  };
}

Deno.test("login() passes no digest to the store that is part of a device cookie", async () => {
  const claims: ThrottleKey[] = [];
  const { throttle, keys } = createServices({
    wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
  });
  await throttle.login(canonical("ada"), NOBODY);
  const mac = encodeBase64Url(await keys.sign("device", joinFields(["account", "ada"])));
  assertNotEquals(claims[0]?.key.slice(0, 21), mac.slice(0, 21));
});

Deno.test("login() and registration() treat an empty address as unknown", async () => {
  const { throttle } = createServices();
  for (const i of repeat(60, (i) => i)) {
    await throttle.login(canonical(`user-${i}`), { address: "" });
  }
  for (const _ of repeat(30, () => 0)) await throttle.registration({ address: "" });
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("ada"), { address: "" });
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), { address: "" })), HOUR);
});

const BUCKETS: readonly [why: string, a: string, b: string, same: boolean][] = [
  ["one network of IPv6", "2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true],
  ["the next network of IPv6", "2001:db8:0:1::1", "2001:db8:0:2::1", false],
  ["two spellings of IPv6", "2001:DB8:0:1:0::1", "2001:db8:0:1::1", true],
  ["IPv4 in IPv6", "::ffff:192.0.2.1", "192.0.2.1", true],
  ["two addresses in IPv6", "::ffff:192.0.2.1", "::ffff:192.0.2.2", false],
  ["IPv4 over NAT64, RFC 6052 §2.1", "64:ff9b::192.0.2.1", "192.0.2.1", true],
  ["two addresses over NAT64", "64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2", false],
  ["one address with two ports", "192.0.2.1:80", "192.0.2.1:8080", true],
  ["two addresses of IPv4", "192.0.2.1", "192.0.2.2", false],
];
for (const [why, a, b, same] of BUCKETS) {
  Deno.test(`login() and registration() count ${why} ${same ? "as one" : "separately"}`, async () => {
    const { throttle } = createServices();
    for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), { address: a });
    const ada = throttle.login(canonical("ada"), { address: b });
    assertEquals(await outcomes([ada]), { [same ? "throttled" : "made"]: 1 });
    for (const _ of repeat(20, () => 0)) await throttle.registration({ address: a });
    const registration = throttle.registration({ address: b });
    assertEquals(await outcomes([registration]), { [same ? "throttled" : "made"]: 1 });
  });
}

const NO_ADDRESSES: readonly [why: string, address: unknown][] = [
  ["an unparsed X-Forwarded-For", "198.51.100.1, 192.0.2.1"],
  ["two addresses without a space", "198.51.100.1,192.0.2.1"],
  ["Forwarded, RFC 7239 §6.3", "_hidden"],
  ["an unknown address", "unknown"],
  ["null as a string", "null"],
  ["a name", "localhost"],
  ["a group that is too large", "192.0.2.256"],
  ["a missing group", "192.0.2"],
  ["white space around it", " 192.0.2.1"],
];
for (const [why, address] of NO_ADDRESSES) {
  Deno.test(`login() and registration() reject an invalid address: ${why}`, async () => {
    const { throttle, passwords, events } = createServices({
      wrap: () => ({ throttle: unasked() }),
    });
    const client = { address: address as string };
    const account = { identifier: "ada", password: "lovelace wrote notes" };
    for (
      const attempt of [
        () => throttle.login(canonical("ada"), client),
        () => throttle.registration(client),
        () => passwords.verify(account, client),
        () => passwords.createUser(account, { client }),
      ]
    ) {
      const error = await assertRejects(attempt, TypeError, "address must be an IP address");
      assert(!error.message.includes(client.address));
    }
    assertEquals(events, []);
  });
}

const SPELLINGS: readonly [why: string, account: string][] = [
  ["case", "ADA"],
  ["white space around it", " ada\t"],
  ["full-width characters, NFKC", "ａｄａ"],
];
for (const [why, account] of SPELLINGS) {
  Deno.test(`verify() counts an account in every spelling: ${why}`, async () => {
    const { throttle, passwords } = createServices();
    const guess = { identifier: account, password: "babbage built engines" };
    for (const _ of repeat(5, () => 0)) await outcomes([passwords.verify(guess, CLIENT)]);
    assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
    await throttle.login(canonical("bob"), CLIENT);
  });
}

Deno.test("verify() rejects an invalid identifier, and counts nothing", async () => {
  const { passwords } = createServices({ wrap: () => ({ throttle: unasked() }) });
  for (const identifier of ["", "a@x,b@y", null, undefined, ["ada"]]) {
    const guess = { identifier: identifier as string, password: "babbage built engines" };
    const { code } = await refusal(() => passwords.verify(guess, CLIENT));
    assertEquals(code, "invalid_identifier");
  }
});

Deno.test("login() and registration() reject a missing client", async () => {
  const { throttle } = createServices({ wrap: () => ({ throttle: unasked() }) });
  await assertRejects(() => throttle.login(canonical("ada"), undefined as never), TypeError);
  await assertRejects(() => throttle.registration(undefined as never), TypeError);
});

for (const now of [START * 1_000, 1e11, NaN, Infinity, -Infinity, `${START}`]) {
  Deno.test(`login() and registration() reject a clock that returns ${typeof now} ${now}`, async () => {
    const { throttle, clock } = createServices({ wrap: () => ({ throttle: unasked() }) });
    clock.now = now as number;
    const message = "Invalid clock";
    await assertRejects(() => throttle.login(canonical("ada"), CLIENT), RangeError, message);
    await assertRejects(() => throttle.registration(CLIENT), RangeError, message);
  });
}

Deno.test("login() counts in whole seconds", async () => {
  const times: number[] = [];
  const { throttle, clock } = createServices({
    wrap: ({ throttle }) => ({
      throttle: {
        reserve: (claims, now) => (times.push(now), throttle.reserve(claims, now)),
        succeed: (claims, now) => (times.push(now), throttle.succeed(claims, now)),
      },
    }),
  });
  clock.now = START + 0.999;
  await (await throttle.login(canonical("ada"), CLIENT)).succeed();
  assertEquals(times, [START, START]);
});

Deno.test("login() keeps the longest lock of a process whose clock is slightly ahead", async () => {
  const { throttle, clock } = createServices();
  for (const _ of repeat(20, () => 0)) {
    clock.now += HOUR;
    await throttle.login(canonical("ada"), CLIENT);
  }
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("bob"), NOBODY);
  for (const behind of [1, 60, 300]) {
    const now = clock.now;
    clock.now -= behind;
    assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), HOUR + behind);
    assertEquals(await waitOf(() => throttle.login(canonical("bob"), NOBODY)), HOUR + behind);
    clock.now = now;
  }
});

Deno.test("login() ignores a lock that was set while the clock was ahead", async () => {
  const { throttle, clock } = createServices();
  clock.now += 10 * 365 * 86_400;
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("bob"), NOBODY);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  clock.now = START;
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
  await throttle.login(canonical("bob"), NOBODY);
  await throttle.registration(CLIENT);
});

const ADA = { identifier: "ada", securityStamp: "s1" };
const EVE = { identifier: "eve", securityStamp: "s9" };

const ATTACKERS = repeat(100, (i) => ({ address: `198.51.100.${i}` }));

Deno.test("issueDevice() creates a new value each time, of 16 bytes, a digest and a MAC", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(20, () => throttle.issueDevice(ADA)));
  for (const device of devices) assertMatch(device, /^[\w-]{22}\.[\w-]{43}\.[\w-]{43}$/);
  assertEquals(new Set(devices.map((device) => device.slice(0, 22))).size, 20);
  for (const text of [ADA.identifier, ADA.securityStamp]) {
    for (const device of devices) assert(!device.split(".").includes(text), text); // parts of a digest may equal it
  }
});

Deno.test("login() accepts a known device while others have exhausted the account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  assertEquals((await refusal(() => throttle.login(canonical("ada"), CLIENT))).code, "throttled");
  await (await login(throttle, { ...CLIENT, device })).succeed();
  await login(throttle, { ...NOBODY, device });
});

Deno.test("login() accepts a known device while its address is exhausted", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  for (const i of repeat(45, (i) => i)) await throttle.login(canonical(`user-${i}`), CLIENT);
  await login(throttle, { ...CLIENT, device });
});

Deno.test("login() limits a known device too, at any address", async () => {
  const { throttle, clock } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const i of repeat(5, (i) => i)) {
    await login(throttle, { address: `198.51.100.${i}`, device });
  }
  for (
    const client of [{ ...NOBODY, device }, { ...CLIENT, device }, {
      address: "203.0.113.1",
      device,
    }]
  ) {
    assertEquals(
      (await refusal(() => login(throttle, client))).headers["Retry-After"],
      "30",
    );
  }
  await throttle.login(canonical("ada"), CLIENT);
  const other = await throttle.issueDevice(ADA);
  await login(throttle, { ...CLIENT, device: other });
  clock.now += 30;
  await login(throttle, { ...NOBODY, device });
  assertEquals(
    (await refusal(() => login(throttle, { ...NOBODY, device }))).headers["Retry-After"],
    "60",
  );
});

Deno.test("login() of a known device resets its count after a success", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const _ of repeat(4, () => 0)) await login(throttle, { ...NOBODY, device });
  await (await login(throttle, { ...NOBODY, device })).succeed();
  for (const _ of repeat(5, () => 0)) await login(throttle, { ...NOBODY, device });
  assertEquals(
    (await refusal(() => login(throttle, { ...NOBODY, device }))).code,
    "throttled",
  );
});

Deno.test("login() of 200 concurrent attempts on a known device allows five", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  const attempts = repeat(200, () => login(throttle, { ...CLIENT, device }));
  assertEquals(await outcomes(attempts), { made: 5, throttled: 195 });
});

const FORGED: readonly [why: string, forge: (device: string) => unknown][] = [
  ["empty", () => ""],
  ["absent", () => undefined],
  ["an identifier only", (device) => device.slice(0, 22)],
  ["without a MAC", (device) => device.slice(0, 66)],
  ["with an empty MAC", (device) => device.slice(0, 67)],
  ["cut", (device) => device.slice(0, -1)],
  ["longer", (device) => `${device}A`],
  ["with a line feed", (device) => `${device}\n`],
  ["with another identifier", (device) => `${"A".repeat(22)}${device.slice(22)}`],
  ["with another digest", (device) => device.slice(0, 23) + "A".repeat(43) + device.slice(66)],
  ["with another MAC", (device) => `${device.slice(0, 67)}${"A".repeat(43)}`],
  ["with the MAC's trailing bits set", (device) => device.slice(0, -1) + nextCharacter(device)],
  ["quoted", (device) => `"${device}"`],
  ["of 1 MB", (device) => device.repeat(15_000)],
];
for (const [why, forge] of FORGED) {
  Deno.test(`login() rejects a device value that is ${why}`, async () => {
    const { throttle } = createServices();
    const device = await throttle.issueDevice(ADA);
    for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
    const forged = forge(device) as string;
    const client = forged === undefined ? CLIENT : { ...CLIENT, device: forged };
    assertEquals((await refusal(() => login(throttle, client))).code, "throttled");
    await login(throttle, { ...CLIENT, device });
  });
}

Deno.test("login() rejects a device of another account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(EVE);
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  assertEquals(
    (await refusal(() => login(throttle, { ...CLIENT, device }))).code,
    "throttled",
  );
  await login(throttle, { ...CLIENT, device }, EVE);
});

Deno.test("login() with a device of another account is counted by account and address", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(5, () => 0)) {
    await login(throttle, { ...CLIENT, device: await throttle.issueDevice(EVE) });
  }
  const device = await throttle.issueDevice(EVE);
  assertEquals(
    (await refusal(() => login(throttle, { ...CLIENT, device }))).code,
    "throttled",
  );
});

Deno.test("login() accepts devices of every current secret, and of no removed one", async () => {
  const [old, today] = [`${SECRET} of last year`, `${SECRET} of today`];
  const device = await createServices({ secret: old }).throttle.issueDevice(ADA);
  for (const [secret, known] of [[[today, old], true], [today, false]] as const) {
    const { throttle } = createServices({ secret });
    for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
    const attempt = login(throttle, { ...CLIENT, device });
    assertEquals(await outcomes([attempt]), { [known ? "made" : "throttled"]: 1 });
  }
});

Deno.test("login() rejects a device with a MAC for another purpose", async () => {
  const { throttle, keys } = createServices();
  const [id, stampHash] = ["A".repeat(22), await digestText(ADA.securityStamp)];
  const fields = joinFields([ADA.identifier, id, stampHash]);
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  for (const purpose of ["csrf", "throttle"] as const) {
    const mac = await keys.sign(purpose, fields);
    const device = `${id}.${stampHash}.${encodeBase64Url(mac)}`;
    assertEquals(
      (await refusal(() => login(throttle, { ...NOBODY, device }))).code,
      "throttled",
    );
  }
  const mac = await keys.sign("device", fields);
  await login(throttle, { ...NOBODY, device: `${id}.${stampHash}.${encodeBase64Url(mac)}` });
});

const OTHERS: readonly [why: string, user: KnownUser | null][] = [
  ["whose credentials changed", { ...ADA, securityStamp: "s2" }],
  ["who is deleted", null],
];
for (const [why, user] of OTHERS) {
  Deno.test(`confirm() does not accept a device of a user ${why}`, async () => {
    const { throttle } = createServices();
    const device = await throttle.issueDevice(ADA);
    for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
    const stale = await throttle.login(canonical("ada"), { ...CLIENT, device });
    const wait = await waitOf(() => stale.confirm(user));
    assertEquals(wait, 3_600);
    await login(throttle, { ...CLIENT, device }); // the user as it was
  });
}

Deno.test("confirm() counts a device that is no longer known as unknown", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(6, () => throttle.issueDevice(ADA)));
  const changed = { ...ADA, securityStamp: "s2" };
  for (const device of devices.slice(0, 5)) await login(throttle, { ...CLIENT, device }, changed);
  const sixth = { ...CLIENT, device: devices[5] };
  assertEquals(await waitOf(() => login(throttle, sixth, changed)), 30);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
});

Deno.test("confirm() of devices that are no longer known does not lock out a known one", async () => {
  const { throttle } = createServices();
  const changed = { ...ADA, securityStamp: "s2" };
  const device = await throttle.issueDevice(changed);
  for (const client of repeat(300, (i) => ({ address: `2001:db8:0:${i.toString(16)}::1` }))) {
    const stale = { ...client, device: await throttle.issueDevice(ADA) };
    await outcomes([login(throttle, stale, changed)]);
  }
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 3_600);
  await login(throttle, { ...CLIENT, device }, changed);
});

Deno.test("succeed() of a device that is no longer known takes back what confirm() counted", async () => {
  const { throttle } = createServices();
  const changed = { ...ADA, securityStamp: "s2" };
  for (const _ of repeat(4, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  const device = await throttle.issueDevice(ADA);
  await (await login(throttle, { ...CLIENT, device }, changed)).succeed();
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
});

Deno.test("login() counts all known devices of an account: 100 per hour", async () => {
  const { throttle, clock } = createServices();
  const devices = await Promise.all(repeat(30, () => throttle.issueDevice(ADA)));
  for (const i of repeat(100, (i) => i)) {
    const client = { address: `198.51.100.${i}`, device: devices[i % 25] };
    await login(throttle, client);
    clock.now += 1;
  }
  const fresh = { ...CLIENT, device: devices[29] };
  assertEquals(await waitOf(() => login(throttle, fresh)), 3_500);
  // Only these are locked out
  await login(throttle, CLIENT);
  const ofEve = { ...CLIENT, device: await throttle.issueDevice(EVE) };
  await login(throttle, ofEve, EVE);
  clock.now += 3_499;
  assertEquals(await waitOf(() => login(throttle, fresh)), 1);
  clock.now += 1;
  await login(throttle, fresh);
});

Deno.test("login() of a known device takes back its attempt after a success", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(21, () => throttle.issueDevice(ADA)));
  const clientOf = (i: number) => ({ ...NOBODY, device: devices[i] });
  for (const i of repeat(99, (i) => i)) await login(throttle, clientOf(i % 20));
  for (const _ of repeat(10, () => 0)) {
    await (await login(throttle, clientOf(20))).succeed();
  }
  await login(throttle, clientOf(20));
  assertEquals(await waitOf(() => login(throttle, clientOf(20))), 3_600);
});

Deno.test("issueDevice() accepts an authentication", async () => {
  const { throttle, passwords, stores } = createServices();
  const account = { identifier: "Ada", password: "lovelace wrote notes" };
  const authentication = await passwords.createUser(account);
  const user = await stores.users.findByIdentifier("ada");
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  const device = await throttle.issueDevice(authentication);
  const reservation = await throttle.login(canonical("ada"), { ...CLIENT, device });
  await reservation.confirm(user);
});

/** An attempt as made by the password service: counted, then confirmed for the user. */
async function login(
  throttle: ThrottleService,
  client: LoginClient,
  user: KnownUser = ADA,
): Promise<LoginReservation> {
  const reservation = await throttle.login(canonical(user.identifier), client);
  await reservation.confirm(user);
  return reservation;
}

/** The last character with a trailing bit set. */
function nextCharacter(device: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(device.slice(-1)) + 1] ?? "";
}

const RULES: readonly [why: string, rules: unknown, error: typeof RangeError | typeof TypeError][] =
  [
    ["no free attempts", { browser: { ...backoff(), free: 0 } }, RangeError],
    ["a wait that is not a number", { browser: { ...backoff(), wait: NaN } }, RangeError],
    [
      "a missing wait",
      { browser: { kind: "backoff", free: 5, maxWait: 60, forget: 60 } },
      RangeError,
    ],
    ["an infinite maximum wait", { browser: { ...backoff(), maxWait: Infinity } }, RangeError],
    ["a negative forget", { browser: { ...backoff(), forget: -1 } }, RangeError],
    [
      "an infinite window",
      { account: { kind: "window", limit: 5, seconds: Infinity } },
      RangeError,
    ],
    ["a fractional limit", { account: { kind: "window", limit: 0.5, seconds: 60 } }, RangeError],
    ["a missing limit", { address: { kind: "window", seconds: 60 } }, RangeError],
    ["a misspelled limit", { address: { kind: "window", limt: 5, seconds: 60 } }, RangeError],
    [
      "a limit that is a string",
      { address: { kind: "window", limit: "5", seconds: 60 } },
      RangeError,
    ],
    ["an unknown kind", { registration: { kind: "leaky", limit: 5, seconds: 60 } }, TypeError],
    [
      "a kind that is a property of every object",
      { registration: { kind: "constructor" } },
      TypeError,
    ],
    ["a missing rule", { registration: undefined }, TypeError],
    ["a rule that is null", { registration: null }, TypeError],
  ];
for (const [why, rules, error] of RULES) {
  Deno.test(`throttleService() rejects rules: ${why}`, () => {
    const { stores, keys } = createServices();
    const options = { store: stores.throttle, keys, rules: rules as Partial<ThrottleRules> };
    assertThrows(() => throttleService(options), error, "Cannot create throttle");
  });
}

Deno.test("throttleService() requires a store and keys", () => {
  const { stores, keys } = createServices();
  const store = stores.throttle;
  for (
    const options of [{}, { store }, { keys }, { store: stores.users, keys }, { store, keys: {} }]
  ) {
    const given = options as unknown as ThrottleServiceOptions;
    assertThrows(() => throttleService(given), TypeError, "Cannot create throttle");
  }
});

Deno.test("throttleService() accepts rules that replace defaults", async () => {
  const { throttle } = createServices({ rules: { browser: { ...backoff(), free: 1, wait: 7 } } });
  await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 7);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  assertEquals(await waitOf(() => throttle.registration(CLIENT)), 3_600);
});

function backoff() {
  return { kind: "backoff", free: 5, wait: 30, maxWait: 60, forget: 600 } as const;
}
