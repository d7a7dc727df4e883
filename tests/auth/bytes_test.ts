/** Bytes, hexadecimal digits, and fields that cannot be mistaken for one another. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import {
  type Bytes,
  decodeHex,
  encodeHex,
  equalBytes,
  equalText,
  joinFields,
  utf8,
} from "../../auth/_bytes.ts";
import { randomNumbers } from "../static/_random.ts";
import { RUNTIMES } from "./_without_native.ts";

Deno.test("utf8() encodes code points of one to four bytes", () => {
  assertEquals(
    utf8("aé€🔑"),
    Uint8Array.from([0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x94, 0x91]),
  );
});

for (const [where, on] of RUNTIMES) {
  Deno.test(`encodeHex() and decodeHex() are the way there and back for every byte, ${where}`, () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const hex = all.toHex();
    on(() => {
      assertEquals(encodeHex(all), hex);
      assertEquals(decodeHex(hex), all);
      assertEquals(decodeHex(hex.toUpperCase()), all);
      assertEquals(encodeHex(new Uint8Array()), "");
      assertEquals(decodeHex(""), new Uint8Array());
    });
  });
}

/** Pairs of lists that a weaker way of joining would take for the same. */
const DIFFERENT: readonly [
  why: string,
  a: readonly (string | Bytes)[],
  b: readonly (string | Bytes)[],
][] = [
  ["text moved over a border", ["ab", "c"], ["a", "bc"]],
  ["all in one field", ["ab", "c"], ["abc"]],
  ["an empty field behind", ["a"], ["a", ""]],
  ["an empty field in front", ["a"], ["", "a"]],
  ["empty fields here or there", ["", "a", ""], ["a", "", ""]],
  ["no field, an empty field", [], [""]],
  ["one empty field, two", [""], ["", ""]],
  ["another order", ["a", "b"], ["b", "a"]],
  ["a separator in the text", ["a,b"], ["a", "b"]],
  ["NUL in the text", ["a\0b"], ["a", "b"]],
  ["a field that looks like a length", ["\0\0\0\x01a"], ["", "a"]],
  ["a whole joined list as a field", [joinFields(["a", "b"])], ["a", "b"]],
  ["a length that only its fourth byte tells apart", ["a".repeat(256)], ["a".repeat(257)]],
];

for (const [why, a, b] of DIFFERENT) {
  Deno.test(`joinFields() tells lists apart: ${why}`, () => {
    assertFalse(equalBytes(joinFields(a), joinFields(b)));
  });
}

/** Takes fields apart again, by what the doc says of them and not by the code. */
function splitFields(joined: Bytes): Bytes[] {
  const fields: Bytes[] = [];
  let at = 0;
  while (at < joined.length) {
    const [a = 0, b = 0, c = 0, d = 0] = joined.slice(at, at + 4);
    const length = ((a * 256 + b) * 256 + c) * 256 + d;
    fields.push(joined.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  assertEquals(at, joined.length);
  return fields;
}

Deno.test("joinFields() loses nothing: every list can be read back", () => {
  const random = randomNumbers(1);
  for (let i = 0; i < 3_000; i++) {
    const fields = Array.from({ length: random(5) }, () => {
      const length = random(20) === 0 ? 250 + random(20) : random(6);
      return Uint8Array.from({ length }, () => random(4)); // few values, so that lengths look like bytes
    });
    assertEquals(splitFields(joinFields(fields)), fields);
  }
});

Deno.test("joinFields() gives different bytes for all short lists over two bytes", () => {
  const fields = ["", "\0", "\x01", "\0\0", "\0\x01", "\x01\0", "\x01\x01"];
  const lists: string[][] = [[]];
  for (const a of fields) {
    lists.push([a]);
    for (const b of fields) {
      lists.push([a, b]);
      for (const c of fields) lists.push([a, b, c]);
    }
  }
  assertEquals(new Set(lists.map((list) => encodeHex(joinFields(list)))).size, lists.length);
});

Deno.test("joinFields() takes a text for its bytes in UTF-8, and counts those", () => {
  assertEquals(joinFields(["é"]), Uint8Array.of(0, 0, 0, 2, 0xc3, 0xa9));
  assertEquals(joinFields(["é"]), joinFields([utf8("é")]));
});

Deno.test("joinFields() keeps nothing of the caller's bytes", () => {
  const field = Uint8Array.of(1);
  const joined = joinFields([field]);
  field[0] = 2;
  assertEquals(joined, Uint8Array.of(0, 0, 0, 1, 1));
});

Deno.test("equalBytes() sees every single bit", () => {
  for (const length of [1, 2, 31, 32, 33, 64]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
    assert(equalBytes(bytes, bytes.slice()));
    for (let bit = 0; bit < length * 8; bit++) {
      const other = bytes.slice();
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assertFalse(equalBytes(bytes, other), `${length} bytes, bit ${bit}`);
    }
  }
});

/** [why, a, b] Bytes that are not the same, although all that both have is. */
const UNEQUAL: readonly [why: string, a: readonly number[], b: readonly number[]][] = [
  ["a prefix", [1, 2], [1, 2, 3]],
  ["nothing and a zero", [], [0]],
  ["a zero more", [1], [1, 0]],
  ["differences that add up to nothing", [1, 2], [2, 1]],
  ["differences that xor to nothing", [3, 3], [0, 0]],
];

for (const [why, a, b] of UNEQUAL) {
  Deno.test(`equalBytes() says no to ${why}`, () => {
    assertFalse(equalBytes(Uint8Array.from(a), Uint8Array.from(b)));
    assertFalse(equalBytes(Uint8Array.from(b), Uint8Array.from(a)));
  });
}

Deno.test("equalBytes() says yes to nothing and nothing", () => {
  assert(equalBytes(new Uint8Array(), new Uint8Array()));
});

Deno.test("equalText() compares to the letter: case, spaces and normal form differ", () => {
  assert(equalText("", ""));
  assert(equalText("tökén", "tökén"));
  for (
    const [a, b] of [["a", "A"], ["a", "a "], ["", " "], ["\u00e9", "e\u0301"], [
      "a",
      "a\0",
    ]] as const
  ) {
    assertFalse(equalText(a, b));
  }
});
