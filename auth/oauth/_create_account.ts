/**
 * Accounts of identities that sign in for the first time.
 *
 * @module
 */

import type { Emit } from "../_emit.ts";
import { randomId } from "../_random.ts";
import { AuthError } from "../error.ts";
import { canonicalIdentifier, canonicalOrNone } from "../identifier.ts";
import { isDisabled } from "../stores/checked.ts";
import type { Identity, IdentityStore, User, UserStore } from "../stores/types.ts";
import { check, oauthError } from "./_failure.ts";
import type { KeptTokensContext } from "./_kept_tokens.ts";
import type { OAuthResult } from "./client_types.ts";
import type {
  IdentityServiceOptions,
  RegistrationDecision,
  ResolveOptions,
} from "./identity_types.ts";

/** What the steps share. */
export interface IdentityContext {
  readonly identities: IdentityStore;
  readonly users: UserStore;
  readonly emails: IdentityServiceOptions["emails"];
  readonly linkByVerifiedEmail: boolean;
  readonly sessions: IdentityServiceOptions["sessions"];
  readonly registration: IdentityServiceOptions["registration"];
  readonly kept: KeptTokensContext | undefined;
  readonly now: () => number;
  readonly emit: Emit;
}

const MAX_LABEL_LENGTH = 254;

/**
 * Creates an account: first the identity, which one of concurrent callers stores, then its user. An identity without a user is
 * from a creation that was interrupted or is in progress; whoever finds it completes it, under the same `sub`.
 */
export async function createAccount(
  context: IdentityContext,
  { id, found, result, options }: {
    readonly id: string;
    readonly found: Identity | null;
    readonly result: OAuthResult;
    readonly options: ResolveOptions;
  },
): Promise<{ readonly identity: Identity; readonly user: User; readonly linked: boolean }> {
  const owner = found === null ? await verifiedOwner(context, result) : null;
  if (owner !== null) {
    check(!isDisabled(owner), "user_disabled");
    const identity = await storeIdentity(context, id, result, owner.sub);
    const user = await verifiedOwner(context, result);
    if (user?.sub !== owner.sub) { // the account was removed, or its address replaced meanwhile
      await context.identities.delete(id, owner.sub);
      throw new AuthError("service_unavailable", { reason: "update_conflict" });
    }
    if (identity.sub === owner.sub) {
      context.emit("identity.linked", { sub: owner.sub, provider: result.provider });
      return { identity, user, linked: true };
    }
  }
  const decision = await decideRegistration(context, result, options);
  const identity = found ?? await storeIdentity(context, id, result, randomId());
  const user = await context.users.findBySub(identity.sub) ??
    await createUser(context, identity, identifierOf(decision, result, identity));
  await saveVerifiedEmail(context, user, result);
  return { identity, user, linked: false };
}

/** The account to link, if both sides have verified the address: a registration with it, which anybody can make, is not enough. */
async function verifiedOwner(
  { linkByVerifiedEmail, emails, users }: IdentityContext,
  { profile }: OAuthResult,
): Promise<User | null> {
  const email = linkByVerifiedEmail ? verifiedAddress(profile) : undefined;
  const owner = email === undefined ? null : await emails?.findByEmail(email) ?? null;
  return owner === null ? null : await users.findBySub(owner.sub);
}

/** The address of a new account counts as verified, unless another account has verified it. */
async function saveVerifiedEmail(
  { emails, now }: IdentityContext,
  { sub }: User,
  { profile }: OAuthResult,
): Promise<void> {
  const email = verifiedAddress(profile);
  if (email !== undefined) await emails?.save({ sub, email, verifiedAt: now() }, null);
}

/** The address that a provider has verified, in canonical form. */
function verifiedAddress(
  { email, emailVerified }: OAuthResult["profile"],
): string | undefined {
  const address = emailVerified ? canonicalOrNone(email) : undefined;
  return address?.includes("@") ? address : undefined; // some addresses cannot identify a user
}

/** Stores an identity, unless it exists. @returns What is stored then. */
export async function storeIdentity(
  { identities, now }: IdentityContext,
  id: string,
  { issuer, profile, provider }: OAuthResult,
  sub: string,
): Promise<Identity> {
  const label = labelOf(profile);
  const at = now();
  await identities.create({
    id,
    issuer,
    subject: profile.subject,
    sub,
    provider,
    linkedAt: at,
    usedAt: at,
    ...(label === undefined ? {} : { label }),
  });
  const stored = await identities.find(id);
  if (stored === null) throw new AuthError("service_unavailable", { reason: "update_conflict" });
  return stored;
}

async function createUser(
  { users, identities, now, emit }: IdentityContext,
  { id, sub }: Identity,
  identifier: string,
): Promise<User> {
  const user = { sub, identifier, securityStamp: randomId(), createdAt: now() };
  let failure: unknown;
  const outcome = await users.create(user).catch((error) => void (failure = error));
  const stored = await users.findBySub(sub); // of concurrent callers one has created it
  if (stored === null) {
    if (outcome !== "identifier_taken") {
      throw failure ?? new AuthError("service_unavailable", { reason: "update_conflict" });
    }
    await identities.delete(id, sub);
    throw oauthError("identifier_taken"); // it is not linked: anybody may have registered the address
  }
  if (await identities.find(id) === null) { // the user was removed after the identity was read
    await users.delete(sub);
    throw new AuthError("service_unavailable", { reason: "update_conflict" });
  }
  if (outcome === "created") emit("user.created", { sub });
  return stored;
}

/** The hook's identifier, a verified e-mail address, or one that nobody can type, since it contains a colon. */
function identifierOf(
  { identifier }: RegistrationCreation,
  { profile, provider }: OAuthResult,
  { sub }: Identity,
): string {
  if (identifier !== undefined) return canonicalIdentifier(identifier);
  return verifiedAddress(profile) ?? `${provider}:${sub}`;
}

type RegistrationCreation = Extract<RegistrationDecision, { do: "create" }>;

/** @throws {AuthError} `identity_unknown`, if the user gets no account. */
async function decideRegistration(
  { registration: own }: IdentityContext,
  result: OAuthResult,
  { registration: given = "open" }: ResolveOptions,
): Promise<RegistrationCreation> {
  const registration = own ?? given;
  const decision: RegistrationDecision = typeof registration === "function"
    ? await registration(result)
    : { do: registration === "open" ? "create" : "refuse" };
  if (decision?.do !== "create") throw oauthError("registration_closed");
  return decision;
}

/** What a user recognizes an identity by. */
export function labelOf({ email, name }: OAuthResult["profile"]): string | undefined {
  return (email ?? name)?.slice(0, MAX_LABEL_LENGTH).toWellFormed();
}
