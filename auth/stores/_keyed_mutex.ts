/**
 * A mutex per key: concurrent callers of this process wait for each other instead of retrying on conflicts.
 *
 * @module
 */

import { isWorkerd } from "../_workerd.ts";

/** Maximum wait for the callers before, in milliseconds: one that hangs must not block all others. */
const MAX_WAIT_MS = 1_000;

/** Runs a step after the earlier ones with the same key. */
export type KeyedMutex = <Result>(key: string, step: () => Promise<Result>) => Promise<Result>;

/** Creates a mutex. It only saves retries: exclusion is up to the store's compare-and-swap. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, step) => {
    if (isWorkerd()) return await step(); // where a request must not wait for another one
    const before = last.get(key);
    const running = before === undefined ? step() : settledOrTimeout(before).then(step);
    const done = running.catch(() => {}).finally(() => {
      if (last.get(key) === done) last.delete(key);
    });
    last.set(key, done);
    return await running;
  };
}

async function settledOrTimeout(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((resolve) => timer = setTimeout(resolve, MAX_WAIT_MS));
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
