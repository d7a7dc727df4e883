/**
 * The exchange of what a user has granted for tokens, by a code or a device code: once.
 *
 * @module
 */

import type {
  AuthorizationRequest,
  DeviceIssuedAuthorization,
  IssuedAuthorization,
  RedeemedAuthorization,
  RegisteredClient,
} from "../../stores/server_types.ts";
import { mayUseGrant } from "../clients/grant_types.ts";
import type { ClientRequest } from "../core/client_request.ts";
import type { ServerContext } from "../core/context.ts";
import { type GrantData, isValidUser } from "../core/grants.ts";
import { type GrantResponse, issueTokens } from "../core/issue.ts";
import { refuseToken, type ServerRefusal } from "../core/refusal.ts";
import { tokenTarget } from "../core/resources.ts";
import { rememberSignIn } from "../core/sign_ins.ts";
import { currentScope, OFFLINE_ACCESS, OPENID } from "../core/scopes.ts";

type Issued = IssuedAuthorization | DeviceIssuedAuthorization;

/** Exchanges an authorization of a client, whose code was verified. @throws {ServerRefusal} */
export async function redeem(
  context: ServerContext,
  { client, form, jkt }: ClientRequest,
  { authorization, version }: { readonly authorization: Issued; readonly version: string },
): Promise<GrantResponse> {
  const { clientId } = client;
  const { request, subject } = authorization;

  // 1. The scope. The client may have changed since the request
  const scope = currentScope(context, client, authorization.scope);
  if (scope.length === 0 && authorization.scope.length > 0) {
    throw refuseToken("scope_too_wide", { clientId });
  }

  // 2. The API, RFC 8707 §2.2
  const data = grantData(context, authorization, boundKey(client, jkt));
  const target = tokenTarget(context, client, { scope, data, asked: form.get("resource") });

  // 3. The user
  if (!await isValidUser(context, subject)) throw refuseToken("user_refused", { clientId });

  // 4. Grant and tokens. What may fail does so before the code is used up; nobody has seen this grant's tokens yet
  const isBound = scope.includes(OPENID) && !scope.includes(OFFLINE_ACCESS); // OpenID Connect Core §11
  const sessionId = isBound ? subject.sessionId : undefined;
  const { refreshToken, familyId: grantId } = await context.refresh.issue(subject, {
    sessionId,
    scope,
    data,
  });
  try {
    const { nonce, idTokenClaims }: Partial<AuthorizationRequest> = request;
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

    // 5. The code is used up: of concurrent requests one gets here, and the others end its grant
    const { id, issuer, codeHash, createdAt } = authorization;
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
      throw winner?.state === "redeemed"
        ? await replayed(context, winner)
        : refuseToken("code_replayed", { clientId });
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

/** The refusal of a code that was used before, whose grant has ended. */
export async function replayed(
  { tokens, emit }: ServerContext,
  { clientId, grantId }: RedeemedAuthorization,
): Promise<ServerRefusal> {
  await tokens.revoke({ familyId: grantId });
  emit("code.replayed", { clientId, grantId });
  return refuseToken("code_replayed", { clientId });
}

/** RFC 9449 §5: refresh tokens of clients that authenticate are bound to their credentials already. */
function boundKey(
  { authentication }: RegisteredClient,
  jkt: string | undefined,
): string | undefined {
  return authentication === "none" ? jkt : undefined;
}

function grantData(
  { issuer }: ServerContext,
  { clientId, request: { resources }, subject: { sessionId } }: Issued,
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
