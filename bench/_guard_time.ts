/**
 * Timing of applications whose requests differ: each has its own, made outside of the time that is taken. They take turns
 * as in `_measure.ts`.
 *
 * @module
 */

import type { App } from "./_apps.ts";
import { median } from "./_measure.ts";

/** An application and the request that it gets. */
export interface Entry {
  readonly app: Pick<App, "name" | "fetch">;
  /** A new request. */
  prepare(): Request;
}

/** How often. */
export interface Turns {
  readonly rounds: number;
  /** Requests of an application in a round. */
  readonly requests: number;
  /** How many of them are under way together. */
  readonly atOnce: number;
}

/** What was measured of an application. */
export interface Timing {
  readonly name: string;
  /** Median microseconds of one request. */
  readonly us: number;
  /** Median of what a round took more for each request than another application's in the same round. */
  added(base: string): number;
  /** Median of a round's time divided by another application's in the same round. */
  over(other: string): number;
}

/** What the host would hand on: login throttles count by address. */
const INFO = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 50_000 } };

/** Times applications. */
export async function timeTurns(
  entries: readonly Entry[],
  { rounds, requests, atOnce }: Turns,
): Promise<readonly Timing[]> {
  const times = new Map<string, number[]>(entries.map(({ app }) => [app.name, []]));
  for (let round = -Math.ceil(rounds / 5); round < rounds; round++) { // the first ones warm up
    for (const entry of round % 2 === 0 ? entries : entries.toReversed()) {
      const us = await timeRound(entry, requests, atOnce);
      if (round >= 0) times.get(entry.app.name)?.push(us);
    }
  }
  const of = (name: string): readonly number[] => times.get(name) ?? [];
  return entries.map(({ app: { name } }) => ({
    name,
    us: median(of(name)),
    added: (base) => median(of(name).map((us, i) => us - (of(base)[i] ?? NaN))),
    over: (other) => median(of(name).map((us, i) => us / (of(other)[i] ?? NaN))),
  }));
}

/** Microseconds of one request. */
async function timeRound(
  { app, prepare }: Entry,
  requests: number,
  atOnce: number,
): Promise<number> {
  const batches = Array.from(
    { length: Math.ceil(requests / atOnce) },
    () => Array.from({ length: atOnce }, prepare),
  );
  const send = (request: Request): Response | Promise<Response> => app.fetch(request, INFO);
  const start = performance.now();
  for (const batch of batches) {
    if (batch.length > 1) {
      await Promise.all(batch.map(send));
      continue;
    }
    for (const request of batch) {
      const result = send(request);
      if (result instanceof Promise) await result;
    }
  }
  return (performance.now() - start) * 1000 / (batches.length * atOnce);
}
