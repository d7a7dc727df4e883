/**
 * Serves a folder until its input ends: `deno run <permissions> server_main.ts <settings as JSON>`.
 *
 * @module
 */

import { routerBuilder } from "@gatehouse/http/native";
import type { ServerBanner, ServerSettings } from "./_servers.ts";

const settings = JSON.parse(Deno.args[0] ?? "") as ServerSettings;

const banner: ServerBanner = {
  pid: Deno.pid,
  port: serve(false),
  fallthroughPort: serve(true),
  bypassesRights: bypassesRights(),
};
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(banner) + "\n"));
const buffer = new Uint8Array(1);
while (await Deno.stdin.read(buffer) !== null);
Deno.exit(0);

function serve(fallthrough: boolean): number {
  const router = routerBuilder()
    .static("/assets", { directory: settings.directory, fallthrough })
    .build();
  for (const path of settings.guarded ?? []) {
    router.under(path, () => new Response("guarded", { status: 401 }));
  }
  router.all("/*", () => new Response("later", { status: 404, headers: { "X-Later": "yes" } }));
  const { addr } = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, router.fetch);
  return addr.port;
}

/** Whether the user of this process may read files without read permission. */
function bypassesRights(): boolean {
  try {
    Deno.openSync(`${settings.directory}/unreadable.txt`).close();
    return true;
  } catch {
    return false;
  }
}
