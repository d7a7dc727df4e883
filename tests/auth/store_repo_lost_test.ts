/** What the stores over an adapter do where somebody else was first. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AuthError } from "../../auth/error.ts";
import { repoLoginThrottle, repoRefreshTokenStore } from "../../auth/store_repo.ts";
import type { StorageAdapter } from "../../auth/storage_adapter.ts";
import { memoryAdapter } from "../contracts/_memory_adapter.ts";
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
  const waits: number[] = [];
  const { setTimeout } = globalThis;
  globalThis.setTimeout = Object.assign((run: () => void, ms?: number) => {
    waits.push(ms ?? 0);
    return setTimeout(run, 0);
  }, setTimeout);
  try {
    const { code, reason } = await assertRejects(
      () => refreshTokens.revoke({ familyId: FAMILY.id }),
      AuthError,
    );
    assertEquals([code, reason], ["service_unavailable", "record_contended"]);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assert(tried >= 50, `${tried} times`);
  assertEquals(waits.length, tried);
  for (const [attempt, ms] of waits.entries()) {
    assert(ms >= 0 && ms <= Math.min(50, 2 ** attempt), `${ms} ms before attempt ${attempt + 2}`);
  }
  assert(waits.some((ms) => ms > 25), "those who met do not meet again");
  assert(new Set(waits).size > 10, "nor do they wait as long as each other");
});

Deno.test("repoLoginThrottle() takes back what it counted where a later key is lost", async () => {
  // The second key's record is changed between reading and writing, once: the first key's count must not stay
  for (
    const rule of [
      { kind: "window", limit: 2, seconds: 60 },
      { kind: "backoff", free: 2, wait: 30, maxWait: 60, forget: 600 },
    ] as const
  ) {
    const inner = memoryAdapter({ now });
    const { atomic } = inner;
    assert(atomic !== undefined);
    let interfered = false;
    const adapter: StorageAdapter = {
      ...inner,
      atomic: {
        async cas(collection, key, expected, next) {
          if (key === "b" && !interfered) {
            interfered = true;
            await inner.put(collection, key, {
              value: { failures: 0, lockedUntil: 0, expiresAt: START + 60 },
            });
          }
          return await atomic.cas(collection, key, expected, next);
        },
      },
    };
    const throttle = repoLoginThrottle({ adapter });
    const [a, b] = [{ key: "a", rule }, { key: "b", rule }];
    assertEquals(await throttle.reserve([a, b], START), { allowed: true });
    assert(interfered);
    assertEquals(
      (await inner.get("throttle", "a"))?.value,
      (await inner.get("throttle", "b"))?.value,
    );
    assertEquals(await throttle.reserve([a], START), { allowed: true }, "one attempt was counted");
  }
});

Deno.test("repoLoginThrottle() waits for none that hangs", async () => {
  const inner = memoryAdapter({ now });
  const hanging = Promise.withResolvers<null>();
  let asked = 0;
  const throttle = repoLoginThrottle({
    adapter: {
      ...inner,
      get: (...args) => asked++ === 0 ? hanging.promise : inner.get(...args),
    },
  });
  const claims = [{ key: "k", rule: { kind: "window", limit: 9, seconds: 60 } }] as const;
  const first = throttle.reserve(claims, START);
  assertEquals(await throttle.reserve(claims, START), { allowed: true });
  hanging.resolve(null);
  assertEquals(await first, { allowed: true });
});
