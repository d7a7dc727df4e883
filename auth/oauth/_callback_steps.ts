/**
 * The callback of a sign-in: one list of steps, each of which ends the sign-in if it fails.
 *
 * @module
 */

import type { JwtClaims } from "../jwt/types.ts";
import type { ClientContext, OAuthServer } from "./_context.ts";
import { check, oauthError } from "./_failure.ts";
import { isSubject, type VerifiedIdToken, verifyIdToken } from "./_id_token.ts";
import { readParameters, readUnsignedUser, type ResponseParameters } from "./_parameters.ts";
import { brandResult } from "./_result.ts";
import { requestTokens } from "./_token_request.ts";
import { clearTransactionCookie, type OAuthTransaction, takeTransaction } from "./_transaction.ts";
import { fetchDocuments, fetchUserinfo } from "./_userinfo.ts";
import type { OAuthResult, OAuthTokens } from "./client_types.ts";
import type { OAuthFindings, OAuthProfile } from "./provider_types.ts";

/** Completes a sign-in. @throws {AuthError} */
export async function completeSignIn(
  context: ClientContext,
  request: Request,
): Promise<OAuthResult> {
  const { provider } = context;

  // 1. The parameters, from the place that the response mode names
  const parameters = await readParameters(request, provider.responseMode);

  // 2. The transaction of the state and of this browser, once
  const transaction = await takeTransaction(context, request, parameters.state);

  // 3. It was begun by this client, for the same redirect URI and issuer
  const server = await context.server();
  checkTransaction(context, server, transaction);

  // 4. The issuer of the response, RFC 9207 §2.4, also if it is an error
  checkIssuer(context, server, parameters);

  // 5. An error response, RFC 6749 §4.1.2.1
  checkError(parameters);

  // 6. The code in exchange for tokens, with PKCE's verifier
  const { code } = parameters;
  check(code !== undefined, "response_malformed");
  const { verifier } = transaction;
  const tokens = await requestTokens(context, {
    grant_type: "authorization_code",
    code,
    redirect_uri: context.redirectUri,
    ...(verifier === null ? {} : { code_verifier: verifier }),
  });

  // 7. The ID token
  const verified = await verifyOwnIdToken(context, server, { tokens, transaction });
  checkTenantIssuer(context, parameters, verified);

  // 8. UserInfo and further documents, about the same user
  const found = await findUser(context, server, { tokens, verified, parameters });

  // 9. Who it is
  const profile = readProfile(context, found);

  const { claims } = found;
  const state = parameters.state ?? "";
  return brandResult({
    provider: provider.name,
    issuer: verified?.issuer ?? server.metadata.issuer,
    profile,
    claims,
    tokens,
    redirectTo: transaction.redirectTo,
    remember: transaction.remember,
    ...(transaction.link === undefined ? {} : { link: transaction.link }),
    ...authenticationOf(claims, context.now()),
    cookies: [clearTransactionCookie(context, state)],
  });
}

function checkTransaction(
  { provider, redirectUri }: ClientContext,
  { metadata }: OAuthServer,
  transaction: OAuthTransaction,
): void {
  const isOurs = transaction.provider === provider.name &&
    transaction.redirectUri === redirectUri && transaction.issuer === metadata.issuer;
  check(isOurs, "provider_mismatch");
}

/** Compared exactly. Where one server stands for many issuers, the ID token says which one it is: step 7. */
function checkIssuer(
  { provider }: ClientContext,
  { metadata }: OAuthServer,
  { iss }: ResponseParameters,
): void {
  const isPromised = provider.iss === "always" ||
    metadata.authorization_response_iss_parameter_supported === true;
  if (iss === undefined) return check(!isPromised, "iss_missing");
  if (provider.issuerOf === undefined) check(iss === metadata.issuer, "iss_mismatch");
}

function checkTenantIssuer(
  { provider }: ClientContext,
  { iss }: ResponseParameters,
  verified: VerifiedIdToken | undefined,
): void {
  if (provider.issuerOf === undefined || iss === undefined) return;
  check(iss === verified?.issuer, "iss_mismatch");
}

/** What providers send when the user says no: RFC 6749, Apple, LinkedIn. */
const REFUSALS: readonly string[] = [
  "access_denied",
  "user_cancelled_authorize",
  "user_cancelled_login",
];

/** Codes of RFC 6749 §4.1.2.1 and OpenID Connect Core §3.1.2.6. Any other text of the provider is left out of events. */
const ERROR_CODES: readonly string[] = [
  "invalid_request",
  "unauthorized_client",
  "unsupported_response_type",
  "invalid_scope",
  "server_error",
  "temporarily_unavailable",
  "interaction_required",
  "login_required",
  "account_selection_required",
  "consent_required",
];

function checkError({ error }: ResponseParameters): void {
  if (error === undefined) return;
  if (REFUSALS.includes(error)) throw oauthError("user_refused");
  throw oauthError("provider_refused", {
    detail: ERROR_CODES.includes(error) ? error : undefined,
  });
}

async function verifyOwnIdToken(
  context: ClientContext,
  server: OAuthServer,
  { tokens, transaction }: {
    readonly tokens: OAuthTokens;
    readonly transaction: OAuthTransaction;
  },
): Promise<VerifiedIdToken | undefined> {
  const { maxAge, acrValues } = transaction;
  const isRequired = context.provider.identity !== "userinfo" || maxAge !== undefined ||
    acrValues !== undefined;
  if (!isRequired) return undefined;
  check(tokens.idToken !== undefined, "id_token_missing");
  return await verifyIdToken(context, server, tokens.idToken, {
    startedAt: transaction.startedAt,
    nonce: transaction.nonce,
    accessToken: tokens.accessToken,
    maxAge,
    acrValues,
  });
}

async function findUser(
  context: ClientContext,
  { metadata }: OAuthServer,
  { tokens, verified, parameters }: {
    readonly tokens: OAuthTokens;
    readonly verified: VerifiedIdToken | undefined;
    readonly parameters: ResponseParameters;
  },
): Promise<OAuthFindings> {
  const { provider } = context;
  const claims = verified?.claims ?? {};
  const userinfo = provider.identity === "id_token"
    ? {}
    : await fetchUserinfo(context, metadata, tokens.accessToken);
  if (provider.identity === "both") check(userinfo["sub"] === claims.sub, "sub_mismatch"); // Core §5.3.2
  return {
    claims,
    userinfo,
    documents: await fetchDocuments(context, tokens.accessToken),
    unsigned: readUnsignedUser(parameters.user),
  };
}

function readProfile({ provider }: ClientContext, found: OAuthFindings): OAuthProfile {
  const profile = provider.profile(found);
  if (typeof profile === "string") throw oauthError("profile_refused", { detail: profile });
  check(isSubject(profile.subject), "sub_malformed");
  return profile;
}

/** Strings of `amr` that are copied into sessions. */
const MAX_METHODS = 16;

/** When and how the user authenticated. A time in the future does not count as recent. */
function authenticationOf(claims: JwtClaims, now: number) {
  const { auth_time, amr, acr, sid } = claims;
  const isTime = typeof auth_time === "number" && auth_time >= 0;
  return {
    authTime: isTime ? Math.min(auth_time, now) : now,
    amr: Array.isArray(amr) ? amr.filter(isShortString).slice(0, MAX_METHODS) : [],
    ...(isShortString(acr) ? { acr } : {}),
    ...(isSubject(sid) ? { sid } : {}),
  };
}

function isShortString(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 255;
}
