/** Signing in by a code. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { isBrowserBound } from "../../../auth/_browser_bound.ts";
import { repeat } from "../_services.ts";
import {
  ADA,
  CLIENT,
  codeOf,
  NEW,
  START,
  storedEmail,
  type TestAccounts,
  verify,
  withAda,
  wrongCode,
} from "./_accounts.ts";

/** Asks for a code in a browser. */
async function sendCode(own: TestAccounts, browser: string = "browser 1"): Promise<string> {
  const send = () => own.service.sendSignInCode(ADA, own.context({ browser }));
  return (await own.messageOf(send)).code ?? "";
}

/** What a code is answered with. */
async function enter(own: TestAccounts, code: unknown, browser = "browser 1"): Promise<string> {
  try {
    return (await own.service.signInByCode(ADA, code as string, own.context({ browser }))).user.sub;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

Deno.test("sendSignInCode() and signInByCode() sign in once, within ten minutes", async () => {
  for (const [seconds, isValid] of [[599, true], [600, false]] as const) {
    const own = await withAda();
    const { code = "", ...message } = await own.messageOf(() =>
      own.service.sendSignInCode(ADA, { ...own.context(), remember: true })
    );
    assertEquals(message, { kind: "sign_in_code", to: ADA, sub: "u1", expiresAt: START + 600 });
    assertMatch(code, /^\d{6}$/);
    own.clock.now += seconds;
    if (isValid) {
      const finish = () => own.service.signInByCode(" Ada@Example.org", code, own.context());
      const { authentication, remember } = await finish();
      assertEquals([authentication.sub, authentication.amr, remember], ["u1", ["email"], true]);
      assert(isBrowserBound(authentication));
      assertEquals(await storedEmail(own), [ADA, true]);
    }
    assertEquals(await enter(own, code), "invalid_code");
  }
});

Deno.test("signInByCode() accepts the code after four wrong ones, and not after five", async () => {
  for (const count of [4, 5]) {
    const own = await withAda();
    const code = await sendCode(own);
    for (let i = 0; i < count; i++) {
      assertEquals(
        await enter(own, wrongCode({ code, kind: "sign_in_code", to: ADA })),
        "invalid_code",
      );
    }
    assertEquals(await enter(own, code), count === 4 ? "u1" : "invalid_code");
  }
});

Deno.test("signInByCode() refuses other forms of the code, and counts each as wrong", async () => {
  const own = await withAda();
  for (
    const form of [
      (code: string) => ` ${code}`,
      (code: string) => `${code}\n`,
      (code: string) =>
        [...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join(""),
      (code: string) => Number(code),
      (code: string) => [code],
      () => "",
      () => null,
    ]
  ) {
    const code = await sendCode(own);
    assertEquals(await enter(own, form(code)), "invalid_code");
    assertEquals(await enter(own, code), "u1");
  }
});

Deno.test("signInByCode() accepts a code in the browser that asked for it, for its address", async () => {
  const own = await withAda();
  const code = await sendCode(own);
  assertEquals(await enter(own, code, "browser 2"), "invalid_code");
  const other = () => own.service.signInByCode(NEW, code, own.context());
  assertEquals(await codeOf(other), "invalid_code");
  const none = () => own.service.signInByCode(ADA, code, own.context({ browser: undefined }));
  assertEquals(await codeOf(none), "csrf_failed");
  assertEquals(await enter(own, code), "u1", "none of them used it up");
});

Deno.test("sendSignInCode() replaces the code of the same browser only", async () => {
  const own = await withAda();
  await verify(own);
  const other = await sendCode(own, "browser 2");
  const first = await sendCode(own);
  let second = await sendCode(own);
  if (second === first) second = await sendCode(own);
  assertNotEquals(first, second);
  assertEquals(await enter(own, first), "invalid_code");
  assertEquals(await enter(own, second), "u1");
  assertEquals(await enter(own, other, "browser 2"), "u1");
});

Deno.test("sendSignInCode() draws codes of six digits from the whole range", async () => {
  const own = await withAda();
  const codes = [];
  for (let i = 0; i < 200; i++) codes.push(await sendCode(own));
  assert(codes.every((code) => /^\d{6}$/.test(code)));
  assert(new Set(codes).size > 190);
  for (let place = 0; place < 6; place++) {
    assert(new Set(codes.map((code) => code[place])).size === 10, `digit ${place}`);
  }
});

Deno.test("signInByCode() limits guesses at one address over all browsers, codes and clients; a success resets it", async () => {
  const own = await withAda({ throttled: true });
  const guess = async (i: number) => {
    const context = own.context({ client: { address: `192.0.2.${i}` }, browser: `${i}` });
    await own.service.sendSignInCode(ADA, context);
    return await codeOf(() => own.service.signInByCode(ADA, "x", context));
  };
  const code = await sendCode(own);
  const answers = [];
  for (const i of repeat(6, (index) => index)) answers.push(await guess(i));
  assertEquals(answers, [...repeat(5, () => "invalid_code"), "throttled"]);
  const mine = () => own.service.signInByCode(ADA, code, own.context());
  assertEquals(await codeOf(mine), "throttled");
  own.clock.now += 60;
  assertEquals((await mine()).user.sub, "u1", "the code was not used up");
  assertEquals(await guess(7), "invalid_code");
  await own.delivered();
});

Deno.test("signInByCode() counts no try in a browser without a code: nobody is locked out by strangers", async () => {
  const own = await withAda({ throttled: true });
  const code = await sendCode(own);
  for (const i of repeat(20, (index) => index)) {
    const context = own.context({ client: { address: `192.0.2.${i}` }, browser: `${i}` });
    assertEquals(
      await codeOf(() => own.service.signInByCode(ADA, "000000", context)),
      "invalid_code",
    );
  }
  assertEquals((await own.service.signInByCode(ADA, code, own.context())).user.sub, "u1");
});

Deno.test("sendSignInCode() and sendSignInLink() share ten messages an hour to one address", async () => {
  const own = await withAda({ throttled: true });
  for (const address of [ADA, "nobody@example.org"]) {
    for (let i = 0; i < 10; i++) {
      const client = { address: `192.0.2.${i}` };
      const send = i % 2 === 0 ? own.service.sendSignInCode : own.service.sendSignInLink;
      await send(address, own.context({ client }));
    }
    for (const send of [own.service.sendSignInCode, own.service.sendSignInLink]) {
      assertEquals(await codeOf(() => send(address, own.context({ client: CLIENT }))), "throttled");
    }
    const forgot = () => own.service.forgotPassword(address, own.context());
    assertEquals(await codeOf(forgot), "throttled");
  }
  assertEquals((await own.delivered()).length, 10);
});
