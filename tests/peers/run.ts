/**
 * Runs the tests that need other projects' tools. They may read the machine, write to a temporary folder of their own
 * run, talk to this machine and start Deno, which checks types.
 *
 * @module
 */

import { runFolder } from "../../dev/_run_tests.ts";

function main(args: readonly string[]): Promise<number> {
  return runFolder("peers", args, {
    permissions: (temporary) => [
      "--no-prompt",
      "--allow-env",
      "--allow-read",
      "--allow-net=127.0.0.1",
      `--allow-write=${temporary}`,
      `--allow-run=${Deno.execPath()},npm,node`,
    ],
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
