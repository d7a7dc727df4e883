/**
 * What the claims of a token must be, RFC 7519 §4.1.
 *
 * @module
 */

import type { JwtClaims, TokenFailure } from "./types.ts";

/** Rules for claims, read once. */
export interface ClaimRules {
  readonly issuers: readonly string[] | undefined;
  readonly audiences: readonly string[] | undefined;
  readonly subject: string | undefined;
  readonly clockTolerance: number;
  readonly maxAge: number | undefined;
  readonly requiredClaims: readonly string[];
}

/** A claim whose type is known. A new one needs a {@linkcode TokenFailure}, too. */
type RegisteredClaim = "iss" | "sub" | "aud" | "exp" | "nbf" | "iat" | "jti";

type ClaimType = readonly [name: RegisteredClaim, isSound: (value: unknown) => boolean];

const CLAIM_TYPES: readonly ClaimType[] = [
  ["iss", isText],
  ["sub", isText],
  ["aud", isTextOrTexts],
  ["exp", isTime],
  ["nbf", isTime],
  ["iat", isTime],
  ["jti", isText],
];

/** The first claim that is there and of a wrong type. */
export function malformedClaim(claims: JwtClaims): RegisteredClaim | undefined {
  return CLAIM_TYPES.find(([name, isSound]) => claims[name] !== undefined && !isSound(claims[name]))
    ?.[0];
}

/** What is wrong with claims at a time; nothing if they are right. */
export function validateClaims(
  claims: JwtClaims,
  rules: ClaimRules,
  at: number,
): TokenFailure | undefined {
  const malformed = malformedClaim(claims);
  if (malformed !== undefined) return `${malformed}_malformed`;
  return timesProblem(claims, rules, at) ?? partiesProblem(claims, rules) ??
    missingClaim(claims, rules);
}

function timesProblem(
  { exp, nbf, iat }: JwtClaims,
  { clockTolerance, maxAge }: ClaimRules,
  at: number,
): TokenFailure | undefined {
  if (exp === undefined) return "exp_missing"; // one that never ends cannot be taken back
  if (at >= exp + clockTolerance) return "expired"; // §4.1.4: on or after
  if (nbf !== undefined && nbf > at + clockTolerance) return "not_yet_valid"; // §4.1.5
  if (maxAge === undefined) return undefined;
  if (iat === undefined) return "iat_missing";
  if (iat > at + clockTolerance) return "issued_in_future";
  return at - iat > maxAge + clockTolerance ? "max_age_exceeded" : undefined;
}

function partiesProblem(
  { iss, aud, sub }: JwtClaims,
  { issuers, audiences, subject }: ClaimRules,
): TokenFailure | undefined {
  if (issuers !== undefined) {
    if (iss === undefined) return "iss_missing";
    if (!issuers.includes(iss)) return "iss_mismatch"; // character by character
  }
  const intended = typeof aud === "string" ? [aud] : aud;
  if (audiences !== undefined && intended === undefined) return "aud_missing";
  // §4.1.3: whoever does not find itself among them must refuse; so does whoever does not say who it is
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

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isTextOrTexts(value: unknown): boolean {
  return isText(value) || (Array.isArray(value) && value.every(isText));
}

/** RFC 7519 §2, NumericDate. `1e400` is parsed as infinite. */
function isTime(value: unknown): boolean {
  return Number.isFinite(value);
}
