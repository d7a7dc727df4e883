/**
 * Bodies of requests behind `serveNode`: read in every way, at the reader's pace, or not at all.
 *
 * @module
 */

import { createRouter, json } from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import {
  ask,
  eventually,
  head,
  openWire,
  parse,
  sleep,
  within,
  withServer,
} from "./node_server_wire.ts";

const POST = head("POST /", "Content-Type: application/json", "Content-Length: 7");
const BODY = '{"a":1}';

/** Ways to read the body of a request; each gives the text. */
const READERS: Readonly<Record<string, (request: Request) => Promise<string>>> = {
  "text()": (request) => request.text(),
  "json()": async (request) => JSON.stringify(await request.json()),
  "arrayBuffer()": async (request) => decode(new Uint8Array(await request.arrayBuffer())),
  "bytes()": async (request) => decode(await request.bytes()),
  "blob()": async (request) => await (await request.blob()).text(),
  "body": async ({ body }) => await new Response(body).text(),
  "a loop over body": async ({ body }) => {
    let text = "";
    for await (const chunk of body ?? []) text += decode(chunk);
    return text;
  },
  "text() after body": (request) => (request.body, request.text()),
  "clone()": async (request) => {
    const copy = request.clone();
    const [one, two] = await Promise.all([request.text(), copy.text()]);
    assertSame(one, two);
    return one;
  },
  "new Request(request)": (request) => new Request(request).text(),
  "new Request(url, request)": (request) =>
    new Request(
      request.url,
      { ...pick(request), body: request.body, duplex: "half" } as RequestInit,
    )
      .text(),
  "a request made of it with another body": (request) =>
    new Request(request, { body: BODY, headers: request.headers }).text(),
};

function pick({ method, headers }: Request): RequestInit {
  return { method, headers };
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

const readerCases: readonly RuntimeCase[] = Object.entries(READERS).map(([name, read]) => ({
  name: `serveNode() has the body read by ${name}`,
  run: () =>
    withServer(async (request) => new Response(await read(request)), async ({ port, errors }) => {
      assertSame([parse(await ask(port, POST, BODY)).body, errors.map(String)], [BODY, []]);
      const chunked = head(
        "POST /",
        "Content-Type: application/json",
        "Transfer-Encoding: chunked",
      );
      const { body } = parse(
        await ask(port, chunked, `3\r\n{"a\r\n4\r\n":1}\r\n0\r\nX-Trailer: 1\r\n\r\n`),
      );
      assertSame([body, errors.map(String)], [BODY, []]);
    }),
}));

const requestCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() makes requests that are instances of Request, with all members of one",
    run: () =>
      withServer((request) => {
        const { url, method, mode, redirect, cache, bodyUsed } = request;
        assertSame(
          [request instanceof Request, url, method, mode, redirect, cache, bodyUsed],
          [true, "http://example.com/", "POST", "cors", "follow", "default", false],
        );
        const copy = new Request(request, { headers: { "X-Copy": "1" } });
        assertSame([copy.method, copy.url, copy.headers.get("X-Copy")], ["POST", url, "1"]);
        return new Response();
      }, async ({ port, errors }) => {
        await ask(port, POST, BODY);
        assertSame(errors.map(String), []);
      }),
  },
  {
    name: "serveNode() makes requests that fetch() sends on",
    run: () =>
      withServer(
        async (request) => new Response(`${request.headers.get("X-A")} ${await request.text()}`),
        (target) =>
          withServer((request) => {
            const url = new URL(request.url);
            url.host = `127.0.0.1:${target.port}`;
            return fetch(new Request(url, new Request(request)));
          }, async ({ port, errors }) => {
            const fields = [`Content-Length: 2`, "X-A: 1"];
            const message = await ask(port, head("POST /", ...fields), "ab");
            assertSame([message.slice(-4), errors.map(String)], ["1 ab", []]);
          }),
      ),
  },
  {
    name: "serveNode() gives GET and HEAD no body, and discards what they have",
    run: () =>
      withServer(async (request) => {
        const seen = [request.body, request.bodyUsed, await request.text()];
        return Response.json(seen);
      }, async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /", "Content-Length: 3")}\r\n\r\nabc${head("GET /2")}\r\n\r\n`);
        await eventually(() => wire.received.split("[null,false,").length === 3, "two responses");
        wire.socket.destroy();
      }),
  },
  {
    name: "serveNode() gives a POST without a body null",
    run: () =>
      withServer(({ body }) => Response.json(body), async ({ port }) => {
        assertSame(parse(await ask(port, head("POST /", "Content-Length: 0"))).body, "null");
        assertSame(parse(await ask(port, head("POST /"))).body, "null");
      }),
  },
  {
    name: "serveNode() rejects a second reader with a TypeError",
    run: () =>
      withServer(async (request) => {
        await request.text();
        const seen: unknown[] = [request.bodyUsed];
        for (
          const read of [() => request.json(), () =>
            request.blob(), () =>
            Promise.resolve().then(() => request.clone())]
        ) {
          seen.push(
            await read().then(() =>
              "read", ({ name }) => name),
          );
        }
        return Response.json(seen);
      }, async ({ port }) => {
        const { body } = parse(await ask(port, POST, BODY));
        assertSame(JSON.parse(body), [true, "TypeError", "TypeError", "TypeError"]);
      }),
  },
  {
    name: "serveNode() vouches for the length of a body, so that the router reads it in one step",
    run: () => {
      const router = createRouter<unknown[]>({ onError: () => {}, maxBodyBytes: 10 })
        .post("/", (req) => json(req.content))
        .post("/mounted", (req) => json(req.content));
      const outer = createRouter<unknown[]>().mount("/outer", router);
      const both = (request: Request, info: unknown): Response | Promise<Response> =>
        (request.url.includes("/outer") ? outer : router).fetch(request, info);
      return withServer(both, async ({ port }) => {
        assertSame(parse(await ask(port, POST, BODY)).body, BODY);
        const mounted = POST.replace(" / ", " /outer/mounted ");
        assertSame(parse(await ask(port, mounted, BODY)).body, BODY);
        const long = POST.replace("7", "11");
        assertSame(parse(await ask(port, long, '{"a":12345}')).status, 413);
        const invalid = parse(await ask(port, POST, "{'a':1}"));
        assertSame([invalid.status, JSON.parse(invalid.body).code], [400, "invalid_json"]);
        const chunked = head(
          "POST /",
          "Content-Type: application/json",
          "Transfer-Encoding: chunked",
        );
        assertSame(parse(await ask(port, chunked, `b\r\n{"a":12345}\r\n0\r\n\r\n`)).status, 413);
      });
    },
  },
];

const paceCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() lets the client wait while nobody reads the body",
    run: async () => {
      let proceed = (): void => {};
      const gate = new Promise<void>((resolve) => proceed = resolve);
      const size = 32 * 1024 * 1024;
      await withServer(async ({ body }) => {
        await gate;
        let total = 0;
        for await (const chunk of body ?? []) total += chunk.length;
        return new Response(String(total));
      }, async ({ port, server }) => {
        const taken: { readonly bytesRead: number }[] = [];
        server.on("connection", (socket) => void taken.push(socket));
        const wire = openWire(port);
        wire.send(head("POST /", `Content-Length: ${size}`, "Connection: close") + "\r\n\r\n");
        const chunk = new Uint8Array(1024 * 1024);
        for (let i = 0; i < 32; i++) wire.socket.write(chunk);
        await sleep(200);
        const received = taken[0]?.bytesRead ?? -1;
        assert(received >= 0 && received < 8 * 1024 * 1024, `${received} bytes were read ahead`);
        proceed();
        assertSame(parse(await wire.toEnd()).body, String(size));
      });
    },
  },
  {
    name: "serveNode() fails a body whose client disconnects",
    run: async () => {
      const seen: unknown[] = [];
      await withServer(async (request) => {
        const read = request.url.endsWith("stream")
          ? new Response(request.body).text()
          : request.text();
        seen.push(await read.then(() => "read", ({ name }) => name));
        await eventually(() => request.signal.aborted, "the signal");
        return new Response();
      }, async ({ port }) => {
        for (const path of ["/all", "/stream"]) {
          const wire = openWire(port);
          wire.send(`${POST.replace(" / ", ` ${path} `)}\r\n\r\n{"a`);
          await sleep(30);
          wire.socket.destroy();
        }
        await eventually(() => seen.length === 2, "both reads to fail");
        assertSame(seen, ["Error", "Error"]);
      });
    },
  },
  {
    name: "serveNode() ends the reading of a body with the response",
    run: async () => {
      let late: Promise<unknown> | undefined;
      await withServer((request) => {
        late = sleep(50).then(() => request.text()).then(() => "read", ({ message }) => message);
        return new Response("early");
      }, async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${POST}\r\n\r\n{"a`);
        await wire.until("early");
        wire.send('":1}');
        assertSame(
          await within(late as Promise<unknown>, "the read"),
          "Cannot read the body: the response was sent before",
        );
        wire.socket.destroy();
      });
    },
  },
];

/** Every case of the request's body. */
export const nodeBodyCases: readonly RuntimeCase[] = [
  ...readerCases,
  ...requestCases,
  ...paceCases,
];
