/**
 * Turns: operations on one key run one after another in this process.
 *
 * @module
 */

/** How long an operation waits for the ones before it, in milliseconds: one that hangs must not block the others. */
const MAX_WAIT_MS = 1_000;

/** Runs an operation after those on the same key that were started before it. */
export type Turns = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>;

/** Creates turns. They only avoid conflicts; the database decides the order. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const before = last.get(key);
    const turn = before === undefined ? run() : settledOrLate(before).then(run);
    const settled = turn.catch(() => {}).finally(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    last.set(key, settled);
    return await turn;
  };
}

async function settledOrLate(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, MAX_WAIT_MS));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
