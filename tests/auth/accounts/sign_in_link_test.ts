/** Signing in by a link. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { isBrowserBound } from "../../../auth/_browser_bound.ts";
import { setDisabled } from "../_services.ts";
import { ACCESS, accessOf, giveAccess } from "./_access.ts";
import {
  ADA,
  clear,
  codeOf,
  createAccounts,
  NEW,
  NOBODY,
  OTHER_PASSWORD,
  PASSWORD,
  START,
  storedEmail,
  type TestAccounts,
  type TestAccountsOptions,
  tokenOf,
  types,
  verify,
  withAda,
} from "./_accounts.ts";

/** Asks for a link. @returns Its token. */
async function sendLink(own: TestAccounts, email: string = ADA): Promise<string> {
  return tokenOf(await own.messageOf(() => own.service.sendSignInLink(email, own.context())));
}

Deno.test("sendSignInLink() and signInByLink() sign in once, within ten minutes, in the same browser", async () => {
  for (const [seconds, isValid] of [[599, true], [600, false]] as const) {
    const own = await withAda();
    await verify(own);
    const message = await own.messageOf(() =>
      own.service.sendSignInLink("ADA@example.org", { ...own.context(), remember: true })
    );
    assertMatch(message.url ?? "", /^https:\/\/app\.example\.com\/link\?token=[\w-]{43}$/);
    const { url: _, ...members } = message;
    assertEquals(members, { kind: "sign_in_link", to: ADA, sub: "u1", expiresAt: START + 600 });
    own.clock.now += seconds;
    const finish = () => own.service.signInByLink(tokenOf(message), "browser 1");
    if (isValid) {
      const { authentication, user, created, remember } = await finish();
      const stored = await own.stores.users.findBySub("u1");
      assertEquals(authentication, {
        sub: "u1",
        securityStamp: stored?.securityStamp ?? "",
        authTime: own.clock.now,
        amr: ["email"],
      });
      assert(isBrowserBound(authentication));
      assertEquals([user.identifier, created, remember], [ADA, false, true]);
    }
    assertEquals(await codeOf(finish), "invalid_link");
  }
});

Deno.test("signInByLink() refuses another browser, and the link stays valid for the right one", async () => {
  const own = await withAda();
  const token = await sendLink(own);
  for (const browser of ["browser 2", "", undefined]) {
    assertEquals(await codeOf(() => own.service.signInByLink(token, browser)), "invalid_link");
  }
  assertEquals((await own.service.signInByLink(token, "browser 1")).user.sub, "u1");
});

Deno.test("signInByLink() with anyBrowser accepts every browser, and is then not bound to one", async () => {
  const own = await withAda({ signInLink: { page: "/link", anyBrowser: true } });
  const send = () => own.service.sendSignInLink(ADA, own.context({ browser: undefined }));
  const token = tokenOf(await own.messageOf(send));
  const { authentication } = await own.service.signInByLink(token, "browser 2");
  assertEquals([authentication.sub, isBrowserBound(authentication)], ["u1", false]);
});

Deno.test("sendSignInLink() rejects a request without a browser, and what is no address", async () => {
  const own = await withAda();
  for (const browser of [undefined, ""]) {
    const send = () => own.service.sendSignInLink(ADA, own.context({ browser }));
    assertEquals(await codeOf(send), "csrf_failed");
  }
  for (const email of ["ada", "a@b,c@d", "", `${"a".repeat(260)}@example.org`]) {
    const send = () => own.service.sendSignInLink(email, own.context());
    assertEquals(await codeOf(send), "invalid_identifier");
  }
  assertEquals([own.puts, await own.delivered()], [[], []]);
});

Deno.test("signInByLink() of an address that was not verified ends every other access", async () => {
  const own = await withAda();
  await giveAccess(own);
  const token = await sendLink(own);
  const { user, created } = await own.service.signInByLink(token, "browser 1");
  assertEquals([user.sub, created, await storedEmail(own)], ["u1", false, [ADA, true]]);
  assertEquals(Object.values(await accessOf(own)), [0, 0, 0, 0, 0, 0]);
  assertEquals(types(own.events).slice(-2), ["session.revoked", "email.verified"]);
  const login = () => own.passwords.verify({ identifier: ADA, password: PASSWORD }, NOBODY);
  assertEquals(await codeOf(login), "invalid_credentials");
});

Deno.test("signInByLink() of a verified address leaves everything as it is", async () => {
  const own = await withAda();
  await verify(own);
  await giveAccess(own);
  const before = own.events.length;
  await own.service.signInByLink(await sendLink(own), "browser 1");
  assertEquals([await accessOf(own), types(own.events.slice(before))], [ACCESS, []]);
  await own.passwords.verify({ identifier: ADA, password: PASSWORD }, NOBODY);
});

/** What happens to the account after the link was sent. */
const CHANGES:
  readonly (readonly [why: string, change: (own: TestAccounts) => Promise<unknown>])[] = [
    ["the password was reset", ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD)],
    ["the account was disabled", ({ users }) => users.disable("u1")],
    ["its disabled flag alone was set", ({ stores }) => setDisabled(stores)],
    ["the account was removed", ({ users }) => users.remove("u1")],
    ["the address was replaced: the old mailbox must not bring it back", async (own) => {
      const send = () => own.service.changeEmail("u1", NEW, own.context());
      await send();
      const [link] = await own.delivered();
      await own.service.verifyEmail(tokenOf(link), "u1", own.context());
      await own.delivered();
    }],
    ["another account verified the address", async (own) => {
      await own.passwords.createUser({ identifier: "eve", password: PASSWORD }, { sub: "u2" });
      await verify(own, "u2");
    }],
  ];

for (const [why, change] of CHANGES) {
  for (const isVerified of [true, false]) {
    if (isVerified && why.startsWith("another")) continue;
    Deno.test(`signInByLink() and signInByCode() change nothing after ${why}${isVerified ? "" : ", of an address that was not verified"}`, async () => {
      const own = await withAda();
      if (isVerified) await verify(own);
      const token = await sendLink(own);
      const send = () => own.service.sendSignInCode(ADA, own.context());
      const { code = "" } = await own.messageOf(send);
      await change(own);
      const before = [await own.stores.users.findBySub("u1"), await storedEmail(own)];
      clear(own);
      const finish = () => own.service.signInByLink(token, "browser 1");
      assertEquals(await codeOf(finish), "invalid_link");
      const enter = () => own.service.signInByCode(ADA, code, own.context());
      assertEquals(await codeOf(enter), "invalid_code");
      assertEquals([await own.stores.users.findBySub("u1"), await storedEmail(own)], before);
      assertEquals(own.events, []);
    });
  }
}

const SIGN_UP: TestAccountsOptions = {
  signInLink: { page: "/link", signUp: true },
  signInCode: { signUp: true },
};

Deno.test("signInByLink() with signUp creates an account with the address, verified", async () => {
  const own = createAccounts(SIGN_UP);
  const send = () => own.service.sendSignInLink(NEW, own.context());
  const message = await own.messageOf(send);
  assertEquals("sub" in message, false);
  assertEquals(
    (await own.stores.users.list({ limit: 5 })).length,
    0,
    "not before the link is used",
  );
  const other = await sendLink(own, NEW);
  const { created, user } = await own.service.signInByLink(tokenOf(message), "browser 1");
  assertEquals([created, user.identifier], [true, NEW]);
  assertEquals(await storedEmail(own, user.sub), [NEW, true]);
  assertEquals(types(own.events), ["user.created", "email.verified"]);
  const again = () => own.service.signInByLink(other, "browser 1");
  assertEquals(await codeOf(again), "invalid_link", "the account exists meanwhile");
  assertEquals((await own.stores.users.list({ limit: 5 })).length, 1);
});

Deno.test("signInByLink() creates no account for an address that another one verified meanwhile", async () => {
  const own = await withAda(SIGN_UP);
  const token = await sendLink(own, NEW);
  await verify(own, "u1", NEW);
  assertEquals(await codeOf(() => own.service.signInByLink(token, "browser 1")), "invalid_link");
  assertEquals((await own.stores.users.list({ limit: 5 })).length, 1);
});

for (const signUp of [false, true]) {
  Deno.test(`sendSignInLink() and sendSignInCode() ${signUp ? "with" : "without"} signUp do the same for every address`, async () => {
    const own = await withAda({ throttled: true, ...(signUp ? SIGN_UP : {}) });
    await own.passwords.createUser({ identifier: "named", password: PASSWORD }, { sub: "u2" });
    await verify(own, "u2", "named@example.org");
    await own.passwords.createUser({ identifier: "off@example.org", password: PASSWORD }, {
      sub: "u3",
    });
    await own.users.disable("u3");
    await own.passwords.createUser({ identifier: "old@example.org", password: PASSWORD }, {
      sub: "u4",
    });
    await verify(own, "u4", "new@example.org");
    for (const kind of ["sendSignInLink", "sendSignInCode"] as const) {
      const seen = new Set<string>();
      for (const name of ["ada", "named", "off", "old", "new", "nobody"]) {
        clear(own);
        await own.service[kind](`${name}@example.org`, own.context());
        const [put, ...others] = own.puts;
        assert(put !== undefined && others.length === 0);
        const { key, value, expiresAt } = put;
        const put_ = [key.length, Object.keys(value), expiresAt];
        seen.add(JSON.stringify([own.calls, put_, own.events]));
      }
      assertEquals(seen.size, 1);
      const to = (await own.delivered()).map(({ to }) => to.split("@")[0]);
      assertEquals(to, ["ada", "named", "new", ...(signUp ? ["nobody"] : [])]);
    }
  });
}

Deno.test("signInByLink() refuses what was stored for an address without an account", async () => {
  let token = "";
  const own = createAccounts({
    wrap: ({ states }) => ({
      states: {
        ...states,
        put: (key, value, expiresAt) => {
          token = key;
          return states.put(key, value, expiresAt);
        },
      },
    }),
  });
  await own.service.sendSignInLink("nobody@example.org", own.context());
  assertEquals(await own.delivered(), []);
  assertMatch(token, /^account:/, "a digest, from which no link can be made");
});

Deno.test("sendSignInLink() and signInByLink() throw if the flow is off", async () => {
  const own = createAccounts({ signInLink: undefined, signInCode: undefined });
  const { service } = own;
  await assertRejects(() => service.sendSignInLink(ADA, own.context()), TypeError, "signInLink");
  await assertRejects(() => service.signInByLink("x", "b"), TypeError, "signInLink");
  await assertRejects(() => service.sendSignInCode(ADA, own.context()), TypeError, "signInCode");
  await assertRejects(() => service.signInByCode(ADA, "1", own.context()), TypeError, "signInCode");
});
