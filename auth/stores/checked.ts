/**
 * What a store gave, before anything is decided by it. Engines have types of their own: SQLite's booleans are numbers,
 * PostgreSQL's 64-bit integers arrive as text. Compared as they are, they would open what is closed; so they throw.
 *
 * @module
 */

import type { ApiKey, RefreshFamily, Session, User } from "./types.ts";

/** A user as it was read. @throws {TypeError} If a member that decides has another type. */
export function checkStoredUser(user: User | null): User | null {
  if (user === null) return null;
  requireTexts("user", user, ["sub", "identifier", "securityStamp", "version"]);
  return user;
}

/** A session as it was read. @throws {TypeError} If a member that decides has another type. */
export function checkStoredSession(session: Session | null): Session | null {
  if (session === null) return null;
  requireTexts("session", session, ["id", "sub", "tokenHash", "securityStamp"]);
  requireTimes("session", session, ["createdAt", "activeAt", "expiresAt", "authTime"]);
  return session;
}

/** A refresh family as it was read. @throws {TypeError} If a member that decides, or goes into a token, has another type. */
export function checkStoredFamily(family: RefreshFamily | null): RefreshFamily | null {
  if (family === null) return null;
  const what = "refresh family";
  requireTexts(what, family, ["id", "sub", "securityStamp", "currentHash"]);
  requireTimes(what, family, ["createdAt", "expiresAt", "familyExpiresAt", "authTime"]);
  if (!Number.isInteger(family.generation)) throw unreadable(what, "generation", "whole number");
  requireList(what, family, "amr");
  if (!isAbsent(family.scope)) requireList(what, family, "scope");
  return family;
}

/** Whether a family has ended, by the same rule as {@linkcode isDisabled}. */
export function isRevoked(family: RefreshFamily): boolean {
  return Boolean(family.revoked);
}

/**
 * An API key as it was read. One without an end has none, or `null`; one without a list of scopes would be good for
 * everything.
 *
 * @throws {TypeError} If a member that decides has another type.
 */
export function checkStoredApiKey(key: ApiKey | null): ApiKey | null {
  if (key === null) return null;
  requireTexts("API key", key, ["id", "sub", "keyHash"]);
  requireTimes("API key", key, ["createdAt"]);
  const optional = ["expiresAt", "lastUsedAt"] as const;
  requireTimes("API key", key, optional.filter((member) => !isAbsent(key[member])));
  requireList("API key", key, "scope");
  return key;
}

/** Whether a user may not enter. Whatever a store says but nothing, `false` and 0 is taken for yes. */
export function isDisabled(user: User): boolean {
  return Boolean(user.disabled);
}

function requireTexts<T extends object>(
  what: string,
  record: T,
  members: readonly (keyof T & string)[],
): void {
  for (const member of members) {
    const value: unknown = record[member];
    if (typeof value !== "string" || value === "") throw unreadable(what, member, "text");
  }
}

function requireTimes<T extends object>(
  what: string,
  record: T,
  members: readonly (keyof T & string)[],
): void {
  for (const member of members) {
    if (!Number.isFinite(record[member])) throw unreadable(what, member, "number of seconds");
  }
}

function requireList<T extends object>(what: string, record: T, member: keyof T & string): void {
  const list: unknown = record[member];
  if (Array.isArray(list) && list.every((text) => typeof text === "string")) return;
  throw unreadable(what, member, "list of texts");
}

/** Whether a member was left out: columns have no other word for it than null. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function unreadable(what: string, member: string, type: string): TypeError {
  return new TypeError(`Cannot use ${what}: the store gave ${member} that is no ${type}`);
}
