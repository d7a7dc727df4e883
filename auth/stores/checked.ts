/**
 * Stores whose records are checked as they are read. Engines have types of their own: SQLite's booleans are numbers,
 * PostgreSQL's 64-bit integers arrive as strings. Compared as they are, they would let in who must stay out; so they throw.
 *
 * @module
 */

import type {
  ApiKey,
  ApiKeyStore,
  Credential,
  CredentialStore,
  Identity,
  IdentityStore,
  RefreshFamily,
  RefreshTokenStore,
  Session,
  SessionStore,
  User,
  UserStore,
} from "./types.ts";

/**
 * A user store that rejects with a `TypeError` where a `string` member of a user has another type or is empty. The other
 * members are for {@linkcode isDisabled} and the password service to judge.
 */
export function checkedUsers(store: UserStore): UserStore {
  return {
    ...checkedUserReader(store),
    create: (user) => store.create(user),
    findByIdentifier: async (identifier) => checkUser(await store.findByIdentifier(identifier)),
    list: async (options) => checkAll(await store.list(options), checkUser),
    update: (sub, version, patch) => store.update(sub, version, patch),
    delete: (sub) => store.delete(sub),
  };
}

/** The one method of {@linkcode checkedUsers} that most services need. */
export function checkedUserReader(
  store: Pick<UserStore, "findBySub">,
): Pick<UserStore, "findBySub"> {
  return { findBySub: async (sub) => checkUser(await store.findBySub(sub)) };
}

/** A session store that rejects with a `TypeError` where a member that decides about a session has another type. */
export function checkedSessions(store: SessionStore): SessionStore {
  return {
    create: (session) => store.create(session),
    findByTokenHash: async (tokenHash) => checkSession(await store.findByTokenHash(tokenHash)),
    touch: (id, from, to) => store.touch(id, from, to),
    revoke: (id) => store.revoke(id),
    revokeAll: (sub, exceptId) => store.revokeAll(sub, exceptId),
    list: async (sub) => checkAll(await store.list(sub), checkSession),
    listByProvider: async (issuer, sid) =>
      checkAll(await store.listByProvider(issuer, sid), checkSession),
  };
}

/**
 * A refresh token store that rejects with a `TypeError` where a member that decides about a family, or is written into a
 * token, has another type.
 */
export function checkedRefreshTokens(store: RefreshTokenStore): RefreshTokenStore {
  return {
    create: (family) => store.create(family),
    find: async (familyId) => checkFamily(await store.find(familyId)),
    rotate: (rotation) => store.rotate(rotation),
    revoke: (by) => store.revoke(by),
    list: async (sub) => checkAll(await store.list(sub), checkFamily),
  };
}

/**
 * A passkey store that rejects with a `TypeError` where a member that decides about a passkey has another type. Flags must be
 * booleans: 0 and 1 would differ from the authenticator's, and `"false"` would be set.
 */
export function checkedCredentials(store: CredentialStore): CredentialStore {
  return {
    create: (credential) => store.create(credential),
    find: async (id) => checkCredential(await store.find(id)),
    list: async (sub) => checkAll(await store.list(sub), checkCredential),
    updateSignCount: (id, from, to, use) => store.updateSignCount(id, from, to, use),
    rename: (id, sub, name) => store.rename(id, sub, name),
    delete: (id) => store.delete(id),
  };
}

/** An API key store that rejects with a `TypeError` where a member that decides about a key has another type. */
export function checkedApiKeys(store: ApiKeyStore): ApiKeyStore {
  return {
    create: (key) => store.create(key),
    find: async (id) => checkApiKey(await store.find(id)),
    list: async (sub) => checkAll(await store.list(sub), checkApiKey),
    touch: (id, from, to) => store.touch(id, from, to),
    revoke: (id) => store.revoke(id),
    revokeAll: (sub) => store.revokeAll(sub),
  };
}

/** An identity store that rejects with a `TypeError` where a member that decides about an identity has another type. */
export function checkedIdentities(store: IdentityStore): IdentityStore {
  return {
    create: (identity) => store.create(identity),
    find: async (id) => checkIdentity(await store.find(id)),
    list: async (sub) => checkAll(await store.list(sub), checkIdentity),
    update: (id, version, patch) => store.update(id, version, patch),
    delete: (id, sub) => store.delete(id, sub),
  };
}

/** Whether an account is disabled: any stored value is taken for `true`, except absent, `null`, `false` and 0. */
export function isDisabled(user: User): boolean {
  return Boolean(user.disabled);
}

/** Whether a family is revoked, by the same rule as {@linkcode isDisabled}. */
export function isRevoked(family: RefreshFamily): boolean {
  return Boolean(family.revoked);
}

function checkAll<Item>(
  found: readonly Item[],
  check: (item: Item) => Item | null,
): readonly Item[] {
  for (const item of found) check(item);
  return found;
}

function checkUser(user: User | null): User | null {
  if (user === null) return null;
  requireStrings("user", user, ["sub", "identifier", "securityStamp", "version"]);
  return user;
}

function checkSession(session: Session | null): Session | null {
  if (session === null) return null;
  requireStrings("session", session, ["id", "sub", "tokenHash", "securityStamp"]);
  requireTimes("session", session, ["createdAt", "activeAt", "expiresAt", "authTime"]);
  return session;
}

function checkFamily(family: RefreshFamily | null): RefreshFamily | null {
  if (family === null) return null;
  const what = "refresh family";
  requireStrings(what, family, ["id", "sub", "securityStamp", "currentHash"]);
  requireTimes(what, family, ["createdAt", "expiresAt", "familyExpiresAt", "authTime"]);
  if (!Number.isInteger(family.generation)) throw invalid(what, "generation", "an integer");
  requireStringArray(what, family, "amr");
  if (!isAbsent(family.scope)) requireStringArray(what, family, "scope");
  return family;
}

function checkCredential(credential: Credential | null): Credential | null {
  if (credential === null) return null;
  const what = "passkey";
  requireStrings(what, credential, ["id", "sub", "rpId", "userHandle", "publicKey"]);
  if (!Number.isInteger(credential.signCount)) throw invalid(what, "signCount", "an integer");
  if (typeof credential.backupEligible !== "boolean") {
    throw invalid(what, "backupEligible", "a boolean");
  }
  return credential;
}

function checkIdentity(identity: Identity | null): Identity | null {
  if (identity === null) return null;
  const members = ["id", "issuer", "subject", "sub", "provider", "version"] as const;
  requireStrings("identity", identity, members);
  requireTimes("identity", identity, ["linkedAt", "usedAt"]);
  return identity;
}

/** A key may lack its optional times, but not `scope`: without scopes it would be good for everything. */
function checkApiKey(key: ApiKey | null): ApiKey | null {
  if (key === null) return null;
  requireStrings("API key", key, ["id", "sub", "keyHash"]);
  requireTimes("API key", key, ["createdAt"]);
  const optional = ["expiresAt", "lastUsedAt"] as const;
  requireTimes("API key", key, optional.filter((member) => !isAbsent(key[member])));
  requireStringArray("API key", key, "scope");
  return key;
}

/** Throws a `TypeError` unless members are non-empty strings. */
export function requireStrings<T extends object>(
  what: string,
  record: T,
  members: readonly (keyof T & string)[],
): void {
  for (const member of members) {
    const value: unknown = record[member];
    if (typeof value !== "string" || value === "") {
      throw invalid(what, member, "a non-empty string");
    }
  }
}

/** Throws a `TypeError` unless members are finite numbers. */
export function requireTimes<T extends object>(
  what: string,
  record: T,
  members: readonly (keyof T & string)[],
): void {
  for (const member of members) {
    if (!Number.isFinite(record[member])) throw invalid(what, member, "a number of seconds");
  }
}

/** Throws a `TypeError` unless a member is an array of strings. */
export function requireStringArray<T extends object>(
  what: string,
  record: T,
  member: keyof T & string,
): void {
  const value: unknown = record[member];
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return;
  throw invalid(what, member, "an array of strings");
}

/** Whether an optional member was left out: in a column, that is `null`. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

/** The error of a stored member that has another type. It does not contain the value. */
export function invalid(what: string, member: string, type: string): TypeError {
  return new TypeError(`Cannot use ${what}: the stored ${member} must be ${type}`);
}
