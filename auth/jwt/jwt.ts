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
  /** Seconds until the token ends; sets `exp`. */
  readonly expiresIn?: number | undefined;
  /** The time, in seconds since the epoch; sets `iat`, unless the claims say it. */
  readonly now?: (() => number) | undefined;
}

/** Options of {@linkcode verifyJwt}. What is expected may be left out, and not be `undefined`: a variable that is not set. */
export interface VerifyJwtOptions extends VerifyJwsOptions {
  /** Who may have issued it, character by character; of a list, one of them: names of one party, whose keys sign for all. @default not looked at */
  readonly issuer?: string | readonly string[];
  /** Who asks; `aud` must name it, or one of the list. @default a token with `aud` is refused, RFC 7519 §4.1.3 */
  readonly audience?: string | readonly string[];
  /** Whom it must be about. @default not looked at */
  readonly subject?: string;
  /**
   * Its type, RFC 8725 §3.11: `at+jwt`. `application/` and case do not count. `JWT` takes one that does not say its type,
   * too; one that says it is something else has to be asked for.
   *
   * @default {"JWT"}
   */
  readonly typ?: string;
  /** Seconds that clocks may be apart, from 0 to 600. @default {30} */
  readonly clockTolerance?: number | undefined;
  /**
   * Most seconds since `iat`, which then has to be there, and not ahead; `clockTolerance` is added to both. Without it
   * `iat` is not looked at: RFC 7519 §4.1.6 refuses no token that says it was issued later.
   *
   * @default not looked at
   */
  readonly maxAge?: number;
  /** Claims that have to be there beside `exp`. @default {[]} */
  readonly requiredClaims?: readonly string[];
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** A token whose signature and claims are right. */
export interface VerifiedJwt {
  /** Its header. */
  readonly header: JwsHeader;
  /** Its claims. */
  readonly claims: JwtClaims;
}

/**
 * Signs claims. Sets `iat`, `typ: "JWT"` unless the header says otherwise, and the key's `kid`.
 *
 * @throws {TypeError} If nothing says when the token ends, a registered claim is of a wrong type, or as {@linkcode signJws}.
 * @throws {RangeError} If `expiresIn` is not a number of seconds more than 0.
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
 * Verifies a token: its signature as {@linkcode verifyJws} does, its type, that it has not ended (`exp` must be there) and
 * has begun, and who issued it for whom. A token ends `clockTolerance` seconds after `exp`, at that second.
 *
 * @throws {AuthError} `token_expired` or `invalid_token`, with a {@linkcode TokenFailure} as `reason`. Neither holds a part of
 * the token.
 * @throws {TypeError | RangeError} If an option is missing or wrong. What a {@linkcode KeyResolver} throws goes through.
 *
 * @example
 * ```ts
 * import { AuthError, generateJwk, publicJwk, signJwt, verifyJwt } from "@gatehouse/http/auth";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * // Stands for an issuer's tokens and published keys; `keys` may also be `remoteJwks(address)`
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
  const isPlain = mediaType(typ) === "jwt"; // RFC 7519 §5.1: a token need not say that it is one
  const verify = jwsVerifier({ algorithms, keys, maxBytes, ...(isPlain ? {} : { typ }) });

  // The signature before the claims: nobody's word is weighed that anybody could have written
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

/** A misspelt expectation would not be looked at. */
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

/** What is expected. A variable that is not set must not switch a check off. */
const EXPECTED = ["issuer", "audience", "subject", "typ", "maxAge", "requiredClaims"] as const;

const MAX_TOLERANCE = 600;

function readRules(options: Partial<VerifyJwtOptions>): ClaimRules {
  const unset = EXPECTED.find((name) => name in options && options[name] === undefined);
  if (unset !== undefined) {
    throw new TypeError(`Cannot verify token: ${unset} is undefined; leave it out, or set it`);
  }
  const { subject, clockTolerance = 30, maxAge, requiredClaims = [], typ } = options;
  if (!isBetween(clockTolerance, 0, MAX_TOLERANCE)) {
    throw new RangeError("Cannot verify token: clockTolerance is no number from 0 to 600");
  }
  if (maxAge !== undefined && !isBetween(maxAge, 0, Number.MAX_VALUE)) {
    throw new RangeError("Cannot verify token: maxAge is no number of seconds");
  }
  if (!Array.isArray(requiredClaims) || !requiredClaims.every(isText)) {
    throw new TypeError("Cannot verify token: requiredClaims is no list of texts");
  }
  checkText("subject", subject);
  checkText("typ", typ);
  return {
    issuers: readTexts("issuer", options.issuer),
    audiences: readTexts("audience", options.audience),
    subject,
    clockTolerance,
    maxAge,
    requiredClaims: [...requiredClaims],
  };
}

function readTexts(name: string, value: string | readonly string[] | undefined) {
  if (value === undefined) return undefined;
  const list: readonly string[] = typeof value === "string" ? [value] : value;
  if (Array.isArray(list) && list.length > 0 && list.every(isText)) return [...list];
  throw new TypeError(`Cannot verify token: ${name} is no text and no list of texts`);
}

function checkText(name: string, value: string | undefined): void {
  if (value === undefined || isText(value)) return;
  throw new TypeError(`Cannot verify token: ${name} is no text`);
}

/** A number, and no text of one, by which a sum would become a text. */
function isBetween(value: unknown, least: number, most: number): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

/** One that is written as it is; `toJSON()` could leave `exp` out, and no verifier takes a claim `__proto__`. */
function isPlainObject(claims: JwtClaims): boolean {
  return typeof claims === "object" && claims !== null && !Array.isArray(claims) &&
    typeof claims["toJSON"] !== "function" && !Object.hasOwn(claims, "__proto__");
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function checkSeconds(expiresIn: number): void {
  if (Number.isFinite(expiresIn) && expiresIn > 0) return;
  throw new RangeError("Cannot sign token: expiresIn must be a number of seconds greater than 0");
}
