/**
 * The check of the application's table at its first use: that it has every column, and that subs, identifiers and verified
 * addresses are unique. Without a unique index two users could get one identifier, and no statement would fail.
 *
 * @module
 */

import type { RunSql } from "./_sql_client.ts";
import type { UserMember, UserTable } from "./_sql_user_table.ts";

/** What must be unique: one user's e-mail address only once it is verified. */
const UNIQUE: readonly (readonly [member: UserMember, verified: boolean])[] = [
  ["sub", false],
  ["identifier", false],
  ["email", true],
];

/**
 * Creates a check that passes once. Its statements write nothing, but the database resolves their names, and rejects
 * `ON CONFLICT` without a unique index.
 *
 * @returns The check. It rejects with an `Error` whose `cause` has the database's message, which names what is missing.
 */
export function createTableCheck(run: RunSql, table: UserTable): () => Promise<void> {
  let passed = false; // a shared promise would make one request of a Worker wait for another one's
  return async () => {
    if (passed) return;
    const columns = selectAll(table);
    await run("read columns of user table", columns);
    for (const [member, verified] of UNIQUE) {
      const condition = verified ? ` WHERE ${table.column("emailVerifiedAt")} IS NOT NULL` : "";
      await run(
        `use user table without a unique index of ${member}`,
        `INSERT INTO ${table.at} (${[...table.columns.values()].join(", ")}) ${columns} ` +
          `ON CONFLICT (${table.column(member)})${condition} DO NOTHING RETURNING 1 AS done`,
      );
    }
    passed = true;
  };
}

/** Selects all columns of no row. */
function selectAll(table: UserTable): string {
  const columns = [...table.columns.keys()].map((member) => table.column(member, "mine"));
  return `SELECT ${columns.join(", ")} FROM ${table.at} AS mine WHERE FALSE`;
}
