/**
 * What `serveNode` sends: header, framing, and bodies of every kind.
 *
 * @module
 */

import { createRouter, empty, json } from "../../mod.ts";
import { assert, assertSame, type RuntimeCase } from "./harness.ts";
import {
  type Answer,
  ask,
  encode,
  head,
  openWire,
  parse,
  streamOf,
  withServer,
} from "./node_server_wire.ts";

const router = createRouter().get("/json", () => json({ a: "é" })).get("/empty", () => empty());

/** Responses with what must be in their header, and must not, and their body. */
const RESPONSES: readonly (readonly [
  why: string,
  answer: Answer,
  has: readonly string[],
  hasNot: readonly string[],
  body: string,
])[] = [
  ["a text", () => new Response("é"), [
    "content-type: text/plain;charset=utf-8",
    "content-length: 2",
  ], [
    "transfer-encoding",
  ], "é"],
  ["JSON", () => Response.json({ a: 1 }), ["content-type: application/json", "content-length: 7"], [
    "transfer-encoding",
  ], '{"a":1}'],
  [
    "JSON of the router",
    () => router.request("/json"),
    [
      "content-type: application/json",
      "content-length: 10",
    ],
    ["transfer-encoding"],
    '{"a":"é"}',
  ],
  [
    "HTML",
    () => new Response("<p>", { headers: { "Content-Type": "text/html" } }),
    [
      "content-type: text/html",
      "content-length: 3",
    ],
    ["text/plain"],
    "<p>",
  ],
  ["bytes", () => new Response(encode("ab")), ["content-length: 2"], ["transfer-encoding"], "ab"],
  [
    "a Blob",
    () => new Response(new Blob(["ab"], { type: "a/b" })),
    [
      "content-type: a/b",
    ],
    [],
    "ab",
  ],
  [
    "a form",
    () => new Response(new URLSearchParams("a=b")),
    [
      "content-type: application/x-www-form-urlencoded;charset=utf-8",
      "content-length: 3",
    ],
    ["transfer-encoding"],
    "a=b",
  ],
  ["no body", () => new Response(), ["200 ok", "content-length: 0"], ["content-type"], ""],
  ["an empty text", () => new Response(""), ["content-length: 0"], ["transfer-encoding"], ""],
  [
    "a redirect",
    () => new Response(null, { status: 302, headers: { Location: "/a" } }),
    [
      "302 found",
      "location: /a",
      "content-length: 0",
    ],
    [],
    "",
  ],
  [
    "a platform's redirect",
    () => Response.redirect("http://a.example/", 307),
    [
      "307 ",
      "location: http://a.example/",
    ],
    [],
    "",
  ],
  ["204", () => router.request("/empty"), ["204 no content"], [
    "content-length",
    "transfer-encoding",
  ], ""],
  [
    "204 with a Content-Length",
    () => new Response(null, { status: 204, headers: { "Content-Length": "0" } }),
    [
      "204 ",
    ],
    ["content-length", "transfer-encoding"],
    "",
  ],
  ["304", () => new Response(null, { status: 304, headers: { ETag: '"a"' } }), [
    "304 ",
    'etag: "a"',
  ], [
    "transfer-encoding",
  ], ""],
  ["205", () => new Response(null, { status: 205 }), ["205 ", "content-length: 0"], [], ""],
  ["a reason", () => new Response(null, { statusText: "Fine" }), ["200 fine"], [], ""],
  ["a status without a name", () => new Response(null, { status: 599 }), [" 599 "], [], ""],
  [
    "several Set-Cookie",
    () => new Response(null, { headers: [["Set-Cookie", "a=1, x"], ["Set-Cookie", "b=2"]] }),
    [
      "set-cookie: a=1, x\r\nset-cookie: b=2",
    ],
    [],
    "",
  ],
  [
    "several fields of a name",
    () => new Response(null, { headers: [["Vary", "a"], ["Vary", "b"]] }),
    [
      "vary: a, b",
    ],
    [],
    "",
  ],
  [
    "bytes beyond ASCII in the header",
    () => new Response("é", { headers: { "X-A": "\xe9" } }),
    [
      "x-a: \xe9\r\n",
      "content-length: 2",
    ],
    [],
    "é",
  ],
  [
    "a stream with its length",
    () => new Response(streamOf("ab", "c"), { headers: { "Content-Length": "3" } }),
    [
      "content-length: 3",
    ],
    ["transfer-encoding"],
    "abc",
  ],
  ["an empty stream", () => new Response(streamOf()), ["200 "], [], "0\r\n\r\n"],
  ["a stream that has ended", () => new Response(new Response("abc").body), ["content-length: 3"], [
    "transfer-encoding",
  ], "abc"],
  ["a slow stream", () => new Response(streamOf("ab", "c")), ["transfer-encoding: chunked"], [
    "content-length",
  ], "2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"],
  [
    "fields of another connection",
    () =>
      new Response("ab", {
        headers: [["Transfer-Encoding", "chunked"], ["Keep-Alive", "timeout=99"], [
          "Trailer",
          "X-A",
        ]],
      }),
    ["content-length: 2"],
    ["transfer-encoding", "timeout=99", "trailer"],
    "ab",
  ],
  [
    "a malformed Content-Length",
    () => new Response(streamOf("ab"), { headers: { "Content-Length": "2, 2" } }),
    [
      "transfer-encoding: chunked",
    ],
    ["content-length"],
    "2\r\nab\r\n0\r\n\r\n",
  ],
];

const messageCases: readonly RuntimeCase[] = RESPONSES.map(([why, answer, has, hasNot, body]) => ({
  name: `serveNode() sends ${why}`,
  run: () =>
    withServer(answer, async ({ port, errors }) => {
      const message = parse(await ask(port, head("GET /")));
      for (const text of has) {
        assert(message.fields.includes(text), `no ${text}: ${message.fields}`);
      }
      for (const text of hasNot) {
        assert(!message.fields.includes(text), `${text}: ${message.fields}`);
      }
      const isChunked = message.fields.includes("chunked") && !body.includes("\r\n"); // a Blob is, on Node 24
      assertSame([isChunked || message.body === body, errors.map(String)], [true, []]);
    }),
}));

/** Responses to HEAD, with their Content-Length. */
const HEADS: readonly (readonly [why: string, answer: Answer, length: string | undefined])[] = [
  ["a text", () => new Response("é", { headers: { "Content-Length": "2" } }), "2"],
  ["JSON of the router", () => json({ a: "é" }, { headers: { "Content-Length": "10" } }), "10"],
  ["no body", () => new Response(null, { headers: { "Content-Length": "99" } }), "99"],
  ["a stream", () => new Response(streamOf("ab")), undefined],
];

const headCases: readonly RuntimeCase[] = HEADS.map(([why, answer, length]) => ({
  name: `serveNode() answers HEAD without the body: ${why}`,
  run: () =>
    withServer(answer, async ({ port }) => {
      const wire = openWire(port);
      wire.send(`${head("HEAD /")}\r\n\r\n${head("HEAD /")}\r\nConnection: close\r\n\r\n`);
      const messages = (await wire.toEnd()).split("\r\n\r\n");
      assertSame(messages.length, 3); // two, and nothing after
      const declared = /content-length: (.*)\r/i.exec(`${messages[0]}\r`)?.[1];
      assertSame(declared, length);
    }),
}));

/** Every case of responses that are sent whole. */
export const nodeResponseCases: readonly RuntimeCase[] = [...messageCases, ...headCases];
