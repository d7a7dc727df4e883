/**
 * What every store of authorizations must do.
 *
 * @module
 */

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import type {
  Authorization,
  AuthorizationStore,
  DeniedAuthorization,
} from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import {
  assertDetached,
  atTimesAround,
  makePairs,
  ODD_KEYS,
  race,
  raceForOne,
  raceToEnd,
} from "./_helpers.ts";
import {
  CREATED,
  deviceIssuedOf,
  devicePendingOf,
  EXPIRES,
  findAuthorization,
  issuedOf,
  pendingOf,
  pushedOf,
  redeemedOf,
  signInsOf,
  WHOLE_REQUEST,
} from "./_server_records.ts";

/** An authorization of each state, with every member and without optional ones. */
const STATES: readonly (readonly [why: string, authorization: Authorization])[] = [
  ["pushed", pushedOf("a1")],
  ["pushed, with every member", { ...pushedOf("a1"), request: WHOLE_REQUEST }],
  ["pending", pendingOf("a1")],
  ["pending, with every member", {
    ...pendingOf("a1"),
    request: WHOLE_REQUEST,
    seen: { authTime: CREATED - 60, sessionId: "s1" },
  }],
  ["pending, with an authentication without a session", {
    ...pendingOf("a1"),
    seen: { authTime: 0 },
  }],
  ["issued", issuedOf("a1")],
  ["issued, with every member", {
    ...issuedOf("a1"),
    request: WHOLE_REQUEST,
    subject: {
      sub: "u1",
      securityStamp: "stamp",
      authTime: CREATED,
      amr: ["hwk", "user"],
      acr: "urn:example:gold",
      provider: { name: "google", issuer: "https://accounts.google.com", sid: "s-1" },
      sessionId: "s1",
    },
    scope: [],
  }],
  ["device_pending", devicePendingOf("a1")],
  ["device_pending, with every member", {
    ...devicePendingOf("a1"),
    request: { scope: ["openid"], resources: ["https://api.example"] },
    browser: "digest of a cookie",
  }],
  ["device_issued", deviceIssuedOf("a1")],
  ["redeemed", redeemedOf("a1", "g1")],
  ["denied", deniedOf("a1")],
  ["sign-ins", signInsOf("a1")],
  ["no sign-ins", { ...signInsOf("a1"), signIns: [] }],
  ["denied, of a device", { ...deniedOf("a1"), codeHash: "digest of a device code" }],
];

/** The cases. */
export const AUTHORIZATION_STORE_CASES: readonly ContractCase<AuthorizationStore>[] = [
  {
    name: "create() and update() keep every member of every state, and add none",
    async run({ store }) {
      for (const [number, [why, authorization]] of STATES.entries()) {
        const id = `a${number}`;
        await store.create({ ...authorization, id });
        const { authorization: created, version } = await findAuthorization(store, id);
        assertEquals<unknown>(created, { ...authorization, id }, why);
        assertEquals(typeof version === "string" && version !== "", true, why);
      }
      for (const [why, authorization] of STATES) {
        for (const [number, [was]] of STATES.entries()) {
          const next = { ...authorization, id: `a${number}` };
          const { version } = await findAuthorization(store, next.id);
          assertEquals(await store.update(next, version), "updated", `${was}, then ${why}`);
          const found = await findAuthorization(store, next.id);
          assertEquals<unknown>(found.authorization, next, `${was}, then ${why}`);
          assertNotEquals(found.version, version);
        }
      }
    },
  },
  {
    name: "create() rejects a taken id, whatever the state, and keeps the authorization",
    async run({ store }) {
      await store.create(issuedOf("a1"));
      const before = await findAuthorization(store, "a1");
      for (const [why, authorization] of STATES) {
        await assertRejects(() => store.create(authorization), Error, undefined, why);
      }
      assertEquals(await store.find("a1"), before);
    },
  },
  {
    name: "find() does not confuse ids, nor members with ids",
    async run({ store }) {
      await store.create(issuedOf("a1"));
      for (
        const key of ["", "A1", "a", "a11", "a1 ", "shop", "digest of a code", "u1", "__proto__"]
      ) {
        assertEquals(await store.find(key), null, key);
      }
    },
  },
  {
    name: "create(), find() and update() accept unusual keys",
    async run({ store }) {
      for (const [, key] of ODD_KEYS) await store.create(pendingOf(key));
      for (const [why, key] of ODD_KEYS) {
        const { authorization, version } = await findAuthorization(store, key);
        assertEquals(authorization, pendingOf(key), why);
        assertEquals(await store.update(redeemedOf(key, why), version), "updated", why);
      }
      for (const [why, key] of ODD_KEYS) {
        assertEquals((await store.find(key))?.authorization, redeemedOf(key, why), why);
      }
    },
  },
  {
    name: "find() returns authorizations that are detached",
    async run({ store }) {
      const authorization = structuredClone(issuedOf("a1"));
      await store.create(authorization);
      const expected = await findAuthorization(store, "a1");
      const find = () => store.find("a1");
      await assertDetached<unknown>(authorization, { expected: structuredClone(expected), find });
    },
  },
  {
    name: "find() returns null from the expiry on",
    async run({ store, clock }) {
      for (const [number, [why, authorization]] of STATES.entries()) {
        clock.set(CREATED);
        const id = `a${number}`;
        await store.create({ ...authorization, id });
        await atTimesAround({ clock, end: EXPIRES }, async ({ there, why: time }) => {
          assertEquals(await store.find(id) !== null, there, `${why}, ${time}`);
        });
      }
    },
  },
  {
    name: "update() from the expiry on is lost, and restores nothing",
    async run({ store, clock }) {
      await atTimesAround({ clock, end: EXPIRES }, async ({ there, why }) => {
        const time = clock.now();
        clock.set(CREATED);
        await store.create(issuedOf(why));
        const { version } = await findAuthorization(store, why);
        clock.set(time);
        const next = { ...redeemedOf(why, "g1"), expiresAt: EXPIRES + 600 };
        assertEquals(await store.update(next, version), there ? "updated" : "lost", why);
        assertEquals(await store.find(why) !== null, there, why);
      });
    },
  },
  {
    name: "update() moves the expiry, forwards and backwards",
    async run({ store, clock }) {
      await store.create(pendingOf("a1"));
      const { version } = await findAuthorization(store, "a1");
      const code = { ...issuedOf("a1"), expiresAt: CREATED + 60 };
      assertEquals(await store.update(code, version), "updated");
      clock.set(CREATED + 59);
      const issued = await findAuthorization(store, "a1");
      const grant = { ...redeemedOf("a1", "g1"), expiresAt: CREATED + 86_400 };
      assertEquals(await store.update(grant, issued.version), "updated");
      for (const [time, there] of [[EXPIRES, true], [CREATED + 86_400, false]] as const) {
        clock.set(time);
        assertEquals(await store.find("a1") !== null, there, `${time}`);
      }
      clock.set(CREATED);
      await store.create(pendingOf("a2"));
      const shorter = await findAuthorization(store, "a2");
      assertEquals(await store.update({ ...code, id: "a2" }, shorter.version), "updated");
      clock.set(CREATED + 60);
      assertEquals(await store.find("a2"), null);
    },
  },
  {
    name: "create() succeeds with the id of an expired authorization, whose version is lost",
    async run({ store, clock }) {
      await store.create(issuedOf("a1"));
      const { version } = await findAuthorization(store, "a1");
      clock.set(EXPIRES);
      const again = { ...pendingOf("a1"), createdAt: EXPIRES, expiresAt: EXPIRES + 600 };
      await store.create(again);
      assertEquals(await store.update(redeemedOf("a1", "g1"), version), "lost");
      assertEquals((await findAuthorization(store, "a1")).authorization, again);
    },
  },
  {
    name: "update() with another version is lost, and changes nothing",
    async run({ store }) {
      await store.create(pendingOf("a1"));
      const { version } = await findAuthorization(store, "a1");
      assertEquals(await store.update(issuedOf("a1"), version), "updated");
      const before = await findAuthorization(store, "a1");
      for (const other of [version, "", "0", `${before.version}0`, "__proto__"]) {
        assertEquals(await store.update(deniedOf("a1"), other), "lost", other);
      }
      assertEquals(await store.find("a1"), before);
    },
  },
  {
    name: "update() of an unknown authorization is lost, and creates none",
    async run({ store }) {
      await store.create(pendingOf("a1"));
      const { version } = await findAuthorization(store, "a1");
      for (const one of [version, "", "1"]) {
        assertEquals(await store.update(issuedOf("a2"), one), "lost", one);
      }
      assertEquals(await store.find("a2"), null);
    },
  },
  {
    name: "create() lets one of many have an id",
    race: true,
    async run(subject) {
      const winner = await raceForOne<AuthorizationStore, string>(subject, {
        start: (store, racer) =>
          store.create(redeemedOf("a1", `g${racer}`)).then(() => "created", () => "rejected"),
        won: "created",
        lost: "rejected",
      });
      const { authorization } = await findAuthorization(subject.store, "a1");
      assertEquals(authorization, redeemedOf("a1", `g${winner}`));
    },
  },
  {
    name: "update() lets one of many exchange a code",
    race: true,
    async run(subject) {
      await subject.store.create(issuedOf("a1"));
      const { version } = await findAuthorization(subject.store, "a1");
      const winner = await raceForOne(subject, {
        start: (store, racer) => store.update(redeemedOf("a1", `g${racer}`), version),
        won: "updated",
        lost: "lost",
      });
      const { authorization } = await findAuthorization(subject.store, "a1");
      assertEquals(authorization, redeemedOf("a1", `g${winner}`));
    },
  },
  {
    name: "update() lets one of many exchange a code that each of them reads first",
    race: true,
    async run(subject) {
      await subject.store.create(issuedOf("a1"));
      const outcomes = await race(subject, async (store, racer) => {
        const { authorization, version } = await findAuthorization(store, "a1");
        if (authorization.state !== "issued") return "redeemed before";
        return await store.update(redeemedOf("a1", `g${racer}`), version);
      });
      assertEquals(outcomes.filter((outcome) => outcome === "updated").length, 1);
      const { authorization } = await findAuthorization(subject.store, "a1");
      assertEquals(authorization, redeemedOf("a1", `g${outcomes.indexOf("updated")}`));
    },
  },
  {
    name: "update() by a user who allows and one who denies lets one of them decide",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs(async (index) => {
        await store.create(pendingOf(`a${index}`));
        return { ...await findAuthorization(store, `a${index}`), decided: [] as string[] };
      });
      await raceToEnd(subject, {
        items,
        async end(each, { authorization: { id }, version, decided }) {
          if (await each.update(deniedOf(id), version) === "updated") decided.push("denied");
        },
        async change(each, { authorization: { id }, version, decided }) {
          if (await each.update(issuedOf(id), version) === "updated") decided.push("issued");
        },
      });
      for (const { authorization: { id }, decided } of items) {
        assertEquals(decided, [(await findAuthorization(store, id)).authorization.state], id);
      }
    },
  },
];

function deniedOf(id: string): DeniedAuthorization {
  const { issuer, clientId, createdAt, expiresAt } = pendingOf(id);
  return { state: "denied", id, issuer, clientId, createdAt, expiresAt };
}
