/**
 * Types of the login throttle.
 *
 * @module
 */

import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { Identifier } from "../identifier.ts";
import type { KnownUser } from "./_device_cookie.ts";
import type { LoginThrottle, ThrottleRule } from "./rule.ts";

export type { KnownUser };

/** The rule for each kind of count. A rule of addresses allows five times as much for an IPv6 /48. */
export interface ThrottleRules {
  /**
   * Attempts at one account by one client, a known device or else an address. Counted before the attempt; a success resets it.
   *
   * @default 5 free, then 30 s doubling to 1 h
   */
  readonly client: ThrottleRule;
  /**
   * Consecutive failures at one account by all unknown devices; their next success, and a new password, reset it. Those of
   * known devices are counted separately, so that strangers cannot lock them out. Passkeys are not limited by it.
   *
   * @default 100, then one attempt per hour
   */
  readonly account: ThrottleRule;
  /** Failures from one address at all accounts, except on known devices. @default 50 per 15 minutes */
  readonly address: ThrottleRule;
  /** Registrations from one address. @default 20 per hour */
  readonly registration: ThrottleRule;
  /**
   * What is begun from one address and stored until it expires: ceremonies of passkeys, sign-ins with providers, and requests to an
   * authorization server.
   *
   * @default 500 per 15 minutes
   */
  readonly challenge: ThrottleRule;
  /** Messages to one recipient, asked for by all clients. They also count as what is begun from an address. @default 10 per hour */
  readonly message: ThrottleRule;
  /** Refused requests to the token endpoint of an authorization server from one address. @default 500 per 15 minutes */
  readonly token: ThrottleRule;
  /**
   * Attempts at the second factor of one account, by all clients. Counted before the attempt; a success resets it. They need the
   * password or another first factor.
   *
   * @default 5 free, then 30 s doubling to 1 h
   */
  readonly factor: ThrottleRule;
  /** User codes of devices, RFC 8628, that one user or one address enters, right or wrong. @default 50 per 15 minutes */
  readonly userCode: ThrottleRule;
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
   * counted, before each attempt, and registrations are not.
   */
  readonly address: string | undefined;
  /**
   * Value of the device cookie, created by {@linkcode ThrottleService.issueDevice}. Without it, attempts of other clients
   * with the same address count against the user.
   */
  readonly device?: string | undefined;
}

/** An attempt to sign in. */
export interface LoginAttempt {
  /** The given identifier. */
  readonly account: Identifier;
  /** The id of the device, if the device cookie is one of the account. */
  readonly device?: string | undefined;
  /** The {@linkcode addressBuckets} of the client; none if its address is unknown. */
  readonly buckets: readonly string[];
  /**
   * Counts the attempt for its client, or rejects it. A device that was known before the security stamp changed counts as
   * unknown.
   *
   * @param user The user of the account, if there is one: an unknown account is counted like any other.
   * @throws {AuthError} `throttled`, with `Retry-After`.
   */
  reserve(user: KnownUser | null): Promise<void>;
  /**
   * Counts the failure of the attempt for the account and the address.
   *
   * @throws {AuthError} `throttled`, if concurrent failures have reached the limit of the account.
   */
  fail(): Promise<void>;
  /** Records that the attempt succeeded. @throws {AuthError} `throttled`, as `fail()`. */
  succeed(): Promise<void>;
}

/** A request to the token endpoint. */
export interface TokenAttempt {
  /** Counts that the request was refused. */
  fail(): Promise<void>;
}

/** An attempt at a second factor. */
export interface FactorAttempt {
  /** Records that the attempt succeeded. */
  succeed(): Promise<void>;
}

/** Limits attempts to sign in and to register. */
export interface ThrottleService {
  /**
   * Identifies the client of an attempt to sign in, without reading or counting.
   *
   * @param account The given identifier, of an existing account or not.
   * @throws {TypeError} If the address is not an IP address.
   */
  login(account: Identifier, client: LoginClient): Promise<LoginAttempt>;
  /**
   * Counts a registration.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  registration(client: LoginClient): Promise<void>;
  /**
   * Counts a ceremony of passkeys, whose challenge is stored until it expires.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  challenge(client: LoginClient): Promise<void>;
  /**
   * Counts a message to a recipient, whether or not there is such an account.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  message(recipient: string, client: LoginClient): Promise<void>;
  /**
   * Rejects a request to the token endpoint if too many from the same address were refused. Only refused ones are counted: a
   * server may exchange the tokens of all its users from one address.
   *
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  token(client: LoginClient): Promise<TokenAttempt>;
  /**
   * Counts an attempt at the second factor of an account, or rejects it. Call it before the attempt: concurrent guesses are
   * limited, too.
   *
   * @param sub Subject id of the user.
   * @throws {AuthError} `throttled`, with `Retry-After`.
   */
  factor(sub: string, client: LoginClient): Promise<FactorAttempt>;
  /**
   * Counts a user code that is entered for a device, RFC 8628 §5.1, or rejects it. Call it before the code is looked up.
   *
   * @param sub Subject id of the user, if one is signed in.
   * @throws {AuthError} `throttled`, with `Retry-After`.
   * @throws {TypeError} If the address is not an IP address.
   */
  userCode(sub: string | undefined, client: LoginClient): Promise<void>;
  /**
   * Returns the value of a device cookie after a successful login: `presented` if that is valid, otherwise a new one.
   * Attempts on a known device are counted separately, so that attempts of others do not lock the user out. It is valid until
   * the user's security stamp changes.
   *
   * @param presented The device cookie of the request.
   */
  issueDevice(user: KnownUser, presented?: string): Promise<string>;
}
