/**
 * How an application behind `serveNode` learns of a client that disconnects.
 *
 * @module
 */

import { createRouter, sse } from "../../mod.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import { ask, eventually, head, openWire, sleep, withServer } from "./node_server_wire.ts";

/** Every case of disconnections. */
export const nodeSignalCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() aborts the signal when the client disconnects",
    run: async () => {
      const seen: string[] = [];
      await withServer(async ({ signal, url }) => {
        const aborted = new Promise<void>((resolve) =>
          signal.addEventListener("abort", () => resolve())
        );
        await aborted;
        seen.push(url.slice(-1), (signal.reason as Error).name);
        return new Response();
      }, async ({ port, errors }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /a")}\r\n\r\n`);
        await sleep(30);
        wire.socket.destroy();
        await eventually(() => seen.length === 2, "the signal");
        assertSame([seen, errors], [["a", "AbortError"], []]);
      });
    },
  },
  {
    name: "serveNode() does not abort the signal after the response",
    run: async () => {
      const signals: AbortSignal[] = [];
      await withServer(({ signal }) => {
        signals.push(signal);
        return new Response("done");
      }, async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /a")}\r\n\r\n`);
        await wire.until("done");
        wire.socket.destroy();
        await sleep(30);
        assertSame(signals.map(({ aborted }) => aborted), [false]);
      });
    },
  },
  {
    name: "serveNode() aborts the signal while a response is streamed, also one that is read late",
    run: async () => {
      let request: Request | undefined;
      await withServer((given) => {
        request = given;
        return new Response(new ReadableStream());
      }, async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /a")}\r\n\r\n`);
        await wire.until("\r\n\r\n");
        wire.socket.destroy();
        await sleep(50);
        assertSame(request?.signal.aborted, true);
      });
    },
  },
  {
    name: "serveNode() ends the generator of sse() when the client disconnects",
    run: async () => {
      const seen: string[] = [];
      const router = createRouter().get("/", (req) =>
        sse(req, async function* ({ signal }) {
          try {
            yield { data: "first" };
            await new Promise((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason))
            );
          } finally {
            seen.push("finally");
          }
        }));
      await withServer((request) => router.fetch(request), async ({ port, errors }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /")}\r\n\r\n`);
        await wire.until("first");
        wire.socket.destroy();
        await eventually(() => seen.length === 1, "the generator's end");
        assertSame(errors, []);
      });
    },
  },
  {
    name: "serveNode() tells by `completed` whether the response was sent",
    run: async () => {
      const seen: string[] = [];
      await withServer((request, { completed }) => {
        completed.then(() => seen.push("sent"), () => seen.push("not sent"));
        return request.url.endsWith("a") ? new Response() : new Response(new ReadableStream());
      }, async ({ port }) => {
        await ask(port, head("GET /a"));
        const wire = openWire(port);
        wire.send(`${head("GET /b")}\r\n\r\n`);
        await wire.until("\r\n\r\n");
        wire.socket.destroy();
        await eventually(() => seen.length === 2, "both");
        assertSame(seen, ["sent", "not sent"]);
      });
    },
  },
];
