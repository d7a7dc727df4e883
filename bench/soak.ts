/**
 * A million requests of every kind in one process, to see that nothing stays behind: `deno task bench:soak`.
 *
 * Prints the memory after every tenth of them, and fails if the heap has grown since the second tenth. Every answer's
 * status is checked. `--requests=1000000` is the default. Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { createRouter, HttpError, json, pass, type TypedRouter, wrap } from "../mod.ts";
import { ORIGIN } from "./_requests.ts";
import { numberOption, table } from "./_table.ts";

const SAMPLES = 10;
/** The sample that the last one is compared with: by then everything is compiled. */
const BASE = 2;
/** Most bytes that the heap may grow after it. */
const TOLERANCE = 2 * 1024 * 1024;

const LIMIT = 1024;
const CHUNK = new Uint8Array(64).fill(0x20);
const JSON_TYPE = { "Content-Type": "application/json" };
const TOO_LARGE = JSON.stringify("x".repeat(2 * LIMIT));

/** A request to the application below, and the status of its answer. */
interface Scenario {
  readonly status: number;
  request(i: number): Request;
  /** What happens to the answer; its body is read to the end unless this says otherwise. */
  after?(response: Response): Promise<unknown>;
}

/** Every kind of request; they take turns. */
const SCENARIOS: readonly Scenario[] = [
  { status: 200, request: () => get("/static") },
  { status: 200, request: (i) => get(`/users/${i}?tab=posts&tag=a&tag=${i}`) },
  { status: 200, request: (i) => get(`/users/%E2%82%AC${i}`) },
  { status: 400, request: (i) => get(`/users/%GG${i}`) },
  { status: 200, request: (i) => get(`/files/a/b${i}.txt`) },
  { status: 200, request: (i) => send("HEAD", `/users/${i}`) },
  { status: 204, request: (i) => send("OPTIONS", `/users/${i}`) },
  { status: 405, request: (i) => send("DELETE", `/files/${i}`) },
  { status: 405, request: (i) => send(`M${i}`, "/static") }, // methods that nobody knows
  { status: 404, request: (i) => get(`/nowhere/${i}`) },
  { status: 200, request: (i) => send("POST", "/notes", JSON.stringify({ title: `t${i}` })) },
  { status: 200, request: (i) => send("PUT", `/notes/${i}`, JSON.stringify([i])) },
  { status: 200, request: (i) => send("PATCH", `/notes/${i}`, `"${i}"`) },
  { status: 204, request: (i) => send("DELETE", `/notes/${i}`) },
  { status: 400, request: (i) => send("POST", "/notes", `{"title": ${i}`) },
  { status: 400, request: (i) => send("POST", "/notes", `{"__proto__": ${i}}`) },
  { status: 413, request: () => send("POST", "/notes", TOO_LARGE) },
  { status: 413, request: () => send("POST", "/notes", endless()) },
  { status: 415, request: () => new Request(ORIGIN + "/notes", { method: "POST", body: "a=b" }) },
  { status: 400, request: () => send("POST", "/notes", failing()) },
  { status: 200, request: (i) => send("POST", "/upload", `${i}`) },
  { status: 200, request: (i) => multipart(`value ${i}`) },
  { status: 500, request: (i) => get(`/throws/${i}`) },
  { status: 500, request: (i) => get(`/rejects/${i}`) },
  { status: 418, request: () => get("/teapot") },
  { status: 200, request: (i) => get(`/passes/${i}`) },
  { status: 200, request: (i) => get(`/wrapped/${i}`) },
  { status: 500, request: (i) => get(`/wrapped/throws/${i}`) },
  { status: 200, request: (i) => get(`/mounted/users/${i}`) },
  { status: 404, request: (i) => get(`/mounted/nowhere/${i}`) },
  { status: 404, request: (i) => get(`/mounted/%2e%2e/${i}`) },
  { status: 200, request: () => get("/private") },
  { status: 401, request: () => get("/private?anonymous") },
  { status: 200, request: () => get("/stream"), after: cancelHalfway },
  { status: 504, request: (i) => aborting(`/waits/${i}`) },
];

function get(path: string): Request {
  return new Request(ORIGIN + path);
}

function send(method: string, path: string, body?: BodyInit): Request {
  return body === undefined
    ? new Request(ORIGIN + path, { method })
    : new Request(ORIGIN + path, { method, body, headers: JSON_TYPE });
}

function multipart(value: string): Request {
  const form = new FormData();
  form.set("field", value);
  return new Request(ORIGIN + "/form", { method: "POST", body: form });
}

/** A request that is aborted while its handler waits. */
function aborting(path: string): Request {
  const controller = new AbortController();
  void abortSoon(controller);
  return new Request(ORIGIN + path, { signal: controller.signal });
}

/** Aborts when the handler waits already: a few microtasks later. */
async function abortSoon(controller: AbortController): Promise<void> {
  for (let i = 0; i < 20; i++) await undefined;
  controller.abort();
}

/** A body that only ends when it is cancelled. */
function endless(): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(CHUNK.slice()) });
}

/** A body that breaks off after a chunk. */
function failing(): ReadableStream<Uint8Array<ArrayBuffer>> {
  let chunks = 0;
  return new ReadableStream({
    pull(controller): void {
      if (chunks++ === 0) controller.enqueue(CHUNK.slice());
      else controller.error(new TypeError("The connection was closed"));
    },
  });
}

async function cancelHalfway({ body }: Response): Promise<void> {
  const reader = body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

/** An application that has everything a router does. */
function createApp(): TypedRouter {
  const router = createRouter({
    maxBodyBytes: LIMIT,
    before: [() => undefined, async () => await undefined],
    finally: [(response) => response.headers.set("X-Seen", "1")],
    catch: (error, { signal }) =>
      error === signal.reason ? new Response(null, { status: 504 }) : undefined,
    onError: () => {},
  });
  addRoutes(router);
  router.under("/wrapped", wrap(async (_req, next) => await next()), wrap((_req, next) => next()));
  router.get("/wrapped/:id", (req) => json(req.params));
  router.get("/wrapped/throws/:id", () => {
    throw new Error("Behind a wrapper");
  });
  const inner = createRouter({ onError: () => {} }).get("/users/:id", (req) => json(req.params));
  router.mount("/mounted", inner);
  router.withAuth({ guard: (req) => "anonymous" in req.query ? undefined : { sub: "ada" } })
    .get("/private", (req) => json(req.principal));
  return router;
}

function addRoutes(router: TypedRouter): void {
  router.get("/static", () => json({ ok: true }))
    .get("/users/:id", (req) => json({ id: req.params.id, query: req.query }))
    .get("/files/*", (req) => json(req.path))
    .post("/notes", (req) => json(req.content))
    .put("/notes/:id", (req) => json(req.content))
    .patch("/notes/:id", (req) => json(req.content))
    .delete("/notes/:id", () => new Response(null, { status: 204 }))
    .post("/upload", async (req) => json((await req.text()).length), { raw: true })
    .post("/form", (req) => json(req.content.get("field")), { multipart: true })
    .get("/throws/:id", () => {
      throw new Error("Thrown");
    })
    .get("/rejects/:id", async () => await Promise.reject(new Error("Rejected")))
    .get("/teapot", () => {
      throw new HttpError(418, "teapot", { headers: { "X-Tea": "1" } });
    })
    .get("/passes/:id", () => pass())
    .get("/passes/:id", async () => await Promise.resolve(pass()))
    .get("/passes/*", () => json("last"))
    .get("/stream", () => new Response(endless()))
    .get("/waits/:id", (req) => untilAborted(req.signal));
}

function untilAborted(signal: AbortSignal): Promise<Response> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(new Error("Aborted before the handler waited"));
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

async function runScenario(app: TypedRouter, scenario: Scenario, i: number): Promise<void> {
  const request = scenario.request(i);
  const response = await app.fetch(request);
  if (response.status !== scenario.status) {
    throw new Error(
      `${request.method} ${request.url} gave ${response.status}, not ${scenario.status}`,
    );
  }
  await (scenario.after ?? readToEnd)(response);
}

async function readToEnd(response: Response): Promise<void> {
  await response.arrayBuffer();
}

/** What the process holds, after garbage collection. */
async function memory(): Promise<{ rss: number; heapUsed: number }> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    throw new Error("Cannot collect garbage: --v8-flags=--expose-gc is missing");
  }
  for (let i = 0; i < 3; i++) { // finalizers run between, and free more
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { rss, heapUsed } = Deno.memoryUsage();
  return { rss, heapUsed };
}

/** Prints a Markdown table of the memory over time. @returns Whether the heap stayed as it was. */
async function main(): Promise<boolean> {
  const share = Math.ceil(numberOption("requests", 1_000_000) / SAMPLES);
  const app = createApp();
  const rows: string[][] = [];
  const heaps: number[] = [];
  for (let sample = 1; sample <= SAMPLES; sample++) {
    const start = performance.now();
    for (let i = (sample - 1) * share; i < sample * share; i++) {
      await runScenario(app, SCENARIOS[i % SCENARIOS.length] as Scenario, i);
    }
    const us = (performance.now() - start) * 1000 / share;
    const { rss, heapUsed } = await memory();
    heaps.push(heapUsed);
    rows.push([
      (sample * share).toLocaleString("en"),
      mebibytes(rss),
      mebibytes(heapUsed),
      us.toFixed(1),
    ]);
    console.error(`${sample} of ${SAMPLES}`);
  }
  console.log(table(["requests", "rss MiB", "heap MiB", "µs per request"], rows));
  const grown = (heaps.at(-1) ?? NaN) - (heaps[BASE - 1] ?? NaN);
  const steady = grown <= TOLERANCE;
  console.log(
    `\nHeap since ${(BASE * share).toLocaleString("en")} requests: ${mebibytes(grown)} MiB, ` +
      `at most ${mebibytes(TOLERANCE)}: ${steady ? "met" : "missed"}`,
  );
  return steady;
}

function mebibytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(2);
}

if (import.meta.main) Deno.exit(await main() ? 0 : 1);
