/**
 * The tracker. `SECRET` and `ORIGIN` must be set; `PORT` 0 is a free one.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createTracker } from "./app.ts";

const { fetch } = createTracker({
  secret: Deno.env.get("SECRET") ?? "",
  origin: Deno.env.get("ORIGIN") ?? "",
  log: (line) => console.log(line),
});
Deno.serve({
  port: Number(Deno.env.get("PORT") ?? 0),
  onListen: ({ port }) => console.log(`listening on http://localhost:${port}/`),
}, fetch);
