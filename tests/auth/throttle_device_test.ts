import { assertEquals, assertMatch } from "@std/assert";
import { encodeBase64Url } from "../../auth/_base64url.ts";
import { joinFields } from "../../auth/_bytes.ts";
import { CLIENT, createServices, outcomes, refusal, repeat, SECRET } from "./_services.ts";

const ATTACKERS = repeat(100, (i) => ({ address: `198.51.100.${i}` }));

Deno.test("issueDevice() makes another value each time, of 16 bytes and a MAC", async () => {
  const { throttle } = createServices();
  const devices = await Promise.all(repeat(20, () => throttle.issueDevice("ada")));
  for (const device of devices) assertMatch(device, /^[\w-]{22}\.[\w-]{43}$/);
  assertEquals(new Set(devices.map((device) => device.slice(0, 22))).size, 20);
});

Deno.test("login() lets a known browser in while others have used up the account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice("ada");
  for (const client of ATTACKERS) await throttle.login("ada", client);
  assertEquals((await refusal(() => throttle.login("ada", CLIENT))).code, "throttled");
  await (await throttle.login("ada", { ...CLIENT, device })).succeed();
  await throttle.login("ada", { device });
});

Deno.test("login() lets a known browser in while its address is used up", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice("ada");
  for (const _ of repeat(5, () => 0)) await throttle.login("ada", CLIENT);
  for (const i of repeat(45, (i) => i)) await throttle.login(`user ${i}`, CLIENT);
  await throttle.login("ada", { ...CLIENT, device });
});

Deno.test("login() limits a known browser too, wherever it is", async () => {
  const { throttle, clock } = createServices();
  const device = await throttle.issueDevice("ada");
  for (const i of repeat(5, (i) => i)) {
    await throttle.login("ada", { address: `198.51.100.${i}`, device });
  }
  for (const client of [{ device }, { ...CLIENT, device }, { address: "203.0.113.1", device }]) {
    assertEquals((await refusal(() => throttle.login("ada", client))).headers["Retry-After"], "30");
  }
  await throttle.login("ada", CLIENT);
  const other = await throttle.issueDevice("ada");
  await throttle.login("ada", { ...CLIENT, device: other });
  clock.now += 30;
  await throttle.login("ada", { device });
  assertEquals(
    (await refusal(() => throttle.login("ada", { device }))).headers["Retry-After"],
    "60",
  );
});

Deno.test("login() of a known browser that succeeds starts its count anew", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice("ada");
  for (const _ of repeat(4, () => 0)) await throttle.login("ada", { device });
  await (await throttle.login("ada", { device })).succeed();
  for (const _ of repeat(5, () => 0)) await throttle.login("ada", { device });
  assertEquals((await refusal(() => throttle.login("ada", { device }))).code, "throttled");
});

Deno.test("login() of 200 at once from a known browser lets five pass", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice("ada");
  const attempts = repeat(200, () => throttle.login("ada", { ...CLIENT, device }));
  assertEquals(await outcomes(attempts), { made: 5, throttled: 195 });
});

const FORGED: readonly [why: string, forge: (device: string) => unknown][] = [
  ["empty", () => ""],
  ["absent", () => undefined],
  ["without a MAC", (device) => device.slice(0, 22)],
  ["with an empty MAC", (device) => device.slice(0, 23)],
  ["cut", (device) => device.slice(0, -1)],
  ["longer", (device) => `${device}A`],
  ["with a line feed", (device) => `${device}\n`],
  ["with another identifier", (device) => `${"A".repeat(22)}${device.slice(22)}`],
  ["with another MAC", (device) => `${device.slice(0, 23)}${"A".repeat(43)}`],
  ["with the MAC's last bits set", (device) => device.slice(0, -1) + nextCharacter(device)],
  ["quoted", (device) => `"${device}"`],
  ["of 1 MB", (device) => device.repeat(15_000)],
];
for (const [why, forge] of FORGED) {
  Deno.test(`login() knows no browser by a value that is ${why}`, async () => {
    const { throttle } = createServices();
    const device = await throttle.issueDevice("ada");
    for (const client of ATTACKERS) await throttle.login("ada", client);
    const forged = forge(device) as string;
    const client = forged === undefined ? CLIENT : { ...CLIENT, device: forged };
    assertEquals((await refusal(() => throttle.login("ada", client))).code, "throttled");
    await throttle.login("ada", { ...CLIENT, device });
  });
}

Deno.test("login() knows no browser by a value for another account", async () => {
  const { throttle } = createServices();
  const device = await throttle.issueDevice("eve");
  for (const client of ATTACKERS) await throttle.login("ada", client);
  assertEquals(
    (await refusal(() => throttle.login("ada", { ...CLIENT, device }))).code,
    "throttled",
  );
  await throttle.login("eve", { ...CLIENT, device });
});

Deno.test("login() with a value for another account is counted by account and address", async () => {
  const { throttle } = createServices();
  for (const _ of repeat(5, () => 0)) {
    await throttle.login("ada", { ...CLIENT, device: await throttle.issueDevice("eve") });
  }
  const device = await throttle.issueDevice("eve");
  assertEquals(
    (await refusal(() => throttle.login("ada", { ...CLIENT, device }))).code,
    "throttled",
  );
});

Deno.test("login() knows browsers by every secret that is kept, and by none that was dropped", async () => {
  const [old, today] = [`${SECRET} of last year`, `${SECRET} of today`];
  const device = await createServices({ secret: old }).throttle.issueDevice("ada");
  for (const [secret, known] of [[[today, old], true], [today, false]] as const) {
    const { throttle } = createServices({ secret });
    for (const client of ATTACKERS) await throttle.login("ada", client);
    const attempt = throttle.login("ada", { ...CLIENT, device });
    assertEquals(await outcomes([attempt]), { [known ? "made" : "throttled"]: 1 });
  }
});

Deno.test("login() knows no browser by a MAC that was made for something else", async () => {
  const { throttle, keys } = createServices();
  const id = "A".repeat(22);
  for (const client of ATTACKERS) await throttle.login("ada", client);
  for (const purpose of ["csrf", "throttle"] as const) {
    const mac = await keys.sign(purpose, joinFields(["ada", id]));
    const device = `${id}.${encodeBase64Url(mac)}`;
    assertEquals((await refusal(() => throttle.login("ada", { device }))).code, "throttled");
  }
  const mac = await keys.sign("device", joinFields(["ada", id]));
  await throttle.login("ada", { device: `${id}.${encodeBase64Url(mac)}` });
});

/** The last character with one of the two bits set that belong to no byte. */
function nextCharacter(device: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(device.slice(-1)) + 1] ?? "";
}
