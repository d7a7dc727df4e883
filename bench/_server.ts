/**
 * One application of `_apps.ts` on Deno.serve, for `wire.ts`: prints its port as soon as it listens.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { type App, elysia, floor, gatehouse, h3, hono, itty } from "./_apps.ts";

/** Every application that can be served. */
const APPS: Readonly<Record<string, () => App | Promise<App>>> = {
  floor,
  gatehouse,
  hono,
  elysia,
  h3,
  itty,
};

if (import.meta.main) {
  const [name = ""] = Deno.args;
  const app = await APPS[name]?.();
  if (app === undefined) throw new TypeError(`Cannot serve "${name}": not one of _apps.ts`);
  Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(port),
  }, (request, info) => app.fetch(request, info));
}
