/** Verified e-mail addresses of identities, and accounts that are linked by them. */

import { assertEquals, assertThrows } from "@std/assert";
import { identityService, inMemoryAuthStores, userService } from "../../../auth/mod.ts";
import type { AuthStores, OAuthResult } from "../../../auth/mod.ts";
import { type Accounts, accounts, resultOf, usersOf } from "./_identities.ts";
import { failure, NOW } from "./_sign_in.ts";

const MAIL = "ada@example.org";

/** A local account, `victim`, that has the address. */
async function withLocal(
  own: Accounts,
  isVerified: boolean,
  identifier: string = MAIL,
): Promise<void> {
  const { users, emails } = own.stores;
  await users.create({ sub: "victim", identifier, securityStamp: "s", createdAt: NOW });
  const email = { sub: "victim", email: MAIL, ...(isVerified ? { verifiedAt: NOW } : {}) };
  await emails.save(email, null);
}

const TAKEN = "identifier_unavailable";

/** What becomes of a sign-in, by the provider's word, the account's, and the option. */
const ROWS: readonly (readonly [
  provider: boolean,
  account: boolean,
  option: boolean,
  outcome: string,
])[] = [
  [true, true, true, "linked"],
  [true, true, false, TAKEN],
  [true, false, true, TAKEN], // RP31, pre-hijacking: anybody may have registered the address
  [true, false, false, TAKEN],
  [false, true, true, "created"], // anybody may say the address to some providers
  [false, true, false, "created"],
  [false, false, true, "created"],
  [false, false, false, "created"],
];

for (const [provider, account, linkByVerifiedEmail, outcome] of ROWS) {
  const say = (isVerified: boolean) => isVerified ? "verified" : "unverified";
  const name = `${say(provider)} at the provider, ${say(account)} here, ` +
    `${linkByVerifiedEmail ? "with" : "without"} linkByVerifiedEmail`;
  Deno.test(`[RP31] resolve() of an address that is ${name}: ${outcome}`, async () => {
    const own = accounts({ linkByVerifiedEmail });
    await withLocal(own, account);
    const profile = { subject: "g-1", email: "Ada＠Example.org", emailVerified: provider };
    const resolve = () => own.service.resolve(resultOf({ profile }));
    if (outcome === TAKEN) {
      assertEquals(await failure(resolve), [TAKEN, "identifier_taken"]);
      assertEquals(await own.service.list("victim"), []);
      assertEquals(own.events.some(({ type }) => type === "identity.linked"), false);
      return;
    }
    const { user, account: found } = await resolve();
    const isLinked = outcome === "linked";
    assertEquals([user.sub === "victim", found], [isLinked, isLinked ? "known" : "created"]);
    assertEquals((await own.service.list("victim")).length, isLinked ? 1 : 0);
    assertEquals((await own.stores.emails.findByEmail(MAIL))?.sub, account ? "victim" : undefined);
    assertEquals((await resolve()).user.sub, user.sub, "found by issuer and subject from now on");
  });
}

Deno.test("resolve() with linkByVerifiedEmail links once, and tells it", async () => {
  const own = accounts({ linkByVerifiedEmail: true, registration: "closed" });
  await withLocal(own, true, "ada");
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => own.service.resolve(resultOf())),
  );
  assertEquals(new Set(outcomes.map(({ user }) => user.sub)), new Set(["victim"]));
  assertEquals((await own.service.list("victim")).length, 1);
  assertEquals(await usersOf(own), ["ada"]);
});

Deno.test("resolve() with linkByVerifiedEmail does not move an identity that has an account", async () => {
  const own = accounts({ linkByVerifiedEmail: true });
  const profile = { subject: "g-1", emailVerified: false };
  const first = await own.service.resolve(resultOf({ profile }));
  await withLocal(own, true);
  const again = await own.service.resolve(resultOf());
  assertEquals([again.user.sub, again.account], [first.user.sub, "known"]);
  assertEquals(await own.service.list("victim"), []);
});

Deno.test("resolve() with linkByVerifiedEmail links nothing to a disabled account", async () => {
  const own = accounts({ linkByVerifiedEmail: true });
  await withLocal(own, true);
  await userService(own.stores).disable("victim");
  const expected = ["access_denied", "user_disabled"];
  assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
  assertEquals(await own.service.list("victim"), []);
});

/** What happens to the account while the identity is stored. */
const MEANWHILE:
  readonly (readonly [what: string, change: (stores: AuthStores) => Promise<void>])[] = [
    ["is removed", (stores) => userService(stores).remove("victim")],
    ["gets another address", async ({ emails }) => {
      const { version = "" } = await emails.findBySub("victim") ?? {};
      await emails.save({ sub: "victim", email: "new@example.org", verifiedAt: NOW }, version);
    }],
  ];

for (const [what, change] of MEANWHILE) {
  Deno.test(`resolve() with linkByVerifiedEmail links nothing to an account that ${what} meanwhile`, async () => {
    const own = accounts({
      linkByVerifiedEmail: true,
      wrap: (stores) => ({
        ...stores,
        identities: {
          ...stores.identities,
          async create(identity) {
            if (identity.sub === "victim") await change(stores);
            return await stores.identities.create(identity);
          },
        },
      }),
    });
    await withLocal(own, true, "ada");
    const expected = ["service_unavailable", "update_conflict"];
    assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
    assertEquals(await own.service.list("victim"), []);
    const { user } = await own.service.resolve(resultOf());
    assertEquals([user.sub === "victim", user.identifier], [false, MAIL]);
  });
}

Deno.test("resolve() with linkByVerifiedEmail links nothing if the address moves to another account meanwhile", async () => {
  const own = accounts({
    linkByVerifiedEmail: true,
    wrap: (stores) => ({
      ...stores,
      identities: {
        ...stores.identities,
        async create(identity) {
          const { emails, users } = stores;
          if (identity.sub === "victim") {
            await emails.delete("victim");
            await users.create({
              sub: "u2",
              identifier: "eve",
              securityStamp: "s",
              createdAt: NOW,
            });
            await emails.save({ sub: "u2", email: MAIL, verifiedAt: NOW }, null);
          }
          return await stores.identities.create(identity);
        },
      },
    }),
  });
  await withLocal(own, true, "ada");
  const expected = ["service_unavailable", "update_conflict"];
  assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
  assertEquals(await own.service.list("victim"), []);
  assertEquals((await own.service.resolve(resultOf())).user.sub, "u2");
});

/** Addresses of new accounts. */
const NEW: readonly (readonly [
  why: string,
  profile: OAuthResult["profile"],
  saved: string | undefined,
])[] = [
  ["a verified address", { subject: "g-1", email: "Ada@Example.org", emailVerified: true }, MAIL],
  ["an unverified address", { subject: "g-1", email: MAIL, emailVerified: false }, undefined],
  ["no address", { subject: "g-1", emailVerified: true }, undefined],
  ["a name in its place", { subject: "g-1", email: "ada", emailVerified: true }, undefined],
  ["two addresses", { subject: "g-1", email: "a@b,c@d", emailVerified: true }, undefined],
];

for (const [why, profile, saved] of NEW) {
  Deno.test(`resolve() of a new account with ${why} saves ${saved ?? "none"}`, async () => {
    const own = accounts();
    const { user } = await own.service.resolve(resultOf({ profile }));
    const stored = await own.stores.emails.findBySub(user.sub);
    assertEquals(stored?.email, saved);
    assertEquals(stored?.verifiedAt, saved === undefined ? undefined : NOW);
  });
}

Deno.test("resolve() of a new account does not save an address that another account has verified", async () => {
  const own = accounts();
  await withLocal(own, true, "ada");
  const { user, account } = await own.service.resolve(resultOf());
  assertEquals(account, "created");
  assertEquals(await own.stores.emails.findBySub(user.sub), null);
  assertEquals((await own.stores.emails.findByEmail(MAIL))?.sub, "victim");
});

Deno.test("identityService() rejects linkByVerifiedEmail without addresses, or that is no boolean", () => {
  const { identities, users, emails } = inMemoryAuthStores();
  const sessions = { list: () => Promise.resolve([]), revokeByProvider: () => Promise.resolve(0) };
  const given = { identities, users, sessions };
  assertThrows(() => identityService({ ...given, linkByVerifiedEmail: true }), TypeError, "emails");
  const odd = { ...given, emails, linkByVerifiedEmail: "yes" as unknown as boolean };
  assertThrows(() => identityService(odd), TypeError, "boolean");
});
