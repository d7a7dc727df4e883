/**
 * How attempts are counted: a record, a rule, and the step from one record to the next. Stores apply the step inside
 * their compare-and-swap; nothing else knows the numbers.
 *
 * @module
 */

import { SKEW_SECONDS } from "../_clock.ts";

/** A few free attempts, then a wait that doubles; forgotten after a success or a long rest. */
export interface BackoffRule {
  /** Name of the rule. */
  readonly kind: "backoff";
  /** Attempts before the first wait. */
  readonly free: number;
  /** The first wait, in seconds. */
  readonly wait: number;
  /** The longest wait, in seconds. */
  readonly maxWait: number;
  /** After how many seconds without an attempt all is forgotten. */
  readonly forget: number;
}

/** So many attempts in so many seconds, counted from the first; around the edge of two windows, of each as many. */
export interface WindowRule {
  /** Name of the rule. */
  readonly kind: "window";
  /** Attempts in a window. */
  readonly limit: number;
  /** Length of the window, in seconds. */
  readonly seconds: number;
}

/** How attempts under one key are counted. */
export type ThrottleRule = BackoffRule | WindowRule;

/** A key and how it is counted. */
export interface ThrottleKey {
  /** Digest of what is counted; always with the same rule. */
  readonly key: string;
  /** How. */
  readonly rule: ThrottleRule;
}

/** What a store keeps for one key. */
export interface ThrottleRecord {
  /** Attempts that count. */
  readonly failures: number;
  /** Until when no attempt is allowed; 0 if one is. */
  readonly lockedUntil: number;
  /** From when on the record counts as absent. A locked record is never past it. */
  readonly expiresAt: number;
}

/** Whether an attempt may be made. */
export type ThrottleDecision =
  | { readonly allowed: true }
  | {
    readonly allowed: false;
    /** Seconds until one may be, at least 1. */
    readonly retryAfter: number;
  };

/**
 * Counts attempts before they are made. Keys are digests; each comes with its rule, which `throttleStep()` applies. One
 * record for each key, by compare-and-swap: of attempts at once no more are allowed than the rules say.
 */
export interface LoginThrottle {
  /** Counts an attempt under every claim, or under none if one of them refuses. */
  reserve(claims: readonly ThrottleKey[], now: number): Promise<ThrottleDecision>;
  /** Says that an attempt succeeded, and so does not count. @param reservedAt When it was counted. */
  succeed(claims: readonly ThrottleKey[], reservedAt: number): Promise<void>;
}

/** The outcome of one attempt under one key: the record to keep, or how long to wait. */
export type ThrottleStep =
  | { readonly allowed: true; readonly record: ThrottleRecord }
  | { readonly allowed: false; readonly retryAfter: number };

/**
 * Counts an attempt.
 *
 * @param record What is kept for the key; `null` if nothing is.
 * @throws {RangeError} If the time is no number.
 */
export function throttleStep(
  rule: ThrottleRule,
  record: ThrottleRecord | null,
  now: number,
): ThrottleStep {
  if (!Number.isFinite(now)) {
    throw new RangeError("Cannot count attempt: the time is no number"); // nothing would ever be locked
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
 * Takes an attempt back that succeeded. Under a window it counts as not made, unless another window has begun since; a
 * backoff is forgotten.
 *
 * @param reservedAt When it was counted.
 * @returns The record to keep; `null` to forget it.
 */
export function throttleSuccess(
  rule: ThrottleRule,
  record: ThrottleRecord,
  reservedAt: number,
): ThrottleRecord | null {
  switch (rule.kind) {
    case "backoff":
      return null;
    case "window": {
      if (reservedAt < record.expiresAt - rule.seconds) return record;
      const failures = record.failures - 1;
      return failures < 1 ? null : { ...record, failures, lockedUntil: 0 };
    }
  }
}

/** The claims that count: of those with one key the first, for an attempt counts once under it. */
export function uniqueKeys(claims: readonly ThrottleKey[]): readonly ThrottleKey[] {
  const seen = new Set<string>();
  return claims.filter(({ key }) => !seen.has(key) && seen.add(key));
}

/** An attempt under several keys: what to keep under each, or how long to wait. */
type ThrottleSteps =
  | {
    readonly allowed: true;
    readonly steps: readonly { readonly claim: ThrottleKey; readonly record: ThrottleRecord }[];
  }
  | Extract<ThrottleDecision, { readonly allowed: false }>;

/**
 * Counts an attempt under all of several claims, or under none if one of them refuses: then the longest wait is told.
 *
 * @param claims Each key once.
 * @param recordOf What is kept for a claim, which is at a place among them; `null` if nothing is.
 */
export function throttleSteps(
  claims: readonly ThrottleKey[],
  recordOf: (claim: ThrottleKey, place: number) => ThrottleRecord | null,
  now: number,
): ThrottleSteps {
  const steps = claims.map((claim, place) => {
    return { claim, step: throttleStep(claim.rule, recordOf(claim, place), now) };
  });
  const waits = steps.flatMap(({ step }) => step.allowed ? [] : step.retryAfter);
  if (waits.length > 0) return { allowed: false, retryAfter: Math.max(...waits) };
  return {
    allowed: true,
    steps: steps.flatMap(({ claim, step }) => step.allowed ? { claim, record: step.record } : []),
  };
}

/** A record counts until its end. One that was made while the clock was far ahead would lock for longer than any rule. */
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

/** The numbers of each kind of rule; one that is missing would make a rule that never refuses. */
const RULE_NUMBERS: { readonly [K in ThrottleRule["kind"]]: readonly string[] } = {
  backoff: ["free", "wait", "maxWait", "forget"],
  window: ["limit", "seconds"],
};

/**
 * Looks at a rule before anything is counted by it.
 *
 * @throws {TypeError} If it is of no known kind.
 * @throws {RangeError} If it lacks a number, or has one that is no integer from 1 on.
 */
export function checkThrottleRule(name: string, rule: ThrottleRule | undefined): void {
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
