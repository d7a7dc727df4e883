/**
 * Connections to `serveNode`: which are kept, in which order responses are sent on them, and what is left of requests.
 *
 * @module
 */

import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import { ask, head, openWire, parse, sleep, withServer } from "./node_server_wire.ts";

const GET = `${head("GET /next")}\r\n\r\n`;

/** Responds with the path, after as many milliseconds as it says. */
async function echoPath({ url }: Request): Promise<Response> {
  const path = new URL(url).pathname;
  await sleep(Number(/\d+$/.exec(path)?.[0] ?? 0));
  return new Response(`[${path}]`);
}

/** Requests with a body that nobody reads. */
const UNREAD:
  readonly (readonly [why: string, fields: readonly string[], body: string, kept: boolean])[] = [
    ["a small body", ["Content-Length: 20"], "GET /evil HTTP/1.1\r\n", true],
    ["a body of 64 KiB", ["Content-Length: 65536"], "a".repeat(65_536), true],
    ["a large body", ["Content-Length: 1000000"], "a".repeat(1_000_000), false],
    ["a large body that does not arrive", ["Content-Length: 1000000"], "abc", false],
    ["a chunked body", ["Transfer-Encoding: chunked"], "3\r\nabc\r\n", false],
  ];

const unreadCases: readonly RuntimeCase[] = UNREAD.map(([why, fields, body, kept]) => ({
  name: `serveNode() ${kept ? "keeps" : "closes"} a connection with ${why} that nobody reads`,
  run: () =>
    withServer(async (request) => {
      await sleep(20); // else it is answered before the first of the body was looked at
      return new Response(`[${new URL(request.url).pathname}]`);
    }, async ({ port, errors }) => {
      const wire = openWire(port);
      wire.send(`${head("POST /first", ...fields)}\r\n\r\n${body}`);
      await wire.until("[/first]");
      if (kept) {
        wire.send(GET);
        const text = await wire.until("[/next]");
        assert(!text.includes("evil") && !/connection: close/i.test(text), text);
        wire.socket.destroy();
      } else {
        const text = await wire.toEnd();
        assertSame(await wire.closed, "end"); // and no reset, which could take the response with it
        assert(/connection: close/i.test(text), text);
        wire.socket.destroy();
      }
      assertSame(errors, []);
    }),
}));

/** Handlers for a body that they leave to itself. */
const PARTLY: readonly (readonly [why: string, read: (request: Request) => Promise<unknown>])[] = [
  ["cancels", async ({ body }) => await body?.cancel()],
  ["reads a chunk of", async ({ body }) => {
    const reader = body?.getReader();
    await reader?.read();
    reader?.releaseLock();
  }],
  ["reads a chunk of, and cancels", async ({ body }) => {
    for await (const _ of body ?? []) break;
  }],
  ["copies", (request) => request.clone().text()],
];

const partlyCases: readonly RuntimeCase[] = PARTLY.map(([why, read]) => ({
  name: `serveNode() keeps a connection with a body that the application ${why}`,
  run: () =>
    withServer(async (request) => {
      if (request.method === "POST") await read(request);
      return new Response(`[${new URL(request.url).pathname}]`);
    }, async ({ port, errors }) => {
      const wire = openWire(port);
      wire.send(`${head("POST /first", "Content-Length: 40000")}\r\n\r\n${"a".repeat(20_000)}`);
      await sleep(20);
      wire.send("a".repeat(20_000) + GET);
      await wire.until("[/next]");
      wire.socket.destroy();
      assertSame(errors, []);
    }),
}));

const EXPECT = ["Content-Length: 5", "Expect: 100-continue"];

const expectCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() answers Expect with 100 once the body is read",
    run: async () => {
      let [proceed, gate] = [(): void => {}, Promise.resolve()];
      gate = new Promise((resolve) => proceed = resolve);
      for (const read of [(r: Request) => r.text(), (r: Request) => new Response(r.body).text()]) {
        await withServer(async (request) => {
          await gate;
          return new Response(`[${await read(request)}]`);
        }, async ({ port }) => {
          const wire = openWire(port);
          wire.send(`${head("POST /", ...EXPECT)}\r\n\r\n`);
          await sleep(30);
          proceed();
          await wire.until("HTTP/1.1 100 Continue\r\n\r\n");
          wire.send("hello");
          await wire.until("[hello]");
          wire.send(
            GET.replace("GET", "POST").replace("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\nx"),
          );
          await wire.until("[x]"); // on the same connection
          wire.socket.destroy();
        });
      }
    },
  },
  {
    name: "serveNode() answers Expect with the response alone if nobody reads the body, and closes",
    run: () =>
      withServer(() => new Response("no", { status: 403 }), async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("POST /", ...EXPECT)}\r\n\r\n`);
        const text = await wire.toEnd();
        assertSame([parse(text).status, parse(text).body], [403, "no"]);
        assert(/connection: close/i.test(text), text);
        wire.socket.destroy();
      }),
  },
  {
    name: "serveNode() answers 417 to another expectation",
    run: () =>
      withServer(() => new Response("reached"), async ({ port }) => {
        const text = await ask(port, head("POST /", "Content-Length: 5", "Expect: a"), "hello");
        assertSame([parse(text).status, text.includes("reached")], [417, false]);
      }),
  },
];

const orderCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() answers pipelined requests in their order",
    run: () =>
      withServer(echoPath, async ({ port }) => {
        const wire = openWire(port);
        wire.send(["/a60", "/b30", "/c0"].map((path) => `${head(`GET ${path}`)}\r\n\r\n`).join(""));
        const text = await wire.until("[/c0]");
        assertSame(text.match(/\[.*?\]/g), ["[/a60]", "[/b30]", "[/c0]"]);
        wire.socket.destroy();
      }),
  },
  {
    name: "serveNode() keeps connections of HTTP/1.1, and closes them for Connection: close",
    run: () =>
      withServer(echoPath, async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /a")}\r\n\r\n`);
        await wire.until("[/a]");
        wire.send(`${head("GET /b")}\r\nConnection: close\r\n\r\n`);
        const text = await wire.toEnd();
        assert(text.includes("[/b]") && /connection: close/i.test(text), text);
      }),
  },
  {
    name: "serveNode() closes a connection if the application's response says so",
    run: () =>
      withServer(
        () => new Response("a", { headers: { Connection: "close" } }),
        async ({ port }) => {
          const wire = openWire(port);
          wire.send(`${head("GET /a")}\r\n\r\n`);
          assert(/connection: close/i.test(await wire.toEnd()), wire.received);
        },
      ),
  },
  {
    name: "serveNode() sends streams to HTTP/1.0 without chunks, until the end of the connection",
    run: () =>
      withServer(() => {
        const body = new ReadableStream({
          async pull(controller) {
            await sleep(5);
            controller.enqueue(new TextEncoder().encode("ab"));
            controller.close();
          },
        });
        return new Response(body);
      }, async ({ port }) => {
        const wire = openWire(port);
        wire.send("GET / HTTP/1.0\r\n\r\n");
        const text = await wire.toEnd();
        assertSame([text.includes("chunked"), parse(text).body], [false, "ab"]);
      }),
  },
  {
    name: "serveNode() keeps a connection of HTTP/1.0 that asks for it",
    run: () =>
      withServer(echoPath, async ({ port }) => {
        const wire = openWire(port);
        wire.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        await wire.until("[/a]");
        wire.send("GET /b HTTP/1.0\r\n\r\n");
        await wire.until("[/b]");
        await wire.toEnd();
      }),
  },
  {
    name: "serveNode() answers 400 to what is not HTTP, and to two framings of a body",
    run: () =>
      withServer(() => new Response("reached"), async ({ port }) => {
        const both = head("POST /", "Content-Length: 3", "Transfer-Encoding: chunked");
        const twice = head("POST /", "Content-Length: 3", "Content-Length: 4");
        for (const text of ["hello", both, twice]) {
          const wire = openWire(port);
          wire.send(`${text}\r\n\r\n`);
          assert(!(await wire.toEnd()).includes("reached"), text);
          wire.socket.destroy();
        }
      }),
  },
];

/** Every case of connections. */
export const nodeConnectionCases: readonly RuntimeCase[] = [
  ...unreadCases,
  ...partlyCases,
  ...expectCases,
  ...orderCases,
];
