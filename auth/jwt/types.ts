/**
 * What signing and verifying take and give.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { JwaAlgorithm } from "./jwa.ts";

/** A key in JSON, RFC 7517 §4. */
export interface Jwk {
  /** Type: `EC`, `RSA`, `OKP` or `oct`. */
  readonly kty: string;
  /** What a key is told from others by. */
  readonly kid?: string;
  /** The one algorithm that it is for. */
  readonly alg?: string;
  /** What it is for; `sig` for signatures. */
  readonly use?: string;
  /** What it is for, in the words of Web Crypto. */
  readonly key_ops?: readonly string[];
  /** Curve. */
  readonly crv?: string;
  /** First coordinate of a point, or all of it. */
  readonly x?: string;
  /** Second coordinate. */
  readonly y?: string;
  /** Modulus. */
  readonly n?: string;
  /** Exponent. */
  readonly e?: string;
  /** Private number. */
  readonly d?: string;
  /** Secret. */
  readonly k?: string;
  /** Others, RFC 7517 §4. */
  readonly [member: string]: unknown;
}

/** Keys in JSON, RFC 7517 §5. */
export interface JwkSet {
  /** The keys. */
  readonly keys: readonly Jwk[];
}

/** The header of a token, RFC 7515 §4.1. Of what it says, only `alg`, `typ`, `kid`, `crit` and `b64` are looked at. */
export interface JwsHeader {
  /** Algorithm; of those that are allowed. */
  readonly alg: JwaAlgorithm;
  /** What the whole is: `JWT`, `at+jwt`. */
  readonly typ?: string;
  /** Which key signed. */
  readonly kid?: string;
  /** What the payload is. */
  readonly cty?: string;
  /** Others. Nothing here looks at them: a `jwk`, `jku`, `x5u` or `x5c` is the sender's own word. */
  readonly [member: string]: unknown;
}

/** What a {@linkcode KeyResolver} finds: a key, several of which one must fit, or none. */
export type FoundKeys = CryptoKey | Jwk | readonly (CryptoKey | Jwk)[] | undefined;

/** Finds the key of a token by its header, which nobody has verified yet. What it throws goes through. */
export type KeyResolver = (header: JwsHeader) => FoundKeys | Promise<FoundKeys>;

/**
 * Keys to verify with: one, a set of which the header's `kid` chooses one, or a function that finds them. Never a text or
 * bytes, which could be a public key that somebody signed with as with a secret; and no set of secrets and public keys.
 * Of a `CryptoKey` the numbers cannot be looked at: import keys of others by {@linkcode importJwk} or {@linkcode importPem}.
 */
export type VerificationKeys = CryptoKey | Jwk | JwkSet | KeyResolver;

/** Members of a header that a caller may say. */
export interface JwsHeaderInit {
  /** What the whole is. */
  readonly typ?: string | undefined;
  /** Which key signed. @default the key's own `kid`, if it is a JWK that has one */
  readonly kid?: string | undefined;
  /** What the payload is. */
  readonly cty?: string | undefined;
  /** Others, JSON. */
  readonly [member: string]: unknown;
}

/** Options of {@linkcode signJws}. */
export interface SignJwsOptions {
  /** Algorithms that are allowed. The first that is one of the key's signs. */
  readonly algorithms: readonly JwaAlgorithm[];
  /** Private key or secret. */
  readonly key: CryptoKey | Jwk;
  /** Members of the header beside `alg`. */
  readonly header?: JwsHeaderInit | undefined;
}

/** Options of {@linkcode verifyJws}. */
export interface VerifyJwsOptions {
  /** Algorithms that are allowed. The token chooses none: its key must be of the one it names. */
  readonly algorithms: readonly JwaAlgorithm[];
  /** Keys to verify with. */
  readonly keys: VerificationKeys;
  /** What the whole must be, `application/` and case aside. @default not looked at */
  readonly typ?: string;
  /** Most bytes of a token. @default {16_384} */
  readonly maxBytes?: number | undefined;
}

/** A token whose signature is right. */
export interface VerifiedJws {
  /** Its header. */
  readonly header: JwsHeader;
  /** Its payload. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** Claims, RFC 7519 §4. Times are in seconds since the epoch. */
export interface JwtClaims {
  /** Who issued the token. */
  readonly iss?: string;
  /** Whom it is about. */
  readonly sub?: string;
  /** Whom it is for. */
  readonly aud?: string | readonly string[];
  /** From when on it is no longer valid. */
  readonly exp?: number;
  /** From when on it is valid. */
  readonly nbf?: number;
  /** When it was issued. */
  readonly iat?: number;
  /** What it is told from others by. */
  readonly jti?: string;
  /** Others. */
  readonly [claim: string]: unknown;
}

/**
 * Why a token was refused, as `reason` of the {@linkcode AuthError}; never sent. The claim in front is the one that is
 * missing or wrong: `expired`, `aud_mismatch`, `nonce_missing`. Any claim may be missing, since `requiredClaims` names
 * any.
 */
export type TokenFailure =
  | "token_malformed"
  | "token_too_large"
  | "alg_not_allowed"
  | "crit_unsupported"
  | "typ_mismatch"
  | "key_unknown"
  | "key_ambiguous"
  | "key_mismatch"
  | "signature_invalid"
  | "claims_malformed"
  | `${"iss" | "sub" | "aud" | "exp" | "nbf" | "iat" | "jti"}_malformed`
  | `${string}_missing`
  | "expired"
  | "not_yet_valid"
  | "issued_in_future"
  | "max_age_exceeded"
  | "iss_mismatch"
  | "aud_mismatch"
  | "sub_mismatch";

/** A refusal. */
export function tokenError(reason: TokenFailure, cause?: unknown): AuthError {
  return new AuthError(isExpiry(reason) ? "token_expired" : "invalid_token", { reason, cause });
}

/** Whether a token was good, once: a client then asks for the next one. */
function isExpiry(reason: TokenFailure): boolean {
  return reason === "expired" || reason === "max_age_exceeded";
}
