/** Forgotten passwords. */

import { assert, assertEquals } from "@std/assert";
import {
  ADA,
  clear,
  CLIENT,
  codeOf,
  createAccounts,
  NEW,
  NOBODY,
  OTHER_PASSWORD,
  PASSWORD,
  START,
  storedEmail,
  type TestAccounts,
  tokenOf,
  types,
  verify,
  withAda,
} from "./_accounts.ts";
import { ACCESS, accessOf, giveAccess } from "./_access.ts";

/** Asks for a link, and uses it. */
async function reset(own: TestAccounts, password: string = OTHER_PASSWORD): Promise<void> {
  const message = await own.messageOf(() => own.service.forgotPassword(ADA, own.context()));
  await own.service.resetPassword(tokenOf(message), password);
}

Deno.test("forgotPassword() sends a link to the account's address, whatever of both is given", async () => {
  const own = createAccounts();
  await own.passwords.createUser({ identifier: "ada", password: PASSWORD }, { sub: "u1" });
  await verify(own);
  for (const identifier of ["ada", "ADA ", ADA, "Ada＠Example.org"]) {
    const { url: _, ...message } = await own.messageOf(() =>
      own.service.forgotPassword(identifier, own.context())
    );
    assertEquals(message, { kind: "reset_password", to: ADA, sub: "u1", expiresAt: START + 1_800 });
  }
});

Deno.test("resetPassword() replaces the password once, within 30 minutes", async () => {
  for (const [seconds, isValid] of [[1_799, true], [1_800, false]] as const) {
    const own = await withAda();
    const message = await own.messageOf(() => own.service.forgotPassword(ADA, own.context()));
    own.clock.now += seconds;
    const finish = () => own.service.resetPassword(tokenOf(message), OTHER_PASSWORD);
    if (isValid) await finish();
    assertEquals(await codeOf(finish), "invalid_link");
    const password = isValid ? OTHER_PASSWORD : PASSWORD;
    await own.passwords.verify({ identifier: ADA, password }, NOBODY);
    assertEquals(await own.service.hasVerifiedEmail("u1"), isValid, "the mailbox is proven");
  }
});

Deno.test("resetPassword() leaves the link valid if the password is too weak", async () => {
  const own = await withAda();
  const message = await own.messageOf(() => own.service.forgotPassword(ADA, own.context()));
  for (const password of ["short", "", ADA, null as unknown as string]) {
    const finish = () => own.service.resetPassword(tokenOf(message), password);
    assertEquals(await codeOf(finish), "weak_password");
  }
  assertEquals(types(own.events), []);
  own.clock.now += 1_799;
  await own.service.resetPassword(tokenOf(message), OTHER_PASSWORD);
});

Deno.test("resetPassword() makes every other link and code invalid", async () => {
  const own = await withAda();
  const send = {
    reset: () => own.service.forgotPassword(ADA, own.context()),
    verify: () => own.service.sendVerification("u1", own.context()),
    link: () => own.service.sendSignInLink(ADA, own.context()),
    code: () => own.service.sendSignInCode(ADA, own.context()),
  };
  const sent = {
    reset: tokenOf(await own.messageOf(send.reset)),
    verify: tokenOf(await own.messageOf(send.verify)),
    link: tokenOf(await own.messageOf(send.link)),
    code: (await own.messageOf(send.code)).code ?? "",
  };
  await reset(own);
  const { service } = own;
  assertEquals(await codeOf(() => service.resetPassword(sent.reset, PASSWORD)), "invalid_link");
  assertEquals(await codeOf(() => service.verifyEmail(sent.verify, "u1")), "invalid_link");
  assertEquals(await codeOf(() => service.signInByLink(sent.link, "browser 1")), "invalid_link");
  const enter = () => service.signInByCode(ADA, sent.code, own.context());
  assertEquals(await codeOf(enter), "invalid_code");
});

/** What gives access to an account, and what is left of it after a reset. */
const LEFT: readonly (readonly [isVerified: boolean, left: object])[] = [
  [true, { sessions: 0, refreshTokens: 0, apiKeys: 0, passkeys: 0, identities: 1, factors: 1 }],
  [false, { sessions: 0, refreshTokens: 0, apiKeys: 0, passkeys: 0, identities: 0, factors: 0 }],
];

for (const [isVerified, left] of LEFT) {
  const what = isVerified ? "sessions, tokens, API keys and passkeys" : "all other access";
  Deno.test(`resetPassword() ends ${what} of an account whose address was${isVerified ? "" : " not"} verified`, async () => {
    const own = await withAda();
    if (isVerified) await verify(own);
    await giveAccess(own);
    assertEquals(await accessOf(own), ACCESS);
    await reset(own);
    assertEquals(await accessOf(own), left);
    assertEquals(await storedEmail(own), [ADA, true]);
  });
}

Deno.test("resetPassword() that fails at the store leaves an address that is not verified, so that a new link repeats it", async () => {
  const broken = { identities: true };
  const own = await withAda({
    wrap: ({ identities }) => ({
      identities: {
        ...identities,
        list: (sub) =>
          broken.identities ? Promise.reject(new Error("store is down")) : identities.list(sub),
      },
    }),
  });
  await giveAccess(own);
  await reset(own).catch((error) => assertEquals(error.message, "store is down"));
  assertEquals(await own.service.hasVerifiedEmail("u1"), false);
  broken.identities = false;
  await reset(own, PASSWORD);
  assertEquals(await accessOf(own), LEFT[1]?.[1]);
  assert(await own.service.hasVerifiedEmail("u1"));
});

Deno.test("forgotPassword() sends one address ten messages an hour, by whatever names it is asked for", async () => {
  const own = createAccounts({ throttled: true });
  for (let i = 0; i < 4; i++) {
    await own.passwords.createUser({ identifier: `n${i}`, password: PASSWORD }, { sub: `u${i}` });
    await own.stores.emails.save({ sub: `u${i}`, email: ADA }, null);
  }
  for (let i = 0; i < 40; i++) {
    const client = { address: `192.0.2.${i + 1}` };
    await own.service.forgotPassword(`n${i % 4}`, own.context({ client }));
  }
  const messages = await own.delivered();
  assertEquals([messages.length, new Set(messages.map(({ to }) => to)).size], [10, 1]);
  const eleventh = () => own.service.forgotPassword("n0", own.context());
  assertEquals(await codeOf(eleventh), "throttled", "as for a name that nobody has");
});

Deno.test("forgotPassword() does the same for known, unknown and disabled accounts, and those without an address", async () => {
  const own = createAccounts({ throttled: true });
  const users = [["ada", ADA], ["eve", "eve@example.org"], ["unset", undefined]] as const;
  for (const [identifier, email] of users) {
    await own.passwords.createUser({ identifier, password: PASSWORD }, { sub: identifier });
    if (email !== undefined) await verify(own, identifier, email);
  }
  await own.passwords.createUser({ identifier: NEW, password: PASSWORD }, { sub: "new" });
  await own.users.disable("eve");
  const seen = new Set<string>();
  const given = ["ada", ADA, NEW, "eve", "eve@example.org", "unset", "nobody", "no@example.org"];
  for (const identifier of given) {
    clear(own);
    await own.service.forgotPassword(identifier, own.context());
    const [put, ...others] = own.puts;
    assert(put !== undefined && others.length === 0);
    const { key, value, expiresAt } = put;
    seen.add(JSON.stringify([own.calls, key.length, Object.keys(value), expiresAt, own.events]));
  }
  assertEquals(seen.size, 1);
  assertEquals((await own.delivered()).map(({ to }) => to), [ADA, ADA, NEW]);
});

Deno.test("forgotPassword() counts a name that nobody has like any other", async () => {
  for (const identifier of [ADA, "no@example.org", "nobody"]) {
    const own = await withAda({ throttled: true });
    const forgot = () => own.service.forgotPassword(identifier, own.context({ client: CLIENT }));
    for (let i = 0; i < 10; i++) await forgot();
    assertEquals(await codeOf(forgot), "throttled", identifier);
  }
});
