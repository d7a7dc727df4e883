/**
 * Sessions: opaque tokens, of which only the digest is stored, with an absolute and an inactivity limit, SP 800-63B-4
 * §5.2.
 *
 * @module
 */

import { checkedClock } from "./_clock.ts";
import { createEmitter } from "./_emit.ts";
import { endAccess, endSession } from "./_end_access.ts";
import { digestText } from "./_kdf.ts";
import { randomId, randomToken } from "./_random.ts";
import {
  clockOf,
  cutUserAgent,
  requireAuthentication,
  sessionClock,
  showSession,
  showUser,
} from "./_session_rules.ts";
import { isDisabled, readSession, readUser } from "./_stored.ts";
import type { AuthEventListener, SessionExpiry } from "./events.ts";
import type { Authentication } from "./principal.ts";
import type { RefreshTokenStore, Session, SessionStore, User, UserStore } from "./store_types.ts";

/** How long sessions last. */
export interface SessionLimits {
  /** Seconds from the beginning, whatever happens. @default {86_400} 24 h, SP 800-63B-4 §2.2.3 (AAL2) */
  readonly absolute?: number | undefined;
  /** Seconds without a request; counted to the minute. @default {3_600} 1 h, or `absolute` if that is less */
  readonly idle?: number | undefined;
}

/** Options of {@linkcode sessionService}. */
export interface SessionServiceOptions extends SessionLimits {
  /** Limits of sessions that outlive the browser's window. @default {LASTING_SESSIONS} */
  readonly lasting?: SessionLimits | undefined;
  /** Keeps sessions. */
  readonly sessions: SessionStore;
  /** Keeps users: every request asks whether there still is one. */
  readonly users: Pick<UserStore, "findBySub">;
  /** Keeps refresh tokens; those of a session end with it. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of a listener that fails. @default console.warn */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What is said of a new session beside who it belongs to. */
export interface NewSessionOptions {
  /** The token that the browser presented until now: its session ends, so that nobody who planted it shares the new one. */
  readonly replaces?: string | undefined;
  /** Whether it outlives the browser's window: "keep me signed in". @default {false} */
  readonly lasting?: boolean | undefined;
  /** The browser's `User-Agent`, for the user's list of sessions; cut to 256 characters. */
  readonly userAgent?: string | null | undefined;
}

/** A session as it may be shown: without its token's digest and its stamp. */
export type SessionInfo = Omit<Session, "tokenHash" | "securityStamp">;

/** A user as it may be shown: without its password's hash, its stamp and its version. */
export type UserInfo = Pick<User, "sub" | "identifier" | "createdAt">;

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
export const LASTING_SESSIONS: { readonly absolute: number; readonly idle: number } = Object.freeze(
  {
    absolute: 2_592_000,
    idle: 604_800,
  },
);

const TOKEN_REGEXP = /^[\w-]{43}$/;

/**
 * Creates a session service.
 *
 * @throws {RangeError} If a limit is not an integer from 1 to 34,560,000 (400 days), or `idle` is longer than `absolute`.
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
  const { sessions, users, events, warn } = options;
  if (typeof sessions?.findByTokenHash !== "function" || typeof users?.findBySub !== "function") {
    throw new TypeError("Cannot create session service: sessions or users are missing");
  }
  const now = checkedClock(options.now);
  const visit = sessionClock(options);
  const clocks = { visit, lasting: sessionClock(options.lasting ?? LASTING_SESSIONS) };
  const emit = createEmitter({ events, now, warn });

  function passed(session: Session, at: number): SessionExpiry | undefined {
    return clockOf(clocks, session).passed(session, at);
  }

  /** Ends a session because somebody wants it: what was derived from it goes too. */
  async function end({ id }: Pick<Session, "id">): Promise<void> {
    await endSession(() => sessions.revoke(id), options, { sessionId: id });
  }

  async function expire(session: Session, reason: SessionExpiry): Promise<undefined> {
    await sessions.revoke(session.id);
    emit("session.expired", { sub: session.sub, sessionId: session.id, reason });
  }

  /**
   * Notes that a session was used. Where that is lost, somebody else was first, or the session has ended: what is read
   * then counts only if it is newer, since a store may still show what was there before.
   */
  async function touch(session: Session, at: number): Promise<Session | null> {
    if (at - session.activeAt < clockOf(clocks, session).touchAfter) return session;
    const touched = await sessions.touch(session.id, session.activeAt, at);
    if (touched === "updated") return { ...session, activeAt: at };
    const current = readSession(await sessions.findByTokenHash(session.tokenHash));
    return current !== null && current.activeAt > session.activeAt ? current : null;
  }

  async function findByToken(token: string): Promise<Session | null> {
    if (typeof token !== "string" || !TOKEN_REGEXP.test(token)) return null;
    return readSession(await sessions.findByTokenHash(await digestText(token)));
  }

  async function revokeToken(token: string): Promise<void> {
    const session = await findByToken(token);
    if (session === null) return;
    await end(session);
    emit("session.revoked", { sub: session.sub, sessionId: session.id });
  }

  async function list(sub: string): Promise<readonly SessionInfo[]> {
    const at = now();
    const user = readUser(await users.findBySub(sub));
    if (user === null || isDisabled(user)) return [];
    return (await sessions.list(sub))
      .filter((session) => readSession(session) !== null && passed(session, at) === undefined)
      .filter(({ securityStamp }) => securityStamp === user.securityStamp)
      .sort((a, b) => b.activeAt - a.activeAt)
      .map(showSession);
  }

  return Object.freeze({
    async create(authentication: Authentication, options: NewSessionOptions = {}) {
      const { replaces, lasting = false, userAgent } = options;
      const at = now();
      const { sub, securityStamp, authTime, amr, acr } = requireAuthentication(authentication, at);
      if (replaces !== undefined) await revokeToken(replaces);
      const token = randomToken();
      const session: Session = {
        id: randomId(),
        sub,
        tokenHash: await digestText(token),
        securityStamp,
        createdAt: at,
        activeAt: at,
        expiresAt: at + clockOf(clocks, { lasting }).absolute,
        ...(lasting ? { lasting } : {}),
        authTime,
        amr,
        ...(acr === undefined ? {} : { acr }),
        ...(userAgent ? { userAgent: cutUserAgent(userAgent) } : {}),
      };
      await sessions.create(session);
      emit("session.created", { sub, sessionId: session.id });
      return { token, session: showSession(session) };
    },

    async verify(token: string) {
      const session = await findByToken(token);
      if (session === null) return undefined;
      const at = now();
      const expiry = passed(session, at);
      if (expiry !== undefined) return await expire(session, expiry);
      // Not ended, only refused: a copy of the store that lags may not know the user or the new password yet
      const user = readUser(await users.findBySub(session.sub));
      if (user === null || isDisabled(user)) return undefined;
      if (user.securityStamp !== session.securityStamp) return undefined;
      const current = await touch(session, at);
      return current === null ? undefined : { session: showSession(current), user: showUser(user) };
    },

    list,

    async revoke(sub: string, id: string) {
      const owned = (await sessions.list(sub)).some((session) => session.id === id);
      if (!owned) return false;
      await end({ id });
      emit("session.revoked", { sub, sessionId: id });
      return true;
    },

    async revokeOthers(sub: string, id: string) {
      await endSession(() => sessions.revokeAll(sub, id), options, { sub, exceptSessionId: id });
      emit("session.revoked", { sub, exceptSessionId: id });
    },

    async revokeAll(sub: string) {
      await endAccess(options, sub);
      emit("session.revoked", { sub });
    },

    revokeToken,
  });
}
