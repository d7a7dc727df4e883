/**
 * A server in a process of its own: answers the paths of its arguments in turn, and prints their statuses. With `stalled`, it
 * reads a body that never arrives instead.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createRouter, HttpError, json } from "@gatehouse/http";

const app = createRouter({ onError: () => {} })
  .get("/ok", () => json("ok"))
  .get("/refused", () => {
    throw new HttpError(418, "teapot");
  })
  .get("/broken", () => Promise.reject(new Error("broken")))
  .get("/signal", (req) => json(req.signal.aborted))
  .post("/body", (req) => json(req.content));

const router = createRouter({ onError: () => {} })
  .get("/broken", () => {
    throw new Error("broken");
  })
  .mount("/app", app)
  .mount("/two", createRouter().mount("/app", app));

async function answerPaths(paths: readonly string[]): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, router.fetch);
  const statuses: number[] = [];
  for (const path of paths) {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(
      `http://127.0.0.1:${server.addr.port}${path}`,
      path.endsWith("/body") ? { method: "POST", headers, body: "[1]" } : {},
    );
    await response.body?.cancel();
    statuses.push(response.status);
  }
  await server.shutdown();
  console.log(JSON.stringify(statuses));
}

function readStalled(): void {
  const headers = { "Content-Type": "application/json" };
  const body = new ReadableStream();
  void router.request("/app/body", { method: "POST", headers, body });
  setTimeout(() => console.log("[]"), 20); // after the deadline's timer was set
}

if (Deno.args[0] === "stalled") readStalled();
else await answerPaths(Deno.args);
