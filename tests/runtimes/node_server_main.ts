/**
 * The entry of the cases of `serveNode`, for Node.
 *
 * @module
 */

import { nodeServerCases } from "./node_server_cases.ts";
import { runCases, type RuntimeResult } from "./harness.ts";

/** Runs every case. */
export function report(): Promise<RuntimeResult[]> {
  return runCases(nodeServerCases);
}
