/**
 * What every store of refresh families must do.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { RefreshFamily, RefreshRotation, RefreshTokenStore } from "../../auth/store_types.ts";
import type { ContractCase } from "./_contract.ts";
import { assertDetached, atTimesAround, makePairs, ODD_KEYS, race, raceToEnd } from "./_helpers.ts";

const START = 1_700_000_000;
const DAY = 86_400;
const TOKEN_END = START + 14 * DAY;
const FAMILY_END = START + 30 * DAY;

function newFamily(id: string, sub = "u1"): RefreshFamily {
  return {
    id,
    sub,
    securityStamp: "stamp",
    currentHash: "hash 0",
    generation: 0,
    revoked: false,
    createdAt: START,
    expiresAt: TOKEN_END,
    familyExpiresAt: FAMILY_END,
    authTime: START - 5,
    amr: ["pwd", "otp"],
  };
}

async function createFamily(
  store: RefreshTokenStore,
  family: RefreshFamily = newFamily("f1"),
): Promise<RefreshFamily> {
  await store.create(family);
  return family;
}

/** A rotation from the first secret to the second, on the first day. */
function rotation(changes: Partial<RefreshRotation> = {}): RefreshRotation {
  return {
    familyId: "f1",
    fromHash: "hash 0",
    toHash: "hash 1",
    now: START,
    expiresAt: START + 14 * DAY,
    ...changes,
  };
}

/** A rotation at a time, for fourteen days from there. */
function rotationAt(now: number, changes: Partial<RefreshRotation> = {}): RefreshRotation {
  return rotation({ now, expiresAt: now + 14 * DAY, ...changes });
}

/** Which of some families are revoked. */
async function revoked(store: RefreshTokenStore, ids: readonly string[]): Promise<string[]> {
  const families = await Promise.all(ids.map((id) => store.find(id)));
  return families.flatMap((family) => family?.revoked ? family.id : []);
}

async function listIds(store: RefreshTokenStore, sub: string): Promise<string[]> {
  return (await store.list(sub)).map(({ id }) => id).sort();
}

/** The cases. */
export const REFRESH_TOKEN_STORE_CASES: readonly ContractCase<RefreshTokenStore>[] = [
  {
    name: "create() keeps every member",
    async run({ store }) {
      const family = await createFamily(store, {
        ...newFamily("f1"),
        sessionId: "s1",
        generation: 3,
        amr: [],
        acr: "urn:example:aal2",
        scope: ["notes:read", "notes:write"],
        data: { clientId: "app", deep: { list: [1, null] } },
      });
      assertEquals(await store.find("f1"), family);
    },
  },
  {
    name: "create() leaves absent what is absent",
    async run({ store }) {
      await createFamily(store);
      const found = await store.find("f1");
      assertEquals(found, newFamily("f1"));
      const optional = ["sessionId", "acr", "scope", "data"];
      assertEquals(optional.filter((member) => member in (found ?? {})), []);
    },
  },
  {
    name: "find() finds nothing that is not there, nor by another member",
    async run({ store }) {
      assertEquals(await store.find("f1"), null);
      await createFamily(store, { ...newFamily("f1"), sessionId: "s1" });
      for (const key of ["u1", "s1", "hash 0", "", "f", "__proto__", "constructor"]) {
        assertEquals(await store.find(key), null, key);
      }
    },
  },
  {
    name: "create(), rotate() and revoke() take odd keys for keys",
    async run({ store }) {
      for (const [, key] of ODD_KEYS) {
        await store.create({ ...newFamily(key, key), sessionId: key, currentHash: key });
      }
      const ids = ODD_KEYS.map(([, key]) => key);
      const gone: string[] = [];
      for (const [index, [why, key]] of ODD_KEYS.entries()) {
        const toHash = `${key}+`;
        const outcome = await store.rotate(rotation({ familyId: key, fromHash: key, toHash }));
        assertEquals(outcome, "rotated", why);
        assertEquals((await store.find(key))?.currentHash, toHash, why);
        const selectors = [{ familyId: key }, { sessionId: key }, { sub: key }] as const;
        const selector = selectors[index % 3];
        if (selector !== undefined) await store.revoke(selector);
        gone.push(key);
        assertEquals(await revoked(store, ids), gone, why);
      }
    },
  },
  {
    name: "find() gives families that are detached",
    async run({ store }) {
      const make = (): RefreshFamily => ({
        ...newFamily("f1"),
        scope: ["a"],
        data: { client: ["app"] },
      });
      const family = await createFamily(store, make());
      await assertDetached(family, { expected: make(), find: () => store.find("f1") });
    },
  },
  {
    name: "find() knows no family from its end on",
    async run({ store, clock }) {
      const family = await createFamily(store);
      await atTimesAround({ clock, end: FAMILY_END }, async ({ there, why }) => {
        assertEquals(await store.find("f1"), there ? family : null, why);
      });
    },
  },
  {
    name: "rotate() replaces the secret, counts, and moves the end",
    async run({ store, clock }) {
      const members = { sessionId: "s1", acr: "aal2", scope: ["a"], data: { client: "app" } };
      const family = await createFamily(store, { ...newFamily("f1"), ...members });
      clock.set(START + DAY);
      assertEquals(await store.rotate(rotationAt(START + DAY)), "rotated");
      const expiresAt = START + 15 * DAY;
      const second = { ...family, currentHash: "hash 1", generation: 1, expiresAt };
      assertEquals(await store.find("f1"), second);
      const next = { fromHash: "hash 1", toHash: "hash 2" };
      assertEquals(await store.rotate(rotationAt(START + DAY, next)), "rotated");
      assertEquals(await store.find("f1"), { ...second, currentHash: "hash 2", generation: 2 });
    },
  },
  {
    name: "rotate() from the current secret to itself leaves it valid, and still tells reuse",
    async run({ store }) {
      const family = await createFamily(store);
      const same = rotation({ toHash: "hash 0", expiresAt: family.expiresAt });
      for (const generation of [1, 2]) {
        assertEquals(await store.rotate(same), "rotated");
        assertEquals(await store.find("f1"), { ...family, generation });
      }
      const stolen = rotation({ fromHash: "hash x", toHash: "hash x" });
      assertEquals(await store.rotate(stolen), "reused");
      assertEquals(await store.find("f1"), { ...family, generation: 2, revoked: true });
    },
  },
  {
    name: "rotate() does not move the end past the family's",
    async run({ store, clock }) {
      const now = TOKEN_END - 1;
      clock.set(now);
      await createFamily(store);
      const far = rotation({ now, expiresAt: FAMILY_END + 1 });
      assertEquals(await store.rotate(far), "rotated");
      assertEquals((await store.find("f1"))?.expiresAt, FAMILY_END);
      clock.set(FAMILY_END);
      const late = rotationAt(FAMILY_END, { fromHash: "hash 1", toHash: "hash 2" });
      assert(["expired", "not_found"].includes(await store.rotate(late)));
    },
  },
  {
    name: "rotate() of an unknown family makes none",
    async run({ store }) {
      assertEquals(await store.rotate(rotation()), "not_found");
      assertEquals(await store.find("f1"), null);
      await createFamily(store);
      for (const familyId of ["", "f2", "u1", "__proto__"]) {
        assertEquals(await store.rotate(rotation({ familyId })), "not_found", familyId);
      }
      assertEquals(await store.find("f1"), newFamily("f1"));
    },
  },
  {
    name: "rotate() of the current secret is expired from its end on, and revokes nothing",
    async run({ store, clock }) {
      for (const time of [TOKEN_END, TOKEN_END + 1, FAMILY_END - 1]) {
        const id = `f${time}`;
        const family = await createFamily(store, newFamily(id));
        clock.set(time);
        assertEquals(await store.rotate(rotationAt(time, { familyId: id })), "expired");
        assertEquals(await store.find(id), family);
        clock.set(START);
      }
      await createFamily(store);
      clock.set(TOKEN_END - 1);
      assertEquals(await store.rotate(rotationAt(TOKEN_END - 1)), "rotated");
    },
  },
  {
    name: "rotate() is over from the family's end on, whatever the token's",
    async run({ store, clock }) {
      for (const time of [FAMILY_END, FAMILY_END + 1]) {
        clock.set(START);
        const id = `f${time}`;
        await store.create({ ...newFamily(id), expiresAt: FAMILY_END + DAY });
        clock.set(time);
        const outcome = await store.rotate(rotationAt(time, { familyId: id }));
        assert(["expired", "not_found"].includes(outcome), outcome);
      }
    },
  },
  {
    name: "rotate() from an earlier secret is reuse and revokes the family, the newest secret too",
    async run({ store }) {
      await createFamily(store);
      await store.rotate(rotation());
      assertEquals(await store.rotate(rotation({ toHash: "hash x" })), "reused");
      const found = await store.find("f1");
      assertEquals([found?.revoked, found?.currentHash, found?.generation], [true, "hash 1", 1]);
      const newest = rotation({ fromHash: "hash 1", toHash: "hash 2" });
      assertEquals(await store.rotate(newest), "revoked");
      assertEquals(await store.rotate(rotation()), "revoked");
    },
  },
  {
    name: "rotate() from a secret that never was is reuse",
    async run({ store }) {
      for (const fromHash of ["", "hash", "hash 00", "HASH 0", "__proto__"]) {
        const familyId = `f${fromHash}`;
        await createFamily(store, newFamily(familyId));
        assertEquals(await store.rotate(rotation({ familyId, fromHash })), "reused", fromHash);
        assertEquals(await revoked(store, [familyId]), [familyId], fromHash);
      }
    },
  },
  {
    name: "rotate() from an earlier secret revokes the family even when the token has ended",
    async run({ store, clock }) {
      await createFamily(store);
      await store.rotate(rotation());
      clock.set(TOKEN_END);
      assertEquals(await store.rotate(rotationAt(TOKEN_END)), "reused");
      assertEquals(await revoked(store, ["f1"]), ["f1"]);
    },
  },
  {
    name: "revoke() by family, session and user ends theirs and no other",
    async run({ store }) {
      const ids = ["f1", "f2", "f3", "f4", "f5"];
      await store.create({ ...newFamily("f1", "u1"), sessionId: "s1" });
      await store.create({ ...newFamily("f2", "u1"), sessionId: "s1" });
      await store.create({ ...newFamily("f3", "u1"), sessionId: "s2" });
      await store.create(newFamily("f4", "u1"));
      await store.create({ ...newFamily("f5", "u2"), sessionId: "s3" });
      await store.revoke({ familyId: "f1" });
      assertEquals(await revoked(store, ids), ["f1"]);
      await store.revoke({ sessionId: "s1" });
      assertEquals(await revoked(store, ids), ["f1", "f2"]);
      await store.revoke({ sub: "u1" });
      assertEquals(await revoked(store, ids), ["f1", "f2", "f3", "f4"]);
    },
  },
  {
    name: "revoke() by user ends all of the user's families but those of one session",
    async run({ store }) {
      const ids = ["f1", "f2", "f3", "f4", "f5", "f6"];
      await store.create({ ...newFamily("f1", "u1"), sessionId: "s1" });
      await store.create({ ...newFamily("f2", "u1"), sessionId: "s1" });
      await store.create({ ...newFamily("f3", "u1"), sessionId: "s2" });
      await store.create(newFamily("f4", "u1"));
      await store.create({ ...newFamily("f5", "u2"), sessionId: "s3" });
      await store.create({ ...newFamily("f6", "u2"), sessionId: "s1" }); // of another user
      await store.revoke({ sub: "u1", exceptSessionId: "s1" });
      assertEquals(await revoked(store, ids), ["f3", "f4"]);
      await store.revoke({ sub: "u1", exceptSessionId: "s2" });
      assertEquals(await revoked(store, ids), ["f1", "f2", "f3", "f4"], "f3 stays revoked");
    },
  },
  {
    name: "revoke() by user and one session ends what is of both",
    async run({ store }) {
      const ids = ["f1", "f2", "f3", "f4"];
      await store.create({ ...newFamily("f1", "u1"), sessionId: "s1" });
      await store.create({ ...newFamily("f2", "u1"), sessionId: "s2" });
      await store.create({ ...newFamily("f3", "u2"), sessionId: "s1" });
      await store.create(newFamily("f4", "u1"));
      for (const sub of ["u3", "", "__proto__"]) await store.revoke({ sub, onlySessionId: "s1" });
      for (const onlySessionId of ["s3", "", "undefined"]) {
        await store.revoke({ sub: "u1", onlySessionId });
      }
      assertEquals(await revoked(store, ids), []);
      await store.revoke({ sub: "u1", onlySessionId: "s1" });
      assertEquals(await revoked(store, ids), ["f1"]);
    },
  },
  {
    name: "revoke() by user but an unknown session, or another's, ends all of the user's",
    async run({ store }) {
      for (const [i, session] of ["", "unknown", "undefined", "__proto__", "s2"].entries()) {
        await store.create(newFamily(`a${i}`, "u1"));
        await store.create({ ...newFamily(`b${i}`, "u1"), sessionId: "s1" });
        await store.create({ ...newFamily(`c${i}`, "u2"), sessionId: "s2" });
        await store.revoke({ sub: "u1", exceptSessionId: session });
        const ids = [`a${i}`, `b${i}`, `c${i}`];
        assertEquals(await revoked(store, ids), [`a${i}`, `b${i}`], session);
      }
    },
  },
  {
    name: "revoke() changes nothing else, for good, and may be repeated",
    async run({ store }) {
      const family = await createFamily(store);
      for (let times = 0; times < 2; times++) {
        await store.revoke({ familyId: "f1" });
        assertEquals(await store.find("f1"), { ...family, revoked: true });
      }
      assertEquals(await store.rotate(rotation()), "revoked");
      assertEquals(await store.find("f1"), { ...family, revoked: true });
    },
  },
  {
    name: "revoke() of what is unknown does nothing",
    async run({ store }) {
      await createFamily(store);
      for (const key of ["", "unknown", "__proto__", "undefined", "null"]) {
        await store.revoke({ familyId: key });
        await store.revoke({ sessionId: key }); // the family has no session
        await store.revoke({ sub: key });
      }
      assertEquals(await store.find("f1"), newFamily("f1"));
      assertEquals(await store.find("unknown"), null);
    },
  },
  {
    name: "revoke() comes before the end: a revoked family is not expired but revoked",
    async run({ store, clock }) {
      await createFamily(store);
      await store.revoke({ sub: "u1" });
      clock.set(TOKEN_END);
      assertEquals(await store.rotate(rotationAt(TOKEN_END)), "revoked");
    },
  },
  {
    name: "list() gives every member, and leaves absent what is absent",
    async run({ store }) {
      const members = { sessionId: "s1", acr: "aal2", scope: ["a"], data: { client: "app" } };
      const first = await createFamily(store, { ...newFamily("f1"), ...members });
      assertEquals(await store.list("u1"), [first]);
      const second = await createFamily(store, newFamily("f2"));
      assertEquals((await store.list("u1")).find(({ id }) => id === "f2"), second);
    },
  },
  {
    name: "list() finds nothing that is not there, nor by another member",
    async run({ store }) {
      assertEquals(await store.list("u1"), []);
      await createFamily(store, { ...newFamily("f1"), sessionId: "s1" });
      for (const key of ["f1", "s1", "hash 0", "", "u", "u11", "U1", "__proto__", "constructor"]) {
        assertEquals(await store.list(key), [], key);
      }
    },
  },
  {
    name: "list() gives the families of one user alone",
    async run({ store }) {
      for (const id of ["f1", "f2"]) await store.create({ ...newFamily(id), sessionId: "s1" });
      await store.create({ ...newFamily("f3", "u2"), sessionId: "s1" });
      assertEquals(await listIds(store, "u1"), ["f1", "f2"]);
      assertEquals(await listIds(store, "u2"), ["f3"]);
    },
  },
  {
    name: "list() takes odd keys for keys",
    async run({ store }) {
      const families = ODD_KEYS.map(([why, key]) => ({ why, family: newFamily(key, key) }));
      for (const { family } of families) await store.create(family);
      for (const { why, family } of families) {
        assertEquals(await store.list(family.sub), [family], why);
        await store.revoke({ familyId: family.id });
        assertEquals(await store.list(family.sub), [], why);
      }
    },
  },
  {
    name: "list() does not take the end of one key for the start of the next",
    async run({ store }) {
      await store.create(newFamily("b:c", "a"));
      await store.create(newFamily("c", "a:b"));
      await store.create(newFamily("b/d", "a"));
      await store.create(newFamily("d", "a/b"));
      assertEquals(await listIds(store, "a"), ["b/d", "b:c"]);
      assertEquals(await listIds(store, "a:b"), ["c"]);
      await store.revoke({ sub: "a" });
      assertEquals(await listIds(store, "a"), []);
      assertEquals(await listIds(store, "a/b"), ["d"]);
    },
  },
  {
    name: "list() gives families that are detached",
    async run({ store }) {
      const make = (): RefreshFamily => ({
        ...newFamily("f1"),
        scope: ["a"],
        data: { client: ["app"] },
      });
      const family = await createFamily(store, make());
      await assertDetached<unknown>(family, {
        expected: [make()],
        find: () => store.list("u1"),
      });
      assertEquals(await store.find("f1"), make());
    },
  },
  {
    name: "list() leaves out what was revoked, in whatever way",
    async run({ store }) {
      for (const id of ["f1", "f2", "f3", "f4"]) await createFamily(store, newFamily(id));
      await store.create({ ...newFamily("f5"), sessionId: "s1" });
      await store.create({ ...newFamily("f6"), revoked: true });
      await store.revoke({ familyId: "f1" });
      assertEquals(await listIds(store, "u1"), ["f2", "f3", "f4", "f5"]);
      await store.revoke({ sessionId: "s1" });
      assertEquals(await listIds(store, "u1"), ["f2", "f3", "f4"]);
      await store.rotate(rotation({ familyId: "f2", fromHash: "stolen" }));
      assertEquals(await listIds(store, "u1"), ["f3", "f4"]);
      await store.revoke({ sub: "u1" });
      assertEquals(await listIds(store, "u1"), []);
    },
  },
  {
    name: "list() knows no family from its end on",
    async run({ store, clock }) {
      const later = { expiresAt: FAMILY_END + DAY, familyExpiresAt: FAMILY_END + DAY };
      await createFamily(store);
      await createFamily(store, { ...newFamily("f2"), ...later });
      await atTimesAround({ clock, end: FAMILY_END }, async ({ there, why }) => {
        assertEquals(await listIds(store, "u1"), there ? ["f1", "f2"] : ["f2"], why);
      });
    },
  },
  {
    name: "list() gives a family whose current token alone has ended",
    async run({ store, clock }) {
      const family = await createFamily(store);
      for (const time of [TOKEN_END, FAMILY_END - 1]) {
        clock.set(time);
        assertEquals(await store.list("u1"), [family]);
      }
    },
  },
  {
    name: "list() gives what a rotation has left, and the family once",
    async run({ store, clock }) {
      const family = await createFamily(store);
      clock.set(START + DAY);
      assertEquals(await store.rotate(rotationAt(START + DAY)), "rotated");
      const expiresAt = START + 15 * DAY;
      const rotated = { ...family, currentHash: "hash 1", generation: 1, expiresAt };
      assertEquals(await store.list("u1"), [rotated]);
    },
  },
  {
    name: "list() gives the same by every way to the store",
    async run({ store, stores }) {
      await createFamily(store);
      for (const each of stores) assertEquals(await listIds(each, "u1"), ["f1"]);
      await store.revoke({ familyId: "f1" });
      for (const each of stores) assertEquals(await listIds(each, "u1"), []);
    },
  },
  {
    name: "rotate() lets one of many have the next token, and revokes the family of the others",
    race: true,
    async run(subject) {
      const { store } = subject;
      await createFamily(store);
      const outcomes = await race(
        subject,
        (each, racer) => each.rotate(rotation({ toHash: `next ${racer}` })),
      );
      const counts = (outcome: string) => outcomes.filter((each) => each === outcome).length;
      assertEquals(counts("rotated"), 1);
      assertEquals(counts("reused") + counts("revoked"), outcomes.length - 1);
      const found = await store.find("f1");
      assertEquals([found?.revoked, found?.generation], [true, 1]);
      assertEquals(found?.currentHash, `next ${outcomes.indexOf("rotated")}`);
    },
  },
  {
    name: "rotate() beside reuse leaves the family revoked",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createFamily(store, newFamily(`f${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { id }) => each.rotate(rotation({ familyId: id, fromHash: "stolen" })),
        change: (each, { id }) => each.rotate(rotation({ familyId: id })),
      });
      const ids = items.map(({ id }) => id);
      assertEquals(await revoked(store, ids), ids);
    },
  },
  {
    name: "rotate() beside revoke() leaves the family revoked",
    race: true,
    async run(subject) {
      const { store } = subject;
      const items = await makePairs((i) => createFamily(store, newFamily(`f${i}`, `u${i}`)));
      await raceToEnd(subject, {
        items,
        end: (each, { sub }) => each.revoke({ sub }),
        change: (each, { id }) => each.rotate(rotation({ familyId: id })),
      });
      const ids = items.map(({ id }) => id);
      assertEquals(await revoked(store, ids), ids);
    },
  },
];
