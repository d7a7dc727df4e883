/**
 * The cases of `router.ts` for our router, Hono and the floor, without anything that only one runtime has: `runtimes.ts`
 * bundles this for Deno, Node and Bun.
 *
 * @module
 */

import { floor, gatehouse, hono } from "./_apps.ts";
import { measure } from "./_measure.ts";
import { ORIGIN, REQUESTS, sameAnswers } from "./_requests.ts";

/** Medians of one case. */
export interface Comparison {
  readonly name: string;
  /** Nanoseconds of our router. */
  readonly ns: number;
  readonly overHono: number;
  readonly overFloor: number;
}

/** Measures every case. */
export async function compare(options: { rounds: number }): Promise<readonly Comparison[]> {
  const apps = [floor(), gatehouse(), hono()];
  await sameAnswers(apps);
  const comparisons: Comparison[] = [];
  for (const [name, path, init] of REQUESTS) {
    const results = await measure(
      apps.map((app) => ({ name: app.name, run: (request: Request) => app.fetch(request) })),
      () => new Request(ORIGIN + path, init),
      { ...options, runs: 500 },
    );
    const own = results.find((result) => result.name === "gatehouse");
    if (own === undefined) throw new Error(`Cannot find our own result of ${name}`);
    const { ns, over } = own;
    comparisons.push({ name, ns, overHono: over("hono"), overFloor: over("floor") });
  }
  return comparisons;
}
