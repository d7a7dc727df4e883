/**
 * What a store gave, before anything is decided by it. Engines have types of their own: SQLite's booleans are numbers,
 * PostgreSQL's 64-bit integers arrive as text. Compared as they are, they would open what is closed; so they throw.
 *
 * @module
 */

import type { Session, User } from "./store_types.ts";

/** A user as it was read. @throws {TypeError} If a member that decides has another type. */
export function readUser(user: User | null): User | null {
  if (user === null) return null;
  requireTexts("user", user, ["sub", "identifier", "securityStamp", "version"]);
  return user;
}

/** A session as it was read. @throws {TypeError} If a member that decides has another type. */
export function readSession(session: Session | null): Session | null {
  if (session === null) return null;
  requireTexts("session", session, ["id", "sub", "tokenHash", "securityStamp"]);
  requireTimes("session", session, ["createdAt", "activeAt", "expiresAt", "authTime"]);
  return session;
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

function unreadable(what: string, member: string, type: string): TypeError {
  return new TypeError(`Cannot use ${what}: the store gave ${member} that is no ${type}`);
}
