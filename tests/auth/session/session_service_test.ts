import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import type { NewSession } from "../../../auth/session/types.ts";
import type { Session } from "../../../auth/stores/types.ts";
import {
  createServices,
  repeat,
  type Services,
  type ServicesOptions,
  setDisabled,
  START,
  types,
} from "../_services.ts";

const STAMPED = { sub: "u1", securityStamp: "s1", authTime: START - 5, amr: ["pwd", "otp"] };

Deno.test("create() makes a token of 256 random bits, and keeps its digest alone", async () => {
  const kept: Session[] = [];
  const services = await withUser({
    wrap: ({ sessions }) => ({
      sessions: {
        ...sessions,
        create(session) {
          kept.push(session);
          return sessions.create(session);
        },
      },
    }),
  });
  const userAgent = "Mozilla/5.0";
  const { token, session } = await services.sessions.create(
    { ...STAMPED, acr: "urn:example:aal2" },
    { userAgent },
  );
  assertMatch(token, /^[\w-]{43}$/);
  assertMatch(session.id, /^[\w-]{22}$/);
  const info = {
    id: session.id,
    sub: "u1",
    createdAt: START,
    activeAt: START,
    expiresAt: START + 86_400,
    authTime: START - 5,
    amr: ["pwd", "otp"],
    acr: "urn:example:aal2",
    userAgent,
  };
  assertEquals(session, info);
  const tokenHash = await digestText(token);
  assertMatch(tokenHash, /^[\w-]{43}$/);
  assertEquals(kept, [{ ...info, tokenHash, securityStamp: "s1" }]);
  assert(!JSON.stringify(kept).includes(token));
  assertEquals(services.events, [
    { type: "session.created", at: START, sub: "u1", sessionId: session.id },
  ]);
});

Deno.test("create() makes another token and another identifier each time", async () => {
  const { sessions } = await withUser();
  const begun = await Promise.all(repeat(20, () => sessions.create(STAMPED)));
  assertEquals(new Set(begun.map(({ token }) => token)).size, 20);
  assertEquals(new Set(begun.map(({ session }) => session.id)).size, 20);
  for (const { token, session } of begun) assert(!token.includes(session.id.slice(0, 8)));
  for (const { token, session } of begun) {
    assertEquals((await sessions.verify(token))?.session.id, session.id);
  }
});

Deno.test("create() ends the session that the browser had, and adopts no token", async () => {
  const { sessions, stores, events } = await withUser();
  const old = await sessions.create(STAMPED);
  const { token, session } = await sessions.create(STAMPED, { replaces: old.token });
  assertNotEquals(token, old.token);
  assertNotEquals(session.id, old.session.id);
  assertEquals(await sessions.verify(old.token), undefined);
  assertEquals((await sessions.verify(token))?.session.id, session.id);
  assertEquals((await stores.sessions.list("u1")).map(({ id }) => id), [session.id]);
  assertEquals(types(events), ["session.created", "session.revoked", "session.created"]);
});

Deno.test("create() ends the session of another user that the browser had", async () => {
  const { sessions, stores } = await withUser();
  await stores.users.create({ sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: 0 });
  const eve = await sessions.create({ ...STAMPED, sub: "u2", securityStamp: "s2" });
  const ada = await sessions.create(STAMPED, { replaces: eve.token });
  assertEquals(await sessions.verify(eve.token), undefined);
  assertEquals((await sessions.verify(ada.token))?.user.sub, "u1");
});

for (const replaces of ["x".repeat(43), "", "x", undefined]) {
  const what = replaces === undefined ? "none" : `${replaces.length} characters`;
  Deno.test(`create() takes a preset token that no session has: ${what}`, async () => {
    const { sessions, events } = await withUser();
    const { token } = await sessions.create(STAMPED, { replaces });
    assertNotEquals(token, replaces);
    assertEquals(types(events), ["session.created"]);
    assertEquals(replaces === undefined ? undefined : await sessions.verify(replaces), undefined);
  });
}

const USER_AGENTS: readonly [why: string, given: string | null, kept: string | undefined][] = [
  ["short", "curl/8", "curl/8"],
  ["of 256 characters", "x".repeat(256), "x".repeat(256)],
  ["of 257 characters", "x".repeat(257), "x".repeat(256)],
  ["of 1 MB", "x".repeat(1_000_000), "x".repeat(256)],
  ["empty", "", undefined],
  ["absent, as Headers.get() says it", null, undefined],
  ["cut in the middle of a character", `${"x".repeat(255)}😀`, `${"x".repeat(255)}\ufffd`],
  ["with half a character", "a\ud800b", "a\ufffdb"],
];
for (const [why, userAgent, kept] of USER_AGENTS) {
  Deno.test(`create() keeps a User-Agent well-formed and cut: ${why}`, async () => {
    const { sessions } = await withUser();
    const { token, session } = await sessions.create(STAMPED, { userAgent });
    assertEquals(session.userAgent, kept);
    assertEquals((await sessions.verify(token))?.session.userAgent, kept);
  });
}

Deno.test("create() leaves out what is not known", async () => {
  const { sessions } = await withUser();
  const { session } = await sessions.create(STAMPED, { userAgent: undefined });
  assertEquals(["acr" in session, "userAgent" in session], [false, false]);
});

Deno.test("verify() gives the session and the user, without digest, stamp and hash", async () => {
  const { sessions, stores } = await withUser();
  const { token, session } = await sessions.create(STAMPED);
  const active = await sessions.verify(token);
  assertEquals(active?.session, session);
  assertEquals({ ...active?.user }, { sub: "u1", identifier: "ada", createdAt: START });
  const written = JSON.stringify([active, session, await sessions.list("u1")]);
  const [kept] = await stores.sessions.list("u1");
  const user = await stores.users.findBySub("u1");
  for (const secret of [token, kept?.tokenHash, "s1", user?.passwordHash, "version"]) {
    assert(!written.includes(secret ?? "?"), secret);
  }
});

const MALFORMED: readonly [why: string, token: unknown][] = [
  ["empty", ""],
  ["42 characters", "x".repeat(42)],
  ["44 characters", "x".repeat(44)],
  ["padding", `${"x".repeat(42)}=`],
  ["the plain alphabet", `${"x".repeat(42)}+`],
  ["a line feed at the end", `${"x".repeat(43)}\n`],
  ["white space around it", ` ${"x".repeat(43)}`],
  ["other letters", "é".repeat(43)],
  ["1 MB", "x".repeat(1_000_000)],
  ["a number", 1e42],
  ["null", null],
  ["absent", undefined],
  ["a list of a token", ["x".repeat(43)]],
  ["an object that says it is a token", { toString: () => "x".repeat(43) }],
];
Deno.test("verify(), revokeToken() and create() ask the store for no token that cannot be one", async () => {
  const asked: string[] = [];
  const { sessions, events } = await withUser({
    wrap: (stores) => ({
      sessions: {
        ...stores.sessions,
        findByTokenHash(hash) {
          asked.push(hash);
          return stores.sessions.findByTokenHash(hash);
        },
      },
    }),
  });
  for (const [why, malformed] of MALFORMED) {
    const token = malformed as string;
    assertEquals(await sessions.verify(token), undefined, why);
    await sessions.revokeToken(token);
    await sessions.create(STAMPED, { replaces: token });
    assertEquals(asked, [], why);
  }
  assertEquals(types(events), repeat(MALFORMED.length, () => "session.created"));
  assertEquals(await sessions.verify("x".repeat(43)), undefined);
  assertEquals(asked, [await digestText("x".repeat(43))]);
});

Deno.test("verify() takes the digest for no token", async () => {
  const { sessions, stores } = await withUser();
  const { session } = await sessions.create(STAMPED);
  const [kept] = await stores.sessions.list("u1");
  assertEquals(await sessions.verify(kept?.tokenHash ?? ""), undefined);
  assertEquals(await sessions.verify(session.id), undefined);
});

Deno.test("revokeToken() ends the session for good, and may be called again", async () => {
  const { sessions, stores, events } = await withUser();
  const { token, session } = await sessions.create(STAMPED);
  const other = await sessions.create(STAMPED);
  events.length = 0;
  await sessions.revokeToken(token);
  await sessions.revokeToken(token);
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.findByTokenHash(await digestText(token)), null);
  assertEquals((await sessions.verify(other.token))?.session.id, other.session.id);
  assertEquals(events, [
    { type: "session.revoked", at: START, sub: "u1", sessionId: session.id },
  ]);
});

Deno.test("list() gives the living sessions of a user, the one used last first", async () => {
  const { sessions, clock, stores } = await withUser();
  await stores.users.create({ sub: "u2", identifier: "eve", securityStamp: "s1", createdAt: 0 });
  const unused = await sessions.create(STAMPED);
  clock.now += 1_000;
  const [a, b] = [await sessions.create(STAMPED), await sessions.create(STAMPED)];
  await sessions.create({ ...STAMPED, sub: "u2" });
  await sessions.create({ ...STAMPED, securityStamp: "an old one" });
  clock.now += 2_599;
  await sessions.verify(a.token);
  const inOrder = async () => (await sessions.list("u1")).map(({ id }) => id);
  assertEquals(await inOrder(), [a, b, unused].map(({ session }) => session.id));
  clock.now += 1;
  assertEquals(await inOrder(), [a, b].map(({ session }) => session.id)); // an hour without use
  clock.now += 1_000;
  assertEquals(await inOrder(), [a.session.id]);
  for (const session of await sessions.list("u1")) {
    assertEquals(["tokenHash" in session, "securityStamp" in session], [false, false]);
  }
  assertEquals(await sessions.list("nobody"), []);
});

Deno.test("list() gives nothing of a user who is disabled or gone", async () => {
  const { sessions, stores } = await withUser();
  await sessions.create(STAMPED);
  await setDisabled(stores);
  assertEquals(await sessions.list("u1"), []);
  await stores.users.delete("u1");
  assertEquals(await sessions.list("u1"), []);
});

Deno.test("revoke() ends one of the user's own sessions, and nobody else's", async () => {
  const { sessions, events } = await withUser();
  const [a, b] = [await sessions.create(STAMPED), await sessions.create(STAMPED)];
  events.length = 0;
  for (
    const [sub, id] of [["u2", a.session.id], ["u1", "unknown"], ["u1", ""], ["", ""]] as const
  ) {
    assertEquals(await sessions.revoke(sub, id), false);
  }
  assertEquals(events, []);
  assert(await sessions.verify(a.token) !== undefined);
  assertEquals(await sessions.revoke("u1", a.session.id), true);
  assertEquals(await sessions.revoke("u1", a.session.id), false);
  assertEquals(await sessions.verify(a.token), undefined);
  assert(await sessions.verify(b.token) !== undefined);
  assertEquals(events, [
    { type: "session.revoked", at: START, sub: "u1", sessionId: a.session.id },
  ]);
});

Deno.test("revokeOthers() and revokeAll() end the user's sessions, and nobody else's", async () => {
  const { sessions, stores, events } = await withUser();
  await stores.users.create({ sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: 0 });
  const eve = await sessions.create({ ...STAMPED, sub: "u2", securityStamp: "s2" });
  const [kept, a, b] = await Promise.all(repeat(3, () => sessions.create(STAMPED)));
  const alive = async (session: NewSession | undefined) =>
    await sessions.verify(session?.token ?? "") !== undefined;
  events.length = 0;
  await sessions.revokeOthers("u1", kept?.session.id ?? "");
  assertEquals([await alive(kept), await alive(a), await alive(b)], [true, false, false]);
  await sessions.revokeAll("u1");
  assertEquals([await alive(kept), await alive(eve)], [false, true]);
  assertEquals(events, [
    { type: "session.revoked", at: START, sub: "u1", exceptSessionId: kept?.session.id ?? "" },
    { type: "session.revoked", at: START, sub: "u1" },
  ]);
});

Deno.test("revokeOthers() that keeps a session of somebody else keeps none of the user's", async () => {
  const { sessions } = await withUser();
  const a = await sessions.create(STAMPED);
  await sessions.revokeOthers("u1", "the id of somebody else");
  assertEquals(await sessions.verify(a.token), undefined);
});

async function withUser(options: ServicesOptions = {}): Promise<Services> {
  const services = createServices(options);
  const user = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };
  await services.stores.users.create({ ...user, passwordHash: "$pbkdf2-sha256$the hash" });
  return services;
}
