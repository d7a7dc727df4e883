/**
 * Addresses of accounts: whose one is, and what follows from the proof that mail to it arrives.
 *
 * @module
 */

import { randomId } from "../_random.ts";
import { AuthError } from "../error.ts";
import { canonicalIdentifier } from "../identifier.ts";
import { isDisabled } from "../stores/checked.ts";
import type { User, UserEmail } from "../stores/types.ts";
import { revokeAccess } from "../users/revoke_access.ts";
import { updateUser } from "../users/update_user.ts";
import type { AccountContext } from "./_context.ts";
import { invalidLink } from "./_flow.ts";

/** How often a write is attempted on conflict. */
const ATTEMPTS = 5;

/** A `sub` that no user has: looking it up takes as long. */
const NOBODY = "";

/** The canonical form of an e-mail address. @throws {AuthError} `invalid_identifier` */
export function canonicalEmail(text: unknown): string {
  const email: string = canonicalIdentifier(text);
  if (email.includes("@")) return email;
  throw new AuthError("invalid_identifier", { detail: "The address must be an e-mail address" });
}

/** The address of a user: the stored one, or an identifier that is one. */
export function addressOf(user: User, stored: UserEmail | null): string | undefined {
  return stored?.email ?? (user.identifier.includes("@") ? user.identifier : undefined);
}

/** An account, and where its mail goes; `refused` for a disabled one, and one without an address. */
export type Recipient =
  | { readonly status: "found"; readonly user: User; readonly email: string }
  | { readonly status: "none" | "refused" };

/**
 * Finds an account by its verified address, or by its identifier. It asks the stores the same, whatever it finds: four reads.
 */
export async function findRecipient(
  { users, emails }: Pick<AccountContext, "users" | "emails">,
  identifier: string,
): Promise<Recipient> {
  const owner = await emails.findByEmail(identifier);
  const named = await users.findByIdentifier(identifier);
  const user = await users.findBySub(owner?.sub ?? named?.sub ?? NOBODY);
  const stored = await emails.findBySub(user?.sub ?? NOBODY);
  if (user === null) return { status: "none" };
  const email = isDisabled(user) ? undefined : addressOf(user, stored);
  return email === undefined ? { status: "refused" } : { status: "found", user, email };
}

/** Stores an address, after it was read: `undefined` or an error cancels. @throws {AuthError} `email_taken`, `service_unavailable`. */
export async function saveEmail(
  { emails }: Pick<AccountContext, "emails">,
  sub: string,
  next: (stored: UserEmail | null) => Omit<UserEmail, "version" | "sub"> | undefined,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await emails.findBySub(sub);
    const email = next(stored);
    if (email === undefined) return;
    const outcome = await emails.save({ sub, ...email }, stored?.version ?? null);
    if (outcome === "saved") return;
    if (outcome === "email_taken") {
      throw new AuthError("email_taken", { detail: "Another account has this e-mail address" });
    }
  }
  throw new AuthError("service_unavailable", { reason: "update_conflict" });
}

/**
 * Records that the user reads mail to an address by which they are about to sign in. If that was not known, whoever created the
 * account may be somebody else, who only knew the address: everything else that gives access ends.
 *
 * @returns The user, with the new security stamp.
 */
export async function proveAddress(
  context: AccountContext,
  user: User,
  email: string,
): Promise<User> {
  const { emails, users } = context;
  const stored = await emails.findBySub(user.sub);
  if (isVerified(stored) && stored?.email === email) return user;
  const patch = { passwordHash: null, securityStamp: randomId() };
  if (!await updateUser(users, user.sub, () => patch)) {
    throw new AuthError("service_unavailable", { reason: "update_conflict" });
  }
  context.emit("session.revoked", { sub: user.sub }); // they have ended with the stamp, whatever is deleted now
  await endForeignAccess(context, user.sub);
  await verifyAddress(context, user, email); // last: interrupted, all of it is repeated
  const { passwordHash: _, ...others } = user;
  return { ...others, securityStamp: patch.securityStamp };
}

/** Ends all access to an account that is not by its password. */
export async function endForeignAccess({ options }: AccountContext, sub: string): Promise<void> {
  const { sessions, refreshTokens, apiKeys, credentials, identities, factors } = options;
  await revokeAccess({ sessions, refreshTokens, apiKeys, credentials, identities, factors }, sub);
}

/**
 * Stores the address of a user as verified. With `replace` it may be another one than before: otherwise a link to an old address
 * would bring that back.
 *
 * @throws {AuthError} `invalid_link`, if the user has another address or was removed; `email_taken`, `service_unavailable`.
 */
export async function verifyAddress(
  context: AccountContext,
  user: User,
  email: string,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  const { sub } = user;
  await saveEmail(context, sub, (stored) => {
    if (!replace && addressOf(user, stored) !== email) throw invalidLink();
    return { email, verifiedAt: context.now() };
  });
  if (await context.users.findBySub(sub) === null) { // removed meanwhile: the address would never be free again
    await context.emails.delete(sub);
    throw invalidLink("user_unknown");
  }
  context.emit("email.verified", { sub });
}

/** Whether an address is verified. A column of a database may be `null`. */
export function isVerified(stored: UserEmail | null): boolean {
  return typeof stored?.verifiedAt === "number";
}
