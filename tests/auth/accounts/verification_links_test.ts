/** Whose links verify an address, and which of several. */

import { assertEquals } from "@std/assert";
import { PASSWORD } from "../_services.ts";
import { ADA, codeOf, NEW, storedEmail, tokenOf, withAda } from "./_accounts.ts";

Deno.test("verifyEmail() refuses the link of another account, and leaves it valid for its own", async () => {
  const own = await withAda();
  await own.passwords.createUser({ identifier: "eve", password: PASSWORD }, { sub: "u2" });
  // Eve registers Ada's address, and Ada opens the link while she is signed in to her own account
  const link = await own.messageOf(() => own.service.welcome("u2", ADA, own.context()));
  assertEquals(await codeOf(() => own.service.verifyEmail(tokenOf(link), "u1")), "invalid_link");
  assertEquals(await own.stores.emails.findByEmail(ADA), null);
  assertEquals(await own.service.verifyEmail(tokenOf(link), "u2"), { sub: "u2", email: ADA });
});

Deno.test("verifyEmail() completes one of several changes of address", async () => {
  const own = await withAda();
  const change = async (email: string): Promise<string> => {
    await own.service.changeEmail("u1", email, own.context());
    return tokenOf((await own.delivered()).find(({ kind }) => kind === "change_email"));
  };
  const [first, second] = [await change(NEW), await change("other@example.org")];
  assertEquals(await own.service.verifyEmail(second, "u1", own.context()), {
    sub: "u1",
    email: "other@example.org",
  });
  assertEquals(await codeOf(() => own.service.verifyEmail(first, "u1")), "invalid_link");
  assertEquals(await storedEmail(own), ["other@example.org", true]);
  assertEquals((await own.delivered()).map(({ kind }) => kind), ["email_changed"]);
});
