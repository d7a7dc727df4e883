/**
 * The login throttle, which limits password guessing, SP 800-63B-4 §3.2.2.
 *
 * An attempt is counted for its client before it is made, and for the account and the address after it has failed. The keys are
 * digests: stores do not see identifiers or addresses.
 *
 * @module
 */

import { encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { createDevice, type KnownUser, readDevice } from "./_device_cookie.ts";
import { addressBuckets } from "./client_address.ts";
import { AuthError } from "../error.ts";
import type { Identifier } from "../identifier.ts";
import { checkThrottleRule, type ThrottleKey, type ThrottleRule } from "./rule.ts";
import type {
  LoginClient,
  ThrottleRules,
  ThrottleService,
  ThrottleServiceOptions,
} from "./throttle_types.ts";

/**
 * The limit of SP 800-63B-4 §3.2.2 is 100 consecutive failures. A week without an attempt resets it: to wait for that is slower
 * than one attempt an hour.
 */
const RULES: ThrottleRules = {
  client: { kind: "backoff", free: 5, wait: 30, maxWait: 3_600, forget: 86_400 },
  account: { kind: "backoff", free: 100, wait: 3_600, maxWait: 3_600, forget: 604_800 },
  address: { kind: "window", limit: 50, seconds: 900 },
  registration: { kind: "window", limit: 20, seconds: 3_600 },
  challenge: { kind: "window", limit: 500, seconds: 900 },
  message: { kind: "window", limit: 10, seconds: 3_600 },
  token: { kind: "window", limit: 500, seconds: 900 },
  factor: { kind: "backoff", free: 5, wait: 30, maxWait: 3_600, forget: 86_400 },
  userCode: { kind: "window", limit: 50, seconds: 900 },
};

/** What is counted for the address only. */
type AddressRule = "registration" | "challenge" | "token" | "userCode";

/** What the event of a rejected attempt names. */
type AttemptKind = "login" | "factor" | "message" | AddressRule;

/** How much more an IPv6 /48 may do than one of its networks. */
const WIDE_FACTOR = 5;

/**
 * Creates a throttle.
 *
 * @throws {TypeError} If store or keys are missing, or a rule has an unknown kind.
 * @throws {RangeError} If a number of a rule is not an integer from 1.
 */
export function throttleService(options: ThrottleServiceOptions): ThrottleService {
  const { store, keys, events, warn } = options;
  if (typeof store?.reserve !== "function" || typeof keys?.sign !== "function") {
    throw new TypeError(
      "Cannot create throttle: store or keys are missing",
    );
  }
  const now = createClock(options.now);
  const rules: ThrottleRules = { ...RULES, ...options.rules };
  for (const [name, rule] of Object.entries(rules)) checkThrottleRule(name, rule);
  const emit = createEmitter({ events, now, warn });

  async function keyOf(rule: keyof ThrottleRules, ...fields: string[]): Promise<ThrottleKey> {
    const digest = await keys.sign("throttle", joinFields([rule, ...fields]));
    return { key: encodeBase64Url(digest.slice(0, 16)), rule: rules[rule] };
  }

  /** The keys of an address: the /64 and the /48 of IPv6. */
  async function addressKeys(
    rule: "address" | AddressRule,
    buckets: readonly string[],
  ): Promise<readonly ThrottleKey[]> {
    const [narrow, ...wide] = await Promise.all(buckets.map((bucket) => keyOf(rule, bucket)));
    if (narrow === undefined) return [];
    return [narrow, ...wide.map(({ key, rule }) => ({ key, rule: widen(rule) }))];
  }

  async function reserve(
    attempt: AttemptKind,
    [key, ...others]: readonly [ThrottleKey, ...ThrottleKey[]],
    { address }: LoginClient,
  ): Promise<readonly string[]> {
    const decision = await store.reserve(key, others, now());
    if (decision.allowed) return decision.recorded;
    throw rejected(attempt, decision.retryAfter, address);
  }

  /** Clients without an address are not counted: they must not share one count. */
  async function countAddress(rule: AddressRule, client: LoginClient): Promise<void> {
    const [narrow, ...wide] = await addressKeys(rule, bucketsOf(client));
    if (narrow === undefined) return;
    for (const key of wide) await reserve(rule, [key, narrow], client);
    await reserve(rule, [narrow], client);
  }

  function rejected(
    attempt: AttemptKind,
    retryAfter: number,
    address: string | undefined,
  ): AuthError {
    emit("login.throttled", { attempt, retryAfter, address });
    return new AuthError("throttled", {
      detail: "Too many attempts",
      headers: { "Retry-After": String(retryAfter) },
    });
  }

  return Object.freeze({
    async login(account: Identifier, client: LoginClient) {
      const buckets = bucketsOf(client);
      const [bucket] = buckets;
      const device = await readDevice(keys, account, client.device);
      /** Counted by a failure: the account, and the address. */
      let others: readonly ThrottleKey[] = [];
      /** Reset by a success: the client, and the account if that has failures. */
      let resets: readonly ThrottleKey[] = [];
      return {
        account,
        device: device?.id,
        buckets,
        async reserve(user: KnownUser | null) {
          const isKnown = device !== undefined && await device.isKnownTo(user);
          const stamp = user?.securityStamp ?? ""; // guesses of an old password do not count against a new one
          const all = await keyOf("account", isKnown ? "known" : "unknown", account, stamp);
          const mine = isKnown
            ? await keyOf("client", "device", account, device.id)
            : bucket === undefined
            ? all
            : await keyOf("client", "address", account, bucket);
          const addresses = isKnown ? [] : await addressKeys("address", buckets);
          others = mine === all ? [] : [all, ...addresses];
          const recorded = await reserve("login", [mine, ...others], client);
          resets = recorded.includes(all.key) ? [mine, all] : [mine];
        },
        // Concurrent attempts have read the same count: the outcome of those beyond the account's limit is not revealed
        async fail() {
          const at = now(); // a lock that another failure has set meanwhile is not extended
          const counts = others.map((key) => store.reserve(key, [], at));
          const [counted] = await Promise.all(counts);
          if (counted?.allowed === false) {
            throw rejected("login", counted.retryAfter, client.address);
          }
        },
        async succeed() {
          const [, all] = resets;
          const retryAfter = all === undefined ? 0 : await store.wait(all, now());
          if (retryAfter > 0) throw rejected("login", retryAfter, client.address);
          await Promise.all(resets.map(({ key }) => store.reset(key)));
        },
      };
    },
    registration: (client: LoginClient) => countAddress("registration", client),
    challenge: (client: LoginClient) => countAddress("challenge", client),
    async message(recipient: string, client: LoginClient) {
      await countAddress("challenge", client);
      await reserve("message", [await keyOf("message", recipient)], client);
    },
    async token(client: LoginClient) {
      const counted = await addressKeys("token", bucketsOf(client));
      const waits = await Promise.all(counted.map((key) => store.wait(key, now())));
      const retryAfter = Math.max(0, ...waits);
      if (retryAfter > 0) throw rejected("token", retryAfter, client.address);
      return {
        async fail() {
          for (const key of counted) await store.reserve(key, [], now());
        },
      };
    },
    async factor(sub: string, client: LoginClient) {
      const key = await keyOf("factor", sub);
      await reserve("factor", [key], client);
      return { succeed: () => store.reset(key.key) };
    },
    async userCode(sub: string | undefined, client: LoginClient) {
      await countAddress("userCode", client);
      if (sub !== undefined) await reserve("userCode", [await keyOf("userCode", "", sub)], client);
    },
    async issueDevice(user: KnownUser, presented?: string) {
      const device = await readDevice(keys, user.identifier, presented);
      return presented !== undefined && await device?.isKnownTo(user)
        ? presented
        : await createDevice(keys, user);
    },
  });
}

function widen(rule: ThrottleRule): ThrottleRule {
  switch (rule.kind) {
    case "backoff":
      return { ...rule, free: rule.free * WIDE_FACTOR };
    case "window":
      return { ...rule, limit: rule.limit * WIDE_FACTOR };
  }
}

/** An unchecked header field would give every request its own count. */
function bucketsOf({ address = "" }: LoginClient): readonly string[] {
  if (address === "") return [];
  const buckets = addressBuckets(address);
  if (buckets !== undefined) return buckets;
  throw new TypeError(
    "Cannot count attempt: address must be an IP address",
  );
}
