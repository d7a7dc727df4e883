/**
 * The entry point for Deno Deploy, which starts programs as `deno run` does.
 *
 * @module
 */

import application from "./main.ts";

const server = Deno.serve(application.fetch);
for (const signal of ["SIGINT", "SIGTERM"] as const) { // Deno Deploy sends the first one
  Deno.addSignalListener(signal, () => server.shutdown());
}
