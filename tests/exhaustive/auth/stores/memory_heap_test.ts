/** That storage in memory frees what it removes: more records than the heap has room for. */

import { assertEquals } from "@std/assert";
import { inMemoryAuthStores } from "../../../../auth/stores/memory.ts";
import type { ThrottleKey, ThrottleRule } from "../../../../auth/throttle/rule.ts";
import { START } from "../../../auth/stores/_store_records.ts";

for (
  const kind of [
    "sessions",
    "touched sessions",
    "revoked sessions",
    "states",
    "refresh families",
    "throttle keys",
  ]
) {
  Deno.test(`inMemoryAuthStores() frees the memory of ${kind} that expire or are revoked`, async () => {
    // The heap has room for less than half of them
    const script = new URL("./_memory_main.ts", import.meta.url).href;
    const flags = ["--no-prompt", "--no-lock", "--v8-flags=--max-old-space-size=24"];
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", ...flags, script, kind, "100000"],
      stderr: "null",
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "done\n");
  });
}

const HUNDRED: ThrottleRule = { kind: "window", limit: 100, seconds: 3_600 };

function one(key: string): ThrottleKey {
  return { key, rule: HUNDRED };
}

Deno.test("throttle.reserve() remembers 99 attempts under one key through 200,000 other keys", async () => {
  const { throttle } = inMemoryAuthStores({ now: () => START });
  for (let i = 0; i < 99; i++) await throttle.reserve(one("victim"), [], START);
  for (let i = 0; i < 200_000; i++) await throttle.reserve(one(`other ${i}`), [], START);
  const allowed = [];
  for (let i = 0; i < 2; i++) {
    allowed.push((await throttle.reserve(one("victim"), [], START)).allowed);
  }
  assertEquals(allowed, [true, false]);
});
