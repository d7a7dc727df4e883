/**
 * Processes that race on one engine, and their commands.
 *
 * @module
 */

import type { AuthStores } from "../../auth/stores/types.ts";
import { answerLines, startProcesses } from "./_processes.ts";
import { type Race, RACES } from "./_races.ts";
import { SERVER_RACES, type ServerRace } from "./_server_races.ts";

/** A race at the stores, or at a server over them. */
export type AnyRace = Race | ServerRace;

/** Number of processes. */
export const PROCESSES = 4;
/** Number of callers per process. */
export const CALLERS = 50;

/** Processes that are ready for a race. */
export interface Racers extends AsyncDisposable {
  /** The result of each caller of each process, in the order of their numbers. */
  race(race: AnyRace, prize: string, version?: string): Promise<readonly string[]>;
}

/** One race of all callers, as sent to a process. */
interface Heat {
  readonly race: AnyRace;
  readonly prize: string;
  readonly version: string;
  /** Numbers of the process's callers. */
  readonly racers: readonly number[];
  /** When all processes start, in milliseconds since the epoch. */
  readonly startsAt: number;
}

/** Time for all processes to receive a race. */
const START_MS = 60;

/**
 * Starts the processes, and waits until all have reached the engine.
 *
 * @param args Arguments of `deno run`; the program calls {@linkcode raceFor}.
 */
export async function startRacers(args: readonly string[]): Promise<Racers> {
  const processes = await startProcesses(PROCESSES, args);
  return {
    async race(race, prize, version = "") {
      const startsAt = Date.now() + START_MS;
      const heard = await processes.ask((index) => {
        const racers = Array.from({ length: CALLERS }, (_, i) => index * CALLERS + i);
        const heat: Heat = { race, prize, version, racers, startsAt };
        return JSON.stringify(heat);
      });
      return heard.flatMap((line) => JSON.parse(line) as readonly string[]);
    },
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
}

/** Takes part in races as one of the processes, until the input ends. */
export async function raceFor(stores: AuthStores): Promise<void> {
  const races = { ...RACES, ...SERVER_RACES };
  await answerLines(async (line) => {
    const { race, prize, version, racers, startsAt } = JSON.parse(line) as Heat;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, startsAt - Date.now())));
    const outcomes = racers.map((racer) =>
      races[race]({ stores, racer: `${racer}`, prize, version }).catch(String)
    );
    return JSON.stringify(await Promise.all(outcomes));
  });
}
