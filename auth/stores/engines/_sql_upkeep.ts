/**
 * Schema migration and removal of expired records for {@linkcode sqlAdapter}.
 *
 * @module
 */

import type { RunSql } from "./_sql_client.ts";
import { type SqlStatements, SWEEP_ROWS } from "./_sql_statements.ts";
import { purgeAfter } from "../_records.ts";
import { sleepWithJitter } from "../../_backoff.ts";

/** Seconds between the sweeps of writes, and while more than a batch has expired. */
const SWEEP_SECONDS = 300;
const BACKLOG_SWEEP_SECONDS = 1;

/** Attempts of a migration, and half the pause after the first one, in milliseconds, which doubles each time. */
const MIGRATE_ATTEMPTS = 6;
const MIGRATE_PAUSE_MS = 25;

/** Dependencies of a sweeper. */
export interface SqlUpkeep {
  readonly run: RunSql;
  readonly statements: SqlStatements;
  readonly clock: () => number;
}

/** Deletes expired records. */
export interface SqlSweeper {
  /** Deletes all of them. @returns How many were deleted. */
  sweep(): Promise<number>;
  /** Deletes a batch after a write, unless the last one was recent. Never rejects: the write has been made. */
  sweepAfterWrite(): Promise<void>;
}

/** Creates a sweeper. */
export function createSqlSweeper({ run, statements, clock }: SqlUpkeep): SqlSweeper {
  let sweptAt = -Infinity;
  let pauseSeconds = SWEEP_SECONDS;

  async function sweepBatch(): Promise<number> {
    const bound = clock() - purgeAfter(0);
    return (await run("delete expired records", statements.sweep, [bound])).length;
  }

  return {
    async sweep() {
      let removed = 0;
      for (;;) {
        const batch = await sweepBatch();
        removed += batch;
        if (batch < SWEEP_ROWS) return removed;
      }
    },
    async sweepAfterWrite() {
      const now = clock();
      if (Math.abs(now - sweptAt) < pauseSeconds) return; // the clock may have been set back
      sweptAt = now; // before the await: concurrent writes must not sweep too
      pauseSeconds = SWEEP_SECONDS;
      try {
        if (await sweepBatch() === SWEEP_ROWS) pauseSeconds = BACKLOG_SWEEP_SECONDS;
      } catch {
        // expired records are not returned in any case
      }
    },
  };
}

/**
 * Creates the table and its indexes. `IF NOT EXISTS` alone is not enough: on PostgreSQL one of two concurrent migrations may
 * fail, and `CREATE INDEX` waits for all writers even if the index exists.
 */
export async function migrateSql(
  { run, statements }: Omit<SqlUpkeep, "clock">,
): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      const parts = await run("inspect schema", statements.schemaParts);
      if (parts.length === statements.schema.length) return;
      for (const statement of statements.schema) await run("create schema", statement);
      return;
    } catch (error) {
      if (attempt === MIGRATE_ATTEMPTS) throw error;
      const maxMs = MIGRATE_PAUSE_MS * 2 ** attempt;
      await sleepWithJitter(maxMs / 2, maxMs);
    }
  }
}
