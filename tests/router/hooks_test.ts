import {
  createRouter,
  type ErrorHandler,
  HttpError,
  json,
  type ResponseHook,
} from "@gatehouse/http";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import {
  badly,
  codeOf,
  collectErrors,
  countedStream,
  jsonRequest,
  rawRequest,
  untyped,
} from "./_helpers.ts";

Deno.test("a request goes before → under → use → content type → body → schema → handler → finally", async () => {
  const log: string[] = [];
  const note = (name: string) => () => void log.push(name);
  const body = untyped<
    {
      "~standard": { version: 1; vendor: string; validate: (value: unknown) => { value: unknown } };
    }
  >({
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value: unknown) => (log.push("schema"), { value }),
    },
  });
  const router = createRouter({
    before: [note("before 1"), note("before 2")],
    finally: [note("finally 1"), note("finally 2")],
  })
    .under("/", note("under 1"), note("under 2"))
    .post("/", () => (log.push("handler"), json(1)), {
      use: [note("use 1"), note("use 2")],
      schema: { body },
    });
  await (await router.fetch(jsonRequest("/", "{}"))).body?.cancel();
  assertEquals(log, [
    "before 1",
    "before 2",
    "under 1",
    "under 2",
    "use 1",
    "use 2",
    "schema",
    "handler",
    "finally 1",
    "finally 2",
  ]);
  log.length = 0;
  await (await router.fetch(jsonRequest("/", "{}", { headers: { "Content-Type": "text/plain" } })))
    .body?.cancel();
  assertEquals(
    log.slice(4),
    ["use 1", "use 2", "finally 1", "finally 2"],
    "use comes before the content type",
  );
});

Deno.test("the order is the same if every step is asynchronous", async () => {
  const log: string[] = [];
  const note = (name: string) => async () => {
    await new Promise((done) => setTimeout(done, 0));
    log.push(name);
  };
  const router = createRouter({
    before: [note("b1"), note("b2")],
    finally: [note("f1"), note("f2")],
  })
    .under("/", note("u")).get("/", async () => (await note("handler")(), json(1)), {
      use: [note("use")],
    });
  await (await router.request("/")).body?.cancel();
  assertEquals(log, ["b1", "b2", "u", "use", "handler", "f1", "f2"]);
});

for (const [where, later] of [["at once", false], ["later", true]] as const) {
  Deno.test(`middleware that answers ${where} stops the request, and finally still runs`, async () => {
    const log: string[] = [];
    const stop = () =>
      later ? Promise.resolve(json("stop", { status: 403 })) : json("stop", { status: 403 });
    const router = createRouter({
      before: [(req) => req.path === "/b" ? stop() : undefined],
      finally: [(response) => void log.push(`finally ${response.status}`)],
    })
      .under("/u", stop, () => void log.push("never"))
      .get("/r", () => (log.push("never"), json(1)), { use: [stop, () => void log.push("never")] })
      .get("*", () => (log.push("never"), json(1)));
    for (const path of ["/b", "/u", "/u/x", "/r"]) {
      assertEquals((await router.request(path)).status, 403, path);
    }
    assertEquals(log, Array(4).fill("finally 403"));
  });
}

for (
  const result of [null, false, true, 0, "", {}, Promise.resolve(null), Promise.resolve(false)]
) {
  Deno.test(`middleware that returns ${result instanceof Promise ? "a promise of" : ""} ${JSON.stringify(result)} is a 500, and the next step does not run`, async () => {
    const { onError } = collectErrors();
    let handled = 0;
    for (const where of ["before", "under", "use"]) {
      const bad = badly(() => result);
      const router = createRouter({ onError, before: where === "before" ? [bad] : [] });
      if (where === "under") router.under("/", bad);
      router.get("/", () => json(handled++), { use: where === "use" ? [bad] : [] });
      assertEquals(await codeOf(router.request("/")), [500, "internal_error"], where);
    }
    assertEquals(handled, 0);
  });
}

const BROKEN: readonly (readonly [why: string, path: string, method: string, status: number])[] = [
  ["a 200", "/ok", "GET", 200],
  ["a HEAD", "/ok", "HEAD", 200],
  ["an OPTIONS", "/ok", "OPTIONS", 204],
  ["a 404", "/none", "GET", 404],
  ["a 405", "/ok", "PUT", 405],
  ["a 415", "/json", "POST", 415],
  ["a path that cannot be decoded", "/p/%zz", "GET", 400],
  ["a thrown HttpError", "/refuse", "GET", 409],
  ["a thrown error", "/throw", "GET", 500],
  ["a rejection", "/reject", "GET", 500],
  ["a forgotten return", "/forget", "GET", 500],
  ["a mounted application's answer", "/m/x", "GET", 202],
  ["a mounted application's error", "/m/throw", "GET", 500],
  ["a path that a mount rejects", "/m/../x", "GET", 404],
  ["middleware's answer", "/stop", "GET", 403],
];

function broken(
  hooks: readonly ResponseHook[],
  onError: (error: unknown) => void,
  handler?: ErrorHandler,
) {
  return createRouter({
    finally: hooks,
    onError,
    ...(handler === undefined ? {} : { catch: handler }),
  })
    .under("/stop", () => json(1, { status: 403 }))
    .get("/ok", () => json(1))
    .post("/json", () => json(1))
    .get("/p/:x", () => json(1))
    .get("/refuse", () => {
      throw new HttpError(409, "taken");
    })
    .get("/throw", () => {
      throw new Error("secret");
    })
    .get("/reject", () => Promise.reject(new Error("secret")))
    .get("/forget", badly(() => {}))
    .mount("/m", {
      fetch: (request) => {
        if (request.url.endsWith("/throw")) throw new Error("secret");
        return new Response("mounted", { status: 202 });
      },
    });
}

for (const [why, path, method, status] of BROKEN) {
  Deno.test(`finally runs once, in order, on the final response of ${why}`, async () => {
    for (const later of [false, true]) {
      const log: string[] = [];
      const { errors, onError } = collectErrors();
      const hook = (name: string): ResponseHook => (response) => {
        log.push(`${name} ${response.status}`);
        response.headers.append("X-Hooks", name);
        return later ? Promise.resolve() : undefined;
      };
      const response = await broken([hook("a"), hook("b")], onError).fetch(
        rawRequest(path, { method }),
      );
      assertEquals(log, [`a ${status}`, `b ${status}`]);
      assertEquals([response.status, response.headers.get("X-Hooks")], [status, "a, b"]);
      assertEquals(errors.length, status === 500 ? 1 : 0);
      const text = await response.text();
      if (method === "HEAD") assertEquals(text, "");
      assert(!text.includes("secret"));
    }
  });
}

for (
  const [where, fail] of [
    ["throws", () => {
      throw new Error("secret");
    }],
    ["rejects", () => Promise.reject(new Error("secret"))],
    ["returns no response", badly(() => "text")],
    ["returns null", badly(() => null)],
    ["resolves to no response", badly(() => Promise.resolve({}))],
  ] as const
) {
  Deno.test(`a finally hook that ${where} makes the response a 500, once, and the other hooks receive it`, async () => {
    for (const [, path, method] of BROKEN) {
      const log: number[] = [];
      const { errors, onError } = collectErrors();
      const note: ResponseHook = (response) => void log.push(response.status);
      const response = await broken([note, fail, note, note], onError).fetch(
        rawRequest(path, { method }),
      );
      assertEquals([response.status, log.slice(1)], [500, [500, 500]], path);
      const text = await response.text();
      assertEquals(text === "", method === "HEAD", path);
      assert(!text.includes("secret"));
      assertEquals(errors.length, log[0] === 500 ? 2 : 1, path);
    }
  });
}

Deno.test("a finally hook that throws closes the body of the response that it replaces", async () => {
  const { stream, cancelled } = countedStream(new Uint8Array(1));
  const { onError } = collectErrors();
  const router = createRouter({
    onError,
    finally: [() => {
      throw new Error();
    }],
  }).get("/", () => new Response(stream));
  assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
  assert(cancelled());
});

Deno.test("a finally hook that throws an HttpError answers with it, and is not reported", async () => {
  const { errors, onError } = collectErrors();
  const router = createRouter({
    onError,
    finally: [() => {
      throw new HttpError(503, "late");
    }],
  }).get("/", () => json(1));
  assertEquals(await codeOf(router.request("/")), [503, "late"]);
  assertEquals(errors, []);
});

Deno.test("a finally hook may replace the response, and the next one sees it", async () => {
  const router = createRouter({
    finally: [
      (response) => response.status === 404 ? json("instead", { status: 200 }) : undefined,
      (response) => void response.headers.set("X-Status", String(response.status)),
    ],
  });
  const response = await router.request("/none");
  assertEquals([response.headers.get("X-Status"), await response.json()], ["200", "instead"]);
});

Deno.test("a finally hook cannot give HEAD a body", async () => {
  const router = createRouter({
    finally: [() => new Response("text", { headers: { "X-A": "1" } })],
  }).get("/", () => json(1));
  const response = await router.request("/", { method: "HEAD" });
  assertEquals([response.headers.get("X-A"), await response.text()], ["1", ""]);
});

Deno.test("catch answers a thrown error, and finally sees its response", async () => {
  for (const later of [false, true]) {
    const log: unknown[] = [];
    const { errors, onError } = collectErrors();
    const handler: ErrorHandler = (error, req) => {
      log.push(String(error), req.route);
      const response = json("caught", { status: 418 });
      return later ? Promise.resolve(response) : response;
    };
    for (const path of ["/throw", "/reject", "/refuse", "/m/throw"]) {
      const response = await broken(
        [(response) => void log.push(response.status)],
        onError,
        handler,
      ).request(path);
      assertEquals([response.status, await response.json()], [418, "caught"], path);
    }
    assertEquals(errors, [], "who catches, reports");
    assertEquals(log.slice(0, 3), ["Error: secret", "/throw", 418]);
  }
});

Deno.test("catch is not called for 404, 405, OPTIONS and responses of middleware", async () => {
  let asked = 0;
  const { onError } = collectErrors();
  for (
    const [path, method, status] of [
      ["/none", "GET", 404],
      ["/ok", "PUT", 405],
      ["/ok", "OPTIONS", 204],
      ["/stop", "GET", 403],
      ["/ok", "GET", 200],
    ] as const
  ) {
    assertEquals(
      (await broken([], onError, () => void asked++).request(path, { method })).status,
      status,
    );
  }
  assertEquals(asked, 0);
});

Deno.test("catch is called once for the router's 400, 413 and 415", async () => {
  const asked: unknown[] = [];
  const router = createRouter({
    maxBodyBytes: 9,
    catch: (error) => void asked.push((error as HttpError).code),
  }).post("/", () => json(1));
  for (const body of ["{", '"0123456789"', "text"]) {
    await (await router.fetch(
      jsonRequest("/", body, body === "text" ? { headers: { "Content-Type": "text/plain" } } : {}),
    )).body?.cancel();
  }
  assertEquals(asked, ["invalid_json", "payload_too_large", "unsupported_media_type"]);
});

for (
  const [where, handler] of [["returns nothing", () => {}], [
    "resolves to nothing",
    () => Promise.resolve(),
  ]] as const
) {
  Deno.test(`catch that ${where} leaves the response to the router`, async () => {
    const { errors, onError } = collectErrors();
    assertEquals(await codeOf(broken([], onError, handler).request("/refuse")), [409, "taken"]);
    assertEquals(errors.length, 0);
    assertEquals(await codeOf(broken([], onError, handler).request("/throw")), [
      500,
      "internal_error",
    ]);
    assertEquals(errors.length, 1);
  });
}

const SECOND = new Error("second secret");
for (
  const [where, handler] of [
    ["throws", () => {
      throw SECOND;
    }],
    ["rejects", () => Promise.reject(SECOND)],
  ] as const
) {
  Deno.test(`catch that ${where} is a 500, once; both errors are reported, and finally runs once`, async () => {
    const { errors, onError } = collectErrors();
    const log: number[] = [];
    const response = await broken([(response) => void log.push(response.status)], onError, handler)
      .request("/throw");
    assertEquals(await codeOf(response), [500, "internal_error"]);
    assertEquals(log, [500]);
    assertEquals(errors.map(String), ["Error: secret", "Error: second secret"]);
  });
}

Deno.test("catch that rethrows its error is reported once", async () => {
  for (const later of [false, true]) {
    const { errors, onError } = collectErrors();
    const handler: ErrorHandler = (error) => {
      if (later) return Promise.reject(error);
      throw error;
    };
    assertEquals(await codeOf(broken([], onError, handler).request("/throw")), [
      500,
      "internal_error",
    ]);
    assertEquals(errors.length, 1);
    assertEquals(await codeOf(broken([], onError, handler).request("/refuse")), [409, "taken"]);
  }
});

Deno.test("catch may turn an error into an HttpError", async () => {
  const { onError } = collectErrors();
  const handler: ErrorHandler = () => {
    throw new HttpError(503, "service_unavailable");
  };
  assertEquals(await codeOf(broken([], onError, handler).request("/throw")), [
    503,
    "service_unavailable",
  ]);
});

for (const value of ["text", null, false, {}]) {
  Deno.test(`catch that returns ${JSON.stringify(value)} is a 500`, async () => {
    const { onError } = collectErrors();
    assertEquals(await codeOf(broken([], onError, badly(() => value)).request("/refuse")), [
      500,
      "internal_error",
    ]);
  });
}

Deno.test("onError gets the error and the request with its route", async () => {
  const seen: unknown[] = [];
  const error = new Error("x");
  const router = createRouter({
    onError: (error, req) => void seen.push(error, req.route, req.method),
  }).get("/a/:id", () => {
    throw error;
  });
  await (await router.request("/a/7")).body?.cancel();
  assertStrictEquals(seen[0], error);
  assertEquals(seen.slice(1), ["/a/:id", "GET"]);
});

for (
  const [where, onError] of [
    ["throws", () => {
      throw new Error("reporter");
    }],
    ["rejects", () => Promise.reject(new Error("reporter"))],
  ] as const
) {
  Deno.test(`onError that ${where} affects neither the response nor the process`, async () => {
    const router = createRouter({ onError: badly(onError) }).get("/", () => {
      throw new Error();
    });
    assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
    await new Promise((done) => setTimeout(done, 0));
  });
}

Deno.test("onError writes to the console by default: the error and the route, not the path", async () => {
  const lines: unknown[][] = [];
  const original = Object.getOwnPropertyDescriptor(console, "error") ?? {};
  const note = (...line: unknown[]): void => void lines.push(line);
  Object.defineProperty(console, "error", { ...original, value: note });
  try {
    const router = createRouter().get("/reset/:token", () => {
      throw new Error("boom");
    });
    await (await router.request("/reset/secret?also=secret")).body?.cancel();
  } finally {
    Object.defineProperty(console, "error", original);
  }
  assertEquals(lines.length, 1);
  const text = lines[0]?.map(String).join(" ") ?? "";
  assert(
    text.includes("GET /reset/:token") && text.includes("boom") && !text.includes("secret"),
    text,
  );
});

Deno.test("hooks are read once: arrays changed later have no effect", async () => {
  const before: (() => undefined)[] = [];
  const hooks: ResponseHook[] = [];
  const router = createRouter({ before, finally: hooks }).get("/", () => json(1));
  before.push(badly(() => json("late")));
  hooks.push(() => json("late"));
  assertEquals(await (await router.request("/")).json(), 1);
});
