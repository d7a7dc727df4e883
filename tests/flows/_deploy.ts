/**
 * How `examples/deploy` is started.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import type { ServedOptions } from "./_served.ts";

/** The example, for `deno serve`. */
export const MAIN: URL = new URL("../../examples/deploy/main.ts", import.meta.url);
/** The same for `deno run`. */
export const SERVE: URL = new URL("../../examples/deploy/serve.ts", import.meta.url);
/** What a user registers with. */
export interface Account {
  readonly identifier: string;
  readonly password: string;
}

export const ADA: Account = {
  identifier: "ada@example.org",
  password: "five quiet herons at dawn",
};
export const WRONG: Account = { ...ADA, password: "five quiet herons at dusk" };

const CONFIG = fromFileUrl(new URL("../../deno.json", import.meta.url));

/** A folder for the database, with how the example is started there: always on the same port. */
export async function openFolder(): Promise<
  Required<Omit<ServedOptions, "command">> & AsyncDisposable & { readonly folder: string }
> {
  const folder = await Deno.makeTempDir();
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return {
    folder,
    port: listener.addr.port,
    flags: [
      `--config=${CONFIG}`,
      "--unstable-kv",
      "--allow-env=KV_PATH,SECRET",
      `--allow-read=${folder}`,
      `--allow-write=${folder}`,
    ],
    env: { KV_PATH: join(folder, "data.sqlite3"), SECRET: "a secret that only this test knows" },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
