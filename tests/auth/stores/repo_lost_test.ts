/** What a store over an adapter does where somebody else is first each time. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import { repoRefreshTokenStore } from "../../../auth/stores/repo.ts";
import { memoryAdapter } from "../../contracts/_memory_adapter.ts";
import { pausesOf } from "../_pauses.ts";
import { FAMILY, START } from "./_store_records.ts";

const now = () => START;

Deno.test("repoRefreshTokenStore() gives up where somebody else is first each time", async () => {
  let tried = 0;
  const inner = memoryAdapter({ now });
  const refreshTokens = repoRefreshTokenStore({
    adapter: {
      ...inner,
      get: () => Promise.resolve({ value: FAMILY, version: "1" }),
      atomic: {
        cas() {
          tried++;
          return Promise.resolve({ status: "lost" });
        },
      },
    },
  });
  const waits = await pausesOf(async () => {
    const revoking = () => refreshTokens.revoke({ familyId: FAMILY.id });
    const { code, reason } = await assertRejects(revoking, AuthError);
    assertEquals([code, reason], ["service_unavailable", "record_contended"]);
  });
  assert(tried >= 50, `${tried} times`);
  assertEquals(waits.length, tried);
  for (const [attempt, ms] of waits.entries()) {
    assert(ms >= 0 && ms <= Math.min(50, 2 ** attempt), `${ms} ms before attempt ${attempt + 2}`);
  }
  assert(waits.some((ms) => ms > 25), "those who met do not meet again");
  assert(new Set(waits).size > 10, "nor do they wait as long as each other");
});
