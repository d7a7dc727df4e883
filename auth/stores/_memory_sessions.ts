/**
 * Sessions in memory.
 *
 * @module
 */

import { createExpiringMap } from "./_expiring_map.ts";
import { createIdIndex, frozenCopy, inOneTurn } from "./_memory_record.ts";
import type { Session, SessionStore } from "./types.ts";

/**
 * Keeps sessions in memory. To create one whose id or token another has rejects with an `Error`.
 *
 * @param now The time, in seconds since the epoch.
 */
export function memorySessionStore(now: () => number): SessionStore {
  const idsBySub = createIdIndex();
  const idsByTokenHash = new Map<string, string>();
  const sessions = createExpiringMap<Session>({
    expiresAt: (session) => session.expiresAt,
    removed({ id, sub, tokenHash }) {
      idsBySub.remove(sub, id);
      idsByTokenHash.delete(tokenHash);
    },
  });

  function findByTokenHash(tokenHash: string): Session | undefined {
    const id = idsByTokenHash.get(tokenHash);
    return id === undefined ? undefined : sessions.get(id, now());
  }

  function list(sub: string): Session[] {
    const time = now();
    return idsBySub.list(sub).flatMap((id) => sessions.get(id, time) ?? []);
  }

  return {
    create: (session) =>
      inOneTurn(() => {
        const created = frozenCopy(session);
        const { id, sub, tokenHash } = created;
        const time = now();
        if (sessions.get(id, time) !== undefined || findByTokenHash(tokenHash) !== undefined) {
          throw new Error("Cannot create session: its id or token is taken");
        }
        idsBySub.add(sub, id);
        idsByTokenHash.set(tokenHash, id);
        sessions.set(id, created, time);
      }),
    findByTokenHash: (tokenHash) => inOneTurn(() => findByTokenHash(tokenHash) ?? null),
    touch: (id, from, to) =>
      inOneTurn(() => {
        const time = now();
        const session = sessions.get(id, time);
        if (session?.activeAt !== from) return "lost";
        sessions.set(id, Object.freeze({ ...session, activeAt: to }), time);
        return "updated";
      }),
    revoke: (id) => inOneTurn(() => sessions.delete(id)),
    revokeAll: (sub, exceptId) =>
      inOneTurn(() => {
        for (const id of idsBySub.list(sub)) {
          if (id !== exceptId) sessions.delete(id);
        }
      }),
    list: (sub) => inOneTurn(() => Object.freeze(list(sub))),
  };
}
