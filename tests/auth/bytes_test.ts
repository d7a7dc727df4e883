/** Bytes, hexadecimal digits, and unambiguous joining of fields. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import {
  decodeBase64Bare,
  decodeBase64Url,
  encodeBase64Bare,
  encodeBase64Url,
} from "../../auth/_base64url.ts";
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
  Deno.test(`encodeHex() and decodeHex() are inverse for every byte, ${where}`, () => {
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

/** Pairs of arrays that an ambiguous encoding would not distinguish. */
const DIFFERENT: readonly [
  why: string,
  a: readonly (string | Bytes)[],
  b: readonly (string | Bytes)[],
][] = [
  ["text moved across a field boundary", ["ab", "c"], ["a", "bc"]],
  ["everything in one field", ["ab", "c"], ["abc"]],
  ["a trailing empty field", ["a"], ["a", ""]],
  ["a leading empty field", ["a"], ["", "a"]],
  ["empty fields at different positions", ["", "a", ""], ["a", "", ""]],
  ["no field, an empty field", [], [""]],
  ["one empty field, two", [""], ["", ""]],
  ["another order", ["a", "b"], ["b", "a"]],
  ["a separator in a field", ["a,b"], ["a", "b"]],
  ["NUL in a field", ["a\0b"], ["a", "b"]],
  ["a field that looks like a length prefix", ["\0\0\0\x01a"], ["", "a"]],
  ["a whole joined array as a field", [joinFields(["a", "b"])], ["a", "b"]],
  ["lengths that differ in the fourth byte only", ["a".repeat(256)], ["a".repeat(257)]],
];

for (const [why, a, b] of DIFFERENT) {
  Deno.test(`joinFields() distinguishes arrays: ${why}`, () => {
    assertFalse(equalBytes(joinFields(a), joinFields(b)));
  });
}

/** Splits fields again, as documented and independently of the code. */
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

Deno.test("joinFields() is injective: every array can be read back", () => {
  const random = randomNumbers(1);
  for (let i = 0; i < 3_000; i++) {
    const fields = Array.from({ length: random(5) }, () => {
      const length = random(20) === 0 ? 250 + random(20) : random(6);
      return Uint8Array.from({ length }, () => random(4)); // few values, so that bytes look like lengths
    });
    assertEquals(splitFields(joinFields(fields)), fields);
  }
});

Deno.test("joinFields() returns different bytes for all short arrays over two bytes", () => {
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

Deno.test("joinFields() encodes strings in UTF-8 and counts their bytes", () => {
  assertEquals(joinFields(["é"]), Uint8Array.of(0, 0, 0, 2, 0xc3, 0xa9));
  assertEquals(joinFields(["é"]), joinFields([utf8("é")]));
});

Deno.test("joinFields() does not alias the caller's bytes", () => {
  const field = Uint8Array.of(1);
  const joined = joinFields([field]);
  field[0] = 2;
  assertEquals(joined, Uint8Array.of(0, 0, 0, 1, 1));
});

Deno.test("equalBytes() detects every single bit", () => {
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

/** [why, a, b] Different bytes with a common prefix or the same sum. */
const UNEQUAL: readonly [why: string, a: readonly number[], b: readonly number[]][] = [
  ["a prefix", [1, 2], [1, 2, 3]],
  ["no bytes and a zero", [], [0]],
  ["an additional zero", [1], [1, 0]],
  ["differences whose sum is zero", [1, 2], [2, 1]],
  ["differences whose XOR is zero", [3, 3], [0, 0]],
];

for (const [why, a, b] of UNEQUAL) {
  Deno.test(`equalBytes() rejects ${why}`, () => {
    assertFalse(equalBytes(Uint8Array.from(a), Uint8Array.from(b)));
    assertFalse(equalBytes(Uint8Array.from(b), Uint8Array.from(a)));
  });
}

Deno.test("equalBytes() accepts two empty arrays", () => {
  assert(equalBytes(new Uint8Array(), new Uint8Array()));
});

Deno.test("equalText() compares exactly: case, whitespace and normalization form count", () => {
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

/** Bytes of a length: one all zero, one all ones, two random. */
function samples(length: number): Bytes[] {
  const random = randomNumbers(length + 1);
  return [
    new Uint8Array(length),
    new Uint8Array(length).fill(0xff),
    Uint8Array.from({ length }, () => random(256)),
    Uint8Array.from({ length }, () => random(256)),
  ];
}

/** The decoded bytes; undefined if they are rejected. */
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

  Deno.test(`decodeBase64Url() accepts a string of up to two characters only in its canonical encoding ${where}`, () => {
    on(() => {
      for (const first of ["", ...ALPHABET]) {
        for (const second of ["", ...ALPHABET]) {
          const text = first + second;
          const bytes = decoded(decodeBase64Url, text);
          // RFC 4648 §4: of two characters' 12 bits, the last four are not part of a byte
          const whole = text.length === 0 ||
            (text.length === 2 && ALPHABET.indexOf(second) % 16 === 0);
          assertEquals(bytes !== undefined, whole, text);
          if (bytes !== undefined) assertEquals(encodeBase64Url(bytes), text);
        }
      }
    });
  });

  Deno.test(`decodeBase64Url() accepts a string of three or four characters only in its canonical encoding ${where}`, () => {
    const random = randomNumbers(3);
    const pick = () => ALPHABET.charAt(random(64));
    on(() => {
      for (let i = 0; i < 4_000; i++) {
        const three = pick() + pick() + ALPHABET.charAt(i % 64); // every last character, several times
        const bytes = decoded(decodeBase64Url, three);
        assertEquals(bytes !== undefined, i % 4 === 0, three);
        if (bytes !== undefined) assertEquals(encodeBase64Url(bytes), three);
        const four = pick() + pick() + pick() + pick();
        assertEquals(encodeBase64Url(decodeBase64Url(four)), four);
        assertEquals(
          decoded(decodeBase64Url, four + pick()),
          undefined,
          "six bits, which are not a byte",
        );
      }
    });
  });

  for (
    const [why, text] of [
      ["padding", "Zg=="],
      ["one padding character", "Zm8="],
      ["padding where none is needed", "Zm9v="],
      ["only padding", "===="],
      ["a leading space", " Zm9v"],
      ["a trailing space", "Zm9v "],
      ["a space inside", "Zm 9v"],
      ["a trailing line feed", "Zm9v\n"],
      ["a leading line feed", "\nZm9v"],
      ["a tab", "Zm\t9v"],
      ["NUL", "Zm9v\0"],
      ["a full-width letter", "Zm9ｖ"],
      ["an accented letter", "Zm9é"],
      ["a percent sign", "Zm9%"],
      ["a dot", "Zm.9"],
      ["five characters", "Zm9vY"],
      ["one character", "A"],
      ["one non-zero trailing bit after one byte", "ZB"],
      ["non-zero trailing bits after one byte", "Zv"],
      ["one non-zero trailing bit after two bytes", "Zm9"],
      ["a non-zero trailing bit at the end of a long string", `${"Zm9v".repeat(20)}Zh`],
    ] as const
  ) {
    Deno.test(`decodeBase64Url() rejects ${why} ${where}`, () => {
      on(() => {
        assertThrows(() => decodeBase64Url(text), SyntaxError, "Cannot decode base64url");
        assertThrows(() => decodeBase64Bare(text), SyntaxError, "Cannot decode base64url");
      });
    });
  }

  Deno.test(`decodeBase64Url() and decodeBase64Bare() reject each other's alphabet ${where}`, () => {
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

Deno.test("decodeBase64Url() does not quote its input", () => {
  const error = assertThrows(() => decodeBase64Url("a secret="), SyntaxError);
  assertEquals(error.message.includes("secret"), false);
});

Deno.test("encodeBase64Url() reads only the bytes of a view", () => {
  const whole = Uint8Array.of(1, 2, 3, 4, 5, 6);
  assertEquals(decodeBase64Url(encodeBase64Url(whole.subarray(2, 4))), Uint8Array.of(3, 4));
});
