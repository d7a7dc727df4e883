/** Base62: exactly one text for given bytes, and always as long. */

import { assert, assertEquals } from "@std/assert";
import { encodeBase62, isBase62 } from "../../../auth/tokens/_api_key_encoding.ts";
import type { Bytes } from "../../../auth/_bytes.ts";
import { randomNumbers } from "../../static/_random.ts";
import { RUNTIMES } from "../_without_native.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const LENGTHS: readonly [bytes: number, digits: number][] = [
  [0, 0],
  [1, 2],
  [2, 3],
  [3, 5],
  [4, 6],
  [8, 11],
  [16, 22],
  [32, 43],
];

/** Made by another program. */
const VALUES: readonly [why: string, bytes: Bytes, text: string][] = [
  ["nothing", new Uint8Array(0), ""],
  ["zero", Uint8Array.of(0), "00"],
  ["the last digit", Uint8Array.of(61), "0z"],
  ["the first of two", Uint8Array.of(62), "10"],
  ["the highest byte", Uint8Array.of(255), "47"],
  ["the highest of 4 bytes", ones(4), "4gfFC3"],
  ["the highest of 16", ones(16), "7n42DGM5Tflk9n8mt7Fhc7"],
  ["the highest of 32", ones(32), "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1"],
  ["4 bytes", Uint8Array.of(0xcb, 0xf4, 0x39, 0x26), "3jZRME"],
  ["16 bytes, the first zero", rising(16), "000SYW7RiJxkEgOGusQGwp"],
  ["32 bytes, the first zero", rising(32), "003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf"],
];

for (const [where, on] of RUNTIMES) {
  for (const [why, bytes, text] of VALUES) {
    Deno.test(`encodeBase62() writes ${why}, ${where}`, () => {
      on(() => {
        assertEquals(encodeBase62(bytes), text);
        assertEquals(isBase62(text, bytes.length), true);
      });
    });
  }
}

Deno.test("encodeBase62() makes so many digits of so many bytes, whatever they are", () => {
  for (const [length, digits] of LENGTHS) {
    const random = randomNumbers(length + 1);
    const samples = [new Uint8Array(length), ones(length)];
    for (let i = 0; i < 50; i++) samples.push(Uint8Array.from({ length }, () => random(256)));
    for (const bytes of samples) {
      const text = encodeBase62(bytes);
      assertEquals(text.length, digits);
      assertEquals(decode(text), numberOf(bytes), "another way there and back");
      assertEquals(isBase62(text, length), true);
    }
  }
});

Deno.test("encodeBase62() is the one spelling of its bytes, in their order", () => {
  const texts = Array.from({ length: 65_536 }, (_, i) => encodeBase62(Uint8Array.of(i >> 8, i)));
  assertEquals(new Set(texts).size, 65_536);
  assertEquals(texts.toSorted(), texts);
});

Deno.test("isBase62() takes the texts of two bytes, and no other of three digits", () => {
  const made = new Set(
    Array.from({ length: 65_536 }, (_, i) => encodeBase62(Uint8Array.of(i >> 8, i))),
  );
  let taken = 0;
  for (const a of DIGITS) {
    for (const b of DIGITS) {
      for (const c of DIGITS) {
        const text = a + b + c;
        if (isBase62(text, 2)) taken++;
        if (isBase62(text, 2) !== made.has(text)) assert(false, text);
      }
    }
  }
  assertEquals(taken, 65_536);
});

const REFUSED: readonly [why: string, text: string, bytes: number][] = [
  ["one more than 16 bytes hold", "7n42DGM5Tflk9n8mt7Fhc8", 16],
  ["the highest digits", "z".repeat(22), 16],
  ["one more than 32 bytes hold", "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp2", 32],
  ["one more than 4 bytes hold", "4gfFC4", 4],
  ["a digit too few", "7n42DGM5Tflk9n8mt7Fhc", 16],
  ["a zero in front", "07n42DGM5Tflk9n8mt7Fhc7", 16],
  ["nothing", "", 4],
  ["a sign", "+00000", 4],
  ["a space", " 00000", 4],
  ["a line's end", "00000\n", 4],
  ["base64url", "00-000", 4],
  ["an underscore", "00_000", 4],
  ["digits beyond ASCII", "００００００", 4],
];
for (const [why, text, bytes] of REFUSED) {
  Deno.test(`isBase62() refuses ${why}`, () => {
    assertEquals(isBase62(text, bytes), false);
  });
}

function ones(length: number): Bytes {
  return new Uint8Array(length).fill(0xff);
}

function rising(length: number): Bytes {
  return Uint8Array.from({ length }, (_, i) => i);
}

function decode(text: string): bigint {
  return [...text].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
}

function numberOf(bytes: Bytes): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
