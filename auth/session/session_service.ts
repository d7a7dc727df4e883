/**
 * Sessions: opaque tokens, stored as digests, with an absolute limit and an inactivity limit, SP 800-63B-4 §5.2.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { revokeSessionAccess } from "../users/revoke_access.ts";
import { digestText } from "../_kdf.ts";
import { oldestBeyond } from "../_oldest.ts";
import { randomId, randomToken } from "../_random.ts";
import { limitsFor, sessionLimits, toSessionInfo, truncateUserAgent } from "./_limits.ts";
import type {
  ActiveSession,
  NewSessionOptions,
  ProviderSelector,
  SessionInfo,
  SessionService,
  SessionServiceOptions,
  VerifySessionOptions,
} from "./types.ts";
import { toUserInfo } from "../users/user_info.ts";
import { type Authentication, requireAuthentication } from "../principal.ts";
import { checkedSessions, checkedUserReader, isDisabled } from "../stores/checked.ts";
import type { SessionExpiry } from "../events.ts";
import type { Session, User } from "../stores/types.ts";

/** Limits of persistent sessions, SP 800-63B-4 §2.1.3 (AAL1): 30 days, or 7 days without a request. */
export const PERSISTENT_SESSION: { readonly absolute: number; readonly idle: number } =
  /* @__PURE__ */ Object.freeze({ absolute: 2_592_000, idle: 604_800 });

const TOKEN_REGEXP = /^[\w-]{43}$/;

/** Sessions of a user: a new one revokes the oldest. */
const MAX_SESSIONS = 100;

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
  const { events, warn } = options;
  if (
    typeof options.sessions?.findByTokenHash !== "function" ||
    typeof options.users?.findBySub !== "function"
  ) {
    throw new TypeError("Cannot create session service: sessions or users are missing");
  }
  const sessions = checkedSessions(options.sessions);
  const users = checkedUserReader(options.users);
  const now = createClock(options.now);
  const transient = sessionLimits(options);
  const limits = { transient, persistent: sessionLimits(options.persistent ?? PERSISTENT_SESSION) };
  const emit = createEmitter({ events, now, warn });

  function expiryReason(session: Session, at: number): SessionExpiry | undefined {
    return limitsFor(limits, session).expiryReason(session, at);
  }

  /** Revokes a session and the refresh tokens that were issued with it. */
  async function revoke({ id }: Pick<Session, "id">): Promise<void> {
    await revokeSessionAccess(() => sessions.revoke(id), options, { sessionId: id });
  }

  /** Makes room for a new session. Concurrent sign-ins may exceed the limit; the next one revokes what is too many. */
  async function revokeOldest(sub: string): Promise<void> {
    // Unchecked: an invalid record among them must not prevent a sign-in
    for (const { id } of oldestBeyond(await options.sessions.list(sub), MAX_SESSIONS - 1)) {
      await revoke({ id });
      emit("session.revoked", { sub, sessionId: id });
    }
  }

  async function expire(session: Session, reason: SessionExpiry): Promise<undefined> {
    await sessions.revoke(session.id);
    emit("session.expired", { sub: session.sub, sessionId: session.id, reason });
  }

  /**
   * Records that a session was used. After a conflict the session is read again. It is accepted only if it is newer: an
   * unchanged one may be a replica's copy of a revoked session.
   */
  async function touch(session: Session, at: number): Promise<Session | null> {
    if (at - session.activeAt < limitsFor(limits, session).touchAfter) return session;
    const touched = await sessions.touch(session.id, session.activeAt, at);
    if (touched === "updated") return { ...session, activeAt: at };
    const current = await sessions.findByTokenHash(session.tokenHash);
    return current !== null && current.activeAt > session.activeAt ? current : null;
  }

  async function findByToken(token: string): Promise<Session | null> {
    if (typeof token !== "string" || !TOKEN_REGEXP.test(token)) return null;
    return await sessions.findByTokenHash(await digestText(token));
  }

  async function revokeToken(token: string): Promise<void> {
    const session = await findByToken(token);
    if (session === null) return;
    await revoke(session);
    emit("session.revoked", { sub: session.sub, sessionId: session.id });
  }

  async function list(sub: string): Promise<readonly SessionInfo[]> {
    const at = now();
    const user = await users.findBySub(sub);
    if (user === null || isDisabled(user)) return [];
    const found = await sessions.list(sub);
    return found
      .filter((session) => expiryReason(session, at) === undefined)
      .filter(({ securityStamp }) => securityStamp === user.securityStamp)
      .sort((a, b) => b.activeAt - a.activeAt)
      .map(toSessionInfo);
  }

  return Object.freeze({
    async create(authentication: Authentication, options: NewSessionOptions = {}) {
      const { replaces, persistent = false, userAgent } = options;
      const at = now();
      const { sub, securityStamp, authTime, amr, acr, provider } = requireAuthentication(
        authentication,
        at,
      );
      if (replaces !== undefined) await revokeToken(replaces);
      await revokeOldest(sub);
      const token = randomToken();
      const session: Session = {
        id: randomId(),
        sub,
        tokenHash: await digestText(token),
        securityStamp,
        createdAt: at,
        activeAt: at,
        expiresAt: at + limitsFor(limits, { persistent }).absolute,
        ...(persistent ? { persistent } : {}),
        authTime,
        amr,
        ...(acr === undefined ? {} : { acr }),
        ...(userAgent ? { userAgent: truncateUserAgent(userAgent) } : {}),
        ...(provider === undefined ? {} : { provider }),
      };
      await sessions.create(session);
      emit("session.created", { sub, sessionId: session.id });
      return { token, session: toSessionInfo(session) };
    },

    async verify(token: string, { touch: touches = true }: VerifySessionOptions = {}) {
      const session = await findByToken(token);
      if (session === null) return undefined;
      const at = now();
      const expiry = expiryReason(session, at);
      if (expiry !== undefined) return await expire(session, expiry);
      // Rejected but not revoked: a replica may not have the user or the new password yet
      const user = await users.findBySub(session.sub);
      if (user === null || isDisabled(user)) return undefined;
      if (user.securityStamp !== session.securityStamp) return undefined;
      const current = touches ? await touch(session, at) : session;
      return current === null ? undefined : createActiveSession(current, user);
    },

    list,

    async revoke(sub: string, id: string) {
      // Unchecked: with an invalid record among them, a session can still be revoked
      const owned = (await options.sessions.list(sub)).some((session) => session.id === id);
      // Refresh tokens that were issued with a session outlive its expiry
      if (!owned) {
        await options.refreshTokens?.revoke({ sub, onlySessionId: id });
        return false;
      }
      await revoke({ id });
      emit("session.revoked", { sub, sessionId: id });
      return true;
    },

    async revokeOthers(sub: string, id: string) {
      await revokeSessionAccess(() => sessions.revokeAll(sub, id), options, {
        sub,
        exceptSessionId: id,
      });
      emit("session.revoked", { sub, exceptSessionId: id });
    },

    async revokeAll(sub: string) {
      await revokeSessionAccess(() => sessions.revokeAll(sub), options, { sub });
      emit("session.revoked", { sub });
    },

    async revokeByProvider(issuer: string, { sid, sub }: ProviderSelector) {
      // Unchecked: with an invalid record among them, the others can still be revoked
      const found = sid === undefined
        ? await options.sessions.list(sub)
        : await options.sessions.listByProvider(issuer, sid);
      const revoked = found.filter((session) =>
        session.provider?.issuer === issuer && (sub === undefined || session.sub === sub)
      );
      for (const session of revoked) {
        await revoke(session);
        emit("session.revoked", { sub: session.sub, sessionId: session.id });
      }
      return revoked.length;
    },

    revokeToken,
  });
}

/** Verified sessions as they are stored. Applications do not see them. */
const STORED: WeakMap<ActiveSession, Session> = /* @__PURE__ */ new WeakMap();

/** The security stamp that a session was created under; `undefined` for an object that no service has returned. */
export function securityStampOf(active: ActiveSession): string | undefined {
  return STORED.get(active)?.securityStamp;
}

/** The authentication that a session was created from; `undefined` for an object that no service has returned. */
export function authenticationOf(active: ActiveSession): Authentication | undefined {
  const session = STORED.get(active);
  if (session === undefined) return undefined;
  const { sub, securityStamp, authTime, amr, acr, provider } = session;
  return {
    ...{ sub, securityStamp, authTime, amr },
    ...(acr === undefined ? {} : { acr }),
    ...(provider === undefined ? {} : { provider }),
  };
}

function createActiveSession(session: Session, user: User): ActiveSession {
  const active = { session: toSessionInfo(session), user: toUserInfo(user) };
  STORED.set(active, session);
  return active;
}
