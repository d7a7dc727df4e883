/**
 * Organizations, their members and invitations, in memory. Each function is one step that no other interrupts; with a
 * database each is one transaction that locks the organization's row first, so that two owners cannot remove each other.
 *
 * @module
 */

import { canAssign, type Memberships, type Role } from "./access.ts";

/** An organization. */
export interface Organization {
  readonly id: string;
  readonly name: string;
}

/** A member of an organization. */
export interface Member {
  /** Subject id of the user. */
  readonly sub: string;
  readonly role: Role;
}

/** An invitation. Whoever has its token becomes a member, once. */
export interface Invitation {
  readonly org: string;
  /** Subject id of the member who invited. */
  readonly by: string;
  readonly role: Role;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** A change of a member by another one. */
export interface MemberChange {
  /** Subject id of the member who asks for it. */
  readonly by: string;
  readonly sub: string;
  /** The new role; `undefined` removes the member. */
  readonly role: Role | undefined;
}

/** What became of a change. */
export type ChangeOutcome = "changed" | "no_such_member" | "not_allowed" | "last_owner";

/** Where organizations are stored. */
export interface Directory extends Memberships {
  rolesOf(sub: string): ReadonlyMap<string, Role>;
  roleOf(org: string, sub: string): Role | undefined;
  /** Creates an organization with one owner. */
  create(name: string, owner: string): Organization;
  find(org: string): Organization | undefined;
  /** Deletes an organization with its members and invitations. */
  delete(org: string): void;
  members(org: string): readonly Member[];
  /** Changes or removes a member, if the rules allow it. */
  change(org: string, change: MemberChange): ChangeOutcome;
  /** Removes a member who leaves. */
  leave(org: string, sub: string): ChangeOutcome;
  /** Keeps an invitation by the digest of its token, if the member may give the role. */
  invite(digest: string, invitation: Invitation): "invited" | "not_allowed";
  /** Takes an invitation: it counts once, until it expires, while who invited may still give the role. */
  accept(digest: string, sub: string, now: number): Organization | "invalid" | "already_member";
}

/** Creates an empty directory. */
export function createDirectory(): Directory {
  const organizations = new Map<string, Organization>();
  const roles = new Map<string, Map<string, Role>>(); // by organization, then by subject id
  const invitations = new Map<string, Invitation>();

  const roleOf = (org: string, sub: string) => roles.get(org)?.get(sub);

  function apply(org: string, { sub, role }: Omit<MemberChange, "by">): ChangeOutcome {
    const members = roles.get(org);
    const from = members?.get(sub);
    if (members === undefined || from === undefined) return "no_such_member";
    const owners = [...members.values()].filter((role) => role === "owner").length;
    if (from === "owner" && role !== "owner" && owners === 1) return "last_owner";
    if (role === undefined) members.delete(sub);
    else members.set(sub, role);
    return "changed";
  }

  return {
    roleOf,
    rolesOf: (sub) =>
      new Map([...roles].flatMap(([org, members]) => {
        const role = members.get(sub);
        return role === undefined ? [] : [[org, role]];
      })),
    create(name, owner) {
      const organization: Organization = { id: crypto.randomUUID(), name };
      organizations.set(organization.id, organization);
      roles.set(organization.id, new Map([[owner, "owner"]]));
      return organization;
    },
    find: (org) => organizations.get(org),
    delete(org) {
      organizations.delete(org);
      roles.delete(org);
      for (const [digest, invitation] of invitations) {
        if (invitation.org === org) invitations.delete(digest);
      }
    },
    members: (org) => [...roles.get(org) ?? []].map(([sub, role]) => ({ sub, role })),
    change(org, { by, sub, role }) {
      const from = roleOf(org, sub);
      if (from === undefined) return "no_such_member";
      if (!canAssign(roleOf(org, by), { from, to: role })) return "not_allowed";
      return apply(org, { sub, role });
    },
    leave: (org, sub) => apply(org, { sub, role: undefined }),
    invite(digest, invitation) {
      const { org, by, role } = invitation;
      if (!canAssign(roleOf(org, by), { from: undefined, to: role })) return "not_allowed";
      invitations.set(digest, invitation);
      return "invited";
    },
    accept(digest, sub, now) {
      const invitation = invitations.get(digest);
      if (invitation === undefined) return "invalid";
      const { org, by, role, expiresAt } = invitation;
      const organization = organizations.get(org);
      const mayGive = canAssign(roleOf(org, by), { from: undefined, to: role });
      if (organization === undefined || !mayGive || now >= expiresAt) {
        invitations.delete(digest);
        return "invalid";
      }
      if (roleOf(org, sub) !== undefined) return "already_member"; // the invitation is for another
      invitations.delete(digest);
      roles.get(org)?.set(sub, role);
      return organization;
    },
  };
}
