/**
 * What starting and completing a sign-in at a provider costs, beside openid-client with signature checks, on Deno, Node and
 * Bun: `deno task bench:oauth`. All run the same bundle. openid-client leaves the transaction of a sign-in to the application:
 * it is measured in one that keeps it as ours is kept, and alone. `--rounds=51` is the default.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import type { OAuthTimes } from "./_oauth_contests.ts";
import { runEverywhere } from "./_runtime_script.ts";
import { numberOption, table } from "./_table.ts";

/** The peer. */
const PEER: Readonly<Record<string, string>> = { "openid-client": "6.8.9" };

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const rounds = numberOption("rounds", 51);
  const results = await runEverywhere<OAuthTimes>({
    module: "bench/_oauth_contests.ts",
    packages: PEER,
    source: (module) =>
      `import * as peer from "openid-client";\n` +
      `import { compareOAuth } from ${module};\n` +
      `console.log(JSON.stringify(await compareOAuth(peer, { rounds: ${rounds} })));\n`,
  });
  console.log(table(
    [
      "runtime",
      "start, µs",
      "callback, µs",
      "÷ openid-client 6.8.9 with transactions",
      "÷ openid-client alone",
    ],
    results.map(([name, { start, callback, overApplication, overPeer }]) => [
      name,
      start.toFixed(0),
      callback.toFixed(0),
      overApplication.toFixed(2),
      overPeer.toFixed(2),
    ]),
  ));
}

if (import.meta.main) await main();
