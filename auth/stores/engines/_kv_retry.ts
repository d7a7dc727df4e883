/**
 * The calls of one operation to Deno KV. They are retried while the database file is locked; any other failure ends the
 * operation.
 *
 * @module
 */

import type { KvContext } from "./_kv_layout.ts";
import { MAX_CONFLICTS, sleepWithJitter } from "../../_backoff.ts";
import type { DenoKvAtomic, DenoKvEntry, DenoKvKey, DenoKvRange } from "./kv_types.ts";

/** How long a call is retried while the database is locked, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;

/** The longest pauses before a retry, in milliseconds. */
const MAX_LOCK_PAUSE_MS = 250;
const MAX_CONFLICT_PAUSE_MS = 32;

/** Calls of one operation. Each rejects with an `Error` that names the operation. */
export interface KvCalls {
  /** Reads keys from one snapshot. */
  read(...keys: readonly DenoKvKey[]): Promise<readonly DenoKvEntry[]>;
  /** Reads a range from one snapshot. */
  readRange(
    range: DenoKvRange,
    options: { readonly limit: number; readonly reverse: boolean },
  ): Promise<readonly DenoKvEntry[]>;
  /** Commits. @returns The version; `null` on a conflict: nothing was written, and the operation must read again. */
  commit(atomic: DenoKvAtomic): Promise<string | null>;
}

/**
 * Begins an operation.
 *
 * Only a lock is retried: SQLite reports it before it writes anything. After any other failure the commit may have been
 * made, and a second one could undo a change made in between.
 *
 * @param action What is reported to have failed: `Cannot read record`.
 */
export function kvCalls({ kv }: Pick<KvContext, "kv">, action: string): KvCalls {
  const withRetry = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + LOCK_TIMEOUT_MS;
    for (let attempt = 1;; attempt++) {
      try {
        return await run();
      } catch (cause) {
        if (!isLocked(cause)) throw new Error(`${action}: ${stateOf(cause)}`, { cause });
        if (performance.now() >= deadline) {
          throw new Error(`${action}: Deno KV's database is locked`, { cause });
        }
      }
      await pause(attempt, MAX_LOCK_PAUSE_MS);
    }
  };
  let conflicts = 0;
  return {
    read: (...keys) => withRetry(() => kv.getMany(keys)),
    readRange: (range, options) => withRetry(() => collect(kv.list(range, options))),
    async commit(atomic) {
      const { ok, versionstamp } = await withRetry(() => atomic.commit());
      if (ok && versionstamp !== undefined) return versionstamp;
      if (++conflicts === MAX_CONFLICTS) throw new Error(`${action}: too many conflicts`);
      // Usually the next read ends the operation as lost or taken: the first conflict is not waited for
      if (conflicts > 1) await pause(conflicts - 1, MAX_CONFLICT_PAUSE_MS);
      return null;
    },
  };
}

async function pause(attempt: number, maxMs: number): Promise<void> {
  await sleepWithJitter(1, 1 + Math.min(4 * 2 ** attempt, maxMs));
}

async function collect(entries: AsyncIterable<DenoKvEntry>): Promise<DenoKvEntry[]> {
  const collected: DenoKvEntry[] = [];
  for await (const entry of entries) collected.push(entry);
  return collected;
}

/** SQLITE_BUSY or SQLITE_LOCKED; Deno KV throws every error of SQLite as a `TypeError`. */
function isLocked(error: unknown): boolean {
  return error instanceof Error && /\bdatabase (?:table )?is locked\b/.test(error.message);
}

function stateOf(error: unknown): string {
  const closed = error instanceof Error &&
    (error.name === "BadResource" || /\bdatabase is closed\b/i.test(error.message));
  return closed ? "Deno KV is closed" : "Deno KV failed";
}
