/** How documents of other servers are fetched: allowed responses, sizes, times and destinations. */

import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import { FetchError, type FetchFailure, fetchJson, fetchStatus } from "../../auth/_fetch_json.ts";
import { LIMIT, OPTIONS, refusal } from "./_fetch_json.ts";
import { closedOrigin, countingFetch, gzip, serveBytes, serveHttp, streamOf } from "./_servers.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const DOCUMENT = { issuer: "https://id.example.com", keys: [1, "ä"] };
const TEXT = JSON.stringify(DOCUMENT);

/** Responses that are accepted as {@linkcode DOCUMENT}. */
const TAKEN: readonly (readonly [why: string, answer: () => Response])[] = [
  ["a document", () => Response.json(DOCUMENT)],
  ["a type with parameters", () => typed("application/json; charset=utf-8")],
  ["the type of JWK sets", () => typed("application/jwk-set+json")],
  ["a custom type", () => typed("application/octet-stream")],
  ["text", () => typed("text/plain")],
  ["no type", () => new Response(new TextEncoder().encode(TEXT))],
  ["a byte order mark", () => new Response(`\ufeff${TEXT}`, { headers: JSON_TYPE })],
  ["no Content-Length", () => new Response(new Blob([TEXT]).stream(), { headers: JSON_TYPE })],
  ["one byte at a time", () => new Response(bytewise(TEXT), { headers: JSON_TYPE })],
  ["compression", () => gzip(new Blob([TEXT]).stream())],
  ["the maximum number of bytes", () => new Response(TEXT + " ".repeat(LIMIT - byteLength(TEXT)))],
];
for (const [why, answer] of TAKEN) {
  Deno.test(`fetchJson() accepts ${why}`, async () => {
    await using server = serveHttp(answer);
    const { value } = await fetchJson(`${server.origin}/doc`, OPTIONS);
    assertEquals(value, DOCUMENT);
  });
}

const STATUSES = [201, 202, 203, 204, 206, 300, 304, 400, 401, 403, 404, 410, 429, 500, 502, 503];
for (const status of STATUSES) {
  Deno.test(`fetchJson() rejects the status ${status}`, async () => {
    const hasBody = status !== 204 && status !== 304;
    await using server = serveHttp(() => new Response(hasBody ? TEXT : null, { status }));
    assertEquals(await refusal(server.origin), `the status is ${status}`);
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`fetchJson() does not follow a redirect by ${status}`, async () => {
    await using target = serveHttp(() => Response.json(DOCUMENT));
    const headers = { Location: `${target.origin}/` };
    await using server = serveHttp(() => new Response(TEXT, { status, headers }));
    assertEquals(await refusal(server.origin), `the status is ${status}`);
    assertEquals([server.requests.length, target.requests.length], [1, 0]);
  });
}

Deno.test("fetchJson() rejects a redirected response of a custom fetch", async () => {
  await using server = serveHttp(({ url }) =>
    url.endsWith("/doc") ? Response.json(DOCUMENT) : Response.redirect(`${url}doc`)
  );
  const follow = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: "follow" });
  const message = await refusal(server.origin, { fetch: follow });
  assertEquals(message, "the response was redirected");
});

Deno.test("fetchJson() rejects an opaque redirect of a browser", async () => {
  const opaque = () => Promise.resolve(Response.error()); // the status of an opaque redirect is 0
  assertEquals(
    await refusal("https://id.example.com", { fetch: opaque }),
    "the status is 0",
  );
});

/** Responses of status 200 that are rejected; they contain "s3cret", which no message may quote. */
const REFUSED: readonly (readonly [why: string, answer: () => Response, state: string])[] = [
  ["a page", () => typed("text/html"), "the response is HTML"],
  ["a page in upper case", () => typed("TEXT/HTML;charset=utf-8"), "the response is HTML"],
  ["nothing", () => new Response(null), "the response is not JSON or has duplicate names"],
  [
    "a truncated document",
    () => new Response('{"s3cret":'),
    "the response is not JSON or has duplicate names",
  ],
  ["a string", () => new Response("s3cret"), "the response is not JSON or has duplicate names"],
  ["two documents", () => new Response("{}{}"), "the response is not JSON or has duplicate names"],
  [
    "a duplicate name",
    () => new Response('{"s3cret":1,"s\\u0033cret":2}'),
    "the response is not JSON or has duplicate names",
  ],
  [
    "a prototype",
    () => new Response('{"__proto__":{"s3cret":1}}'),
    "the response is not JSON or has duplicate names",
  ],
  [
    "bytes that are not UTF-8",
    () => new Response(new Uint8Array([0x22, 0xff, 0x22])),
    "the response is not UTF-8",
  ],
  [
    "a truncated UTF-8 sequence at the end",
    () => new Response(new Uint8Array([0x22, 0xc3])),
    "the response is not UTF-8",
  ],
  ["one byte too many", () => new Response(" ".repeat(LIMIT + 1)), "the response is too large"],
  [
    "one byte too many, without Content-Length",
    () => new Response(streamOf(LIMIT + 1)),
    "the response is too large",
  ],
  ["one byte too many, compressed", () => gzip(streamOf(LIMIT + 1)), "the response is too large"],
];
for (const [why, answer, state] of REFUSED) {
  Deno.test(`fetchJson() rejects ${why}`, async () => {
    await using server = serveHttp(answer);
    assertEquals(await refusal(server.origin), state);
  });
}

Deno.test("fetchJson() sends GET without credentials", async () => {
  await using server = serveHttp(() =>
    Response.json(DOCUMENT, { headers: { "Set-Cookie": "a=b" } })
  );
  await fetchJson(server.origin, OPTIONS);
  await fetchJson(server.origin, OPTIONS);
  for (const { method, headers } of server.requests) {
    assertEquals([method, headers.get("accept")], ["GET", "application/json"]);
    for (const name of ["cookie", "authorization", "referer", "origin"]) {
      assertFalse(headers.has(name), name);
    }
  }
});

Deno.test("fetchJson() reports the error of a custom fetch as the cause", async () => {
  const thrown = new TypeError("no route");
  const fetch = () => Promise.reject(thrown);
  const options = { ...OPTIONS, fetch };
  const error = await assertRejects(() => fetchJson("https://id.example.com", options), Error);
  assertEquals([error.message, error.cause], ["Cannot fetch JSON: no connection", thrown]);
});

Deno.test("fetchJson() rejects a body that is not bytes", async () => {
  for (const chunk of ["{}", 1, {}, null]) {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(chunk);
        controller.close();
      },
    });
    const fetch = () => Promise.resolve(new Response(body));
    await assertRejects(() => fetchJson("https://id.example.com", { ...OPTIONS, fetch }), Error);
  }
});

/** [Cache-Control, Age, seconds] */
const AGES: readonly (readonly [cacheControl: string, age: string, seconds: number | undefined])[] =
  [
    ["", "", undefined],
    ["public", "", undefined],
    ["max-age=300", "", 300],
    ["public, Max-Age=300, must-revalidate", "", 300],
    ['max-age="300"', "", 300],
    ["max-age=300", "100", 200],
    ["max-age=300", "301", 0],
    ["max-age=300", "later", 300],
    ["max-age=300", "-5", 300],
    ["max-age=300, max-age=200", "", 200],
    ["s-maxage=300", "", undefined],
    ["max-age=0", "", 0],
    ["max-age=-1", "", 0],
    ["max-age=soon", "", 0],
    ["max-age", "", 0],
    ["max-age=99999999999", "", 0],
    ["no-cache", "", 0],
    ['no-cache="set-cookie"', "", 0],
    ["no-store, max-age=300", "", 0],
    ["x-max-age=5", "", undefined],
  ];
for (const [cacheControl, age, seconds] of AGES) {
  Deno.test(`fetchJson() reads ${seconds} from "${cacheControl}" of age "${age}"`, async () => {
    const headers = { "Cache-Control": cacheControl, Age: age };
    const fetch = () => Promise.resolve(Response.json(DOCUMENT, { headers }));
    const { maxAge } = await fetchJson("https://id.example.com", { ...OPTIONS, fetch });
    assertEquals(maxAge, seconds);
  });
}

function typed(type: string): Response {
  return new Response(TEXT, { headers: { "Content-Type": type } });
}

function bytewise(text: string): ReadableStream<Uint8Array> {
  const bytes = [...new TextEncoder().encode(text)];
  return ReadableStream.from(bytes.map((byte) => Uint8Array.of(byte)));
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

const TEXT_LIMITS = JSON.stringify({ keys: [1, 2, 3] });

Deno.test("fetchJson() stops reading 50 MB at the limit", async () => {
  const size = 50 * 1_024 * 1_024;
  for (const body of [() => new Response(streamOf(size)), () => gzip(streamOf(size))]) {
    await using server = serveHttp(body);
    const counted = countingFetch();
    assertEquals(await refusal(server.origin, counted), "the response is too large");
    assert(counted.read() > 0 && counted.read() < 5 * LIMIT, `read ${counted.read()} bytes`);
    assertEquals(counted.isCancelled(), true);
  }
});

Deno.test("fetchJson() does not read a response with a too large Content-Length", async () => {
  await using server = serveBytes(
    `HTTP/1.1 200 OK\r\nContent-Length: 52428800\r\n\r\n`,
    " ".repeat(1_024),
    "",
  );
  const counted = countingFetch();
  assertEquals(await refusal(server.origin, counted), "the response is too large");
  assertEquals(counted.isCancelled(), true);
});

/** Raw responses whose length differs from the announced one. */
const LENGTHS: readonly (readonly [why: string, head: string, body: string, state: string])[] = [
  ["a body that ends too early", "Content-Length: 100", TEXT_LIMITS, "the connection was lost"],
  [
    "a body that continues",
    "Content-Length: 5",
    TEXT_LIMITS,
    "the response is not JSON or has duplicate names",
  ],
  [
    "chunks without a final one",
    "Transfer-Encoding: chunked",
    "3\r\n{  \r\n",
    "the connection was lost",
  ],
];
for (const [why, head, body, state] of LENGTHS) {
  Deno.test(`fetchJson() rejects a response with a wrong length: ${why}`, async () => {
    await using server = serveBytes(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`, body);
    assertEquals(await refusal(server.origin), state);
  });
}

Deno.test("fetchJson() rejects an unreachable server", async () => {
  assertEquals(await refusal(closedOrigin()), "no connection");
  await using silent = serveBytes();
  assertEquals(await refusal(silent.origin), "no connection");
  await using other = serveBytes("SSH-2.0-OpenSSH_9.6\r\n");
  assertEquals(await refusal(other.origin), "no connection");
});

const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

/** Raw responses that do not end; an empty last part keeps the connection open. */
const SLOW: readonly (readonly [why: string, parts: readonly string[]])[] = [
  ["no response", [""]],
  ["half of the header section", ["HTTP/1.1 200 OK\r\nX: ", ""]],
  ["a header section only", [`${HEAD}Content-Length: ${TEXT_LIMITS.length}\r\n\r\n`, ""]],
  ["half of a body", [`${HEAD}Content-Length: 100\r\n\r\n`, TEXT_LIMITS, ""]],
  ["half of the chunks", [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, "2\r\n[1\r\n", ""]],
];
for (const [why, parts] of SLOW) {
  Deno.test(`fetchJson() times out: ${why}`, async () => {
    await using server = serveBytes(...parts);
    assertEquals(await refusal(server.origin, { timeoutMs: 100 }), "timeout");
  });
}

Deno.test("fetchJson() times out for a slow body", async () => {
  await using server = serveHttp(() => new Response(drops()));
  const counted = countingFetch();
  assertEquals(
    await refusal(server.origin, { ...counted, timeoutMs: 200 }),
    "timeout",
  );
  // At most twenty chunks arrive in this time; fewer on a busy machine
  assert(counted.read() < 100, `read ${counted.read()} bytes`);
  assertEquals(counted.isCancelled(), true);
});

Deno.test("fetchJson() times out for a custom fetch that ignores the signal", async () => {
  const fetch = () => new Promise<Response>(() => {});
  assertEquals(
    await refusal("https://id.example.com", { fetch, timeoutMs: 20 }),
    "timeout",
  );
});

Deno.test("fetchJson() cancels a late response", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ cancel: () => resolve() });
  const late = Promise.withResolvers<Response>();
  const message = await refusal("https://id.example.com", {
    fetch: () => late.promise,
    timeoutMs: 20,
  });
  assertEquals(message, "timeout");
  late.resolve(new Response(body));
  await cancelled;
});

Deno.test("fetchJson() cancels the infinite body of a custom fetch", async () => {
  const { promise: cancelled, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({ cancel: () => resolve() });
  const fetch = () => Promise.resolve(new Response(body));
  assertEquals(
    await refusal("https://id.example.com", { fetch, timeoutMs: 20 }),
    "timeout",
  );
  await cancelled;
});

/** A space every ten milliseconds. */
function drops(): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setInterval> | undefined;
  return new ReadableStream({
    start(controller) {
      timer = setInterval(() => controller.enqueue(Uint8Array.of(0x20)), 10);
    },
    cancel: () => clearInterval(timer),
  });
}

const ADDRESS = "https://id.example.com/doc";
const TEXT_RULES = '{"name":"Ada ä € 𝄞"}'; // characters of one to four bytes

function answering(answer: () => Response) {
  return { ...OPTIONS, fetch: () => Promise.resolve(answer()) };
}

for (const size of [1, 2, 3, 5, 7, 64]) {
  Deno.test(`fetchJson() decodes characters split into chunks of ${size} bytes`, async () => {
    const bytes = new TextEncoder().encode(TEXT_RULES);
    const pieces = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, i) => bytes.slice(i * size, (i + 1) * size),
    );
    const options = answering(() => new Response(ReadableStream.from(pieces)));
    assertEquals((await fetchJson(ADDRESS, options)).value, JSON.parse(TEXT_RULES));
  });
}

Deno.test("fetchJson() rejects a document with a truncated UTF-8 sequence at the end", async () => {
  const bytes = new TextEncoder().encode(`"${"ä"}`).slice(0, -1);
  const { fetch } = answering(() => new Response(bytes));
  assertEquals(await refusal(ADDRESS, { fetch }), "the response is not UTF-8");
});

const PAGES = [
  "text/html",
  "TEXT/HTML",
  " text/html ;charset=utf-8",
  "text/html\t; a=b",
  "Text/Html;",
];

for (const type of PAGES) {
  Deno.test(`fetchJson() rejects an HTML response by the type ${JSON.stringify(type)}`, async () => {
    const { fetch } = answering(() =>
      new Response(TEXT_RULES, { headers: { "Content-Type": type } })
    );
    assertEquals(await refusal(ADDRESS, { fetch }), "the response is HTML");
  });
}

Deno.test("fetchJson() reports the connection error as the cause", async () => {
  const broken = new TypeError("reset by peer");
  const body = () => new ReadableStream({ start: (controller) => controller.error(broken) });
  const options = answering(() => new Response(body()));
  const error = await assertRejects(() => fetchJson(ADDRESS, options), Error);
  assertEquals([error.message, error.cause], [
    "Cannot fetch JSON: the connection was lost",
    broken,
  ]);
});

/** Caching follows the directives, and no similar names. */
const DIRECTIVES: readonly (readonly [field: string, seconds: number | undefined])[] = [
  ["no-stored, max-age=300", 300],
  ["no-cache-ish", undefined],
  ["max-aged=5", undefined],
  ["max-age-of=5, max-age=300", 300],
  ["max-age=300;no-store", 0], // not cacheable
];

for (const [field, seconds] of DIRECTIVES) {
  Deno.test(`fetchJson() reads ${seconds} from the directives "${field}"`, async () => {
    const headers = { "Cache-Control": field };
    const { maxAge } = await fetchJson(
      ADDRESS,
      answering(() => new Response(TEXT_RULES, { headers })),
    );
    assertEquals(maxAge, seconds);
  });
}

Deno.test("fetchJson() sends a form by POST with header fields", async () => {
  const bodies: string[] = [];
  await using server = serveHttp(async (request) => {
    bodies.push(await request.text());
    return Response.json(DOCUMENT);
  });
  const form = { grant_type: "refresh_token", refresh_token: "a+b &=é" };
  const headers = { "User-Agent": "gatehouse", Authorization: "Basic eDp5" };
  await fetchJson(server.origin, { ...OPTIONS, form, headers });
  const [{ method, headers: seen } = { method: "", headers: new Headers() }] = server.requests;
  assertEquals(method, "POST");
  assertEquals(bodies, ["grant_type=refresh_token&refresh_token=a%2Bb+%26%3D%C3%A9"]);
  assertEquals(
    ["content-type", "accept", "user-agent", "authorization"].map((name) => seen.get(name)),
    [
      "application/x-www-form-urlencoded;charset=UTF-8",
      "application/json",
      "gatehouse",
      "Basic eDp5",
    ],
  );
});

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`fetchJson() does not send a form again after a redirect by ${status}`, async () => {
    await using target = serveHttp(() => Response.json(DOCUMENT));
    const headers = { Location: `${target.origin}/` };
    await using server = serveHttp(() => new Response(null, { status, headers }));
    assertEquals(
      await refusal(server.origin, { form: { code: "s3cret" } }),
      `the status is ${status}`,
    );
    assertEquals([server.requests.length, target.requests.length], [1, 0]);
  });
}

/** What a FetchError says, by which callers tell an outage from a refusal. */
const FAILURES: readonly (readonly [
  why: string,
  answer: () => Promise<Response>,
  failure: FetchFailure,
  status: number | undefined,
])[] = [
  ["no connection", () => Promise.reject(new TypeError("reset")), "connection", undefined],
  ["a timeout", () => new Promise(() => {}), "connection", undefined],
  [
    "a lost connection",
    () => Promise.resolve(new Response(new ReadableStream({ start: (c) => c.error(1) }))),
    "connection",
    undefined,
  ],
  ["a status", () => Promise.resolve(new Response("{}", { status: 503 })), "status", 503],
  ["HTML", () => Promise.resolve(typed("text/html")), "content", undefined],
  ["broken JSON", () => Promise.resolve(new Response("{")), "content", undefined],
  [
    "a large document",
    () => Promise.resolve(new Response(streamOf(LIMIT + 1))),
    "content",
    undefined,
  ],
];
for (const [why, fetch, failure, status] of FAILURES) {
  Deno.test(`FetchError has the failure "${failure}" for ${why}`, async () => {
    const options = { ...OPTIONS, timeoutMs: 20, fetch };
    const error = await assertRejects(() => fetchJson(ADDRESS, options), FetchError);
    assertEquals([error.failure, error.status], [failure, status]);
  });
}

/** RFC 7009 §2.2: the body of the response is ignored. */
const IGNORED: readonly (readonly [why: string, answer: () => Response])[] = [
  ["no body", () => new Response(null)],
  ["HTML", () => new Response("<p>", { headers: { "Content-Type": "text/html" } })],
  ["broken JSON", () => new Response("{")],
  ["5 MB", () => new Response(streamOf(5_000_000))],
  ["a body that never ends", () => new Response(new ReadableStream())],
];
for (const [why, answer] of IGNORED) {
  Deno.test(`fetchStatus() accepts status 200 with ${why}`, async () => {
    await fetchStatus(ADDRESS, { ...answering(answer), timeoutMs: 500 });
  });
}

Deno.test("fetchStatus() cancels the body", async () => {
  for (const status of [200, 503]) {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const body = new ReadableStream({ cancel: () => resolve() });
    const options = answering(() => new Response(body, { status }));
    await fetchStatus(ADDRESS, options).catch(() => {});
    await cancelled;
  }
});

for (const status of [201, 204, 302, 307, 400, 429, 503]) {
  Deno.test(`fetchStatus() rejects the status ${status}`, async () => {
    const options = answering(() => new Response(null, { status }));
    const error = await assertRejects(() => fetchStatus(ADDRESS, options), FetchError);
    assertEquals([error.failure, error.status], ["status", status]);
  });
}

Deno.test("fetchStatus() times out", async () => {
  const options = { ...OPTIONS, fetch: () => new Promise<Response>(() => {}), timeoutMs: 20 };
  const error = await assertRejects(() => fetchStatus(ADDRESS, options), FetchError);
  assertEquals(error.message, "Cannot fetch JSON: timeout");
});
