/**
 * The application of the WebSocket servers: on every runtime the same routes.
 *
 * @module
 */

import {
  authenticated,
  authFailed,
  createPrincipal,
  createRouter,
  HttpError,
  json,
  type LiveSocket,
  noCredential,
  resourceServer,
  type TypedRouter,
  websocket,
  withAuthRoutes,
} from "../../mod.ts";

/** Creates the router. Its keys are good until they are revoked by `/revoke`, and `log` collects closes and errors. */
export function createSocketRouter(): { fetch: TypedRouter<unknown[]>["fetch"] } {
  const log: string[] = [];
  const revoked = new Set<string>();
  const runtime = resourceServer({
    strategies: [{
      name: "key",
      scheme: { type: "header", name: "X-Key" },
      authenticate({ request }) {
        const key = request.headers.get("X-Key");
        if (key === null) return noCredential();
        if (revoked.has(key)) return authFailed("key_revoked", "the key was revoked");
        const scope = key.startsWith("chat") ? ["chat"] : [];
        return authenticated(createPrincipal({ sub: key, method: "key", scope }));
      },
    }],
  });
  const record = (_socket: LiveSocket, code: number) => void log.push(String(code));
  const echo = (socket: LiveSocket, data: string | Uint8Array<ArrayBuffer>) => {
    if (data === "throw") throw new Error("secret");
    if (data === "close") return socket.close(4321, "as asked");
    socket.send(data);
  };
  const router = createRouter<unknown[]>({ onError: (error) => void log.push(String(error)) })
    .get("/log", () => json(log.splice(0)))
    .get("/echo", (req) =>
      websocket(req, { message: echo, close: record }, {
        protocols: ["chat.v2", "chat.v1"],
        origins: ["https://app.example"],
        maxMessageBytes: 1000,
      }))
    .get(
      "/protocol",
      (req) =>
        websocket(req, { open: (socket) => void socket.send(`<${socket.protocol}>`) }, {
          protocols: ["chat.v2", "chat.v1"],
        }),
    )
    .get("/slow", (req) =>
      websocket(req, {
        async open(socket) {
          while (socket.send(new Uint8Array(60_000))) {
            await new Promise((resolve) => setTimeout(resolve, 1));
          }
        },
        close: record,
      }, { maxBufferedBytes: 200_000 }));
  const guarded = withAuthRoutes(createRouter<unknown[]>({ prefix: "/guarded" }), { runtime })
    .get("/echo", (req) => websocket(req, { message: echo, close: record }, { recheck: 0.05 }), {
      scope: ["chat"],
    })
    .get("/hello/:name", (req) => {
      if (req.params.name === "nobody") throw new HttpError(404, "nobody_there");
      return websocket(req, { open: (socket) => void socket.send(req.principal.sub) });
    }, { scope: "any" })
    .post("/revoke/:key", (req) => {
      revoked.add(req.params.key);
      return json("revoked");
    }, { raw: true, auth: false });
  router.mount("/in", guarded);
  return { fetch: router.fetch };
}
