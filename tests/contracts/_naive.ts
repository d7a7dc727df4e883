/**
 * Stores that are correct for one caller but not for concurrent ones: they read, wait, and then write; they find, and then
 * delete. Every race must detect that.
 *
 * @module
 */

import type {
  ApiKey,
  ApiKeyStore,
  AuthStores,
  Credential,
  CredentialStore,
  KeyRing,
  KeyStore,
  LoginThrottle,
  RefreshFamily,
  RefreshSelector,
  RefreshTokenStore,
  Session,
  SessionStore,
  StateStore,
  User,
  UserStore,
} from "../../auth/stores/types.ts";
import { reserveStep, type ThrottleRecord } from "../../auth/throttle/rule.ts";
import { naiveEmailStore } from "./_naive_emails.ts";
import { naiveFactorStore } from "./_naive_factors.ts";
import { naiveIdentityStore } from "./_naive_identities.ts";
import { naiveAuthorizationStore, naiveClientStore } from "./_naive_server.ts";
import { createTable, nextVersion } from "./_naive_table.ts";
import { compareUtf8 } from "./_utf8.ts";
import { patchUser } from "../../auth/stores/_patch_user.ts";

/** Creates stores without a compare-and-swap. */
export function naiveAuthStores(now: () => number): AuthStores {
  return {
    users: naiveUserStore(),
    emails: naiveEmailStore(),
    sessions: naiveSessionStore(now),
    credentials: naiveCredentialStore(),
    states: naiveStateStore(now),
    refreshTokens: naiveRefreshTokenStore(now),
    keys: naiveKeyStore(),
    throttle: naiveLoginThrottle(),
    apiKeys: naiveApiKeyStore(),
    identities: naiveIdentityStore(),
    factors: naiveFactorStore(),
    authorizations: naiveAuthorizationStore(now),
    clients: naiveClientStore(now),
  };
}

function naiveUserStore(): UserStore {
  const users = createTable<User>();
  const findByIdentifier = async (identifier: string): Promise<User | null> =>
    (await users.all()).find((user) => user.identifier === identifier) ?? null;
  return {
    findByIdentifier,
    findBySub: (sub) => users.get(sub),
    async list({ limit, after }) {
      return (await users.all())
        .filter(({ sub }) => after === undefined || compareUtf8(sub, after) > 0)
        .sort((a, b) => compareUtf8(a.sub, b.sub))
        .slice(0, limit);
    },
    async create(user) {
      if (await findByIdentifier(user.identifier) !== null) return "identifier_taken";
      if (await users.get(user.sub) !== null) throw new Error("Cannot create user: sub is taken");
      await users.put(user.sub, { ...user, version: nextVersion() });
      return "created";
    },
    async update(sub, version, patch) {
      const user = await users.get(sub);
      if (user === null) return "not_found";
      const next = patchUser(user, patch);
      if (user.version !== version) return "lost";
      const owner = await findByIdentifier(next.identifier);
      if (owner !== null && owner.sub !== sub) return "identifier_taken";
      await users.put(sub, { ...next, version: nextVersion() });
      return "updated";
    },
    async delete(sub) {
      if (await users.get(sub) !== null) await users.remove(sub);
    },
  };
}

function naiveSessionStore(now: () => number): SessionStore {
  const sessions = createTable<Session>();
  const living = async (): Promise<readonly Session[]> =>
    (await sessions.all()).filter(({ expiresAt }) => now() < expiresAt);
  const list = async (sub: string): Promise<readonly Session[]> =>
    (await living()).filter((session) => session.sub === sub);
  return {
    list,
    listByProvider: async (issuer, sid) =>
      (await living()).filter(({ provider }) =>
        provider?.issuer === issuer && provider.sid === sid
      ),
    create: (session) => sessions.put(session.id, session),
    findByTokenHash: async (tokenHash) =>
      (await living()).find((session) => session.tokenHash === tokenHash) ?? null,
    async touch(id, from, to) {
      const session = await sessions.get(id);
      if (session?.activeAt !== from || now() >= session.expiresAt) return "lost";
      await sessions.put(id, { ...session, activeAt: to });
      return "updated";
    },
    async revoke(id) {
      if (await sessions.get(id) !== null) await sessions.remove(id);
    },
    async revokeAll(sub, exceptId) {
      for (const { id } of await list(sub)) if (id !== exceptId) await sessions.remove(id);
    },
  };
}

function naiveCredentialStore(): CredentialStore {
  const credentials = createTable<Credential>();
  return {
    find: (id) => credentials.get(id),
    list: async (sub) => (await credentials.all()).filter((credential) => credential.sub === sub),
    async create(credential) {
      if (await credentials.get(credential.id) !== null) return "taken";
      await credentials.put(credential.id, credential);
      return "created";
    },
    async updateSignCount(id, from, to, use) {
      const credential = await credentials.get(id);
      if (credential?.signCount !== from) return "lost";
      const { userVerified, lastUsedAt = 0 } = credential;
      const used = use && {
        ...use,
        userVerified: userVerified || use.userVerified,
        lastUsedAt: Math.max(lastUsedAt, use.lastUsedAt),
      };
      await credentials.put(id, { ...credential, signCount: to, ...used });
      return "updated";
    },
    async rename(id, sub, name) {
      const credential = await credentials.get(id);
      if (credential?.sub !== sub) return "not_found";
      await credentials.put(id, { ...credential, name });
      return "renamed";
    },
    async delete(id) {
      if (await credentials.get(id) !== null) await credentials.remove(id);
    },
  };
}

function naiveStateStore(now: () => number): StateStore {
  const states = createTable<{ value: unknown; expiresAt: number }>();
  return {
    put: (key, value, expiresAt) => states.put(key, { value, expiresAt }),
    async consume(key) {
      const state = await states.get(key);
      if (state === null || now() >= state.expiresAt) return null;
      await states.remove(key);
      return state.value;
    },
    async claim(key, expiresAt) {
      const state = await states.get(key);
      if (state !== null && now() < state.expiresAt) return "taken";
      await states.put(key, { value: 1, expiresAt });
      return "claimed";
    },
  };
}

function naiveRefreshTokenStore(now: () => number): RefreshTokenStore {
  const families = createTable<RefreshFamily>();
  const selects = (by: RefreshSelector, { id, sessionId, sub }: RefreshFamily): boolean => {
    if ("familyId" in by) return by.familyId === id;
    if ("sessionId" in by) return by.sessionId === sessionId;
    const { exceptSessionId, onlySessionId = sessionId } = by;
    const isKept = exceptSessionId !== undefined && exceptSessionId === sessionId;
    return by.sub === sub && onlySessionId === sessionId && !isKept;
  };
  const find = async (id: string): Promise<RefreshFamily | null> => {
    const family = await families.get(id);
    return family !== null && now() < family.familyExpiresAt ? family : null;
  };
  return {
    find,
    create: (family) => families.put(family.id, family),
    async rotate({ familyId, fromHash, toHash, now: time, expiresAt, previous: own }) {
      const family = await find(familyId);
      if (family === null) return "not_found";
      if (family.revoked) return "revoked";
      const { previous } = family;
      if (family.currentHash !== fromHash) {
        if (previous?.hash === fromHash && time < previous.until) return "repeated";
        await families.put(familyId, { ...family, revoked: true });
        return "reused";
      }
      if (time >= family.expiresAt) return "expired";
      const { previous: _, ...rest } = family;
      await families.put(familyId, {
        ...rest,
        ...(own === undefined ? {} : { previous: own }),
        currentHash: toHash,
        generation: family.generation + 1,
        expiresAt: Math.min(expiresAt, family.familyExpiresAt),
      });
      return "rotated";
    },
    async revoke(by) {
      for (const family of await families.all()) {
        if (selects(by, family)) await families.put(family.id, { ...family, revoked: true });
      }
    },
    list: async (sub) =>
      (await families.all()).filter((family) =>
        family.sub === sub && !family.revoked && now() < family.familyExpiresAt
      ),
  };
}

function naiveKeyStore(): KeyStore {
  const rings = createTable<KeyRing>();
  const load = (): Promise<KeyRing | null> => rings.get("ring");
  return {
    load,
    async save(keys, expected) {
      if (((await load())?.version ?? null) !== expected) return "lost";
      await rings.put("ring", { version: nextVersion(), keys });
      return "saved";
    },
  };
}

function naiveLoginThrottle(): LoginThrottle {
  const records = createTable<ThrottleRecord>();
  return {
    async reserve(first, others, now) {
      const keys = [first, ...others] as const;
      const found = await Promise.all(keys.map(({ key }) => records.get(key)));
      const step = reserveStep(keys, found, now);
      if (!step.allowed) return step;
      await records.put(first.key, step.record);
      const recorded = others.filter((_, i) => (found[i + 1]?.expiresAt ?? 0) > now);
      return { allowed: true, recorded: recorded.map(({ key }) => key) };
    },
    async wait(key, now) {
      const step = reserveStep([key], [await records.get(key.key)], now);
      return step.allowed ? 0 : step.retryAfter;
    },
    reset: (key) => records.remove(key),
  };
}

function naiveApiKeyStore(): ApiKeyStore {
  const keys = createTable<ApiKey>();
  const list = async (sub: string): Promise<readonly ApiKey[]> =>
    (await keys.all()).filter((key) => key.sub === sub);
  return {
    list,
    find: (id) => keys.get(id),
    async create(key) {
      if (await keys.get(key.id) !== null) throw new Error("Cannot create API key: id is taken");
      await keys.put(key.id, key);
    },
    async touch(id, from, to) {
      const key = await keys.get(id);
      if (key === null || (key.lastUsedAt ?? null) !== from) return "lost";
      await keys.put(id, { ...key, lastUsedAt: to });
      return "updated";
    },
    async revoke(id) {
      if (await keys.get(id) !== null) await keys.remove(id);
    },
    async revokeAll(sub) {
      for (const { id } of await list(sub)) await keys.remove(id);
    },
  };
}
