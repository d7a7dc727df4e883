/** `examples/hello`, in a separate process without permissions, over the network. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

const MAIN = fromFileUrl(new URL("../../examples/hello/main.ts", import.meta.url));
const ADA = { identifier: "ada@example.org", password: "five quiet herons at dawn" };

/** A client that keeps cookies and records the routes that it called. */
interface Client {
  readonly called: ReadonlySet<string>;
  get(path: string): Promise<Response>;
  /** Sends JSON with a CSRF token. */
  post(path: string, body?: unknown): Promise<Response>;
}

function createClient(origin: string): Client {
  const cookies = new Map<string, string>();
  const called = new Set<string>();

  async function send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    called.add(`${method} ${path}`);
    const headers = new Headers(init.headers);
    headers.set("Cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const response = await fetch(origin + path, { ...init, method, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  return {
    called,
    get: (path) => send("GET", path),
    async post(path, body = {}) {
      const { csrfToken, header } = await (await send("GET", "/auth/csrf")).json();
      const headers = { "Content-Type": "application/json", [header]: csrfToken };
      return await send("POST", path, { headers, body: JSON.stringify(body) });
    },
  };
}

/** Starts the example, waits for the address that Deno prints, and stops it after the test. */
async function withExample(test: (origin: string) => Promise<void>): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["serve", "--no-prompt", "--host=127.0.0.1", "--port=0", MAIN],
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let printed = "";
    let origin: string | undefined;
    while (origin === undefined) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`The example did not start: ${printed}`);
      printed += value;
      origin = /Listening on (http:\/\/127\.0\.0\.1:\d+)\//.exec(printed)?.[1];
    }
    await test(origin);
  } finally {
    child.kill("SIGTERM");
    await child.status;
    await reader.cancel();
  }
}

async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

async function jsonOf(response: Promise<Response>): Promise<unknown> {
  return await (await response).json();
}

Deno.test("examples/hello responds on every route of its document", async () => {
  await withExample(async (origin) => {
    const { called, get, post } = createClient(origin);

    assertEquals(await jsonOf(get("/")), { hello: "world" });
    assertEquals(await statusOf(get("/me")), 401);
    assertEquals(await statusOf(get("/tasks")), 401);
    assertEquals(await statusOf(get("/auth/session")), 401);

    assertEquals(await statusOf(post("/auth/register", { ...ADA, password: "short" })), 422);
    assertEquals(await statusOf(post("/auth/register", ADA)), 201);
    const me = await jsonOf(get("/me")) as { sub: string; name: string };
    assertEquals(me.name, ADA.identifier);

    const refused = await post("/tasks", { title: "" });
    assertEquals(refused.status, 422);
    assertEquals((await refused.json()).violations[0].pointer, "/title");
    assertEquals(await jsonOf(post("/tasks", { title: "Milk" })), { title: "Milk", done: false });
    assertEquals(await jsonOf(get("/tasks")), [{ title: "Milk", done: false }]);

    assertEquals(await statusOf(post("/auth/logout")), 204);
    assertEquals(await statusOf(get("/tasks")), 401);
    const wrong = { ...ADA, password: "five quiet herons at dusk" };
    assertEquals(await statusOf(post("/auth/login", wrong)), 401);
    assertEquals(await statusOf(post("/auth/login", ADA)), 200);
    assertEquals(await jsonOf(get("/tasks")), [{ title: "Milk", done: false }]);

    const { paths } = await jsonOf(get("/openapi.json")) as { paths: Record<string, object> };
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`)
    );
    assertEquals(routes.filter((route) => !called.has(route)), []);
    assertEquals(routes.length >= 9, true);
  });
});
