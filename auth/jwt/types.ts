/**
 * Keys, headers, claims, options and failures of signing and verifying.
 *
 * @module
 */

import { AuthError } from "../error.ts";
import type { JwaAlgorithm } from "./jwa.ts";

/** JSON Web Key, RFC 7517 §4. */
export interface Jwk {
  /** Key type: `EC`, `RSA`, `OKP` or `oct`. */
  readonly kty: string;
  /** Key id. */
  readonly kid?: string;
  /** The only algorithm that the key is for. */
  readonly alg?: string;
  /** Public key use; `sig` for signatures. */
  readonly use?: string;
  /** Key operations, as in Web Crypto. */
  readonly key_ops?: readonly string[];
  /** Curve. */
  readonly crv?: string;
  /** x coordinate of a point, or an OKP public key. */
  readonly x?: string;
  /** y coordinate. */
  readonly y?: string;
  /** Modulus. */
  readonly n?: string;
  /** Exponent. */
  readonly e?: string;
  /** Private exponent or private key. */
  readonly d?: string;
  /** Secret. */
  readonly k?: string;
  /** Other members, RFC 7517 §4. */
  readonly [member: string]: unknown;
}

/** JWK Set, RFC 7517 §5. */
export interface JwkSet {
  /** The keys. */
  readonly keys: readonly Jwk[];
}

/** JOSE header of a token, RFC 7515 §4.1. Only `alg`, `typ`, `kid`, `crit` and `b64` are evaluated. */
export interface JwsHeader {
  /** Algorithm, one of the allowed ones. */
  readonly alg: JwaAlgorithm;
  /** Media type of the token: `JWT`, `at+jwt`. */
  readonly typ?: string;
  /** Id of the signing key. */
  readonly kid?: string;
  /** Media type of the payload. */
  readonly cty?: string;
  /** Other members. They are ignored: `jwk`, `jku`, `x5u` and `x5c` are chosen by the sender. */
  readonly [member: string]: unknown;
}

/** Result of a {@linkcode KeyResolver}: a key, several of which exactly one must fit, or none. */
export type FoundKeys = CryptoKey | Jwk | readonly (CryptoKey | Jwk)[] | undefined;

/** Finds the key of a token by its unverified header. Its errors are passed on. */
export type KeyResolver = (header: JwsHeader) => FoundKeys | Promise<FoundKeys>;

/**
 * Keys to verify with: one key, a set from which the header's `kid` selects one, or a function that finds them. Strings and
 * bytes are rejected, since a public key could have been used as an HMAC secret; so is a set of both secrets and public
 * keys. The numbers of a `CryptoKey` cannot be checked: import foreign keys by {@linkcode importJwk} or
 * {@linkcode importPem}.
 */
export type VerificationKeys = CryptoKey | Jwk | JwkSet | KeyResolver;

/** Members of a header that a caller may set. */
export interface JwsHeaderInit {
  /** Media type of the token. */
  readonly typ?: string | undefined;
  /** Id of the signing key. @default the `kid` of the JWK, if it has one */
  readonly kid?: string | undefined;
  /** Media type of the payload. */
  readonly cty?: string | undefined;
  /** Other members, JSON. */
  readonly [member: string]: unknown;
}

/** Options of {@linkcode signJws}. */
export interface SignJwsOptions {
  /** Allowed algorithms. The first one that fits the key is used. */
  readonly algorithms: readonly JwaAlgorithm[];
  /** Private key or secret. */
  readonly key: CryptoKey | Jwk;
  /** Members of the header besides `alg`. */
  readonly header?: JwsHeaderInit | undefined;
}

/** Options of {@linkcode verifyJws}. */
export interface VerifyJwsOptions {
  /** Allowed algorithms. The key must fit the one that the token names. */
  readonly algorithms: readonly JwaAlgorithm[];
  /** Keys to verify with. */
  readonly keys: VerificationKeys;
  /** Required `typ`; `application/` and case are ignored. @default not checked */
  readonly typ?: string;
  /** Maximum length of a token, in bytes. @default {16_384} */
  readonly maxBytes?: number | undefined;
}

/** A token with a valid signature. */
export interface VerifiedJws {
  /** Its header. */
  readonly header: JwsHeader;
  /** Its payload. */
  readonly payload: Uint8Array<ArrayBuffer>;
}

/** Claims, RFC 7519 §4. Times are seconds since the epoch. */
export interface JwtClaims {
  /** Issuer. */
  readonly iss?: string;
  /** Subject. */
  readonly sub?: string;
  /** Audience. */
  readonly aud?: string | readonly string[];
  /** Expiration time. */
  readonly exp?: number;
  /** Not valid before. */
  readonly nbf?: number;
  /** Issued at. */
  readonly iat?: number;
  /** Unique identifier of the token (JWT ID). */
  readonly jti?: string;
  /** Other claims. */
  readonly [claim: string]: unknown;
}

/**
 * Why a token was rejected, as `reason` of the {@linkcode AuthError}; never sent to the client. A prefix names the claim
 * that is missing or invalid: `aud_mismatch`, `nonce_missing`. Any claim may be missing, since `requiredClaims` names any.
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

/** The error for a rejected token: one code for all but expiry, so that the client learns no reason. */
export function tokenError(reason: TokenFailure, cause?: unknown): AuthError {
  return new AuthError(isExpiry(reason) ? "token_expired" : "invalid_token", { reason, cause });
}

/** Whether the token was valid earlier: a client then requests a new one. */
function isExpiry(reason: TokenFailure): boolean {
  return reason === "expired" || reason === "max_age_exceeded";
}
