/**
 * Cloudflare's database, as a Worker sees it.
 *
 * @module
 */

import type { SqlParameter, SqlQuery, SqlRow } from "../../auth/stores/engines/sql.ts";

/** The part of a D1 database that is used here. */
export interface D1Database {
  prepare(text: string): {
    bind(...params: SqlParameter[]): { all(): Promise<{ readonly results: SqlRow[] }> };
  };
}

/** Runs statements on it. */
export function d1Query(database: D1Database): SqlQuery {
  return async (text, params) => (await database.prepare(text).bind(...params).all()).results;
}
