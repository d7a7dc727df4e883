/**
 * Every case of `serveNode`. They use `node:http` and sockets, so that they run on Node, and on Deno and Bun where these
 * behave alike.
 *
 * @module
 */

import type { RuntimeCase } from "./harness.ts";
import { nodeBodyCases } from "./node_body_cases.ts";
import { nodeConnectionCases } from "./node_connection_cases.ts";
import { nodeFailureCases } from "./node_failure_cases.ts";
import { nodeGlobalsCases } from "./node_globals_cases.ts";
import { nodeLifecycleCases } from "./node_lifecycle_cases.ts";
import { nodeRequestCases } from "./node_request_cases.ts";
import { nodeResponseCases } from "./node_response_cases.ts";
import { nodeSignalCases } from "./node_signal_cases.ts";

/** Every case, in the order in which they run. */
export const nodeServerCases: readonly RuntimeCase[] = [
  ...nodeRequestCases,
  ...nodeBodyCases,
  ...nodeResponseCases,
  ...nodeFailureCases,
  ...nodeConnectionCases,
  ...nodeSignalCases,
  ...nodeLifecycleCases,
  ...nodeGlobalsCases,
];
