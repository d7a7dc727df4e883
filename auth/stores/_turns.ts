/**
 * Turns: who works on one thing in this process does so one after the other, and not all at once against each other.
 *
 * @module
 */

import { isWorkerd } from "../_workerd.ts";

/** How long one waits for those before, in milliseconds: what hangs must not stop everybody behind it. */
const PATIENCE_MS = 1_000;

/** Runs a step when those before it, on the same thing, are done. */
export type Turns = <Result>(thing: string, step: () => Promise<Result>) => Promise<Result>;

/** Makes turns. They only save work: whoever relies on an order has to have it from the store. */
export function createKeyedMutex(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (thing, step) => {
    if (isWorkerd()) return await step(); // there no request may wait for another one
    const before = last.get(thing);
    const turn = before === undefined ? step() : soon(before).then(step);
    const done = turn.catch(() => {}).finally(() => {
      if (last.get(thing) === done) last.delete(thing);
    });
    last.set(thing, done);
    return await turn;
  };
}

/** Waits for something that does not reject, but not for ever. */
async function soon(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise((resolve) => timer = setTimeout(resolve, PATIENCE_MS));
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
