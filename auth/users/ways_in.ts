/**
 * The ways in which a user can sign in, and the removal of one that is not the last.
 *
 * Passkeys and identities are records of their own, so one compare-and-swap cannot delete one and exclude that another is
 * deleted at the same time. The user's record decides: it names the one whose removal begins, and every later removal reads it,
 * deletes it if the first was interrupted, and no longer counts it.
 *
 * @module
 */

import { updateUser } from "./update_user.ts";
import type {
  CredentialStore,
  IdentityStore,
  User,
  UserPatch,
  UserStore,
} from "../stores/types.ts";

/** Stores of the ways in which a user can sign in. */
export interface WaysInStores {
  /** Persists users. */
  readonly users: UserStore;
  /** Persists passkeys. @default users have none */
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  /** Persists identities at OAuth providers. @default users have none */
  readonly identities?: Pick<IdentityStore, "list" | "delete"> | undefined;
}

/** A way to sign in: the password, a passkey by its credential id, or an identity by its id. */
export type WayIn =
  | { readonly kind: "password"; readonly id?: undefined }
  | { readonly kind: "identity"; readonly id: string }
  | { readonly kind: "passkey"; readonly id: string };

/** What a kind of ways to sign in consists of. Its ids tell the ways of one user apart. */
interface WayInKind {
  /** The ids of a user's ways. */
  list(stores: WaysInStores, user: User): Promise<readonly string[]> | readonly string[];
  /** The patch with which a removal begins: from then on the way does not count. */
  patch(id: string): UserPatch;
  /** Deletes what is stored outside the user's record. */
  finish?(stores: WaysInStores, id: string, sub: string): Promise<void>;
}

/** All kinds: whatever a user can sign in with has a row here. */
const KINDS: { readonly [Kind in WayIn["kind"]]: WayInKind } = {
  password: {
    list: (_, user) => hasPassword(user) ? [ONLY] : [],
    patch: () => ({ passwordHash: null }),
  },
  passkey: {
    list: async ({ credentials }, { sub }) =>
      (await credentials?.list(sub) ?? []).map(({ id }) => id),
    patch: (id) => ({ pendingRemoval: id }),
    finish: async ({ credentials }, id) => await credentials?.delete(id),
  },
  identity: {
    list: async ({ identities }, { sub }) =>
      (await identities?.list(sub) ?? []).map(({ id }) => id),
    patch: (id) => ({ pendingRemoval: pendingIdentity(id) }),
    finish: async ({ identities }, id, sub) => {
      await identities?.delete(id, sub);
    },
  },
};

/** The id of a way of which a user has one at most. */
const ONLY = "";

/** What the user's record names while an identity is removed. No credential id contains a colon. */
export function pendingIdentity(id: string): string {
  return `identity:${id}`;
}

/**
 * Removes a way to sign in, unless it is the user's last one: of concurrent removals one leaves its way.
 *
 * If it rejects after the removal has begun, the way does not count any more; the next removal, also of the same way,
 * finishes it.
 *
 * @throws {AuthError} `service_unavailable` after repeated conflicts.
 * @returns `not_found` if the user does not have it, `last` if the user could not sign in any more.
 */
export async function removeWayIn(
  stores: WaysInStores,
  sub: string,
  way: WayIn,
): Promise<"removed" | "not_found" | "last"> {
  const { kind, id = ONLY } = way;
  let outcome: "removed" | "not_found" | "last" = "not_found";
  const isBegun = await updateUser(stores.users, sub, async (user) => {
    const found = await listWays(stores, user);
    const pending = found.find((one) => isPending(one, user));
    if (pending !== undefined) await finish(stores, pending, sub);
    const given = found.find((one) => one.kind === kind && one.id === id);
    if (given === undefined) outcome = "not_found";
    else if (given === pending) outcome = "removed";
    else if (found.every((one) => one === given || one === pending)) outcome = "last";
    else return KINDS[kind].patch(id);
    return undefined;
  });
  if (!isBegun) return outcome;
  await finish(stores, { kind, id }, sub);
  return "removed";
}

/** Whether a user has a password: a column may be `null`, and no hasher verifies what is not a string. */
export function hasPassword({ passwordHash }: User): boolean {
  return typeof passwordHash === "string" && passwordHash !== "";
}

/** A way, as the table of kinds lists it. */
interface ListedWay {
  readonly kind: WayIn["kind"];
  readonly id: string;
}

async function listWays(stores: WaysInStores, user: User): Promise<readonly ListedWay[]> {
  const kinds = Object.keys(KINDS) as readonly WayIn["kind"][];
  const listed = await Promise.all(kinds.map(async (kind) => {
    const ids = await KINDS[kind].list(stores, user);
    return ids.map((id) => ({ kind, id }));
  }));
  return listed.flat();
}

function isPending({ kind, id }: ListedWay, { pendingRemoval }: User): boolean {
  const patch = KINDS[kind].patch(id);
  return pendingRemoval !== undefined && patch.pendingRemoval === pendingRemoval;
}

async function finish(stores: WaysInStores, { kind, id }: ListedWay, sub: string): Promise<void> {
  await KINDS[kind].finish?.(stores, id, sub);
}
