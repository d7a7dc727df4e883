/**
 * Requirements of every store of refresh families: revocation.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { RefreshTokenStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import {
  createFamily,
  newFamily,
  revoked,
  rotation,
  rotationAt,
  TOKEN_END,
} from "./_refresh_families.ts";

/** The cases. */
export const REFRESH_REVOKE_CASES: readonly ContractCase<RefreshTokenStore>[] = [
  {
    name: "revoke() by family, session or user revokes no other families",
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
    name: "revoke() by user revokes all of the user's families except those of one session",
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
    name: "revoke() by user skips an expired family",
    async run({ store, clock }) {
      await store.create({ ...newFamily("f1"), familyExpiresAt: TOKEN_END });
      await store.create(newFamily("f2"));
      clock.set(TOKEN_END);
      await store.revoke({ sub: "u1" });
      assertEquals(await revoked(store, ["f1", "f2"]), ["f2"]);
    },
  },
  {
    name: "revoke() by user and one session revokes the families of both",
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
    name:
      "revoke() by user except an unknown session, or another user's, revokes all of the user's",
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
    name: "revoke() is permanent, idempotent, and changes no other member",
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
    name: "revoke() of unknown keys has no effect",
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
    name: "revoke() has precedence over expiry: rotate() of a revoked family is revoked",
    async run({ store, clock }) {
      await createFamily(store);
      await store.revoke({ sub: "u1" });
      clock.set(TOKEN_END);
      assertEquals(await store.rotate(rotationAt(TOKEN_END)), "revoked");
    },
  },
];
