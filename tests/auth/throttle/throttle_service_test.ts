import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { joinFields } from "../../../auth/_bytes.ts";
import type { LoginThrottle } from "../../../auth/stores/types.ts";
import type { ThrottleKey } from "../../../auth/throttle/rule.ts";
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
Deno.test("login() lets five attempts pass from one address, then makes the next wait 30 s doubling to an hour", async () => {
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

Deno.test("login() forgets attempts after a day without one", async () => {
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

Deno.test("login() counts an account's attempts from all addresses: 100 in an hour", async () => {
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

Deno.test("login() counts an address's attempts for all accounts: 50 in a quarter of an hour", async () => {
  const { throttle, clock } = createServices();
  for (const i of repeat(50, (i) => i)) await throttle.login(canonical(`user-${i}`), CLIENT);
  const login = () => throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(login), 900);
  await throttle.login(canonical("ada"), { address: "192.0.2.2" });
  clock.now += 900;
  await login();
});

Deno.test("login() that is refused counts nowhere", async () => {
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

Deno.test("login() says the longest wait of all that refuse", async () => {
  const { throttle, clock } = createServices();
  for (const i of repeat(95, (i) => i)) {
    await throttle.login(canonical("ada"), { address: `198.51.100.${i}` });
  }
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), HOUR);
  clock.now += HOUR;
  await throttle.login(canonical("ada"), CLIENT);
});

Deno.test("login() of 200 at once lets no more pass than the rules say", async () => {
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

Deno.test("login() without an address counts the account alone", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), HOUR);
  for (const i of repeat(300, (i) => i)) await throttle.login(canonical(`user-${i}`), NOBODY);
  await throttle.login(canonical("bob"), NOBODY);
});

Deno.test("succeed() clears the account at the address, and gives one attempt back to the windows", async () => {
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

Deno.test("succeed() that is said twice gives one attempt back", async () => {
  const { throttle } = createServices();
  const reservation = await throttle.login(canonical("ada"), NOBODY);
  for (const _ of repeat(98, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  await reservation.succeed();
  await reservation.succeed();
  await Promise.all(repeat(5, () => reservation.succeed()));
  for (const _ of repeat(2, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
});

Deno.test("succeed() of the last attempt that a window allows opens it again for one", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(99, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  const { succeed } = await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
  await succeed();
  await throttle.login(canonical("ada"), NOBODY);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
});

Deno.test("succeed() gives nothing back to a window that began after the attempt", async () => {
  const { throttle, clock } = createServices();
  const early = await throttle.login(canonical("ada"), NOBODY);
  clock.now += HOUR;
  for (const _ of repeat(100, () => 0)) await throttle.login(canonical("ada"), NOBODY);
  await early.succeed();
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), NOBODY)), HOUR);
});

Deno.test("registration() allows 20 in an hour from an address, and needs one", async () => {
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

Deno.test("login() and registration() tell of a refusal, and of no account", async () => {
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

Deno.test("login() refuses alike for every account and every reason", async () => {
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

Deno.test("login() hands the store digests, one for each that is counted, and no text of the client's", async () => {
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
    ...[5, 100, 50], // reserved, and told of the success
    ...[5, 100, 50],
    ...[5, 100], // of the browser, and of all that are known
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

Deno.test("login() of another secret, rule or join of texts has other keys", async () => {
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

/** A store that keeps what it is asked, too. */
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

Deno.test("login() hands the store no digest that is part of a known browser's cookie", async () => {
  const claims: ThrottleKey[] = [];
  const { throttle, keys } = createServices({
    wrap: ({ throttle }) => ({ throttle: noted(throttle, claims) }),
  });
  await throttle.login(canonical("ada"), NOBODY);
  const mac = encodeBase64Url(await keys.sign("device", joinFields(["account", "ada"])));
  assertNotEquals(claims[0]?.key.slice(0, 21), mac.slice(0, 21));
});
