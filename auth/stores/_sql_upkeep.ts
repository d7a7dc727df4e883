/**
 * What {@linkcode sqlAdapter} does besides reading and writing: it makes its table, and removes what has ended.
 *
 * @module
 */

import type { RunSql } from "./_sql_client.ts";
import { type SqlStatements, SWEEP_ROWS } from "./_sql_statements.ts";
import { purgeAfter } from "./_records.ts";
import { sleepWithJitter } from "../_backoff.ts";

/** How many seconds apart writes sweep; and how many while there is more than a batch. */
const SWEEP_SECONDS = 300;
const SWEEP_ON_SECONDS = 1;

/** How often the schema is tried; the pause after the first time, in milliseconds, which doubles each time. */
const MIGRATE_TRIES = 6;
const MIGRATE_PAUSE_MS = 25;

/** What upkeep needs. */
export interface SqlUpkeep {
  readonly run: RunSql;
  readonly statements: SqlStatements;
  readonly clock: () => number;
}

/** Removes what has ended. */
export interface SqlSweeper {
  /** All of it. @returns How many records. */
  sweep(): Promise<number>;
  /** A batch, if the last one was a while ago. It belongs to a write that was made, and fails none. */
  sweepAlong(): Promise<void>;
}

/** Makes what removes. */
export function createSqlSweeper({ run, statements, clock }: SqlUpkeep): SqlSweeper {
  let sweptAt = -Infinity;
  let pauseSeconds = SWEEP_SECONDS;

  async function sweepBatch(): Promise<number> {
    const bound = clock() - purgeAfter(0);
    return (await run("remove ended records", statements.sweep, [bound])).length;
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
    async sweepAlong() {
      const now = clock();
      if (Math.abs(now - sweptAt) < pauseSeconds) return; // a clock may be put back
      sweptAt = now; // before it waits: other writes go on meanwhile
      pauseSeconds = SWEEP_SECONDS;
      try {
        if (await sweepBatch() === SWEEP_ROWS) pauseSeconds = SWEEP_ON_SECONDS;
      } catch {
        // What has ended is not returned all the same
      }
    },
  };
}

/**
 * Makes the table and its indexes. `IF NOT EXISTS` alone does not do: on PostgreSQL two processes may both find nothing and
 * one then fails, and to make an index that is there still waits for all writers.
 */
export async function migrateSql(
  { run, statements }: Omit<SqlUpkeep, "clock">,
): Promise<void> {
  for (let tries = 1;; tries++) {
    try {
      const parts = await run("look for tables", statements.schemaParts);
      if (parts.length === statements.schema.length) return;
      for (const statement of statements.schema) await run("make tables", statement);
      return;
    } catch (error) {
      if (tries === MIGRATE_TRIES) throw error;
      const most = MIGRATE_PAUSE_MS * 2 ** tries;
      await sleepWithJitter(most / 2, most);
    }
  }
}
