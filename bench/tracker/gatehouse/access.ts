/**
 * Who may do what: roles in organisations, from the recipe of `examples/tenants`, and the scopes of tokens and keys.
 *
 * @module
 */

import {
  type AccessRules,
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
  type Principal,
  type Routes,
} from "@gatehouse/http";
import type { Role } from "./schemas.ts";
import { noSuchOrganisation, type Store } from "./store.ts";

export type Permission =
  | "read"
  | "write"
  | "moderate"
  | "members:write"
  | "owners:write"
  | "org:delete";

/** What access tokens and API keys are limited to. */
export type Scope = "read" | "write";

/** Metadata of a route whose path has `:org`. */
export interface Needs {
  readonly permission: Permission;
  /** What suffices for what is the caller's own: the comment, issue or membership that the path names. */
  readonly own?: Permission;
}

/** The router, for routes in files of their own. */
export type TrackerRoutes = Routes<[], Principal, AccessRules<Needs, Scope>>;

/** Routes that read, or change, what is in an organisation. */
interface Access {
  readonly scope: readonly Scope[];
  readonly authorization: { readonly metadata: Needs };
}

const VIEWER: readonly Permission[] = ["read"];
const MEMBER: readonly Permission[] = [...VIEWER, "write"];
const ADMIN: readonly Permission[] = [...MEMBER, "moderate", "members:write"];
const OWNER: readonly Permission[] = [...ADMIN, "owners:write", "org:delete"];

const PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: VIEWER,
  member: MEMBER,
  admin: ADMIN,
  owner: OWNER,
};

/** Access to a route that every member may use. */
export const READS: Access = {
  scope: ["read"],
  authorization: { metadata: { permission: "read" } },
};

/** Access to a route that changes something. */
export function changes(permission: Permission, own?: Permission): Access {
  const metadata = { permission, ...(own === undefined ? {} : { own }) };
  return { scope: ["write"], authorization: { metadata } };
}

export function can(role: Role | undefined, permission: Permission): boolean {
  return role !== undefined && PERMISSIONS[role].includes(permission);
}

/** Whether a role may change another's role: owners are changed and made by owners alone. */
export function canAssign(role: Role | undefined, ...changed: (Role | undefined)[]): boolean {
  return can(role, changed.includes("owner") ? "owners:write" : "members:write");
}

/** The authorization manager: 404 for who is not a member, 403 for members whose role does not suffice. */
export function trackerAccess(store: Store): AuthorizationManager<Needs> {
  return {
    authorize(principal, { metadata: { permission, own }, transport }) {
      if (principal === undefined || transport.kind !== "http") {
        return authorizationDenied("only members use the API");
      }
      const { org, id, comment, user } = transport.params as Record<string, string | undefined>;
      if (org === undefined) throw new TypeError(`${transport.route} has no :org`);
      const role = store.roleOf(org, principal.sub);
      if (role === undefined) throw noSuchOrganisation();
      const owner = user ?? store.authorOf(org, { id, comment });
      // What does not exist has no owner: the handler answers 404.
      const isOwn = owner === undefined || owner === principal.sub;
      const needed = own !== undefined && isOwn ? own : permission;
      return can(role, needed)
        ? authorizationAllowed()
        : authorizationDenied(`${role} lacks ${needed}`);
    },
  };
}
