import {
  createContainer,
  createRouter,
  type EventStream,
  generateSecret,
  inMemoryAuthStores,
  registerAuth,
  sse,
  type TypedResponse,
} from "@gatehouse/http";
import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { collectErrors, untyped } from "../_helpers.ts";

/** Type of the last statement: fails to compile if the types differ. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true
  : false;

/** The whole stream of one event. */
async function textOf(event: unknown): Promise<{ text: string; errors: unknown[] }> {
  const { errors, onError } = collectErrors();
  const router = createRouter({ onError }).get("/", (req) =>
    sse(req, async function* () {
      yield untyped<{ data: unknown }>(event);
    }));
  return { text: await (await router.request("/")).text(), errors };
}

const WIRE: readonly [why: string, event: unknown, text: string][] = [
  ["an object", { data: { a: 1 } }, 'data: {"a":1}\n\n'],
  ["a string, as JSON", { data: "a\r\nb\u2028" }, 'data: "a\\r\\nb\u2028"\n\n'],
  ["null", { data: null }, "data: null\n\n"],
  ["a date by its toJSON", { data: new Date(0) }, 'data: "1970-01-01T00:00:00.000Z"\n\n'],
  [
    "all fields",
    { event: "note", id: "7", retry: 0, data: 1 },
    "event: note\nid: 7\nretry: 0\ndata: 1\n\n",
  ],
  ["fields that are undefined", { event: undefined, id: undefined, data: 1 }, "data: 1\n\n"],
  ["an empty id, which resets the last one", { id: "", data: 1 }, "id: \ndata: 1\n\n"],
  ["an event of any text", { event: "é: x", data: 1 }, "event: é: x\ndata: 1\n\n"],
];
for (const [why, event, text] of WIRE) {
  Deno.test(`sse() writes ${why}`, async () => {
    assertEquals(await textOf(event), { text: ":\n\n" + text, errors: [] });
  });
}

const REFUSED: readonly [why: string, event: unknown][] = [
  ["an event with LF", { event: "a\ndata: 2", data: 1 }],
  ["an event with CR", { event: "a\rid: 2", data: 1 }],
  ["an id with CRLF", { id: "a\r\n\r\n", data: 1 }],
  ["an id with NUL, which browsers ignore", { id: "a\0", data: 1 }],
  ["an id that a header field cannot hold", { id: "é", data: 1 }],
  ["a retry that is no integer", { retry: 1.5, data: 1 }],
  ["a retry that is text", { retry: "1\ndata: 2", data: 1 }],
  ["a negative retry", { retry: -1, data: 1 }],
  ["no data", {}],
  ["data that JSON cannot hold", { data: 1n }],
];
for (const [why, event] of REFUSED) {
  Deno.test(`sse() ends and reports on ${why}`, async () => {
    const { text, errors } = await textOf(event);
    assertEquals(text, ":\n\n");
    assertEquals(errors.length, 1);
    assertInstanceOf(errors[0], TypeError);
  });
}

Deno.test("sse() sends what servers and proxies need to pass events on at once", async () => {
  const router = createRouter().get("/", (req) => sse(req, async function* () {}));
  const { status, headers } = await router.request("/");
  assertEquals([status, ...headers], [
    200,
    ["cache-control", "no-store"],
    ["content-type", "text/event-stream"],
    ["x-accel-buffering", "no"],
  ]);
});

Deno.test("sse() infers the type of the data, of several kinds of events too", () => {
  createRouter().get("/", (req) => {
    const stream = sse(req, async function* () {
      yield { event: "a", data: { a: 1 } };
      yield { event: "b", data: "b" };
    });
    const same: Same<typeof stream, EventStream<{ a: number } | string>> = true;
    const typed: TypedResponse<{ a: number } | string, 200> = stream;
    void same;
    return typed;
  });
  createRouter().get("/", (req) =>
    // @ts-expect-error an event has data
    sse(req, async function* () {
      yield { event: "a" };
    }));
  createRouter().get("/", (req) =>
    // @ts-expect-error a number is no event
    sse(req, async function* () {
      yield 1;
    }));
});

Deno.test("sse() reads Last-Event-ID", async () => {
  const router = createRouter().get("/", (req) =>
    sse(req, async function* ({ lastEventId }) {
      yield { data: lastEventId ?? "none" };
    }));
  const last = async (headers: HeadersInit) => (await router.request("/", { headers })).text();
  assertEquals(await last({ "Last-Event-ID": "42" }), ':\n\ndata: "42"\n\n');
  assertEquals(await last({}), ':\n\ndata: "none"\n\n');
});

Deno.test("sse() asks for an event when the one before was taken, and HEAD for none", async () => {
  let made = 0;
  const router = createRouter().get("/", (req) =>
    sse(req, async function* () {
      for (;;) yield { data: made++ };
    }));
  await router.request("/", { method: "HEAD" });
  const reader = ((await router.request("/")).body as ReadableStream<Uint8Array>).getReader();
  assertEquals(made, 0);
  for (let i = 0; i < 4; i++) {
    await reader.read();
    assert(made <= i + 1, `${made} events for ${i} reads`);
  }
  await reader.cancel();
  const before = made;
  await turn();
  assertEquals(made, before);
});

Deno.test("sse() runs finally when the client leaves, and aborts what the generator waits for", async () => {
  for (const waits of [false, true]) {
    const { errors, onError } = collectErrors();
    const log: string[] = [];
    const router = createRouter({ onError }).get(
      "/",
      (req) =>
        sse(req, async function* ({ signal }) {
          try {
            yield { data: 1 };
            if (waits) await aborted(signal);
            yield { data: 2 };
            log.push("went on");
          } finally {
            log.push(`finally ${signal.aborted}`);
          }
        }),
    );
    const reader = ((await router.request("/")).body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.read();
    const read = waits ? reader.read() : undefined; // asks for the second event
    await turn();
    await reader.cancel();
    await read;
    await turn();
    assertEquals(log, ["finally true"]);
    assertEquals(errors, []);
  }
});

Deno.test("sse() reports what a generator throws, and ends: at once, after events, in finally", async () => {
  const fault = new Error("fault");
  const generators: readonly [lines: string, events: () => AsyncIterable<{ data: number }>][] = [
    ["", () => {
      throw fault;
    }],
    // deno-lint-ignore require-yield -- it fails before
    ["", async function* () {
      throw fault;
    }],
    ["data: 1\n\n", async function* () {
      yield { data: 1 };
      throw fault;
    }],
    ["data: 1\n\n", async function* () {
      try {
        yield { data: 1 };
      } finally {
        await Promise.reject(fault);
      }
    }],
  ];
  for (const [lines, events] of generators) {
    const { errors, onError } = collectErrors();
    const router = createRouter({ onError }).get("/", (req) => sse(req, events));
    assertEquals(await (await router.request("/")).text(), ":\n\n" + lines);
    assertEquals(errors, [fault]);
  }
});

Deno.test("sse() closes the generator of an event that it refuses, and reports what closing throws after a disconnect", async () => {
  const { errors, onError } = collectErrors();
  let closed = 0;
  const router = createRouter({ onError }).get("/:bad", (req) =>
    sse(req, async function* () {
      try {
        yield { event: req.params.bad === "1" ? "\n" : "ok", data: 1 };
      } finally {
        closed++;
        if (req.params.bad === "0") await Promise.reject(new Error("closing"));
      }
    }));
  await (await router.request("/1")).text();
  const reader = ((await router.request("/0")).body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  assertEquals(closed, 2);
  assertEquals(errors.map((error) => (error as Error).message), [
    "Cannot send event: event has a line break",
    "closing",
  ]);
});

Deno.test("sse() sends comments while the generator waits, but none that nobody takes", async () => {
  const router = createRouter().get("/", (req) =>
    sse(req, async function* ({ signal }) {
      await aborted(signal);
      yield { data: 1 };
    }, { keepAlive: 0.01 }));
  const reader = ((await router.request("/")).body as ReadableStream<Uint8Array>).getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  assertEquals([await next(), await next(), await next()], [":\n\n", ":\n\n", ":\n\n"]);
  await new Promise((resolve) => setTimeout(resolve, 60)); // nobody reads: one is queued
  const startedAt = performance.now();
  for (let i = 0; i < 4; i++) await next();
  assert(performance.now() - startedAt > 15, "comments were queued");
  await reader.cancel(); // the sanitizer fails the test if the timer goes on
});

Deno.test("sse() refuses a keepAlive that no timer can wait for", () => {
  for (const keepAlive of [0, -1, NaN, untyped<number>("10"), 2_147_484]) {
    assertThrows(
      () => sse(untyped({ headers: new Headers() }), async function* () {}, { keepAlive }),
      RangeError,
    );
  }
});

Deno.test("sse() over a socket: a disconnect ends a waiting generator, and events arrive at once", async () => {
  const ended = Promise.withResolvers<void>();
  const { errors, onError } = collectErrors();
  const router = createRouter({ onError })
    .get("/events", (req) =>
      sse(req, async function* ({ signal }) {
        try {
          yield { id: "1", data: "first" };
          await aborted(signal);
        } finally {
          ended.resolve();
        }
      }));
  const outer = createRouter({ onError }).mount("/api", router);
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, outer.fetch);
  const stop = new AbortController();
  const { port } = server.addr;
  const response = await fetch(`http://127.0.0.1:${port}/api/events`, { signal: stop.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let text = "";
  while (!text.includes("first")) { // chunks may arrive as one
    const { value, done } = await reader.read();
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  assertEquals(text, ':\n\nid: 1\ndata: "first"\n\n');
  stop.abort();
  await reader.read().catch(() => {});
  await ended.promise;
  await turn();
  assertEquals(errors, []);
});

/** Waits until a signal is aborted, and rejects with its reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

/** Lets pending microtasks run. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

Deno.test("sse() ends with its session where the generator asks again, as docs/router.md says", async () => {
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    deployment: "direct",
    container: createContainer(),
  });
  const user = await runtime.passwords.createUser({
    identifier: "ada",
    password: "lovelace wrote notes",
  });
  const { token } = await runtime.sessions.create(user);
  const router = createRouter().withAuth(runtime.integration({ routes: false })).get(
    "/",
    (req) =>
      sse(req, async function* () {
        for (let i = 0;; i++) {
          const { status } = await runtime.strategy.authenticate({ request: req.raw });
          if (status !== "authenticated") return;
          yield { data: i };
          if (i === 1) await runtime.sessions.revokeAll(user.sub);
        }
      }),
  );
  const headers = { Cookie: `${runtime.cookies.names.sid}=${token}` };
  const response = await router.request("https://localhost/", { headers });
  assertEquals(await response.text(), ":\n\ndata: 0\n\ndata: 1\n\n");
});
