/**
 * What `serveNode` shares with the rest of the process and of Gatehouse: classes, the console, the client's address.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { Readable } from "node:stream";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { clientAddressReader } from "../../auth/throttle/client_address.ts";
import { createRouter, json } from "../../mod.ts";
import { serveNode } from "../../serve/native_node.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import {
  areReplaced,
  ask,
  failure,
  head,
  isNode,
  LOOPBACK,
  openWire,
  parse,
  sleep,
  within,
  withServer,
} from "./node_server_wire.ts";

const FORM_TYPE = "application/x-www-form-urlencoded";

function typeOf({ headers }: Response): string | null {
  return headers.get("Content-Type");
}

/** Every case of what is shared. */
export const nodeGlobalsCases: readonly RuntimeCase[] = [
  {
    name: "serveNode() tells the throttle the client's address",
    run: () => {
      const direct = clientAddressReader({ deployment: "direct" });
      const proxied = clientAddressReader({ deployment: { proxies: ["127.0.0.0/8"] } });
      return withServer(
        (request, info) => Response.json([direct(request, info), proxied(request, info)]),
        async ({ port }) => {
          const text = await ask(port, head("GET /", "X-Forwarded-For: 203.0.113.9"));
          assertSame(JSON.parse(parse(text).body), ["127.0.0.1", "203.0.113.9"]);
        },
        isNode ? { hostname: "::" } : {}, // where IPv4 addresses are mapped
      ).catch((error) => {
        if (error.code !== "EAFNOSUPPORT" && error.code !== "EADDRNOTAVAIL") throw error; // no IPv6 here
      });
    },
  },
  {
    name: "serveNode() keeps the address of a client that has disconnected",
    async run() {
      let seen: unknown;
      await withServer(async (_request, info) => {
        await sleep(80);
        seen = info.remoteAddr.hostname;
        return new Response();
      }, async ({ port }) => {
        const wire = openWire(port);
        wire.send(`${head("GET /")}\r\n\r\n`);
        await sleep(30);
        wire.socket.destroy();
        await sleep(100);
        assertSame(seen, "127.0.0.1");
      });
    },
  },
  {
    name: "serveNode() makes Response lazy on Node, and still the platform's",
    run: () =>
      withServer(() => new Response("lazy"), async ({ port }) => {
        const native = await fetch(`http://127.0.0.1:${port}`);
        const Native = native.constructor;
        assertSame([Response.name, Response !== Native], ["Response", areReplaced]);
        const made = new Response("a", { status: 201 });
        class Own extends Response {}
        assertSame(
          [native instanceof Response, made instanceof Native, made instanceof Own],
          [true, true, false],
        );
        assertSame([new Own("a") instanceof Own, await native.text()], [true, "lazy"]);
        const copy = made.clone();
        const again = new Response(made.body, made);
        assertSame([made.bodyUsed, await again.text(), again.status], [false, "a", 201]);
        assertSame([await copy.text(), copy.bodyUsed], ["a", true]);
        if (isNode) assertSame(await failure(made.text()), "TypeError ");
        const bytes = new Uint8Array([1, 2]);
        const kept = new Response(bytes);
        bytes[0] = 9; // which must not change it
        assertSame([...new Uint8Array(await kept.arrayBuffer())], [1, 2]);
        assertSame(
          await failure(Promise.resolve().then(() => new Response("a", { status: 204 }))),
          "TypeError ",
        );
        assertSame(
          [Response.json(1), new Response("a"), new Response(bytes), new Response(null)].map(
            typeOf,
          ),
          ["application/json", "text/plain;charset=UTF-8", null, null],
        );
        const given = { headers: { "Content-Type": "a/b", "X-A": "1" } };
        const own = [Response.json(1, given), new Response("a", given), json(1, given)];
        assertSame(own.map(typeOf), ["a/b", "a/b", "a/b"]);
        assertSame(own.map(({ headers }) => headers.get("X-A")), ["1", "1", "1"]);
        assertSame(await new Response("[1]").json(), [1]);
        assertSame((await new Response("a").blob()).size, 1);
        const form = new Response("a=b", { headers: { "Content-Type": FORM_TYPE } });
        assertSame([...(await form.formData()).entries()], [["a", "b"]]);
      }),
  },
  {
    name: "serveNode() makes Response accept and refuse what the platform's does",
    run: () =>
      withServer(() => new Response(), async ({ port }) => {
        const native = await fetch(`http://127.0.0.1:${port}`);
        await native.text();
        const Native = native.constructor as typeof Response;
        for (const body of BODIES) {
          for (const init of INITS) {
            const own = await outcomeOf(() => new Response(body, init as ResponseInit));
            const expected = await outcomeOf(() => new Native(body, init as ResponseInit));
            assertSame(own, expected);
          }
        }
      }),
  },
  {
    name: "serveNode() serves https with `tls`",
    async run() {
      if (!isNode) return; // Deno has no TLS without certificates, RFC 4279
      const psk = new Uint8Array(16);
      const common = { ciphers: "PSK", maxVersion: "TLSv1.2" as const };
      const tls = { ...common, pskCallback: () => psk, pskIdentityHint: "test" };
      await withServer(({ url }) => new Response(url), async ({ port, origin }) => {
        const socket = connectTls({
          ...common,
          port,
          host: "127.0.0.1",
          checkServerIdentity: () => undefined,
          pskCallback: () => ({ psk, identity: "test" }),
        } as ConnectionOptions);
        socket.write(`${head("GET /a")}\r\nConnection: close\r\n\r\n`);
        const message = await within(new Response(Readable.toWeb(socket) as never).text(), "it");
        assertSame([parse(message).body, origin], [
          "https://example.com/a",
          `https://127.0.0.1:${port}`,
        ]);
      }, { tls });
    },
  },
  {
    name: "serveNode() does not send a response a second time",
    async run() {
      const response = json({ a: 1 });
      const router = createRouter<unknown[]>().get("/", () => response);
      await withServer((request, info) => router.fetch(request, info), async ({ port }) => {
        const statuses = [];
        for (let i = 0; i < 2; i++) statuses.push(parse(await ask(port, head("GET /"))).status);
        assertSame(statuses, [200, 500]);
      });
    },
  },
  {
    name:
      "serveNode() reports to the console if there is no onError, without the path, and survives one that throws",
    async run() {
      const fetch = (): never => {
        throw new Error("broken");
      };
      const said: unknown[][] = [];
      const { error } = console;
      console.error = (...args: unknown[]) => void said.push(args);
      const first = await serveNode({ fetch }, LOOPBACK);
      const onError = fetch;
      const second = await serveNode({ fetch }, { ...LOOPBACK, onError });
      try {
        for (const { port } of [first, second]) {
          assertSame(parse(await ask(port, head("GET /secret"))).status, 500);
        }
      } finally {
        console.error = error;
        await Promise.all([first.shutdown(), second.shutdown()]);
      }
      assertSame(said.map((args) => args.map(String)), [[
        "Cannot answer GET: the application failed",
        "Error: broken",
      ]]);
    },
  },
];

/** Bodies of each kind, and none. */
const BODIES = [undefined, null, "", "a", new Uint8Array([1]), new URLSearchParams("a=b")];

/** Second arguments of the constructor, right and wrong. */
const INITS: readonly unknown[] = [
  undefined,
  null,
  {},
  5,
  "a",
  ...[undefined, 200, "201", 204, 304, 404, 599, 199, 600, 200.5, -1, null, 65_736, NaN]
    .map((status) => ({ status })),
  ...["Fine", "", null, "a\nb"].map((statusText) => ({ status: 201, statusText })),
  ...[{}, { "X-A": "1" }, { "Content-Type": "a/b" }, [["X-A", "1"]], { "é": "1" }, null]
    .map((headers) => ({ headers })),
];

/** What a response tells, or the name of the error. */
async function outcomeOf(create: () => Response): Promise<unknown> {
  try {
    const response = create();
    const { status, statusText, ok, type, url, redirected, bodyUsed, headers } = response;
    const told = [status, statusText, ok, type, url, redirected, bodyUsed, response.body === null];
    return [...told, [...headers], await response.text(), response.bodyUsed];
  } catch (error) {
    return (error as Error).name;
  }
}
