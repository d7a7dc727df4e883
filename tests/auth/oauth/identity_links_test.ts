import { assertEquals } from "@std/assert";
import type { OAuthResult, ResolvedIdentity } from "../../../auth/mod.ts";
import { type Accounts, accounts, resultOf } from "./_identities.ts";
import { failure, NOW } from "./_sign_in.ts";

const APPLE: Partial<OAuthResult> = {
  provider: "apple",
  issuer: "https://appleid.apple.com",
  profile: { subject: "a-1", emailVerified: false },
};

/** A user who is signed in with Google. */
async function signedIn(own: Accounts, subject = "g-1") {
  const profile = { subject, emailVerified: false };
  const { authentication, user } = await own.service.resolve(resultOf({ profile }));
  const { session } = await own.sessions.create(authentication);
  return { sub: user.sub, sessionId: session.id };
}

function link(own: Accounts, to: OAuthResult["link"], members = APPLE): Promise<ResolvedIdentity> {
  return own.service.resolve(resultOf({ ...members, link: to }));
}

Deno.test("resolve() links an identity to the account that began it", async () => {
  const own = accounts();
  const ada = await signedIn(own);
  assertEquals((await link(own, ada)).account, "linked");
  assertEquals((await own.service.list(ada.sub)).map(({ provider }) => provider), [
    "google",
    "apple",
  ]);
  const { account, user } = await own.service.resolve(resultOf(APPLE));
  assertEquals([account, user.sub], ["known", ada.sub]);
  assertEquals(own.events.filter(({ type }) => type === "identity.linked").length, 1);
  assertEquals((await link(own, ada)).account, "linked", "again");
  assertEquals(own.events.filter(({ type }) => type === "identity.linked").length, 1);
});

Deno.test("resolve() links where registration is closed", async () => {
  const own = accounts();
  const ada = await signedIn(own);
  const result = resultOf({ ...APPLE, link: ada });
  assertEquals((await own.service.resolve(result, { registration: "closed" })).account, "linked");
});

Deno.test("resolve() does not link an identity of another account", async () => {
  const own = accounts();
  const [ada, eve] = [await signedIn(own), await signedIn(own, "g-2")];
  await link(own, ada);
  assertEquals(await failure(() => link(own, eve)), ["identity_taken", "identity_taken"]);
  assertEquals((await own.service.list(eve.sub)).length, 1);
  assertEquals((await own.service.list(ada.sub)).length, 2);
});

Deno.test("resolve() of two links at once links one", async () => {
  const own = accounts();
  const users = [await signedIn(own), await signedIn(own, "g-2")];
  const outcomes = await Promise.allSettled(users.map((user) => link(own, user)));
  assertEquals(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
});

Deno.test("resolve() does not link after the user signed out, or another signed in", async () => {
  const own = accounts();
  const ended = ["oauth_failed", "link_session_ended"];
  const ada = await signedIn(own);
  await own.sessions.revoke(ada.sub, ada.sessionId);
  assertEquals(await failure(() => link(own, ada)), ended);
  const eve = await signedIn(own, "g-2");
  assertEquals(await failure(() => link(own, { ...eve, sub: ada.sub })), ended);
  assertEquals(await failure(() => link(own, { ...eve, sessionId: "unknown" })), ended);
  assertEquals(await failure(() => link(own, { ...eve, sessionId: "" })), ended);
  assertEquals(await own.stores.identities.list(ada.sub).then((all) => all.length), 1);
});

Deno.test("resolve() does not link after the session expired, or the password changed", async () => {
  const own = accounts();
  const ended = ["oauth_failed", "link_session_ended"];
  const ada = await signedIn(own);
  own.clock.now = NOW + 3_600;
  assertEquals(await failure(() => link(own, ada)), ended);
  const again = await signedIn(own);
  const { version = "" } = await own.stores.users.findBySub(again.sub) ?? {};
  await own.stores.users.update(again.sub, version, { securityStamp: "new" });
  assertEquals(await failure(() => link(own, again)), ended);
});

Deno.test("resolve() leaves no identity of a user who was removed during the link", async () => {
  const own = accounts({
    wrap: (stores) => ({
      ...stores,
      identities: {
        ...stores.identities,
        async create(identity) {
          const outcome = await stores.identities.create(identity);
          if (identity.provider === "apple") await stores.users.delete(identity.sub);
          return outcome;
        },
      },
    }),
  });
  const ada = await signedIn(own);
  assertEquals(await failure(() => link(own, ada)), ["oauth_failed", "link_session_ended"]);
  assertEquals((await own.stores.identities.list(ada.sub)).map(({ provider }) => provider), [
    "google",
  ]);
});

Deno.test("unlink() removes an identity of the user, but not the last way to sign in", async () => {
  const own = accounts();
  const ada = await signedIn(own);
  await link(own, ada);
  const eve = await signedIn(own, "g-2");
  const [google, apple] = await own.service.list(ada.sub);
  assertEquals(await own.service.unlink(eve.sub, apple?.id ?? ""), false);
  assertEquals(await own.service.unlink(ada.sub, "unknown"), false);
  assertEquals(await own.service.unlink(ada.sub, apple?.id ?? ""), true);
  assertEquals(await failure(() => own.service.unlink(ada.sub, google?.id ?? "")), [
    "last_way_in",
    undefined,
  ]);
  assertEquals((await own.service.list(ada.sub)).length, 1);
  const unlinked = own.events.filter(({ type }) => type === "identity.unlinked");
  assertEquals(unlinked, [{ type: "identity.unlinked", at: NOW, sub: ada.sub, provider: "apple" }]);
  assertEquals((await own.sessions.list(ada.sub)).length, 1, "the session stays");
});

Deno.test("unlink() of the last two ways at once leaves one", async () => {
  for (let round = 0; round < 20; round++) {
    const own = accounts();
    const ada = await signedIn(own);
    await link(own, ada);
    const ids = (await own.service.list(ada.sub)).map(({ id }) => id);
    await Promise.allSettled(ids.map((id) => own.service.unlink(ada.sub, id)));
    assertEquals((await own.service.list(ada.sub)).length, 1);
  }
});

Deno.test("unlink() counts the password and passkeys as ways to sign in", async () => {
  const own = accounts();
  const ada = await signedIn(own);
  const [google] = await own.service.list(ada.sub);
  const { version = "" } = await own.stores.users.findBySub(ada.sub) ?? {};
  await own.stores.users.update(ada.sub, version, { passwordHash: "hash" });
  assertEquals(await own.service.unlink(ada.sub, google?.id ?? ""), true);
});

Deno.test("endSessions() ends the sessions that a logout token names, and no others", async () => {
  const own = accounts();
  const issuer = "https://accounts.google.com";
  async function session(subject: string, sid?: string, members: Partial<OAuthResult> = {}) {
    const profile = { subject, emailVerified: false };
    const result = resultOf({ profile, ...(sid === undefined ? {} : { sid }), ...members });
    const { authentication } = await own.service.resolve(result);
    return (await own.sessions.create(authentication)).token;
  }
  const rows: Record<string, string> = {
    first: await session("g-1", "s-1"),
    second: await session("g-1", "s-2"),
    none: await session("g-1"),
    other: await session("g-2", "s-1"),
    apple: await session("g-1", "s-1", { issuer: "https://appleid.apple.com", provider: "apple" }),
  };
  async function alive() {
    const found = [];
    for (const [name, token] of Object.entries(rows)) {
      if (await own.sessions.verify(token) !== undefined) found.push(name);
    }
    return found;
  }
  assertEquals(await own.service.endSessions({ issuer, subject: "unknown", sid: "s-1" }), 0);
  assertEquals(await own.service.endSessions({ issuer: `${issuer}/`, sid: "s-1" }), 0);
  assertEquals(await own.service.endSessions({ issuer }), 0);
  assertEquals((await alive()).length, 5);
  assertEquals(await own.service.endSessions({ issuer, subject: "g-1", sid: "s-1" }), 1);
  assertEquals(await alive(), ["second", "none", "other", "apple"]);
  assertEquals(await own.service.endSessions({ issuer, sid: "s-1" }), 1);
  assertEquals(await alive(), ["second", "none", "apple"]);
  assertEquals(await own.service.endSessions({ issuer, subject: "g-1" }), 2);
  assertEquals(await alive(), ["apple"]);
});
