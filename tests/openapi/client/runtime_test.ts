import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type AnyCall, type Api, connect } from "../../../openapi/client/runtime.ts";
import { createRouter, json } from "../../../router/mod.ts";

const API: Api = {
  routes: {
    "POST /files": { body: "multipart/form-data" },
    "POST /forms": { body: "application/x-www-form-urlencoded" },
    "PATCH /notes/{id}": { body: "application/merge-patch+json" },
    "POST /lines": { body: "application/x-ndjson" },
    "POST /images": { body: "image/png", data: "blob" },
    "GET /text": { data: "text" },
    "GET /any": { data: "any" },
    "GET /files/{path}": { rest: "path" },
  },
};
const ORIGIN = "https://api.example";

type Sent = [call?: AnyCall | undefined, baseUrl?: string | undefined];

/** What a call sends. */
async function sent(route: string, ...[call, ...base]: Sent): Promise<Request> {
  const [baseUrl] = base.length === 0 ? [ORIGIN] : base;
  const requests: Request[] = [];
  const client = connect(API, {
    baseUrl,
    fetch: (request) => {
      requests.push(request);
      return new Response(null, { status: 204 });
    },
  });
  await client(route, call);
  assertEquals(requests.length, 1);
  return requests[0] as Request;
}

/** What a call makes of a response. */
async function received(route: string, body: BodyInit | null, init?: ResponseInit) {
  const client = connect(API, { baseUrl: ORIGIN, fetch: () => new Response(body, init) });
  const { response: _, ...outcome } = await client(route);
  return outcome;
}

/** Why, the route, the options, and the path and query that are sent. */
const URLS: readonly (readonly [string, string, AnyCall, string])[] = [
  ["a parameter", "GET /notes/{id}", { params: { id: "a" } }, "/notes/a"],
  ["a number", "GET /notes/{id}", { params: { id: 7 } }, "/notes/7"],
  ["several parameters", "GET /{a}/x/{b}", { params: { a: "1", b: "2" } }, "/1/x/2"],
  ["a slash", "GET /notes/{id}", { params: { id: "a/../b" } }, "/notes/a%2F..%2Fb"],
  ["a percent sign", "GET /notes/{id}", { params: { id: "%2e%2e" } }, "/notes/%252e%252e"],
  ["an encoded slash", "GET /notes/{id}", { params: { id: "a%2fb" } }, "/notes/a%252fb"],
  ["a backslash", "GET /notes/{id}", { params: { id: "..\\b" } }, "/notes/..%5Cb"],
  ["a query", "GET /notes/{id}", { params: { id: "?a=b#c" } }, "/notes/%3Fa%3Db%23c"],
  ["dots that are no segment of their own", "GET /{id}", { params: { id: "..." } }, "/..."],
  ["a template in a value", "GET /{a}/{b}", { params: { a: "{b}", b: "x" } }, "/%7Bb%7D/x"],
  ["a pattern of replace()", "GET /{a}", { params: { a: "$&" } }, "/%24%26"],
  ["another host", "GET /{a}/{b}", { params: { a: "/evil", b: "x" } }, "/%2Fevil/x"],
  ["line breaks", "GET /{a}", { params: { a: "a\r\nb\tc" } }, "/a%0D%0Ab%09c"],
  ["the rest of a path", "GET /files/{path}", { params: { path: "a b/c" } }, "/files/a%20b/c"],
  ["a query of strings", "GET /n", { query: { q: "a&b=c", t: "ü" } }, "/n?q=a%26b%3Dc&t=%C3%BC"],
  ["other values", "GET /n", { query: { n: 1, b: false } }, "/n?n=1&b=false"],
  ["arrays", "GET /n", { query: { tag: ["a", 2] } }, "/n?tag=a&tag=2"],
  ["values that are not there", "GET /n", { query: { a: undefined, b: null, c: [] } }, "/n"],
  ["an empty query", "GET /n", { query: {} }, "/n"],
  ["a key __proto__", "GET /n", { query: JSON.parse('{"__proto__":"x"}') }, "/n?__proto__=x"],
];
for (const [why, route, call, path] of URLS) {
  Deno.test(`connect() sends ${why} in the URL`, async () => {
    assertEquals((await sent(route, call)).url, ORIGIN + path);
  });
}

/** Parameters that no URL can have as one segment. */
const UNSENDABLE: readonly (readonly [string, string, AnyCall?])[] = [
  ["no parameters", "GET /notes/{id}"],
  ["a missing parameter", "GET /notes/{id}", { params: {} }],
  ["undefined", "GET /notes/{id}", { params: { id: undefined } }],
  ["null", "GET /notes/{id}", { params: { id: null } }],
  ["an empty string", "GET /{a}/{b}", { params: { a: "", b: "evil.example" } }],
  ["one dot", "GET /notes/{id}", { params: { id: "." } }],
  ["two dots", "GET /notes/{id}", { params: { id: ".." } }],
  ["an inherited member", "GET /{constructor}", { params: {} }],
  ["__proto__", "GET /{__proto__}", { params: {} }],
  ["two dots in the rest of a path", "GET /files/{path}", { params: { path: "a/../../b" } }],
  ["an empty rest of a path", "GET /files/{path}", { params: { path: "" } }],
];
for (const [why, route, call] of UNSENDABLE) {
  Deno.test(`connect() rejects ${why} as a path parameter`, async () => {
    const error = await assertRejects(() => sent(route, call), TypeError);
    assert(
      /^Cannot call \S+: parameter \S+ must not be empty, "\." or "\.\."$/.test(error.message),
    );
  });
}

/** Where an API is, and what is sent to it. */
const BASES: readonly (readonly [string, string])[] = [
  ["https://api.example/", "https://api.example/notes"],
  ["https://api.example/v1", "https://api.example/v1/notes"],
  ["https://api.example/v1//", "https://api.example/v1/notes"],
  ["https://api.example:8443/v1?a=b#c", "https://api.example:8443/v1/notes"],
];
for (const [base, url] of BASES) {
  Deno.test(`connect() sends requests to the base ${base}`, async () => {
    assertEquals((await sent("GET /notes", undefined, base)).url, url);
  });
}

Deno.test("connect() keeps the origin where a route starts with two slashes", async () => {
  assertEquals((await sent("GET //evil.example/x")).url, `${ORIGIN}//evil.example/x`);
});

Deno.test("connect() sends requests of a page to its origin", async () => {
  const { location } = globalThis;
  const page = { href: "https://page.example/a/b?c=d" };
  Object.defineProperty(globalThis, "location", { value: page, configurable: true });
  try {
    for (const [baseUrl, path] of [[undefined, "/notes"], ["/v1", "/v1/notes"]] as const) {
      assertEquals((await sent("GET /notes", {}, baseUrl)).url, `https://page.example${path}`);
    }
  } finally {
    Object.defineProperty(globalThis, "location", { value: location, configurable: true });
  }
});

Deno.test("connect() needs a base outside of a page", () => {
  assertThrows(() => connect(API), TypeError);
  assertThrows(() => connect(API, { baseUrl: "/v1" }), TypeError);
});

Deno.test("connect() sends JSON, also of a key __proto__", async () => {
  const body = JSON.parse('{"__proto__":{"a":1},"b":undefined}'.replace("undefined", "null"));
  const request = await sent("POST /notes", { body });
  assertEquals(request.headers.get("Content-Type"), "application/json");
  assertEquals(await request.text(), '{"__proto__":{"a":1},"b":null}');
});

for (const [body, text] of [[null, "null"], [0, "0"], ["", '""'], [false, "false"]] as const) {
  Deno.test(`connect() sends ${text} as JSON`, async () => {
    assertEquals(await (await sent("POST /notes", { body })).text(), text);
  });
}

Deno.test("connect() sends no body and no media type without one", async () => {
  const request = await sent("POST /notes");
  assertEquals([request.body, request.headers.get("Content-Type")], [null, null]);
});

Deno.test("connect() sends another JSON type where the document names it", async () => {
  const request = await sent("PATCH /notes/{id}", { params: { id: "a" }, body: { title: null } });
  assertEquals(request.headers.get("Content-Type"), "application/merge-patch+json");
  assertEquals(await request.json(), { title: null });
});

Deno.test("connect() makes a multipart form of an object", async () => {
  const file = new File(["hello"], "a.txt", { type: "text/plain" });
  const body = {
    title: "a\r\nb",
    count: 2,
    tags: ["x", "y"],
    file: [file, new Blob(["b"])],
    no: undefined,
  };
  const request = await sent("POST /files", { body });
  assert(request.headers.get("Content-Type")?.startsWith("multipart/form-data; boundary="));
  const form = await request.formData();
  assertEquals([form.get("count"), form.getAll("tags"), form.has("no")], ["2", ["x", "y"], false]);
  const [first, second] = form.getAll("file") as File[];
  assertEquals([first?.name, await first?.text(), await second?.text()], ["a.txt", "hello", "b"]);
});

Deno.test("connect() sends a FormData as it is", async () => {
  const body = new FormData();
  body.append("file", new File(["x"], "x.txt"));
  assertEquals((await (await sent("POST /files", { body })).formData()).has("file"), true);
});

Deno.test("connect() makes an encoded form of an object", async () => {
  const request = await sent("POST /forms", { body: { a: "1 &", b: [true, 2] } });
  assert(request.headers.get("Content-Type")?.startsWith("application/x-www-form-urlencoded"));
  assertEquals(await request.text(), "a=1+%26&b=true&b=2");
});

Deno.test("connect() sends URLSearchParams as they are", async () => {
  const request = await sent("POST /forms", { body: new URLSearchParams("a=1&a=2") });
  assertEquals(await request.text(), "a=1&a=2");
});

Deno.test("connect() sends other bodies as they are, with the document's type", async () => {
  const request = await sent("POST /images", { body: new Uint8Array([1, 2]) });
  assertEquals(request.headers.get("Content-Type"), "image/png");
  assertEquals(await request.bytes(), new Uint8Array([1, 2]));
});

Deno.test("connect() sends lines of JSON as they are: their type is not JSON", async () => {
  const request = await sent("POST /lines", { body: "{}\n{}\n" });
  assertEquals(request.headers.get("Content-Type"), "application/x-ndjson");
  assertEquals(await request.text(), "{}\n{}\n");
});

Deno.test("connect() sends cookies as fetch does, unless the client says otherwise", async () => {
  const { Request } = globalThis;
  const found: unknown[] = [];
  globalThis.Request = class extends Request {
    constructor(input: URL | RequestInfo, init?: RequestInit) {
      super(input, init);
      found.push(Object.entries(init ?? {}).filter(([name]) => name === "credentials"));
    }
  };
  try {
    for (const options of [{}, { credentials: "include" as const }]) {
      const fetch = () => new Response();
      await connect(API, { baseUrl: ORIGIN, fetch, ...options })("GET /notes");
    }
  } finally {
    globalThis.Request = Request;
  }
  assertEquals(found, [[], [["credentials", "include"]]]); // workerd refuses the member
});

Deno.test("connect() merges header fields, those of the call first, and skips undefined ones", async () => {
  const requests: Request[] = [];
  const client = connect(API, {
    baseUrl: ORIGIN,
    headers: { "X-API-Key": "k", Accept: "text/plain" },
    fetch: (request) => {
      requests.push(request);
      return new Response();
    },
  });
  await client("GET /notes", { headers: { accept: "application/json", "If-Match": undefined } });
  assertEquals([...requests[0]?.headers ?? []], [["accept", "application/json"], [
    "x-api-key",
    "k",
  ]]);
});

Deno.test("connect() rejects header fields with line breaks", async () => {
  const headers = { "If-Match": "a\r\nX-Admin: 1" };
  await assertRejects(() => sent("GET /notes", { headers }), TypeError);
});

Deno.test("connect() does not follow redirects, unless the call says so", async () => {
  assertEquals((await sent("GET /notes")).redirect, "manual");
  assertEquals((await sent("GET /notes", { init: { redirect: "follow" } })).redirect, "follow");
});

Deno.test("connect() hands on options of fetch, but neither method nor header fields", async () => {
  const init = { keepalive: true, method: "DELETE", headers: { a: "b" } };
  const request = await sent("GET /notes", { init });
  assertEquals([request.method, [...request.headers]], ["GET", []]);
});

Deno.test("connect() takes no member of an object for a route of the document", async () => {
  assertEquals((await sent("GET /constructor")).url, `${ORIGIN}/constructor`);
});

const JSON_TYPE = { "Content-Type": "application/json; charset=utf-8" };
/** Successful responses: why, the route, body and header fields, and the data. */
const DATA: readonly (readonly [string, string, string | null, ResponseInit, unknown])[] = [
  ["JSON", "GET /n", '{"a":1}', { headers: JSON_TYPE }, { a: 1 }],
  [
    "JSON of a type in capitals, with a space",
    "GET /n",
    "[1]",
    { headers: { "Content-Type": "Application/JSON ; charset=utf-8" } },
    [1],
  ],
  [
    "JSON of another type",
    "GET /n",
    "[1]",
    { headers: { "Content-Type": "application/hal+json" } },
    [1],
  ],
  ["nothing", "GET /n", null, { status: 204 }, undefined],
  ["nothing instead of text", "GET /text", null, { status: 204 }, undefined],
  ["nothing of any type", "GET /any", null, { status: 204 }, undefined],
  ["an empty body", "GET /n", "", { status: 202 }, undefined],
  ["an empty body of JSON, as HEAD has", "GET /n", "", { headers: JSON_TYPE }, undefined],
  ["text", "GET /text", "hello", {}, "hello"],
  ["text that is JSON", "GET /text", "{}", { headers: JSON_TYPE }, "{}"],
  ["text of any type", "GET /any", "a,b", { headers: { "Content-Type": "text/csv" } }, "a,b"],
  ["JSON of any type", "GET /any", "{}", { headers: JSON_TYPE }, {}],
];
for (const [why, route, body, init, data] of DATA) {
  Deno.test(`connect() reads ${why}`, async () => {
    assertEquals(await received(route, body, init), { ok: true, status: init.status ?? 200, data });
  });
}

Deno.test("connect() reads text where a response of any type names none", async () => {
  const outcome = await received("GET /any", new TextEncoder().encode("a"));
  assertEquals(outcome, { ok: true, status: 200, data: "a" });
});

Deno.test("connect() reads events of text where the document has other types, too", async () => {
  const outcome = await received("GET /any", "data: {}\n\n", {
    headers: { "Content-Type": "text/event-stream" },
  });
  assert(outcome.ok && "data" in outcome);
  for await (const event of outcome.data as AsyncIterable<unknown>) {
    assertEquals(event, { event: "message", id: "", data: "{}" });
    break;
  }
});

Deno.test("connect() reads a Blob where the document has another type", async () => {
  for (const route of ["POST /images", "GET /any"]) {
    const { ok, ...outcome } = await received(route, "x", {
      headers: { "Content-Type": "image/png" },
    });
    assert(ok && "data" in outcome && outcome.data instanceof Blob);
    assertEquals([outcome.data.type, await outcome.data.text()], ["image/png", "x"]);
  }
});

Deno.test("connect() rejects a success that is not JSON though it says so", async () => {
  await assertRejects(() => received("GET /n", "<html>", { headers: JSON_TYPE }), SyntaxError);
});

Deno.test("connect() rejects a success of another type: a proxy's page is no data", async () => {
  for (const type of ["text/html", "application/x-ndjson", "application/json-seq"]) {
    const error = await assertRejects(
      () => received("GET /n", "<html>", { headers: { "Content-Type": type } }),
      TypeError,
    );
    assertEquals(error.message, `Cannot read response: ${type} is not JSON`);
  }
});

Deno.test("connect() cancels the body of a refusal that is not JSON", async () => {
  let canceled = false;
  const body = new ReadableStream({ cancel: () => void (canceled = true) });
  await received("GET /n", body, { status: 502 });
  assert(canceled);
});

const PROBLEM = { type: "about:blank", title: "Not Found", status: 404, code: "no_such_note" };
/** Refusals: why, body and header fields, and the problem. */
const PROBLEMS: readonly (readonly [string, string | null, ResponseInit, unknown])[] = [
  ["problem details", JSON.stringify(PROBLEM), {
    status: 404,
    headers: { "Content-Type": "application/problem+json" },
  }, PROBLEM],
  ["other JSON", '{"error":"x"}', { status: 400, headers: JSON_TYPE }, { error: "x" }],
  ...[
    ["a page of a proxy", "<html>", { "Content-Type": "text/html" }],
    ["what is not JSON though it says so", "<html>", JSON_TYPE],
    ["JSON that does not say so", '{"code":"x"}', { "Content-Type": "text/plain" }],
    ["an empty body", "", JSON_TYPE],
    ["null", "null", JSON_TYPE],
    ["no body", null, {}],
  ].map(([why, body, headers]) =>
    [why, body, { status: 502, statusText: "Bad Gateway", headers }, {
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      code: "unknown",
    }] as (typeof PROBLEMS)[number]
  ),
  ["a redirect", null, { status: 302, headers: { Location: "/x" } }, {
    type: "about:blank",
    title: "",
    status: 302,
    code: "unknown",
  }],
];
for (const [why, body, init, problem] of PROBLEMS) {
  Deno.test(`connect() returns the problem of a refusal with ${why}`, async () => {
    assertEquals(await received("GET /n", body, init), {
      ok: false,
      status: init.status ?? 0,
      problem,
    });
  });
}

Deno.test("connect() rejects as fetch does: for a failure of the network, and when it is aborted", async () => {
  const failure = new TypeError("network");
  const client = connect(API, { baseUrl: ORIGIN, fetch: () => Promise.reject(failure) });
  assertEquals(await client("GET /n").catch((error) => error), failure);

  for (const where of ["call", "client"]) {
    const signal = AbortSignal.abort(new Error("enough"));
    const router = createRouter().get("/n", () => json({}));
    const aborted = connect(API, {
      baseUrl: ORIGIN,
      signal: where === "client" ? signal : new AbortController().signal,
      fetch: async (request) => {
        request.signal.throwIfAborted();
        return await router.fetch(request);
      },
    });
    const call = { signal: where === "call" ? signal : new AbortController().signal };
    await assertRejects(() => aborted("GET /n", call), Error, "enough");
  }
});
