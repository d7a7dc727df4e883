/** The canonical form of identifiers: confusable identifiers are equal or rejected. */

import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { AuthError } from "../../auth/error.ts";
import { canonicalIdentifier } from "../../auth/identifier.ts";

/** The canonical form, or undefined if it is rejected with `invalid_identifier`. */
function canonical(text: unknown): string | undefined {
  try {
    return canonicalIdentifier(text);
  } catch (error) {
    if (error instanceof AuthError && error.code === "invalid_identifier") return undefined;
    throw error;
  }
}

/** Equivalent spellings of one user. The first one is canonical. */
const SAME: readonly [why: string, ...spellings: string[]][] = [
  ["case", "ada@example.org", "Ada@Example.ORG", "ADA@EXAMPLE.ORG"],
  ["white space around", "ada", " ada", "ada ", "\tada\r\n", "\u00a0ada\u3000", "\ufeffada\u2028"],
  ["a full-width @", "ada@example.org", "ada＠example.org", "ada﹫example.org"],
  ["full-width letters and dots", "ada@example.org", "Ａｄａ＠ｅｘａｍｐｌｅ．ｏｒｇ"],
  ["mathematical letters", "ada", "𝐀𝐝𝐚", "𝒜𝒹𝒶", "Ⓐⓓⓐ", "ᵃᵈᵃ"],
  ["composed and decomposed letters", "josé", "jose\u0301", "JOSE\u0301", "JOSÉ"],
  ["combining marks in another order", "q\u0323\u0307", "q\u0307\u0323"],
  ["letters that compose only in lower case", "ǰẖẗẘẙ", "J\u030cH\u0331T\u0308W\u030aY\u030a"],
  ["ligatures", "office", "oﬃce", "o\ufb03ce"],
  ["a long s", "sisi", "ſiſi"],
  ["the Kelvin sign", "kelvin", "\u212aelvin"],
  ["the Ångström sign", "å", "\u212b", "A\u030a", "Å"],
  ["a sharp s in upper case", "straße", "STRAẞE", "straẞe"],
  [
    "Greek, where lower case depends on the next letter",
    "ασ.β@example.gr",
    "ας.β@example.gr",
    "ΑΣ.Β@example.gr",
    "Ας.Β@example.gr",
  ],
  ["a final sigma", "οδυσσευσ", "οδυσσευς", "ΟΔΥΣΣΕΥΣ"],
  ["Cyrillic case", "ада", "АДА"],
  ["Deseret case, outside the BMP", "𐐨", "𐐀"],
  ["Hangul in jamo", "한", "\u1112\u1161\u11ab"],
  ["half-width Katakana", "ガ", "ｶﾞ"],
];

for (const [why, expected = "", ...spellings] of SAME) {
  Deno.test(`canonicalIdentifier() normalizes ${why}`, () => {
    for (const spelling of [expected, ...spellings]) {
      assertEquals(canonical(spelling), expected, spelling);
    }
  });
}

/** Confusable identifiers that Unicode does not map to each other; they are different users. */
const DIFFERENT: readonly [why: string, a: string, b: string][] = [
  ["a Cyrillic letter", "ada", "аda"],
  ["i with and without a dot", "i", "ı"],
  ["i and the lower case of İ", "i", "İ"],
  ["sharp s and ss", "straße", "strasse"],
  ["a letter with and without an accent", "jose", "josé"],
  ["dots in the local part, which some providers ignore", "a.da@example.org", "ada@example.org"],
  ["a tag in the local part, which some providers remove", "ada+x@example.org", "ada@example.org"],
  ["a trailing dot in the host", "ada@example.org.", "ada@example.org"],
  ["punycode and its decoded form", "ada@xn--bcher-kva.example", "ada@bücher.example"],
];

for (const [why, a, b] of DIFFERENT) {
  Deno.test(`canonicalIdentifier() distinguishes ${why}`, () => {
    assert(canonical(a) !== undefined && canonical(b) !== undefined);
    assertFalse(canonical(a) === canonical(b));
  });
}

/** ATTACKS: the same key or a 400. */
const REFUSED: readonly [why: string, text: unknown][] = [
  ["an array of strings", ["ada@example.org"]],
  ["an array of two strings", ["ada@example.org", "eve@example.org"]],
  ["an object", { identifier: "ada@example.org" }],
  ["an object with toString()", { toString: () => "ada@example.org" }],
  ["a String object", new String("ada@example.org")],
  ["a number", 42],
  ["null", null],
  ["undefined", undefined],
  ["true", true],
  ["a symbol", Symbol("ada")],
  ["undefined", ""],
  ["only white space", " \t\u00a0\u3000 "],
  ["two addresses, with a comma", "a@x,b@y"],
  ["two addresses, with a full-width comma", "a@x，b@y"],
  ["two addresses, with a semicolon", "a@x;b@y"],
  ["two addresses, with a full-width semicolon", "a@x；b@y"],
  ["two addresses, with a Greek question mark", "a@x\u037eb@y"],
  ["two addresses, with a space", "a@x b@y"],
  ["two addresses, with a line feed", "a@x\nb@y"],
  ["a header field inside", "a@x\r\nBcc: eve@example.org"],
  ["two @", "a@x@y"],
  ["two @, one full-width", "a@x＠y"],
  ["two consecutive @", "a@@x"],
  ["nothing before the @", "@example.org"],
  ["nothing after the @", "ada@"],
  ["an @ alone", "@"],
  ["a full-width @ alone", "＠"],
  ["a name with an address", "Ada <ada@example.org>"],
  ["full-width angle brackets", "Ada＜ada@example.org＞"],
  ["a quoted local part", '"a b"@example.org'],
  ["a comment", "ada(x)@example.org"],
  ["an address literal", "ada@[192.0.2.1]"],
  ["a group", "g:ada@example.org"],
  ["a backslash", "ada\\@example.org"],
  ["a space inside", "ada lovelace"],
  ["a no-break space inside", "ada\u00a0lovelace"],
  ["an ideographic space inside", "ada\u3000lovelace"],
  ["a character that NFKC maps to a space", "ada\u00b4x"],
  ["NUL", "ada\0"],
  ["NUL inside", "ada\0@example.org"],
  ["an escape character", "ada\x1b[31m"],
  ["DEL", "ada\x7f"],
  ["a C1 control", "ada\x85x"],
  ["a soft hyphen", "a\u00adda"],
  ["a zero-width space", "ada\u200b"],
  ["a zero-width joiner", "a\u200dda"],
  ["a zero-width non-joiner", "a\u200cda"],
  ["a word joiner", "a\u2060da"],
  ["a byte order mark inside", "a\ufeffda"],
  ["a bidi override", "\u202eada"],
  ["a bidi isolate", "\u2066ada\u2069"],
  ["a left-to-right mark", "ada\u200e"],
  ["an Arabic letter mark", "ada\u061c"],
  ["a line separator inside", "a\u2028da"],
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
  ["a private-use character", "ada\ue000"],
  ["a private-use character of plane 16", "ada\u{10fffd}"],
  ["a noncharacter", "ada\uffff"],
  ["an unassigned code point", "ada\u0378"],
];

for (const [why, text] of REFUSED) {
  Deno.test(`canonicalIdentifier() rejects ${why}`, () => assertEquals(canonical(text), undefined));
}

for (const character of `()<>[]:;\\,"`) {
  Deno.test(`canonicalIdentifier() rejects ${character} alone, inside, before and after`, () => {
    for (const text of [character, `a${character}b`, `${character}a`, `a${character}`]) {
      assertEquals(canonical(text), undefined);
    }
  });
}

Deno.test("canonicalIdentifier() rejects with a 400 that does not contain the input", () => {
  const error = assertThrows(() => canonicalIdentifier("s3cr3t,s3cr3t"), AuthError);
  assertEquals([error.code, error.status], ["invalid_identifier", 400]);
  assertFalse(
    JSON.stringify([error, error.message, error.reason, error.problem]).includes("s3cr3t"),
  );
});

Deno.test("canonicalIdentifier() accepts names and addresses", () => {
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

/** The largest accepted number of repetitions of a code point. */
const LENGTHS: readonly [why: string, one: string, most: number][] = [
  ["letters", "a", 254],
  ["characters of two UTF-16 units", "😀", 254],
  ["characters that compose from two", "e\u0301", 254],
  ["characters that compose from three", "\u1112\u1161\u11ab", 254],
  ["characters that expand to three", "ﬃ", 84], // 84 × 3 = 252
  ["characters that expand to eighteen", "\ufdfa", 0], // with spaces
];

for (const [why, one, most] of LENGTHS) {
  Deno.test(`canonicalIdentifier() accepts ${most} ${why}, and rejects one more`, () => {
    if (most > 0) assert(canonical(one.repeat(most)) !== undefined);
    assertEquals(canonical(one.repeat(most + 1)), undefined);
  });
}

Deno.test("canonicalIdentifier() never returns more than 254 characters after NFKC", () => {
  for (const one of ["ﷺ", "㍿", "㌀", "½", "ﬃ", "ẞ", "İ", "ŉ", "\u0390", "Ａ", "𝐀"]) {
    for (let count = 1; count <= 300; count++) {
      const identifier = canonical(one.repeat(count));
      if (identifier !== undefined) assert([...identifier].length <= 254);
    }
  }
});

Deno.test("canonicalIdentifier() counts characters after trimming", () => {
  assertEquals(canonical(` ${"a".repeat(254)} `), "a".repeat(254));
});

Deno.test("canonicalIdentifier() rejects more than 1,016 UTF-16 units, white space included", () => {
  assertEquals(canonical(`${" ".repeat(1_013)}ada`), "ada");
  assertEquals(canonical(`${" ".repeat(1_014)}ada`), undefined);
});

/** Whether canonicalization is idempotent for a string. */
function isStable(text: string): boolean {
  const identifier = canonical(text);
  return identifier === undefined || canonical(identifier) === identifier;
}

Deno.test("canonicalIdentifier() is idempotent for marks, cases and jamo", () => {
  const pieces = [..."aAΣσςİıſßẞᾳΐŉǰﬃÅ\u0301\u0307\u0323\u0345\u030aﾞｶ\u1112\u1161\u11ab'.@"];
  for (const a of pieces) {
    for (const b of pieces) {
      for (const c of pieces) assert(isStable(a + b + c), JSON.stringify([a, b, c]));
    }
  }
});

Deno.test("canonicalIdentifier() maps both cases of a letter to one form", () => {
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
