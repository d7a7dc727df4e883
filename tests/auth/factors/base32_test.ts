/** Base32 of secrets: the RFC's examples, and what no bytes encode to. */

import { assertEquals, assertThrows } from "@std/assert";
import { decodeBase32, encodeBase32 } from "../../../auth/factors/_base32.ts";

/** RFC 4648 §10, without padding. */
const VECTORS: readonly (readonly [text: string, encoded: string])[] = [
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
];

for (const [text, encoded] of VECTORS) {
  Deno.test(`encodeBase32() and decodeBase32() match RFC 4648 §10: "${text}"`, () => {
    const bytes = new TextEncoder().encode(text);
    assertEquals(encodeBase32(bytes), encoded);
    assertEquals(decodeBase32(encoded), bytes);
    assertEquals(decodeBase32(encoded.toLowerCase()), bytes);
  });
}

Deno.test("decodeBase32() returns what encodeBase32() was given, for every length up to 64", () => {
  for (let length = 0; length <= 64; length++) {
    for (const fill of [undefined, 0, 0xff]) {
      const bytes = new Uint8Array(length);
      if (fill === undefined) crypto.getRandomValues(bytes);
      else bytes.fill(fill);
      assertEquals(decodeBase32(encodeBase32(bytes)), bytes);
    }
  }
});

const MALFORMED: readonly (readonly [why: string, text: string])[] = [
  ["padding", "MY======"],
  ["a digit that the alphabet lacks", "M1"],
  ["a space", "MZXW 6YQ"],
  ["a character outside ASCII", "MÝ"],
  ["a character whose upper case is in the alphabet", "Mı"],
  ["one character", "M"],
  ["three characters", "MZX"],
  ["six characters", "MZXW6Y"],
  ["unused bits that are not 0", "MZ"],
  ["unused bits that are not 0, after more bytes", "MZXW6YTBOJ"],
  ["base64url", "MZ-_"],
];

for (const [why, text] of MALFORMED) {
  Deno.test(`decodeBase32() rejects ${why}`, () => {
    const { message } = assertThrows(() => decodeBase32(text), SyntaxError);
    assertEquals(message, "Cannot decode base32: malformed input");
  });
}
