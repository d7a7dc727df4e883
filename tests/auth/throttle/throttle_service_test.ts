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
import { throttleService } from "../../../auth/throttle/throttle_service.ts";
import type {
  KnownUser,
  LoginAttempt,
  LoginClient,
  ThrottleRules,
  ThrottleService,
  ThrottleServiceOptions,
} from "../../../auth/throttle/throttle_types.ts";
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

const FIRST_WAITS: readonly [attempt: number, wait: number][] = [
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
  const attempt = () => guess(throttle, "ada", CLIENT);
  for (const _ of repeat(4, () => 0)) await attempt();
  for (const [number, wait] of FIRST_WAITS) {
    await attempt();
    assertEquals(await waitOf(attempt), wait, `after attempt ${number}`);
    clock.now += wait - 1;
    assertEquals(await waitOf(attempt), 1, `after attempt ${number}`);
    clock.now += 1;
  }
});

Deno.test("login() resets the count after a day without attempts", async () => {
  const { throttle, clock } = createServices();
  const attempt = () => guess(throttle, "ada", CLIENT);
  for (const _ of repeat(4, () => 0)) await attempt();
  clock.now += 24 * HOUR - 1;
  await attempt();
  assertEquals(await waitOf(attempt), 30);
  clock.now += 24 * HOUR + 30;
  for (const _ of repeat(5, () => 0)) await attempt();
  assertEquals(await waitOf(attempt), 30);
});

/** Fails at an account, each time from another address. */
async function failEverywhere(throttle: ThrottleService, account: string, count: number) {
  for (const i of repeat(count, (i) => i)) {
    await guess(throttle, account, { address: `198.51.${100 + Math.floor(i / 100)}.${i % 100}` });
  }
}

const STRANGER = { address: "203.0.113.1" };

Deno.test("login() allows 100 consecutive failures of an account, then one attempt per hour: SP 800-63B-4 §3.2.2", async () => {
  const { throttle, clock } = createServices();
  const attempt = (i: number) => guess(throttle, "ada", { address: `203.0.113.${i}` });
  for (const i of repeat(100, (i) => i)) {
    await guess(throttle, "ada", { address: `198.51.100.${i}` });
    clock.now += HOUR; // at any rate
  }
  for (const i of repeat(50, (i) => i)) {
    const wait = i === 0 ? 0 : HOUR; // the last failure was an hour ago
    if (wait > 0) assertEquals(await waitOf(() => attempt(i)), wait);
    clock.now += wait;
    await attempt(i);
  }
  assertEquals(await waitOf(() => guess(throttle, "ada", NOBODY)), HOUR);
  await guess(throttle, "bob", STRANGER);
});

Deno.test("login() resets the failures of an account after a week without one", async () => {
  for (const [later, wait] of [[7 * 24 * HOUR - 1, HOUR], [7 * 24 * HOUR, undefined]] as const) {
    const { throttle, clock } = createServices();
    await failEverywhere(throttle, "ada", 99);
    clock.now += later;
    await guess(throttle, "ada", STRANGER);
    const attempt = guess(throttle, "ada", { address: "203.0.113.2" });
    if (wait === undefined) await attempt;
    else assertEquals(await waitOf(() => attempt), wait);
  }
});

Deno.test("login() counts an address's failures for all accounts: 50 per 15 minutes", async () => {
  const { throttle, clock } = createServices();
  for (const i of repeat(50, (i) => i)) await guess(throttle, `user-${i}`, CLIENT);
  const attempt = () => guess(throttle, "ada", CLIENT);
  assertEquals(await waitOf(attempt), 900);
  await guess(throttle, "ada", { address: "192.0.2.2" });
  clock.now += 900;
  await attempt();
});

Deno.test("login() counts failures of an IPv6 /48: 250 per 15 minutes", async () => {
  const { throttle } = createServices();
  const from = (i: number) => ({ address: `2001:db8:7:${i.toString(16)}::1` });
  for (const i of repeat(250, (i) => i)) await guess(throttle, `user-${i}`, from(i));
  assertEquals(await waitOf(() => guess(throttle, "ada", from(999))), 900);
  await guess(throttle, "ada", { address: "2001:db8:8::1" });
});

Deno.test("login() that is rejected counts under no key", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  for (const _ of repeat(200, () => 0)) await refusal(() => guess(throttle, "ada", CLIENT));
  await failEverywhere(throttle, "ada", 95);
  assertEquals(await waitOf(() => guess(throttle, "ada", STRANGER)), HOUR);
  for (const i of repeat(45, (i) => i)) await guess(throttle, `user-${i}`, CLIENT);
  assertEquals(await waitOf(() => guess(throttle, "bob", CLIENT)), 900);
});

Deno.test("login() returns the longest wait of all rejecting rules", async () => {
  const { throttle, clock } = createServices();
  await failEverywhere(throttle, "ada", 95);
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), HOUR);
  clock.now += HOUR;
  await guess(throttle, "ada", CLIENT);
});

Deno.test("login() of 200 concurrent attempts allows a client no more than its rule", async () => {
  const { throttle } = createServices();
  const one = repeat(200, () => guess(throttle, "ada", CLIENT));
  assertEquals(await outcomes(one), { made: 5, throttled: 195 });
});

Deno.test("login() counts concurrent failures of accounts and addresses exactly", async () => {
  const { throttle } = createServices();
  // They are counted after the attempt: the queue of hashing limits how many are made at once
  const addresses = repeat(99, (i) => guess(throttle, "bob", { address: `198.51.100.${i}` }));
  assertEquals(await outcomes(addresses), { made: 99 });
  await guess(throttle, "bob", STRANGER);
  assertEquals(await waitOf(() => guess(throttle, "bob", CLIENT)), HOUR);
  const accounts = repeat(49, (i) => guess(throttle, `user-${i}`, { address: "203.0.113.7" }));
  assertEquals(await outcomes(accounts), { made: 49 });
  await guess(throttle, "eve", { address: "203.0.113.7" });
  assertEquals(await waitOf(() => guess(throttle, "ada", { address: "203.0.113.7" })), 900);
});

Deno.test("login() without an address counts only the account, and each attempt before it is made", async () => {
  const { throttle } = createServices();
  const attempts = repeat(200, () => open(throttle, "ada", NOBODY));
  assertEquals(await outcomes(attempts), { made: 100, throttled: 100 });
  assertEquals(await waitOf(() => guess(throttle, "ada", NOBODY)), HOUR);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), HOUR);
  for (const i of repeat(300, (i) => i)) await guess(throttle, `user-${i}`, NOBODY);
  await guess(throttle, "bob", NOBODY);
});

Deno.test("succeed() resets the account, at the address and at all, and not the address", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(4, () => 0)) await guess(throttle, "ada", CLIENT);
  await failEverywhere(throttle, "ada", 95);
  await (await open(throttle, "ada", CLIENT)).succeed();
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), 30);
  await failEverywhere(throttle, "ada", 95);
  assertEquals(await waitOf(() => guess(throttle, "ada", STRANGER)), HOUR);
  // Nine failures of the address so far
  for (const i of repeat(41, (i) => i)) await guess(throttle, `user-${i}`, CLIENT);
  assertEquals(await waitOf(() => guess(throttle, "bob", CLIENT)), 900);
});

Deno.test("succeed() counts nothing: 300 logins from one address leave it free", async () => {
  const { throttle } = createServices();
  for (const i of repeat(300, (i) => i)) {
    await (await open(throttle, `u${i % 3}`, CLIENT)).succeed();
  }
  await guess(throttle, "ada", CLIENT);
});

Deno.test("fail() and succeed() beyond the limit of the account throw, and reset nothing", async () => {
  const { throttle } = createServices();
  await failEverywhere(throttle, "ada", 98);
  const [first, ...late] = await Promise.all(
    ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"]
      .map((address) => open(throttle, "ada", { address })),
  );
  assert(first !== undefined);
  await first.fail();
  await late[0]?.fail(); // the 100th
  assertEquals(await waitOf(async () => await late[1]?.fail()), HOUR);
  assertEquals(await waitOf(async () => await late[2]?.succeed()), HOUR);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), HOUR);
});

Deno.test("succeed() without an address resets the account", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(99, () => 0)) await guess(throttle, "ada", NOBODY);
  await (await open(throttle, "ada", NOBODY)).succeed();
  for (const _ of repeat(100, () => 0)) await guess(throttle, "ada", NOBODY);
  assertEquals(await waitOf(() => guess(throttle, "ada", NOBODY)), HOUR);
});

Deno.test("registration() allows an IPv6 /64 20 per hour, and its /48 100", async () => {
  const { throttle } = createServices();
  const from = (i: number) => ({ address: `2001:db8:7:${i}::1` });
  for (const i of repeat(5, (i) => i)) {
    for (const _ of repeat(20, () => 0)) await throttle.registration(from(i));
    assertEquals(await waitOf(() => throttle.registration(from(i))), HOUR);
  }
  assertEquals(await waitOf(() => throttle.registration(from(9))), HOUR);
  await throttle.registration({ address: "2001:db8:8::1" });
});

Deno.test("userCode() allows 50 per 15 minutes from an address, by all users, and by one user from all", async () => {
  const { throttle } = createServices();
  const from = (i: number) => ({ address: `198.51.100.${i}` });
  for (const i of repeat(50, (i) => i)) await throttle.userCode(`u${i}`, from(1));
  assertEquals(await waitOf(() => throttle.userCode(undefined, from(1))), 900);
  assertEquals(await waitOf(() => throttle.userCode("u99", from(1))), 900);
  for (const i of repeat(50, (i) => i + 2)) await throttle.userCode("u1000", from(i));
  assertEquals(await waitOf(() => throttle.userCode("u1000", from(99))), 900);
  await throttle.userCode("u1001", from(99));
  for (const _ of repeat(99, () => 0)) await throttle.userCode(undefined, { address: undefined });
});

Deno.test("registration() that is rejected for its /64 does not count for the /48", async () => {
  const { throttle } = createServices();
  const from = (i: number) => ({ address: `2001:db8:7:${i}::1` });
  for (const _ of repeat(20, () => 0)) await throttle.registration(from(0));
  for (const _ of repeat(99, () => 0)) await refusal(() => throttle.registration(from(0)));
  for (const _ of repeat(20, () => 0)) await throttle.registration(from(1));
});

Deno.test("registration() allows 20 per hour from an address, and is not counted without one", async () => {
  const { throttle, clock } = createServices();
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  const registration = () => throttle.registration(CLIENT);
  assertEquals(await waitOf(registration), HOUR);
  await throttle.registration({ address: "192.0.2.2" });
  await guess(throttle, "ada", CLIENT);
  for (const _ of repeat(50, () => 0)) await throttle.registration(NOBODY);
  clock.now += HOUR - 1;
  assertEquals(await waitOf(registration), 1);
  clock.now += 1;
  await registration();
});

Deno.test("login() and registration() emit a rejection without the account", async () => {
  const { throttle, events, clock } = createServices();
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  for (const _ of repeat(100, () => 0)) await guess(throttle, "bob", NOBODY);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  assertEquals(events, []);
  clock.now += 0.5;
  await refusal(() => guess(throttle, "ada", CLIENT));
  await refusal(() => guess(throttle, "bob", NOBODY));
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
    for (const _ of repeat(5, () => 0)) await guess(throttle, account, CLIENT);
  }
  const ada = shown(await refusal(() => guess(throttle, "ada", CLIENT)));
  assertEquals(shown(await refusal(() => guess(throttle, "nobody", CLIENT))), ada);
  assertEquals(ada.status, 429);
  assert(!JSON.stringify(ada).includes("ada"));
  assert(!JSON.stringify(ada).includes("192.0.2.1"));
});

Deno.test("login() passes one digest per count to the store, and no input of the client", async () => {
  const USER = { identifier: "ada@example.org", securityStamp: "s1" };
  const claims: ThrottleKey[] = [];
  const { throttle } = createServices({
    wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
  });
  const device = await throttle.issueDevice(USER);
  const asked = async (attempt: Promise<unknown>) => {
    await attempt;
    return claims.splice(0).map(({ key, rule }) => {
      assertMatch(key, /^[\w-]{22}$/);
      for (const text of ["ada", "example", "192", "0.2", device.slice(0, 22)]) {
        assert(!key.includes(text), text);
      }
      keys.add(key);
      return rule.kind === "window" ? rule.limit : rule.free;
    });
  };
  const keys = new Set<string>();
  const v6 = { address: "2001:db8::1" };
  const { identifier } = USER;
  const known = { ...CLIENT, device };
  assertEquals(await asked(open(throttle, identifier, CLIENT)), [5, 100, 50]);
  assertEquals(await asked(guess(throttle, identifier, CLIENT)), [5, 100, 50, 100, 50]);
  assertEquals(await asked(open(throttle, identifier, v6)), [5, 100, 50, 250]);
  assertEquals(await asked(open(throttle, identifier, NOBODY)), [100]);
  assertEquals(await asked(guess(throttle, identifier, known, USER)), [5, 100, 100]);
  assertEquals(await asked(throttle.registration(CLIENT)), [20]);
  assertEquals(await asked(throttle.registration(v6)), [100, 20, 20]);
  assertEquals(keys.size, 11);
});

Deno.test("login() with another secret, rule or field boundary has other keys", async () => {
  const keysOf = async (secret: string, account: string, address: string) => {
    const claims: ThrottleKey[] = [];
    const { throttle } = createServices({
      secret,
      wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
    });
    await guess(throttle, account, { address });
    await throttle.registration({ address });
    return claims.map(({ key }) => key);
  };
  const lists = await Promise.all([
    keysOf(SECRET, "ada", "10.2.3.4"),
    keysOf(SECRET, "ada1", "0.2.3.4"),
    keysOf(SECRET, "10.2.3.4", "192.0.2.9"),
    keysOf(`${SECRET}!`, "ada", "10.2.3.4"),
  ]);
  assertEquals(new Set(lists.flat()).size, 16); // mine, account, address and registration of each
});

/** A store that records its calls. */
function noted(throttle: LoginThrottle, asked: ThrottleKey[]): LoginThrottle {
  return {
    ...throttle,
    reserve(key, others, now) {
      asked.push(key, ...others);
      return throttle.reserve(key, others, now);
    },
  };
}

Deno.test("login() passes no digest to the store that is part of a device cookie", async () => {
  const claims: ThrottleKey[] = [];
  const { throttle, keys } = createServices({
    wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
  });
  await guess(throttle, "ada", NOBODY);
  const mac = encodeBase64Url(await keys.sign("device", joinFields(["account", "ada"])));
  assertNotEquals(claims[0]?.key.slice(0, 21), mac.slice(0, 21));
});

Deno.test("login() and registration() treat an empty address as unknown", async () => {
  const { throttle } = createServices();
  for (const i of repeat(60, (i) => i)) {
    await guess(throttle, `user-${i}`, { address: "" });
  }
  for (const _ of repeat(30, () => 0)) await throttle.registration({ address: "" });
  for (const _ of repeat(100, () => 0)) await guess(throttle, "ada", { address: "" });
  assertEquals(await waitOf(() => guess(throttle, "ada", { address: "" })), HOUR);
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
    for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", { address: a });
    const ada = guess(throttle, "ada", { address: b });
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
        () => guess(throttle, "ada", client),
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
    const wrong = { identifier: account, password: "babbage built engines" };
    for (const _ of repeat(5, () => 0)) await outcomes([passwords.verify(wrong, CLIENT)]);
    assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), 30);
    await guess(throttle, "bob", CLIENT);
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
  await assertRejects(() => guess(throttle, "ada", undefined as never), TypeError);
  await assertRejects(() => throttle.registration(undefined as never), TypeError);
});

for (const now of [START * 1_000, 1e11, NaN, Infinity, -Infinity, `${START}`]) {
  Deno.test(`login() and registration() reject a clock that returns ${typeof now} ${now}`, async () => {
    const { throttle, clock } = createServices({ wrap: () => ({ throttle: unasked() }) });
    clock.now = now as number;
    const message = "Invalid clock";
    await assertRejects(() => guess(throttle, "ada", CLIENT), RangeError, message);
    await assertRejects(() => throttle.registration(CLIENT), RangeError, message);
  });
}

Deno.test("login() counts in whole seconds", async () => {
  const times: number[] = [];
  const { throttle, clock } = createServices({
    wrap: ({ throttle }) => ({
      throttle: {
        ...throttle,
        reserve: (key, others, now) => (times.push(now), throttle.reserve(key, others, now)),
      },
    }),
  });
  clock.now = START + 0.999;
  await guess(throttle, "ada", CLIENT);
  assertEquals(times, [START, START, START]);
});

Deno.test("login() keeps the longest lock of a process whose clock is slightly ahead", async () => {
  const { throttle, clock } = createServices();
  for (const _ of repeat(20, () => 0)) {
    clock.now += HOUR;
    await guess(throttle, "ada", CLIENT);
  }
  for (const _ of repeat(100, () => 0)) await guess(throttle, "bob", NOBODY);
  for (const behind of [1, 60, 300]) {
    const now = clock.now;
    clock.now -= behind;
    assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), HOUR + behind);
    assertEquals(await waitOf(() => guess(throttle, "bob", NOBODY)), HOUR + behind);
    clock.now = now;
  }
});

Deno.test("login() ignores a lock that was set while the clock was ahead", async () => {
  const { throttle, clock } = createServices();
  clock.now += 10 * 365 * 86_400;
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  for (const _ of repeat(100, () => 0)) await guess(throttle, "bob", NOBODY);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  clock.now = START;
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), 30);
  await guess(throttle, "bob", NOBODY);
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
  for (const client of ATTACKERS) await guess(throttle, "ada", client, ADA);
  assertEquals((await refusal(() => guess(throttle, "ada", CLIENT, ADA))).code, "throttled");
  await (await login(throttle, { ...CLIENT, device })).succeed();
  await login(throttle, { ...NOBODY, device });
});

Deno.test("login() accepts a known device while its address is exhausted", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const _ of repeat(5, () => 0)) await guess(throttle, "ada", CLIENT);
  for (const i of repeat(45, (i) => i)) await guess(throttle, `user-${i}`, CLIENT);
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
  await guess(throttle, "ada", CLIENT);
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
    for (const client of ATTACKERS) await guess(throttle, "ada", client, ADA);
    const forged = forge(device) as string;
    const client = forged === undefined ? CLIENT : { ...CLIENT, device: forged };
    assertEquals((await refusal(() => login(throttle, client))).code, "throttled");
    await login(throttle, { ...CLIENT, device });
  });
}

Deno.test("login() rejects a device of another account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(EVE);
  for (const client of ATTACKERS) await guess(throttle, "ada", client, ADA);
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
    for (const client of ATTACKERS) await guess(throttle, "ada", client, ADA);
    const attempt = login(throttle, { ...CLIENT, device });
    assertEquals(await outcomes([attempt]), { [known ? "made" : "throttled"]: 1 });
  }
});

Deno.test("login() rejects a device with a MAC for another purpose", async () => {
  const { throttle, keys } = createServices();
  const [id, stampHash] = ["A".repeat(22), await digestText(ADA.securityStamp)];
  const fields = joinFields([ADA.identifier, id, stampHash]);
  for (const client of ATTACKERS) await guess(throttle, "ada", client, ADA);
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
  Deno.test(`reserve() does not accept a device of a user ${why}`, async () => {
    const { throttle } = createServices();
    const device = await throttle.issueDevice(ADA);
    for (const client of ATTACKERS) await guess(throttle, "ada", client, user);
    const stale = await throttle.login(canonical("ada"), { ...CLIENT, device });
    assertEquals(await waitOf(() => stale.reserve(user)), 3_600);
    await login(throttle, { ...CLIENT, device }); // the user as it was
  });
}

Deno.test("reserve() counts a device that is no longer known as unknown", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(6, () => throttle.issueDevice(ADA)));
  const changed = { ...ADA, securityStamp: "s2" };
  for (const device of devices.slice(0, 5)) await login(throttle, { ...CLIENT, device }, changed);
  const sixth = { ...CLIENT, device: devices[5] };
  assertEquals(await waitOf(() => login(throttle, sixth, changed)), 30);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), 30);
});

Deno.test("reserve() of devices that are no longer known does not lock out a known one", async () => {
  const { throttle } = createServices();
  const changed = { ...ADA, securityStamp: "s2" };
  const device = await throttle.issueDevice(changed);
  for (const client of repeat(300, (i) => ({ address: `2001:db8:${i.toString(16)}::1` }))) {
    const stale = { ...client, device: await throttle.issueDevice(ADA) };
    await outcomes([guess(throttle, "ada", stale, changed)]);
  }
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT, changed)), 3_600);
  await login(throttle, { ...CLIENT, device }, changed);
});

Deno.test("fail() of known devices counts separately: 100 of all, then one attempt per hour", async () => {
  const { throttle, clock } = createServices();
  const devices = await Promise.all(repeat(40, () => throttle.issueDevice(ADA)));
  const attempt = (i: number) => guess(throttle, "ada", { ...CLIENT, device: devices[i] }, ADA);
  for (const i of repeat(100, (i) => i)) await attempt(i % 30);
  assertEquals(await waitOf(() => attempt(39)), HOUR);
  await guess(throttle, "ada", CLIENT); // neither the account nor the address
  clock.now += HOUR;
  await (await login(throttle, { ...NOBODY, device: devices[39] })).succeed();
  for (const i of repeat(9, (i) => i)) await attempt(30 + i);
});

Deno.test("succeed() of a known device does not reset the failures of others", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const client of ATTACKERS.slice(1)) await guess(throttle, "ada", client, ADA);
  await (await login(throttle, { ...CLIENT, device })).succeed();
  await guess(throttle, "ada", CLIENT, ADA);
  assertEquals(await waitOf(() => guess(throttle, "ada", STRANGER, ADA)), HOUR);
});

const PRESENTED: readonly [why: string, user: KnownUser, secret: string, kept: boolean][] = [
  ["a valid one", ADA, SECRET, true],
  ["one of another account", EVE, SECRET, false],
  ["one from before the credentials changed", { ...ADA, securityStamp: "s0" }, SECRET, false],
  ["one by another secret", ADA, `${SECRET}!`, false],
];
for (const [why, user, secret, kept] of PRESENTED) {
  Deno.test(`issueDevice() ${kept ? "keeps" : "replaces"} ${why}`, async () => {
    const presented = await createServices({ secret }).throttle.issueDevice(user);
    const issued = await createServices().throttle.issueDevice(ADA, presented);
    assertEquals(issued === presented, kept);
  });
}

Deno.test("issueDevice() accepts an authentication", async () => {
  const { throttle, passwords, stores } = createServices();
  const account = { identifier: "Ada", password: "lovelace wrote notes" };
  const authentication = await passwords.createUser(account);
  const user = await stores.users.findByIdentifier("ada");
  for (const client of ATTACKERS) await guess(throttle, "ada", client, user);
  const device = await throttle.issueDevice(authentication);
  const attempt = await throttle.login(canonical("ada"), { ...CLIENT, device });
  await attempt.reserve(user);
});

/** An attempt that is counted, of a user or at an account without one. */
async function open(
  throttle: ThrottleService,
  account: string,
  client: LoginClient,
  user: KnownUser | null = null,
): Promise<LoginAttempt> {
  const attempt = await throttle.login(canonical(account), client);
  await attempt.reserve(user);
  return attempt;
}

/** An attempt that fails. */
async function guess(...args: Parameters<typeof open>): Promise<void> {
  await (await open(...args)).fail();
}

/** An attempt of a user. */
function login(
  throttle: ThrottleService,
  client: LoginClient,
  user: KnownUser = ADA,
): Promise<LoginAttempt> {
  return open(throttle, user.identifier, client, user);
}

/** The last character with a trailing bit set. */
function nextCharacter(device: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(device.slice(-1)) + 1] ?? "";
}

const RULES: readonly [why: string, rules: unknown, error: typeof RangeError | typeof TypeError][] =
  [
    ["no free attempts", { client: { ...backoff(), free: 0 } }, RangeError],
    ["a wait that is not a number", { client: { ...backoff(), wait: NaN } }, RangeError],
    [
      "a missing wait",
      { client: { kind: "backoff", free: 5, maxWait: 60, forget: 60 } },
      RangeError,
    ],
    ["an infinite maximum wait", { client: { ...backoff(), maxWait: Infinity } }, RangeError],
    ["a negative forget", { client: { ...backoff(), forget: -1 } }, RangeError],
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
  const { throttle } = createServices({ rules: { client: { ...backoff(), free: 1, wait: 7 } } });
  await guess(throttle, "ada", CLIENT);
  assertEquals(await waitOf(() => guess(throttle, "ada", CLIENT)), 7);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  assertEquals(await waitOf(() => throttle.registration(CLIENT)), 3_600);
});

function backoff() {
  return { kind: "backoff", free: 5, wait: 30, maxWait: 60, forget: 600 } as const;
}
