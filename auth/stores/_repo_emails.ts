/**
 * E-mail addresses of users over an adapter.
 *
 * @module
 */

import { readAtomicAdapter, type RepoStoreOptions } from "./_repo.ts";
import type { Versioned } from "./adapter.ts";
import type { EmailStore, UserEmail } from "./types.ts";

const EMAILS = "emails";

/**
 * Persists the e-mail addresses of users.
 *
 * @throws {TypeError} If there is no adapter, or it has no `atomic` hook: two users could verify one address.
 */
export function repoEmailStore(options: RepoStoreOptions): EmailStore {
  const adapter = readAtomicAdapter({
    store: "e-mail store",
    why: "save() gives one address to several users",
  }, options);
  return {
    findBySub: async (sub) => emailOf(await adapter.get(EMAILS, sub)),
    findByEmail: async (email) => emailOf(await adapter.find(EMAILS, email)),
    async save({ sub, email, verifiedAt }, expected) {
      const unique = verifiedAt === undefined ? undefined : email;
      const record = { value: { sub, email, verifiedAt }, unique };
      const { status } = await adapter.atomic.cas(EMAILS, sub, expected, record);
      switch (status) {
        case "ok":
          return "saved";
        case "lost":
          return "lost";
        case "taken":
          return "email_taken";
      }
    },
    delete: (sub) => adapter.delete(EMAILS, sub),
  };
}

function emailOf(record: Versioned | null): UserEmail | null {
  return record && { ...record.value as UserEmail, version: record.version };
}
