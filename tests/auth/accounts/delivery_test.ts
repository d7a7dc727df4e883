/** Delivery of messages, apart from the request. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import type { AccountMessage } from "../../../auth/mod.ts";
import { ADA, refusal, type TestAccounts, tokenOf, withAda } from "./_accounts.ts";

/** An account service whose messages fail some times. */
async function failing(count: number, fail: () => void | Promise<void>): Promise<
  { readonly own: TestAccounts; readonly attempts: AccountMessage[] }
> {
  const attempts: AccountMessage[] = [];
  const own = await withAda({
    deliver: (message) => {
      attempts.push(message);
      if (attempts.length <= count) return fail();
    },
  });
  return { own, attempts };
}

Deno.test("deliver() that throws once is called again after a second, and the request does not notice", async () => {
  const { own, attempts } = await failing(1, () => {
    throw new Error("smtp.example: 550 no such user");
  });
  const begin = performance.now();
  await own.service.forgotPassword(ADA, own.context());
  assertEquals(attempts, [], "not in the request");
  await own.delivered();
  assert(performance.now() - begin >= 990);
  assertEquals(attempts.length, 2);
  assertEquals(attempts[0], attempts[1]);
  assertEquals(own.events.map(({ at: _, ...event }) => event), [
    { type: "delivery.failed", kind: "reset_password", gaveUp: false, sub: "u1" },
  ]);
  assertEquals(own.warnings, ["Cannot deliver message: reset_password"]);
  await own.service.resetPassword(tokenOf(attempts[0]), "seven green bottles on a wall");
});

Deno.test("deliver() that rejects twice is given up, without the secret in events and warnings", async () => {
  const { own, attempts } = await failing(2, () => Promise.reject(new Error("down")));
  await own.service.sendSignInLink(ADA, own.context());
  await own.delivered();
  assertEquals(
    own.events.map((event) => event.type === "delivery.failed" && event.gaveUp),
    [false, true],
  );
  const told = JSON.stringify([own.events, own.warnings]);
  assertFalse(told.includes(tokenOf(attempts[0])) || told.includes(ADA));
});

Deno.test("deliver() that never settles does not delay the request", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { own, attempts } = await failing(1, () => promise);
  await own.service.forgotPassword(ADA, own.context());
  const deliveries: Promise<void>[] = [];
  await own.service.forgotPassword(
    ADA,
    own.context({ waitUntil: (one) => void deliveries.push(one) }),
  );
  await deliveries[0];
  assertEquals(attempts.length, 2);
  resolve();
  await own.delivered();
});

Deno.test("deliver() is not called for unknown accounts, nor is waitUntil", async () => {
  const { own, attempts } = await failing(0, () => {});
  let waited = 0;
  const context = own.context({ waitUntil: () => void waited++ });
  await own.service.forgotPassword("nobody", context);
  await own.service.sendSignInLink("nobody@example.org", context);
  await own.service.sendSignInCode("nobody@example.org", context);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals([attempts, waited], [[], 0]);
});

Deno.test("deliver() gets Accept-Language as it is, and no member for an empty one", async () => {
  const { own, attempts } = await failing(0, () => {});
  for (const locale of ["de-AT, de;q=0.9", "", null, undefined]) {
    await own.service.forgotPassword(ADA, own.context({ locale }));
  }
  await own.delivered();
  assertEquals(attempts.map(({ locale }) => locale), [
    "de-AT, de;q=0.9",
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(attempts.map((message) => "locale" in message), [true, false, false, false]);
});

Deno.test("deliver() is not called if the store fails, and the request does", async () => {
  const own = await withAda({
    wrap: ({ states }) => ({
      states: { ...states, put: () => Promise.reject(new Error("store is down")) },
    }),
  });
  for (const identifier of [ADA, "nobody"]) {
    const outcome = await own.service.forgotPassword(identifier, own.context())
      .then(() => "sent", (error) => error.message);
    assertEquals(outcome, "store is down", "for known and unknown accounts alike");
  }
  assertEquals(await own.delivered(), []);
  assertEquals((await refusal(() => own.service.resetPassword("x", "y"))).code, "invalid_link");
});
