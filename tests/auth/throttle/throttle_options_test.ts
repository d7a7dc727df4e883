import { assertEquals, assertThrows } from "@std/assert";
import {
  type ThrottleRules,
  throttleService,
  type ThrottleServiceOptions,
} from "../../../auth/throttle/throttle_service.ts";
import { canonical, CLIENT, createServices, repeat, waitOf } from "../_services.ts";

const RULES: readonly [why: string, rules: unknown, error: typeof RangeError | typeof TypeError][] =
  [
    ["no attempt is free", { browser: { ...backoff(), free: 0 } }, RangeError],
    ["a wait is no number", { browser: { ...backoff(), wait: NaN } }, RangeError],
    [
      "a wait is missing",
      { browser: { kind: "backoff", free: 5, maxWait: 60, forget: 60 } },
      RangeError,
    ],
    ["the longest wait is endless", { browser: { ...backoff(), maxWait: Infinity } }, RangeError],
    ["nothing is forgotten", { browser: { ...backoff(), forget: -1 } }, RangeError],
    [
      "a window is endless",
      { account: { kind: "window", limit: 5, seconds: Infinity } },
      RangeError,
    ],
    ["a limit is a fraction", { account: { kind: "window", limit: 0.5, seconds: 60 } }, RangeError],
    ["a limit is missing", { address: { kind: "window", seconds: 60 } }, RangeError],
    ["a limit is spelt wrongly", { address: { kind: "window", limt: 5, seconds: 60 } }, RangeError],
    ["a limit is a text", { address: { kind: "window", limit: "5", seconds: 60 } }, RangeError],
    ["a kind is unknown", { registration: { kind: "leaky", limit: 5, seconds: 60 } }, TypeError],
    ["a kind is a member of every object", { registration: { kind: "constructor" } }, TypeError],
    ["a rule is absent", { registration: undefined }, TypeError],
    ["a rule is null", { registration: null }, TypeError],
  ];
for (const [why, rules, error] of RULES) {
  Deno.test(`throttleService() refuses rules: ${why}`, () => {
    const { stores, keys } = createServices();
    const options = { store: stores.throttle, keys, rules: rules as Partial<ThrottleRules> };
    assertThrows(() => throttleService(options), error, "Cannot create throttle");
  });
}

Deno.test("throttleService() needs a store and keys", () => {
  const { stores, keys } = createServices();
  const store = stores.throttle;
  for (
    const options of [{}, { store }, { keys }, { store: stores.users, keys }, { store, keys: {} }]
  ) {
    const given = options as unknown as ThrottleServiceOptions;
    assertThrows(() => throttleService(given), TypeError, "Cannot create throttle");
  }
});

Deno.test("throttleService() takes rules in place of some of the defaults", async () => {
  const { throttle } = createServices({ rules: { browser: { ...backoff(), free: 1, wait: 7 } } });
  await throttle.login(canonical("ada"), CLIENT);
  assertEquals(await waitOf(() => throttle.login(canonical("ada"), CLIENT)), 7);
  for (const _ of repeat(20, () => 0)) await throttle.registration(CLIENT);
  assertEquals(await waitOf(() => throttle.registration(CLIENT)), 3_600);
});

function backoff() {
  return { kind: "backoff", free: 5, wait: 30, maxWait: 60, forget: 600 } as const;
}
