/**
 * How many commits wait in Deno KV at once.
 *
 * On a locked file it waits five seconds for each of them, one after the other, and no read comes before them: fifty would
 * hold up everybody for minutes. Those that wait here can be refused in time.
 *
 * @module
 */

/** Most commits at once. Deno KV writes them together, and with more it gets hardly faster. */
const MOST_COMMITS = 4;

/** Lets commits through. */
export interface CommitLimiter {
  /**
   * Commits as soon as there is room. Rejects with Deno KV's fault, or, if the database was found locked meanwhile and the
   * end has come, with that of another commit; nothing was written then.
   *
   * @param end When it has waited long enough, in the time of `performance.now()`.
   */
  commit<Result>(end: number, run: () => Promise<Result>): Promise<Result>;
}

interface Waiter {
  readonly end: number;
  enter(): void;
  refuse(fault: unknown): void;
}

/** Makes the gate of an adapter. */
export function kvGate(): CommitLimiter {
  let running = 0;
  let locked: { readonly fault: unknown } | undefined;
  let waiters: Waiter[] = [];
  // While it is locked one is enough to find out when it no longer is
  const hasRoom = () => running < (locked === undefined ? MOST_COMMITS : 1);
  const leave = () => {
    running--;
    const now = performance.now();
    const staying: Waiter[] = [];
    for (const waiter of waiters) {
      if (hasRoom()) {
        running++;
        waiter.enter();
      } else if (locked !== undefined && now >= waiter.end) {
        waiter.refuse(locked.fault);
      } else {
        staying.push(waiter);
      }
    }
    waiters = staying;
  };
  return {
    async commit(end, run) {
      if (hasRoom()) running++;
      else await new Promise<void>((enter, refuse) => waiters.push({ end, enter, refuse }));
      try {
        const result = await run();
        locked = undefined;
        return result;
      } catch (fault) {
        locked = isLocked(fault) ? { fault } : undefined;
        throw fault;
      } finally {
        leave();
      }
    },
  };
}

/** SQLITE_BUSY or SQLITE_LOCKED. Whatever SQLite says, Deno KV makes a `TypeError` of it. */
export function isLocked(fault: unknown): boolean {
  return fault instanceof Error && /\bdatabase (?:table )?is locked\b/.test(fault.message);
}
