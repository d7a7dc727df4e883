/**
 * The login throttle: how often anybody may guess, SP 800-63B-4 §3.2.2.
 *
 * Attempts are counted before they are made, under keys that are digests: no store learns an identifier or an address.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "./_base64url.ts";
import { joinFields } from "./_bytes.ts";
import { nowSeconds } from "./_clock.ts";
import { createEmitter } from "./_emit.ts";
import { randomId } from "./_random.ts";
import { addressBucket } from "./client_address.ts";
import type { DerivedKeys } from "./derived_keys.ts";
import { AuthError } from "./error.ts";
import type { AuthEventListener } from "./events.ts";
import type { LoginThrottle } from "./store_types.ts";
import type { ThrottleClaim, ThrottleRule } from "./throttle_rule.ts";

/** What is counted, and how. */
export interface ThrottleRules {
  /** One account from one address, or in one known browser. @default 5 free, then 30 s doubling to 1 h */
  readonly browser: ThrottleRule;
  /** One account from all addresses together; known browsers apart. @default 100 in an hour */
  readonly account: ThrottleRule;
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
  readonly keys: DerivedKeys;
  /** Rules in place of the defaults. */
  readonly rules?: Partial<ThrottleRules>;
  /** The time, in seconds since the epoch. */
  readonly now?: () => number;
  /** Is told of refusals. */
  readonly events?: AuthEventListener;
  /** Is told of a listener that fails. @default console.warn */
  readonly warn?: (message: string) => void;
}

/** Who tries to sign in. */
export interface LoginClient {
  /** Address of the client; without one, the account alone is counted. */
  readonly address?: string | undefined;
  /** Value of the cookie by which a browser is known, as {@linkcode ThrottleService.issueDevice} made it. */
  readonly device?: string | undefined;
}

/** An attempt that may be made, and is counted. */
export interface LoginReservation {
  /** Says that it succeeded. */
  succeed(): Promise<void>;
}

/** Decides who may try to sign in. */
export interface ThrottleService {
  /**
   * Counts an attempt to sign in.
   *
   * @param account The canonical identifier, of an account that exists or not.
   * @throws {AuthError} `throttled`, with `Retry-After`.
   */
  login(account: string, client?: LoginClient): Promise<LoginReservation>;
  /** Counts a registration. @throws {AuthError} `throttled`, with `Retry-After`. */
  registration(client?: LoginClient): Promise<void>;
  /**
   * Makes the value of a cookie by which a browser is known after a success: it has a count of its own, so that nobody
   * else's attempts lock its user out.
   *
   * @param account The canonical identifier.
   */
  issueDevice(account: string): Promise<string>;
}

/** SP 800-63B-4 §3.2.2 allows 100 failures of an account; the others keep one place from getting there alone. */
const RULES: ThrottleRules = {
  browser: { kind: "backoff", free: 5, wait: 30, maxWait: 3_600, forget: 86_400 },
  account: { kind: "window", limit: 100, seconds: 3_600 },
  address: { kind: "window", limit: 50, seconds: 900 },
  registration: { kind: "window", limit: 20, seconds: 3_600 },
};

/** `<id>.<mac>`: 16 random bytes, and 32 of HMAC-SHA-256. */
const DEVICE_REGEXP = /^([\w-]{22})\.([\w-]{43})$/;

/**
 * Creates a throttle.
 *
 * @throws {TypeError} If a rule is of no known kind.
 * @throws {RangeError} If a rule lacks a number, or has one that is no integer from 1 on.
 */
export function throttleService(options: ThrottleServiceOptions): ThrottleService {
  const { store, keys, events, warn, now = nowSeconds } = options;
  const rules: ThrottleRules = { ...RULES, ...options.rules };
  for (const [name, rule] of Object.entries(rules)) checkRule(name, rule);
  const emit = createEmitter({ events, now, warn });

  async function claim(rule: keyof ThrottleRules, ...counted: string[]): Promise<ThrottleClaim> {
    const digest = await keys.sign("throttle", joinFields([rule, ...counted]));
    return { key: encodeBase64Url(digest.slice(0, 16)), rule: rules[rule] };
  }

  async function loginClaims(account: string, client: LoginClient): Promise<ThrottleClaim[]> {
    const device = await knownDevice(account, client.device);
    if (device !== undefined) return [await claim("browser", "device", account, device)];
    const { address = "" } = client;
    if (address === "") return [await claim("account", account)];
    const bucket = addressBucket(address);
    return await Promise.all([
      claim("browser", "address", account, bucket),
      claim("account", account),
      claim("address", bucket),
    ]);
  }

  async function knownDevice(account: string, cookie = ""): Promise<string | undefined> {
    const [, id = "", mac = ""] = DEVICE_REGEXP.exec(cookie) ?? [];
    if (id === "") return undefined;
    const known = await keys.verify("device", joinFields([account, id]), decodeOrNothing(mac));
    return known ? id : undefined;
  }

  async function reserve(
    attempt: "login" | "registration",
    claims: readonly ThrottleClaim[],
    { address }: LoginClient,
  ): Promise<void> {
    const decision = await store.reserve(claims, now());
    if (decision.allowed) return;
    const { retryAfter } = decision;
    emit("login.throttled", { attempt, retryAfter, ...(address === undefined ? {} : { address }) });
    throw new AuthError("throttled", {
      detail: "Too many attempts",
      headers: { "Retry-After": String(retryAfter) },
    });
  }

  return Object.freeze({
    async login(account: string, client: LoginClient = {}) {
      const claims = await loginClaims(account, client);
      await reserve("login", claims, client);
      let open = true;
      return {
        async succeed() {
          if (!open) return; // twice would give back an attempt that nobody counted
          open = false;
          await store.succeed(claims, now());
        },
      };
    },
    async registration(client: LoginClient = {}) {
      const { address = "" } = client;
      if (address === "") return; // nobody shares a count with everybody
      const claims = [await claim("registration", addressBucket(address))];
      await reserve("registration", claims, client);
    },
    async issueDevice(account: string) {
      const id = randomId();
      const mac = await keys.sign("device", joinFields([account, id]));
      return `${id}.${encodeBase64Url(mac)}`;
    },
  });
}

function decodeOrNothing(mac: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64Url(mac);
  } catch {
    return new Uint8Array(); // verifies for nothing
  }
}

/** The numbers of each kind of rule; one that is missing would make a rule that never refuses. */
const RULE_NUMBERS: { readonly [K in ThrottleRule["kind"]]: readonly string[] } = {
  backoff: ["free", "wait", "maxWait", "forget"],
  window: ["limit", "seconds"],
};

function checkRule(name: string, rule: ThrottleRule | undefined): void {
  const numbers = new Map(Object.entries(RULE_NUMBERS)).get(rule?.kind ?? "");
  if (rule === undefined || numbers === undefined) {
    throw new TypeError(`Cannot create throttle: rule ${name} is neither backoff nor window`);
  }
  for (const member of numbers) {
    const value: unknown = Reflect.get(rule, member);
    if (!Number.isSafeInteger(value) || Number(value) < 1) {
      throw new RangeError(`Cannot create throttle: ${member} of rule ${name} is not 1 or more`);
    }
  }
}
