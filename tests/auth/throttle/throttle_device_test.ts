import { assert, assertEquals, assertMatch } from "@std/assert";
import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { joinFields } from "../../../auth/_bytes.ts";
import { digestText } from "../../../auth/_kdf.ts";
import type {
  KnownUser,
  LoginClient,
  LoginReservation,
  ThrottleService,
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
  waitOf,
} from "../_services.ts";

const ADA = { identifier: "ada", securityStamp: "s1" };
const EVE = { identifier: "eve", securityStamp: "s9" };

const ATTACKERS = repeat(100, (i) => ({ address: `198.51.100.${i}` }));

Deno.test("issueDevice() makes another value each time, of 16 bytes, a digest and a MAC", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(20, () => throttle.issueDevice(ADA)));
  for (const device of devices) assertMatch(device, /^[\w-]{22}\.[\w-]{43}\.[\w-]{43}$/);
  assertEquals(new Set(devices.map((device) => device.slice(0, 22))).size, 20);
  for (const text of [ADA.identifier, ADA.securityStamp]) {
    for (const device of devices) assert(!device.includes(`.${text}`), text);
  }
});

Deno.test("login() lets a known browser in while others have used up the account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  assertEquals((await refusal(() => throttle.login(canonical("ada"), CLIENT))).code, "throttled");
  await (await login(throttle, { ...CLIENT, device })).succeed();
  await login(throttle, { ...NOBODY, device });
});

Deno.test("login() lets a known browser in while its address is used up", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  for (const i of repeat(45, (i) => i)) await throttle.login(canonical(`user-${i}`), CLIENT);
  await login(throttle, { ...CLIENT, device });
});

Deno.test("login() limits a known browser too, wherever it is", async () => {
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

Deno.test("login() of a known browser that succeeds starts its count anew", async () => {
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

Deno.test("login() of 200 at once from a known browser lets five pass", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(ADA);
  const attempts = repeat(200, () => login(throttle, { ...CLIENT, device }));
  assertEquals(await outcomes(attempts), { made: 5, throttled: 195 });
});

const FORGED: readonly [why: string, forge: (device: string) => unknown][] = [
  ["empty", () => ""],
  ["absent", () => undefined],
  ["of an identifier alone", (device) => device.slice(0, 22)],
  ["without a MAC", (device) => device.slice(0, 66)],
  ["with an empty MAC", (device) => device.slice(0, 67)],
  ["cut", (device) => device.slice(0, -1)],
  ["longer", (device) => `${device}A`],
  ["with a line feed", (device) => `${device}\n`],
  ["with another identifier", (device) => `${"A".repeat(22)}${device.slice(22)}`],
  ["with another digest", (device) => device.slice(0, 23) + "A".repeat(43) + device.slice(66)],
  ["with another MAC", (device) => `${device.slice(0, 67)}${"A".repeat(43)}`],
  ["with the MAC's last bits set", (device) => device.slice(0, -1) + nextCharacter(device)],
  ["quoted", (device) => `"${device}"`],
  ["of 1 MB", (device) => device.repeat(15_000)],
];
for (const [why, forge] of FORGED) {
  Deno.test(`login() knows no browser by a value that is ${why}`, async () => {
    const { throttle } = createServices();
    const device = await throttle.issueDevice(ADA);
    for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
    const forged = forge(device) as string;
    const client = forged === undefined ? CLIENT : { ...CLIENT, device: forged };
    assertEquals((await refusal(() => login(throttle, client))).code, "throttled");
    await login(throttle, { ...CLIENT, device });
  });
}

Deno.test("login() knows no browser by a value for another account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice(EVE);
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  assertEquals(
    (await refusal(() => login(throttle, { ...CLIENT, device }))).code,
    "throttled",
  );
  await login(throttle, { ...CLIENT, device }, EVE);
});

Deno.test("login() with a value for another account is counted by account and address", async () => {
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

Deno.test("login() knows browsers by every secret that is kept, and by none that was dropped", async () => {
  const [old, today] = [`${SECRET} of last year`, `${SECRET} of today`];
  const device = await createServices({ secret: old }).throttle.issueDevice(ADA);
  for (const [secret, known] of [[[today, old], true], [today, false]] as const) {
    const { throttle } = createServices({ secret });
    for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
    const attempt = login(throttle, { ...CLIENT, device });
    assertEquals(await outcomes([attempt]), { [known ? "made" : "throttled"]: 1 });
  }
});

Deno.test("login() knows no browser by a MAC that was made for something else", async () => {
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
  ["who is gone", null],
];
for (const [why, user] of OTHERS) {
  Deno.test(`confirm() knows no browser of a user ${why}`, async () => {
    const { throttle } = createServices();
    const device = await throttle.issueDevice(ADA);
    for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
    const stale = await throttle.login(canonical("ada"), { ...CLIENT, device });
    const wait = await waitOf(() => stale.confirm(user));
    assertEquals(wait, 3_600);
    await login(throttle, { ...CLIENT, device }); // the user as it was
  });
}

Deno.test("confirm() counts a browser that is known no more as any other", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(6, () => throttle.issueDevice(ADA)));
  const changed = { ...ADA, securityStamp: "s2" };
  for (const device of devices.slice(0, 5)) await login(throttle, { ...CLIENT, device }, changed);
  const sixth = { ...CLIENT, device: devices[5] };
  assertEquals(await waitOf(() => login(throttle, sixth, changed)), 30);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
});

Deno.test("confirm() of browsers that are known no more shuts no known one out", async () => {
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

Deno.test("succeed() of a browser that was known no more gives back what confirm() counted", async () => {
  const { throttle } = createServices();
  const changed = { ...ADA, securityStamp: "s2" };
  for (const _ of repeat(4, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  const device = await throttle.issueDevice(ADA);
  await (await login(throttle, { ...CLIENT, device }, changed)).succeed();
  for (const _ of repeat(5, () => 0)) await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 30);
});

Deno.test("login() counts all known browsers of an account together: 100 in an hour", async () => {
  const { throttle, clock } = createServices();
  const devices = await Promise.all(repeat(30, () => throttle.issueDevice(ADA)));
  for (const i of repeat(100, (i) => i)) {
    const client = { address: `198.51.100.${i}`, device: devices[i % 25] };
    await login(throttle, client);
    clock.now += 1;
  }
  const fresh = { ...CLIENT, device: devices[29] };
  assertEquals(await waitOf(() => login(throttle, fresh)), 3_500);
  // Nobody but they are shut out, and nobody else's are
  await login(throttle, CLIENT);
  const ofEve = { ...CLIENT, device: await throttle.issueDevice(EVE) };
  await login(throttle, ofEve, EVE);
  clock.now += 3_499;
  assertEquals(await waitOf(() => login(throttle, fresh)), 1);
  clock.now += 1;
  await login(throttle, fresh);
});

Deno.test("login() of a known browser that succeeds gives its attempt back to the others", async () => {
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

Deno.test("issueDevice() takes an authentication", async () => {
  const { throttle, passwords, stores } = createServices();
  const account = { identifier: "Ada", password: "lovelace wrote notes" };
  const authentication = await passwords.createUser(account);
  const user = await stores.users.findByIdentifier("ada");
  for (const client of ATTACKERS) await throttle.login(canonical("ada"), client);
  const device = await throttle.issueDevice(authentication);
  const reservation = await throttle.login(canonical("ada"), { ...CLIENT, device });
  await reservation.confirm(user);
});

/** An attempt as a service makes it: counted, then confirmed for the user that it found. */
async function login(
  throttle: ThrottleService,
  client: LoginClient,
  user: KnownUser = ADA,
): Promise<LoginReservation> {
  const reservation = await throttle.login(canonical(user.identifier), client);
  await reservation.confirm(user);
  return reservation;
}

/** The last character with one of the two bits set that belong to no byte. */
function nextCharacter(device: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(device.slice(-1)) + 1] ?? "";
}
