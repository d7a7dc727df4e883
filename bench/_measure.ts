/**
 * Timing that compares: contestants take turns in short rounds, so that a machine that slows down slows all of them,
 * and ratios are taken round by round.
 *
 * @module
 */

/** One thing that is timed. */
export interface Contestant<Input> {
  readonly name: string;
  /** Does it once. */
  run(input: Input): unknown;
}

/** What was measured of a contestant. */
export interface Measurement {
  readonly name: string;
  /** Median nanoseconds of one run. */
  readonly ns: number;
  /** Median of a round's time divided by another contestant's in the same round. */
  over(other: string): number;
}

/**
 * Times contestants. A promise that a run returns is awaited before the next.
 *
 * @param prepare Makes the input of one run, outside of the time that is taken.
 */
export async function measure<Input>(
  contestants: readonly Contestant<Input>[],
  prepare: () => Input,
  { rounds = 101, runs = 1000 }: { rounds?: number; runs?: number } = {},
): Promise<readonly Measurement[]> {
  const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -20; round < rounds; round++) { // the first ones warm up
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { name, run } of order) {
      const inputs = Array.from({ length: runs }, prepare);
      const start = performance.now();
      for (const input of inputs) {
        const result = run(input);
        if (result instanceof Promise) await result;
      }
      if (round >= 0) times.get(name)?.push((performance.now() - start) * 1e6 / runs);
    }
  }
  return contestants.map(({ name }) => {
    const own = times.get(name) ?? [];
    return {
      name,
      ns: median(own),
      over: (other) => median(own.map((ns, i) => ns / (times.get(other)?.[i] ?? NaN))),
    };
  });
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? NaN;
}
