/** How documents of other servers are fetched: what they may be, how large, how slow, and from where. */

import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import { fetchJson } from "../../auth/_fetch_json.ts";
import { LIMIT, OPTIONS, refusal } from "./_fetch_json.ts";
import { gzip, serveHttp, streamOf } from "./_servers.ts";

const JSON_TYPE = { "Content-Type": "application/json" };
const DOCUMENT = { issuer: "https://id.example.com", keys: [1, "ä"] };
const TEXT = JSON.stringify(DOCUMENT);

/** Answers that are taken as {@linkcode DOCUMENT}. */
const TAKEN: readonly (readonly [why: string, answer: () => Response])[] = [
  ["a document", () => Response.json(DOCUMENT)],
  ["a type with parameters", () => typed("application/json; charset=utf-8")],
  ["the type of key sets", () => typed("application/jwk-set+json")],
  ["a type of its own", () => typed("application/octet-stream")],
  ["text", () => typed("text/plain")],
  ["no type", () => new Response(new TextEncoder().encode(TEXT))],
  ["a byte order mark", () => new Response(`\ufeff${TEXT}`, { headers: JSON_TYPE })],
  ["no length", () => new Response(new Blob([TEXT]).stream(), { headers: JSON_TYPE })],
  ["one byte at a time", () => new Response(bytewise(TEXT), { headers: JSON_TYPE })],
  ["compression", () => gzip(new Blob([TEXT]).stream())],
  ["as many bytes as are allowed", () => new Response(TEXT + " ".repeat(LIMIT - byteLength(TEXT)))],
];
for (const [why, answer] of TAKEN) {
  Deno.test(`fetchJson() takes ${why}`, async () => {
    await using server = serveHttp(answer);
    const { value } = await fetchJson(`${server.origin}/doc`, OPTIONS);
    assertEquals(value, DOCUMENT);
  });
}

const STATUSES = [201, 202, 203, 204, 206, 300, 304, 400, 401, 403, 404, 410, 429, 500, 502, 503];
for (const status of STATUSES) {
  Deno.test(`fetchJson() refuses the status ${status}`, async () => {
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

Deno.test("fetchJson() refuses what a fetch of the application's own was redirected to", async () => {
  await using server = serveHttp(({ url }) =>
    url.endsWith("/doc") ? Response.json(DOCUMENT) : Response.redirect(`${url}doc`)
  );
  const follow = (url: string, init: RequestInit) => fetch(url, { ...init, redirect: "follow" });
  const message = await refusal(server.origin, { fetch: follow });
  assertEquals(message, "the response was redirected");
});

Deno.test("fetchJson() refuses the answer of browsers to a redirect", async () => {
  const opaque = () => Promise.resolve(Response.error()); // as an opaque redirect, its status is 0
  assertEquals(
    await refusal("https://id.example.com", { fetch: opaque }),
    "the status is 0",
  );
});

/** Documents of status 200 that are refused; they say "s3cret", which no message may. */
const REFUSED: readonly (readonly [why: string, answer: () => Response, state: string])[] = [
  ["a page", () => typed("text/html"), "the response is HTML"],
  ["a page in upper case", () => typed("TEXT/HTML;charset=utf-8"), "the response is HTML"],
  ["nothing", () => new Response(null), "the response is not JSON or has duplicate names"],
  [
    "half a document",
    () => new Response('{"s3cret":'),
    "the response is not JSON or has duplicate names",
  ],
  ["a text", () => new Response("s3cret"), "the response is not JSON or has duplicate names"],
  ["two documents", () => new Response("{}{}"), "the response is not JSON or has duplicate names"],
  [
    "a name that stands twice",
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
    "half a character at the end",
    () => new Response(new Uint8Array([0x22, 0xc3])),
    "the response is not UTF-8",
  ],
  ["a byte too many", () => new Response(" ".repeat(LIMIT + 1)), "the response is too large"],
  [
    "a byte too many, of no length",
    () => new Response(streamOf(LIMIT + 1)),
    "the response is too large",
  ],
  ["a byte too many, compressed", () => gzip(streamOf(LIMIT + 1)), "the response is too large"],
];
for (const [why, answer, state] of REFUSED) {
  Deno.test(`fetchJson() refuses ${why}`, async () => {
    await using server = serveHttp(answer);
    assertEquals(await refusal(server.origin), state);
  });
}

Deno.test("fetchJson() asks by GET, and says nothing of who asks", async () => {
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

Deno.test("fetchJson() passes on what a fetch threw, as the cause", async () => {
  const thrown = new TypeError("no route");
  const fetch = () => Promise.reject(thrown);
  const options = { ...OPTIONS, fetch };
  const error = await assertRejects(() => fetchJson("https://id.example.com", options), Error);
  assertEquals([error.message, error.cause], ["Cannot fetch JSON: no connection", thrown]);
});

Deno.test("fetchJson() refuses a body of anything but bytes", async () => {
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
