/** One client that signs in all the time, over 90 connections, in processes of their own. */

import { assert, assertEquals } from "@std/assert";
import { type LoginTimes, measureAttack } from "../../../bench/_login_attack.ts";

const SECONDS = 12;

function succeeded({ statuses }: LoginTimes): number {
  return (statuses[200] ?? 0) / Object.values(statuses).reduce((sum, count) => sum + count, 0);
}

Deno.test("[issue 20] 90 connections with correct logins from one address → others sign in, known devices always", async () => {
  const { victim, known, neighbour } = await measureAttack({ seconds: SECONDS });
  assert(succeeded(victim) >= 0.95, JSON.stringify(victim.statuses));
  assertEquals(Object.keys(known.statuses), ["200"]);
  assertEquals(Object.keys(neighbour.statuses), ["200"]);
  for (const { durations } of [victim, known]) {
    assert((durations.at(-1) ?? Infinity) < SECONDS * 1_000 / 2, "a login took half of the time");
  }
});
