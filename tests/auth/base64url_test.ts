/** Base64url and Base64 without padding, RFC 4648: exactly one text for given bytes. */

import { assertEquals, assertThrows } from "@std/assert";
import {
  decodeBase64Bare,
  decodeBase64Url,
  encodeBase64Bare,
  encodeBase64Url,
} from "../../auth/_base64url.ts";
import { type Bytes, utf8 } from "../../auth/_bytes.ts";
import { randomNumbers } from "../static/_random.ts";
import { RUNTIMES } from "./_without_native.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** RFC 4648 §10, without the padding. */
const EXAMPLES: readonly [text: string, encoded: string][] = [
  ["", ""],
  ["f", "Zg"],
  ["fo", "Zm8"],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg"],
  ["fooba", "Zm9vYmE"],
  ["foobar", "Zm9vYmFy"],
];

/** Bytes of a length: one all zero, one all ones, two of chance. */
function samples(length: number): Bytes[] {
  const random = randomNumbers(length + 1);
  return [
    new Uint8Array(length),
    new Uint8Array(length).fill(0xff),
    Uint8Array.from({ length }, () => random(256)),
    Uint8Array.from({ length }, () => random(256)),
  ];
}

/** What a decoder gives, or nothing if it refuses as it says it does. */
function decoded(decode: (text: string) => Bytes, text: string): Bytes | undefined {
  try {
    return decode(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

for (const [where, on] of RUNTIMES) {
  for (const [text, encoded] of EXAMPLES) {
    Deno.test(`encodeBase64Url() matches RFC 4648 §10 for "${text}" ${where}`, () => {
      on(() => {
        assertEquals(encodeBase64Url(utf8(text)), encoded);
        assertEquals(encodeBase64Bare(utf8(text)), encoded);
        assertEquals(decodeBase64Url(encoded), utf8(text));
        assertEquals(decodeBase64Bare(encoded), utf8(text));
      });
    });
  }

  Deno.test(`encodeBase64Url() and decodeBase64Url() agree with the platform for 0 to 66 bytes ${where}`, () => {
    for (let length = 0; length <= 66; length++) {
      for (const bytes of samples(length)) {
        const url = bytes.toBase64({ alphabet: "base64url", omitPadding: true });
        const bare = bytes.toBase64({ omitPadding: true });
        on(() => {
          assertEquals(encodeBase64Url(bytes), url);
          assertEquals(encodeBase64Bare(bytes), bare);
          assertEquals(decodeBase64Url(url), bytes);
          assertEquals(decodeBase64Bare(bare), bytes);
        });
      }
    }
  });

  Deno.test(`decodeBase64Url() takes a text of up to two characters only in its one spelling ${where}`, () => {
    on(() => {
      for (const first of ["", ...ALPHABET]) {
        for (const second of ["", ...ALPHABET]) {
          const text = first + second;
          const bytes = decoded(decodeBase64Url, text);
          // RFC 4648 §4: of two characters' 12 bits, the last four belong to no byte
          const whole = text.length === 0 ||
            (text.length === 2 && ALPHABET.indexOf(second) % 16 === 0);
          assertEquals(bytes !== undefined, whole, text);
          if (bytes !== undefined) assertEquals(encodeBase64Url(bytes), text);
        }
      }
    });
  });

  Deno.test(`decodeBase64Url() takes a text of three or four characters only in its one spelling ${where}`, () => {
    const random = randomNumbers(3);
    const pick = () => ALPHABET.charAt(random(64));
    on(() => {
      for (let i = 0; i < 4_000; i++) {
        const three = pick() + pick() + ALPHABET.charAt(i % 64); // every last character, often
        const bytes = decoded(decodeBase64Url, three);
        assertEquals(bytes !== undefined, i % 4 === 0, three);
        if (bytes !== undefined) assertEquals(encodeBase64Url(bytes), three);
        const four = pick() + pick() + pick() + pick();
        assertEquals(encodeBase64Url(decodeBase64Url(four)), four);
        assertEquals(decoded(decodeBase64Url, four + pick()), undefined, "six bits are no byte");
      }
    });
  });

  for (
    const [why, text] of [
      ["padding", "Zg=="],
      ["one sign of padding", "Zm8="],
      ["padding where none is due", "Zm9v="],
      ["nothing but padding", "===="],
      ["a space in front", " Zm9v"],
      ["a space behind", "Zm9v "],
      ["a space within", "Zm 9v"],
      ["a line feed behind", "Zm9v\n"],
      ["a line feed in front", "\nZm9v"],
      ["a tab", "Zm\t9v"],
      ["NUL", "Zm9v\0"],
      ["a full-width letter", "Zm9ｖ"],
      ["an accented letter", "Zm9é"],
      ["a percent sign", "Zm9%"],
      ["a dot", "Zm.9"],
      ["five characters", "Zm9vY"],
      ["one character", "A"],
      ["one bit of no byte behind one byte", "ZB"],
      ["all bits of no byte behind one byte", "Zv"],
      ["one bit of no byte behind two bytes", "Zm9"],
      ["a stray bit at the end of a long text", `${"Zm9v".repeat(20)}Zh`],
    ] as const
  ) {
    Deno.test(`decodeBase64Url() refuses ${why} ${where}`, () => {
      on(() => {
        assertThrows(() => decodeBase64Url(text), SyntaxError, "Cannot decode base64url");
        assertThrows(() => decodeBase64Bare(text), SyntaxError, "Cannot decode base64url");
      });
    });
  }

  Deno.test(`decodeBase64Url() and decodeBase64Bare() refuse each other's alphabet ${where}`, () => {
    const bytes = Uint8Array.of(0xfb, 0xff, 0xfe);
    on(() => {
      assertEquals(encodeBase64Url(bytes), "-__-");
      assertEquals(encodeBase64Bare(bytes), "+//+");
      for (const text of ["+//+", "+AAA", "/AAA", "AAA+", "-+AA"]) {
        assertThrows(() => decodeBase64Url(text), SyntaxError);
      }
      for (const text of ["-__-", "-AAA", "_AAA", "AAA-", "-+AA"]) {
        assertThrows(() => decodeBase64Bare(text), SyntaxError);
      }
    });
  });
}

Deno.test("decodeBase64Url() does not repeat what it refuses", () => {
  const error = assertThrows(() => decodeBase64Url("a secret="), SyntaxError);
  assertEquals(error.message.includes("secret"), false);
});

Deno.test("encodeBase64Url() looks at a view's own bytes alone", () => {
  const whole = Uint8Array.of(1, 2, 3, 4, 5, 6);
  assertEquals(decodeBase64Url(encodeBase64Url(whole.subarray(2, 4))), Uint8Array.of(3, 4));
});
