import { createRouter, json } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { codeOf, jsonRequest, problemOf } from "./_helpers.ts";

const router = createRouter({ maxBodyBytes: 4_000_000 }).post(
  "/",
  (req) => json({ content: req.content ?? null }),
);

function send(body: BodyInit): Promise<Response> {
  return Promise.resolve(router.fetch(jsonRequest("/", body)));
}

function bytes(...values: number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(values);
}

/** The bytes of a JSON document with the given bytes in place of a string. */
function quoted(...values: number[]): Uint8Array<ArrayBuffer> {
  return bytes(0x22, ...values, 0x22);
}

const ACCEPTED: readonly (readonly [why: string, text: string])[] = [
  ["an object", '{"a":[1,2.5e3,true,null],"é":"🦀"}'],
  ["a scalar", "7"],
  ["null", "null"],
  ["an empty string", '""'],
  ["white space around", ' \t\r\n{"a":1}\n'],
  ["a replacement character that the client meant", '"\uFFFD"'],
  ["an escaped lone surrogate, which the JSON grammar allows", '"\\ud800"'],
  ["a value __proto__", '{"a":"__proto__","b":["__proto__"]}'],
  ["a name that contains __proto__", '{"x__proto__":1,"__proto__x":2,"__PROTO__":3}'],
  ["the names of Object.prototype members", '{"constructor":1,"prototype":2,"toString":3}'],
  ["depth 500", "[".repeat(500) + "]".repeat(500)],
  ["depth 500 of objects", '{"a":'.repeat(499) + "[1]" + "}".repeat(499)],
  ["5000 brackets inside a string", JSON.stringify("[".repeat(5000))],
  ["brackets after an escaped quote in a string", JSON.stringify('"' + "[{".repeat(3000) + '\\"')],
  [
    "brackets after an escaped backslash at the end of a string",
    `["\\\\",${JSON.stringify("[".repeat(3000))}]`,
  ],
  ["brackets in names", JSON.stringify({ ["[".repeat(5000)]: 1 })],
  ["10,000 adjacent brackets", "[" + "[],".repeat(10_000) + "[]]"],
  ["a long flat array", "[" + "1,".repeat(100_000) + "1]"],
];

for (const [why, text] of ACCEPTED) {
  Deno.test(`parseJson() accepts ${why}`, async () => {
    const response = await send(text);
    assertEquals(response.status, 200);
    assertEquals((await response.json()).content, JSON.parse(text));
  });
}

Deno.test("parseJson() drops one byte order mark, as fetch() does", async () => {
  const response = await send(bytes(0xef, 0xbb, 0xbf, 0x37));
  assertEquals((await response.json()).content, 7);
});

const REJECTED: readonly (readonly [why: string, body: BodyInit])[] = [
  ["an empty body", ""],
  ["white space alone", " \n"],
  ["a byte order mark alone", bytes(0xef, 0xbb, 0xbf)],
  ["two byte order marks", bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x37)],
  ["a byte order mark inside", bytes(0x5b, 0xef, 0xbb, 0xbf, 0x5d)],
  ["truncated JSON", '{"a":[1,2'],
  ["text after the value", "{}x"],
  ["two values", "{}{}"],
  ["single quotes", "{'a':1}"],
  ["a trailing comma", "[1,]"],
  ["a comment", "{}//x"],
  ["NaN", "NaN"],
  ["undefined", "undefined"],
  ["a raw line feed in a string", '"\n"'],
  ["a form", "a=1&b=2"],
  ["UTF-16", bytes(0xff, 0xfe, 0x37, 0x00)],
  ["an overlong slash", quoted(0xc0, 0xaf)],
  ["an overlong NUL", quoted(0xc0, 0x80)],
  ["an overlong three-byte sequence", quoted(0xe0, 0x80, 0xaf)],
  ["a high surrogate", quoted(0xed, 0xa0, 0x80)],
  ["a pair of surrogates", quoted(0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80)],
  ["a code point past U+10FFFF", quoted(0xf4, 0x90, 0x80, 0x80)],
  ["a truncated two-byte sequence", quoted(0xc3)],
  ["a truncated three-byte sequence", quoted(0xe2, 0x82)],
  ["a sequence cut off at the end of the body", bytes(0x22, 0xf0, 0x9f, 0xa6)],
  ["a lone continuation byte", quoted(0x80)],
  ["Latin-1", quoted(0xe9)],
  ["bytes that UTF-8 never has", quoted(0xfe, 0xff)],
  ["invalid UTF-8 next to a replacement character", quoted(0xef, 0xbf, 0xbd, 0xff)],
  ["depth 501", "[".repeat(501) + "]".repeat(501)],
  ["depth 501 of objects", '{"a":'.repeat(500) + "[1]" + "}".repeat(500)],
  ["depth 501 between strings", '["\\"",'.repeat(501) + "1" + "]".repeat(501)],
  ["an own __proto__", '{"__proto__":{"admin":true}}'],
  ["an own __proto__ in depth", '{"a":[{"b":{"__proto__":1}}]}'],
  ["an own __proto__ by an escape", '{"\\u005f_proto__":1}'],
  [
    "an own __proto__ by escapes alone",
    '{"\\u005f\\u005f\\u0070\\u0072\\u006F\\u0074\\u006f\\u005f\\u005f":1}',
  ],
  ["a second __proto__ after a valid name", '{"a":1,"__proto__":null}'],
];

for (const [why, body] of REJECTED) {
  Deno.test(`parseJson() rejects ${why} with 400`, async () => {
    assertEquals(await codeOf(send(body)), [400, "invalid_json"]);
  });
}

for (
  const [why, body] of [["nested 100,000 deep", "["], ["nested 100,000 deep in objects", '{"a":'], [
    "closed",
    "[]",
  ]] as const
) {
  Deno.test(`parseJson() rejects a body ${why} quickly`, async () => {
    const deep = body === "[]" ? "[".repeat(100_000) + "]".repeat(100_000) : body.repeat(100_000);
    const started = performance.now();
    assertEquals(await codeOf(send(deep)), [400, "invalid_json"]);
    assert(performance.now() - started < 1000);
  });
}

Deno.test("parseJson() looks for __proto__ in a million members in linear time", async () => {
  const started = performance.now();
  const response = await send(`{"a":"__proto__","b":[${"[{}],".repeat(300_000)}1]}`);
  assertEquals(response.status, 200);
  await response.body?.cancel();
  assert(performance.now() - started < 2000);
});

Deno.test("parseJson() never quotes the body in its error response", async () => {
  for (
    const body of [
      "SECRET",
      '{"a":SECRET}',
      '{"__proto__":"SECRET"}',
      "[".repeat(1500) + '"SECRET"' + "]".repeat(1500),
    ]
  ) {
    const problem = await problemOf(await send(body));
    assert(!JSON.stringify(problem).includes("SECRET"), JSON.stringify(problem));
  }
});

Deno.test("req.json() reads once, and returns a new value each time", async () => {
  const twice = createRouter().post("/", async (req) => {
    (req.content as { a: number }).a = 2;
    return json([req.content, await req.json()]);
  });
  assertEquals(await (await twice.fetch(jsonRequest("/", '{"a":1}'))).json(), [{ a: 2 }, { a: 1 }]);
});

Deno.test("req.json() rejects on a raw route what parseJson() rejects", async () => {
  const raw = createRouter().post("/", async (req) => json(await req.json()), { raw: true });
  assertEquals(await codeOf(raw.fetch(jsonRequest("/", '{"__proto__":1}'))), [400, "invalid_json"]);
  assertEquals(await codeOf(raw.fetch(jsonRequest("/", ""))), [400, "invalid_json"]);
});
