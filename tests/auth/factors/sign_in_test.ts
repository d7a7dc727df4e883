/** Sign-ins with a second factor: which ones need it, and tickets. */

import { assert, assertEquals, assertFalse, assertNotEquals } from "@std/assert";
import { isBrowserBound, markBrowserBound } from "../../../auth/_browser_bound.ts";
import { digestText } from "../../../auth/_kdf.ts";
import { isMultiFactor } from "../../../auth/_multi_factor.ts";
import type { Authentication } from "../../../auth/principal.ts";
import { passkeyAuthentication } from "../../../auth/webauthn/_context.ts";
import { setDisabled, types } from "../_services.ts";
import {
  by,
  byPassword,
  changeStamp,
  CLIENT,
  codeOf,
  complete,
  enrolled,
  type Scene,
  scene,
  START,
} from "./_sign_in.ts";

const USER = { sub: "u1", identifier: "ada", securityStamp: "s-u1", createdAt: START };

function byPasskey(userVerified: boolean): Authentication {
  return passkeyAuthentication(USER, { credentialId: "c1", userVerified, authTime: START });
}

const PROVIDER = { name: "one", issuer: "https://one.example" };

/** [how the user signs in, the authentication, whether a user with a second factor needs it, and with a remembered browser] */
const SIGN_INS: readonly (readonly [
  how: string,
  authentication: () => Authentication,
  needed: boolean,
  ifRemembered: boolean,
])[] = [
  ["a password", () => byPassword(START), true, false],
  ["a link or a code", () => by(["email"]), true, false],
  ["a provider", () => by(["pwd"], { provider: PROVIDER }), true, false],
  [
    "a provider that says mfa",
    () => by(["pwd", "otp", "mfa"], { provider: PROVIDER }),
    true,
    false,
  ],
  ["a password that says mfa", () => by(["pwd", "mfa"], { acr: "phr" }), true, false],
  ["a passkey without user verification", () => byPasskey(false), true, false],
  ["a passkey with user verification", () => byPasskey(true), false, false],
  ["a copy of that", () => ({ ...byPasskey(true) }), true, false],
];

for (const [how, authentication, needed, ifRemembered] of SIGN_INS) {
  Deno.test(`begin() with ${how} returns ${needed ? "a ticket" : "none"}`, async () => {
    const own = await enrolled();
    const remembered = await own.service.rememberBrowser(byPassword(START));
    const begin = async (cookie?: string) =>
      await own.service.begin({ authentication: authentication() }, cookie) !== undefined;
    assertEquals(await begin(), needed);
    assertEquals(await begin(remembered?.cookie), ifRemembered);
    assertEquals(await begin("1.2.3"), needed);
    await own.service.remove("u1");
    assertEquals(await begin(), false);
  });
}

Deno.test("begin() returns none for users whose authenticator is not confirmed", async () => {
  const { service, stores } = scene();
  await stores.users.create(USER);
  const authentication = byPassword(START);
  assertEquals(await service.begin({ authentication }), undefined);
  await service.enrolTotp("u1", "ada");
  assertEquals(await service.begin({ authentication }), undefined);
});

Deno.test("complete() returns the sign-in with both factors, at the current time", async () => {
  const own = await enrolled();
  const { service, clock, events } = own;
  const authentication = byPassword(clock.now);
  const ticket = await service.begin({ authentication, method: "card", remember: true }) ?? "";
  assertEquals(ticket.length, 43);
  clock.now += 40;
  const { authentication: both, ...rest } = await complete(own, ticket);
  assertEquals(rest, { method: "card", remember: true });
  const amr = ["pwd", "otp", "mfa"];
  assertEquals<unknown>(both, { ...authentication, authTime: clock.now, amr });
  assert(isMultiFactor(both) && Object.isFrozen(both));
  assertEquals(await service.begin({ authentication: both }), undefined);
  assertEquals(types(events), ["factor.used"]);
  assertEquals(isBrowserBound(both), false);
});

Deno.test("complete() accepts a recovery code, once", async () => {
  const own = await enrolled();
  const [recoveryCode = ""] = own.recoveryCodes.get("u1") ?? [];
  const use = async () => await own.service.complete(await own.ticket(), { recoveryCode }, CLIENT);
  assertEquals((await use()).authentication.amr, ["pwd", "otp", "mfa"]);
  assertEquals(await codeOf(use), "invalid_second_factor");
});

Deno.test("complete() keeps what a provider said, and that the browser is bound", async () => {
  const own = await enrolled();
  const provider = { ...PROVIDER, sid: "p1" };
  const said = by(["pwd", "mfa"], { provider, acr: "gold" });
  const ticket = await own.service.begin({ authentication: markBrowserBound(said) }) ?? "";
  const { authentication } = await complete(own, ticket);
  assertEquals(authentication.provider, provider);
  assertEquals([authentication.amr, authentication.acr], [["pwd", "mfa", "otp"], "gold"]);
  assert(isBrowserBound(authentication));
});

// Tickets.

Deno.test("complete() accepts a ticket until it expires", async () => {
  for (const [seconds, isValid] of [[0, true], [299, true], [300, false], [301, false]] as const) {
    const own = await enrolled();
    const ticket = await own.ticket();
    own.clock.now += seconds;
    const use = () => complete(own, ticket);
    if (isValid) assertEquals((await use()).authentication.sub, "u1");
    else assertEquals(await codeOf(use), "mfa_expired");
  }
});

Deno.test("complete() does not extend the ticket by a wrong code", async () => {
  const own = await enrolled();
  const ticket = await own.ticket();
  own.clock.now += 299;
  const totp = await own.wrong();
  assertEquals(
    await codeOf(() => own.service.complete(ticket, { totp }, CLIENT)),
    "invalid_second_factor",
  );
  own.clock.now += 1;
  assertEquals(await codeOf(() => complete(own, ticket)), "mfa_expired");
});

Deno.test("complete() rejects unknown, malformed and changed tickets", async () => {
  const own = await enrolled();
  const ticket = await own.ticket();
  const changed = (ticket.startsWith("A") ? "B" : "A") + ticket.slice(1);
  const rows = ["", "x", ticket.slice(1), `${ticket}A`, changed, ` ${ticket}`, "__proto__", `\n`];
  for (const given of rows) {
    assertEquals(await codeOf(() => complete(own, given)), "mfa_expired", JSON.stringify(given));
  }
  const keys: unknown[] = [null, undefined, 1, [ticket], { ticket }];
  for (const given of keys) {
    assertEquals(await codeOf(() => complete(own, given as string)), "mfa_expired", String(given));
  }
  await complete(own, ticket);
});

Deno.test("complete() rejects a ticket after five wrong codes, even a right one", async () => {
  const own = await enrolled();
  const ticket = await own.ticket();
  const totp = await own.wrong();
  for (let i = 0; i < 5; i++) {
    const attempt = () => own.service.complete(ticket, { totp }, CLIENT);
    assertEquals(await codeOf(attempt), "invalid_second_factor");
  }
  assertEquals(await codeOf(() => complete(own, ticket)), "mfa_expired");
  await complete(own, await own.ticket());
});

Deno.test("complete() keeps the remaining tries of a ticket: four wrong codes, and a right one", async () => {
  const own = await enrolled();
  const ticket = await own.ticket();
  const totp = await own.wrong();
  for (let i = 0; i < 4; i++) {
    await codeOf(() => own.service.complete(ticket, { totp }, CLIENT));
  }
  await complete(own, ticket);
});

/** What happens between both factors. */
const BETWEEN: readonly (readonly [
  what: string,
  change: (own: Scene) => Promise<unknown>,
  code: string,
])[] = [
  ["the password changes", (own) => changeStamp(own), "mfa_expired"],
  ["the account is disabled", ({ stores }) => setDisabled(stores), "mfa_expired"],
  ["the account is deleted", ({ stores }) => stores.users.delete("u1"), "mfa_expired"],
  ["the second factor is removed", ({ service }) => service.remove("u1"), "invalid_second_factor"],
];

for (const [what, change, code] of BETWEEN) {
  Deno.test(`complete() rejects the ticket if ${what}`, async () => {
    const own = await enrolled();
    const ticket = await own.ticket();
    const totp = await own.code();
    await change(own);
    const use = () => own.service.complete(ticket, { totp }, CLIENT);
    assertEquals(await codeOf(use), code);
  });
}

Deno.test("complete() with another second factor that was set up meanwhile needs its code", async () => {
  const own = await enrolled();
  const [ticket, before] = [await own.ticket(), await own.code()];
  await own.enrol();
  const used = () => own.service.complete(ticket, { totp: before }, CLIENT);
  assertEquals(await codeOf(used), "invalid_second_factor");
  await complete(own, ticket);
});

Deno.test("complete() rejects the code of another user", async () => {
  const own = await enrolled({ two: true });
  const [ticket, totp] = [await own.ticket("u1"), await own.code("u2")];
  const [recoveryCode = ""] = own.recoveryCodes.get("u2") ?? [];
  for (const proof of [{ totp }, { recoveryCode }]) {
    const use = () => own.service.complete(ticket, proof, CLIENT);
    assertEquals(await codeOf(use), "invalid_second_factor");
  }
  await complete(own, await own.ticket("u2"), "u2"); // neither was used up
});

Deno.test("complete() keeps the ticket if the store of second factors fails", async () => {
  const failing = { now: false };
  const own = await enrolled({
    wrap: ({ factors }) => ({
      factors: {
        ...factors,
        find: (sub) => failing.now ? Promise.reject(new Error("down")) : factors.find(sub),
      },
    }),
  });
  const ticket = await own.ticket();
  failing.now = true;
  await complete(own, ticket).then(() => assert(false), (error) => {
    assertEquals(error.message, "down");
  });
  failing.now = false;
  await complete(own, ticket);
});

Deno.test("begin() stores a digest of the ticket, and events contain no secret", async () => {
  const stored: unknown[] = [];
  const own = await enrolled({
    wrap: ({ states }) => ({
      states: {
        ...states,
        put(key, value, expiresAt) {
          stored.push([key, value, expiresAt]);
          return states.put(key, value, expiresAt);
        },
      },
    }),
  });
  const ticket = await own.ticket();
  const [wrong, right] = [await own.wrong(), await own.code()];
  await codeOf(() => own.service.complete(ticket, { totp: wrong }, CLIENT));
  await complete(own, ticket);
  const remembered = await own.service.rememberBrowser(byPassword(START));
  const text = JSON.stringify([stored, own.events]);
  assert(text.includes(`mfa:${await digestText(ticket)}`));
  for (const secret of [ticket, wrong, right, own.secrets.get("u1"), remembered?.cookie]) {
    assert(secret !== undefined);
    assertFalse(text.includes(secret), secret);
  }
  assertEquals(stored.length, 2);
  assertNotEquals(await own.ticket(), await own.ticket());
});

// Step-up.

Deno.test("stepUp() adds the second factor to a complete sign-in", async () => {
  const own = await enrolled();
  const totp = await own.code();
  const first = by(["email"], { acr: "gold", provider: PROVIDER });
  own.clock.now += 10;
  const both = await own.service.stepUp(first, { totp }, CLIENT);
  const amr = ["email", "otp", "mfa"];
  assertEquals<unknown>(both, { ...first, amr, authTime: own.clock.now });
  assert(isMultiFactor(both) && !isMultiFactor(first));
  const again = () => own.service.stepUp(first, { totp }, CLIENT);
  assertEquals(await codeOf(again), "invalid_second_factor");
  await own.service.remove("u1");
  assertEquals(await codeOf(again), "invalid_second_factor");
});
