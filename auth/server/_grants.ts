/**
 * Grants: what a user has permitted a client. Each is a family of refresh tokens, so that whatever ends the family, such as a new
 * password, ends the grant with all its tokens.
 *
 * @module
 */

import { checkedRefreshTokens, isDisabled, isRevoked } from "../stores/checked.ts";
import type { RefreshFamily } from "../stores/types.ts";
import type { RefreshFamilyInfo } from "../tokens/refresh_types.ts";
import type { ServerContext } from "./_context.ts";
import type { GrantInfo } from "./types.ts";

/** The data of a family: whose grant it is. */
export interface GrantData {
  readonly issuer: string;
  readonly clientId: string;
  /** Session of the user, for `sid` of ID tokens. */
  readonly sid?: string;
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
  { familyId, scope = [], createdAt, expiresAt }: RefreshFamilyInfo,
  { clientId }: GrantData,
): GrantInfo {
  return { grantId: familyId, clientId, scope, createdAt, expiresAt };
}

/** Whether a user has a valid grant that includes the scopes. */
export async function hasGrant(
  context: Pick<ServerContext, "issuer" | "refresh">,
  sub: string,
  { clientId, scope }: Pick<GrantInfo, "clientId" | "scope">,
): Promise<boolean> {
  const grants = await listGrants(context, sub);
  return grants.some((grant) =>
    grant.clientId === clientId && scope.every((name) => grant.scope.includes(name))
  );
}

/** The family of a grant that is valid now; `undefined` if it was revoked or has expired, or its user may not use it. */
export async function findGrant(
  { tokens, users, now }: Pick<ServerContext, "tokens" | "users" | "now">,
  grantId: string,
): Promise<RefreshFamily | undefined> {
  const family = await checkedRefreshTokens(tokens).find(grantId);
  if (family === null || family.id !== grantId || isRevoked(family)) return undefined;
  if (now() >= family.familyExpiresAt) return undefined;
  const user = await users.findBySub(family.sub);
  const isValid = user !== null && !isDisabled(user) && user.securityStamp === family.securityStamp;
  return isValid ? family : undefined;
}
