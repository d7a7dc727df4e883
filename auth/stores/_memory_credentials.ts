/**
 * Passkeys in memory.
 *
 * @module
 */

import { createIdIndex, frozenCopy, inOneTurn } from "./_memory_record.ts";
import type { Credential, CredentialStore } from "./types.ts";

/** Keeps passkeys in memory. */
export function memoryCredentialStore(): CredentialStore {
  const credentials = new Map<string, Credential>();
  const idsBySub = createIdIndex();

  return {
    create: (credential) =>
      inOneTurn(() => {
        if (credentials.has(credential.id)) return "taken";
        const created = frozenCopy(credential);
        credentials.set(created.id, created);
        idsBySub.add(created.sub, created.id);
        return "created";
      }),
    find: (id) => inOneTurn(() => credentials.get(id) ?? null),
    list: (sub) =>
      inOneTurn(() => Object.freeze(idsBySub.list(sub).flatMap((id) => credentials.get(id) ?? []))),
    updateSignCount: (id, from, to) =>
      inOneTurn(() => {
        const credential = credentials.get(id);
        if (credential?.signCount !== from) return "lost";
        credentials.set(id, Object.freeze({ ...credential, signCount: to }));
        return "updated";
      }),
    delete: (id) =>
      inOneTurn(() => {
        const credential = credentials.get(id);
        if (credential === undefined) return;
        credentials.delete(id);
        idsBySub.remove(credential.sub, id);
      }),
  };
}
