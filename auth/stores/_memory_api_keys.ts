/**
 * API keys in memory.
 *
 * @module
 */

import { createIdIndex, frozenCopy, inOneTurn } from "./_memory_record.ts";
import type { ApiKey, ApiKeyStore } from "./types.ts";

/** Keeps API keys in memory. To create one whose id another has rejects with an `Error`. */
export function memoryApiKeyStore(): ApiKeyStore {
  const keys = new Map<string, ApiKey>();
  const idsBySub = createIdIndex();

  function revoke(id: string): void {
    const key = keys.get(id);
    if (key === undefined) return;
    keys.delete(id);
    idsBySub.remove(key.sub, id);
  }

  return {
    create: (key) =>
      inOneTurn(() => {
        const created = frozenCopy(key);
        if (keys.has(created.id)) throw new Error("Cannot create API key: its id is taken");
        keys.set(created.id, created);
        idsBySub.add(created.sub, created.id);
      }),
    find: (id) => inOneTurn(() => keys.get(id) ?? null),
    list: (sub) =>
      inOneTurn(() => Object.freeze(idsBySub.list(sub).flatMap((id) => keys.get(id) ?? []))),
    touch: (id, from, to) =>
      inOneTurn(() => {
        const key = keys.get(id);
        if (key === undefined || (key.lastUsedAt ?? null) !== from) return "lost";
        keys.set(id, Object.freeze({ ...key, lastUsedAt: to }));
        return "updated";
      }),
    revoke: (id) => inOneTurn(() => revoke(id)),
    revokeAll: (sub) => inOneTurn(() => idsBySub.list(sub).forEach(revoke)),
  };
}
