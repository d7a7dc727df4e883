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
  /** Accepted issuers, compared exactly; an array holds the names of one party, whose keys sign for all of them. */
  readonly issuer: string | readonly string[];
  /** This service, as the issuer names it in `aud`. */
  readonly audience: string | readonly string[];
  /** Required `typ`. Issuers without RFC 9068 use `JWT` or nothing; `JWT` accepts both. @default {"at+jwt"} */
  readonly typ?: string;
  /** Required claims besides `exp` and `sub`. @default {[]} */
  readonly requiredClaims?: readonly string[];
  /** Claim with the scopes, an array or a space-separated string; `scp` for some issuers. @default {"scope"} */
  readonly scopeClaim?: string | undefined;
  /** Realm of the challenge, RFC 9110 §11.5. @default {"api"} */
  readonly realm?: string | undefined;
  /**
   * URL of the API's metadata, RFC 9728 §5.1, which challenges then name: `metadataUrl` of {@linkcode protectedResource}. They also
   * name the scopes of the route.
   *
   * @default none
   */
  readonly resourceMetadata?: string | undefined;
  /**
   * Decides whether the owner of a valid token still has access: tokens outlive a disabled account by minutes.
   *
   * @default every valid token is accepted
   */
  readonly accept?:
    | ((principal: Principal, claims: JwtClaims) => boolean | Promise<boolean>)
    | undefined;
}

/**
 * Creates the strategy that reads `Authorization: Bearer …`. Tokens in the query string or body are ignored, RFC 6750 §2.3.
 * It fails with `token_expired` or `invalid_token` and a challenge, RFC 6750 §3. Errors of the keys are passed on: 503 for
 * {@linkcode remoteJwks}.
 *
 * `sub` is unique per issuer only: with users from several sources, the application must keep equal values apart.
 *
 * The principal has `sub`, `scope` (empty if the token has none), `authTime`, `amr`, `acr`, `sid` as `sessionId`, and the
 * claims.
 *
 * @throws {TypeError | RangeError} If an option is missing or invalid.
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
  return createBearerStrategy(options, { scoped: true, scopeOfUnscoped: [] });
}

/** What tokens without the claim of scopes may do, and how tokens are presented. */
export interface TokenRules {
  /** Whether principals always have a `scope`. */
  readonly scoped: boolean;
  /** The `scope` then: another issuer grants none; the service's own sign-ins issue tokens that are not limited. */
  readonly scopeOfUnscoped: readonly string[] | undefined;
  /** Whether tokens must be bound to a key, RFC 9449 §6, or must not. @default {"bearer"} */
  readonly method?: "bearer" | "dpop";
}

/** The strategy, for another issuer and for the service's own tokens. */
export function createBearerStrategy(
  options: BearerTokenStrategyOptions,
  { scoped, scopeOfUnscoped, method = "bearer" }: TokenRules,
): AuthStrategy {
  rejectUnknownOptions(ACTION, options, OPTION_NAMES);
  const { scopeClaim = "scope", realm = "api", resourceMetadata, accept, ...rest } = options;
  const { now } = rest;
  if (rest.issuer === undefined || rest.audience === undefined) {
    throw new TypeError(`${ACTION}: issuer or audience is missing`);
  }
  if (typeof scopeClaim !== "string" || scopeClaim === "") {
    throw new TypeError(`${ACTION}: scopeClaim must be a non-empty string`);
  }
  checkOptionalFunction(ACTION, "accept", accept);
  const verify = jwtVerifier({
    typ: "at+jwt",
    ...rest,
    // One that is undefined stays in the array, and is rejected: it may be an unset variable
    requiredClaims: ["sub"].concat("requiredClaims" in rest ? rest.requiredClaims : []),
  });
  const metadata = resourceMetadata === undefined
    ? ""
    : `, resource_metadata="${checkQuotable(resourceMetadata)}"`;
  const challenge = `Bearer realm="${checkQuotable(realm)}"${metadata}`;

  return Object.freeze<AuthStrategy>({
    name: "bearer",
    scheme: { type: "bearer" },
    scoped,
    challenge,
    async authenticate({ request }) {
      const credentials = readBearer(request.headers.get("Authorization"));
      if (credentials === undefined) return noCredential();
      const outcome = await verify(credentials.token).catch(refusalOf);
      if (outcome instanceof AuthError) return failed(outcome.code, outcome.reason);
      const { claims } = outcome;
      const principal = principalOf(claims, { method, scopeClaim, scopeOfUnscoped, now });
      if (principal === undefined) return failed("invalid_token", "claims_malformed");
      // RFC 9449 §7.2: a token that is bound to a key is no bearer token
      const isBound = (claims as KnownClaims).cnf?.jkt !== undefined;
      const isAccepted = isBound === (method === "dpop") &&
        (accept === undefined || await accept(principal, claims) === true);
      return isAccepted ? authenticated(principal) : failed("invalid_token", "not_accepted");
    },
  });

  /** RFC 6750 §3.1. */
  function failed(code: string, reason = code) {
    const description = code === "token_expired"
      ? "The token has expired"
      : "The token is not valid";
    const error = `error="invalid_token", error_description="${description}"`;
    return authFailed(code, reason, `${challenge}, ${error}`);
  }
}

const ACTION = "Cannot create bearer strategy";

/** The names of all options. */
export const OPTION_NAMES: OptionNames<BearerTokenStrategyOptions> = {
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
  resourceMetadata: true,
  accept: true,
};

/** The scheme, case-insensitive; also of a second credential after the first, so that none is missed. */
const SCHEME_REGEXP = /(?:^|,)[ \t]*bearer(?:[ \t,]|$)/i;

/** RFC 6750 §2.1: b64token. */
const CREDENTIALS_REGEXP = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads the token of the field `Authorization`. A malformed token becomes an empty one, which is rejected.
 *
 * @returns `undefined` if the field has no credential of this scheme.
 */
export function readBearer(field: string | null): { readonly token: string } | undefined {
  if (field === null || !SCHEME_REGEXP.test(field)) return undefined;
  return { token: CREDENTIALS_REGEXP.exec(field)?.[1] ?? "" };
}

/** Rejections of the token. Other errors are passed on: unavailable keys, an invalid clock. */
function refusalOf(error: unknown): AuthError {
  if (error instanceof AuthError && error.status === 401) return error;
  throw error;
}

/** The principal; `undefined` if a claim has the wrong type. */
function principalOf(
  claims: JwtClaims,
  { method, scopeClaim, scopeOfUnscoped, now }: {
    readonly method: string;
    readonly scopeClaim: string;
    readonly scopeOfUnscoped: readonly string[] | undefined;
    readonly now: (() => number) | undefined;
  },
): Principal | undefined {
  const { sub = "", auth_time, amr, acr, sid, [scopeClaim]: scope } = claims as KnownClaims;
  try {
    return createPrincipal({
      sub,
      method,
      authTime: auth_time,
      amr,
      acr,
      sessionId: sid,
      scope: scope === undefined ? scopeOfUnscoped : scopesOf(scope),
      claims,
    }, { now });
  } catch {
    return undefined;
  }
}

/** Expected types of claims, which `createPrincipal()` checks. */
interface KnownClaims extends JwtClaims {
  readonly auth_time?: number;
  readonly amr?: readonly string[];
  readonly acr?: string;
  readonly sid?: string;
  readonly cnf?: { readonly jkt?: unknown };
}

/** RFC 6749 §3.3: a space-separated list. */
function scopesOf(scope: unknown): readonly string[] {
  if (typeof scope === "string") return scope.split(" ").filter((word) => word !== "");
  return scope as readonly string[];
}

/** RFC 9110 §5.6.4, without characters that need escaping. */
const QUOTABLE_REGEXP = /^[ !#-[\]-~]+$/;

function checkQuotable(text: string): string {
  if (typeof text === "string" && QUOTABLE_REGEXP.test(text)) return text;
  throw new TypeError(
    `${ACTION}: realm and resourceMetadata must be printable ASCII`,
  );
}
