/**
 * The grant `authorization_code`, RFC 6749 §4.1.3 and RFC 7636 §4.6: one list of steps.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import type {
  IssuedAuthorization,
  RedeemedAuthorization,
  RegisteredClient,
} from "../../stores/server_types.ts";
import type { ClientRequest } from "../core/client_request.ts";
import type { ServerContext } from "../core/context.ts";
import { type GrantData, isValidUser } from "../core/grants.ts";
import { type GrantResponse, issueTokens } from "../core/issue.ts";
import { mayUseGrant } from "../clients/grant_types.ts";
import { matchRedirectUri } from "../clients/redirect_uri.ts";
import { refuseToken } from "../core/refusal.ts";
import { rememberSignIn } from "../core/sign_ins.ts";
import { tokenTarget } from "../core/resources.ts";
import { currentScope, OFFLINE_ACCESS, OPENID } from "../core/scopes.ts";

/** Id and secret of a code. */
const CODE_REGEXP = /^([\w-]{22})\.([\w-]{43})$/;

/** RFC 7636 §4.1. */
const VERIFIER_REGEXP = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Exchanges a code for tokens. @throws {ServerRefusal} */
export async function redeemCode(
  context: ServerContext,
  { client, form, jkt }: ClientRequest,
): Promise<GrantResponse> {
  const { clientId } = client;
  const refuse = (reason: Parameters<typeof refuseToken>[0]) => refuseToken(reason, { clientId });

  // 1. The parameters
  const [code, redirectUri, verifier] = [
    form.get("code"),
    form.get("redirect_uri"),
    form.get("code_verifier"),
  ];
  if (code === undefined || redirectUri === undefined || verifier === undefined) {
    throw refuse("parameter_missing");
  }

  // 2. The record, and the secret: who only knows or guesses the id changes nothing
  const [, id = "", secret = ""] = CODE_REGEXP.exec(code) ?? [];
  const found = id === "" ? null : await context.codes.find(id);
  const { authorization, version = "" } = found ?? {};
  const [codeHash, challenge] = await Promise.all([digestText(secret), digestText(verifier)]);
  if (authorization?.issuer !== context.issuer) throw refuse("code_unknown");
  const isIssued = authorization.state === "issued" || authorization.state === "redeemed";
  if (!isIssued || !equalText(codeHash, authorization.codeHash)) {
    throw refuse("code_unknown");
  }

  // 3. A second use ends the grant, §4.1.2
  if (authorization.state === "redeemed") {
    await revokeReplayed(context, authorization);
    throw refuse("code_replayed");
  }

  // 4. Time, client and redirect URI, §4.1.3. The client may have changed since the request
  if (context.now() >= authorization.expiresAt) throw refuse("code_unknown");
  if (authorization.clientId !== clientId) throw refuse("client_mismatch");
  const { request, subject } = authorization;
  const isRegistered = matchRedirectUri(client, redirectUri, context) !== undefined;
  if (redirectUri !== request.redirectUri || !isRegistered) throw refuse("redirect_uri_mismatch");
  const scope = currentScope(context, client, authorization.scope);
  if (scope.length === 0 && authorization.scope.length > 0) throw refuse("scope_too_wide");

  // 5. The verifier, RFC 7636 §4.6
  const isVerified = VERIFIER_REGEXP.test(verifier) && equalText(challenge, request.codeChallenge);
  if (!isVerified) throw refuse("verifier_wrong");

  // 6. The key that the code is bound to, RFC 9449 §10
  if ((request.dpopJkt ?? jkt) !== jkt) throw refuse("dpop_key_mismatch");

  // 7. The API, RFC 8707 §2.2
  const data = grantData(context, authorization, boundKey(client, jkt));
  const target = tokenTarget(context, client, { scope, data, asked: form.get("resource") });

  // 8. The user
  if (!await isValidUser(context, subject)) throw refuse("user_refused");

  // 9. Grant and tokens. What may fail does so before the code is used up; nobody has seen this grant's tokens yet
  const isBound = scope.includes(OPENID) && !scope.includes(OFFLINE_ACCESS); // OpenID Connect Core §11
  const sessionId = isBound ? subject.sessionId : undefined;
  const { refreshToken, familyId: grantId } = await context.refresh.issue(subject, {
    sessionId,
    scope,
    data,
  });
  try {
    const { nonce, idTokenClaims } = request;
    const tokens = await issueTokens(context, {
      ...subject,
      client,
      grantId,
      data,
      ...target,
      jkt,
      nonce,
      idTokenClaims,
    });

    // A client that wants to be told when the session ends
    const { sub } = subject;
    const { sid } = data;
    const isTold = context.logout !== undefined && client.backchannelLogoutUri !== undefined;
    if (isTold && sid !== undefined && scope.includes(OPENID)) {
      await rememberSignIn(context, sub, { clientId, sessionId: sid });
    }

    // 10. The code is used up: of concurrent requests one gets here, and the others end its grant
    const { id, issuer, createdAt } = authorization;
    const redeemed: RedeemedAuthorization = {
      state: "redeemed",
      id,
      issuer,
      clientId,
      codeHash,
      grantId,
      createdAt,
      expiresAt: context.now() + context.lifetimes.grant, // a replay is known as long as tokens may be valid
    };
    if (await context.codes.update(redeemed, version) !== "updated") {
      const winner = (await context.codes.find(id))?.authorization;
      if (winner?.state === "redeemed") await revokeReplayed(context, winner);
      throw refuse("code_replayed");
    }
    context.emit("grant.created", { sub: subject.sub, clientId, grantId });
    return mayUseGrant(context, client, "refresh_token")
      ? { ...tokens, refresh_token: refreshToken }
      : tokens;
  } catch (error) {
    await context.tokens.revoke({ familyId: grantId });
    throw error;
  }
}

async function revokeReplayed(
  { tokens, emit }: ServerContext,
  { clientId, grantId }: { readonly clientId: string; readonly grantId: string },
): Promise<void> {
  await tokens.revoke({ familyId: grantId });
  emit("code.replayed", { clientId, grantId });
}

/** §5: refresh tokens of clients that authenticate are bound to their credentials already. */
function boundKey({ authentication }: RegisteredClient, jkt: string | undefined) {
  return authentication === "none" ? jkt : undefined;
}

function grantData(
  { issuer }: ServerContext,
  { clientId, request: { resources }, subject: { sessionId } }: IssuedAuthorization,
  jkt: string | undefined,
): GrantData {
  return {
    issuer,
    clientId,
    ...(resources === undefined ? {} : { resources }),
    ...(sessionId === undefined ? {} : { sid: sessionId }),
    ...(jkt === undefined ? {} : { jkt }),
  };
}
