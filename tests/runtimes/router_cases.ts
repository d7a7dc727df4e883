/**
 * The router's rules that a runtime could break: how URLs, bodies, streams and responses behave differs between them.
 *
 * @module
 */

import {
  createRouter,
  editHeaders,
  empty,
  HttpError,
  json,
  pass,
  type RouterOptions,
  sse,
  type TypedRouter,
  wrap,
} from "../../mod.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";

const JSON_TYPE: readonly [string, string][] = [["Content-Type", "application/json"]];

/** A quiet router, so that expected errors are not printed. */
function quiet(options: RouterOptions = {}): TypedRouter {
  return createRouter({ onError: () => {}, ...options });
}

/** A request whose URL no parser has normalised, as Deno's server delivers it. */
function rawRequest(target: string, init?: RequestInit): Request {
  const request = new Request("http://localhost/", init);
  return Object.defineProperty(request, "url", { value: "http://localhost" + target });
}

async function problemOf(response: Response): Promise<[number, string]> {
  return [response.status, (await response.json() as { code: string }).code];
}

function post(
  body: BodyInit | null,
  headers: readonly [string, string][] = JSON_TYPE,
): RequestInit {
  // Node wants to be told that a streamed body is sent while the response may already arrive.
  const init = { method: "POST", body, headers: headers as [string, string][], duplex: "half" };
  return init;
}

/** A body without an end, which counts how much of it was taken. */
function endless(): {
  stream: ReadableStream<Uint8Array>;
  taken: () => number;
  cancelled: () => boolean;
} {
  let taken = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller): void {
      taken += 1024;
      controller.enqueue(new Uint8Array(1024).fill(0x20));
    },
    cancel(): void {
      cancelled = true;
    },
  });
  return { stream, taken: () => taken, cancelled: () => cancelled };
}

/** Cases of the router. */
export const routerCases: readonly RuntimeCase[] = [
  {
    name: "router: params, query and JSON",
    async run() {
      const router = quiet().get("/u/:id", (req) => json({ ...req.params, q: req.query.q }));
      const response = await router.request("/u/caf%C3%A9?q=1&q=2");
      assertSame(await response.json(), { id: "café", q: ["1", "2"] });
      assertSame(response.headers.get("content-type")?.startsWith("application/json"), true);
    },
  },
  {
    name: "router: optional, expression, wildcard",
    async run() {
      const router = quiet()
        .get("/o/:x?", (req) => json(req.params.x ?? null))
        .get("/n/:n{[0-9]+}", (req) => json(req.params.n))
        .get("/w/*", (req) => json(req.path));
      const got = await Promise.all(
        ["/o", "/o/1", "/n/12", "/w/a/b"].map(async (path) => (await router.request(path)).json()),
      );
      assertSame(got, [null, "1", "12", "/w/a/b"]);
      assertSame((await router.request("/n/x")).status, 404);
    },
  },
  {
    name: "router: an escaped slash stays in its parameter, a double escape is decoded once",
    async run() {
      const router = quiet().get("/p/:x", (req) => json(req.params.x));
      assertSame(await (await router.fetch(rawRequest("/p/a%2Fb"))).json(), "a/b");
      assertSame(await (await router.fetch(rawRequest("/p/%2541"))).json(), "%41");
      assertSame(await (await router.fetch(rawRequest("/p/a\\b"))).json(), "a\\b");
    },
  },
  {
    name: "router: a malformed escape is a 400, a host that is none too",
    async run() {
      const router = quiet().get("/p/:x", (req) => json(req.params.x));
      assertSame(await problemOf(await router.fetch(rawRequest("/p/%E0%A4%A"))), [
        400,
        "invalid_target",
      ]);
      const request = Object.defineProperty(new Request("http://localhost/"), "url", {
        value: "http://a b/p/x",
      });
      assertSame(await problemOf(await router.fetch(request)), [400, "invalid_target"]);
    },
  },
  {
    name: "router: under() covers every spelling that reaches its routes",
    async run() {
      const router = quiet()
        .under("/admin", () => new Response("no", { status: 403 }))
        .get("/admin/:x", () => json("in")).get("/*", () => json("out"));
      for (const target of ["/admin/x", "/%61dmin/x", "/admin", "/admin/"]) {
        assertSame([target, (await router.fetch(rawRequest(target))).status], [target, 403]);
      }
      for (const target of ["//admin/x", "/x/../admin/x", "/ADMIN/x", "/admin%2Fx"]) {
        assertSame([target, await (await router.fetch(rawRequest(target))).json()], [
          target,
          "out",
        ]);
      }
    },
  },
  {
    name: "router: 404, 405 with Allow, OPTIONS, HEAD",
    async run() {
      const router = quiet().get("/a", () => json("body")).put("/a", () => json(1));
      assertSame(await problemOf(await router.request("/b")), [404, "not_found"]);
      const wrong = await router.request("/a", { method: "DELETE" });
      assertSame([wrong.status, wrong.headers.get("allow")], [405, "GET, HEAD, PUT, OPTIONS"]);
      const options = await router.request("/a", { method: "OPTIONS" });
      assertSame([options.status, options.headers.get("allow")], [204, "GET, HEAD, PUT, OPTIONS"]);
      const head = await router.request("/a", { method: "HEAD" });
      assertSame([head.status, await head.text(), head.headers.get("content-type")?.slice(0, 16)], [
        200,
        "",
        "application/json",
      ]);
    },
  },
  {
    name: "router: HEAD closes the body that GET would have sent",
    async run() {
      const { stream, cancelled } = endless();
      const router = quiet().get("/", () => new Response(stream));
      const response = await router.request("/", { method: "HEAD" });
      assertSame([await response.text(), cancelled()], ["", true]);
    },
  },
  {
    name: "router: the content rule",
    async run() {
      const router = quiet().post("/", (req) => json(req.content));
      assertSame(await (await router.request("/", post('{"a":[1]}'))).json(), { a: [1] });
      assertSame(
        await problemOf(await router.request("/", post("{}", [["Content-Type", "text/plain"]]))),
        [
          415,
          "unsupported_media_type",
        ],
      );
      for (const body of ["", "{", '{"__proto__":1}', '{"\\u005f_proto__":1}', "[".repeat(2000)]) {
        assertSame(await problemOf(await router.request("/", post(body))), [400, "invalid_json"]);
      }
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      assertSame(await problemOf(await router.request("/", post(deep))), [400, "invalid_json"]);
      const bytes = new Uint8Array([0x22, 0xf0, 0x9f, 0x98, 0x22]);
      assertSame(await problemOf(await router.request("/", post(bytes))), [400, "invalid_json"]);
    },
  },
  {
    name: "router: a body past its limit is a 413 and is read no further",
    async run() {
      const router = quiet({ maxBodyBytes: 10_000 }).post("/", (req) => json(req.content));
      for (const length of [[], [["Content-Length", "5"]]] as [string, string][][]) {
        const { stream, taken } = endless();
        const response = await router.fetch(
          new Request("http://localhost/", post(stream, [...JSON_TYPE, ...length])),
        );
        assertSame(await problemOf(response), [413, "payload_too_large"]);
        assertSame(taken() < 20_000, true);
      }
    },
  },
  {
    name: "router: a body that stalls is a 408, and is cancelled",
    async run() {
      const router = quiet({ bodyTimeout: 0.05 }).post("/", (req) => json(req.content));
      let cancelled = false;
      const alive = setTimeout(() => {}, 5000); // the deadline's timer keeps no process alive
      const stalled = new ReadableStream<Uint8Array<ArrayBuffer>>({
        cancel: () => void (cancelled = true),
      });
      const response = await router.fetch(
        new Request("http://localhost/", post(stalled, JSON_TYPE)),
      );
      assertSame(await problemOf(response), [408, "body_timeout"]);
      assertSame(cancelled, true);
      clearTimeout(alive);
    },
  },
  {
    name: "router: a mount hands on method, fields, body and the client's abort",
    async run() {
      const controller = new AbortController();
      const signals: AbortSignal[] = [];
      const router = quiet().mount("/m", {
        fetch: async (request) => {
          signals.push(request.signal);
          return json([request.method, request.headers.get("X-A"), await request.text()]);
        },
      });
      const { signal } = controller;
      const request = new Request("http://localhost/m", {
        ...post("body", [["X-A", "1"]]),
        signal,
      });
      assertSame(await (await router.fetch(request)).json(), ["POST", "1", "body"]);
      controller.abort();
      assertSame(signals.map(({ aborted }) => aborted), [true]);
    },
  },
  {
    name: "router: multipart",
    async run() {
      const router = quiet().post("/", async (req) => {
        const file = req.content.get("file") as File;
        return json([req.content.get("name"), file.name, [
          ...new Uint8Array(await file.arrayBuffer()),
        ]]);
      }, { multipart: true });
      const form = new FormData();
      form.set("name", "é");
      form.set("file", new File([new Uint8Array([0, 255, 10])], "a.bin"));
      const response = await router.request("/", { method: "POST", body: form });
      assertSame(await response.json(), ["é", "a.bin", [0, 255, 10]]);
      const cut = post("--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb", [
        ["Content-Type", "multipart/form-data; boundary=x"],
      ]);
      assertSame(await problemOf(await router.request("/", cut)), [400, "invalid_form"]);
    },
  },
  {
    name: "router: raw bodies, through limited readers",
    async run() {
      const router = quiet({ maxBodyBytes: 4 })
        .post("/text", async (req) => json(await req.text()), { raw: true })
        .post("/body", async (req) => json(await new Response(req.body).text()), { raw: true });
      for (const path of ["/text", "/body"]) {
        assertSame(
          await (await router.request(path, { method: "POST", body: "1234" })).json(),
          "1234",
        );
        const { status } = await router.request(path, { method: "POST", body: "12345" });
        assertSame([path, status], [path, 413]);
      }
    },
  },
  {
    name: "router: errors say nothing of themselves",
    async run() {
      const router = quiet()
        .get("/sync", () => {
          throw new Error("secret");
        })
        .get("/late", () => Promise.reject(new Error("secret")))
        .get("/ours", () => {
          throw new HttpError(418, "teapot");
        });
      for (const path of ["/sync", "/late"]) {
        const response = await router.request(path);
        assertSame([response.status, (await response.text()).includes("secret")], [500, false]);
      }
      assertSame(await problemOf(await router.request("/ours")), [418, "teapot"]);
    },
  },
  {
    name: "router: wrap, finally and immutable header fields",
    async run() {
      const router = quiet({
        before: [
          wrap(async (_req, next) =>
            editHeaders(await next(), (headers) => headers.set("X-A", "1"))
          ),
        ],
        finally: [(response) => editHeaders(response, (headers) => headers.append("X-A", "2"))],
      }).get("/", () => Response.redirect("http://localhost/x", 303));
      const response = await router.request("/");
      assertSame([response.status, response.headers.get("x-a")], [303, "1, 2"]);
    },
  },
  {
    name: "router: pass() and order",
    async run() {
      const router = quiet()
        .get("/:x", (req) => req.params.x === "a" ? pass() : json("first"))
        .get("/a", () => json("second"));
      assertSame(await (await router.request("/a")).json(), "second");
      assertSame(await (await router.request("/b")).json(), "first");
    },
  },
  {
    name: "router: mount hands on the rest of the path, the query and the body",
    async run() {
      const inner = quiet().post("/in/:x", (req) => json([req.params.x, req.query.q, req.content]));
      const router = quiet().mount("/out", inner);
      const response = await router.request("/%6Fut/in/a%2Fb?q=1", post('{"c":1}'));
      assertSame(await response.json(), ["a/b", "1", { c: 1 }]);
    },
  },
  {
    name: "router: mount refuses what would become another path",
    async run() {
      const router = quiet().mount("/sub", { fetch: (request) => new Response(request.url) });
      for (
        const rest of [
          "/a/../b",
          "/%2e%2e/b",
          "//b",
          "/a//b",
          "/.",
          "/.%2E",
          "/%zz",
          "/a%2Fb",
          "/..\\..\\admin",
        ]
      ) {
        assertSame([rest, (await router.fetch(rawRequest("/sub" + rest))).status], [rest, 404]);
      }
    },
  },
  {
    name: "router: a mount that declines leaves the body readable",
    async run() {
      const router = quiet().mount("/", { fetch: () => undefined }).post(
        "/",
        (req) => json(req.content),
      );
      assertSame(await (await router.request("/", post('{"a":1}'))).json(), { a: 1 });
    },
  },
  {
    name: "router: a guard that finds nobody, or errs, lets nobody pass",
    async run() {
      for (const subject of [undefined, null, false, "ada", new Response(), new Error("no"), []]) {
        const router = quiet().withAuth({ guard: () => subject as never });
        router.post("/", () => json("open"));
        const { status } = await router.request("/", post("{}"));
        assertSame(status === 401 || status === 500, true);
      }
      const router = quiet().withAuth({ guard: () => Promise.resolve({ sub: "ada" }) });
      router.get("/", (req) => json(req.principal.sub));
      assertSame(await (await router.request("/")).json(), "ada");
    },
  },
  {
    name: "router: sse() sends events, and ends its generator when the stream is cancelled",
    async run() {
      const log: string[] = [];
      const router = quiet().get("/", (req) =>
        sse(req, async function* ({ lastEventId, signal }) {
          try {
            yield { event: "note", id: "2", data: { after: lastEventId } };
            await new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason))
            );
          } finally {
            log.push("finally");
          }
        }));
      const { body } = await router.request("/", { headers: { "Last-Event-ID": "1" } });
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      let text = "";
      for (let i = 0; i < 2; i++) text += new TextDecoder().decode((await reader.read()).value);
      assertSame(text, ':\n\nevent: note\nid: 2\ndata: {"after":"1"}\n\n');
      const waiting = reader.read();
      await Promise.resolve();
      await reader.cancel();
      await waiting;
      assertSame(log, ["finally"]);
    },
  },
  {
    name: "router: stays synchronous until something is not",
    async run() {
      const router = quiet({ before: [() => undefined] }).get("/", () => empty());
      assertSame(router.fetch(new Request("http://localhost/")) instanceof Response, true);
      assertSame(
        (await quiet({ before: [async () => {}] }).get("/", () => empty()).request("/")).status,
        204,
      );
    },
  },
];
