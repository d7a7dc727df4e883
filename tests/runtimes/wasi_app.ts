/**
 * An application on `edge.ts` for a WASI component: packaged assets, JSON, and guards that accept the tokens and sessions of
 * others. It reads keys and sessions over HTTP, as components do.
 *
 * @module
 */

import {
  bearerTokenStrategy,
  cookiePolicy,
  createRouter,
  type EdgeApplication,
  json,
  remoteJwks,
  repoSessionStore,
  repoUserStore,
  resourceServer,
  routerBuilder,
  serveEdge,
  sessionCookieStrategy,
  sessionService,
  withAuthRoutes,
} from "../../edge.ts";
import { httpAdapter } from "./wasi_adapter.ts";
import { tryMissing } from "./wasi_missing.ts";
import { ALGORITHMS, AUDIENCE, ISSUER, type WasiAppOptions } from "./wasi_site.ts";

/** Serves the application. */
export function serveWasi({ backend, secret, assets }: WasiAppOptions): EdgeApplication {
  const adapter = httpAdapter(`${backend}/records`);
  const sessions = sessionService({
    sessions: repoSessionStore({ adapter }),
    users: repoUserStore({ adapter }),
  });
  const issuer = { issuer: ISSUER, audience: AUDIENCE };
  const runtime = resourceServer({
    strategies: [
      bearerTokenStrategy({
        ...issuer,
        algorithms: ALGORITHMS,
        keys: remoteJwks(`${backend}/jwks.json`, { insecureLoopback: true }),
      }),
      sessionCookieStrategy({ sessions, cookies: cookiePolicy() }),
    ],
    csrf: "origin",
    deployment: { clientAddress: () => undefined }, // jco does not say it
  });
  const internal = resourceServer({
    strategies: [bearerTokenStrategy({ ...issuer, algorithms: ["HS256"], keys: secret })],
    deployment: { clientAddress: () => undefined },
  });

  const router = routerBuilder({ maxBodyBytes: 1024 })
    .static("/assets", { directory: "assets", package: assets })
    .withAuth(runtime.integration())
    .build()
    .get("/me", ({ principal: { sub, method } }) => json({ sub, method }), { scope: ["me"] })
    .post("/me", ({ principal: { sub, method } }) => json({ sub, method }), { scope: ["me"] })
    .get("/hello", () => json("world"), { auth: false })
    .get("/users/:id", (req) => json([req.params.id, req.query.q ?? null]), { auth: false })
    .post("/notes", async (req) => json(await req.json(), { status: 201 }), { auth: false })
    .delete("/notes", () => new Response(null, { status: 204 }), { auth: false })
    .get("/throws", () => {
      throw new Error("a detail of the application");
    }, { auth: false })
    .get("/missing/:what", async (req) => json(await tryMissing(req.params.what, adapter)), {
      auth: false,
    });
  router.mount(
    "/internal",
    withAuthRoutes(createRouter(), { runtime: internal })
      .get("/me", ({ principal: { sub } }) => json({ sub }), { scope: ["me"] }),
    { auth: false },
  );
  return serveEdge(router);
}
