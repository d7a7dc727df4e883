/**
 * The login throttle: how often anybody may guess, SP 800-63B-4 §3.2.2.
 *
 * Attempts are counted before they are made, under keys that are digests: no store learns an identifier or an address.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { digestText } from "../_kdf.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { randomId } from "../_random.ts";
import { addressBucket } from "./client_address.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import { canonicalIdentifier } from "../identifier.ts";
import {
  checkThrottleRule,
  type LoginThrottle,
  type ThrottleKey,
  type ThrottleRule,
} from "./rule.ts";

/** What is counted, and how. */
export interface ThrottleRules {
  /** One account from one address, or in one known browser. @default 5 free, then 30 s doubling to 1 h */
  readonly browser: ThrottleRule;
  /** One account from all addresses together. @default 100 in an hour */
  readonly account: ThrottleRule;
  /** One account in all its known browsers together. @default 100 in an hour */
  readonly known: ThrottleRule;
  /** All accounts from one address; IPv6 by /64. @default 50 in 15 minutes */
  readonly address: ThrottleRule;
  /** Registrations from one address. @default 20 in an hour */
  readonly registration: ThrottleRule;
}

/** Options of {@linkcode throttleService}. */
export interface ThrottleServiceOptions {
  /** Keeps the counts. The one in memory counts for its process alone. */
  readonly store: LoginThrottle;
  /** Signs known browsers, and makes digests of what is counted. */
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  /** Rules in place of the defaults. */
  readonly rules?: Partial<ThrottleRules> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of refusals. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Who tries to sign in. */
export interface LoginClient {
  /**
   * Address of the client, as {@linkcode clientAddressReader} tells it. `undefined` says that it is not known: then the
   * account alone is counted, and registrations are not.
   */
  readonly address: string | undefined;
  /**
   * Value of the cookie by which a browser is known, as {@linkcode ThrottleService.issueDevice} made it. Without it, others
   * at the same address use up the account's attempts from there.
   */
  readonly device?: string | undefined;
}

/** What a known browser is known by: a user, until the user's credentials change. */
export interface KnownUser {
  /** What the user signs in by, in its canonical form. */
  readonly identifier: string;
  /** Changes with the user's credentials; devices that were trusted before are unknown again. */
  readonly securityStamp: string;
}

/** An attempt that may be made, and is counted. */
export interface LoginReservation {
  /**
   * Says whom the attempt names. A browser that was known before the user's credentials changed counts as any other.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   */
  confirm(user: KnownUser | null): Promise<void>;
  /** Says that it succeeded. */
  succeed(): Promise<void>;
}

/** Decides who may try to sign in. */
export interface ThrottleService {
  /**
   * Counts an attempt to sign in, before anything is read: how long it takes tells nothing of the account.
   *
   * @param account What was given as identifier, of an account that exists or not.
   * @throws {AuthError} `throttled`, with `Retry-After`; `invalid_identifier`.
   * @throws {TypeError} If the address is none.
   */
  login(account: string, client: LoginClient): Promise<LoginReservation>;
  /**
   * Counts a registration.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is none.
   */
  registration(client: LoginClient): Promise<void>;
  /**
   * Makes the value of a cookie by which a browser is known after a success: it has a count of its own, so that nobody
   * else's attempts lock its user out. It ends with the user's security stamp.
   */
  issueDevice(user: KnownUser): Promise<string>;
}

/** SP 800-63B-4 §3.2.2 wants no more than 100 failures in a row; how soon they are forgotten is our choice. */
const RULES: ThrottleRules = {
  browser: { kind: "backoff", free: 5, wait: 30, maxWait: 3_600, forget: 86_400 },
  account: { kind: "window", limit: 100, seconds: 3_600 },
  known: { kind: "window", limit: 100, seconds: 3_600 },
  address: { kind: "window", limit: 50, seconds: 900 },
  registration: { kind: "window", limit: 20, seconds: 3_600 },
};

const RULE_NAMES: OptionNames<ThrottleRules> = {
  browser: true,
  account: true,
  known: true,
  address: true,
  registration: true,
};

/** `<id>.<stamp>.<mac>`: 16 random bytes, the digest of the user's stamp, and HMAC-SHA-256. */
const DEVICE_REGEXP = /^([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/;

/** A browser that was known to a user with a certain stamp. */
interface KnownDevice {
  readonly id: string;
  readonly stampHash: string;
}

/**
 * Creates a throttle.
 *
 * @throws {TypeError} If store or keys are missing, or a rule is of no known kind.
 * @throws {RangeError} If a rule lacks a number, or has one that is no integer from 1 on.
 */
export function throttleService(options: ThrottleServiceOptions): ThrottleService {
  const { store, keys, events, warn } = options;
  if (typeof store?.reserve !== "function" || typeof keys?.sign !== "function") {
    throw new TypeError(
      "Cannot create throttle: store or keys are missing; deriveKeys() makes keys",
    );
  }
  const now = createClock(options.now);
  const rules: ThrottleRules = { ...RULES, ...options.rules };
  rejectUnknownOptions("Cannot create throttle", rules, RULE_NAMES);
  for (const [name, rule] of Object.entries(rules)) checkThrottleRule(name, rule);
  const emit = createEmitter({ events, now, warn });

  async function claim(rule: keyof ThrottleRules, ...counted: string[]): Promise<ThrottleKey> {
    const digest = await keys.sign("throttle", joinFields([rule, ...counted]));
    return { key: encodeBase64Url(digest.slice(0, 16)), rule: rules[rule] };
  }

  async function unknownDeviceKeys(account: string, client: LoginClient): Promise<ThrottleKey[]> {
    const bucket = bucketOf(client.address);
    if (bucket === undefined) return [await claim("account", account)];
    return await Promise.all([
      claim("browser", "address", account, bucket),
      claim("account", account),
      claim("address", bucket),
    ]);
  }

  async function knownDevice(account: string, cookie = ""): Promise<KnownDevice | undefined> {
    const [, id = "", stampHash = "", mac = ""] = DEVICE_REGEXP.exec(cookie) ?? [];
    if (id === "") return undefined;
    const fields = joinFields([account, id, stampHash]);
    const known = await keys.verify("device", fields, decodeOrNothing(mac));
    return known ? { id, stampHash } : undefined;
  }

  async function reserve(
    attempt: "login" | "registration",
    claims: readonly ThrottleKey[],
    { address }: LoginClient,
  ): Promise<number> {
    const at = now();
    const decision = await store.reserve(claims, at);
    if (decision.allowed) return at;
    const { retryAfter } = decision;
    emit("login.throttled", { attempt, retryAfter, address });
    throw new AuthError("throttled", {
      detail: "Too many attempts",
      headers: { "Retry-After": String(retryAfter) },
    });
  }

  return Object.freeze({
    async login(account: string, client: LoginClient) {
      const canonical = canonicalIdentifier(account);
      const device = await knownDevice(canonical, client.device);
      let claims = device === undefined
        ? await unknownDeviceKeys(canonical, client)
        : [await claim("browser", "device", canonical, device.id)];
      const reservedAt = await reserve("login", claims, client);
      return {
        async confirm(user: KnownUser | null) {
          if (device === undefined) return;
          const stampHash = user === null ? "" : await digestText(user.securityStamp);
          const others = stampHash === device.stampHash
            ? [await claim("known", canonical)]
            : await unknownDeviceKeys(canonical, client);
          await reserve("login", others, client);
          claims = [...claims, ...others];
        },
        async succeed() {
          const counted = claims;
          claims = []; // twice would give back an attempt that nobody counted
          if (counted.length > 0) await store.succeed(counted, reservedAt);
        },
      };
    },
    async registration(client: LoginClient) {
      const bucket = bucketOf(client.address);
      if (bucket === undefined) return; // nobody shares a count with everybody
      await reserve("registration", [await claim("registration", bucket)], client);
    },
    async issueDevice({ identifier, securityStamp }: KnownUser) {
      const [id, stampHash] = [randomId(), await digestText(securityStamp)];
      const account = canonicalIdentifier(identifier);
      const mac = await keys.sign("device", joinFields([account, id, stampHash]));
      return `${id}.${stampHash}.${encodeBase64Url(mac)}`;
    },
  });
}

/** A header field taken as it came would give every request a count of its own. */
function bucketOf(address = ""): string | undefined {
  if (address === "") return undefined;
  const bucket = addressBucket(address);
  if (bucket !== undefined) return bucket;
  throw new TypeError(
    "Cannot count attempt: the address is no IP address; clientAddressReader() tells it",
  );
}

function decodeOrNothing(mac: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64Url(mac);
  } catch {
    return new Uint8Array(); // verifies for nothing
  }
}
