/**
 * E-mail addresses of users, in columns of the application's table.
 *
 * @module
 */

import type { RunSql } from "./_sql_client.ts";
import { readEmail, readEmailVersion, selectEmail } from "./_sql_user_rows.ts";
import type { UserMember, UserTable } from "./_sql_user_table.ts";
import {
  createParameters,
  joinAssignments,
  placeholder,
  writeColumns,
  writeUser,
} from "./_sql_user_writes.ts";
import { randomId } from "../../_random.ts";
import { checkStrings } from "../_records.ts";
import type { EmailStore } from "../types.ts";

/** Creates a store of e-mail addresses. To save one, its user must exist. */
export function sqlEmails(run: RunSql, table: UserTable): EmailStore {
  const { at, dialect } = table;
  const mine = (member: UserMember) => table.column(member, "mine");
  const [first, second] = [placeholder(dialect, 1), placeholder(dialect, 2)];
  const find = async (condition: string, value: string) => {
    checkStrings(value);
    const text = `SELECT ${selectEmail(table)} FROM ${at} AS mine WHERE ${condition}`;
    const [row] = await run("find e-mail address", text, [value]);
    return row === undefined ? null : readEmail(row);
  };
  const verified = (alias: string) => `${table.column("emailVerifiedAt", alias)} IS NOT NULL`;

  return {
    findBySub: (sub) => find(`${mine("sub")} = ${first} AND ${mine("email")} IS NOT NULL`, sub),
    findByEmail: (email) => find(`${mine("email")} = ${first} AND ${verified("mine")}`, email),
    async save({ sub, email, verifiedAt }, expected) {
      checkStrings(sub, email, expected ?? "");
      const { params, add } = createParameters(dialect);
      const values = { email, emailVerifiedAt: verifiedAt ?? null, emailVersion: randomId() };
      const written = writeColumns(table, values, { params, add });
      const conditions = [
        `${mine("sub")} = ${add(sub)}`,
        ...(expected === null ? [`${mine("email")} IS NULL`] : [
          `${mine("email")} IS NOT NULL`,
          `COALESCE(${mine("emailVersion")}, '') = ${add(expected)}`,
        ]),
        ...(verifiedAt === undefined ? [] : [
          `NOT EXISTS (SELECT 1 FROM ${at} AS other WHERE ` +
          `${table.column("email", "other")} = ${add(email)} AND ${verified("other")} AND ` +
          `${table.column("sub", "other")} <> ${mine("sub")})`,
        ]),
      ];
      return await writeUser<Awaited<ReturnType<EmailStore["save"]>>>(run, {
        action: "save e-mail address",
        text: `UPDATE ${at} AS mine SET ${joinAssignments(written)} WHERE ${
          conditions.join(" AND ")
        } RETURNING 1 AS done`,
        params,
        written: "saved",
        reasons: {
          text: `SELECT ${selectEmail(table)} FROM ${at} AS mine WHERE ` +
            `${mine("sub")} = ${first} OR (${mine("email")} = ${second} AND ${verified("mine")})`,
          params: [sub, email],
        },
        explain(rows, failed) {
          const current = rows.find((row) => row.sub === sub);
          const hasEmail = typeof current?.email === "string";
          const version = hasEmail ? readEmailVersion(current.version) : null;
          if (!failed && (current === undefined || version !== expected)) return "lost";
          const taken = verifiedAt !== undefined && rows.some((row) => row.sub !== sub);
          return taken ? "email_taken" : undefined;
        },
      });
    },
    async delete(sub) {
      checkStrings(sub);
      const { params, add } = createParameters(dialect);
      const values = { email: null, emailVerifiedAt: null, emailVersion: null };
      const written = writeColumns(table, values, { params, add });
      const text = `UPDATE ${at} AS mine SET ${joinAssignments(written)} WHERE ${mine("sub")} = ${
        add(sub)
      } RETURNING 1 AS done`;
      await run("delete e-mail address", text, params);
    },
  };
}
