/**
 * The entry of the bundle with legacy decorators: `report` for runtimes that run a script, `default` for those that
 * serve a Worker.
 *
 * @module
 */

import { legacyCases } from "./cases.ts";
import { runCases, type RuntimeResult } from "./harness.ts";

/** Runs every case of decorators. */
export function report(): Promise<RuntimeResult[]> {
  return runCases(legacyCases);
}

/** The same as an answer to any request. */
const worker: { fetch(): Promise<Response> } = {
  fetch: async () => Response.json(await report()),
};

export default worker;
