/** Setting up an authenticator: pending, confirmed, replaced, removed. */

import { assert, assertEquals, assertFalse, assertMatch, assertRejects } from "@std/assert";
import { type FactorFailure, totpCode } from "../../../auth/mod.ts";
import { types } from "../_services.ts";
import { CLIENT, createUser, factors, reasonOf, START, withTotp, wrongCode } from "./_factors.ts";

Deno.test("enrolTotp() returns a secret of 160 bits and its URI, which counts for nothing yet", async () => {
  const { service, events } = factors();
  const { secret, uri } = await service.enrolTotp("u1", "ada@example.org");
  assertMatch(secret, /^[A-Z2-7]{32}$/);
  const query = `secret=${secret}&issuer=Acme&algorithm=SHA1&digits=6&period=30`;
  assertEquals(uri, `otpauth://totp/Acme:ada%40example.org?${query}`);
  assertFalse(await service.has("u1"));
  assertEquals(await service.list("u1"), { totp: undefined, recoveryCodes: 0 });
  const totp = await totpCode(secret, START);
  assertEquals(await reasonOf(() => service.verify("u1", { totp }, CLIENT)), "factor_missing");
  assertEquals(types(events), ["factor.failed"]);
});

Deno.test("confirmTotp() confirms the authenticator, and returns ten recovery codes", async () => {
  const { service, events } = factors();
  const { secret } = await service.enrolTotp("u1", "ada");
  const { recoveryCodes } = await service.confirmTotp("u1", await totpCode(secret, START));
  assertEquals(new Set(recoveryCodes).size, 10);
  assertEquals(await service.list("u1"), { totp: { confirmedAt: START }, recoveryCodes: 10 });
  assert(await service.has("u1"));
  assertEquals(events, [
    { type: "factor.added", at: START, sub: "u1", kind: "totp" },
    { type: "recovery_codes.created", at: START, sub: "u1" },
  ]);
});

Deno.test("confirmTotp() uses the code up", async () => {
  const { service } = factors();
  const { secret } = await service.enrolTotp("u1", "ada");
  const totp = await totpCode(secret, START);
  await service.confirmTotp("u1", totp);
  assertEquals(await reasonOf(() => service.confirmTotp("u1", totp)), "factor_missing");
  assertEquals(await reasonOf(() => service.verify("u1", { totp }, CLIENT)), "code_reused");
});

/** When the first code comes, in seconds after the secret was created. */
const LATER: readonly (readonly [seconds: number, reason: FactorFailure | undefined])[] = [
  [0, undefined],
  [-300, undefined], // by the clock of another process
  [599, undefined],
  [600, "enrolment_expired"],
  [601, "enrolment_expired"],
  [86_400, "enrolment_expired"],
];

for (const [seconds, reason] of LATER) {
  Deno.test(`confirmTotp() ${reason ? "rejects" : "accepts"} a code after ${seconds} s`, async () => {
    const { service, clock, events } = factors();
    const { secret } = await service.enrolTotp("u1", "ada");
    clock.now += seconds;
    const confirm = async () => await service.confirmTotp("u1", await totpCode(secret, clock.now));
    if (reason === undefined) return void await confirm();
    assertEquals(await reasonOf(confirm), reason);
    assertEquals(events, [{
      type: "factor.failed",
      at: clock.now,
      sub: "u1",
      kind: "totp",
      reason,
    }]);
    assertFalse(await service.has("u1"));
  });
}

Deno.test("confirmTotp() rejects wrong codes, and the right one is still accepted", async () => {
  const { service } = factors();
  const { secret } = await service.enrolTotp("u1", "ada");
  const wrong = await wrongCode(secret, START);
  const right = await totpCode(secret, START);
  for (const code of [wrong, "", right.slice(1), `${right}0`, 7, null, undefined, [right]]) {
    assertEquals(await reasonOf(() => service.confirmTotp("u1", code as string)), "code_wrong");
  }
  assertEquals(await reasonOf(() => service.confirmTotp("u2", right)), "factor_missing");
  await service.confirmTotp("u1", ` ${right.slice(0, 3)} ${right.slice(3)} `);
});

Deno.test("enrolTotp() leaves the confirmed authenticator valid until the next one is confirmed", async () => {
  const { service, clock, code, recoveryCodes } = await withTotp();
  const { secret } = await service.enrolTotp("u1", "ada");
  await service.verify("u1", { totp: await code() }, CLIENT);
  const [recoveryCode = ""] = recoveryCodes;
  await service.verify("u1", { recoveryCode }, CLIENT);
  const next = await totpCode(secret, clock.now);
  assertEquals(await reasonOf(() => service.verify("u1", { totp: next }, CLIENT)), "code_wrong");
  assertEquals(await service.confirmTotp("u1", next), { recoveryCodes: [] });
  assertEquals(await service.list("u1"), { totp: { confirmedAt: clock.now }, recoveryCodes: 9 });
  clock.now += 30;
  const [old, now] = [await code(), await totpCode(secret, clock.now)];
  assertEquals(await reasonOf(() => service.verify("u1", { totp: old }, CLIENT)), "code_wrong");
  await service.verify("u1", { totp: now }, CLIENT);
});

Deno.test("enrolTotp() replaces a secret that was not confirmed", async () => {
  const { service } = factors();
  const first = await service.enrolTotp("u1", "ada");
  const second = await service.enrolTotp("u1", "ada");
  const [old, code] = [await totpCode(first.secret, START), await totpCode(second.secret, START)];
  assertEquals(await reasonOf(() => service.confirmTotp("u1", old)), "code_wrong");
  await service.confirmTotp("u1", code);
});

Deno.test("confirmTotp() creates recovery codes if none is left", async () => {
  const { service, clock, recoveryCodes } = await withTotp();
  for (const recoveryCode of recoveryCodes) await service.verify("u1", { recoveryCode }, CLIENT);
  assertEquals((await service.list("u1")).recoveryCodes, 0);
  assert(await service.has("u1"));
  const { secret } = await service.enrolTotp("u1", "ada");
  const next = await service.confirmTotp("u1", await totpCode(secret, clock.now));
  assertEquals(next.recoveryCodes.length, 10);
  assertEquals(next.recoveryCodes.filter((code) => recoveryCodes.includes(code)), []);
});

Deno.test("regenerateRecoveryCodes() replaces all codes together", async () => {
  const { service, events, clock, recoveryCodes } = await withTotp();
  const next = await service.regenerateRecoveryCodes("u1");
  assertEquals(events, [{ type: "recovery_codes.created", at: clock.now, sub: "u1" }]);
  assertEquals((await service.list("u1")).recoveryCodes, 10);
  for (const recoveryCode of recoveryCodes) {
    const verify = () => service.verify("u1", { recoveryCode }, CLIENT);
    assertEquals(await reasonOf(verify), "code_wrong");
  }
  for (const recoveryCode of next) await service.verify("u1", { recoveryCode }, CLIENT);
});

Deno.test("regenerateRecoveryCodes() needs a confirmed authenticator", async () => {
  const { service } = factors();
  await service.enrolTotp("u1", "ada");
  for (const sub of ["u1", "u2"]) {
    assertEquals(await reasonOf(() => service.regenerateRecoveryCodes(sub)), "factor_missing");
  }
});

Deno.test("remove() deletes the authenticator and the recovery codes", async () => {
  const { service, stores, events, clock, code, recoveryCodes } = await withTotp();
  assertEquals(await service.remove("u1"), true);
  assertEquals(events, [{ type: "factor.removed", at: clock.now, sub: "u1", kind: "totp" }]);
  assertEquals(await stores.factors.find("u1"), null);
  assertFalse(await service.has("u1"));
  const [recoveryCode = ""] = recoveryCodes;
  for (const proof of [{ totp: await code() }, { recoveryCode }]) {
    assertEquals(await reasonOf(() => service.verify("u1", proof, CLIENT)), "factor_missing");
  }
  assertEquals(await service.remove("u1"), false);
});

Deno.test("remove() deletes a record that cannot be read", async () => {
  let isBroken = false;
  const { service, stores } = await withTotp({
    wrap: (store) => ({
      ...store,
      async find(sub) {
        const found = await store.find(sub);
        const recoveryCodes = "[]" as unknown as readonly string[];
        return isBroken && found !== null ? { ...found, recoveryCodes } : found;
      },
    }),
  });
  isBroken = true;
  await assertRejects(() => service.has("u1"), TypeError, "recoveryCodes");
  assertEquals(await service.remove("u1"), true);
  assertEquals(await stores.factors.find("u1"), null);
});

// Users.

Deno.test("enrolTotp(), confirmTotp() and verify() refuse users who are disabled or deleted", async () => {
  const { service, stores, code, recoveryCodes } = await withTotp({ withUsers: true });
  const [recoveryCode = ""] = recoveryCodes;
  const calls = [
    () => service.enrolTotp("u1", "ada"),
    async () => await service.confirmTotp("u1", await code()),
    () => service.regenerateRecoveryCodes("u1"),
    async () => await service.verify("u1", { totp: await code() }, CLIENT),
    () => service.verify("u1", { recoveryCode }, CLIENT),
  ];
  const { version = "" } = await stores.users.findBySub("u1") ?? {};
  await stores.users.update("u1", version, { disabled: true, securityStamp: "s2" });
  for (const call of calls) assertEquals(await reasonOf(call), "user_refused");
  assertEquals((await service.list("u1")).recoveryCodes, 10, "nothing was used up");
  await stores.users.delete("u1");
  for (const call of calls) assertEquals(await reasonOf(call), "user_refused");
});

Deno.test("enrolTotp() leaves no record if the user is deleted meanwhile", async () => {
  const own = factors({
    withUsers: true,
    wrap: (store) => ({
      ...store,
      async save(next, expected) {
        await own.stores.factors.delete("u1");
        await own.stores.users.delete("u1");
        return await store.save(next, expected);
      },
    }),
  });
  await createUser(own.stores);
  assertEquals(await reasonOf(() => own.service.enrolTotp("u1", "ada")), "user_refused");
  assertEquals(await own.stores.factors.find("u1"), null);
});

Deno.test("enrolTotp() rejects accounts that no app can show, and stores nothing", async () => {
  const { service, stores } = factors();
  for (const account of ["", undefined, 7, "\ud800"]) {
    await assertRejects(() => service.enrolTotp("u1", account as string), TypeError, "account");
  }
  assertEquals(await stores.factors.find("u1"), null);
  await service.enrolTotp("u1", "team:ada");
});
