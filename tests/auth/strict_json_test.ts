/** JSON without duplicate names, RFC 7515 §4, RFC 7519 §4, and RFC 8259. */

import { assertEquals, assertThrows } from "@std/assert";
import { parseStrictJson, parseStrictObject } from "../../auth/_strict_json.ts";
import { utf8 } from "../../auth/_bytes.ts";
import { randomNumbers } from "../static/_random.ts";

/** [why, JSON] Valid input, parsed as by JSON.parse(). */
const TAKEN: readonly (readonly [string, string])[] = [
  ["an empty object", "{}"],
  ["the header of RFC 7515 A.1, with a line break", '{"typ":"JWT",\r\n "alg":"HS256"}'],
  ["white space of every kind", ' \t\r\n{ \t\r\n"a" \t\r\n: \t\r\n1 \t\r\n} \t\r\n'],
  ["the same name in two objects", '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}'],
  ["names that differ in case", '{"alg":1,"Alg":2,"ALG":3}'],
  ["names that differ in their normalization form", '{"é":1,"e\u0301":2}'],
  ["colons, quotes and braces in strings", String.raw`{"a:\"{":"\":,\"b\":","c\\":"\\"}`],
  ["a string that ends with backslashes", String.raw`{"a":"\\\\","b":"\\\\\\"}`],
  ["an empty name", '{"":1}'],
  ["names that are indices", '{"2":1,"1":2,"0":[3]}'],
  ["names of inherited members", '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
  ["a name inside nested arrays", '[[[{"a":[[{"a":1}]]}]]]'.replace(/.*/, '{"x":$&}')],
  ["every kind of value", '{"a":null,"b":true,"c":false,"d":-1.5e-3,"e":"\\u0000","f":[],"g":{}}'],
];

for (const [why, json] of TAKEN) {
  Deno.test(`parseStrictObject() accepts ${why}`, () => {
    assertEquals(parseStrictObject(json), JSON.parse(json));
    assertEquals(parseStrictObject(utf8(json)), JSON.parse(json));
  });
}

const PROTO = "__proto__";

/** [why, JSON] */
const REFUSED: readonly (readonly [string, string])[] = [
  ["a duplicate name", '{"alg":"none","alg":"HS256"}'],
  ["a duplicate name with the same value", '{"alg":"HS256","alg":"HS256"}'],
  ["a name three times", '{"a":1,"b":2,"a":1,"a":1}'],
  ["a duplicate name, once escaped", '{"alg":"none","\\u0061lg":"HS256"}'],
  ["an escaped slash", '{"a/b":1,"a\\/b":2}'],
  ["a duplicate empty name", '{"":1,"":2}'],
  ["a duplicate index", '{"1":1,"1":2}'],
  ["a duplicate name inside an object", '{"cnf":{"jwk":1,"jwk":2}}'],
  ["a duplicate name inside an array", '{"a":[0,{"b":1,"b":2}]}'],
  ["a deeply nested duplicate name", `${'{"a":['.repeat(500)}{"b":1,"b":2}${"]}".repeat(500)}`],
  ["a duplicate name with white space before the colon", '{"a" : 1 ,\n"a"\t:\r2}'],
  ["a duplicate name, once before an object with it", '{"a":{"a":1},"a":1}'],
  ["a duplicate lone surrogate", '{"\\ud800":1,"\\ud800":2}'],
  [`${PROTO}`, `{"${PROTO}":{"alg":"none"}}`],
  [`${PROTO}, escaped`, '{"\\u005f_proto__":1}'],
  [`a duplicate ${PROTO}`, `{"${PROTO}":1,"${PROTO}":2}`],
  [`a deeply nested duplicate ${PROTO}`, `{"a":[{"b":{"${PROTO}":null}}]}`],
  ["nothing", ""],
  ["white space", "  "],
  ["an array", '[{"alg":"HS256"}]'],
  ["null", "null"],
  ["a string", '"{}"'],
  ["a number", "1"],
  ["true", "true"],
  ["two values", "{}{}"],
  ["a trailing comma", '{"a":1,}'],
  ["a comment", '{"a":1/**/}'],
  ["single quotes", "{'a':1}"],
  ["a name without quotes", "{a:1}"],
  ["an octal number", '{"a":01}'],
  ["a leading sign", '{"a":+1}'],
  ["NaN", '{"a":NaN}'],
  ["Infinity", '{"a":Infinity}'],
  ["undefined", '{"a":undefined}'],
  ["a line break inside a string", '{"a":"\n"}'],
  ["U+0000 inside a string", '{"a":"\0"}'],
  ["a trailing U+0000", "{}\0"],
  ["a byte order mark", "\ufeff{}"],
  ["a no-break space", "\u00a0{}"],
  ["an unknown escape", '{"a":"\\x41"}'],
  ["a missing end", '{"a":1'],
  ["many brackets", "[".repeat(12_000)],
];

for (const [why, json] of REFUSED) {
  Deno.test(`parseStrictObject() rejects ${why}`, () => {
    assertThrows(() => parseStrictObject(json), SyntaxError);
    assertThrows(() => parseStrictObject(utf8(json)), SyntaxError);
  });
}

/** [why, bytes] Invalid UTF-8. */
const NOT_UTF8: readonly (readonly [string, readonly number[]])[] = [
  ["a byte of Latin-1", [0xe9]],
  ["a truncated sequence", [0xc3]],
  ["an overlong sequence", [0xc0, 0xaf]],
  ["a surrogate", [0xed, 0xa0, 0x80]],
  ["a code point above U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
  ["an invalid byte", [0xff]],
];

for (const [why, bytes] of NOT_UTF8) {
  Deno.test(`parseStrictObject() rejects ${why}`, () => {
    const json = new Uint8Array([...utf8('{"a":"'), ...bytes, ...utf8('"}')]);
    assertThrows(() => parseStrictObject(json));
  });
}

Deno.test("parseStrictObject() rejects UTF-16", () => {
  const json = '\ufeff{"a":1}';
  const bytes = new Uint8Array(Uint16Array.from(json, (each) => each.charCodeAt(0)).buffer);
  assertThrows(() => parseStrictObject(bytes));
});

Deno.test("parseStrictObject() accepts deep nesting and many members, without recursion", () => {
  const deep = `${'{"a":'.repeat(3_000)}0${"}".repeat(3_000)}`;
  const wide = `{${Array.from({ length: 3_000 }, (_, i) => `"n${i}":[]`).join()}}`;
  assertEquals(Object.keys(parseStrictObject(deep)), ["a"]);
  assertEquals(Object.keys(parseStrictObject(wide)).length, 3_000);
  const twice = wide.replace("}", ',"n17":1}');
  assertThrows(() => parseStrictObject(twice), SyntaxError);
});

Deno.test("parseStrictJson() agrees with counted names for 20,000 random values", () => {
  const random = randomNumbers(9);
  // No name that is a backslash: V8 15.0 mistakes a later escaped name for it
  const names = ["a", "b", "\\u0061", ":", '\\"', "\\/", ""];
  let twice = 0;
  for (let i = 0; i < 20_000; i++) {
    const { json, isTwice } = randomValue(3);
    if (isTwice) {
      twice++;
      assertThrows(() => parseStrictJson(json), SyntaxError, undefined, json);
    } else assertEquals(parseStrictJson(json), JSON.parse(json), json);
  }
  assertEquals(twice > 500 && twice < 18_000, true, `${twice}`);

  function randomValue(depth: number): { readonly json: string; readonly isTwice: boolean } {
    const kind = random(depth > 0 ? 5 : 3);
    if (kind === 0) return { json: `${random(9)}`, isTwice: false };
    if (kind < 3) return { json: `"${names[random(names.length)]}"`, isTwice: false };
    const parts = Array.from({ length: random(4) }, () => randomValue(depth - 1));
    const isInside = parts.some(({ isTwice }) => isTwice);
    if (kind === 3) return { json: `[${parts.map(({ json }) => json)}]`, isTwice: isInside };
    const own = parts.map(() => names[random(names.length)] ?? "");
    const meant = own.map((name) => JSON.parse(`"${name}"`));
    const members = parts.map(({ json }, i) => `"${own[i]}"${" ".repeat(random(2))}:${json}`);
    const isTwice = isInside || new Set(meant).size < meant.length;
    return { json: `{${members}}`, isTwice };
  }
});
