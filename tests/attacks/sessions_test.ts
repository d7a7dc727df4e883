/** The catalogue "Sessions, cookies, CSRF", sessions only: one row per attack; rows are only added. */

import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { digestText } from "../../auth/_kdf.ts";
import type { Authentication } from "../../auth/principal.ts";
import type { Session } from "../../auth/stores/types.ts";
import {
  ADA,
  createServices,
  NOBODY,
  OTHER_PASSWORD,
  PASSWORD,
  repeat,
  type Services,
  type ServicesOptions,
  setDisabled,
  START,
} from "../auth/_services.ts";

/** Tokens of an attacker who knows all stored and public data, but not the token. */
const TOKENS: readonly (readonly [
  source: string,
  what: string,
  present: (known: Known) => string | Promise<string>,
])[] = [
  ["ATTACKS", "a preset token in the right format", () => "A".repeat(43)],
  ["CWE-522", "the stored digest", ({ stored }) => stored.tokenHash],
  ["CWE-522", "the digest of the stored digest", ({ stored }) => digestText(stored.tokenHash)],
  ["neighbour", "the public identifier", ({ stored }) => stored.id],
  ["neighbour", "the public identifier, padded", ({ stored }) => stored.id.padEnd(43, "A")],
  ["neighbour", "the security stamp", ({ stored }) => stored.securityStamp.padEnd(43, "A")],
  ["neighbour", "the subject id", ({ stored }) => stored.sub],
  ["neighbour", "the token truncated", ({ token }) => token.slice(0, -1)],
  ["neighbour", "the token with an additional character", ({ token }) => `${token}A`],
  ["neighbour", "the token with padding", ({ token }) => `${token}=`],
  ["neighbour", "the token with white space", ({ token }) => `${token} `],
  ["neighbour", "the token with a line feed", ({ token }) => `${token}\n`],
  ["neighbour", "the token with NUL", ({ token }) => `${token}\0`],
  ["neighbour", "the token quoted", ({ token }) => `"${token}"`],
  ["neighbour", "the token in other case", ({ token }) => swapCase(token)],
  ["neighbour", "another encoding of the same bytes", ({ token }) => sameBytes(token)],
  ["neighbour", "an empty string", () => ""],
];
for (const [source, what, present] of TOKENS) {
  Deno.test(`[${source}] token: ${what} → no session, and none is revoked`, async () => {
    const services = await begun();
    const { sessions, stores, token, id } = services;
    const [stored] = await stores.sessions.list("u1");
    assert(stored !== undefined);
    const presented = await present({ token, stored });
    assertNotEquals(presented, token);
    assertEquals(await sessions.verify(presented), undefined);
    await sessions.revokeToken(presented);
    const { token: next } = await sessions.create(services.authentication, { replaces: presented });
    assertNotEquals(next, presented);
    assertEquals(await sessions.verify(presented), undefined);
    assertEquals((await sessions.verify(token))?.session.id, id);
  });
}

Deno.test("[ATTACKS] fixation: a session of the attacker, set in the victim's browser → revoked by the login", async () => {
  const { sessions, passwords, authentication } = await begun();
  const eve = await passwords.createUser({ ...ADA, identifier: "eve" });
  const planted = await sessions.create(eve);
  const { token, session } = await sessions.create(authentication, { replaces: planted.token });
  assertNotEquals([token, session.id], [planted.token, planted.session.id]);
  assertEquals(await sessions.verify(planted.token), undefined);
  assertEquals((await sessions.verify(token))?.user.sub, "u1");
});

Deno.test("[neighbour] fixation: 50 concurrent logins with one preset session → 50 new sessions", async () => {
  const { sessions, token: planted, authentication } = await begun();
  const logins = repeat(50, () => sessions.create(authentication, { replaces: planted }));
  const tokens = (await Promise.all(logins)).map(({ token }) => token);
  assertEquals(new Set([planted, ...tokens]).size, 51);
  assertEquals(await sessions.verify(planted), undefined);
});

/** How a session is revoked before its token is replayed. */
const ENDS: readonly (readonly [
  source: string,
  what: string,
  end: (begun: Begun) => unknown,
])[] = [
  ["ATTACKS", "a logout", ({ sessions, token }) => sessions.revokeToken(token)],
  ["ATTACKS", "a logout from a list", ({ sessions, id }) => sessions.revoke("u1", id)],
  ["ATTACKS", "a logout everywhere", ({ sessions }) => sessions.revokeAll("u1")],
  ["ATTACKS", "a logout everywhere else", ({ sessions }) => sessions.revokeOthers("u1", "another")],
  [
    "ATTACKS",
    "a login that replaced it",
    ({ sessions, authentication, token }) => sessions.create(authentication, { replaces: token }),
  ],
  [
    "ATTACKS",
    "a change of the password",
    ({ passwords }) =>
      passwords.change("u1", { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD }, NOBODY),
  ],
  [
    "neighbour",
    "a password change to the same password",
    ({ passwords }) =>
      passwords.change("u1", { currentPassword: PASSWORD, newPassword: PASSWORD }, NOBODY),
  ],
  ["ATTACKS", "the account disabled", ({ stores }) => setDisabled(stores)],
  ["ATTACKS", "the account disabled by the service", ({ accounts }) => accounts.disable("u1")],
  ["ATTACKS", "the account disabled and enabled again", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }],
  ["ATTACKS", "the account removed", ({ accounts }) => accounts.remove("u1")],
  ["ATTACKS", "the account deleted", ({ stores }) => stores.users.delete("u1")],
  ["neighbour", "the account deleted, and its sub reused", async ({ stores, passwords }) => {
    await stores.users.delete("u1");
    await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u1" });
  }],
  ["ATTACKS", "an hour without a request", ({ clock }) => clock.now += 3_600],
  ["ATTACKS", "a day", ({ clock }) => clock.now += 86_400],
  ["ATTACKS", "a day of regular requests", async ({ clock, sessions, token }) => {
    for (const _ of repeat(47, () => 0)) {
      clock.now += 1_800;
      assert(await sessions.verify(token) !== undefined);
    }
    clock.now += 1_799;
    assert(await sessions.verify(token) !== undefined);
    clock.now += 1;
  }],
  ["neighbour", "a clock that is set back to before the start", ({ clock }) => clock.now -= 86_400],
];
for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] replay: ${what} → the session stays revoked`, async () => {
    const services = await begun();
    const { sessions, token, clock } = services;
    await end(services);
    const at = clock.now;
    assertEquals(await sessions.verify(token), undefined);
    const replays = await Promise.all(repeat(20, () => sessions.verify(token)));
    assertEquals(replays.filter((active) => active !== undefined), []);
    for (const now of [at, at + 1, START, START - 86_400]) { // setting the clock back restores no session
      clock.now = now;
      assertEquals(await sessions.verify(token), undefined);
    }
  });
}

for (const now of [NaN, Infinity, START * 1_000]) {
  Deno.test(`[neighbour] replay: a clock that returns ${now} → 500, never anonymous`, async () => {
    const { sessions, token, clock } = await begun();
    clock.now = now;
    await assertRejects(() => sessions.verify(token), RangeError, "Invalid clock");
  });
}

const LIMITS: readonly (readonly [source: string, after: number, alive: boolean])[] = [
  ["ATTACKS", 3_599, true],
  ["neighbour", 3_599.999, true],
  ["ATTACKS", 3_600, false],
  ["ATTACKS", 3_601, false],
];
for (const [source, after, alive] of LIMITS) {
  Deno.test(`[${source}] limits: ${after} s without a request → ${alive ? "valid" : "expired"}`, async () => {
    const { sessions, token, clock } = await begun();
    clock.now += after;
    assertEquals(await sessions.verify(token) !== undefined, alive);
  });
}

Deno.test("[ATTACKS] races: a logout between reading a session and recording its use → stays revoked", async () => {
  const { sessions, stores, token, clock } = await begun({
    wrap: ({ sessions }) => ({
      sessions: {
        ...sessions,
        async touch(id, from, to) {
          await sessions.revoke(id);
          return await sessions.touch(id, from, to);
        },
      },
    }),
  });
  clock.now += 120;
  assertEquals(await sessions.verify(token), undefined);
  assertEquals(await stores.sessions.list("u1"), []);
});

Deno.test("[neighbour] races: 100 requests and a logout → no session", async () => {
  for (const at of [0, 10, 50, 99]) {
    const { sessions, stores, token, clock } = await begun();
    clock.now += 120;
    await Promise.all(
      repeat(100, (i) => i === at ? sessions.revokeToken(token) : sessions.verify(token)),
    );
    assertEquals(await sessions.verify(token), undefined);
    assertEquals(await stores.sessions.list("u1"), []);
  }
});

Deno.test("[neighbour] races: a logout everywhere during a login → the old sessions are revoked", async () => {
  const { sessions, token, authentication } = await begun();
  const [{ token: other }] = await Promise.all([
    sessions.create(authentication),
    sessions.revokeAll("u1"),
    sessions.verify(token),
  ]);
  assertEquals(await sessions.verify(token), undefined);
  await sessions.revokeAll("u1");
  assertEquals(await sessions.verify(other), undefined);
});

const OTHERS: readonly (readonly [source: string, what: string, sub: string])[] = [
  ["CWE-639", "another user", "u2"],
  ["CWE-639", "an unknown user", "nobody"],
  ["neighbour", "an empty sub", ""],
  ["neighbour", "a member of Object.prototype", "constructor"],
];
for (const [source, what, sub] of OTHERS) {
  Deno.test(`[${source}] lists: a session revoked as ${what} → stays valid`, async () => {
    const { sessions, token, id, passwords } = await begun();
    await passwords.createUser({ ...ADA, identifier: "eve" }, { sub: "u2" });
    assertEquals(await sessions.revoke(sub, id), false);
    await sessions.revokeAll(sub);
    await sessions.revokeOthers(sub, id);
    assertEquals((await sessions.list(sub)).map(({ id }) => id), []);
    assertEquals((await sessions.verify(token))?.session.id, id);
  });
}

const OUTAGES: readonly (readonly [
  source: string,
  what: string,
  wrap: (down: () => Promise<never>) => NonNullable<ServicesOptions["wrap"]>,
])[] = [
  ["GHSA-8fpg-xm3f-6cx3", "sessions", (down) => ({ sessions }) => ({
    sessions: { ...sessions, findByTokenHash: down },
  })],
  ["GHSA-8fpg-xm3f-6cx3", "users", (down) => ({ users }) => ({
    users: { ...users, findBySub: down },
  })],
  ["GHSA-8fpg-xm3f-6cx3", "recording of the use", (down) => ({ sessions }) => ({
    sessions: { ...sessions, touch: down },
  })],
];
for (const [source, what, wrap] of OUTAGES) {
  Deno.test(`[${source}] outage: ${what} fails → 500, never anonymous`, async () => {
    const down = () => Promise.reject(new Error("SELECT token FROM sessions"));
    const { sessions, token, clock } = await begun({ wrap: wrap(down) });
    clock.now += 60;
    const router = createRouter({ onError: () => {} }).get("/", async () => {
      return json(await sessions.verify(token) === undefined ? "anonymous" : "in");
    });
    const response = await router.request("/");
    assertEquals(response.status, 500);
    assert(!(await response.text()).includes("SELECT"));
  });
}

Deno.test("[ATTACKS] leaks: no public data of a session makes a token", async () => {
  const { sessions, events, token, stores, clock, id } = await begun();
  const [stored] = await stores.sessions.list("u1");
  const user = await stores.users.findBySub("u1");
  const visible = [await sessions.verify(token), await sessions.list("u1")];
  await sessions.revoke("u1", id);
  clock.now += 1;
  const written = JSON.stringify([events, visible]);
  const secrets = [token, stored?.tokenHash, stored?.securityStamp, user?.passwordHash];
  for (const secret of secrets) assert(secret !== undefined && !written.includes(secret));
});

interface Known {
  readonly token: string;
  readonly stored: Session;
}

interface Begun extends Services {
  readonly authentication: Authentication;
  readonly token: string;
  readonly id: string;
}

async function begun(options: ServicesOptions = {}): Promise<Begun> {
  const services = createServices(options);
  const authentication = await services.passwords.createUser({ ...ADA }, { sub: "u1" });
  const { token, session } = await services.sessions.create(authentication);
  return { ...services, authentication, token, id: session.id };
}

function swapCase(token: string): string {
  return token.replaceAll(
    /[a-z]/gi,
    (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

/** The last character has two unused bits. */
function sameBytes(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) + 1];
}
