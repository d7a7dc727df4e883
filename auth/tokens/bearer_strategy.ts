/**
 * `bearerTokenStrategy`: access tokens, RFC 6750 and RFC 9068.
 *
 * @module
 */

import { checkOptionalFunction, type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { AuthError } from "../error.ts";
import { jwtVerifier, type VerifyJwtOptions } from "../jwt/jwt.ts";
import type { JwtClaims } from "../jwt/types.ts";
import { createPrincipal, type Principal } from "../principal.ts";
import { authenticated, authFailed, type AuthStrategy, noCredential } from "../strategy.ts";

/** Options of {@linkcode bearerTokenStrategy}. */
export interface BearerTokenStrategyOptions extends Omit<VerifyJwtOptions, "subject"> {
  /** Who may have issued it, character by character; of a list, one of them: names of one party, whose keys sign for all. */
  readonly issuer: string | readonly string[];
  /** Who asks: this service, as its issuer names it. */
  readonly audience: string | readonly string[];
  /** Its type. Issuers that know no RFC 9068 say `JWT` or nothing, for both of which `JWT` stands. @default {"at+jwt"} */
  readonly typ?: string;
  /** Claims that have to be there beside `exp` and `sub`. @default {[]} */
  readonly requiredClaims?: readonly string[];
  /** Claim that has the scopes, as a list or in one text with blanks between; `scp` at some issuers. @default {"scope"} */
  readonly scopeClaim?: string | undefined;
  /** What clients are told the tokens are for, RFC 9110 §11.5. @default {"api"} */
  readonly realm?: string | undefined;
  /**
   * Asked about a token that is right, whether its owner may still come in: tokens go on for some minutes where an account
   * was closed. @default every token that is right is taken
   */
  readonly accept?:
    | ((principal: Principal, claims: JwtClaims) => boolean | Promise<boolean>)
    | undefined;
}

/**
 * Makes the strategy that reads `Authorization: Bearer …`. A token in the address or in a body is none, RFC 6750 §2.3. Refusals
 * are `token_expired` and `invalid_token`, with a challenge as RFC 6750 §3 has it. What the keys throw goes through,
 * and is no pass: of {@linkcode remoteJwks} a 503.
 *
 * A `sub` is its issuer's word: where users of another source are known too, whoever has the same one is the same for the
 * application.
 *
 * The principal has `sub`, `scope` (none where the token says none), `authTime`, `amr`, `acr`, `sid` as `sessionId`, and the
 * claims.
 *
 * @throws {TypeError | RangeError} If an option is missing or wrong.
 *
 * @example
 * ```ts
 * import { bearerTokenStrategy, generateJwk, publicJwk, signJwt } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const key = await generateJwk("ES256"); // of an issuer, whose keys remoteJwks() finds
 * const parties = { iss: "https://issuer.example", aud: "https://api.example" };
 * const token = await signJwt({ ...parties, sub: "u1", scope: "notes:read" }, {
 *   algorithms: ["ES256"],
 *   key,
 *   header: { typ: "at+jwt" },
 *   expiresIn: 600,
 * });
 *
 * const strategy = bearerTokenStrategy({
 *   algorithms: ["ES256"],
 *   keys: publicJwk(key),
 *   issuer: parties.iss,
 *   audience: parties.aud,
 * });
 * const headers = { Authorization: `Bearer ${token}` };
 * const request = new Request("https://api.example/notes", { headers });
 * const result = await strategy.authenticate({ request });
 * assertEquals(result.status === "authenticated" && result.principal.scope, ["notes:read"]);
 * ```
 */
export function bearerTokenStrategy(options: BearerTokenStrategyOptions): AuthStrategy {
  rejectUnknownOptions(ACTION, options, OPTION_NAMES);
  const { scopeClaim = "scope", realm = "api", accept, ...rest } = options;
  const { now } = rest;
  if (rest.issuer === undefined || rest.audience === undefined) {
    throw new TypeError(`${ACTION}: issuer or audience is missing`);
  }
  if (typeof scopeClaim !== "string" || scopeClaim === "") {
    throw new TypeError(`${ACTION}: scopeClaim is no text`);
  }
  checkOptionalFunction(ACTION, "accept", accept);
  const verify = jwtVerifier({
    typ: "at+jwt",
    ...rest,
    requiredClaims: ["sub", ...requiredClaimsOf(rest)],
  });
  const challenge = `Bearer realm="${checkRealm(realm)}"`;

  return Object.freeze<AuthStrategy>({
    name: "bearer",
    scheme: { type: "bearer" },
    challenge,
    async authenticate({ request }) {
      const credentials = readBearer(request.headers.get("Authorization"));
      if (credentials === undefined) return noCredential();
      const outcome = await verify(credentials.token).catch(refusalOf);
      if (outcome instanceof AuthError) return failed(outcome.code, outcome.reason);
      const { claims } = outcome;
      const principal = principalOf(claims, { scopeClaim, now });
      if (principal === undefined) return failed("invalid_token", "claims_malformed");
      const isAccepted = accept === undefined || await accept(principal, claims) === true;
      return isAccepted ? authenticated(principal) : failed("invalid_token", "not_accepted");
    },
  });

  /** RFC 6750 §3.1. */
  function failed(code: string, reason = code) {
    const says = code === "token_expired" ? "The token has expired" : "The token is not valid";
    const error = `error="invalid_token", error_description="${says}"`;
    return authFailed(code, reason, `${challenge}, ${error}`);
  }
}

const ACTION = "Cannot create bearer strategy";

const OPTION_NAMES: OptionNames<BearerTokenStrategyOptions> = {
  algorithms: true,
  keys: true,
  issuer: true,
  audience: true,
  typ: true,
  clockTolerance: true,
  maxAge: true,
  requiredClaims: true,
  maxBytes: true,
  now: true,
  scopeClaim: true,
  realm: true,
  accept: true,
};

/** A list that is said to be there has to be: `verifyJwt` refuses an expectation that is `undefined`. */
function requiredClaimsOf(options: { readonly requiredClaims?: readonly string[] }) {
  if (!("requiredClaims" in options)) return [];
  if (Array.isArray(options.requiredClaims)) return options.requiredClaims;
  throw new TypeError(`${ACTION}: requiredClaims is no list`);
}

/** The scheme, whatever its case; a second credential behind the first one too, so that none is overlooked. */
const SCHEME_REGEXP = /(?:^|,)[ \t]*bearer(?:[ \t,]|$)/i;

/** RFC 6750 §2.1: b64token. */
const CREDENTIALS_REGEXP = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** What a field says; a token that is none is empty, and refused as such. */
function readBearer(field: string | null): { readonly token: string } | undefined {
  if (field === null || !SCHEME_REGEXP.test(field)) return undefined;
  return { token: CREDENTIALS_REGEXP.exec(field)?.[1] ?? "" };
}

/** What is the token's fault. All else goes through, and is no pass: keys that cannot be had, a clock that is wrong. */
function refusalOf(error: unknown): AuthError {
  if (error instanceof AuthError && error.status === 401) return error;
  throw error;
}

/** Nobody, where a claim is not what its name says. */
function principalOf(
  claims: JwtClaims,
  { scopeClaim, now }: { readonly scopeClaim: string; readonly now: (() => number) | undefined },
): Principal | undefined {
  const { sub = "", auth_time, amr, acr, sid, [scopeClaim]: scope } = claims as KnownClaims;
  try {
    return createPrincipal({
      sub,
      method: "bearer",
      authTime: auth_time,
      amr,
      acr,
      sessionId: sid,
      scope: wordsOf(scope),
      claims,
    }, { now });
  } catch {
    return undefined;
  }
}

/** What they ought to be: `createPrincipal()` looks whether they are. */
interface KnownClaims extends JwtClaims {
  readonly auth_time?: number;
  readonly amr?: readonly string[];
  readonly acr?: string;
  readonly sid?: string;
}

/** RFC 6749 §3.3: words with one blank between. */
function wordsOf(scope: unknown): readonly string[] {
  if (scope === undefined) return [];
  if (typeof scope === "string") return scope.split(" ").filter((word) => word !== "");
  return scope as readonly string[];
}

/** RFC 9110 §5.6.4, without what would have to be escaped. */
const REALM_REGEXP = /^[\x20-\x7e]+$/;

function checkRealm(realm: string): string {
  if (typeof realm === "string" && REALM_REGEXP.test(realm) && !/["\\]/.test(realm)) return realm;
  throw new TypeError(`${ACTION}: realm is no text without quotes`);
}
