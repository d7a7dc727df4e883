/**
 * A service with accounts for Deno Deploy, on Deno KV: sign-up, sign-in and guarded routes. Its processes and threads share
 * the database and the secret, and nothing else.
 *
 * ```sh
 * KV_PATH=data.sqlite3 SECRET=$(openssl rand -base64 32) \
 *   deno serve --unstable-kv --allow-env=KV_PATH,SECRET --allow-read=. --allow-write=. examples/deploy/main.ts
 * ```
 *
 * @module
 */

import { authStores, getSession, json, registerAuth, routerBuilder } from "@gatehouse/http";
import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";

// On Deno Deploy without a path: the database that is assigned to the application
const kv = await Deno.openKv(Deno.env.get("KV_PATH"));

const runtime = registerAuth({
  secret: Deno.env.get("SECRET") ?? "", // an empty one is refused, and the application does not start
  stores: authStores(denoKvAdapter(kv)),
  deployment: "direct", // Deno Deploy describes the client's connection, not that of its proxy
});

const router = routerBuilder()
  .withAuth(runtime.integration({ routes: { registration: "open" } }))
  .build()
  .get("/", () => json({ hello: "world" }), { auth: false }) // Deno Deploy asks for it before a release
  .get("/me", (req) => json({ sub: req.principal.sub, name: getSession(req)?.user.identifier }));

export default router as Deno.ServeDefaultExport; // for `deno serve`
