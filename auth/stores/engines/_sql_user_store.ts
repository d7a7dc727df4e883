/**
 * Users on the application's table.
 *
 * @module
 */

import type { RunSql } from "./_sql_client.ts";
import { readUser, selectUser } from "./_sql_user_rows.ts";
import type { UserMember, UserTable } from "./_sql_user_table.ts";
import {
  createParameters,
  joinAssignments,
  placeholder,
  type UserValues,
  writeColumns,
  writeUser,
} from "./_sql_user_writes.ts";
import { randomId } from "../../_random.ts";
import { checkPatch } from "../_patch_user.ts";
import { checkList, checkStrings } from "../_records.ts";
import type { NewUser, UserPatch, UserStore } from "../types.ts";

/** Creates a store of users. */
export function sqlUsers(run: RunSql, table: UserTable): UserStore {
  const { at, dialect } = table;
  const mine = (member: UserMember) => table.column(member, "mine");
  const select = `SELECT ${selectUser(table)} FROM ${at} AS mine`;
  const [first, second] = [placeholder(dialect, 1), placeholder(dialect, 2)];
  /** The order of bytes in UTF-8, whatever the collation of the column. */
  const bySub = `${mine("sub")} COLLATE ${dialect === "postgres" ? '"C"' : "BINARY"}`;

  async function find(member: "sub" | "identifier", value: string) {
    checkStrings(value);
    const text = `${select} WHERE ${mine(member)} = ${first}`;
    const [row] = await run("find user", text, [value]);
    return row === undefined ? null : readUser(row);
  }

  /** Rows of a sub, and of an identifier. */
  function reasons(sub: string, identifier: string | undefined) {
    const columns = `${mine("sub")} AS sub, ${mine("identifier")} AS identifier, ` +
      `${mine("version")} AS version`;
    const params = identifier === undefined ? [sub] : [sub, identifier];
    const or = identifier === undefined ? "" : ` OR ${mine("identifier")} = ${second}`;
    return {
      text: `SELECT ${columns} FROM ${at} AS mine WHERE ${mine("sub")} = ${first}${or}`,
      params,
    };
  }

  return {
    async create(user) {
      const { sub, identifier } = user;
      const version = randomId();
      const { params, add } = createParameters(dialect);
      const written = writeColumns(table, { ...valuesOf(user), version }, { params, add });
      const outcome = await writeUser<"created" | "identifier_taken" | "sub_taken">(run, {
        action: "create user",
        text: `INSERT INTO ${at} (${written.map(([column]) => column).join(", ")}) ` +
          `VALUES (${written.map(([, expression]) => expression).join(", ")}) ` +
          `ON CONFLICT (${table.column("identifier")}) DO NOTHING RETURNING 1 AS done`,
        params,
        written: "created",
        reasons: reasons(sub, identifier),
        explain(rows) {
          const others = rows.filter((row) => row.version !== version); // not what a failed call wrote
          const isTaken = others.some((row) => row.sub !== sub || row.identifier === identifier);
          return isTaken ? "identifier_taken" : others.length > 0 ? "sub_taken" : undefined;
        },
      });
      if (outcome !== "sub_taken") return outcome;
      throw new Error("Cannot create user: the sub is taken");
    },
    findByIdentifier: (identifier) => find("identifier", identifier),
    findBySub: (sub) => find("sub", sub),
    async list({ limit, after }) {
      checkList(0, { limit, after });
      const { params, add } = createParameters(dialect);
      const where = after === undefined ? "" : ` WHERE ${bySub} > ${add(after)}`;
      const text = `${select}${where} ORDER BY ${bySub} LIMIT ${add(limit)}`;
      return (await run("list users", text, params)).map(readUser);
    },
    async update(sub, version, patch) {
      checkPatch(patch);
      checkStrings(sub, version);
      const { identifier } = patch;
      const { params, add } = createParameters(dialect);
      const values = { ...valuesOf(patch), version: randomId() };
      const written = writeColumns(table, values, { params, add });
      const conditions = [
        `${mine("sub")} = ${add(sub)}`,
        `${mine("version")} = ${add(version)}`,
        ...(identifier === undefined ? [] : [
          `NOT EXISTS (SELECT 1 FROM ${at} AS other WHERE ` +
          `${table.column("identifier", "other")} = ${add(identifier)} AND ` +
          `${table.column("sub", "other")} <> ${mine("sub")})`,
        ]),
      ];
      return await writeUser<Awaited<ReturnType<UserStore["update"]>>>(run, {
        action: "update user",
        text: `UPDATE ${at} AS mine SET ${joinAssignments(written)} WHERE ${
          conditions.join(" AND ")
        } RETURNING 1 AS done`,
        params,
        written: "updated",
        reasons: reasons(sub, identifier),
        explain(rows, failed) {
          const current = rows.find((row) => row.sub === sub);
          if (!failed && current === undefined) return "not_found";
          if (!failed && current?.version !== version) return "lost";
          return rows.some((row) => row.sub !== sub) ? "identifier_taken" : undefined;
        },
      });
    },
    async delete(sub) {
      checkStrings(sub);
      const text = `DELETE FROM ${at} AS mine WHERE ${mine("sub")} = ${first}`;
      await run("delete user", text, [sub]);
    },
  };
}

/** Members are listed, because a caller may pass additional ones. */
function valuesOf(user: NewUser | UserPatch): UserValues {
  const { sub, createdAt } = user as Partial<NewUser>;
  const { identifier, passwordHash, securityStamp, disabled, pendingRemoval, attributes } = user;
  return {
    sub,
    identifier,
    passwordHash,
    securityStamp,
    disabled,
    pendingRemoval,
    attributes: attributes === null || attributes === undefined
      ? attributes
      : JSON.stringify(attributes),
    createdAt,
  };
}
