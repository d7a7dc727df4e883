/**
 * The journeys of accounts, and their races, on any stores.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { AuthStores } from "../../../auth/mod.ts";
import { RACERS } from "../../_effort.ts";
import { outcomes, repeat } from "../_services.ts";
import { accessOf, giveAccess } from "./_access.ts";
import {
  ADA,
  codeOf,
  NEW,
  OTHER_PASSWORD,
  PASSWORD,
  storedEmail,
  tokenOf,
  withAda,
} from "./_accounts.ts";

/** Opens an empty database. Its clock is at `START`. */
export type OpenDatabase = () => Promise<AsyncDisposable & { readonly stores: AuthStores }>;

/** Registers the tests. */
export function testJourneys(name: string, open: OpenDatabase): void {
  Deno.test(`accountService() on ${name}: verify, change, reset, link, code`, async () => {
    await using engine = await open();
    const own = await withAda({
      over: engine.stores,
      signInLink: { page: "/link", signUp: true },
    });
    const { service } = own;
    await giveAccess(own);
    await service.welcome("u1", undefined, own.context());
    const [first] = await own.delivered();
    await service.verifyEmail(tokenOf(first), "u1");
    assertEquals(await storedEmail(own), [ADA, true]);
    await service.changeEmail("u1", NEW, own.context());
    const [change] = await own.delivered();
    await service.verifyEmail(tokenOf(change), "u1", own.context());
    assertEquals(await storedEmail(own), [NEW, true]);
    assertEquals((await own.delivered()).map(({ to }) => to), [ADA]);
    const reset = await own.messageOf(() => service.forgotPassword(NEW, own.context()));
    await service.resetPassword(tokenOf(reset), OTHER_PASSWORD);
    assertEquals((await accessOf(own)).sessions, 0);
    const link = await own.messageOf(() => service.sendSignInLink(NEW, own.context()));
    assertEquals((await service.signInByLink(tokenOf(link), "browser 1")).user.sub, "u1");
    const { code = "" } = await own.messageOf(() => service.sendSignInCode(NEW, own.context()));
    assertEquals((await service.signInByCode(NEW, code, own.context())).user.sub, "u1");
    const signUp = await own.messageOf(() => service.sendSignInLink(ADA, own.context()));
    const { created, user } = await service.signInByLink(tokenOf(signUp), "browser 1");
    assertEquals([created, user.identifier, user.sub === "u1"], [true, ADA, false]);
    assertEquals(
      await codeOf(() => service.changeEmail("no", ADA, own.context())),
      "unauthenticated",
    );
    await own.users.remove("u1");
    assertEquals(await own.stores.emails.findByEmail(NEW), null);
  });

  Deno.test(`accountService() on ${name}: of many racers one uses a link or a code, and one account gets an address`, async () => {
    await using engine = await open();
    const own = await withAda({ over: engine.stores });
    const { service } = own;
    const link = await own.messageOf(() => service.sendSignInLink(ADA, own.context()));
    const byLink = repeat(RACERS, () => service.signInByLink(tokenOf(link), "browser 1"));
    assertEquals(await outcomes(byLink), { made: 1, invalid_link: RACERS - 1 });
    const { code = "" } = await own.messageOf(() => service.sendSignInCode(ADA, own.context()));
    const byCode = repeat(RACERS, () => service.signInByCode(ADA, code, own.context()));
    assertEquals(await outcomes(byCode), { made: 1, invalid_code: RACERS - 1 });
    const tokens: string[] = [];
    for (const sub of ["a", "b", "c"]) {
      await own.passwords.createUser({ identifier: sub, password: PASSWORD }, { sub });
      tokens.push(tokenOf(await own.messageOf(() => service.welcome(sub, NEW, own.context()))));
    }
    const verified = ["a", "b", "c"].map((sub, i) => service.verifyEmail(tokens[i] ?? "", sub));
    assertEquals(await outcomes(verified), { made: 1, email_taken: 2 });
  });
}
