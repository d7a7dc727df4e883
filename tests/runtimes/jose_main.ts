/**
 * The entry of the bundle with jose, which the generated module around this one imports: `report` for runtimes that run a
 * script, `worker` for those that serve a Worker.
 *
 * @module
 */

import { runCases, type RuntimeResult } from "./harness.ts";
import type { Jose } from "./jose.ts";
import { joseCases } from "./jose_cases.ts";

/** Makes both of jose. */
export function serveWith(jose: Jose): {
  report(): Promise<RuntimeResult[]>;
  worker: { fetch(): Promise<Response> };
} {
  const report = () => runCases(joseCases(jose));
  return { report, worker: { fetch: async () => Response.json(await report()) } };
}
