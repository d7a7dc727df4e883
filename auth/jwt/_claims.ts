/**
 * Validation of registered claims, RFC 7519 §4.1.
 *
 * @module
 */

import type { JwtClaims, TokenFailure } from "./types.ts";

/** Expectations of claims, read once. */
export interface ClaimRules {
  readonly issuers: readonly string[] | undefined;
  readonly audiences: readonly string[] | undefined;
  readonly subject: string | undefined;
  readonly clockTolerance: number;
  readonly maxAge: number | undefined;
  readonly requiredClaims: readonly string[];
}

/** A claim with a defined type. A new one needs a {@linkcode TokenFailure} too. */
type RegisteredClaim = "iss" | "sub" | "aud" | "exp" | "nbf" | "iat" | "jti";

type ClaimType = readonly [name: RegisteredClaim, isValid: (value: unknown) => boolean];

const CLAIM_TYPES: readonly ClaimType[] = [
  ["iss", isString],
  ["sub", isString],
  ["aud", isStringOrStrings],
  ["exp", isTime],
  ["nbf", isTime],
  ["iat", isTime],
  ["jti", isString],
];

/** The first claim with a wrong type. */
export function malformedClaim(claims: JwtClaims): RegisteredClaim | undefined {
  return CLAIM_TYPES.find(([name, isValid]) => claims[name] !== undefined && !isValid(claims[name]))
    ?.[0];
}

/** Why claims are rejected at a time; `undefined` if they are valid. */
export function validateClaims(
  claims: JwtClaims,
  rules: ClaimRules,
  at: number,
): TokenFailure | undefined {
  const malformed = malformedClaim(claims);
  if (malformed !== undefined) return `${malformed}_malformed`;
  return validateTimes(claims, rules, at) ?? validateParties(claims, rules) ??
    missingClaim(claims, rules);
}

function validateTimes(
  { exp, nbf, iat }: JwtClaims,
  { clockTolerance, maxAge }: ClaimRules,
  at: number,
): TokenFailure | undefined {
  if (exp === undefined) return "exp_missing"; // a token without expiry could not be revoked
  if (at >= exp + clockTolerance) return "expired"; // §4.1.4: on or after
  if (nbf !== undefined && nbf > at + clockTolerance) return "not_yet_valid"; // §4.1.5
  if (maxAge === undefined) return undefined;
  if (iat === undefined) return "iat_missing";
  if (iat > at + clockTolerance) return "issued_in_future";
  return at - iat > maxAge + clockTolerance ? "max_age_exceeded" : undefined;
}

function validateParties(
  { iss, aud, sub }: JwtClaims,
  { issuers, audiences, subject }: ClaimRules,
): TokenFailure | undefined {
  if (issuers !== undefined) {
    if (iss === undefined) return "iss_missing";
    if (!issuers.includes(iss)) return "iss_mismatch"; // exact comparison
  }
  const intended = typeof aud === "string" ? [aud] : aud;
  if (audiences !== undefined && intended === undefined) return "aud_missing";
  // §4.1.3: a recipient that is not in the audience must reject the token; so does one without a name
  if (intended !== undefined && !intended.some((one) => audiences?.includes(one))) {
    return "aud_mismatch";
  }
  if (subject === undefined || sub === subject) return undefined;
  return sub === undefined ? "sub_missing" : "sub_mismatch";
}

function missingClaim(
  claims: JwtClaims,
  { requiredClaims }: ClaimRules,
): TokenFailure | undefined {
  const missing = requiredClaims.find((name) =>
    !Object.hasOwn(claims, name) || claims[name] === null || claims[name] === undefined
  );
  return missing === undefined ? undefined : `${missing}_missing`;
}

function isString(value: unknown): boolean {
  return typeof value === "string";
}

function isStringOrStrings(value: unknown): boolean {
  return isString(value) || (Array.isArray(value) && value.every(isString));
}

/** RFC 7519 §2, NumericDate. JSON parses `1e400` as infinite. */
function isTime(value: unknown): boolean {
  return Number.isFinite(value);
}
