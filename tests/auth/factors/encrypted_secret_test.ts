/** What is stored of second factors: nothing that a thief of the database could use. */

import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { totpCode } from "../../../auth/mod.ts";
import { CLIENT, factors, OTHER_SECRET, reasonOf, SECRET, START, withTotp } from "./_factors.ts";

Deno.test("enrolTotp() and confirmTotp() store neither secret nor codes", async () => {
  const { stores, secret, recoveryCodes, service, code } = await withTotp();
  const pending = await service.enrolTotp("u1", "ada");
  const totp = await code();
  await service.verify("u1", { totp }, CLIENT);
  const text = JSON.stringify(await stores.factors.find("u1"));
  const bare = recoveryCodes.map((one) => one.replace("-", ""));
  for (const one of [secret, pending.secret, totp, ...recoveryCodes, ...bare]) {
    assertFalse(text.includes(one), one);
    assertFalse(text.toLowerCase().includes(one.toLowerCase()), one);
    assertFalse(text.includes(btoa(one).replace(/=+$/, "")), one);
  }
});

Deno.test("verify() does not accept the record of another user", async () => {
  const { stores, service, code, recoveryCodes, warnings } = await withTotp();
  const found = await stores.factors.find("u1");
  assert(found !== null);
  await stores.factors.save({ ...found, sub: "u2" }, null);
  const totp = await code();
  assertEquals(await reasonOf(() => service.verify("u2", { totp }, CLIENT)), "secret_unreadable");
  const [recoveryCode = ""] = recoveryCodes;
  assertEquals(await reasonOf(() => service.verify("u2", { recoveryCode }, CLIENT)), "code_wrong");
  assertEquals(warnings.length, 1);
  assertFalse(warnings.some((text) => text.includes("u2")));
});

Deno.test("verify() encrypts again what an older secret encrypted, and then needs that no more", async () => {
  const first = await withTotp();
  const before = await first.stores.factors.find("u1");
  const rotated = factors({ over: first.stores, secret: [OTHER_SECRET, SECRET] });
  rotated.clock.now = first.clock.now;
  await rotated.service.verify("u1", { totp: await first.code() }, CLIENT);
  const after = await first.stores.factors.find("u1");
  assert(before?.totp?.secret !== after?.totp?.secret);
  const later = factors({ over: first.stores, secret: OTHER_SECRET });
  later.clock.now = first.clock.now + 30;
  const totp = await first.code(later.clock.now);
  await later.service.verify("u1", { totp }, CLIENT);
  const unchanged = await first.stores.factors.find("u1");
  assertEquals(unchanged?.totp?.secret, after?.totp?.secret);
  first.clock.now = later.clock.now + 30;
  const old = async () => await first.service.verify("u1", { totp: await first.code() }, CLIENT);
  assertEquals(await reasonOf(old), "secret_unreadable");
});

Deno.test("confirmTotp() encrypts again what an older secret encrypted", async () => {
  const { service, stores } = factors();
  const { secret } = await service.enrolTotp("u1", "ada");
  const rotated = factors({ over: stores, secret: [OTHER_SECRET, SECRET] });
  await rotated.service.confirmTotp("u1", await totpCode(secret, START));
  const later = factors({ over: stores, secret: OTHER_SECRET });
  later.clock.now += 30;
  await later.service.verify("u1", { totp: await totpCode(secret, later.clock.now) }, CLIENT);
});

Deno.test("verify() accepts recovery codes after the application's secret was lost", async () => {
  const { stores, recoveryCodes } = await withTotp();
  const { service } = factors({ over: stores, secret: OTHER_SECRET });
  const [recoveryCode = ""] = recoveryCodes;
  await service.verify("u1", { recoveryCode }, CLIENT);
});

for (const text of ["", "a", "a.b", "a.b.c", "!.!.!", "....", "AAAA.AAAA.AAAA"]) {
  Deno.test(`verify() rejects the stored secret ${JSON.stringify(text)}`, async () => {
    const { stores, service, code } = await withTotp();
    const found = await stores.factors.find("u1");
    assert(found?.totp !== undefined);
    const next = { ...found, totp: { ...found.totp, secret: text } };
    assertEquals(await stores.factors.save(next, found.version), "saved");
    const verify = async () => await service.verify("u1", { totp: await code() }, CLIENT);
    if (text === "") return void await assertRejects(verify, TypeError, "secret");
    assertEquals(await reasonOf(verify), "secret_unreadable");
  });
}
