/** Verified e-mail addresses, and addresses that are replaced. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { setDisabled, shown } from "../_services.ts";
import {
  ADA,
  codeOf,
  createAccounts,
  NEW,
  OTHER_PASSWORD,
  PASSWORD,
  refusal,
  START,
  storedEmail,
  type TestAccounts,
  tokenOf,
  types,
  verify,
  withAda,
} from "./_accounts.ts";

Deno.test("welcome() stores the address that is not the identifier, and sends its link", async () => {
  const own = createAccounts();
  await own.passwords.createUser({ identifier: "ada", password: PASSWORD }, { sub: "u1" });
  const { url = "", ...message } = await own.messageOf(() =>
    own.service.welcome("u1", " ADA@example.org", own.context({ locale: "de, en;q=0.5" }))
  );
  assertEquals(message, {
    kind: "verify_email",
    to: ADA,
    sub: "u1",
    expiresAt: START + 3_600,
    locale: "de, en;q=0.5",
  });
  assertMatch(url, /^https:\/\/app\.example\.com\/verify\?token=[\w-]{43}$/);
  assertEquals(await storedEmail(own), [ADA, false]);
  const again = await own.messageOf(() => own.service.welcome("u1", NEW, own.context()));
  assertEquals([again.to, await storedEmail(own)], [ADA, [ADA, false]], "it is not replaced");
});

Deno.test("welcome() is silent about a name without an address, and about too many messages", async () => {
  const named = createAccounts();
  await named.passwords.createUser({ identifier: "ada", password: PASSWORD }, { sub: "u1" });
  await named.service.welcome("u1", undefined, named.context());
  assertEquals(await named.delivered(), []);
  const own = await withAda({ throttled: true });
  for (let i = 0; i < 11; i++) await own.service.welcome("u1", undefined, own.context());
  assertEquals((await own.delivered()).length, 10);
});

Deno.test("welcome() sends nothing where verifyEmail is off", async () => {
  const own = await withAda({ verifyEmail: undefined });
  await own.service.welcome("u1", undefined, own.context());
  assertEquals(await own.delivered(), []);
});

/** Addresses of new accounts, with the identifier, and whether they are accepted. */
const NEW_ADDRESSES: readonly (readonly [
  why: string,
  email: unknown,
  identifier: string | undefined,
  accepted: string | undefined,
])[] = [
  ["an address in another spelling", " Ada＠Example.ORG", undefined, ADA],
  ["the address beside a name", ADA, "ada", ADA],
  ["the identifier", ADA, "ADA@example.org", ADA],
  [
    "another address than the identifier: it could be kept unverified for good",
    NEW,
    ADA,
    undefined,
  ],
  ["a name", "ada", undefined, undefined],
  ["two addresses", "a@example.org,b@example.org", undefined, undefined],
  ["a header field", "a@example.org\r\nBcc: b@example.org", undefined, undefined],
  ["an array", [ADA], undefined, undefined],
];

for (const [why, email, identifier, accepted] of NEW_ADDRESSES) {
  Deno.test(`checkEmail() ${accepted === undefined ? "rejects" : "accepts"} ${why}`, async () => {
    const { service } = createAccounts();
    if (accepted !== undefined) assertEquals(service.checkEmail(email, identifier), accepted);
    else {
      const check = () => Promise.resolve().then(() => service.checkEmail(email, identifier));
      assertEquals(await codeOf(check), "invalid_identifier");
    }
  });
}

Deno.test("sendVerification() and verifyEmail() verify the identifier, once, for an hour", async () => {
  for (const [seconds, isValid] of [[0, true], [3_599, true], [3_600, false]] as const) {
    const own = await withAda();
    const message = await own.messageOf(() => own.service.sendVerification("u1", own.context()));
    assertEquals(own.puts[0]?.expiresAt, START + 3_600);
    own.clock.now += seconds;
    const finish = () => own.service.verifyEmail(tokenOf(message), "u1");
    if (isValid) assertEquals(await finish(), { sub: "u1", email: ADA });
    assertEquals(await codeOf(finish), "invalid_link", `after ${seconds} s, or a second time`);
    assertEquals(await own.service.hasVerifiedEmail("u1"), isValid);
    assertEquals(types(own.events), isValid ? ["email.verified"] : []);
  }
});

Deno.test("sendVerification() sends nothing for a verified address", async () => {
  const own = await withAda();
  await verify(own);
  await own.service.sendVerification("u1", own.context());
  assertEquals([await own.delivered(), own.puts], [[], []]);
});

Deno.test("sendVerification() rejects a user without an address, and the eleventh message of an hour", async () => {
  const named = createAccounts();
  await named.passwords.createUser({ identifier: "ada", password: PASSWORD }, { sub: "u1" });
  for (const sub of ["u1", "nobody"]) {
    const send = () => named.service.sendVerification(sub, named.context());
    assertEquals(await codeOf(send), "email_missing");
  }
  const own = await withAda({ throttled: true });
  const send = () => own.service.sendVerification("u1", own.context());
  for (let i = 0; i < 10; i++) await send();
  assertEquals(await codeOf(send), "throttled");
  own.clock.now += 3_600;
  await send();
  assertEquals((await own.delivered()).length, 11);
});

/** What happens to an account after its link was sent. */
const CHANGES:
  readonly (readonly [why: string, change: (own: TestAccounts) => Promise<unknown>])[] = [
    ["the password was reset", ({ passwords }) => passwords.reset("u1", OTHER_PASSWORD)],
    ["the account was disabled", ({ users }) => users.disable("u1")],
    ["its disabled flag alone was set", (own) => setDisabled(own.stores)],
    ["the account was disabled and enabled", async ({ users }) => {
      await users.disable("u1");
      await users.enable("u1");
    }],
    ["the account was removed", ({ users }) => users.remove("u1")],
    ["the address was replaced", (own) => verify(own, "u1", NEW)],
    ["the identifier was changed", ({ users }) => users.changeIdentifier("u1", NEW)],
  ];

for (const [why, change] of CHANGES) {
  Deno.test(`verifyEmail() refuses a link from before ${why}`, async () => {
    const own = await withAda();
    const message = await own.messageOf(() => own.service.sendVerification("u1", own.context()));
    await change(own);
    const before = await own.stores.emails.findBySub("u1");
    assertEquals(
      await codeOf(() => own.service.verifyEmail(tokenOf(message), "u1")),
      "invalid_link",
    );
    assertEquals(await own.stores.emails.findBySub("u1"), before);
    assertEquals(await own.stores.emails.findByEmail(ADA), null);
  });
}

Deno.test("verifyEmail() has one answer for every other token", async () => {
  const own = await withAda();
  const used = tokenOf(
    await own.messageOf(() => own.service.sendVerification("u1", own.context())),
  );
  await own.service.verifyEmail(used, "u1");
  const reset = await own.messageOf(() => own.service.forgotPassword(ADA, own.context()));
  const signIn = await own.messageOf(() => own.service.sendSignInLink(ADA, own.context()));
  const odd = ["", "x", "x".repeat(43), `${used}=`, `${used}\n`, "x".repeat(1_000_000)];
  const unusual = [null, 5, [used], { toString: () => used }, undefined] as unknown as string[];
  const answers = new Set<string>();
  for (const token of [used, tokenOf(reset), tokenOf(signIn), ...odd, ...unusual]) {
    const { reason: _, ...error } = shown(
      await refusal(() => own.service.verifyEmail(token, "u1")),
    );
    answers.add(JSON.stringify(error));
  }
  assertEquals(answers.size, 1);
  await own.service.resetPassword(tokenOf(reset), OTHER_PASSWORD); // its own flow may still take it
});

Deno.test("verifyEmail() throws if both of its flows are off", async () => {
  const own = createAccounts({ verifyEmail: undefined, changeEmail: undefined });
  await assertRejects(
    () => own.service.verifyEmail("x".repeat(43), "u1"),
    TypeError,
    "verifyEmail",
  );
});

Deno.test("verifyEmail() verifies an address for the first of two accounts", async () => {
  const own = createAccounts();
  for (const sub of ["u1", "u2"]) {
    await own.passwords.createUser({ identifier: sub, password: PASSWORD }, { sub });
  }
  const links = [];
  for (const sub of ["u1", "u2"]) {
    links.push(await own.messageOf(() => own.service.welcome(sub, ADA, own.context())));
  }
  const [first, second] = links.map(tokenOf);
  assertEquals(await own.service.verifyEmail(second ?? "", "u2"), { sub: "u2", email: ADA });
  assertEquals(await codeOf(() => own.service.verifyEmail(first ?? "", "u1")), "email_taken");
  assertEquals(await storedEmail(own, "u1"), [ADA, false]);
  await own.users.remove("u2");
  assertEquals(await own.stores.emails.findByEmail(ADA), null, "it is free again");
});

Deno.test("verifyEmail() leaves no address of a user who is removed meanwhile", async () => {
  const own = await withAda({
    wrap: (stores) => ({
      emails: {
        ...stores.emails,
        async save(email, version) {
          await stores.users.delete("u1");
          return await stores.emails.save(email, version);
        },
      },
    }),
  });
  const message = await own.messageOf(() => own.service.sendVerification("u1", own.context()));
  assertEquals(await codeOf(() => own.service.verifyEmail(tokenOf(message), "u1")), "invalid_link");
  assertEquals(await own.stores.emails.findByEmail(ADA), null);
});

Deno.test("changeEmail() sends a link to the new address, and tells the old one, before and after", async () => {
  const own = await withAda();
  await verify(own);
  await own.service.changeEmail("u1", "Countess@Example.org", own.context({ locale: "de" }));
  const [link, note] = await own.delivered();
  assertEquals([link?.kind, link?.to], ["change_email", NEW]);
  assertMatch(link?.url ?? "", /^https:\/\/app\.example\.com\/change\?token=/);
  assertEquals(note, { kind: "email_changing", to: ADA, sub: "u1", locale: "de" });
  assertEquals(await storedEmail(own), [ADA, true], "nothing has changed");
  own.events.length = 0;
  const context = own.context({ locale: "fr" });
  assertEquals(await own.service.verifyEmail(tokenOf(link), "u1", context), {
    sub: "u1",
    email: NEW,
  });
  assertEquals(await storedEmail(own), [NEW, true]);
  assertEquals(await own.delivered(), [
    { kind: "email_changed", to: ADA, sub: "u1", locale: "fr" },
  ], "with waitUntil: a host may end with the response");
  assertEquals(types(own.events), ["user.identifier_changed", "email.verified", "email.changed"]);
  const { identifier } = await own.passwords.verify({ identifier: NEW, password: PASSWORD }, {
    address: undefined,
  });
  assertEquals(identifier, NEW);
});

Deno.test("changeEmail() keeps an identifier that is a name, and needs no earlier address", async () => {
  const own = createAccounts();
  await own.passwords.createUser({ identifier: "ada", password: PASSWORD }, { sub: "u1" });
  const link = await own.messageOf(() => own.service.changeEmail("u1", NEW, own.context()));
  await own.service.verifyEmail(tokenOf(link), "u1", own.context());
  assertEquals((await own.users.find("u1"))?.identifier, "ada");
  assertEquals([await storedEmail(own), await own.delivered()], [[NEW, true], []]);
});

Deno.test("changeEmail() rejects what is no address, and users who cannot sign in", async () => {
  const own = await withAda();
  for (const email of ["countess", "a@b,c@d", "a@example.org\nb"]) {
    const change = () => own.service.changeEmail("u1", email, own.context());
    assertEquals(await codeOf(change), "invalid_identifier");
  }
  await own.users.disable("u1");
  for (const sub of ["u1", "nobody"]) {
    const change = () => own.service.changeEmail(sub, NEW, own.context());
    assertEquals(await codeOf(change), "unauthenticated");
  }
  assertEquals([own.puts, await own.delivered()], [[], []]);
});

/** How another account gets the new address after the link was sent. */
const TAKEN: readonly (readonly [why: string, take: (own: TestAccounts) => Promise<unknown>])[] = [
  ["verified it", (own) => verify(own, "u2", NEW)],
  ["has it as its identifier", ({ users }) => users.changeIdentifier("u2", NEW)],
];

for (const [why, take] of TAKEN) {
  Deno.test(`changeEmail() changes nothing if another account ${why} meanwhile`, async () => {
    const own = await withAda();
    await verify(own);
    await own.passwords.createUser({ identifier: "eve", password: PASSWORD }, { sub: "u2" });
    await own.service.changeEmail("u1", NEW, own.context());
    const [link] = await own.delivered();
    await take(own);
    const finish = () => own.service.verifyEmail(tokenOf(link), "u1", own.context());
    assertEquals(await codeOf(finish), "email_taken");
    assertEquals(await storedEmail(own), [ADA, true]);
    assertEquals((await own.users.find("u1"))?.identifier, ADA, "the identifier is the old one");
    assertEquals(await own.delivered(), []);
  });
}

Deno.test("verifyEmail() does not bring back an address that is replaced between its check and its write", async () => {
  let isArmed = false;
  const own = await withAda({
    wrap: ({ emails }) => ({
      emails: {
        ...emails,
        async findBySub(sub) {
          const found = await emails.findBySub(sub);
          if (isArmed) {
            isArmed = false;
            await verify({ stores: { ...own.stores, emails } }, "u1", NEW);
          }
          return found;
        },
      },
    }),
  });
  const message = await own.messageOf(() => own.service.sendVerification("u1", own.context()));
  isArmed = true;
  assertEquals(await codeOf(() => own.service.verifyEmail(tokenOf(message), "u1")), "invalid_link");
  assertEquals(await storedEmail(own), [NEW, true]);
});
