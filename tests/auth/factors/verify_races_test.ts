/** Verifying second factors: races, and limits. */

import { assertEquals } from "@std/assert";
import { type FactorProof, totpCode } from "../../../auth/mod.ts";
import { RACERS } from "../../_effort.ts";
import { outcomes, repeat, types, waitOf } from "../_services.ts";
import { CLIENT, factors, reasonOf, START, withTotp, wrongCode } from "./_factors.ts";

// Races: both services share the stores, as two processes do.

for (const kind of ["totp", "recoveryCode"] as const) {
  Deno.test(`verify() lets one of ${RACERS} concurrent calls with one ${kind} succeed`, async () => {
    const first = await withTotp();
    const second = factors({ over: first.stores });
    second.clock.now = first.clock.now;
    const [totp, [recoveryCode = ""]] = [await first.code(), first.recoveryCodes];
    const proof = kind === "totp" ? { totp } : { recoveryCode };
    const calls = repeat(
      RACERS,
      (i) => (i % 2 === 0 ? first : second).service.verify("u1", proof, CLIENT),
    );
    assertEquals(await outcomes(calls), { made: 1, invalid_second_factor: RACERS - 1 });
    const events = [...first.events, ...second.events];
    assertEquals(types(events).filter((type) => type === "factor.used"), ["factor.used"]);
  });
}

Deno.test("verify() lets concurrent calls use ten recovery codes and two codes of the app once each", async () => {
  const { service, clock, code, recoveryCodes } = await withTotp();
  const proofs: FactorProof[] = recoveryCodes.map((recoveryCode) => ({ recoveryCode }));
  const all = [...proofs, ...proofs, ...proofs, { totp: await code() }, { totp: await code() }];
  const made = await outcomes(all.map((proof) => service.verify("u1", proof, CLIENT)));
  assertEquals(made, { made: 11, invalid_second_factor: 21 });
  assertEquals((await service.list("u1")).recoveryCodes, 0);
  assertEquals(clock.now, START + 30);
});

Deno.test("verify() and regenerateRecoveryCodes() together leave only new codes", async () => {
  const { service, recoveryCodes } = await withTotp();
  const calls = recoveryCodes.map((recoveryCode) => service.verify("u1", { recoveryCode }, CLIENT));
  const [next] = await Promise.all([
    service.regenerateRecoveryCodes("u1"),
    Promise.allSettled(calls),
  ]);
  assertEquals((await service.list("u1")).recoveryCodes, 10);
  for (const recoveryCode of next) await service.verify("u1", { recoveryCode }, CLIENT);
});

Deno.test("confirmTotp() gives recovery codes to one of 8 concurrent calls", async () => {
  const own = factors();
  const { secret } = await own.service.enrolTotp("u1", "ada");
  const code = await totpCode(secret, START);
  const calls = repeat(8, () => own.service.confirmTotp("u1", code));
  assertEquals(await outcomes(calls), { made: 1, invalid_second_factor: 7 });
  assertEquals(types(own.events).filter((type) => type !== "factor.failed"), [
    "factor.added",
    "recovery_codes.created",
  ]);
});

Deno.test("verify() gives up on a store that never saves", async () => {
  let asked: number | undefined;
  const { service, recoveryCodes: [recoveryCode = ""] } = await withTotp({
    wrap: (store) => ({
      ...store,
      save(next, expected) {
        if (asked === undefined) return store.save(next, expected);
        asked++;
        return Promise.resolve("lost");
      },
    }),
  });
  asked = 0;
  const made = await outcomes([service.verify("u1", { recoveryCode }, CLIENT)]);
  assertEquals([made, asked], [{ service_unavailable: 1 }, 20]);
});

// Limits.

Deno.test("verify() counts attempts before it compares codes: of many guesses five are made", async () => {
  const { service, secret, clock, events, code } = await withTotp({ throttled: true });
  const wrong = await wrongCode(secret, clock.now);
  const calls = repeat(RACERS, () => service.verify("u1", { totp: wrong }, CLIENT));
  assertEquals(await outcomes(calls), { throttled: RACERS - 5, invalid_second_factor: 5 });
  assertEquals(types(events).filter((type) => type === "factor.failed").length, 5);
  const right = async () => await service.verify("u1", { totp: await code() }, CLIENT);
  assertEquals(await waitOf(right), 30, "the right code has to wait, too");
  clock.now += 29;
  assertEquals(await waitOf(right), 1);
  clock.now += 1;
  await right();
});

Deno.test("verify() waits of 30 s doubling to an hour, per account, whatever the address and the kind", async () => {
  const { service, clock, events } = await withTotp({ throttled: true });
  const proofs: FactorProof[] = [{ totp: "" }, { recoveryCode: "" }];
  const attempt = (i: number) =>
    service.verify("u1", proofs[i % 2] as FactorProof, { address: `198.51.100.${i}` });
  for (let i = 0; i < 5; i++) assertEquals(await reasonOf(() => attempt(i)), "code_wrong");
  for (const [i, wait] of [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600].entries()) {
    assertEquals(await waitOf(() => attempt(i)), wait);
    clock.now += wait;
    assertEquals(await reasonOf(() => attempt(i)), "code_wrong");
  }
  assertEquals(await reasonOf(() => service.verify("u2", { totp: "" }, CLIENT)), "factor_missing");
  const throttled = events.filter(({ type }) => type === "login.throttled");
  const [first] = throttled;
  const event = { type: "login.throttled", attempt: "factor", retryAfter: 30 } as const;
  assertEquals(first, { ...event, at: START + 30, address: "198.51.100.0" });
});

Deno.test("verify() begins a new count after a success, and after a day without an attempt", async () => {
  for (const isLater of [false, true]) {
    const { service, clock, code, recoveryCodes } = await withTotp({ throttled: true });
    const fail = () => reasonOf(() => service.verify("u1", { totp: "" }, CLIENT));
    for (let i = 0; i < 4; i++) await fail();
    if (isLater) clock.now += 86_400;
    else await service.verify("u1", { totp: await code() }, CLIENT);
    for (let i = 0; i < 5; i++) assertEquals(await fail(), "code_wrong");
    assertEquals(await waitOf(() => service.verify("u1", { totp: "" }, CLIENT)), 30);
    clock.now += 30;
    const [recoveryCode = ""] = recoveryCodes;
    await service.verify("u1", { recoveryCode }, CLIENT);
    for (let i = 0; i < 5; i++) assertEquals(await fail(), "code_wrong");
  }
});

Deno.test("verify() of concurrent right calls succeeds once also where attempts are limited", async () => {
  const { service, code } = await withTotp({ throttled: true });
  const totp = await code();
  const made = await outcomes(repeat(RACERS, () => service.verify("u1", { totp }, CLIENT)));
  const { made: successes, invalid_second_factor: refused = 0, throttled = 0 } = made as Record<
    string,
    number
  >;
  assertEquals(successes, 1);
  assertEquals(refused + throttled, RACERS - 1);
});
