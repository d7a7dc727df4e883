/** Accounts whose address was not verified in time. */

import { assertEquals } from "@std/assert";
import {
  ADA,
  codeOf,
  createAccounts,
  PASSWORD,
  refusal,
  START,
  tokenOf,
  verify,
  withAda,
} from "./_accounts.ts";

const DAY = 86_400;
const EXPIRING = { unverified: { expiresIn: DAY, since: 0 } } as const;

Deno.test("rejectExpired() rejects an account from the moment on at which it expires", async () => {
  const own = await withAda(EXPIRING);
  own.clock.now = START + DAY - 1;
  await own.service.rejectExpired("u1");
  assertEquals(await own.service.removeExpired(ADA), false);
  own.clock.now = START + DAY;
  const { code, reason } = await refusal(() => own.service.rejectExpired("u1"));
  assertEquals([code, reason], ["invalid_credentials", "email_unverified"]);
});

Deno.test("removeExpired() frees the identifier, in any spelling, and the address", async () => {
  const own = await withAda(EXPIRING);
  await own.service.welcome("u1", undefined, own.context());
  const [link] = await own.delivered();
  own.clock.now = START + DAY;
  assertEquals(await own.service.removeExpired("ADA＠example.org"), true);
  assertEquals(await own.stores.users.findByIdentifier(ADA), null);
  assertEquals(await own.stores.emails.findBySub("u1"), null);
  assertEquals(await own.service.removeExpired(ADA), false);
  assertEquals(await codeOf(() => own.service.verifyEmail(tokenOf(link), "u1")), "invalid_link");
  await own.passwords.createUser({ identifier: ADA, password: PASSWORD });
});

Deno.test("rejectExpired() and removeExpired() leave accounts with a verified address, and those without one", async () => {
  const own = await withAda(EXPIRING);
  await verify(own);
  await own.passwords.createUser({ identifier: "eve", password: PASSWORD }, { sub: "u2" });
  own.clock.now = START + 365 * DAY;
  for (const [sub, identifier] of [["u1", ADA], ["u2", "eve"], ["nobody", "nobody"]] as const) {
    await own.service.rejectExpired(sub);
    assertEquals(await own.service.removeExpired(identifier), false);
  }
});

Deno.test("rejectExpired() and removeExpired() do nothing without the option, and read no store", async () => {
  const own = await withAda();
  own.clock.now = START + 365 * DAY;
  await own.service.rejectExpired("u1");
  assertEquals([await own.service.removeExpired(ADA), own.calls], [false, []]);
});

Deno.test("removeExpired() ignores what cannot identify a user", async () => {
  const { service } = createAccounts(EXPIRING);
  for (const odd of ["", "a@b,c@d", null, ["x"], 5] as string[]) {
    assertEquals(await service.removeExpired(odd), false);
  }
});

Deno.test("signInByLink(), resetPassword() and verifyEmail() save an account that has expired", async () => {
  for (const flow of ["link", "reset", "verify"] as const) {
    const own = await withAda(EXPIRING);
    own.clock.now = START + DAY;
    const { service } = own;
    const send = {
      link: () => service.sendSignInLink(ADA, own.context()),
      reset: () => service.forgotPassword(ADA, own.context()),
      verify: () => service.sendVerification("u1", own.context()),
    };
    const token = tokenOf(await own.messageOf(send[flow]));
    const finish = {
      link: () => service.signInByLink(token, "browser 1"),
      reset: () => service.resetPassword(token, PASSWORD),
      verify: () => service.verifyEmail(token, "u1"),
    };
    await finish[flow]();
    await service.rejectExpired("u1");
  }
});
