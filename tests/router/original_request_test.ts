import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { linkRequest, originalRequest } from "../../router/original_request.ts";

const URL_HERE = "https://example.com/a/b/c";

Deno.test("originalRequest() returns the request if there is no mount", () => {
  const request = new Request(URL_HERE);
  assertEquals(originalRequest(request), request);
  assertNotEquals(originalRequest(new Request(request)), request, "a copy is another request");
});

Deno.test("originalRequest() follows every mount", () => {
  const requests = Array.from({ length: 50 }, () => new Request(URL_HERE));
  for (const [i, request] of requests.entries()) {
    const outer = requests[i - 1];
    if (outer !== undefined) linkRequest(request, outer);
  }
  for (const request of requests) assert(originalRequest(request) === requests[0]);
});

Deno.test("mount() links the original request, through one mount and through three", async () => {
  const seen: Request[] = [];
  const inner = createRouter().get("/*", (req) => (seen.push(req.raw), json(1)));
  const middle = createRouter().mount("/c", inner);
  const outer = createRouter().mount("/b", middle);
  const router = createRouter().mount("/a", outer).mount("/i", inner);
  for (const path of ["/a/b/c/d", "/i/d"]) {
    const request = new Request(`https://example.com${path}`);
    assertEquals((await router.fetch(request)).status, 200);
    const [raw] = seen.splice(0);
    assert(raw !== undefined && raw !== request);
    assert(originalRequest(raw) === request);
  }
});

Deno.test("originalRequest() of a router's request equals that of its standard request", async () => {
  const seen: Request[] = [];
  const inner = createRouter()
    .get(
      "/*",
      (req) => (seen.push(originalRequest(req), originalRequest({ raw: req.raw })), json(1)),
    );
  const router = createRouter({ before: [(req) => void seen.push(originalRequest(req))] })
    .mount("/a", createRouter().mount("/b", inner));
  const request = new Request("https://example.com/a/b/c");
  assertEquals((await router.fetch(request)).status, 200);
  assertEquals(seen.length, 3);
  for (const one of seen) assert(one === request);
});

Deno.test("mount() links the original request for other fetch applications", async () => {
  const request = new Request("https://example.com/app/x");
  let seen: Request | undefined;
  const router = createRouter().mount("/app", {
    fetch: (inner) => (seen = inner, new Response("theirs")),
  });
  assertEquals((await router.fetch(request)).status, 200);
  assert(seen !== undefined && originalRequest(seen) === request);
});

Deno.test("mount() links the original request for each application in turn", async () => {
  const seen: Request[] = [];
  const declining = { fetch: (inner: Request) => void seen.push(inner) as undefined };
  const router = createRouter().mount("/app", declining).mount("/app", declining)
    .get("/app/x", (req) => (seen.push(req.raw), json(1)));
  const request = new Request("https://example.com/app/x");
  assertEquals((await router.fetch(request)).status, 200);
  assertEquals(seen.length, 3);
  for (const one of seen) assert(originalRequest(one) === request);
});

Deno.test("mount() links the original request if a mounted application passes it to a router", async () => {
  const request = new Request("https://example.com/app/x");
  let seen: Request | undefined;
  const inner = createRouter().get("/x", (req) => (seen = req.raw, json(1)));
  const router = createRouter().mount("/app", { fetch: (raw) => inner.fetch(raw) });
  assertEquals((await router.fetch(request)).status, 200);
  assert(seen !== undefined && originalRequest(seen) === request);
});

/** Runs `_server_main.ts`, which would print warnings. */
async function run(...args: readonly string[]): Promise<readonly [stdout: string, stderr: string]> {
  const main = new URL("_server_main.ts", import.meta.url).href;
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--quiet", "--allow-net=127.0.0.1", main, ...args],
    signal: AbortSignal.timeout(20_000), // less than `bodyTimeout`
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return [new TextDecoder().decode(stdout).trim(), new TextDecoder().decode(stderr)];
}

Deno.test("signalOf() is not called for mounts and thrown errors: Deno would print a warning", async () => {
  const [stdout, stderr] = await run(
    ...[
      "/broken",
      "/app/ok",
      "/app/refused",
      "/app/broken",
      "/app/body",
      "/app/none",
      "/two/app/body",
    ],
  );
  assertEquals([stdout, stderr], ["[500,200,418,500,200,404,200]", ""]);
  const [, warning] = await run("/app/signal"); // which proves that the test sees one
  assert(warning.includes("request.signal"), warning);
});

Deno.test("readBody() keeps no process alive with its timer", async () => {
  assertEquals(await run("stalled"), ["[]", ""]);
});

Deno.test("mount() hands on the client's abort to every depth, and to copies", async () => {
  const controller = new AbortController();
  const seen: AbortSignal[] = [];
  const inner = createRouter().get("/d", (req) => {
    seen.push(req.signal, req.raw.signal, new Request("http://localhost/", req.raw).signal);
    return json(1);
  });
  const router = createRouter().mount("/a", createRouter().mount("/b", inner));
  const { signal } = controller;
  await router.fetch(new Request("https://example.com/a/b/d", { signal }));
  assertEquals(seen.map(({ aborted }) => aborted), [false, false, false]);
  controller.abort();
  assertEquals(seen.map(({ aborted }) => aborted), [true, true, true]);
});

Deno.test("isAbortOf() hides the client's abort from onError, whatever its reason, and no other error", async () => {
  const errors: unknown[] = [];
  const reason = new Error("connection closed"); // as an adapter for Node may give
  for (
    const [why, thrown, hidden] of [
      ["the reason", (signal: AbortSignal) => signal.reason, true],
      ["another AbortError", () => new DOMException("", "AbortError"), true],
      ["another error", () => new Error("broken"), false],
    ] as const
  ) {
    const controller = new AbortController();
    const inner = createRouter({ onError: (error) => void errors.push(error) }).get("/x", (req) => {
      const { signal } = req;
      controller.abort(reason);
      throw thrown(signal);
    });
    const { signal } = controller;
    const router = createRouter().mount("/m", inner);
    await router.fetch(new Request("https://example.com/m/x", { signal }));
    assertEquals([why, errors.splice(0).length], [why, hidden ? 0 : 1]);
  }
});
