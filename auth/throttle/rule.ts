/**
 * How attempts are counted: rules, records, and the step from one record to the next. Stores apply the step within
 * their compare-and-swap.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";

/** A few free attempts, then a wait that doubles. Reset by a success, or after a time without attempts. */
export interface BackoffRule {
  /** Discriminates rules. */
  readonly kind: "backoff";
  /** Attempts before the first wait. */
  readonly free: number;
  /** The first wait, in seconds. */
  readonly wait: number;
  /** The longest wait, in seconds. */
  readonly maxWait: number;
  /** Seconds without an attempt after which the count is reset. */
  readonly forget: number;
}

/** A number of attempts in a fixed window, which begins with the first attempt. */
export interface WindowRule {
  /** Discriminates rules. */
  readonly kind: "window";
  /** Attempts per window. */
  readonly limit: number;
  /** Length of the window, in seconds. */
  readonly seconds: number;
}

/** How attempts under one key are counted. */
export type ThrottleRule = BackoffRule | WindowRule;

/** A key and its rule. */
export interface ThrottleKey {
  /** Digest of what is counted. A key always has the same rule. */
  readonly key: string;
  /** How attempts under the key are counted. */
  readonly rule: ThrottleRule;
}

/** The record of one key. */
export interface ThrottleRecord {
  /** Counted attempts. */
  readonly failures: number;
  /** Time until which no attempt is allowed; 0 if an attempt is allowed. */
  readonly lockedUntil: number;
  /** Time from which the record counts as absent; not before `lockedUntil`. */
  readonly expiresAt: number;
}

/** Whether an attempt is allowed. */
export type ThrottleDecision =
  | {
    readonly allowed: true;
    /** Those of the other keys that have a record. */
    readonly recorded: readonly string[];
  }
  | {
    readonly allowed: false;
    /** Seconds until the next attempt is allowed, at least 1: the longest wait of all keys. */
    readonly retryAfter: number;
  };

/** Persists one record per key. */
export interface LoginThrottle {
  /**
   * Counts an attempt under a key by `throttleStep()` within a compare-and-swap, so that concurrent attempts cannot exceed its
   * rule; or under none if one of all keys rejects it.
   *
   * @param others Keys that are read and not counted.
   */
  reserve(
    key: ThrottleKey,
    others: readonly ThrottleKey[],
    now: number,
  ): Promise<ThrottleDecision>;
  /** Seconds until an attempt under a key is allowed, by `throttleStep()`; 0 if it is. Counts nothing. */
  wait(key: ThrottleKey, now: number): Promise<number>;
  /** Deletes the record of a key. */
  reset(key: string): Promise<void>;
}

/** The outcome of an attempt under one key: the new record, or the seconds to wait. */
export type ThrottleStep =
  | { readonly allowed: true; readonly record: ThrottleRecord }
  | { readonly allowed: false; readonly retryAfter: number };

/**
 * Counts an attempt.
 *
 * @param record The current record of the key, or `null`.
 * @throws {RangeError} If `now` is not a finite number.
 */
export function throttleStep(
  rule: ThrottleRule,
  record: ThrottleRecord | null,
  now: number,
): ThrottleStep {
  if (!Number.isFinite(now)) {
    throw new RangeError("Cannot count attempt: now must be a finite number"); // NaN never locks
  }
  const current = record !== null && isCurrent(rule, record, now) ? record : null;
  if (current !== null && now < current.lockedUntil) {
    return { allowed: false, retryAfter: Math.ceil(current.lockedUntil - now) };
  }
  const failures = (current?.failures ?? 0) + 1;
  switch (rule.kind) {
    case "backoff": {
      const lockedUntil = failures < rule.free ? 0 : now + backoff(rule, failures);
      const expiresAt = Math.max(now, lockedUntil) + rule.forget;
      return { allowed: true, record: { failures, lockedUntil, expiresAt } };
    }
    case "window": {
      const expiresAt = current?.expiresAt ?? now + rule.seconds;
      const lockedUntil = failures < rule.limit ? 0 : expiresAt;
      return { allowed: true, record: { failures, lockedUntil, expiresAt } };
    }
  }
}

/**
 * Counts an attempt under the first key if all keys allow it; otherwise returns the longest wait.
 *
 * @param records The current records of the keys, in their order.
 */
export function reserveStep(
  keys: readonly [ThrottleKey, ...ThrottleKey[]],
  records: readonly (ThrottleRecord | null)[],
  now: number,
): ThrottleStep {
  const [first, ...others] = keys.map(({ rule }, i) => throttleStep(rule, records[i] ?? null, now));
  const steps = first === undefined ? [] : [first, ...others];
  const waits = steps.flatMap((step) => step.allowed ? [] : step.retryAfter);
  if (first?.allowed && waits.length === 0) return first;
  return { allowed: false, retryAfter: Math.max(...waits) };
}

/** A record counts until it expires. One that was written while a clock was far ahead would lock longer than its rule. */
function isCurrent(rule: ThrottleRule, record: ThrottleRecord, now: number): boolean {
  return now < record.expiresAt && record.lockedUntil <= now + longestLock(rule) + SKEW_SECONDS;
}

function longestLock(rule: ThrottleRule): number {
  switch (rule.kind) {
    case "backoff":
      return rule.maxWait;
    case "window":
      return rule.seconds;
  }
}

function backoff({ free, wait, maxWait }: BackoffRule, failures: number): number {
  return Math.min(maxWait, wait * 2 ** (failures - free));
}

/** The numbers of each kind of rule; a rule without one of them would never reject. */
const RULE_NUMBERS: { readonly [K in ThrottleRule["kind"]]: readonly string[] } = {
  backoff: ["free", "wait", "maxWait", "forget"],
  window: ["limit", "seconds"],
};

/**
 * Checks a rule.
 *
 * @throws {TypeError} If its kind is unknown.
 * @throws {RangeError} If one of its numbers is not an integer from 1.
 */
export function checkThrottleRule(name: string, rule: ThrottleRule | undefined): void {
  const numbers = new Map(Object.entries(RULE_NUMBERS)).get(rule?.kind ?? "");
  if (rule === undefined || numbers === undefined) {
    throw new TypeError(`Cannot create throttle: rule ${name} must be a backoff or a window`);
  }
  for (const member of numbers) {
    const value: unknown = Reflect.get(rule, member);
    if (!Number.isSafeInteger(value) || Number(value) < 1) {
      throw new RangeError(
        `Cannot create throttle: ${member} of rule ${name} must be an integer from 1`,
      );
    }
  }
}
