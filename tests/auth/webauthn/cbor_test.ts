/** CBOR in the canonical form of CTAP 2.2 §8. What is refused as an attack is in tests/attacks/webauthn_cbor_test.ts. */

import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { decodeHex, encodeHex } from "../../../auth/_bytes.ts";
import { decodeCbor, decodeCborItem } from "../../../auth/webauthn/_cbor.ts";
import type { CborValue } from "../../../auth/webauthn/types.ts";
import { randomNumbers } from "../../static/_random.ts";
import { concat, type Encodable, encodeCbor, unsorted } from "./_cbor.ts";

const MESSAGE = "Cannot decode CBOR: malformed or not canonical";

/** [why, encoding, value] RFC 8949 appendix A, and the limits of each length of an argument. */
const DECODED: readonly (readonly [why: string, hex: string, value: CborValue])[] = [
  ["0", "00", 0],
  ["the last integer in one byte", "17", 23],
  ["the first integer in two bytes", "1818", 24],
  ["the last integer in two bytes", "18ff", 255],
  ["the first integer in three bytes", "190100", 256],
  ["the last integer in three bytes", "19ffff", 65_535],
  ["the first integer in five bytes", "1a00010000", 65_536],
  ["the last integer in five bytes", "1affffffff", 4_294_967_295],
  ["the first integer in nine bytes", "1b0000000100000000", 4_294_967_296],
  ["the largest safe integer", "1b001fffffffffffff", Number.MAX_SAFE_INTEGER],
  ["-1", "20", -1],
  ["the last negative integer in one byte", "37", -24],
  ["the first negative integer in two bytes", "3818", -25],
  ["RS256", "390100", -257],
  ["the smallest safe integer", "3b001ffffffffffffe", Number.MIN_SAFE_INTEGER],
  ["an empty byte string", "40", new Uint8Array()],
  ["a byte string", "4401020304", Uint8Array.of(1, 2, 3, 4)],
  ["an empty string", "60", ""],
  ["a string of two, three and four bytes a character", "69c3bce6b0b4f0908591", "ü水\u{10151}"],
  ["a string that is a byte order mark", "63efbbbf", "\ufeff"],
  ["a string with a null character", "6100", "\0"],
  ["a string that is not normalized", "6365cc81", "e\u0301"],
  ["an empty array", "80", []],
  ["an array of every kind", "8700202041ff6161f4f5", [
    0,
    -1,
    -1,
    Uint8Array.of(255),
    "a",
    false,
    true,
  ]],
  ["null", "f6", null],
  ["four levels of arrays", "8181818101", [[[[1]]]]],
  ["four levels, the last one empty", "81818180", [[[[]]]]],
  ["four levels of maps", "a101a101a101a10102", mapOf(1, mapOf(1, mapOf(1, mapOf(1, 2))))],
  ["an empty map", "a0", new Map()],
  ["the order of a COSE key", "a3010203262001", new Map([[1, 2], [3, -7], [-1, 1]])],
  [
    "integer keys before string keys",
    "a21a0001000000616102",
    new Map<number | string, number>([[65_536, 0], ["a", 2]]),
  ],
  ["a shorter string key first", "a2617a0162616102", new Map([["z", 1], ["aa", 2]])],
  [
    "the integer 1 and the string 1",
    "a20101613102",
    new Map<number | string, number>([[1, 1], ["1", 2]]),
  ],
];

for (const [why, hex, value] of DECODED) {
  Deno.test(`decodeCbor() decodes ${why}`, () => {
    assertEquals(decodeCbor(decodeHex(hex)), value);
  });
}

function mapOf(key: number | string, value: CborValue): ReadonlyMap<number | string, CborValue> {
  return new Map([[key, value]]);
}

/** [why, entries in an order that is not canonical] */
const UNSORTED: readonly (readonly [string, readonly (readonly [Encodable, Encodable])[]])[] = [
  ["integers", [[2, 0], [1, 0]]],
  ["negative integers", [[-2, 0], [-1, 0]]],
  ["a negative integer before a positive one", [[-1, 0], [1, 0]]],
  ["a string before an integer", [["a", 0], [1, 0]]],
  ["a string before a longer integer", [["a", 0], [65_536, 0]]],
  ["a longer integer first", [[256, 0], [24, 0]]],
  ["strings of one length", [["b", 0], ["a", 0]]],
  ["a longer string first", [["aa", 0], ["b", 0]]],
  ["strings of more than 23 bytes", [["a".repeat(24), 0], ["b".repeat(23), 0]]],
  ["strings that differ in their last byte", [[`${"a".repeat(300)}b`, 0], ["a".repeat(301), 0]]],
  ["the last of three", [[1, 0], [3, 0], [2, 0]]],
];

for (const [why, entries] of UNSORTED) {
  Deno.test(`decodeCbor() accepts keys in any order only as an option: ${why}`, () => {
    const bytes = encodeCbor(unsorted(entries));
    const nested = encodeCbor(new Map([["attStmt", unsorted(entries)]]));
    assertThrows(() => decodeCbor(bytes), SyntaxError, MESSAGE);
    assertThrows(() => decodeCbor(bytes, { anyKeyOrder: false }), SyntaxError, MESSAGE);
    assertThrows(() => decodeCbor(nested), SyntaxError, MESSAGE);
    const keys = entries.map(([key]) => key);
    assertEquals([...decodeCbor(bytes, { anyKeyOrder: true }) as Map<number, 0>], entries);
    const outer = decodeCbor(nested, { anyKeyOrder: true }) as Map<string, Map<Encodable, 0>>;
    assertEquals([...outer.get("attStmt")?.keys() ?? []], keys);
    assertEquals(decodeCbor(encodeCbor(new Map(entries))) instanceof Map, true);
  });
}

Deno.test("decodeCbor() refuses duplicate keys in any order too", () => {
  const bytes = encodeCbor(unsorted([["fmt", 1], ["a", 2], ["fmt", 1]]));
  assertThrows(() => decodeCbor(bytes, { anyKeyOrder: true }), SyntaxError, MESSAGE);
});

Deno.test("decodeCbor() refuses every input that is cut or continues", () => {
  const bytes = encodeCbor(
    new Map<string, Encodable>([["fmt", "none"], ["attStmt", new Map()], [
      "authData",
      new Uint8Array(300),
    ]]),
  );
  assertEquals((decodeCbor(bytes) as Map<string, unknown>).size, 3);
  for (let end = 0; end < bytes.length; end++) {
    assertThrows(() => decodeCbor(bytes.slice(0, end)), SyntaxError, MESSAGE, `${end}`);
  }
  for (const extra of [[0], [0xff], [0xf6], [0x40]]) {
    assertThrows(() => decodeCbor(concat(bytes, Uint8Array.from(extra))), SyntaxError, MESSAGE);
  }
});

Deno.test("decodeCbor() returns byte strings in the memory of the input", () => {
  const bytes = concat(Uint8Array.of(9), encodeCbor(Uint8Array.of(1, 2, 3))).subarray(1);
  const decoded = decodeCbor(bytes) as Uint8Array;
  assertStrictEquals(decoded.buffer, bytes.buffer);
  assertEquals(decoded, Uint8Array.of(1, 2, 3));
});

Deno.test("decodeCborItem() returns where the item ends, and reads nothing after it", () => {
  const bytes = decodeHex("ff" + "a10102" + "ff");
  assertEquals(decodeCborItem(bytes, 1), { value: new Map([[1, 2]]), end: 4 });
  assertThrows(() => decodeCborItem(bytes, 0), SyntaxError, MESSAGE);
  assertThrows(() => decodeCborItem(bytes, 4), SyntaxError, MESSAGE);
  assertThrows(() => decodeCborItem(bytes, 5), SyntaxError, MESSAGE);
  assertThrows(() => decodeCborItem(bytes, 2 ** 40), SyntaxError, MESSAGE);
  const reversed = encodeCbor([unsorted([[2, 0], [1, 0]]), 5]);
  assertEquals(decodeCborItem(reversed, 1, { anyKeyOrder: true }).end, 6);
});

for (
  const hex of [
    "",
    "18",
    "19ff",
    "1affffff",
    "41",
    "43ffff",
    "61",
    "636161",
    "81",
    "8200",
    "a1",
    "a101",
    "a2010203",
  ]
) {
  Deno.test(`decodeCborItem() refuses an item that ends after the input: ${hex}`, () => {
    assertThrows(() => decodeCborItem(decodeHex(hex), 0), SyntaxError, MESSAGE);
  });
}

Deno.test("decodeCbor() accepts random bytes only if they are what an encoder writes", () => {
  const next = randomNumbers(8_949);
  const first = [0x00, 0x18, 0x38, 0x41, 0x58, 0x61, 0x82, 0xa1, 0xa2, 0xf5, 0x1b, 0x79];
  let accepted = 0;
  for (let i = 0; i < 200_000; i++) {
    const bytes = Uint8Array.from(
      { length: 1 + next(10) },
      () => next(4) === 0 ? next(256) : next(25),
    );
    bytes[0] = first[next(first.length)] ?? 0;
    let value: CborValue;
    try {
      value = decodeCbor(bytes);
    } catch (error) {
      assertEquals((error as Error).message, MESSAGE);
      continue;
    }
    accepted++;
    assertEquals(encodeHex(encodeCbor(value as Encodable)), encodeHex(bytes));
  }
  assertEquals(accepted > 1_000, true);
});
