/**
 * What the SQL engines of `stores.ts` share: the statements by hand, and our stores over a client.
 *
 * @module
 */

import { type AuthStores, authStores } from "@gatehouse/http/auth";
import { sqlAdapter, type SqlDialect, type SqlQuery } from "@gatehouse/http/auth/stores/sql";
import type { BareClient, BareSwap, EngineOptions } from "./_store_types.ts";

/** A table that is the benchmark's own. */
export const TABLE = "gatehouse_bench";

const FAMILIES = "refresh_families";

/**
 * What the bare client sends, its parameters in the order of {@linkcode SqlClient}: `?` in SQLite, `$` in PostgreSQL.
 */
export function statements(p: "?" | "$"): Readonly<Record<keyof SqlClient, string>> {
  const alive = (position: number) => `(expires_at IS NULL OR expires_at > ${p}${position})`;
  const mine = `collection = ${p}1 AND key = ${p}2`;
  return {
    read: `SELECT value, version, expires_at FROM ${TABLE} WHERE ${mine} AND ${alive(3)}`,
    swap: `UPDATE ${TABLE} SET value = ${p}3, version = ${p}4, expires_at = ${p}5, uniq = ${p}6, ` +
      `index_0 = ${p}7, index_1 = ${p}8 WHERE ${mine} AND version = ${p}10 AND ${alive(9)} ` +
      `AND NOT EXISTS (SELECT 1 FROM ${TABLE} AS other WHERE other.collection = ${p}1 ` +
      `AND other.uniq = ${p}6 AND other.key <> ${p}2) RETURNING version`,
    shortest: `UPDATE ${TABLE} SET value = ${p}3, version = ${p}4 ` +
      `WHERE ${mine} AND version = ${p}5 RETURNING version`,
  };
}

/** What a statement gets. */
export type Parameter = string | number | null;

/** A row of a record, or of one that was written. */
export interface Row {
  readonly value: string;
  readonly version: string;
}

/** A function for each statement. */
export interface SqlClient {
  /** Collection, key, now. */
  read(params: Parameter[]): Promise<readonly Row[]>;
  /** The columns of the table, now, the version that was read. */
  swap(params: Parameter[]): Promise<readonly Row[]>;
  /** Collection, key, value, the next version, the version that was read. */
  shortest(params: Parameter[]): Promise<readonly Row[]>;
}

function swapParameters({ id, from, to, next }: BareSwap, at: number): Parameter[] {
  const { sub, sessionId, familyExpiresAt } = next;
  const value = JSON.stringify(next);
  return [FAMILIES, id, value, to, familyExpiresAt, null, sub, sessionId ?? null, at, from];
}

function shortestParameters({ id, from, to, next }: BareSwap): Parameter[] {
  return [FAMILIES, id, JSON.stringify(next), to, from];
}

/** The bare client of an engine. */
export function bareSql(client: SqlClient, now: () => number): BareClient {
  return {
    async read(collection, key) {
      const [row] = await client.read([collection, key, now()]);
      if (row === undefined) throw new Error("Cannot read record: there is none");
      return { value: JSON.parse(row.value), version: row.version };
    },
    swap: async (one) => (await client.swap(swapParameters(one, now()))).length === 1,
    swapShortest: async (one) => (await client.shortest(shortestParameters(one))).length === 1,
  };
}

/** What our stores are made over. */
export interface SqlOver extends EngineOptions {
  readonly dialect: SqlDialect;
  readonly query: SqlQuery;
}

/** Our stores over a client. */
export function storesOver({ dialect, query, now }: SqlOver, onStatement?: () => void): AuthStores {
  const counted: SqlQuery = (text, params) => {
    onStatement?.();
    return query(text, params);
  };
  return authStores(
    sqlAdapter({ dialect, query: onStatement === undefined ? query : counted, table: TABLE, now }),
  );
}

/** Makes the table anew. */
export async function migrate({ dialect, query, now }: SqlOver): Promise<void> {
  await query(`DROP TABLE IF EXISTS ${TABLE}`, []);
  await sqlAdapter({ dialect, query, table: TABLE, now }).migrate();
}
