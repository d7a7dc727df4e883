/** Sign-ins with a second factor: races, and limits. */

import { assert, assertEquals } from "@std/assert";
import { RACERS } from "../../_effort.ts";
import { outcomes, repeat, waitOf } from "../_services.ts";
import { CLIENT, codeOf, complete, enrolled, scene } from "./_sign_in.ts";

Deno.test(`complete() lets one of ${RACERS} concurrent calls with one ticket succeed`, async () => {
  const own = await enrolled();
  const second = scene({ over: own.stores, clock: own.clock });
  const ticket = await own.ticket();
  const totp = await own.code();
  const calls = repeat(
    RACERS,
    (i) => (i % 2 === 0 ? own : second).service.complete(ticket, { totp }, CLIENT),
  );
  assertEquals(await outcomes(calls), { made: 1, mfa_expired: RACERS - 1 });
});

Deno.test(`complete() lets one of ${RACERS} tickets succeed with one code`, async () => {
  const own = await enrolled();
  const tickets = await Promise.all(repeat(RACERS, () => own.ticket()));
  const totp = await own.code();
  const calls = tickets.map((ticket) => own.service.complete(ticket, { totp }, CLIENT));
  assertEquals(await outcomes(calls), { made: 1, invalid_second_factor: RACERS - 1 });
});

Deno.test(`complete() compares at most five of ${RACERS} concurrent guesses with one ticket`, async () => {
  const own = await enrolled();
  const ticket = await own.ticket();
  const totp = await own.wrong();
  const calls = repeat(RACERS, () => own.service.complete(ticket, { totp }, CLIENT));
  await Promise.allSettled(calls);
  const compared = own.events.filter(({ type }) => type === "factor.failed").length;
  assert(compared >= 1 && compared <= 5, `${compared}`);
});

Deno.test("complete() limits guesses per account, and does not count them against the ticket", async () => {
  const own = await enrolled({ throttled: true, two: true });
  const ticket = await own.ticket();
  const totp = await own.wrong();
  for (let i = 0; i < 5; i++) {
    const other = await own.ticket();
    await codeOf(() => own.service.complete(other, { totp }, { address: `192.0.2.${i + 9}` }));
  }
  const wait = await waitOf(() => complete(own, ticket));
  assertEquals(wait, 30);
  for (let i = 0; i < 6; i++) await waitOf(() => complete(own, ticket));
  await complete(own, await own.ticket("u2"), "u2"); // other accounts are not limited
  own.clock.now += 30;
  await complete(own, ticket);
});
