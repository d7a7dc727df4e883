/** The catalogue "Routing and content": clients that disconnect. */

import { createRouter, json, type TypedRouter } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { rawBytes, within, withServer } from "./_raw.ts";

/** Serves, lets a client misbehave, and returns what the router saw. */
async function abandoned(
  add: (router: TypedRouter) => unknown,
  misbehave: (port: number) => Promise<void>,
): Promise<{ status: number; errors: unknown[] }> {
  const errors: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<number>();
  const router = createRouter({
    onError: (error) => void errors.push(error),
    finally: [(response) => resolve(response.status)],
  });
  add(router);
  let status = 0;
  await withServer(router.fetch, async (port) => {
    await misbehave(port);
    status = await within(promise, "the end of the request");
  });
  await new Promise((done) => setTimeout(done, 5)); // an unhandled rejection would fail the test here
  return { status, errors };
}

/** Sends a head that announces a longer body than it sends, and disconnects. */
function cutOff(headers: readonly string[], body: string): (port: number) => Promise<void> {
  return async (port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(rawBytes("/", { method: "POST", headers, body }));
    await new Promise((done) => setTimeout(done, 10)); // so that the handler has started reading
    connection.close();
  };
}

const READERS: readonly (readonly [how: string, add: (router: TypedRouter) => unknown])[] = [
  ["content", (router) => router.post("/", () => json(1))],
  ["a form", (router) => router.post("/", () => json(1), { multipart: true })],
  [
    "req.text()",
    (router) => router.post("/", async (req) => json(await req.text()), { raw: true }),
  ],
  [
    "req.json()",
    (router) => router.post("/", async (req) => json(await req.json()), { raw: true }),
  ],
  [
    "req.arrayBuffer()",
    (router) =>
      router.post("/", async (req) => json((await req.arrayBuffer()).byteLength), { raw: true }),
  ],
  [
    "req.body",
    (router) =>
      router.post("/", async (req) => json(await new Response(req.body).text()), { raw: true }),
  ],
  ["req.body in a pipe", (router) =>
    router.post("/", async (req) => {
      await req.body?.pipeTo(new WritableStream());
      return json(1);
    }, { raw: true })],
  [
    "a mounted router",
    (router) =>
      router.mount("/", createRouter({ onError: () => assert(false) }).post("/", () => json(1))),
  ],
];

for (const [how, add] of READERS) {
  const type = how === "a form" ? "multipart/form-data; boundary=x" : "application/json";
  for (
    const [framing, headers, body] of [["Content-Length", ["Content-Length: 1000"], '"aaa'], [
      "chunks",
      ["Transfer-Encoding: chunked"],
      '4\r\n"aaa\r\n',
    ]] as const
  ) {
    Deno.test(`[ATTACKS] a client that aborts mid-body (${framing}), read by ${how}, is not a server error`, async () => {
      const { status, errors } = await abandoned(
        add,
        cutOff([`Content-Type: ${type}`, ...headers], body),
      );
      assertEquals([status, errors.map(String)], [400, []]);
    });
  }
}

Deno.test("[ATTACKS] a client that aborts mid-response closes the response's stream", async () => {
  const closed = Promise.withResolvers<void>();
  const { errors } = await abandoned(
    (router) =>
      router.get("/", () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
            cancel: () => closed.resolve(),
          }),
        )),
    async (port) => {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      await connection.write(rawBytes("/"));
      await connection.read(new Uint8Array(10));
      connection.close();
      await within(closed.promise, "the stream's cancel()");
    },
  );
  assertEquals(errors, []);
});

Deno.test("[neighbour] a client that aborts mid-response of a mounted application closes its stream", async () => {
  const closed = Promise.withResolvers<void>();
  const inner = createRouter().get("/x", () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => closed.resolve(),
      }),
    ));
  const { errors } = await abandoned((router) => router.mount("/m", inner), async (port) => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(rawBytes("/m/x"));
    await connection.read(new Uint8Array(10));
    connection.close();
    await within(closed.promise, "the stream's cancel()");
  });
  assertEquals(errors, []);
});

Deno.test("[neighbour] a client that aborts while the handler waits on req.signal is not a server error", async () => {
  for (const mounted of [false, true]) {
    const { errors } = await abandoned(
      (router) => {
        const app = mounted ? createRouter({ onError: () => assert(false) }) : router;
        app.get(
          "/",
          (req) =>
            new Promise<never>((_, reject) =>
              req.signal.addEventListener("abort", () => reject(req.signal.reason))
            ),
        );
        if (mounted) router.mount("/", app);
      },
      async (port) => {
        const connection = await Deno.connect({ hostname: "127.0.0.1", port });
        await connection.write(rawBytes("/"));
        await new Promise((done) => setTimeout(done, 10));
        connection.close();
      },
    );
    assertEquals(errors.map(String), []);
  }
});

Deno.test("[neighbour] a hundred clients that abort at once leave no request open", async () => {
  const errors: unknown[] = [];
  let ended = 0;
  const router = createRouter({
    onError: (error) => void errors.push(error),
    finally: [() => void ended++],
  }).post("/", () => json(1));
  await withServer(router.fetch, async (port) => {
    await Promise.all(
      Array.from(
        { length: 100 },
        () => cutOff(["Content-Type: application/json", "Content-Length: 9"], '"a')(port),
      ),
    );
    for (let i = 0; ended < 100 && i < 500; i++) await new Promise((done) => setTimeout(done, 10));
  });
  assertEquals([ended, errors.length], [100, 0]);
});
