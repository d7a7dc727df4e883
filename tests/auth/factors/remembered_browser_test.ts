/** Browsers in which the second factor is not needed again. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createDevice } from "../../../auth/throttle/_device_cookie.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import type { PasswordAuthentication } from "../../../auth/principal.ts";
import { canonical } from "../_services.ts";
import {
  byPassword,
  changeStamp,
  enrolled,
  OTHER_SECRET,
  type Scene,
  scene,
  SECRET,
  START,
  type Sub,
} from "./_sign_in.ts";

const DAY = 86_400;

async function cookieOf({ service, clock }: Scene, sub: Sub = "u1"): Promise<string> {
  const made = await service.rememberBrowser(byPassword(clock.now, sub));
  assert(made !== undefined);
  assertEquals(made.maxAge, 30 * DAY);
  return made.cookie;
}

/** Whether the second factor is needed. */
async function isNeeded(
  { service, clock }: Scene,
  cookie: string,
  authentication = byPassword(clock.now),
): Promise<boolean> {
  return await service.begin({ authentication }, cookie) !== undefined;
}

Deno.test("rememberBrowser() spares the browser the second factor for 30 days", async () => {
  const own = await enrolled();
  const cookie = await cookieOf(own);
  const { now } = own.clock;
  for (const [seconds, needed] of [[0, false], [-1, false], [0, true], [1, true]] as const) {
    own.clock.now = needed || seconds < 0 ? now + 30 * DAY + seconds : now;
    assertEquals(await isNeeded(own, cookie), needed, `${own.clock.now - now}`);
  }
});

Deno.test("rememberBrowser() makes another cookie each time, without names of the user", async () => {
  const own = await enrolled();
  const [one, two] = [await cookieOf(own), await cookieOf(own)];
  assertNotEquals(one, two);
  assertMatch(one, /^\d{10}\.[\w-]{22}\.[\w-]{43}$/);
  await own.service.remove("u1");
  assertEquals(await own.service.rememberBrowser(byPassword(START)), undefined);
});

/** What ends it. */
const ENDS: readonly (readonly [
  what: string,
  end: (own: Scene) => Promise<PasswordAuthentication | void>,
])[] = [
  ["the account is another one", ({ clock }) => Promise.resolve(byPassword(clock.now, "u2"))],
  ["the password was changed", async (own) => {
    await changeStamp(own);
    return { ...byPassword(own.clock.now), securityStamp: "s-new" };
  }],
  ["the authenticator was replaced", (own) => own.enrol()],
  ["the authenticator was removed and set up again", async (own) => {
    await own.service.remove("u1");
    await own.enrol();
  }],
];

for (const [what, end] of ENDS) {
  Deno.test(`rememberBrowser() does not count any more if ${what}`, async () => {
    const own = await enrolled({ two: what.includes("another one") });
    const cookie = await cookieOf(own);
    assertEquals(await isNeeded(own, cookie), false);
    const authentication = await end(own);
    assertEquals(await isNeeded(own, cookie, authentication ?? undefined), true);
  });
}

Deno.test("rememberBrowser() counts on after new recovery codes", async () => {
  const own = await enrolled();
  const cookie = await cookieOf(own);
  await own.service.regenerateRecoveryCodes("u1");
  assertEquals(await isNeeded(own, cookie), false);
});

/** [why, the changed cookie] */
const CHANGED: readonly (readonly [why: string, change: (cookie: string) => string])[] = [
  ["nothing", () => ""],
  ["a later expiry", (cookie) => cookie.replace(/^\d+/, (at) => String(Number(at) + 1))],
  ["an expiry with a leading zero", (cookie) => `0${cookie}`],
  ["an expiry in exponential notation", (cookie) => cookie.replace(/^\d+/, "9e99")],
  ["13 digits", (cookie) => cookie.replace(/^\d+/, "9999999999999")],
  ["another id", (cookie) => cookie.replace(/\.(.)/, (_, c) => c === "A" ? ".B" : ".A")],
  ["another MAC", (cookie) => cookie.replace(/.$/, (c) => c === "A" ? "E" : "A")],
  ["a MAC with other unused bits", (cookie) => cookie.replace(/.$/, nextCharacter)],
  ["no MAC", (cookie) => cookie.replace(/\.[^.]*$/, ".")],
  ["a short MAC", (cookie) => cookie.slice(0, -1)],
  ["a MAC of zeros", (cookie) => cookie.replace(/[^.]*$/, "A".repeat(43))],
  ["a line feed at the end", (cookie) => `${cookie}\n`],
  ["two cookies", (cookie) => `${cookie}${cookie}`],
];

/** The same bytes by another encoding. */
function nextCharacter(last: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(last) ^ 1] ?? "";
}

for (const [why, change] of CHANGED) {
  Deno.test(`begin() needs the second factor with a cookie of ${why}`, async () => {
    const own = await enrolled();
    const cookie = await cookieOf(own);
    assertNotEquals(change(cookie), cookie);
    assertEquals(await isNeeded(own, change(cookie)), true);
  });
}

Deno.test("begin() accepts cookies of an earlier secret, and none of a removed one", async () => {
  const own = await enrolled();
  const cookie = await cookieOf(own);
  const rows = [[[OTHER_SECRET, SECRET], false], [[SECRET, OTHER_SECRET], false], [
    OTHER_SECRET,
    true,
  ]] as const;
  for (const [secret, needed] of rows) {
    const other = scene({ over: own.stores, clock: own.clock, secret });
    assertEquals(await isNeeded(other, cookie), needed);
  }
});

Deno.test("begin() does not take the throttle's device cookie for one of its own", async () => {
  const own = await enrolled();
  const identifier = canonical("ada");
  const device = await createDevice(deriveKeys(SECRET), { identifier, securityStamp: "s-u1" });
  assertEquals(await isNeeded(own, device), true);
});
