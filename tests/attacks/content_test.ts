/** The catalogue "Routing and content": bodies. */

import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { rawBytes, rawFetch, within, withServer } from "./_raw.ts";

const ENCODER = new TextEncoder();

/** [source, why, header lines, body, status, code] POST to a JSON route with a limit of 1000 bytes. */
const BODIES: readonly (readonly [
  source: string,
  why: string,
  headers: readonly string[],
  body: string | Uint8Array<ArrayBuffer>,
  status: number,
  code?: string,
])[] = [
  ["ATTACKS", "no Content-Type", [], "{}", 415, "unsupported_media_type"],
  ["ATTACKS", "text/plain", ["Content-Type: text/plain"], "{}", 415, "unsupported_media_type"],
  [
    "ATTACKS",
    "a form, which every site can send",
    ["Content-Type: application/x-www-form-urlencoded"],
    "a=1",
    415,
    "unsupported_media_type",
  ],
  [
    "ATTACKS",
    "application/jsonx",
    ["Content-Type: application/jsonx"],
    "{}",
    415,
    "unsupported_media_type",
  ],
  [
    "GHSA-2234-fmw7-43wr",
    "upper case and a charset",
    ["Content-Type: Application/JSON; charset=UTF-8"],
    "{}",
    200,
  ],
  ["ATTACKS", "a merge patch", ["Content-Type: application/merge-patch+json"], "{}", 200],
  [
    "neighbour",
    "two Content-Type fields",
    ["Content-Type: text/plain", "Content-Type: application/json"],
    "{}",
    415,
    "unsupported_media_type",
  ],
  [
    "neighbour",
    "two Content-Type fields in reverse order",
    ["Content-Type: application/json", "Content-Type: text/plain"],
    "{}",
    415,
    "unsupported_media_type",
  ],
  [
    "neighbour",
    "a JSON type as a parameter",
    ["Content-Type: text/plain; a=application/json"],
    "{}",
    415,
    "unsupported_media_type",
  ],
  [
    "ATTACKS",
    "a body over the limit",
    JSON_LINES(),
    `"${"a".repeat(999)}"`,
    413,
    "payload_too_large",
  ],
  ["neighbour", "a body at the limit", JSON_LINES(), `"${"a".repeat(998)}"`, 200],
  [
    "ATTACKS",
    "a chunked body over the limit",
    [...JSON_LINES(), "Transfer-Encoding: chunked"],
    chunks(`"${"a".repeat(999)}"`, 100),
    413,
    "payload_too_large",
  ],
  [
    "neighbour",
    "a chunked body at the limit",
    [...JSON_LINES(), "Transfer-Encoding: chunked"],
    chunks(`"${"a".repeat(998)}"`, 100),
    200,
  ],
  [
    "ATTACKS",
    "invalid UTF-8",
    JSON_LINES(),
    new Uint8Array([0x22, 0xc0, 0xaf, 0x22]),
    400,
    "invalid_json",
  ],
  ["ATTACKS", "truncated JSON", JSON_LINES(), '{"a":', 400, "invalid_json"],
  [
    "ATTACKS",
    "an own __proto__",
    JSON_LINES(),
    '{"__proto__":{"admin":true}}',
    400,
    "invalid_json",
  ],
  [
    "neighbour",
    "an own __proto__ in escapes",
    JSON_LINES(),
    '{"a":{"\\u005f_proto_\\u005f":1}}',
    400,
    "invalid_json",
  ],
  [
    "neighbour",
    "constructor and prototype, which are ordinary names",
    JSON_LINES(),
    '{"constructor":{"prototype":{"admin":true}}}',
    200,
  ],
  ["neighbour", "an empty body", JSON_LINES(), "", 400, "invalid_json"],
  [
    "neighbour",
    "a gzip body",
    [...JSON_LINES(), "Content-Encoding: gzip"],
    new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    415,
    "unsupported_media_type",
  ],
  [
    "neighbour",
    "a length and chunks, for request smuggling",
    [...JSON_LINES(), "Content-Length: 2", "Transfer-Encoding: chunked"],
    "2\r\n{}\r\n0\r\n\r\n",
    400,
  ],
  [
    "neighbour",
    "two lengths",
    [...JSON_LINES(), "Content-Length: 2", "Content-Length: 3"],
    "{} ",
    400,
  ],
];

function JSON_LINES(): readonly string[] {
  return ["Content-Type: application/json"];
}

function chunks(text: string, size: number): string {
  const parts = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
  return parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("") + "0\r\n\r\n";
}

for (const [source, why, headers, body, status, code] of BODIES) {
  Deno.test(`[${source}] a POST with ${why} is ${status}`, async () => {
    let handled = 0;
    const router = createRouter({ maxBodyBytes: 1000 }).post(
      "/",
      (req) => (handled++, json(Reflect.get(Object(req.content), "admin") ?? null)),
    );
    const framed = headers.some((line) => /^(content-length|transfer-encoding):/i.test(line));
    const length = typeof body === "string" ? ENCODER.encode(body).length : body.length;
    const lines = framed ? headers : [...headers, `Content-Length: ${length}`];
    await withServer(router.fetch, async (port) => {
      const response = await rawFetch(port, "/", { method: "POST", headers: lines, body });
      assertEquals([response.status, handled], [status, status === 200 ? 1 : 0]);
      if (code !== undefined) assertEquals(JSON.parse(response.body).code, code);
      if (status === 200) assertEquals(response.body, "null");
    });
  });
}

Deno.test("[ATTACKS] JSON nested 100,000 deep is rejected early", async () => {
  const router = createRouter().post("/", () => json(1));
  await withServer(router.fetch, async (port) => {
    for (
      const body of [
        "[".repeat(100_000),
        '{"a":'.repeat(100_000),
        "[".repeat(100_000) + "]".repeat(100_000),
      ]
    ) {
      const started = performance.now();
      const response = await rawFetch(port, "/", {
        method: "POST",
        headers: [...JSON_LINES(), `Content-Length: ${body.length}`],
        body,
      });
      assertEquals(response.status, 400);
      assert(performance.now() - started < 1000);
    }
  });
});

Deno.test("[ATTACKS] an infinite chunked body is a 413 while the client is still sending", async () => {
  const router = createRouter({ maxBodyBytes: 100_000 }).post("/", () => json(1));
  await withServer(router.fetch, async (port) => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(
      rawBytes("/", { method: "POST", headers: [...JSON_LINES(), "Transfer-Encoding: chunked"] }),
    );
    const buffer = new Uint8Array(1024);
    let count: number | null | undefined;
    const reading = connection.read(buffer).then((found) => count = found, () => count = null);
    const chunk = ENCODER.encode(`2000\r\n${" ".repeat(0x2000)}\r\n`);
    let sent = 0;
    while (count === undefined && sent < 50_000_000) {
      try {
        sent += await connection.write(chunk);
      } catch {
        break; // the server has closed
      }
    }
    await within(reading, "the response");
    assert(
      new TextDecoder().decode(buffer.subarray(0, count ?? 0)).startsWith("HTTP/1.1 413"),
      `${count} after ${sent} bytes`,
    );
  });
});
