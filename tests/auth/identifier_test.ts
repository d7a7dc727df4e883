/** The one spelling of identifiers: what two people could take for the same is the same, or is refused. */

import { assert, assertEquals, assertFalse, assertLess, assertThrows } from "@std/assert";
import { AuthError } from "../../auth/error.ts";
import { canonicalIdentifier } from "../../auth/identifier.ts";
import { randomNumbers } from "../static/_random.ts";

/** The one spelling, or nothing if it is refused as the doc says. */
function canonical(text: unknown): string | undefined {
  try {
    return canonicalIdentifier(text);
  } catch (error) {
    if (error instanceof AuthError && error.code === "invalid_identifier") return undefined;
    throw error;
  }
}

/** Runs something that is refused a million times: stacks of errors take most of the time. */
function withoutStacks(run: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Spellings of one user. The first is the one that is kept. */
const SAME: readonly [why: string, ...spellings: string[]][] = [
  ["case", "ada@example.org", "Ada@Example.ORG", "ADA@EXAMPLE.ORG"],
  ["white space around", "ada", " ada", "ada ", "\tada\r\n", "\u00a0ada\u3000", "\ufeffada\u2028"],
  ["a full-width @", "ada@example.org", "ada＠example.org", "ada﹫example.org"],
  ["full-width letters and dots", "ada@example.org", "Ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ"],
  ["letters in styles", "ada", "𝐀𝐝𝐚", "𝒜𝒹𝒶", "Ⓐⓓⓐ", "ᵃᵈᵃ"],
  ["composed and decomposed letters", "josé", "jose\u0301", "JOSE\u0301", "JOSÉ"],
  ["marks in another order", "q\u0323\u0307", "q\u0307\u0323"],
  ["letters that only their lower case composes", "ǰẖẗẘẙ", "J\u030cH\u0331T\u0308W\u030aY\u030a"],
  ["ligatures", "office", "oﬃce", "o\ufb03ce"],
  ["a long s", "sisi", "ſiſi"],
  ["the Kelvin sign", "kelvin", "\u212aelvin"],
  ["the Ångström sign", "å", "\u212b", "A\u030a", "Å"],
  ["a sharp s in upper case", "straße", "STRAẞE", "straẞe"],
  [
    "Greek, where lower case depends on what follows",
    "ασ.β@example.gr",
    "ας.β@example.gr",
    "ΑΣ.Β@example.gr",
    "Ας.Β@example.gr",
  ],
  ["a final sigma", "οδυσσευσ", "οδυσσευς", "ΟΔΥΣΣΕΥΣ"],
  ["Cyrillic case", "ада", "АДА"],
  ["Deseret case, beyond the first plane", "𐐨", "𐐀"],
  ["Hangul in pieces", "한", "\u1112\u1161\u11ab"],
  ["half-width Katakana", "ガ", "ｶﾞ"],
];

for (const [why, expected = "", ...spellings] of SAME) {
  Deno.test(`canonicalIdentifier() sees past ${why}`, () => {
    for (const spelling of [expected, ...spellings]) {
      assertEquals(canonical(spelling), expected, spelling);
    }
  });
}

/** What looks alike and is not the same to any rule of Unicode; a user of the one must not become the other. */
const DIFFERENT: readonly [why: string, a: string, b: string][] = [
  ["a Cyrillic letter", "ada", "аda"],
  ["i with and without a dot", "i", "ı"],
  ["i and what İ becomes", "i", "İ"],
  ["sharp s and ss", "straße", "strasse"],
  ["an accent", "jose", "josé"],
  ["dots in the local part, which some providers ignore", "a.da@example.org", "ada@example.org"],
  ["a tag in the local part, which some providers cut", "ada+x@example.org", "ada@example.org"],
  ["a trailing dot of the host", "ada@example.org.", "ada@example.org"],
  ["punycode and what it stands for", "ada@xn--bcher-kva.example", "ada@bücher.example"],
];

for (const [why, a, b] of DIFFERENT) {
  Deno.test(`canonicalIdentifier() keeps apart ${why}`, () => {
    assert(canonical(a) !== undefined && canonical(b) !== undefined);
    assertFalse(canonical(a) === canonical(b));
  });
}

/** ATTACKS: one key or 400. */
const REFUSED: readonly [why: string, text: unknown][] = [
  ["a list of texts", ["ada@example.org"]],
  ["a list of two", ["ada@example.org", "eve@example.org"]],
  ["an object", { identifier: "ada@example.org" }],
  ["an object with toString()", { toString: () => "ada@example.org" }],
  ["a String object", new String("ada@example.org")],
  ["a number", 42],
  ["null", null],
  ["undefined", undefined],
  ["true", true],
  ["a symbol", Symbol("ada")],
  ["nothing", ""],
  ["nothing but white space", " \t\u00a0\u3000 "],
  ["two addresses, with a comma", "a@x,b@y"],
  ["two addresses, with a full-width comma", "a@x，b@y"],
  ["two addresses, with a semicolon", "a@x;b@y"],
  ["two addresses, with a full-width semicolon", "a@x；b@y"],
  ["two addresses, with a Greek question mark", "a@x\u037eb@y"],
  ["two addresses, with a space", "a@x b@y"],
  ["two addresses, with a line feed", "a@x\nb@y"],
  ["a header field within", "a@x\r\nBcc: eve@example.org"],
  ["two @", "a@x@y"],
  ["two @, one full-width", "a@x＠y"],
  ["two @ in a row", "a@@x"],
  ["nothing before the @", "@example.org"],
  ["nothing behind the @", "ada@"],
  ["an @ alone", "@"],
  ["a full-width @ alone", "＠"],
  ["a name with an address", "Ada <ada@example.org>"],
  ["full-width angle brackets", "Ada＜ada@example.org＞"],
  ["a quoted local part", '"a b"@example.org'],
  ["a comment", "ada(x)@example.org"],
  ["an address literal", "ada@[192.0.2.1]"],
  ["a group", "g:ada@example.org"],
  ["a backslash", "ada\\@example.org"],
  ["a space within", "ada lovelace"],
  ["a no-break space within", "ada\u00a0lovelace"],
  ["an ideographic space within", "ada\u3000lovelace"],
  ["what NFKC makes a space of", "ada\u00b4x"],
  ["NUL", "ada\0"],
  ["NUL within", "ada\0@example.org"],
  ["an escape", "ada\x1b[31m"],
  ["DEL", "ada\x7f"],
  ["a C1 control", "ada\x85x"],
  ["a soft hyphen", "a\u00adda"],
  ["a zero-width space", "ada\u200b"],
  ["a zero-width joiner", "a\u200dda"],
  ["a zero-width non-joiner", "a\u200cda"],
  ["a word joiner", "a\u2060da"],
  ["a byte order mark within", "a\ufeffda"],
  ["a bidi override", "\u202eada"],
  ["a bidi isolate", "\u2066ada\u2069"],
  ["a left-to-right mark", "ada\u200e"],
  ["an Arabic letter mark", "ada\u061c"],
  ["a line separator within", "a\u2028da"],
  ["a variation selector", "ada\ufe0f"],
  ["a variation selector of the supplement", "ada\u{e0100}"],
  ["a Mongolian variation selector", "ada\u180b"],
  ["a combining grapheme joiner", "a\u034fda"],
  ["a Hangul filler", "\u3164"],
  ["a half-width Hangul filler", "ada\uffa0"],
  ["a Hangul Choseong filler", "ada\u115f"],
  ["a blank Braille pattern", "ada\u2800"],
  ["tags", "ada\u{e0041}\u{e007f}"],
  ["a high surrogate alone", "ada\ud800"],
  ["a low surrogate alone", "\udc00ada"],
  ["surrogates in the wrong order", "\udc00\ud800"],
  ["a private character", "ada\ue000"],
  ["a private character of plane 16", "ada\u{10fffd}"],
  ["a noncharacter", "ada\uffff"],
  ["an unassigned code point", "ada\u0378"],
];

for (const [why, text] of REFUSED) {
  Deno.test(`canonicalIdentifier() refuses ${why}`, () => assertEquals(canonical(text), undefined));
}

for (const character of `()<>[]:;\\,"`) {
  Deno.test(`canonicalIdentifier() refuses ${character} alone, within, in front and behind`, () => {
    for (const text of [character, `a${character}b`, `${character}a`, `a${character}`]) {
      assertEquals(canonical(text), undefined);
    }
  });
}

Deno.test("canonicalIdentifier() refuses by a 400 that does not repeat the text", () => {
  const error = assertThrows(() => canonicalIdentifier("s3cr3t,s3cr3t"), AuthError);
  assertEquals([error.code, error.status], ["invalid_identifier", 400]);
  assertFalse(
    JSON.stringify([error, error.message, error.reason, error.problem]).includes("s3cr3t"),
  );
});

Deno.test("canonicalIdentifier() takes names and addresses as they come", () => {
  for (
    const text of [
      "a",
      "ada",
      "ada@x",
      "o'brien@example.org",
      "a!#$%&'*+-/=?^_`{|}~.@example.org",
      "山田@例え.jp",
      "_",
      "-",
      "😀@example.org",
    ]
  ) {
    assertEquals(canonical(text), text);
  }
});

/** Of a code point, an amount that fits and one that does not. */
const LENGTHS: readonly [why: string, one: string, most: number][] = [
  ["letters", "a", 254],
  ["characters of two UTF-16 units", "😀", 254],
  ["characters that are composed of two", "e\u0301", 254],
  ["characters that are composed of three", "\u1112\u1161\u11ab", 254],
  ["characters that become three", "ﬃ", 84], // 84 × 3 = 252
  ["characters that become eighteen", "\ufdfa", 0], // with spaces
];

for (const [why, one, most] of LENGTHS) {
  Deno.test(`canonicalIdentifier() takes ${most} ${why}, and not one more`, () => {
    if (most > 0) assert(canonical(one.repeat(most)) !== undefined);
    assertEquals(canonical(one.repeat(most + 1)), undefined);
  });
}

Deno.test("canonicalIdentifier() never gives more than 254 characters, whatever NFKC makes of a text", () => {
  for (const one of ["ﷺ", "㍿", "㌀", "½", "ﬃ", "ẞ", "İ", "ŉ", "\u0390", "Ａ", "𝐀"]) {
    for (let count = 1; count <= 300; count++) {
      const identifier = canonical(one.repeat(count));
      if (identifier !== undefined) assert([...identifier].length <= 254);
    }
  }
});

Deno.test("canonicalIdentifier() counts without the white space around", () => {
  assertEquals(canonical(` ${"a".repeat(254)} `), "a".repeat(254));
});

Deno.test("canonicalIdentifier() looks at no text of more than 1,016 UTF-16 units, white space included", () => {
  assertEquals(canonical(`${" ".repeat(1_013)}ada`), "ada");
  assertEquals(canonical(`${" ".repeat(1_014)}ada`), undefined);
});

Deno.test("canonicalIdentifier() refuses 100 kB and 10 MB in no time", () => {
  const ones = ["a", " ", "\u0301", "\ufdfa", "a\u0316\u0301", "@", "\ud800", "Σ"];
  const started = performance.now();
  for (const one of ones) assertEquals(canonical(one.repeat(100_000)), undefined);
  assertEquals(canonical("a".repeat(10_000_000)), undefined);
  assertLess(performance.now() - started, 2_000);
});

/** Whether the one spelling of a text has itself as its one spelling. */
function isStable(text: string): boolean {
  const identifier = canonical(text);
  return identifier === undefined || canonical(identifier) === identifier;
}

for (
  const [where, around] of [
    ["alone", (character: string) => character],
    ["behind a letter", (character: string) => `a${character}`],
  ] as const
) {
  Deno.test(`canonicalIdentifier() of what it gave is the same, for every assigned code point ${where}`, () => {
    const unstable: string[] = [];
    let taken = 0;
    withoutStacks(() => {
      for (let code = 0; code <= 0x10ffff; code++) {
        const character = String.fromCodePoint(code);
        // Most are refused one like the other: private, or not assigned
        if (code % 16 !== 0 && /[\p{Cn}\p{Co}]/u.test(character)) continue;
        const identifier = canonical(around(character));
        if (identifier === undefined) continue;
        taken++;
        if (canonical(identifier) !== identifier) unstable.push(code.toString(16));
      }
    });
    assertEquals(unstable, []);
    assert(taken > 100_000, `only ${taken} were taken`);
  });
}

Deno.test("canonicalIdentifier() of what it gave is the same where marks, cases and jamo meet", () => {
  const pieces = [..."aAΣσςİıſßẞᾳΐŉǰﬃÅ\u0301\u0307\u0323\u0345\u030aﾞｶ\u1112\u1161\u11ab'.@"];
  for (const a of pieces) {
    for (const b of pieces) {
      for (const c of pieces) assert(isStable(a + b + c), JSON.stringify([a, b, c]));
    }
  }
});

Deno.test("canonicalIdentifier() of what it gave is the same, for texts of what changes in it", () => {
  const pieces: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    const identifier = /[\p{Cn}\p{Co}\p{Cs}]/u.test(character) ? undefined : canonical(character);
    if (identifier === undefined) continue;
    if (identifier !== character || /\p{M}/u.test(character)) pieces.push(character);
  }
  assert(pieces.length > 5_000);
  const random = randomNumbers(5);
  for (let i = 0; i < 100_000; i++) {
    const text = Array.from({ length: 2 + random(3) }, () => pieces[random(pieces.length)]).join(
      "",
    );
    assert(isStable(text), JSON.stringify(text));
  }
});

Deno.test("canonicalIdentifier() gives every letter's two cases one spelling, where case is one to one", () => {
  const apart: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const lower = String.fromCodePoint(code);
    const upper = lower.toUpperCase();
    if (upper === lower || upper.toLowerCase() !== lower) continue;
    for (const [a, b] of [[lower, upper], [`x${lower}.y`, `x${upper}.y`]] as const) {
      if (canonical(a) !== canonical(b)) apart.push(code.toString(16));
    }
  }
  assertEquals(apart, []);
});

Deno.test("canonicalIdentifier() gives nothing that shows as nothing, nor anything that breaks a line", () => {
  const taken: string[] = [];
  withoutStacks(() => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (!/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character)) continue;
      if (canonical(`a${character}b`) !== undefined) taken.push(code.toString(16));
    }
  });
  assertEquals(taken, []);
});
