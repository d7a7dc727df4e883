/**
 * Runs the cases of GraphQL servers, in a folder where they are installed: prints one line of JSON for each.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- the output is read by the tests

import { runCases } from "../runtimes/harness.ts";
import { batchCases } from "./_graphql_batch_cases.ts";
import { serverCases } from "./_graphql_cases.ts";
import { getCases } from "./_graphql_get_cases.ts";
import { libraryCases } from "./_graphql_library_cases.ts";
import { streamCases } from "./_graphql_stream_cases.ts";
import { load } from "./_graphql_servers.ts";

const { version } = await load("graphql");
const [major = ""] = String(version).split(".");
const cases = [serverCases, batchCases, getCases, streamCases, libraryCases].flatMap((casesOf) =>
  casesOf(major)
);
const results = await runCases(cases);
console.log(`results: ${JSON.stringify(results)}`);
