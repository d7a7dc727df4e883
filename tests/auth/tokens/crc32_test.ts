/** CRC-32 as Ethernet, gzip and PNG have it; the values are those of zlib. */

import { assertEquals } from "@std/assert";
import { type Bytes, utf8 } from "../../../auth/_bytes.ts";
import { crc32 } from "../../../auth/tokens/_api_key_encoding.ts";

const VALUES: readonly [why: string, bytes: Bytes, crc: number][] = [
  ["the check value of all catalogues", utf8("123456789"), 0xcbf43926],
  ["nothing", utf8(""), 0],
  ["one byte", utf8("a"), 0xe8b7be43],
  ["three bytes", utf8("abc"), 0x352441c2],
  ["a sentence", utf8("The quick brown fox jumps over the lazy dog"), 0x414fa339],
  ["zeros, whose number counts", new Uint8Array(32), 0x190a55ad],
  ["ones", new Uint8Array(32).fill(0xff), 0xff6cab0b],
  ["all different", Uint8Array.from({ length: 32 }, (_, i) => i), 0x91267e8a],
  ["one with a leading zero", utf8("ключ"), 0x0caf961a],
];
for (const [why, bytes, crc] of VALUES) {
  Deno.test(`crc32() of ${why}`, () => {
    assertEquals(crc32(bytes), crc);
  });
}

Deno.test("crc32() finds every single bit that is turned, and every two neighbours that are swapped", () => {
  const text = utf8("key_7n42DGM5Tflk9n8mt7Fhc7_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1");
  const crc = crc32(text);
  const found = new Set<number>();
  for (let i = 0; i < text.length; i++) {
    for (let bit = 0; bit < 8; bit++) {
      found.add(crc32(text.map((byte, at) => at === i ? byte ^ (1 << bit) : byte)));
    }
    const [a = 0, b = 0] = text.slice(i, i + 2);
    if (i + 1 === text.length || a === b) continue;
    const swapped = text.slice();
    swapped.set([b, a], i);
    assertEquals(crc32(swapped) === crc, false);
  }
  assertEquals(found.has(crc), false);
  assertEquals(found.size, text.length * 8);
});
