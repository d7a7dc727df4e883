/**
 * The login throttle, which limits password guessing, SP 800-63B-4 §3.2.2.
 *
 * Attempts are counted before they are made. The keys are digests: stores do not see identifiers or addresses.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { digestText } from "../_kdf.ts";
import { randomId } from "../_random.ts";
import { addressBucket } from "./client_address.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import type { Identifier } from "../identifier.ts";
import {
  checkThrottleRule,
  type LoginThrottle,
  type ThrottleKey,
  type ThrottleRule,
} from "./rule.ts";

/** The rule for each kind of count. */
export interface ThrottleRules {
  /** One account from one address, or on one known device. @default 5 free, then 30 s doubling to 1 h */
  readonly browser: ThrottleRule;
  /** One account from all addresses. @default 100 per hour */
  readonly account: ThrottleRule;
  /** One account on all its known devices. @default 100 per hour */
  readonly known: ThrottleRule;
  /** All accounts from one address; IPv6 by /64. @default 50 per 15 minutes */
  readonly address: ThrottleRule;
  /** Registrations from one address. @default 20 per hour */
  readonly registration: ThrottleRule;
}

/** Options of {@linkcode throttleService}. */
export interface ThrottleServiceOptions {
  /** Persists the counts. The in-memory store counts for one process only. */
  readonly store: LoginThrottle;
  /** Signs device cookies, and computes the digests of keys. */
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  /** Rules that replace defaults. */
  readonly rules?: Partial<ThrottleRules> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** The client that attempts to sign in. */
export interface LoginClient {
  /**
   * Address of the client, from {@linkcode clientAddressReader}. If it is `undefined` (unknown), only the account is
   * counted, and registrations are not.
   */
  readonly address: string | undefined;
  /**
   * Value of the device cookie, created by {@linkcode ThrottleService.issueDevice}. Without it, attempts of other clients
   * with the same address count against the user.
   */
  readonly device?: string | undefined;
}

/** The user of a known device. */
export interface KnownUser {
  /** The identifier, in its canonical form. */
  readonly identifier: string;
  /** The security stamp. When it changes, known devices become unknown. */
  readonly securityStamp: string;
}

/** An attempt that is allowed and counted. */
export interface LoginReservation {
  /**
   * Passes the user of the attempt. A device that was known before the security stamp changed counts as unknown.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   */
  confirm(user: KnownUser | null): Promise<void>;
  /** Records that the attempt succeeded. */
  succeed(): Promise<void>;
}

/** Limits attempts to sign in and to register. */
export interface ThrottleService {
  /**
   * Counts an attempt to sign in. It reads no account, so that its duration reveals nothing.
   *
   * @param account The given identifier, of an existing account or not.
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  login(account: Identifier, client: LoginClient): Promise<LoginReservation>;
  /**
   * Counts a registration.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  registration(client: LoginClient): Promise<void>;
  /**
   * Creates the value of a device cookie after a successful login. Attempts on a known device are counted separately, so
   * that attempts of others do not lock the user out. It is valid until the user's security stamp changes.
   */
  issueDevice(user: KnownUser): Promise<string>;
}

/** The number of SP 800-63B-4 §3.2.2 (100 consecutive failures), but in a window of an hour. */
const RULES: ThrottleRules = {
  browser: { kind: "backoff", free: 5, wait: 30, maxWait: 3_600, forget: 86_400 },
  account: { kind: "window", limit: 100, seconds: 3_600 },
  known: { kind: "window", limit: 100, seconds: 3_600 },
  address: { kind: "window", limit: 50, seconds: 900 },
  registration: { kind: "window", limit: 20, seconds: 3_600 },
};

/** `<id>.<stamp>.<mac>`: 16 random bytes, the digest of the security stamp, and HMAC-SHA-256. */
const DEVICE_REGEXP = /^([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/;

/** A verified device cookie. */
interface KnownDevice {
  readonly id: string;
  readonly stampHash: string;
}

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
      "Cannot create throttle: store or keys are missing; deriveKeys() creates keys",
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

  async function unknownDeviceKeys(
    account: Identifier,
    client: LoginClient,
  ): Promise<ThrottleKey[]> {
    const bucket = bucketOf(client.address);
    if (bucket === undefined) return [await keyOf("account", account)];
    return await Promise.all([
      keyOf("browser", "address", account, bucket),
      keyOf("account", account),
      keyOf("address", bucket),
    ]);
  }

  async function knownDevice(account: Identifier, cookie = ""): Promise<KnownDevice | undefined> {
    const [, id = "", stampHash = "", mac = ""] = DEVICE_REGEXP.exec(cookie) ?? [];
    if (id === "") return undefined;
    const fields = joinFields([account, id, stampHash]);
    const known = await keys.verify("device", fields, decodeOrEmpty(mac));
    return known ? { id, stampHash } : undefined;
  }

  async function reserve(
    attempt: "login" | "registration",
    counted: readonly ThrottleKey[],
    { address }: LoginClient,
  ): Promise<number> {
    const at = now();
    const decision = await store.reserve(counted, at);
    if (decision.allowed) return at;
    const { retryAfter } = decision;
    emit("login.throttled", { attempt, retryAfter, address });
    throw new AuthError("throttled", {
      detail: "Too many attempts",
      headers: { "Retry-After": String(retryAfter) },
    });
  }

  return Object.freeze({
    async login(account: Identifier, client: LoginClient) {
      const device = await knownDevice(account, client.device);
      let counted = device === undefined
        ? await unknownDeviceKeys(account, client)
        : [await keyOf("browser", "device", account, device.id)];
      const reservedAt = await reserve("login", counted, client);
      return {
        async confirm(user: KnownUser | null) {
          if (device === undefined) return;
          const stampHash = user === null ? "" : await digestText(user.securityStamp);
          const others = stampHash === device.stampHash
            ? [await keyOf("known", account)]
            : await unknownDeviceKeys(account, client);
          await reserve("login", others, client);
          counted = [...counted, ...others];
        },
        async succeed() {
          const taken = counted;
          counted = []; // a second call must not take back another attempt
          if (taken.length > 0) await store.succeed(taken, reservedAt);
        },
      };
    },
    async registration(client: LoginClient) {
      const bucket = bucketOf(client.address);
      if (bucket === undefined) return; // clients without an address must not share one count
      await reserve("registration", [await keyOf("registration", bucket)], client);
    },
    async issueDevice({ identifier, securityStamp }: KnownUser) {
      const [id, stampHash] = [randomId(), await digestText(securityStamp)];
      const mac = await keys.sign("device", joinFields([identifier, id, stampHash]));
      return `${id}.${stampHash}.${encodeBase64Url(mac)}`;
    },
  });
}

/** An unchecked header field would give every request its own count. */
function bucketOf(address = ""): string | undefined {
  if (address === "") return undefined;
  const bucket = addressBucket(address);
  if (bucket !== undefined) return bucket;
  throw new TypeError(
    "Cannot count attempt: address must be an IP address, from clientAddressReader()",
  );
}

function decodeOrEmpty(mac: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64Url(mac);
  } catch {
    return new Uint8Array(); // verifies never
  }
}
