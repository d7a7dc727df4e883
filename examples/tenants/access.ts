/**
 * Authorization by roles in organizations. A user has at most one role in each; a route names the permission that it needs,
 * and the organization is the parameter `:org` of its path, never a field of the body or the query.
 *
 * Roles are read for every request, so that a change takes effect at the next one.
 *
 * @module
 */

import {
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
  HttpError,
} from "@gatehouse/http";

/** What a member is in an organization. */
export type Role = "owner" | "admin" | "member" | "viewer";

/** What a route may need. */
export type Permission =
  | "org:read"
  | "org:delete"
  | "members:read"
  | "members:write"
  | "owners:write"
  | "projects:read"
  | "projects:write"
  | "projects:delete";

/** Metadata of a route whose path has `:org`. A misspelt permission does not compile. */
export interface Needs {
  /** What the caller's role in the organization must include. */
  readonly permission: Permission;
}

/** Where the roles are stored. */
export interface Memberships {
  /** The role of a user in an organization; `undefined` if it is not a member, or there is no such organization. */
  roleOf(org: string, sub: string): Role | undefined | Promise<Role | undefined>;
  /** All roles of a user, by organization. */
  rolesOf(sub: string): ReadonlyMap<string, Role> | Promise<ReadonlyMap<string, Role>>;
}

const VIEWER: readonly Permission[] = ["org:read", "members:read", "projects:read"];
const MEMBER: readonly Permission[] = [...VIEWER, "projects:write"];
const ADMIN: readonly Permission[] = [...MEMBER, "projects:delete", "members:write"];
const OWNER: readonly Permission[] = [...ADMIN, "owners:write", "org:delete"];

/** The permissions of each role. */
export const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  member: MEMBER,
  admin: ADMIN,
  owner: OWNER,
};

/** Whether a role includes a permission. Who has no role has no permission. */
export function can(role: Role | undefined, permission: Permission): boolean {
  return role !== undefined && PERMISSIONS[role].includes(permission);
}

/**
 * Whether a role may change a member's role: admins all but that of owners, and to all but owner.
 *
 * @param roles The member's role before and after; `undefined` where it is not a member.
 */
export function canAssign(
  role: Role | undefined,
  { from, to }: { readonly from: Role | undefined; readonly to: Role | undefined },
): boolean {
  return can(role, from === "owner" || to === "owner" ? "owners:write" : "members:write");
}

/**
 * The authorization manager. An organization of which the caller is not a member responds as one that does not exist, with
 * 404, so that identifiers of other tenants reveal nothing. A member whose role does not suffice gets 403.
 */
export function tenantAccess(memberships: Memberships): AuthorizationManager<Needs> {
  return {
    async authorize(principal, { metadata, transport }) {
      if (principal === undefined || transport.kind !== "http") {
        return authorizationDenied("only members use the API");
      }
      const { org } = transport.params;
      if (typeof org !== "string") { // a mistake in the route: 500, and no access
        throw new TypeError(`Cannot authorize ${transport.route}: its path has no :org`);
      }
      const role = await memberships.roleOf(org, principal.sub);
      if (role === undefined) throw noSuchOrganization();
      return can(role, metadata.permission)
        ? authorizationAllowed()
        : authorizationDenied(`${role} lacks ${metadata.permission}`);
    },
  };
}

/**
 * The organizations in which a user has a permission: the filter of every list that spans organizations, to be part of the
 * query (`WHERE org = ANY($1)`), so that pages and counts are right and nothing is read that the caller may not see.
 */
export async function orgsWith(
  memberships: Memberships,
  { sub, permission }: { readonly sub: string; readonly permission: Permission },
): Promise<ReadonlySet<string>> {
  const roles = await memberships.rolesOf(sub);
  return new Set([...roles].filter(([, role]) => can(role, permission)).map(([org]) => org));
}

/** The refusal of a request for an organization that the caller must not know of. */
export function noSuchOrganization(): HttpError {
  return new HttpError(404, "no_such_organization", { detail: "The organization does not exist" });
}
