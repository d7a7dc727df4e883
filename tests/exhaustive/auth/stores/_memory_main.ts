/**
 * Adds records of one kind that expire or are revoked, in a process whose heap has no room for all of them.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { inMemoryAuthStores } from "../../../../auth/stores/memory.ts";
import type { ThrottleKey } from "../../../../auth/throttle/rule.ts";

/** Lifetime of a record, in seconds; one is added each second. */
const LIFE = 1_000;
const [kind = "", count = "0"] = Deno.args;

let time = 1_700_000_000;
const now = () => time;
const { sessions, states, refreshTokens, throttle } = inMemoryAuthStores({ now });
/** Makes the indexed fields long, so that an index that is not cleaned up exceeds the heap. */
const BULK = "x".repeat(500);

async function add(i: number): Promise<void> {
  const id = `${BULK} record ${i}`;
  const sub = `${BULK} user ${i}`;
  const expiresAt = time + LIFE;
  switch (kind) {
    case "sessions":
    case "touched sessions":
    case "revoked sessions": {
      await sessions.create({
        id,
        sub,
        tokenHash: `${BULK} hash ${i}`,
        securityStamp: "stamp",
        createdAt: time,
        activeAt: time,
        expiresAt: kind === "revoked sessions" ? Number.MAX_SAFE_INTEGER : expiresAt,
        authTime: time,
        amr: ["pwd"],
      });
      if (kind === "touched sessions") await sessions.touch(id, time, time + 60);
      if (kind === "revoked sessions") await sessions.revokeAll(sub);
      return;
    }
    case "states":
      await states.put(id, { i }, expiresAt);
      return;
    case "refresh families": {
      const family = { id, sub, sessionId: `${BULK} session ${i}`, securityStamp: "stamp" };
      const begun = { createdAt: time, authTime: time, amr: ["pwd"] };
      const ends = { ...begun, expiresAt, familyExpiresAt: expiresAt };
      const secret = { currentHash: `hash ${i}`, generation: 0, revoked: false };
      await refreshTokens.create({ ...family, ...ends, ...secret });
      await refreshTokens.revoke({ familyId: id });
      return;
    }
    case "throttle keys": {
      // Locked until they expire, so that only their expiry removes them
      const claim: ThrottleKey = { key: id, rule: { kind: "window", limit: 1, seconds: LIFE } };
      await throttle.reserve(claim, [], time);
      return;
    }
  }
  throw new RangeError(`Cannot add record: unknown kind ${kind}`);
}

for (let i = 0; i < Number(count); i++, time++) await add(i);
console.log("done");
