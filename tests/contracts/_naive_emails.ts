/**
 * A store of e-mail addresses that is correct for one caller only.
 *
 * @module
 */

import type { EmailStore, UserEmail } from "../../auth/stores/types.ts";
import { createTable, nextVersion } from "./_naive_table.ts";

/** Creates the store. */
export function naiveEmailStore(): EmailStore {
  const emails = createTable<UserEmail>();
  const findByEmail = async (email: string): Promise<UserEmail | null> =>
    (await emails.all()).find((one) => one.verifiedAt !== undefined && one.email === email) ?? null;
  return {
    findBySub: (sub) => emails.get(sub),
    findByEmail,
    async save(email, expected) {
      const found = await emails.get(email.sub);
      if ((found?.version ?? null) !== expected) return "lost";
      const holder = email.verifiedAt === undefined ? null : await findByEmail(email.email);
      if (holder !== null && holder.sub !== email.sub) return "email_taken";
      await emails.put(email.sub, { ...email, version: nextVersion() });
      return "saved";
    },
    async delete(sub) {
      if (await emails.get(sub) !== null) await emails.remove(sub);
    },
  };
}
