/**
 * Sessions: opaque tokens, of which only the digest is stored, with an absolute and an inactivity limit, SP 800-63B-4
 * §5.2.
 *
 * @module
 */

import { nowSeconds } from "./_clock.ts";
import { createEmitter } from "./_emit.ts";
import { digestText } from "./_kdf.ts";
import { randomId, randomToken } from "./_random.ts";
import type { AuthEventListener, SessionExpiry } from "./events.ts";
import type { Authentication } from "./principal.ts";
import type { Session, SessionStore, User, UserStore } from "./store_types.ts";

/** How long sessions last. */
export interface SessionLimits {
  /** Seconds from the beginning, whatever happens. @default {86_400} 24 h, SP 800-63B-4 §2.2.3 (AAL2) */
  readonly absolute?: number;
  /** Seconds without a request; counted to the minute. @default {3_600} 1 h */
  readonly idle?: number;
}

/** Options of {@linkcode sessionService}. */
export interface SessionServiceOptions extends SessionLimits {
  /** Keeps sessions. */
  readonly sessions: SessionStore;
  /** Keeps users: every request asks whether there still is one. */
  readonly users: Pick<UserStore, "findBySub">;
  /** The time, in seconds since the epoch. */
  readonly now?: () => number;
  /** Is told of what happens. */
  readonly events?: AuthEventListener;
  /** Is told of a listener that fails. @default console.warn */
  readonly warn?: (message: string) => void;
}

/** What is said of a new session beside who it belongs to. */
export interface NewSessionOptions {
  /** The token that the browser presented until now: its session ends, so that nobody who planted it shares the new one. */
  readonly replaces?: string | undefined;
  /** The browser's `User-Agent`, for the user's list of sessions; cut to 256 characters. */
  readonly userAgent?: string | undefined;
}

/** A session as it may be shown: without its token's digest and its stamp. */
export type SessionInfo = Omit<Session, "tokenHash" | "securityStamp">;

/** A user as it may be shown: without its password's hash, its stamp and its version. */
export type UserInfo = Omit<User, "passwordHash" | "securityStamp" | "version">;

/** A session that has just begun. */
export interface NewSession {
  /** What the browser gets: 256 random bits in 43 characters. Nothing else can be made from the stored session. */
  readonly token: string;
  /** The session. */
  readonly session: SessionInfo;
}

/** A session that a token stands for. */
export interface ActiveSession {
  /** The session. */
  readonly session: SessionInfo;
  /** Its user, as it is now. */
  readonly user: UserInfo;
}

/** Begins, verifies, lists and ends sessions. */
export interface SessionService {
  /** Begins a session, with a new token and a new identifier. */
  create(authentication: Authentication, options?: NewSessionOptions): Promise<NewSession>;
  /**
   * Finds the session that a token stands for, and notes that it was used.
   *
   * @returns `undefined` if there is none, a limit has passed, the user is gone or disabled, or the user's credentials
   * have changed since.
   */
  verify(token: string): Promise<ActiveSession | undefined>;
  /** Sessions of a user that have not ended, the one used last first. */
  list(sub: string): Promise<readonly SessionInfo[]>;
  /** Ends one of a user's sessions. @returns Whether the user had it. */
  revoke(sub: string, id: string): Promise<boolean>;
  /** Ends all of a user's sessions but one. */
  revokeOthers(sub: string, id: string): Promise<void>;
  /** Ends all of a user's sessions. */
  revokeAll(sub: string): Promise<void>;
  /** Ends the session that a token stands for, if there is one: a logout. */
  revokeToken(token: string): Promise<void>;
}

/** Limits of sessions that last, SP 800-63B-4 §2.1.3 (AAL1): 30 days, or 7 without a request. */
export const LASTING_SESSIONS: Required<SessionLimits> = Object.freeze({
  absolute: 2_592_000,
  idle: 604_800,
});

const TOKEN_REGEXP = /^[\w-]{43}$/;
const USER_AGENT_LENGTH = 256;

/** How long a session may have been used without a note of it: at most a minute, and a tenth of the idle limit. */
const TOUCH_SECONDS = 60;

/**
 * Creates a session service.
 *
 * @throws {RangeError} If a limit is not an integer from 1 on, or `idle` is longer than `absolute`.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, sessionService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const { sessions: store, users } = inMemoryAuthStores();
 * const ada = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 };
 * await users.create(ada);
 *
 * const sessions = sessionService({ sessions: store, users });
 * const authentication = { sub: "u1", securityStamp: "s1", authTime: 1_700_000_000, amr: ["pwd"] };
 * const { token } = await sessions.create(authentication);
 * assertEquals((await sessions.verify(token))?.user.identifier, "ada");
 *
 * await sessions.revokeToken(token);
 * assertEquals(await sessions.verify(token), undefined);
 * ```
 */
export function sessionService(options: SessionServiceOptions): SessionService {
  const { sessions, users, events, warn, now = nowSeconds } = options;
  const { absolute = 86_400, idle = 3_600 } = options;
  checkLimits(absolute, idle);
  const touchAfter = Math.min(TOUCH_SECONDS, Math.floor(idle / 10));
  const emit = createEmitter({ events, now, warn });

  /** Which rule has ended a session, by what is known without a question to anybody. */
  function limitPassed(session: Session, at: number): SessionExpiry | undefined {
    // The earlier of what was promised then and what is set now: a limit that was lowered holds for all. And asked so
    // that a time which is no number has passed
    const end = Math.min(session.expiresAt, session.createdAt + absolute);
    if (!(at < end)) return "absolute_limit";
    if (!(at < session.activeAt + idle)) return "idle_limit";
    return undefined;
  }

  async function expire({ id, sub }: Session, reason: SessionExpiry): Promise<undefined> {
    await sessions.revoke(id);
    emit("session.expired", { sub, sessionId: id, reason });
  }

  /** Notes that a session was used. Where somebody else was first, it is asked whether the session is still there. */
  async function touch(session: Session, at: number): Promise<Session | null> {
    if (at - session.activeAt < touchAfter) return session;
    const touched = await sessions.touch(session.id, session.activeAt, at);
    return touched === "updated"
      ? { ...session, activeAt: at }
      : await sessions.findByTokenHash(session.tokenHash);
  }

  async function findByToken(token: string): Promise<Session | null> {
    if (typeof token !== "string" || !TOKEN_REGEXP.test(token)) return null;
    return await sessions.findByTokenHash(await digestText(token));
  }

  async function revokeToken(token: string): Promise<void> {
    const session = await findByToken(token);
    if (session === null) return;
    await sessions.revoke(session.id);
    emit("session.revoked", { sub: session.sub, sessionId: session.id });
  }

  async function list(sub: string): Promise<readonly SessionInfo[]> {
    const at = now();
    const user = await users.findBySub(sub);
    if (user === null || user.disabled === true) return [];
    return (await sessions.list(sub))
      .filter((session) => limitPassed(session, at) === undefined)
      .filter(({ securityStamp }) => securityStamp === user.securityStamp)
      .sort((a, b) => b.activeAt - a.activeAt)
      .map(showSession);
  }

  return Object.freeze({
    async create(authentication: Authentication, { replaces, userAgent }: NewSessionOptions = {}) {
      if (replaces !== undefined) await revokeToken(replaces);
      const { sub, securityStamp, authTime, amr, acr } = authentication;
      const token = randomToken();
      const at = now();
      const session: Session = {
        id: randomId(),
        sub,
        tokenHash: await digestText(token),
        securityStamp,
        createdAt: at,
        activeAt: at,
        expiresAt: at + absolute,
        authTime,
        amr,
        ...(acr === undefined ? {} : { acr }),
        ...(userAgent === undefined ? {} : { userAgent: cutUserAgent(userAgent) }),
      };
      await sessions.create(session);
      emit("session.created", { sub, sessionId: session.id });
      return { token, session: showSession(session) };
    },

    async verify(token: string) {
      const session = await findByToken(token);
      if (session === null) return undefined;
      const at = now();
      const passed = limitPassed(session, at);
      if (passed !== undefined) return await expire(session, passed);
      const user = await users.findBySub(session.sub);
      if (user === null || user.disabled === true) return await expire(session, "user_gone");
      if (user.securityStamp !== session.securityStamp) {
        return await expire(session, "credentials_changed");
      }
      const current = await touch(session, at);
      return current === null ? undefined : { session: showSession(current), user: showUser(user) };
    },

    list,

    async revoke(sub: string, id: string) {
      const owned = (await sessions.list(sub)).some((session) => session.id === id);
      if (!owned) return false;
      await sessions.revoke(id);
      emit("session.revoked", { sub, sessionId: id });
      return true;
    },

    async revokeOthers(sub: string, id: string) {
      await sessions.revokeAll(sub, id);
      emit("session.revoked", { sub, exceptSessionId: id });
    },

    async revokeAll(sub: string) {
      await sessions.revokeAll(sub);
      emit("session.revoked", { sub });
    },

    revokeToken,
  });
}

function showSession({ tokenHash: _, securityStamp: __, ...info }: Session): SessionInfo {
  return info;
}

function showUser(
  { passwordHash: _, securityStamp: __, version: ___, ...info }: User,
): UserInfo {
  return info;
}

/** Cut and well-formed: half a character is no text that every store takes. */
function cutUserAgent(userAgent: string): string {
  return userAgent.slice(0, USER_AGENT_LENGTH).toWellFormed();
}

function checkLimits(absolute: number, idle: number): void {
  if (!Number.isInteger(absolute) || !Number.isInteger(idle) || idle < 1 || idle > absolute) {
    throw new RangeError(
      "Cannot create session service: absolute and idle are not seconds from 1 on, or idle is the longer",
    );
  }
}
