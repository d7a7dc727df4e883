/**
 * JSON Web Tokens, RFC 7519, with the precautions of RFC 8725.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import {
  type JwsHeader,
  type JwtClaims,
  type SignJwsOptions,
  tokenError,
  type VerifyJwsOptions,
} from "./types.ts";
import { type ClaimRules, malformedClaim, validateClaims } from "./_claims.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { parseStrictObject } from "../_strict_json.ts";
import { jwsSigner, jwsVerifier, mediaType } from "./jws.ts";

/** Options of {@linkcode signJwt}. */
export interface SignJwtOptions extends SignJwsOptions {
  /** Seconds until the token expires; sets `exp`. */
  readonly expiresIn?: number | undefined;
  /** The time, in seconds since the epoch; sets `iat`, unless the claims contain it. */
  readonly now?: (() => number) | undefined;
}

/** Options of {@linkcode verifyJwt}. An expectation may be omitted, but not `undefined`, which may be an unset variable. */
export interface VerifyJwtOptions extends VerifyJwsOptions {
  /** Accepted issuers, compared exactly; an array holds the names of one party, whose keys sign for all of them. @default not checked */
  readonly issuer?: string | readonly string[];
  /** This recipient; `aud` must contain it, or one of the array. @default a token with `aud` is rejected, RFC 7519 §4.1.3 */
  readonly audience?: string | readonly string[];
  /** Required `sub`. @default not checked */
  readonly subject?: string;
  /**
   * Required `typ`, RFC 8725 §3.11: `at+jwt`. `application/` and case are ignored. `JWT` also accepts a token without
   * `typ`; every other type must be named.
   *
   * @default {"JWT"}
   */
  readonly typ?: string;
  /** Allowed clock difference in seconds, from 0 to 600. @default {30} */
  readonly clockTolerance?: number | undefined;
  /**
   * Maximum number of seconds since `iat`, which is then required and must not be in the future; `clockTolerance` is
   * added to both. Without this option `iat` is not checked: RFC 7519 §4.1.6 rejects no token for it.
   *
   * @default not checked
   */
  readonly maxAge?: number;
  /** Required claims beside `exp`. @default {[]} */
  readonly requiredClaims?: readonly string[];
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** A token with a valid signature and valid claims. */
export interface VerifiedJwt {
  /** Its header. */
  readonly header: JwsHeader;
  /** Its claims. */
  readonly claims: JwtClaims;
}

/**
 * Signs claims. Sets `iat`, `typ: "JWT"` unless the header has a `typ`, and the key's `kid`.
 *
 * @throws {TypeError} If neither `expiresIn` nor `exp` is given, a registered claim has the wrong type, or as
 * {@linkcode signJws}.
 * @throws {RangeError} If `expiresIn` is not a positive number.
 *
 * @example
 * ```ts
 * import { generateJwk, publicJwk, signJwt, verifyJwt } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const key = await generateJwk("ES256");
 * const parties = { iss: "https://issuer.example", aud: "https://api.example" };
 * const token = await signJwt({ ...parties, sub: "u1" }, {
 *   algorithms: ["ES256"],
 *   key,
 *   expiresIn: 600,
 * });
 *
 * const { claims } = await verifyJwt(token, {
 *   algorithms: ["ES256"],
 *   keys: publicJwk(key),
 *   issuer: parties.iss,
 *   audience: parties.aud,
 * });
 * assertEquals(claims.sub, "u1");
 * ```
 */
export async function signJwt(claims: JwtClaims, options: SignJwtOptions): Promise<string> {
  return await jwtSigner(options)(claims);
}

/** {@linkcode signJwt} with options that are read once. */
export function jwtSigner(options: SignJwtOptions): (claims: JwtClaims) => Promise<string> {
  const { algorithms, key, header, expiresIn } = options;
  if (expiresIn !== undefined) checkSeconds(expiresIn);
  const now = createClock(options.now);
  const sign = jwsSigner({ algorithms, key, header: { typ: "JWT", ...header } });

  return async (claims) => {
    if (!isPlainObject(claims)) {
      throw new TypeError("Cannot sign token: claims must be a plain object");
    }
    const iat = claims.iat ?? now();
    const complete: JwtClaims = {
      ...claims,
      iat,
      ...(expiresIn === undefined ? {} : { exp: iat + expiresIn }),
    };
    const malformed = malformedClaim(complete);
    if (malformed !== undefined) {
      throw new TypeError(`Cannot sign token: the claim ${malformed} has the wrong type`);
    }
    if (complete.exp === undefined) {
      throw new TypeError("Cannot sign token: expiresIn or the claim exp is required");
    }
    return await sign(JSON.stringify(complete));
  };
}

/**
 * Verifies a token: its signature as {@linkcode verifyJws} does, its type, `exp` (required), `nbf`, `iss`, `aud` and `sub`.
 * A token expires `clockTolerance` seconds after `exp`, at that second.
 *
 * @throws {AuthError} `token_expired` or `invalid_token`, with a {@linkcode TokenFailure} as `reason`. Neither contains a part
 * of the token.
 * @throws {TypeError | RangeError} If an option is missing or invalid. Errors of a {@linkcode KeyResolver} are passed on.
 *
 * @example
 * ```ts
 * import { AuthError, generateJwk, publicJwk, signJwt, verifyJwt } from "@gatehouse/http/auth";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * // An issuer's published keys; `keys` may also be `remoteJwks(url)`
 * const [old, current] = [await generateJwk("ES256"), await generateJwk("ES256")];
 * const published = { keys: [publicJwk(old), publicJwk(current)] };
 * const [issuer, audience] = ["https://issuer.example", "https://api.example"];
 * const token = await signJwt({ iss: issuer, aud: audience, sub: "u1" }, {
 *   algorithms: ["ES256"],
 *   key: current,
 *   expiresIn: 600,
 * });
 *
 * const expected = { algorithms: ["ES256"], keys: published, issuer, audience } as const;
 * const { claims } = await verifyJwt(token, expected);
 * assertEquals(claims.sub, "u1");
 *
 * const refused = await assertRejects(
 *   () => verifyJwt(token, { ...expected, audience: "https://other.example" }),
 *   AuthError,
 * );
 * assertEquals([refused.code, refused.reason], ["invalid_token", "aud_mismatch"]);
 * ```
 */
export async function verifyJwt(token: string, options: VerifyJwtOptions): Promise<VerifiedJwt> {
  return await jwtVerifier(options)(token);
}

/** {@linkcode verifyJwt} with options that are read once. */
export function jwtVerifier(options: VerifyJwtOptions): (token: string) => Promise<VerifiedJwt> {
  rejectUnknownOptions("Cannot verify token", options, VERIFY_NAMES);
  const { algorithms, keys, maxBytes, typ = "JWT" } = options;
  const rules = readRules(options);
  const now = createClock(options.now);
  const isPlain = mediaType(typ) === "jwt"; // RFC 7519 §5.1: typ is optional
  const verify = jwsVerifier({ algorithms, keys, maxBytes, ...(isPlain ? {} : { typ }) });

  // The signature before the claims: unsigned claims must not influence the outcome
  return async (token) => {
    const { header, payload } = await verify(token);
    if (isPlain && mediaType(header.typ ?? typ) !== "jwt") throw tokenError("typ_mismatch");
    const claims = readClaims(payload);
    const problem = validateClaims(claims, rules, now());
    if (problem !== undefined) throw tokenError(problem);
    return { header, claims };
  };
}

function readClaims(payload: Uint8Array<ArrayBuffer>): JwtClaims {
  try {
    return parseStrictObject(payload);
  } catch {
    throw tokenError("claims_malformed");
  }
}

/** A misspelt expectation would not be checked. */
const VERIFY_NAMES: OptionNames<VerifyJwtOptions> = {
  algorithms: true,
  keys: true,
  issuer: true,
  audience: true,
  subject: true,
  typ: true,
  clockTolerance: true,
  maxAge: true,
  requiredClaims: true,
  maxBytes: true,
  now: true,
};

/** Expectations. An unset variable must not disable a check. */
const EXPECTED = ["issuer", "audience", "subject", "typ", "maxAge", "requiredClaims"] as const;

const MAX_TOLERANCE = 600;

function readRules(options: Partial<VerifyJwtOptions>): ClaimRules {
  const unset = EXPECTED.find((name) => name in options && options[name] === undefined);
  if (unset !== undefined) {
    throw new TypeError(`Cannot verify token: ${unset} must not be undefined`);
  }
  const { subject, clockTolerance = 30, maxAge, requiredClaims = [], typ } = options;
  if (!isBetween(clockTolerance, 0, MAX_TOLERANCE)) {
    throw new RangeError("Cannot verify token: clockTolerance must be a number from 0 to 600");
  }
  if (maxAge !== undefined && !isBetween(maxAge, 0, Number.MAX_VALUE)) {
    throw new RangeError("Cannot verify token: maxAge must be a number of seconds");
  }
  if (!Array.isArray(requiredClaims) || !requiredClaims.every(isNonEmptyString)) {
    throw new TypeError("Cannot verify token: requiredClaims must be an array of strings");
  }
  checkString("subject", subject);
  checkString("typ", typ);
  return {
    issuers: readStrings("issuer", options.issuer),
    audiences: readStrings("audience", options.audience),
    subject,
    clockTolerance,
    maxAge,
    requiredClaims: [...requiredClaims],
  };
}

function readStrings(name: string, value: string | readonly string[] | undefined) {
  if (value === undefined) return undefined;
  const list: readonly string[] = typeof value === "string" ? [value] : value;
  if (Array.isArray(list) && list.length > 0 && list.every(isNonEmptyString)) return [...list];
  throw new TypeError(
    `Cannot verify token: ${name} must be a non-empty string or an array of them`,
  );
}

function checkString(name: string, value: string | undefined): void {
  if (value === undefined || isNonEmptyString(value)) return;
  throw new TypeError(`Cannot verify token: ${name} must be a non-empty string`);
}

/** A number, not a numeric string, which a sum would concatenate. */
function isBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

/** An object that serializes as it is: `toJSON()` could omit `exp`, and verifiers reject a claim `__proto__`. */
function isPlainObject(claims: JwtClaims): boolean {
  return typeof claims === "object" && claims !== null && !Array.isArray(claims) &&
    typeof claims["toJSON"] !== "function" && !Object.hasOwn(claims, "__proto__");
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function checkSeconds(expiresIn: number): void {
  if (Number.isFinite(expiresIn) && expiresIn > 0) return;
  throw new RangeError("Cannot sign token: expiresIn must be a number of seconds greater than 0");
}
