/**
 * Users on a table of the application, for the contracts.
 *
 * @module
 */

import {
  sqlUserStore,
  type SqlUserStores,
  sqlUserTable,
  type SqlUserTableOptions,
} from "../../auth/stores/engines/sql.ts";
import type { StoreImplementation } from "./_contract.ts";
import type { OpenSql } from "./_sql.ts";

/** The stores over a database. Their table exists. */
export function sqlUserStores(
  name: string,
  open: () => Promise<OpenSql & SqlUserTableOptions> | OpenSql & SqlUserTableOptions,
): StoreImplementation {
  return {
    name,
    families: ["users", "emails"],
    async open() {
      const { queries: [first, ...more], dispose, ...options } = await open();
      for (const statement of sqlUserTable(options)) await first(statement, []);
      const make = (query: OpenSql["queries"][0]) => withUsers(sqlUserStore({ query, ...options }));
      return { stores: [make(first), ...more.map(make)], ...(dispose && { dispose }) };
    },
  };
}

/** The contract of e-mail addresses has no users, and an address is a part of one: each is created before its address. */
export function withUsers({ users, emails }: SqlUserStores): SqlUserStores {
  return {
    users,
    emails: {
      ...emails,
      async save(email, expected) {
        const { sub } = email;
        if (await users.findBySub(sub) === null) {
          const user = { sub, identifier: sub, securityStamp: "stamp", createdAt: 0 };
          await users.create(user).catch(() => {}); // another caller was first
        }
        return await emails.save(email, expected);
      },
    },
  };
}
