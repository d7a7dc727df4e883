/**
 * Grants: what a user has permitted a client. Each is a family of refresh tokens, so that whatever ends the family, such as a new
 * password, ends the grant with all its tokens.
 *
 * @module
 */

import { isDisabled, isRevoked } from "../../stores/checked.ts";
import { isClientDisabled } from "../../stores/checked_server.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import type { RefreshFamily } from "../../stores/types.ts";
import type { RefreshFamilyInfo } from "../../tokens/refresh_types.ts";
import { mayUseGrant } from "../clients/grant_types.ts";
import type { ServerContext } from "./context.ts";
import { ownScope } from "./scopes.ts";
import type { OwnAccessToken } from "./verify_tokens.ts";
import type { GrantInfo } from "./types.ts";

/** The data of a family: whose grant it is. */
export interface GrantData {
  readonly issuer: string;
  readonly clientId: string;
  /** Requested APIs, the most that its tokens may be for. @default the APIs of its scopes */
  readonly resources?: readonly string[];
  /** Session of the user, for `sid` of ID tokens. */
  readonly sid?: string;
  /** Thumbprint of the key that refresh tokens of a public client are bound to, RFC 9449 §5. */
  readonly jkt?: string;
}

/** Whether data is that of a grant of this server, and which. */
export function grantDataOf(
  { issuer }: Pick<ServerContext, "issuer">,
  data: unknown,
): GrantData | undefined {
  const grant = (data ?? {}) as Partial<GrantData>;
  const isOurs = grant.issuer === issuer && typeof grant.clientId === "string";
  return isOurs ? grant as GrantData : undefined;
}

/** The grants of a user that are valid, the newest first. */
export async function listGrants(
  context: Pick<ServerContext, "issuer" | "refresh">,
  sub: string,
): Promise<readonly GrantInfo[]> {
  const families = await context.refresh.list(sub);
  return families.flatMap((family) => {
    const data = grantDataOf(context, family.data);
    return data === undefined ? [] : grantInfo(family, data);
  });
}

function grantInfo(
  { familyId, sessionId, scope = [], createdAt, expiresAt }: RefreshFamilyInfo,
  { clientId, resources }: GrantData,
): GrantInfo {
  return {
    grantId: familyId,
    clientId,
    scope,
    ...(resources === undefined ? {} : { resources }),
    ...(sessionId === undefined ? {} : { sessionId }),
    createdAt,
    expiresAt,
  };
}

/**
 * The client of a token; `undefined` if its grant is not valid now, or the client was deleted or disabled. A client that has
 * the token for itself has no grant: it must still be allowed to get this token.
 */
export async function clientOfGrant(
  context: Pick<
    ServerContext,
    "issuer" | "clients" | "grants" | "scopes" | "tokens" | "users" | "now"
  >,
  { sub, clientId, grantId, scope }: Pick<
    OwnAccessToken,
    "sub" | "clientId" | "grantId" | "scope"
  >,
): Promise<RegisteredClient | undefined> {
  const client = await context.clients.find(clientId);
  if (client === null || isClientDisabled(client)) return undefined;
  if (grantId === undefined) {
    const allowed = ownScope(context, client);
    const isAllowed = mayActForItself(context, client) &&
      scope.every((name) => allowed.includes(name));
    return isAllowed ? client : undefined;
  }
  const family = await context.tokens.find(grantId);
  // Compare the id too: a store that compares inexactly returns another family
  const isOurs = family !== null && family.id === grantId && family.sub === sub &&
    grantDataOf(context, family.data)?.clientId === clientId;
  if (!isOurs || isRevoked(family) || context.now() >= family.familyExpiresAt) return undefined;
  return await isValidUser(context, family) ? client : undefined;
}

/** Whether a client may use `client_credentials`, RFC 6749 §4.4: a public one never may, whatever its record says. */
export function mayActForItself(
  context: Pick<ServerContext, "grants">,
  client: RegisteredClient,
): boolean {
  return client.authentication !== "none" && mayUseGrant(context, client, "client_credentials");
}

/** Whether a user exists, is not disabled, and has the same credentials as at the authentication. */
export async function isValidUser(
  { users }: Pick<ServerContext, "users">,
  { sub, securityStamp }: Pick<RefreshFamily, "sub" | "securityStamp">,
): Promise<boolean> {
  const user = await users.findBySub(sub);
  return user !== null && !isDisabled(user) && user.securityStamp === securityStamp;
}
