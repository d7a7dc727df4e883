import { assert, assertEquals, assertRejects } from "@std/assert";
import { connect } from "../../../openapi/client/runtime.ts";
import type { ServerSentEvent } from "../../../openapi/client/runtime_types.ts";
import { createRouter, sse } from "../../../router/mod.ts";

const ROUTE = "GET /changes";
const STREAM = { headers: { "Content-Type": "text/event-stream" } };

type Events = AsyncIterable<ServerSentEvent<unknown>>;

/** A body in chunks, which ends or fails. */
function chunks(parts: readonly (string | Uint8Array)[], end: "close" | "fail" = "close") {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const part = parts[next++];
      if (part !== undefined) {
        controller.enqueue(typeof part === "string" ? encoder.encode(part) : part);
      } else if (end === "close") controller.close();
      else if (end === "fail") controller.error(new TypeError("connection reset"));
    },
  }, { highWaterMark: 0 });
}

/** A client of one stream: each request gets the next response. */
function streamOf(
  responses: readonly (() => Response)[],
  { data = "textEvents", route = ROUTE, signal }: {
    data?: "events" | "textEvents";
    route?: string;
    signal?: AbortSignal;
  } = {},
) {
  const ids: (string | null)[] = [];
  const client = connect({ routes: { [route]: { data } } }, {
    baseUrl: "https://api.example",
    fetch(request) {
      ids.push(request.headers.get("Last-Event-ID"));
      const response = responses[ids.length - 1];
      if (response === undefined) return new Response(null, { status: 204 });
      return response();
    },
  });
  async function open(): Promise<Events> {
    const outcome = await client(route, signal === undefined ? {} : { signal });
    assert(outcome.ok);
    return outcome.data as Events;
  }
  return { ids, open, all: async () => await Array.fromAsync(await open()) };
}

const event = (data: string, name = "message", id = "") => ({ event: name, id, data });

/** WHATWG HTML §9.2.6: why, the chunks, and the events. */
const STREAMS: readonly (readonly [string, readonly (string | Uint8Array)[], readonly object[]])[] =
  [
    ["one line of data", ["data: a\n\n"], [event("a")]],
    ["several lines of data", ["data: YHOO\ndata: +2\ndata: 10\n\n"], [event("YHOO\n+2\n10")]],
    ["comments, ids and no data", [
      ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
    ], [event("first event", "message", "1"), event("second event"), event(" third event")]],
    ["data without a value", ["data\n\ndata\ndata\n\ndata:"], [event(""), event("\n")]],
    ["an optional space", ["data:test\n\ndata: test\n\n"], [event("test"), event("test")]],
    ["types, which hold for one event", ["event: add\ndata: 1\n\ndata: 2\n\n"], [
      event("1", "add"),
      event("2"),
    ]],
    ["a type without data", ["event: add\n\ndata: 2\n\n"], [event("2")]],
    ["unknown fields and colons", ["foo: a\n:b\ndata: c:d\n\n"], [event("c:d")]],
    ["line ends CRLF, CR and LF", ["data: a\r\n\r\ndata: b\r\rdata: c\n\n"], [
      event("a"),
      event("b"),
      event("c"),
    ]],
    ["lines that end with CRLF", ["data: a\r\ndata: b\r\n\r\n"], [event("a\nb")]],
    ["an empty chunk between CR and LF", ["data: a\r", new Uint8Array(), "\ndata: b\n\n"], [
      event("a\nb"),
    ]],
    ["a line separator in data", ["data: a\u2028b\n\n"], [event("a\u2028b")]],
    ["CRLF between chunks", ["data: a\r", "\ndata: b\r", "\n\r", "\n"], [event("a\nb")]],
    ["CR at the end of a chunk, which is a line end", ["data: a\r\r", "data: b\r\r"], [
      event("a"),
      event("b"),
    ]],
    ["chunks within lines", ["da", "ta: ", "a\n", "\n"], [event("a")]],
    ["a byte order mark", ["\uFEFFdata: a\n\n"], [event("a")]],
    ["characters between chunks", [
      new Uint8Array([...new TextEncoder().encode("data: "), 0xe2, 0x82]),
      new Uint8Array([0xac, 10, 10]),
    ], [event("€")]],
    ["an id with NUL, which is ignored", ["id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n"], [
      event("a", "message", "1"),
      event("b", "message", "1"),
    ]],
    ["an event that is not complete, which is dropped", ["data: a\n\ndata: b\n"], [event("a")]],
    ["nothing", [], []],
  ];
for (const [why, parts, events] of STREAMS) {
  Deno.test(`connect() reads a stream with ${why}`, async () => {
    const { all } = streamOf([() => new Response(chunks(["retry: 0\n\n", ...parts]), STREAM)]);
    const bom = new TextEncoder().encode("\uFEFF");
    if (why.includes("byte order")) { // only at the start
      const start = streamOf([() => new Response(chunks([bom, "retry: 0\ndata: a\n\n"]), STREAM)]);
      assertEquals(await start.all(), events as Awaited<ReturnType<typeof start.all>>);
      return;
    }
    assertEquals(await all(), events as Awaited<ReturnType<typeof all>>);
  });
}

Deno.test("connect() reads a line of many chunks once: the time does not grow with its square", async () => {
  const parts = Array.from({ length: 4_000 }, () => "x".repeat(1_000));
  const { all } = streamOf([
    () => new Response(chunks(["retry: 0\ndata: ", ...parts, "\n\n"]), STREAM),
  ]);
  const start = performance.now();
  const [event] = await all();
  assertEquals((event?.data as string).length, 4_000_000);
  const spent = performance.now() - start;
  assert(spent < 1_500, `${spent} ms`);
});

Deno.test("connect() parses data that is JSON, and rejects what is not", async () => {
  const body = 'retry: 0\ndata: {"a":\ndata: 1}\n\ndata: x\n\n';
  const { open } = streamOf([() => new Response(body, STREAM)], { data: "events" });
  const events = (await open())[Symbol.asyncIterator]();
  assertEquals((await events.next()).value?.data, { a: 1 });
  await assertRejects(() => events.next(), SyntaxError);
  assertEquals((await events.next()).done, true);
});

Deno.test("connect() opens a stream again with its last id, after its end and after failures", async () => {
  const { all, ids } = streamOf([
    () => new Response(chunks(["retry: 1\nid: 1\ndata: a\n\n"]), STREAM),
    () => new Response(chunks(["id: ü2\ndata: b\n\ndata: c"], "fail"), STREAM),
    () => {
      throw new TypeError("network");
    },
    () => new Response(chunks(["data: d\n\n"]), STREAM),
  ]);
  assertEquals((await all()).map(({ data, id }) => [data, id]), [["a", "1"], ["b", "ü2"], [
    "d",
    "ü2",
  ]]);
  assertEquals(ids, [null, "1", "Ã¼2", "Ã¼2", "Ã¼2"]); // UTF-8, as header fields show it
});

/** Times to wait until a stream is opened again, by what it says. */
const WAITS: readonly (readonly [text: string, ms: number])[] = [
  ["", 3_000],
  ["retry: 0\n", 0],
  ["retry: 50\n", 50],
  ["retry: 50\nretry: 1x\nretry: -1\nretry: 1e3\nretry\n", 50],
  ["retry: 99999999999999999999\n", 2 ** 31 - 1], // a timer that has to wait longer does not wait at all
];
Deno.test("connect() waits as long as a stream says before it is opened again", async () => {
  const { setTimeout } = globalThis;
  const waits: unknown[] = [];
  globalThis.setTimeout = ((run: () => void, ms: number) => {
    waits.push(ms);
    return setTimeout(run, 0);
  }) as typeof setTimeout;
  try {
    for (const [text] of WAITS) await streamOf([() => new Response(`${text}\n`, STREAM)]).all();
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  assertEquals(waits, WAITS.map(([_, ms]) => ms));
});

Deno.test("connect() leaves no listener at the signal of a stream that is opened again", async () => {
  const { signal } = new AbortController();
  const { addEventListener, removeEventListener } = signal;
  let listeners = 0;
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(signal, args);
  };
  const response = () => new Response("retry: 0\n\n", STREAM);
  const { all, ids } = streamOf([response, response, response], { signal });
  await all();
  assertEquals([ids.length, listeners], [4, 0]);
});

/** What a stream is refused with when it is opened again. */
const REFUSALS: readonly (readonly [string, () => Response, string | undefined])[] = [
  [
    "a refusal",
    () => Response.json({ code: "session_expired" }, { status: 401 }),
    "session_expired",
  ],
  ["a refusal of its type", () => new Response("", { status: 503, ...STREAM }), "unknown"],
  ["a page", () => new Response("<html>", { headers: { "Content-Type": "text/html" } }), undefined],
];
for (const [why, refusal, code] of REFUSALS) {
  Deno.test(`connect() rejects a stream that gets ${why} when it is opened again`, async () => {
    const first = () => new Response("retry: 0\ndata: a\n\n", STREAM);
    const { open } = streamOf([first, refusal]);
    const events = (await open())[Symbol.asyncIterator]();
    assertEquals((await events.next()).value?.data, "a");
    const error = await assertRejects(() => events.next(), Error, "Cannot open stream again");
    const { problem } = (error.cause ?? {}) as { problem?: { code?: string } };
    assertEquals(problem?.code, code);
  });
}

Deno.test("connect() does not send a POST again for its stream", async () => {
  const response = () => new Response("retry: 0\ndata: a\n\n", STREAM);
  const { all, ids } = streamOf([response, response], { route: "POST /answers" });
  assertEquals([(await all()).length, ids.length], [1, 1]);
});

Deno.test("connect() rejects the stream of a POST whose connection fails", async () => {
  const response = () => new Response(chunks(["data: a\n\n"], "fail"), STREAM);
  const { open, ids } = streamOf([response], { route: "POST /answers" });
  const events = (await open())[Symbol.asyncIterator]();
  await events.next();
  await assertRejects(() => events.next(), TypeError, "connection reset");
  assertEquals(ids.length, 1);
});

Deno.test("connect() cancels a response that is not a stream", async () => {
  let canceled = 0;
  const page = () => new Response(new ReadableStream({ cancel: () => void canceled++ }));
  await assertRejects(streamOf([page]).open, TypeError);
  assertEquals(canceled, 1);
  await assertRejects(streamOf([() => new Response("retry: 0\n\n", STREAM), page]).all, Error);
  assertEquals(canceled, 2);
});

Deno.test("connect() rejects a first response that is not a stream", async () => {
  const { open } = streamOf([() => new Response("{}")]);
  await assertRejects(open, TypeError, "Cannot read response: text/plain is not text/event-stream");
});

Deno.test("connect() cancels the response when the loop over its events ends", async () => {
  let canceled = false;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("data: a\n\n")),
    cancel: () => void (canceled = true),
  });
  const { open } = streamOf([() => new Response(body, STREAM)]);
  for await (const { data } of await open()) {
    assertEquals(data, "a");
    break;
  }
  assert(canceled);
});

for (const when of ["while it waits to open again", "while it reads"]) {
  Deno.test(`connect() ends a stream by its signal ${when}`, async () => {
    const controller = new AbortController();
    const body = when === "while it reads"
      ? chunks(["data: a\n\n"], "fail")
      : chunks(["retry: 60000\ndata: a\n\n"]);
    const { open } = streamOf([() => new Response(body, STREAM)], { signal: controller.signal });
    const events = (await open())[Symbol.asyncIterator]();
    await events.next();
    if (when === "while it reads") controller.abort(new Error("enough"));
    else setTimeout(() => controller.abort(new Error("enough")), 5);
    await assertRejects(() => events.next(), Error);
    assertEquals((await events.next()).done, true);
  });
}

Deno.test("connect() reads the events of a router on a socket, across its responses", async () => {
  const router = createRouter().get("/changes", (req) => {
    return sse(req, async function* ({ lastEventId = "0" }) {
      const start = Number(lastEventId);
      for (let n = start + 1; n <= start + 2; n++) yield { id: String(n), retry: 1, data: { n } };
    });
  });
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => router.fetch(request),
  );
  const controller = new AbortController();
  const client = connect({ routes: { [ROUTE]: { data: "events" } } }, {
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
  });
  const outcome = await client(ROUTE, { signal: controller.signal });
  assert(outcome.ok);
  const found: unknown[] = [];
  for await (const { data } of outcome.data as Events) {
    found.push(data);
    if (found.length === 5) break;
  }
  assertEquals(found, [1, 2, 3, 4, 5].map((n) => ({ n })));
});
