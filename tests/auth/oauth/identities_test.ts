import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import {
  AuthError,
  identityService,
  type IdentityServiceOptions,
  userService,
} from "../../../auth/mod.ts";
import type { AuthStores, OAuthResult } from "../../../auth/mod.ts";
import { accounts, resultOf, usersOf } from "./_identities.ts";
import { failure, NOW } from "./_sign_in.ts";

const APPLE: Partial<OAuthResult> = { provider: "apple", issuer: "https://appleid.apple.com" };

Deno.test("resolve() creates an account with the verified address, then finds it", async () => {
  const own = accounts();
  const first = await own.service.resolve(resultOf());
  assertEquals([first.account, first.user.identifier], ["created", "ada@example.org"]);
  const { securityStamp, ...members } = first.authentication;
  assertEquals(members, {
    sub: first.user.sub,
    authTime: NOW - 5,
    amr: ["pwd"],
    provider: { name: "google", issuer: "https://accounts.google.com" },
  });
  assertEquals(securityStamp, (await own.stores.users.findBySub(first.user.sub))?.securityStamp);
  const again = await own.service.resolve(resultOf({ sid: "s-1", acr: "aal2" }));
  assertEquals([again.account, again.user.sub], ["known", first.user.sub]);
  assertEquals(again.authentication.provider?.sid, "s-1");
  assertEquals(again.authentication.acr, "aal2");
  assertEquals(own.events.map(({ type }) => type), [
    "user.created",
    "oauth.completed",
    "oauth.completed",
  ]);
});

/** Profiles whose address does not become the identifier. */
const UNVERIFIED: readonly (readonly [why: string, profile: OAuthResult["profile"]])[] = [
  ["an unverified address", { subject: "g-1", email: "ada@example.org", emailVerified: false }],
  ["no address", { subject: "g-1", emailVerified: false }],
  ["an address that cannot identify a user", {
    subject: "g-1",
    email: "a@b@c",
    emailVerified: true,
  }],
];

for (const [why, profile] of UNVERIFIED) {
  Deno.test(`resolve() with ${why} creates an account whose identifier nobody can type`, async () => {
    const { user } = await accounts().service.resolve(resultOf({ profile }));
    assertEquals(user.identifier, `google:${user.sub}`);
  });
}

Deno.test("resolve() does not link an account that has the same address, verified or not", async () => {
  const own = accounts();
  await own.stores.users.create({
    sub: "victim",
    identifier: "ada@example.org",
    securityStamp: "s",
    createdAt: NOW,
  });
  const expected = ["identifier_unavailable", "identifier_taken"];
  assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
  assertEquals(await own.service.list("victim"), []);
  assertEquals(await usersOf(own), ["ada@example.org"]);
  await own.stores.users.delete("victim");
  assertEquals(
    (await own.service.resolve(resultOf())).account,
    "created",
    "nothing is left of the attempt",
  );
});

Deno.test("resolve() tells identities apart by issuer and subject, exactly", async () => {
  const { service } = accounts();
  const profile = { subject: "g-1", emailVerified: false };
  const rows = [
    resultOf({ profile }),
    resultOf({ profile, issuer: "https://accounts.google.com/" }),
    resultOf({ profile, ...APPLE }),
    resultOf({ profile: { ...profile, subject: "G-1" } }),
    resultOf({ profile: { ...profile, subject: "1" }, issuer: "https://accounts.google.comg-" }),
  ];
  const subs = new Set<string>();
  for (const result of rows) subs.add((await service.resolve(result)).user.sub);
  assertEquals(subs.size, rows.length);
});

Deno.test("resolve() creates one account of 50 concurrent first sign-ins", async () => {
  const own = accounts();
  const resolved = await Promise.all(
    Array.from({ length: 50 }, () => own.service.resolve(resultOf())),
  );
  assertEquals(new Set(resolved.map(({ user }) => user.sub)).size, 1);
  assertEquals(await usersOf(own), ["ada@example.org"]);
  assertEquals(own.events.filter(({ type }) => type === "user.created").length, 1);
});

Deno.test("resolve() of results that share an address creates one account, and refuses the other", async () => {
  const own = accounts();
  const results = [resultOf(), resultOf(APPLE)].map((result) => own.service.resolve(result));
  const outcomes = await Promise.allSettled(results);
  assertEquals(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  assertEquals(await usersOf(own), ["ada@example.org"]);
});

/** Stores that fail at the n-th call. */
function failingAt(
  count: number,
): { wrap: (stores: AuthStores) => AuthStores; calls: () => number } {
  let calls = 0;
  const guard = <Store extends object>(store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...args: unknown[]) => {
          if (++calls === count) return Promise.reject(new Error("store is down"));
          return method.apply(target, args);
        };
      },
    });
  return {
    wrap: (stores) => ({
      ...stores,
      identities: guard(stores.identities),
      users: guard(stores.users),
    }),
    calls: () => calls,
  };
}

Deno.test("resolve() that is interrupted after any step is completed by the next one", async () => {
  const whole = failingAt(Infinity);
  const { service } = accounts({ wrap: whole.wrap });
  await service.resolve(resultOf());
  assert(whole.calls() >= 5);
  for (let count = 1; count <= whole.calls(); count++) {
    const { wrap } = failingAt(count);
    const own = accounts({ wrap });
    await own.service.resolve(resultOf()).catch(() => {});
    const { user } = await own.service.resolve(resultOf());
    assertEquals(await usersOf(own), ["ada@example.org"], `call ${count}`);
    assertEquals((await own.service.list(user.sub)).length, 1, `call ${count}`);
    assertEquals((await own.service.resolve(resultOf())).user.sub, user.sub);
  }
});

Deno.test("resolve() asks the function for registration once, and does what it says", async () => {
  const asked: string[] = [];
  const own = accounts({
    registration: ({ profile }) => {
      asked.push(profile.subject);
      return profile.subject === "g-1"
        ? { do: "create", identifier: "Countess" }
        : { do: "refuse" };
    },
  });
  const { user } = await own.service.resolve(resultOf());
  assertEquals(user.identifier, "countess");
  await own.service.resolve(resultOf());
  assertEquals(asked, ["g-1"], "not for a known identity");
  const other = resultOf({ profile: { subject: "g-2", emailVerified: false } });
  const expected = ["identity_unknown", "registration_closed"];
  assertEquals(await failure(() => own.service.resolve(other, { registration: "open" })), expected);
  assertEquals(await usersOf(own), ["countess"]);
});

Deno.test("resolve() creates nothing where registration is closed, unless the service says open", async () => {
  const closed = accounts();
  const expected = ["identity_unknown", "registration_closed"];
  const refused = () => closed.service.resolve(resultOf(), { registration: "closed" });
  assertEquals(await failure(refused), expected);
  assertEquals(await usersOf(closed), []);
  const open = accounts({ registration: "open" });
  assertEquals(
    (await open.service.resolve(resultOf(), { registration: "closed" })).account,
    "created",
  );
});

Deno.test("resolve() rejects a disabled account", async () => {
  const own = accounts();
  const { user } = await own.service.resolve(resultOf());
  await userService(own.stores).disable(user.sub);
  const expected = ["access_denied", "user_disabled"];
  assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
});

Deno.test("resolve() rejects an identity whose removal has begun", async () => {
  const own = accounts();
  const { user } = await own.service.resolve(resultOf());
  const [identity] = await own.service.list(user.sub);
  const { version = "" } = await own.stores.users.findBySub(user.sub) ?? {};
  await own.stores.users.update(user.sub, version, { pendingRemoval: `identity:${identity?.id}` });
  const expected = ["identity_unknown", "registration_closed"];
  assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
});

Deno.test("resolve() of a removed user creates a new account", async () => {
  const own = accounts();
  const first = await own.service.resolve(resultOf());
  await userService(own.stores).remove(first.user.sub);
  assertEquals(await own.service.list(first.user.sub), []);
  const second = await own.service.resolve(resultOf());
  assertEquals(second.account, "created");
  assertFalse(second.user.sub === first.user.sub);
});

Deno.test("resolve() does not bring back an account that is removed after its identity was read", async () => {
  const own = accounts({
    wrap: (stores) => ({
      ...stores,
      identities: {
        ...stores.identities,
        async find(id) {
          const found = await stores.identities.find(id);
          if (isRemoving && found !== null) {
            isRemoving = false;
            await userService(stores).remove(found.sub);
          }
          return found;
        },
      },
    }),
  });
  let isRemoving = false;
  const { user } = await own.service.resolve(resultOf());
  isRemoving = true;
  const expected = ["service_unavailable", "update_conflict"];
  assertEquals(await failure(() => own.service.resolve(resultOf())), expected);
  assertEquals(await own.stores.users.findBySub(user.sub), null);
  assertEquals((await own.service.resolve(resultOf())).account, "created");
});

Deno.test("resolve() takes results of a client only", async () => {
  const copy = { ...resultOf() };
  await assertRejects(() => accounts().service.resolve(copy), TypeError);
});

Deno.test("list() returns identities without tokens, the last used one first", async () => {
  const own = accounts({ keepTokens: true });
  const { user } = await own.service.resolve(resultOf());
  const { session } = await own.sessions.create(
    (await own.service.resolve(resultOf())).authentication,
  );
  own.clock.now += 100;
  await own.service.resolve(resultOf({
    ...APPLE,
    profile: { subject: "a-1", emailVerified: false, name: "Countess" },
    link: { sub: user.sub, sessionId: session.id },
  }));
  const found = await own.service.list(user.sub);
  assertEquals(found.map(({ id: _, ...members }) => members), [
    {
      provider: "apple",
      issuer: "https://appleid.apple.com",
      linkedAt: NOW + 100,
      usedAt: NOW + 100,
      label: "Countess",
    },
    {
      provider: "google",
      issuer: "https://accounts.google.com",
      linkedAt: NOW,
      usedAt: NOW,
      label: "Ada@Example.org",
    },
  ]);
});

Deno.test("resolve() records the use at most once a minute, and what the provider says now", async () => {
  const own = accounts();
  const { user } = await own.service.resolve(resultOf());
  const used = async () => (await own.service.list(user.sub))[0];
  own.clock.now += 59;
  await own.service.resolve(resultOf());
  assertEquals((await used())?.usedAt, NOW);
  own.clock.now += 1;
  await own.service.resolve(resultOf());
  assertEquals((await used())?.usedAt, NOW + 60);
  const renamed = resultOf({ profile: { subject: "g-1", emailVerified: false } });
  assertEquals((await own.service.resolve(renamed)).user.identifier, "ada@example.org");
  assertEquals((await used())?.label, undefined);
});

/** Options that are rejected. */
const REJECTED: readonly (readonly [why: string, options: object])[] = [
  ["no identities", { identities: undefined }],
  ["no users", { users: undefined }],
  ["no sessions", { sessions: undefined }],
  ["an unknown registration", { registration: "invited" }],
  ["keepTokens that is no boolean", { keepTokens: "yes" }],
  ["keepTokens without keys", { keepTokens: true }],
  ["an unknown option", { linkByEmail: true }],
];

for (const [why, options] of REJECTED) {
  Deno.test(`identityService() rejects ${why}`, () => {
    const { stores, sessions } = accounts();
    const { identities, users } = stores;
    const all = { identities, users, sessions, ...options } as IdentityServiceOptions;
    assertThrows(() => identityService(all), TypeError);
  });
}

Deno.test("resolve() passes on errors of a store, and is no sign-in", async () => {
  const { wrap } = failingAt(1);
  const own = accounts({ wrap });
  const error = await assertRejects(() => own.service.resolve(resultOf()), Error);
  assertFalse(error instanceof AuthError);
  assertEquals(own.events, []);
});
