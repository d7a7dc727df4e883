/**
 * What verifying a sign-in with a passkey costs, beside Web Crypto alone and SimpleWebAuthn, on Deno, Node and Bun:
 * `deno task bench:passkeys`. All run the same bundle. `--rounds=51` is the default.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import type { PasskeyTimes } from "./_passkey_contests.ts";
import { runEverywhere } from "./_runtime_script.ts";
import { numberOption, table } from "./_table.ts";

/** The peer. */
export const PEER: Readonly<Record<string, string>> = { "@simplewebauthn/server": "14.0.3" };

function row([name, times]: readonly [string, PasskeyTimes]): string[] {
  const { ns, overVerify, overPrimitives, overPeer } = times;
  const ratios = [overVerify, overPrimitives, overPeer].map((ratio) => ratio.toFixed(2));
  return [name, (ns / 1_000).toFixed(1), ...ratios];
}

/** Prints a Markdown table. */
async function main(): Promise<void> {
  const rounds = numberOption("rounds", 51);
  const results = await runEverywhere<PasskeyTimes>({
    module: "bench/_passkey_contests.ts",
    packages: PEER,
    source: (module) =>
      `import * as peer from "@simplewebauthn/server";\n` +
      `import { comparePasskeys } from ${module};\n` +
      `console.log(JSON.stringify(await comparePasskeys(peer, { rounds: ${rounds} })));\n`,
  });
  console.log(table(
    ["runtime", "µs", "÷ verify", "÷ import, digests, verify", "÷ SimpleWebAuthn 14.0.3"],
    results.map(row),
  ));
}

if (import.meta.main) await main();
