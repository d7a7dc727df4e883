/**
 * The calls that one operation makes to Deno KV: a lock is waited for, any other fault ends the operation.
 *
 * @module
 */

import { isLocked } from "./_kv_limit.ts";
import type { KvPlace } from "./_kv_layout.ts";
import { sleepWithJitter } from "../_backoff.ts";
import type { DenoKvAtomic, DenoKvEntry, DenoKvKey, DenoKvRange } from "./kv_types.ts";

/** How long one operation goes on trying, in milliseconds. */
const PATIENCE_MS = 5_000;

/** The longest waits between two tries, in milliseconds: for a lock, and for others who change the same record. */
const MAX_WAIT_MS = { locked: 250, conflict: 32 } as const;

/** Calls of one operation. Each rejects with an `Error` that says what cannot be done. */
export interface KvCalls {
  /** Reads keys as they are at one time. */
  read(...keys: readonly DenoKvKey[]): Promise<readonly DenoKvEntry[]>;
  /** Reads a range as it is at one time. */
  readRange(
    range: DenoKvRange,
    options: { readonly limit: number; readonly reverse: boolean },
  ): Promise<readonly DenoKvEntry[]>;
  /**
   * Commits, and gives the version: `null` if nothing was written, and the operation is to look again at what there is. It
   * then has waited, unless this was its first commit.
   */
  commit(atomic: DenoKvAtomic): Promise<string | null>;
}

/**
 * Begins an operation.
 *
 * Only a locked database is asked again: it says so before it writes anything. After any other fault a commit may have been
 * made, and one that is made twice could undo what came between.
 *
 * @param cannot What fails with it: `Cannot read record`.
 */
export function kvCalls({ kv, gate }: Pick<KvPlace, "kv" | "gate">, cannot: string): KvCalls {
  const end = performance.now() + PATIENCE_MS;
  let longest = 4;
  const wait = async (why: keyof typeof MAX_WAIT_MS, refusal: Error) => {
    if (performance.now() >= end) throw refusal;
    longest = Math.min(longest * 2, MAX_WAIT_MS[why]);
    await sleepWithJitter(1, 1 + longest);
  };
  const waitOut = async (cause: unknown) => {
    if (!isLocked(cause)) throw new Error(`${cannot}: ${reasonOf(cause)}`, { cause });
    await wait("locked", new Error(`${cannot}: Deno KV's database stays locked`, { cause }));
  };
  const withRetry = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await run();
      } catch (cause) {
        await waitOut(cause);
      }
    }
  };
  let conflicts = 0;
  return {
    read: (...keys) => withRetry(() => kv.getMany(keys)),
    readRange: (range, options) => withRetry(() => collect(kv.list(range, options))),
    async commit(atomic) {
      try {
        const { ok, versionstamp } = await gate.commit(end, () => atomic.commit());
        if (ok && versionstamp !== undefined) return versionstamp;
      } catch (cause) {
        await waitOut(cause);
        return null;
      }
      // Most of the time the next look tells that another one has won, and there is nothing to wait for
      if (++conflicts > 1) await wait("conflict", new Error(`${cannot}: others keep changing it`));
      return null;
    },
  };
}

async function collect(entries: AsyncIterable<DenoKvEntry>): Promise<DenoKvEntry[]> {
  const collected: DenoKvEntry[] = [];
  for await (const entry of entries) collected.push(entry);
  return collected;
}

function reasonOf(fault: unknown): string {
  const closed = fault instanceof Error &&
    (fault.name === "BadResource" || /\bdatabase is closed\b/i.test(fault.message));
  return closed ? "Deno KV is closed" : "Deno KV failed";
}
