/**
 * What the SQL engines of `stores.ts` share: a client that says our statements by itself, and our stores over a client.
 *
 * @module
 */

import { type AuthStores, authStores } from "@gatehouse/http/auth";
import { sqlAdapter, type SqlDialect, type SqlQuery } from "@gatehouse/http/auth/stores/sql";
import { sqlStatements } from "../auth/stores/engines/_sql_statements.ts";
import type { BareClient, BareSwap, EngineOptions } from "./_store_types.ts";

/** A table that is the benchmark's own. */
export const TABLE = "gatehouse_bench";

const FAMILIES = "refresh_families";

/**
 * What the bare client sends, its parameters in the order of {@linkcode SqlClient}: what our stores send, and the shortest
 * statement that does.
 */
function statements(dialect: SqlDialect): Readonly<Record<keyof SqlClient, string>> {
  const { get, update } = sqlStatements(dialect, TABLE);
  const p = dialect === "postgres" ? "$" : "?";
  return {
    read: get,
    swap: update,
    shortest: `UPDATE ${TABLE} SET value = ${p}3, version = ${p}4 ` +
      `WHERE collection = ${p}1 AND key = ${p}2 AND version = ${p}5 RETURNING version`,
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
interface SqlClient {
  /** Collection, key, now. */
  read(params: Parameter[]): Promise<readonly Row[]>;
  /** The columns of the table, now, the version that was read. */
  swap(params: Parameter[]): Promise<readonly Row[]>;
  /** Collection, key, value, the next version, the version that was read. */
  shortest(params: Parameter[]): Promise<readonly Row[]>;
}

/** Makes a function of a statement. */
export type PrepareSql = (text: string) => (params: Parameter[]) => Promise<readonly Row[]>;

function swapParameters({ id, from, to, next }: BareSwap, at: number): Parameter[] {
  const { sub, sessionId, familyExpiresAt } = next;
  const value = JSON.stringify(next);
  return [FAMILIES, id, value, to, familyExpiresAt, null, sub, sessionId ?? null, at, from];
}

function shortestParameters({ id, from, to, next }: BareSwap): Parameter[] {
  return [FAMILIES, id, JSON.stringify(next), to, from];
}

/** The bare client of an engine. @param prepare Makes the function of a statement. */
export function bareSql({ dialect, now }: SqlOver, prepare: PrepareSql): BareClient {
  const { read, swap, shortest } = statements(dialect);
  const client: SqlClient = {
    read: prepare(read),
    swap: prepare(swap),
    shortest: prepare(shortest),
  };
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
