/**
 * Validation of ID tokens, OpenID Connect Core §3.1.3.7. The signature is always verified.
 *
 * @module
 */

import { equalText } from "../_bytes.ts";
import { AuthError } from "../error.ts";
import { jwtVerifier, type VerifiedJwt } from "../jwt/jwt.ts";
import { tokenHash } from "../jwt/token_hash.ts";
import type { JwtClaims, KeyResolver } from "../jwt/types.ts";
import type { ClientContext, OAuthServer } from "./_context.ts";
import { check, oauthError } from "./_failure.ts";

/** What an ID token must agree with. */
export interface IdTokenExpectations {
  /** When the sign-in was begun. @default not checked: the token of a refresh */
  readonly startedAt?: number | undefined;
  /** The nonce that was sent; `null` if none was. @default not checked */
  readonly nonce?: string | null | undefined;
  /** The access token that came along. */
  readonly accessToken?: string | undefined;
  /** The authentication must not be older than so many seconds. */
  readonly maxAge?: number | undefined;
  /** Accepted values of `acr`. */
  readonly acrValues?: readonly string[] | undefined;
}

/** Parts of a client that ID tokens are verified with. */
type IdTokenContext = Pick<ClientContext, "provider" | "clockTolerance" | "now">;

/** A token that was issued before the sign-in was begun belongs to another one; clocks may differ by this much. */
const MAX_SECONDS_BEFORE_START = 60;

/** A verified ID token. */
export interface VerifiedIdToken {
  readonly claims: JwtClaims;
  /** The issuer that identities belong to: the metadata's, or a tenant's. */
  readonly issuer: string;
}

/** Verifies an ID token. @throws {AuthError} With the failed check as `reason`; `provider_unreachable` */
export async function verifyIdToken(
  context: IdTokenContext,
  { metadata, keys }: OAuthServer,
  token: string,
  expected: IdTokenExpectations,
): Promise<VerifiedIdToken> {
  const { provider, now, clockTolerance } = context;
  // Steps 6 to 8: signature and algorithm. 3 and 9: audience and expiry
  const { header, claims } = await verifySignedToken(context, keys, token);

  const issuer = issuerOf(context, metadata.issuer, claims); // step 2
  check(issuer !== undefined, "iss_mismatch");

  const { sub, aud, azp, iat = NaN, nonce, at_hash, auth_time, acr } = claims;
  check(isSubject(sub), "sub_malformed"); // §2
  const isForOthers = Array.isArray(aud) && aud.length > 1;
  check(azp === undefined ? !isForOthers : azp === provider.clientId, "azp_mismatch"); // steps 4 and 5

  check(iat <= now() + clockTolerance, "id_token_refused", { detail: "issued_in_future" }); // step 10
  const { startedAt = -Infinity } = expected;
  check(iat >= startedAt - MAX_SECONDS_BEFORE_START, "issued_too_early");

  if (typeof expected.nonce === "string") { // step 11
    check(typeof nonce === "string" && equalText(nonce, expected.nonce), "nonce_mismatch");
  }
  if (expected.acrValues !== undefined) { // step 12
    check(typeof acr === "string" && expected.acrValues.includes(acr), "acr_mismatch");
  }
  if (expected.maxAge !== undefined) { // step 13
    const oldest = now() - expected.maxAge - clockTolerance;
    check(typeof auth_time === "number" && auth_time >= oldest, "auth_time_too_old");
  }
  if (at_hash !== undefined && expected.accessToken !== undefined) { // §3.1.3.8
    check(at_hash === await tokenHash(header.alg, expected.accessToken), "at_hash_mismatch");
  }
  return { claims, issuer };
}

/** Verifies signature, algorithm, type, audience and expiry of a token that the provider signed. */
export async function verifySignedToken(
  { provider, clockTolerance, now }: IdTokenContext,
  keys: KeyResolver | undefined,
  token: string,
  { typ = "JWT", maxAge }: { readonly typ?: string; readonly maxAge?: number } = {},
): Promise<VerifiedJwt> {
  check(keys !== undefined, "id_token_refused", { detail: "key_unknown" });
  const verify = jwtVerifier({
    algorithms: provider.idTokenAlgorithms,
    keys,
    audience: provider.clientId,
    typ,
    clockTolerance,
    requiredClaims: ["iss", "iat"],
    now,
    ...(maxAge === undefined ? {} : { maxAge }),
  });
  try {
    return await verify(token);
  } catch (cause) {
    if (!(cause instanceof AuthError)) throw cause;
    if (cause.code === "service_unavailable") throw oauthError("provider_unreachable", { cause });
    throw oauthError("id_token_refused", { detail: cause.reason, cause });
  }
}

/** The issuer of verified claims; `undefined` if it is not the server's. */
export function issuerOf(
  { provider }: Pick<ClientContext, "provider">,
  issuer: string,
  claims: JwtClaims,
): string | undefined {
  if (provider.issuerOf !== undefined) {
    const own = provider.issuerOf(claims);
    return own === claims.iss ? own : undefined;
  }
  const { iss = "" } = claims;
  return iss === issuer || provider.issuerAliases?.includes(iss) ? issuer : undefined;
}

/** §2: at most 255 ASCII characters. */
export function isSubject(sub: unknown): sub is string {
  return typeof sub === "string" && /^[\x20-\x7e]{1,255}$/.test(sub);
}
