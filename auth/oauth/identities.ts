/**
 * `identityService`: accounts of identities at providers.
 *
 * @module
 */

import { markBrowserBound } from "../_browser_bound.ts";
import { joinFields } from "../_bytes.ts";
import { encodeBase64Url } from "../_base64url.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { sha256 } from "../_kdf.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import { AuthError } from "../error.ts";
import type { Authentication } from "../principal.ts";
import { checkedIdentities, checkedUsers, isDisabled } from "../stores/checked.ts";
import type { Identity, User } from "../stores/types.ts";
import { toUserInfo } from "../users/user_info.ts";
import { pendingIdentity, removeWayIn } from "../users/ways_in.ts";
import { createAccount, type IdentityContext, labelOf, storeIdentity } from "./_create_account.ts";
import { check, failureOf, oauthError } from "./_failure.ts";
import { currentTokens, encryptTokens } from "./_kept_tokens.ts";
import { requireResult } from "./_result.ts";
import type { LogoutToken, OAuthClient, OAuthResult } from "./client_types.ts";
import type {
  IdentityInfo,
  IdentityService,
  IdentityServiceOptions,
  ResolvedIdentity,
  ResolveOptions,
} from "./identity_types.ts";

const ACTION = "Cannot create identity service";

/** Seconds between two records of an identity's use. */
const USE_AFTER = 60;

/**
 * Creates the service; {@linkcode registerAuth} does, if `stores` has `identities`.
 *
 * @throws {TypeError} If a store is missing, an option unknown or of a wrong shape, or `keepTokens` is true without `keys`.
 *
 * @example
 * ```ts
 * import { identityService, inMemoryAuthStores, sessionService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * const sessions = sessionService(stores);
 * const service = identityService({ identities: stores.identities, users: stores.users, sessions });
 * assertEquals(await service.list("u1"), []);
 * ```
 */
export function identityService(options: IdentityServiceOptions): IdentityService {
  const context = createContext(options);
  const { identities, sessions, kept, emit } = context;
  const { credentials } = options;

  return Object.freeze({
    async resolve(result: OAuthResult, options: ResolveOptions = {}) {
      const { provider, link } = requireResult(result);
      try {
        return link === undefined
          ? await findOrCreate(context, result, options)
          : await linkIdentity(context, result, link);
      } catch (error) {
        const reason = failureOf(error);
        if (reason !== undefined) emit("oauth.failed", { provider, reason, sub: link?.sub });
        throw error;
      }
    },

    async list(sub: string) {
      const found = await identities.list(sub);
      return [...found].sort((a, b) => b.usedAt - a.usedAt).map(toIdentityInfo);
    },

    async unlink(sub: string, id: string) {
      const stores = { users: context.users, credentials, identities };
      const provider = (await identities.list(sub)).find((one) => one.id === id)?.provider;
      const outcome = await removeWayIn(stores, sub, { kind: "identity", id });
      if (outcome === "last") {
        throw new AuthError("last_way_in", {
          detail: "Add another way to sign in before removing this one",
        });
      }
      if (outcome === "removed") emit("identity.unlinked", { sub, provider: provider ?? "" });
      return outcome === "removed";
    },

    async endSessions({ issuer, subject, sid }: LogoutToken) {
      if (subject === undefined) {
        return sid === undefined ? 0 : await sessions.revokeByProvider(issuer, { sid });
      }
      const identity = await identities.find(await identityId(issuer, subject));
      if (identity === null) return 0;
      const { sub } = identity;
      return await sessions.revokeByProvider(issuer, sid === undefined ? { sub } : { sid, sub });
    },

    async tokens(client: OAuthClient, sub: string) {
      if (kept === undefined) return undefined;
      const [latest] = (await identities.list(sub))
        .filter(({ provider, tokens }) =>
          provider === client.provider.name && typeof tokens === "string"
        )
        .sort((a, b) => b.usedAt - a.usedAt);
      return latest && await currentTokens(kept, client, latest);
    },
  });
}

/** SHA-256 of issuer and subject, base64url. */
export async function identityId(issuer: string, subject: string): Promise<string> {
  return encodeBase64Url(await sha256(joinFields([issuer, subject])));
}

/** A sign-in: the known account, or a new one. */
async function findOrCreate(
  context: IdentityContext,
  result: OAuthResult,
  options: ResolveOptions,
): Promise<ResolvedIdentity> {
  const { identities, users, emit } = context;
  const id = await identityId(result.issuer, result.profile.subject);
  const found = await identities.find(id);
  const known = found && await users.findBySub(found.sub);
  const created = known === null
    ? await createAccount(context, { id, found, result, options })
    : undefined;
  const { identity, user } = created ?? { identity: found, user: known };
  if (identity === null || user === null) throw new AuthError("service_unavailable");
  check(!isDisabled(user), "user_disabled");
  check(user.pendingRemoval !== pendingIdentity(id), "registration_closed"); // it is being removed
  await recordUse(context, identity, result);
  const account = created === undefined || created.linked ? "known" : "created";
  emit("oauth.completed", { provider: result.provider, sub: user.sub, account });
  return { authentication: authenticationOf(user, result), account, user: toUserInfo(user) };
}

/** A link: the identity becomes a way to sign in to an account whose user is signed in. */
async function linkIdentity(
  context: IdentityContext,
  result: OAuthResult,
  { sub, sessionId }: NonNullable<OAuthResult["link"]>,
): Promise<ResolvedIdentity> {
  const { identities, users, sessions, emit } = context;
  const isAlive = (await sessions.list(sub)).some((session) => session.id === sessionId);
  check(isAlive, "link_session_ended");
  const id = await identityId(result.issuer, result.profile.subject);
  const found = await identities.find(id);
  const identity = found ?? await storeIdentity(context, id, result, sub);
  check(identity.sub === sub, "identity_taken");
  const user = await users.findBySub(sub);
  if (user === null || user.pendingRemoval === pendingIdentity(id)) { // removed meanwhile
    await identities.delete(id, sub);
    throw oauthError("link_session_ended");
  }
  await recordUse(context, identity, result);
  if (found === null) emit("identity.linked", { sub, provider: result.provider });
  return {
    authentication: authenticationOf(user, result),
    account: "linked",
    user: toUserInfo(user),
  };
}

/** Records the use, what the provider says, and its tokens if they are kept. */
async function recordUse(
  { identities, kept, now }: IdentityContext,
  identity: Identity,
  { profile, tokens }: OAuthResult,
): Promise<void> {
  const encrypted = kept && await encryptTokens(kept, identity, tokens);
  const label = labelOf(profile);
  const isRecent = now() - identity.usedAt < USE_AFTER && label === identity.label;
  if (isRecent && encrypted === undefined) return;
  const patch = { usedAt: now(), label: label ?? null, tokens: encrypted };
  let current: Identity | null = identity;
  // A conflict is another sign-in or a refresh of tokens; what it stored is as good, except the tokens
  for (let attempt = 0; attempt < 3 && current !== null; attempt++) {
    if (await identities.update(current.id, current.version, patch) !== "lost") return;
    current = await identities.find(identity.id);
  }
}

function authenticationOf(
  { sub, securityStamp }: User,
  { provider, issuer, authTime, amr, acr, sid }: OAuthResult,
): Authentication {
  return markBrowserBound(Object.freeze({
    sub,
    securityStamp,
    authTime,
    amr,
    ...(acr === undefined ? {} : { acr }),
    provider: { name: provider, issuer, ...(sid === undefined ? {} : { sid }) },
  }));
}

/** The members that a user sees, listed because a store may return additional ones. */
function toIdentityInfo({ id, provider, issuer, linkedAt, usedAt, label }: Identity): IdentityInfo {
  const own = typeof label === "string" ? { label } : {};
  return { id, provider, issuer, linkedAt, usedAt, ...own };
}

const NAMES: OptionNames<IdentityServiceOptions> = {
  identities: true,
  users: true,
  sessions: true,
  credentials: true,
  keys: true,
  registration: true,
  keepTokens: true,
  linkByVerifiedEmail: true,
  emails: true,
  now: true,
  events: true,
  warn: true,
};

function createContext(options: IdentityServiceOptions): IdentityContext {
  rejectUnknownOptions(ACTION, options, NAMES);
  const { identities, users, sessions, keys, registration, keepTokens = false } = options;
  const { events, warn = warnConsole } = options;
  const methods = [identities?.create, users?.findBySub, sessions?.list];
  if (!methods.every((method) => typeof method === "function")) {
    throw new TypeError(`${ACTION}: identities, users or sessions are missing`);
  }
  const isKnown = registration === undefined || registration === "open" ||
    registration === "closed" || typeof registration === "function";
  if (!isKnown) {
    throw new TypeError(`${ACTION}: registration must be "open", "closed" or a function`);
  }
  if (typeof keepTokens !== "boolean") {
    throw new TypeError(`${ACTION}: keepTokens must be a boolean`);
  }
  const { linkByVerifiedEmail = false, emails } = options;
  if (typeof linkByVerifiedEmail !== "boolean") {
    throw new TypeError(`${ACTION}: linkByVerifiedEmail must be a boolean`);
  }
  if (linkByVerifiedEmail && emails === undefined) {
    throw new TypeError(`${ACTION}: linkByVerifiedEmail needs stores.emails`);
  }
  if (keepTokens && keys === undefined) {
    throw new TypeError(`${ACTION}: keepTokens needs keys, which deriveKeys() creates`);
  }
  const now = createClock(options.now);
  const store = checkedIdentities(identities);
  return {
    identities: store,
    emails,
    linkByVerifiedEmail,
    users: checkedUsers(users),
    sessions,
    registration,
    kept: keepTokens && keys !== undefined ? { identities: store, keys, now, warn } : undefined,
    now,
    emit: createEmitter({ events, now, warn }),
  };
}
