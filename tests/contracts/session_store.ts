/**
 * What every session store must do.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { Session, SessionStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import {
  assertDetached,
  atTimesAround,
  makePairs,
  ODD_KEYS,
  raceForOne,
  raceToEnd,
} from "./_helpers.ts";

const START = 1_700_000_000;
const END = START + 86_400;

function newSession(id: string, sub = "u1"): Session {
  return {
    id,
    sub,
    tokenHash: `hash of ${id}`,
    securityStamp: "stamp",
    createdAt: START,
    activeAt: START,
    expiresAt: END,
    authTime: START,
    amr: ["pwd"],
  };
}

async function createSession(store: SessionStore, session: Session): Promise<Session> {
  await store.create(session);
  return session;
}

function find(store: SessionStore, { tokenHash }: Session): Promise<Session | null> {
  return store.findByTokenHash(tokenHash);
}

/** Ids of a user's sessions, sorted. */
async function listIds(store: SessionStore, sub: string): Promise<string[]> {
  return (await store.list(sub)).map(({ id }) => id).sort();
}

/** The cases. */
export const SESSION_STORE_CASES: readonly ContractCase<SessionStore>[] = [
  {
    name: "create() keeps every member, found by the token's digest and in the list",
    async run({ store }) {
      const session: Session = {
        ...newSession("s1"),
        activeAt: START + 60,
        authTime: START - 60,
        amr: ["pwd", "otp"],
        acr: "urn:example:loa:2",
        userAgent: "Mozilla/5.0 (X11; Linux x86_64) 🦊",
        persistent: true,
      };
      await store.create(session);
      assertEquals(await find(store, session), session);
      assertEquals(await store.list("u1"), [session]);
    },
  },
  {
    name: "create() omits absent members, and keeps an empty array",
    async run({ store }) {
      const session = await createSession(store, { ...newSession("s1"), amr: [] });
      const found = await find(store, session);
      assertEquals(found, session);
      assertEquals(["acr", "userAgent"].filter((member) => member in (found ?? {})), []);
    },
  },
  {
    name: "findByTokenHash() and list() return nothing for an unknown key or another member",
    async run({ store }) {
      assertEquals(await store.findByTokenHash("hash of s1"), null);
      assertEquals(await store.list("u1"), []);
      await createSession(store, newSession("s1"));
      for (const key of ["s1", "u1", "", "hash of s", "__proto__", "constructor"]) {
        assertEquals(await store.findByTokenHash(key), null, key);
      }
      for (const key of ["s1", "hash of s1", "", "u", "u11", "__proto__", "constructor"]) {
        assertEquals(await store.list(key), [], key);
      }
    },
  },
  {
    name: "create(), list() and revoke() accept unusual keys",
    async run({ store }) {
      const sessions = ODD_KEYS.map(([why, key]) => {
        const session: Session = { ...newSession(key, key), tokenHash: key };
        return { why, session };
      });
      for (const { session } of sessions) await store.create(session);
      for (const { why, session } of sessions) {
        assertEquals(await find(store, session), session, why);
        assertEquals(await store.list(session.sub), [session], why);
        assertEquals(await store.touch(session.id, START, START + 60), "updated", why);
        await store.revoke(session.id);
        assertEquals(await find(store, session), null, why);
        assertEquals(await store.list(session.sub), [], why);
      }
    },
  },
  {
    name: "list() does not confuse adjacent keys",
    async run({ store }) {
      await store.create(newSession("b:c", "a"));
      await store.create(newSession("c", "a:b"));
      await store.create(newSession("b/d", "a"));
      await store.create(newSession("d", "a/b"));
      assertEquals(await listIds(store, "a"), ["b/d", "b:c"]);
      assertEquals(await listIds(store, "a:b"), ["c"]);
      await store.revokeAll("a");
      assertEquals(await listIds(store, "a/b"), ["d"]);
    },
  },
  {
    name: "listByProvider() returns the sessions of one session at a provider",
    async run({ store, clock }) {
      const provider = { name: "google", issuer: "https://id.example", sid: "s" };
      const rows: readonly (readonly [string, Session["provider"]])[] = [
        ["s1", provider],
        ["s2", { ...provider, sid: "s2" }],
        ["s3", { ...provider, issuer: "https://id.example/" }],
        ["s4", { name: "google", issuer: "https://id.example" }],
        ["s5", undefined],
        ["s6", provider],
      ];
      for (const [id, own] of rows) {
        await store.create({ ...newSession(id), ...(own === undefined ? {} : { provider: own }) });
      }
      const found = async () =>
        (await store.listByProvider(provider.issuer, "s")).map(({ id }) => id);
      assertEquals((await found()).sort(), ["s1", "s6"]);
      assertEquals(await store.touch("s1", START, START + 60), "updated");
      assertEquals((await found()).sort(), ["s1", "s6"], "after a use");
      await store.revoke("s1");
      assertEquals(await found(), ["s6"]);
      assertEquals((await store.findByTokenHash("hash of s6"))?.provider, provider);
      clock.set(END);
      assertEquals(await found(), []);
    },
  },
  {
    name: "findByTokenHash() and list() return sessions that are detached",
    async run({ store }) {
      const session = newSession("s1");
      await store.create(session);
      const expected = newSession("s1");
      await assertDetached(session, { expected, find: () => store.findByTokenHash("hash of s1") });
      await assertDetached<unknown>([], { expected: [expected], find: () => store.list("u1") });
    },
  },
  {
    name: "findByTokenHash() and list() return no session from its expiry on",
    async run({ store, clock }) {
      const session = await createSession(store, newSession("s1"));
      await store.create({ ...newSession("s2"), expiresAt: END + 10 });
      await atTimesAround({ clock, end: END }, async ({ there, why }) => {
        assertEquals(await find(store, session), there ? session : null, why);
        assertEquals(await listIds(store, "u1"), there ? ["s1", "s2"] : ["s2"], why);
      });
    },
  },
  {
    name: "list() returns no session from its expiry on, without other calls",
    async run({ store, clock }) {
      await store.create(newSession("s1"));
      clock.set(END);
      assertEquals(await store.list("u1"), []);
    },
  },
  {
    name: "touch() of a session from its expiry on is lost",
    async run({ store, clock }) {
      await store.create(newSession("s1"));
      clock.set(END - 1);
      assertEquals(await store.touch("s1", START, END - 1), "updated");
      clock.set(END);
      assertEquals(await store.touch("s1", END - 1, END), "lost");
      assertEquals(await store.findByTokenHash("hash of s1"), null);
    },
  },
  {
    name: "create() of an expired session stores no session",
    async run({ store, clock }) {
      clock.set(END);
      const session = await createSession(store, newSession("s1"));
      assertEquals(await find(store, session), null);
      assertEquals(await store.list("u1"), []);
    },
  },
  {
    name: "touch() changes activeAt only, not the expiry",
    async run({ store, clock }) {
      const session = await createSession(store, newSession("s1"));
      assertEquals(await store.touch("s1", START, START + 60), "updated");
      assertEquals(await find(store, session), { ...session, activeAt: START + 60 });
      assertEquals(await store.list("u1"), [{ ...session, activeAt: START + 60 }]);
      assertEquals(await store.touch("s1", START + 60, START + 120), "updated");
      clock.set(END);
      assertEquals(await find(store, session), null);
    },
  },
  {
    name: "touch() from another time is lost and does not change the session",
    async run({ store }) {
      const session = await createSession(store, newSession("s1"));
      for (const from of [START - 1, START + 1, 0]) {
        assertEquals(await store.touch("s1", from, START + 60), "lost");
      }
      assertEquals(await find(store, session), session);
    },
  },
  {
    name: "touch() of a session that does not exist creates none",
    async run({ store }) {
      assertEquals(await store.touch("s1", START, START + 60), "lost");
      const session = await createSession(store, newSession("s1"));
      await store.revoke("s1");
      assertEquals(await store.touch("s1", START, START + 60), "lost");
      assertEquals(await find(store, session), null);
      assertEquals(await store.list("u1"), []);
    },
  },
  {
    name: "revoke() deletes one session, and may be repeated",
    async run({ store }) {
      await store.revoke("s1");
      const first = await createSession(store, newSession("s1"));
      const second = await createSession(store, newSession("s2"));
      await store.revoke("s1");
      await store.revoke("s1");
      assertEquals(await find(store, first), null);
      assertEquals(await store.list("u1"), [second]);
    },
  },
  {
    name: "revokeAll() deletes a user's sessions except one, and no other user's",
    async run({ store }) {
      for (const id of ["s1", "s2", "s3"]) await store.create(newSession(id));
      const other = await createSession(store, newSession("s4", "u2"));
      await store.revokeAll("u1", "s2");
      assertEquals(await listIds(store, "u1"), ["s2"]);
      assertEquals(await store.findByTokenHash("hash of s1"), null);
      assertEquals((await store.findByTokenHash("hash of s2"))?.id, "s2");
      await store.revokeAll("u1");
      assertEquals(await store.list("u1"), []);
      assertEquals(await store.list("u2"), [other]);
    },
  },
  {
    name:
      "revokeAll() except an unknown session, or another user's, deletes all; it may be repeated",
    async run({ store }) {
      await store.revokeAll("u1");
      await store.create(newSession("s2", "u2"));
      for (const exceptId of ["unknown", "s2", "", "__proto__"]) {
        const session = await createSession(store, newSession("s1"));
        await store.revokeAll("u1", exceptId);
        await store.revokeAll("u1", exceptId);
        assertEquals(await find(store, session), null, exceptId);
        assertEquals(await listIds(store, "u2"), ["s2"], exceptId);
      }
    },
  },
  {
    name: "touch() lets one of many advance a session",
    race: true,
    async run(subject) {
      const session = await createSession(subject.store, newSession("s1"));
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.touch("s1", START, START + 60 + racer),
        won: "updated",
        lost: "lost",
      });
      assertEquals((await find(subject.store, session))?.activeAt, START + 60 + winner);
    },
  },
  {
    name: "touch() concurrent with revoke() restores no session",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createSession(store, newSession(`s${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { id }) => each.revoke(id),
        change: (each, { id }) => each.touch(id, START, START + 60),
      });
      for (const session of items) assertEquals(await find(store, session), null);
      assertEquals(await store.list("u1"), []);
    },
  },
  {
    name: "touch() concurrent with revokeAll() restores no session",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createSession(store, newSession(`s${i}`, `u${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { sub }) => each.revokeAll(sub),
        change: (each, { id }) => each.touch(id, START, START + 60),
      });
      for (const session of items) {
        assertEquals(await find(store, session), null);
        assertEquals(await store.list(session.sub), []);
      }
    },
  },
];
