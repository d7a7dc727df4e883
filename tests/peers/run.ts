/**
 * Runs the tests that need other projects' tools. They may read the machine, write to a temporary folder of their own
 * run, talk to this machine and start Deno, which checks types.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";

async function main(args: readonly string[]): Promise<number> {
  const temporary = await Deno.realPath(await Deno.makeTempDir({ prefix: "gatehouse_peers_" }));
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "--no-prompt",
        "--allow-env",
        "--allow-read",
        "--allow-net=127.0.0.1",
        `--allow-write=${temporary}`,
        `--allow-run=${Deno.execPath()}`,
        `--lock=${join(ROOT, "tests/peers/deno.lock")}`,
        ...args,
        ...(args.some((arg) => !arg.startsWith("-")) ? [] : ["tests/peers"]),
      ],
      cwd: ROOT,
      env: { TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    }).spawn().status;
    return code;
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
