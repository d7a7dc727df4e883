import { createRouter, json, pass, routerBuilder, type RouteRequest } from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  codeOf,
  collectErrors,
  type CountedStream,
  countedStream,
  jsonRequest,
  untyped,
} from "./_helpers.ts";

const LIMIT = 1000;

/** A JSON string of exactly so many bytes. */
function jsonOf(bytes: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify("a".repeat(bytes - 2)));
}

/** The same bytes in chunks. */
function chunked(
  bytes: Uint8Array<ArrayBuffer>,
  size: number,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller): void {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += size));
    },
  }, { highWaterMark: 0 });
}

const READERS = {
  content: createRouter({ maxBodyBytes: LIMIT }).post(
    "/",
    (req) => json(String(req.content).length + 2),
  ),
  text: createRouter().post("/", async (req) => json((await req.text()).length), {
    raw: true,
    maxBodyBytes: LIMIT,
  }),
  json: createRouter().post("/", async (req) => json(String(await req.json()).length + 2), {
    raw: true,
    maxBodyBytes: LIMIT,
  }),
  arrayBuffer: createRouter().post("/", async (req) => json((await req.arrayBuffer()).byteLength), {
    raw: true,
    maxBodyBytes: LIMIT,
  }),
  body: createRouter().post(
    "/",
    async (req) => json((await new Response(req.body).bytes()).length),
    { raw: true, maxBodyBytes: LIMIT },
  ),
} as const;

/** [why, Content-Length for a body of so many bytes] */
const LENGTHS: readonly (readonly [why: string, length: (bytes: number) => string | undefined])[] =
  [
    ["a correct Content-Length", (bytes) => String(bytes)],
    ["no Content-Length", () => undefined],
    ["a Content-Length that is too small", () => "1"],
    ["a Content-Length of zero", () => "0"],
    ["a negative Content-Length", () => "-1"],
    ["a Content-Length that is not a number", () => "many"],
  ];

for (const [reader, router] of Object.entries(READERS)) {
  for (const [why, length] of LENGTHS) {
    for (const size of [1, 333, LIMIT, 5000]) {
      Deno.test(`req.${reader} accepts ${LIMIT} bytes but not ${LIMIT + 1}, with ${why}, in chunks of ${size}`, async () => {
        for (const [bytes, status] of [[LIMIT - 1, 200], [LIMIT, 200], [LIMIT + 1, 413]] as const) {
          const headers = new Headers();
          const declared = length(bytes);
          if (declared !== undefined) headers.set("Content-Length", declared);
          const response = await router.fetch(
            jsonRequest("/", chunked(jsonOf(bytes), size), { headers }),
          );
          if (status === 200) {
            assertEquals([response.status, await response.json()], [status, bytes]);
          } else assertEquals(await codeOf(response), [413, "payload_too_large"]);
        }
      });
    }
  }

  Deno.test(`req.${reader} rejects a declared length past the limit without reading`, async () => {
    for (const declared of [LIMIT + 1, 9_999_999_999, "1e9", "Infinity"]) {
      const { stream, pulled } = countedStream(jsonOf(10));
      const headers = { "Content-Length": String(declared) };
      assertEquals(await codeOf(router.fetch(jsonRequest("/", stream, { headers }))), [
        413,
        "payload_too_large",
      ]);
      assertEquals(pulled(), 0);
    }
  });

  Deno.test(`req.${reader} stops reading an infinite body, and cancels it`, async () => {
    for (const [size, most] of [[100, 12], [1000, 3], [100_000, 2]] as const) {
      const endless = countedStream(new Uint8Array(size).fill(0x20));
      assertEquals(await codeOf(router.fetch(jsonRequest("/", endless.stream))), [
        413,
        "payload_too_large",
      ]);
      assert(endless.pulled() <= most, `${endless.pulled()} chunks of ${size}`);
      assert(endless.cancelled());
    }
  });
}

Deno.test("readBody() neither counts empty chunks nor stops at them", async () => {
  let turn = 0;
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller): void {
      if (turn++ > 10) controller.close();
      else controller.enqueue(turn === 5 ? jsonOf(LIMIT) : new Uint8Array(0));
    },
  });
  assertEquals((await READERS.content.fetch(jsonRequest("/", stream))).status, 200);
});

Deno.test("readBody() applies the limit of the route, else of the router, else 1 MiB", async () => {
  const small = createRouter({ maxBodyBytes: 10 }).post("/", () => json(1)).post(
    "/own",
    () => json(1),
    { maxBodyBytes: 20 },
  );
  const plain = createRouter().post("/", () => json(1)).post("/none", () => json(1), {
    maxBodyBytes: 0,
  });
  const cases = [[small, "/", 10], [small, "/own", 20], [plain, "/", 1024 * 1024]] as const;
  for (const [router, path, limit] of cases) {
    assertEquals((await router.fetch(jsonRequest(path, jsonOf(limit)))).status, 200);
    assertEquals(await codeOf(router.fetch(jsonRequest(path, jsonOf(limit + 1)))), [
      413,
      "payload_too_large",
    ]);
  }
  assertEquals(await codeOf(plain.fetch(jsonRequest("/none", "1"))), [413, "payload_too_large"]);
});

Deno.test("readBody() limits forms to 10 MiB, or the limit of their route", async () => {
  const form = createRouter().post("/", () => json(1), { multipart: true })
    .post("/own", () => json(1), { multipart: true, maxBodyBytes: 500 });
  function send(path: string, bytes: number): Promise<Response> {
    const shell = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n--x--\r\n';
    const body = shell.replace("\r\n\r\n\r\n", `\r\n\r\n${"a".repeat(bytes - shell.length)}\r\n`);
    return Promise.resolve(
      form.fetch(
        jsonRequest(path, body, { headers: { "Content-Type": "multipart/form-data; boundary=x" } }),
      ),
    );
  }
  for (const [path, limit] of [["/", 10 * 1024 * 1024], ["/own", 500]] as const) {
    assertEquals((await send(path, limit)).status, 200);
    assertEquals(await codeOf(send(path, limit + 1)), [413, "payload_too_large"]);
  }
});

Deno.test("limitedStream() returns chunks as they come, before the body ends", async () => {
  const endless = countedStream(new Uint8Array(10));
  const router = createRouter().post("/", async (req) => {
    const reader = req.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    return json(first?.value?.length);
  }, { raw: true });
  assertEquals(await (await router.fetch(jsonRequest("/", endless.stream))).json(), 10);
  assert(endless.pulled() <= 2 && endless.cancelled());
});

Deno.test("limitedStream() is null without a body", async () => {
  const router = createRouter().post("/", (req) => json(req.body), { raw: true });
  assertEquals(await (await router.request("/", { method: "POST" })).json(), null);
});

Deno.test("req.text() rejects invalid UTF-8, and drops a byte order mark", async () => {
  const router = createRouter().post("/", async (req) => json(await req.text()), { raw: true });
  assertEquals(await codeOf(router.fetch(jsonRequest("/", new Uint8Array([0x61, 0xff])))), [
    400,
    "invalid_text",
  ]);
  assertEquals(await (await router.fetch(jsonRequest("/", "\uFEFFé\uFFFD"))).json(), "é\uFFFD");
  assertEquals(await (await router.fetch(jsonRequest("/", ""))).json(), "");
});

Deno.test("req.arrayBuffer() returns the bytes without padding", async () => {
  const router = createRouter().post("/", async (req) => new Response(await req.arrayBuffer()), {
    raw: true,
  });
  const pool = new Uint8Array([9, 9, 1, 2, 3, 9]).subarray(2, 5);
  assertEquals([...await (await router.fetch(jsonRequest("/", chunked(pool, 2)))).bytes()], [
    1,
    2,
    3,
  ]);
  assertEquals([...await (await router.fetch(jsonRequest("/", pool))).bytes()], [1, 2, 3]);
});

Deno.test("req.formData() reads a urlencoded form on a raw route", async () => {
  const router = createRouter().post("/", async (req) => json([...await req.formData()]), {
    raw: true,
  });
  const response = await router.request("/", {
    method: "POST",
    body: new URLSearchParams("a=1&a=2&b=%C3%A9+x"),
  });
  assertEquals(await response.json(), [["a", "1"], ["a", "2"], ["b", "é x"]]);
});

Deno.test("readers share the bytes: they may be called again, in any order, and after content", async () => {
  const router = createRouter().post("/", async (req) => {
    const length = (await req.arrayBuffer()).byteLength;
    return json([req.content, await req.text(), length, await req.json(), await req.text()]);
  });
  const response = await router.fetch(jsonRequest("/", '{"a":1}'));
  assertEquals(await response.json(), [{ a: 1 }, '{"a":1}', 7, { a: 1 }, '{"a":1}']);
});

Deno.test("a reader after raw or body was read throws a TypeError", async () => {
  for (
    const take of [
      (req: RouteRequest) => req.raw.text(),
      (req: RouteRequest) => new Response(req.body).text(),
    ]
  ) {
    const { errors, onError } = collectErrors();
    const router = createRouter({ onError }).post(
      "/",
      async (req) => json([await take(req), await req.text()]),
      {
        raw: true,
      },
    );
    assertEquals(await codeOf(router.fetch(jsonRequest("/", "x"))), [500, "internal_error"]);
    assertEquals(errors.length, 1);
  }
});

Deno.test("a reader after raw's stream was locked throws a TypeError, however the body was delivered", async () => {
  for (const info of [{}, { remoteAddr: {}, completed: Promise.resolve() }]) {
    const { errors, onError } = collectErrors();
    const router = createRouter<[object]>({ onError }).post("/", async (req) => {
      req.raw.body?.getReader();
      return json(await req.text());
    }, { raw: true });
    const headers = { "Content-Length": "1" };
    assertEquals(await codeOf(router.fetch(jsonRequest("/", "x", { headers }), info)), [
      500,
      "internal_error",
    ]);
    assertEquals(errors.map((error) => error instanceof TypeError), [true]);
  }
});

Deno.test("req.body does not pull from the source until it is read", async () => {
  const router = createRouter().post("/", async (req) => {
    const { body } = req;
    const present = body !== null && body === req.body;
    return json([present, await req.text()]);
  }, { raw: true });
  assertEquals(await (await router.fetch(jsonRequest("/", "x"))).json(), [true, "x"]);
});

Deno.test("a later match reads a body under its own limit", async () => {
  const router = createRouter()
    .post("/a/:x", () => pass(), { maxBodyBytes: 1000 })
    .post("/a/*", (req) => json(req.content), { maxBodyBytes: 5 });
  const long = JSON.stringify("x".repeat(100));
  assertEquals(await codeOf(router.fetch(jsonRequest("/a/b", long))), [413, "payload_too_large"]);
  assertEquals(await (await router.fetch(jsonRequest("/a/b", '"x"'))).json(), "x");
});

Deno.test("a later match reads req.body under its own limit, although the match before created the stream", async () => {
  const router = createRouter()
    .post("/a/:x", (req) => (req.body === null ? json(0) : pass()), {
      raw: true,
      maxBodyBytes: 1000,
    })
    .post("/a/*", async (req) => json((await new Response(req.body).bytes()).length), {
      raw: true,
      maxBodyBytes: 5,
    });
  assertEquals(await codeOf(router.fetch(jsonRequest("/a/b", "123456"))), [
    413,
    "payload_too_large",
  ]);
  assertEquals(await (await router.fetch(jsonRequest("/a/b", "12345"))).json(), 5);
});

Deno.test("a body whose stream fails midway is a 400 and not a 500", async () => {
  for (const [reader, router] of Object.entries(READERS)) {
    let turn = 0;
    const stream: CountedStream["stream"] = new ReadableStream({
      pull(controller): void {
        if (turn++ === 0) controller.enqueue(new Uint8Array([0x22]));
        else controller.error(new Error("connection reset"));
      },
    });
    assertEquals(
      await codeOf(router.fetch(jsonRequest("/", stream))),
      [400, "incomplete_body"],
      reader,
    );
  }
});

for (const limit of [-1, 1.5, NaN, Infinity, "10", null]) {
  Deno.test(`maxBodyBytes rejects ${JSON.stringify(limit)} (${String(limit)})`, () => {
    let thrown = 0;
    try {
      createRouter({ maxBodyBytes: untyped(limit) });
    } catch (error) {
      thrown += Number(error instanceof RangeError);
    }
    try {
      createRouter().post("/", () => json(1), { maxBodyBytes: untyped(limit) });
    } catch (error) {
      thrown += Number(error instanceof RangeError);
    }
    assertEquals(thrown, 2);
  });
}

for (const seconds of [0, -1, NaN, Infinity, 2_147_484, "10", null]) {
  Deno.test(`bodyTimeout rejects ${JSON.stringify(seconds)} (${String(seconds)})`, () => {
    assertThrows(() => createRouter({ bodyTimeout: untyped(seconds) }), RangeError, "bodyTimeout");
    assertThrows(() => routerBuilder({ bodyTimeout: untyped(seconds) }).build(), RangeError);
  });
}

Deno.test("bodyTimeout does not apply to req.body, which is read at the handler's pace", async () => {
  const router = createRouter({ bodyTimeout: 0.01 }).post(
    "/",
    async (req) => json((await new Response(req.body).text()).length),
    { raw: true },
  );
  const slow = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller): Promise<void> {
      await new Promise((done) => setTimeout(done, 50));
      controller.enqueue(new Uint8Array(3));
      controller.close();
    },
  });
  assertEquals(await (await router.fetch(jsonRequest("/", slow))).json(), 3);
});

Deno.test("maxBodyBytes applies to req.body and the readers, but not to req.raw", async () => {
  const router = createRouter({ maxBodyBytes: 10 })
    .post("/raw", async (req) => json((await req.raw.arrayBuffer()).byteLength), { raw: true })
    .post("/body", async (req) => json((await new Response(req.body).bytes()).length), {
      raw: true,
    })
    .post("/text", async (req) => json((await req.text()).length), { raw: true });
  const long = "x".repeat(11);
  assertEquals(await (await router.fetch(jsonRequest("/raw", long))).json(), 11);
  for (const path of ["/body", "/text"]) {
    assertEquals(await codeOf(router.fetch(jsonRequest(path, long))), [413, "payload_too_large"]);
  }
});
