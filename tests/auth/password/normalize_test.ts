import { assert, assertEquals } from "@std/assert";
import {
  foldCase,
  MAX_PASSWORD_BYTES,
  MAX_PASSWORD_LENGTH,
  MAX_PASSWORD_UNITS,
  preparePassword,
  readPassword,
} from "../../../auth/password/_normalize.ts";

const LONE = "\ud83d";

const PREPARED: readonly (readonly [why: string, value: string, text: string])[] = [
  ["ASCII stays", "correct horse", "correct horse"],
  ["case and spaces stay", "  Mixed CASE  ", "  Mixed CASE  "],
  ["the empty text is one", "", ""],
  ["NFC stays", "caf\u00e9", "caf\u00e9"],
  ["NFD becomes NFC", "cafe\u0301", "caf\u00e9"],
  ["the Ångström sign is the letter", "\u212b", "\u00c5"],
  ["syllables of jamo are joined", "\u1112\u1161\u11ab", "\ud55c"],
  ["marks have one order", "q\u0307\u0323", "q\u0323\u0307"],
  ["compatible is not the same: NFC, not NFKC", "\ufb01\u2460", "\ufb01\u2460"],
  ["control characters but NUL stay", "a\tb\u0001\u007f", "a\tb\u0001\u007f"],
  ["a character outside the BMP stays whole", "\u{1f511}", "\u{1f511}"],
];

for (const [why, value, text] of PREPARED) {
  Deno.test(`preparePassword() gives the NFC form: ${why}`, () => {
    assertEquals(preparePassword(value), text);
  });
}

const IMPOSSIBLE: readonly (readonly [why: string, value: unknown])[] = [
  ["NUL at the end: pw is not pw\\0", "pw\0"],
  ["NUL at the start", "\0pw"],
  ["a lone high surrogate", `pw${LONE}`],
  ["a lone low surrogate", "pw\udd11"],
  ["surrogates in the wrong order", "\udd11\ud83d"],
  ["undefined", undefined],
  ["null", null],
  ["a number", 123456789012345],
  ["a list of one text", ["correct horse battery"]],
  ["a String object", new String("correct horse battery")],
  ["bytes", new TextEncoder().encode("correct horse battery")],
];

for (const [why, value] of IMPOSSIBLE) {
  Deno.test(`preparePassword() takes no ${why}`, () => {
    assertEquals(preparePassword(value), undefined);
    assertEquals(readPassword(value), { kind: "invalid_characters" });
  });
}

/** One code point of NFC that is four of NFD, each one unit: the most that NFC ever joins. */
const JOINED = "\u1f82";

const LENGTHS: readonly (readonly [why: string, value: string, length: number | undefined])[] = [
  ["15 emoji are 15 characters", "\u{1f511}".repeat(15), 15],
  ["a family of emoji is its code points", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", 5],
  ["NFD counts as NFC does", "e\u0301".repeat(15), 15],
  ["255 characters", "x".repeat(255), 255],
  ["256 characters, the most", "x".repeat(256), 256],
  ["257 characters", "x".repeat(257), undefined],
  ["256 emoji, 1,024 bytes", "\u{1f511}".repeat(256), 256],
  ["257 emoji", "\u{1f511}".repeat(257), undefined],
  ["256 characters of 1,024 in NFD", JOINED.normalize("NFD").repeat(256), 256],
  ["257 characters of 1,028 in NFD", JOINED.normalize("NFD").repeat(257), undefined],
  ["a letter with 255 marks", `e${"\u0323".repeat(256)}`, 256],
  ["a letter with 256 marks", `e${"\u0323".repeat(257)}`, undefined],
];

for (const [why, value, length] of LENGTHS) {
  Deno.test(`readPassword() counts code points of the NFC form: ${why}`, () => {
    const reading = readPassword(value);
    assertEquals(reading.kind === "text" ? reading.length : undefined, length);
    assertEquals(reading.kind, length === undefined ? "too_long" : "text");
    assertEquals(preparePassword(value) === undefined, length === undefined);
  });
}

Deno.test("readPassword() does not look at a text that is too long in any form", () => {
  // It would find the NUL and the surrogate if it looked
  for (const size of [MAX_PASSWORD_UNITS, 2 ** 20]) {
    assertEquals(readPassword(`\0${"x".repeat(size)}`), { kind: "too_long" });
    assertEquals(readPassword(`${LONE}${"x".repeat(size)}`), { kind: "too_long" });
  }
  assertEquals(readPassword(`\0${"x".repeat(MAX_PASSWORD_UNITS - 1)}`), {
    kind: "invalid_characters",
  });
});

Deno.test("MAX_PASSWORD_UNITS leaves room for every form of the longest password", () => {
  let most = 0;
  for (let code = 0; code < 0x11_0000; code++) {
    if (code === 0xd800) code = 0xe000; // surrogates are no characters
    const { length } = [...String.fromCodePoint(code).normalize("NFD")];
    most = Math.max(most, length);
  }
  assertEquals(most, 4);
  assertEquals([...JOINED.normalize("NFD")].length, most);
  assert(MAX_PASSWORD_UNITS >= 2 * most * MAX_PASSWORD_LENGTH);
});

Deno.test("MAX_PASSWORD_BYTES is what the longest password has", () => {
  const longest = preparePassword("\u{10ffff}".repeat(MAX_PASSWORD_LENGTH)) ?? "";
  assertEquals(new TextEncoder().encode(longest).length, MAX_PASSWORD_BYTES);
});

const FOLDED: readonly (readonly [why: string, text: string, folded: readonly string[]])[] = [
  ["capitals", "ABCxyz", ["a", "b", "c", "x", "y", "z"]],
  ["sharp s is ss, and still one character", "aß", ["a", "ss"]],
  ["the final sigma is a sigma", "ΣΑΣς", ["σ", "α", "σ", "σ"]],
  ["the Kelvin sign is a k", "\u212a", ["k"]],
  ["the long s is an s", "ſ", ["s"]],
  ["characters outside the BMP", "\u{10400}\u{1f511}", ["\u{10428}", "\u{1f511}"]],
];

for (const [why, text, folded] of FOLDED) {
  Deno.test(`foldCase() folds each code point alone: ${why}`, () => {
    assertEquals(foldCase(text), [...folded]);
  });
}
