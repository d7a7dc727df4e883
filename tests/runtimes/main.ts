/**
 * The entry of the bundle with standard decorators: `report` for runtimes that run a script, `default` for those that
 * serve a Worker.
 *
 * @module
 */

import { cases } from "./cases.ts";
import { runCases, type RuntimeResult } from "./harness.ts";

/** Runs every case. */
export function report(): Promise<RuntimeResult[]> {
  return runCases(cases);
}

/** The same as an answer to any request. */
const worker: { fetch(): Promise<Response> } = {
  fetch: async () => Response.json(await report()),
};

export default worker;
