/** Whose attempt it is: addresses, identifiers and clocks that are none. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  CLIENT,
  createServices,
  NOBODY,
  outcomes,
  refusal,
  repeat,
  START,
  unasked,
  waitOf,
} from "../_services.ts";

const HOUR = 3_600;

Deno.test("login() and registration() take an empty address for none", async () => {
  const { throttle } = createServices();
  for (const i of repeat(60, (i) => i)) await throttle.login(`user-${i}`, { address: "" });
  for (const _ of repeat(30, () => 0)) await throttle.registration({ address: "" });
  for (const _ of repeat(100, () => 0)) await throttle.login("ada", { address: "" });
  assertEquals(await waitOf(() => throttle.login("ada", { address: "" })), HOUR);
});

const BUCKETS: readonly [why: string, a: string, b: string, same: boolean][] = [
  ["one network of IPv6", "2001:db8:0:1::1", "2001:db8:0:1:ffff:ffff:ffff:ffff", true],
  ["the next network of IPv6", "2001:db8:0:1::1", "2001:db8:0:2::1", false],
  ["two spellings of IPv6", "2001:DB8:0:1:0::1", "2001:db8:0:1::1", true],
  ["IPv4 in IPv6", "::ffff:192.0.2.1", "192.0.2.1", true],
  ["two addresses in IPv6", "::ffff:192.0.2.1", "::ffff:192.0.2.2", false],
  ["IPv4 behind NAT64, RFC 6052 §2.1", "64:ff9b::192.0.2.1", "192.0.2.1", true],
  ["two addresses behind NAT64", "64:ff9b::192.0.2.1", "64:ff9b::192.0.2.2", false],
  ["one address with two ports", "192.0.2.1:80", "192.0.2.1:8080", true],
  ["two addresses of IPv4", "192.0.2.1", "192.0.2.2", false],
];
for (const [why, a, b, same] of BUCKETS) {
  Deno.test(`login() and registration() count ${why} ${same ? "as one" : "apart"}`, async () => {
    const { throttle } = createServices();
    for (const _ of repeat(5, () => 0)) await throttle.login("ada", { address: a });
    const ada = throttle.login("ada", { address: b });
    assertEquals(await outcomes([ada]), { [same ? "throttled" : "made"]: 1 });
    for (const _ of repeat(20, () => 0)) await throttle.registration({ address: a });
    const registration = throttle.registration({ address: b });
    assertEquals(await outcomes([registration]), { [same ? "throttled" : "made"]: 1 });
  });
}

const NO_ADDRESSES: readonly [why: string, address: unknown][] = [
  ["X-Forwarded-For as it came", "198.51.100.1, 192.0.2.1"],
  ["two addresses without a space", "198.51.100.1,192.0.2.1"],
  ["Forwarded, RFC 7239 §6.3", "_hidden"],
  ["no address that anybody knows", "unknown"],
  ["null as text", "null"],
  ["a name", "localhost"],
  ["a part too large", "192.0.2.256"],
  ["a part too few", "192.0.2"],
  ["white space around it", " 192.0.2.1"],
];
for (const [why, address] of NO_ADDRESSES) {
  Deno.test(`login() and registration() refuse an address that is none: ${why}`, async () => {
    const { throttle, passwords, events } = createServices({
      wrap: () => ({ throttle: unasked() }),
    });
    const client = { address: address as string };
    const account = { identifier: "ada", password: "lovelace wrote notes" };
    for (
      const attempt of [
        () => throttle.login("ada", client),
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
  Deno.test(`login() counts an account in whatever spelling: ${why}`, async () => {
    const { throttle } = createServices();
    for (const _ of repeat(5, () => 0)) await throttle.login(account, CLIENT);
    assertEquals(await waitOf(() => throttle.login("ada", CLIENT)), 30);
    await throttle.login("bob", CLIENT);
  });
}

Deno.test("login() refuses an account that is no identifier, and counts nothing", async () => {
  const { throttle } = createServices({ wrap: () => ({ throttle: unasked() }) });
  for (const account of ["", "a@x,b@y", null, undefined, ["ada"]]) {
    const { code } = await refusal(() => throttle.login(account as string, CLIENT));
    assertEquals(code, "invalid_identifier");
  }
});

Deno.test("login() and registration() refuse a client of whom nothing is said", async () => {
  const { throttle } = createServices({ wrap: () => ({ throttle: unasked() }) });
  await assertRejects(() => throttle.login("ada", undefined as never), TypeError);
  await assertRejects(() => throttle.registration(undefined as never), TypeError);
});

for (const now of [START * 1_000, 1e11, NaN, Infinity, -Infinity, `${START}`]) {
  Deno.test(`login() and registration() refuse a clock that gives ${typeof now} ${now}`, async () => {
    const { throttle, clock } = createServices({ wrap: () => ({ throttle: unasked() }) });
    clock.now = now as number;
    const message = "Invalid clock";
    await assertRejects(() => throttle.login("ada", CLIENT), RangeError, message);
    await assertRejects(() => throttle.registration(CLIENT), RangeError, message);
  });
}

Deno.test("login() counts in whole seconds, whatever the clock says between them", async () => {
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
  await (await throttle.login("ada", CLIENT)).succeed();
  assertEquals(times, [START, START]);
});

Deno.test("login() keeps the longest lock of a process whose clock is a little ahead", async () => {
  const { throttle, clock } = createServices();
  for (const _ of repeat(20, () => 0)) {
    clock.now += HOUR;
    await throttle.login("ada", CLIENT);
  }
  for (const _ of repeat(100, () => 0)) await throttle.login("bob", NOBODY);
  for (const behind of [1, 60, 300]) {
    const now = clock.now;
    clock.now -= behind;
    assertEquals(await waitOf(() => throttle.login("ada", CLIENT)), HOUR + behind);
    assertEquals(await waitOf(() => throttle.login("bob", NOBODY)), HOUR + behind);
    clock.now = now;
  }
});

Deno.test("login() forgets a lock of a time when the clock was ahead", async () => {
  const { throttle, clock } = createServices();
  clock.now += 10 * 365 * 86_400;
  for (const _ of repeat(5, () => 0)) await throttle.login("ada", CLIENT);
  for (const _ of repeat(100, () => 0)) await throttle.login("bob", NOBODY);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  clock.now = START;
  for (const _ of repeat(5, () => 0)) await throttle.login("ada", CLIENT);
  assertEquals(await waitOf(() => throttle.login("ada", CLIENT)), 30);
  await throttle.login("bob", NOBODY);
  await throttle.registration(CLIENT);
});
