/** Password hashers: normalization, PHC strings, PBKDF2 and scrypt. */

import { scryptAsync } from "@noble/hashes/scrypt.js";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { encodeBase64Bare } from "../../../auth/_base64url.ts";
import { decodeHex, utf8 } from "../../../auth/_bytes.ts";
import {
  foldCase,
  MAX_PASSWORD_BYTES,
  MAX_PASSWORD_LENGTH,
  MAX_PASSWORD_UNITS,
  preparePassword,
  readPassword,
} from "../../../auth/password/_normalize.ts";
import { pbkdf2Hasher, type Pbkdf2HasherOptions } from "../../../auth/password/pbkdf2.ts";
import {
  type ScryptFunction,
  scryptHasher,
  type ScryptParameters,
} from "../../../auth/password/scrypt.ts";
import { readVectors } from "../../vectors/_vectors.ts";
import {
  bare,
  type Derivation,
  FAST,
  KEY32,
  nodePbkdf2,
  NOTHING,
  phc,
  SALT,
  sum,
  withDerivation,
} from "./_pbkdf2.ts";

const LONE = "\ud83d";

const PREPARED: readonly (readonly [why: string, value: string, text: string])[] = [
  ["ASCII is unchanged", "correct horse", "correct horse"],
  ["case and spaces are unchanged", "  Mixed CASE  ", "  Mixed CASE  "],
  ["the empty string is unchanged", "", ""],
  ["NFC is unchanged", "caf\u00e9", "caf\u00e9"],
  ["NFD becomes NFC", "cafe\u0301", "caf\u00e9"],
  ["the Ångström sign becomes the letter", "\u212b", "\u00c5"],
  ["jamo are composed to syllables", "\u1112\u1161\u11ab", "\ud55c"],
  ["marks are sorted", "q\u0307\u0323", "q\u0323\u0307"],
  ["compatibility characters are unchanged: NFC, not NFKC", "\ufb01\u2460", "\ufb01\u2460"],
  ["control characters except NUL are unchanged", "a\tb\u0001\u007f", "a\tb\u0001\u007f"],
  ["a character outside the BMP is unchanged", "\u{1f511}", "\u{1f511}"],
];

for (const [why, value, text] of PREPARED) {
  Deno.test(`preparePassword() returns the NFC form: ${why}`, () => {
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
  ["an array of one string", ["correct horse battery"]],
  ["a String object", new String("correct horse battery")],
  ["bytes", new TextEncoder().encode("correct horse battery")],
];

for (const [why, value] of IMPOSSIBLE) {
  Deno.test(`preparePassword() rejects ${why}`, () => {
    assertEquals(preparePassword(value), undefined);
    assertEquals(readPassword(value), { kind: "invalid_characters" });
  });
}

/** One code point in NFC for four code units in NFD: the maximum ratio. */
const JOINED = "\u1f82";

const LENGTHS: readonly (readonly [why: string, value: string, length: number | undefined])[] = [
  ["15 emoji are 15 characters", "\u{1f511}".repeat(15), 15],
  ["a family of emoji is several code points", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", 5],
  ["NFD is counted like NFC", "e\u0301".repeat(15), 15],
  ["255 characters", "x".repeat(255), 255],
  ["256 characters, the maximum", "x".repeat(256), 256],
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

Deno.test("readPassword() does not normalize a string that is too long in any form", () => {
  // It would reject the NUL and the surrogate if it normalized
  for (const size of [MAX_PASSWORD_UNITS, 2 ** 20]) {
    assertEquals(readPassword(`\0${"x".repeat(size)}`), { kind: "too_long" });
    assertEquals(readPassword(`${LONE}${"x".repeat(size)}`), { kind: "too_long" });
  }
  assertEquals(readPassword(`\0${"x".repeat(MAX_PASSWORD_UNITS - 1)}`), {
    kind: "invalid_characters",
  });
});

Deno.test("MAX_PASSWORD_UNITS allows every normal form of the longest password", () => {
  let most = 0;
  for (let code = 0; code < 0x11_0000; code++) {
    if (code === 0xd800) code = 0xe000; // surrogates are rejected
    const { length } = [...String.fromCodePoint(code).normalize("NFD")];
    most = Math.max(most, length);
  }
  assertEquals(most, 4);
  assertEquals([...JOINED.normalize("NFD")].length, most);
  assert(MAX_PASSWORD_UNITS >= 2 * most * MAX_PASSWORD_LENGTH);
});

Deno.test("MAX_PASSWORD_BYTES is the size of the longest password", () => {
  const longest = preparePassword("\u{10ffff}".repeat(MAX_PASSWORD_LENGTH)) ?? "";
  assertEquals(new TextEncoder().encode(longest).length, MAX_PASSWORD_BYTES);
});

const FOLDED: readonly (readonly [why: string, text: string, folded: readonly string[]])[] = [
  ["capitals", "ABCxyz", ["a", "b", "c", "x", "y", "z"]],
  ["sharp s folds to ss, and is still one character", "aß", ["a", "ss"]],
  ["the final sigma is a sigma", "ΣΑΣς", ["σ", "α", "σ", "σ"]],
  ["the Kelvin sign is a k", "\u212a", ["k"]],
  ["the long s is an s", "ſ", ["s"]],
  ["characters outside the BMP", "\u{10400}\u{1f511}", ["\u{10428}", "\u{1f511}"]],
];

for (const [why, text, folded] of FOLDED) {
  Deno.test(`foldCase() folds each code point separately: ${why}`, () => {
    assertEquals(foldCase(text), [...folded]);
  });
}

const SALT16 = bare(SALT);
const KEY = bare(KEY32);

/** Valid hashes with extreme parameters. */
const READ: readonly [why: string, encoded: string, iterations: number][] = [
  ["the minimum of iterations", phc(1_000, SALT, KEY32), 1_000],
  ["one iteration more than the minimum", phc(1_001, SALT, KEY32), 1_001],
  ["the maximum of iterations", phc(10_000_000, SALT, KEY32), 10_000_000],
  ["8 bytes of salt", phc(1_000, SALT.slice(0, 8), KEY32), 1_000],
  ["64 bytes of salt", phc(1_000, new Uint8Array(64), KEY32), 1_000],
  ["16 bytes of key", phc(1_000, SALT, KEY32.slice(0, 16)), 1_000],
  ["32 bytes of key", phc(1_000, SALT, KEY32), 1_000],
  ["the size of the key, as RustCrypto writes", phc("1000,l=32", SALT, KEY32), 1_000],
];

for (const [why, encoded, iterations] of READ) {
  Deno.test(`pbkdf2Hasher() reads a hash with ${why}`, async () => {
    let matches = false;
    const derived = await withDerivation(async () => {
      matches = await pbkdf2Hasher(FAST).verify("x", encoded);
    }, NOTHING);
    assert(matches);
    assertEquals(derived, [iterations]);
  });
}

/**
 * Invalid hashes. No password matches them, whatever iterations they contain, and verifying does not disclose which account has
 * one: it takes one derivation with the current iterations.
 */
const REFUSED: readonly [why: string, encoded: unknown][] = [
  ["undefined", ""],
  ["999 iterations", phc(999, SALT, KEY32)],
  ["1 iteration", phc(1, SALT, KEY32)],
  ["0 iterations", phc(0, SALT, KEY32)],
  ["10,000,001 iterations", phc(10_000_001, SALT, KEY32)],
  ["4,294,967,295 iterations", phc(4_294_967_295, SALT, KEY32)],
  ["4,294,968,296 iterations, which are 1,000 in 32 bits", phc(4_294_968_296, SALT, KEY32)],
  ["9,999,999,999 iterations", phc(9_999_999_999, SALT, KEY32)],
  ["eleven digits", phc("10000000000", SALT, KEY32)],
  ["a thousand digits", phc("9".repeat(1_000), SALT, KEY32)],
  ["a leading zero", phc("01000", SALT, KEY32)],
  ["a plus", phc("+1000", SALT, KEY32)],
  ["a minus", phc("-1000", SALT, KEY32)],
  ["an exponent", phc("1e4", SALT, KEY32)],
  ["a fraction", phc("1000.5", SALT, KEY32)],
  ["a decimal point", phc("1000.0", SALT, KEY32)],
  ["hexadecimal digits", phc("0x3e8", SALT, KEY32)],
  ["an underscore", phc("1_000", SALT, KEY32)],
  ["a comma", phc("1,000", SALT, KEY32)],
  ["Arabic digits", phc("١٠٠٠", SALT, KEY32)],
  ["full-width digits", phc("１０００", SALT, KEY32)],
  ["a leading space", phc(" 1000", SALT, KEY32)],
  ["a trailing space", phc("1000 ", SALT, KEY32)],
  ["NaN", phc("", SALT, KEY32)],
  ["Infinity", phc("Infinity", SALT, KEY32)],
  ["duplicate iterations", phc("1000,i=1000", SALT, KEY32)],
  ["two numbers of iterations", phc("1000,i=2000", SALT, KEY32)],
  ["an additional parameter", phc("1000,x=1", SALT, KEY32)],
  ["another size of the key", phc("1000,l=31", SALT, KEY32)],
  ["a leading parameter", `$pbkdf2-sha256$x=1,i=1000$${SALT16}$${KEY}`],
  ["another name of the iterations", `$pbkdf2-sha256$t=1000$${SALT16}$${KEY}`],
  ["the name in upper case", `$pbkdf2-sha256$I=1000$${SALT16}$${KEY}`],
  [
    "a parameter named like a property of every object",
    `$pbkdf2-sha256$i=1000,valueof=1$${SALT16}$${KEY}`,
  ],
  ["no parameters", `$pbkdf2-sha256$${SALT16}$${KEY}`],
  ["empty parameters", `$pbkdf2-sha256$$${SALT16}$${KEY}`],
  ["five parameters", phc("1000,a=1,b=1,c=1,d=1", SALT, KEY32)],
  ["7 bytes of salt", phc(1_000, SALT.slice(0, 7), KEY32)],
  ["65 bytes of salt", phc(1_000, new Uint8Array(65), KEY32)],
  ["15 bytes of key", phc(1_000, SALT, KEY32.slice(0, 15))],
  ["one byte of key", phc(1_000, SALT, KEY32.slice(0, 1))],
  ["33 bytes of key, whose cost is doubled", phc(1_000, SALT, new Uint8Array(33))],
  ["64 bytes of key", phc(1_000, SALT, new Uint8Array(64))],
  ["no salt", phc(1_000, new Uint8Array(), KEY32)],
  ["no key", phc(1_000, SALT, new Uint8Array())],
  ["a missing part", `$pbkdf2-sha256$i=1000$${SALT16}`],
  ["an additional part", `${phc(1_000, SALT, KEY32)}$`],
  ["a non-zero trailing bit in the salt", `$pbkdf2-sha256$i=1000$${SALT16.slice(0, -1)}x$${KEY}`],
  ["a non-zero trailing bit in the key", `$pbkdf2-sha256$i=1000$${SALT16}$${KEY.slice(0, -1)}B`],
  ["six trailing bits in the key", `$pbkdf2-sha256$i=1000$${SALT16}$${"A".repeat(45)}`],
  ["padding", `$pbkdf2-sha256$i=1000$${SALT16}==$${KEY}=`],
  ["the base64url alphabet", `$pbkdf2-sha256$i=1000$${SALT16}$${"_".repeat(42)}8`],
  ["the alphabet of passlib, with dots", `$pbkdf2-sha256$i=1000$${SALT16}$${".".repeat(43)}`],
  ["passlib's own format", `$pbkdf2-sha256$1000$${SALT16}$${KEY}`],
  ["Django's form", `pbkdf2_sha256$1000$salt$${KEY32.toBase64()}`],
  ["another hash function", `$pbkdf2-sha512$i=1000$${SALT16}$${KEY}`],
  ["the id in upper case", `$PBKDF2-SHA256$i=1000$${SALT16}$${KEY}`],
  ["the id with a suffix", `$pbkdf2-sha256x$i=1000$${SALT16}$${KEY}`],
  ["the id without the hash", `$pbkdf2$i=1000$${SALT16}$${KEY}`],
  ["no id", `$$i=1000$${SALT16}$${KEY}`],
  ["scrypt", `$scrypt$ln=17,r=8,p=1$${SALT16}$${KEY}`],
  ["Argon2", `$argon2id$v=19$m=19456,t=2,p=1$${SALT16}$${KEY}`],
  ["bcrypt", "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"],
  ["a version", `$pbkdf2-sha256$v=1$i=1000$${SALT16}$${KEY}`],
  ["a prefix", ` ${phc(1_000, SALT, KEY32)}`],
  ["a trailing line feed", `${phc(1_000, SALT, KEY32)}\n`],
  ["a leading line", `x\n${phc(1_000, SALT, KEY32)}`],
  ["a trailing NUL", `${phc(1_000, SALT, KEY32)}\0`],
  ["the password itself", "x"],
  ["a megabyte", `$pbkdf2-sha256$i=1000$${"A".repeat(1_000_000)}$${KEY}`],
  ["a megabyte of dollars", "$".repeat(1_000_000)],
  ["undefined", undefined],
  ["null", null],
  ["a number", 1_000],
  ["an object", {}],
  ["an array", []],
];

for (const [why, encoded] of REFUSED) {
  Deno.test(`pbkdf2Hasher() rejects ${why} after the work of a hash`, async () => {
    const hasher = pbkdf2Hasher({ iterations: 3_000 });
    const derived = await withDerivation(async () => {
      assertFalse(await hasher.verify("x", encoded as string));
    }, NOTHING);
    assertEquals(derived, [3_000]);
    assert(hasher.needsRehash(encoded as string));
  });
}

/** [why, current iterations, iterations of the hash, total iterations] */
const WORK: readonly [why: string, current: number, stored: number, total: number][] = [
  ["the same number", 5_000, 5_000, 5_000],
  ["half", 5_000, 2_500, 5_000],
  ["one iteration less", 5_000, 4_999, 5_000],
  ["the minimum", 600_000, 1_000, 600_000],
  ["a higher number", 1_000, 5_000, 5_000],
];

for (const [why, iterations, stored, total] of WORK) {
  Deno.test(`pbkdf2Hasher() verifies ${stored} iterations with ${total} in total if ${iterations} are current: ${why}`, async () => {
    const hasher = pbkdf2Hasher({ iterations });
    const encoded = phc(stored, SALT, KEY32);
    for (
      const [password, key] of [["right", KEY32], ["wrong", new Uint8Array(32).fill(1)]] as const
    ) {
      let matches = false;
      const derived = await withDerivation(async () => {
        matches = await hasher.verify(password, phc(stored, SALT, key));
      }, NOTHING);
      assertEquals(sum(derived), total);
      assertEquals(matches, key === KEY32);
    }
    const hashed = await withDerivation(async () => void await hasher.hash("x"), NOTHING);
    assertEquals(sum(hashed), iterations);
    assertEquals(hasher.needsRehash(encoded), stored < iterations);
  });
}

Deno.test("pbkdf2Hasher() verifies a hash with fewer iterations by its own key only", async () => {
  const hasher = pbkdf2Hasher({ iterations: 3_000 });
  const encoded = phc(1_000, SALT, nodePbkdf2(utf8("x")));
  assert(await hasher.verify("x", encoded));
  assertFalse(await hasher.verify("y", encoded));
  assertFalse(await hasher.verify("x", phc(1_000, SALT, nodePbkdf2(utf8("x"), 2_000)))); // the key after the additional iterations
  assertFalse(await hasher.verify("x", phc(1_000, SALT, nodePbkdf2(utf8("x"), 3_000))));
});

Deno.test("pbkdf2Hasher() compares all bytes of a key of any length", async () => {
  const hasher = pbkdf2Hasher(FAST);
  for (const length of [16, 20, 31, 32]) {
    const key = nodePbkdf2(utf8("x"), 1_000, length);
    assert(await hasher.verify("x", phc(1_000, SALT, key)));
    for (const at of [0, length >> 1, length - 1]) {
      const other = key.slice();
      other[at] = (other[at] ?? 0) ^ 1;
      assertFalse(await hasher.verify("x", phc(1_000, SALT, other)), `byte ${at} of ${length}`);
    }
  }
});

/** Whether a hash needs a rehash, with 5,000 iterations. */
const REHASH: readonly [why: string, encoded: string, needed: boolean][] = [
  ["its own hash", phc(5_000, SALT, KEY32), false],
  ["more iterations", phc(5_001, SALT, KEY32), false],
  ["the maximum of iterations", phc(10_000_000, SALT, KEY32), false],
  ["one iteration less", phc(4_999, SALT, KEY32), true],
  ["a salt of 15 bytes", phc(5_000, SALT.slice(1), KEY32), true],
  ["a salt of 17 bytes", phc(5_000, new Uint8Array(17), KEY32), false],
  ["a key of 31 bytes", phc(5_000, SALT, KEY32.slice(1)), true],
  ["a key of 33 bytes", phc(5_000, SALT, new Uint8Array(33)), true],
  ["another's", `$scrypt$ln=17,r=8,p=1$${SALT16}$${KEY}`, true],
];

for (const [why, encoded, needed] of REHASH) {
  Deno.test(`needsRehash() is ${needed} for ${why}`, () => {
    assertEquals(pbkdf2Hasher({ iterations: 5_000 }).needsRehash(encoded), needed);
  });
}

interface Vector {
  readonly id: string;
  readonly passwordUtf8: string;
  readonly salt: string;
  readonly iterations: number;
  readonly dk: string;
}
const vectors = readVectors<Vector>("kdf/pbkdf2-600000.json");

for (const { id, passwordUtf8, salt, iterations, dk } of vectors ?? []) {
  Deno.test(`pbkdf2Hasher() verifies the shared vector ${id}`, async () => {
    const encoded = phc(iterations, decodeHex(salt), decodeHex(dk));
    assert(await pbkdf2Hasher().verify(passwordUtf8, encoded));
    assertFalse(pbkdf2Hasher().needsRehash(encoded));
  });
}
Deno.test({
  name: "pbkdf2Hasher() is checked by three shared vectors",
  ignore: vectors === undefined,
  fn: () => assertEquals(vectors?.length, 3),
});

Deno.test("pbkdf2Hasher() hashes with 600,000 iterations by default", async () => {
  const iterations = await withDerivation(async () => {
    assertMatch(await pbkdf2Hasher().hash("x"), /^\$pbkdf2-sha256\$i=600000\$/);
    assertMatch(await pbkdf2Hasher({}).hash("x"), /^\$pbkdf2-sha256\$i=600000\$/);
    assertMatch(await pbkdf2Hasher({ iterations: 4_321 }).hash("x"), /^\$pbkdf2-sha256\$i=4321\$/);
  }, NOTHING);
  assertEquals(iterations, [600_000, 600_000, 4_321]);
});

/** HMAC replaces a key of more than 64 bytes by its digest: a hash of any length is the standard's all the same. */
const PASSWORDS = [
  "",
  "x",
  "pässwörd 🔑",
  "€".repeat(21),
  "a".repeat(64),
  "a".repeat(65),
  "a".repeat(128),
  "a".repeat(129),
  "🔑".repeat(250), // 1,000 bytes
  "🔑".repeat(256), // the maximum, 1,024 bytes
];

for (const password of PASSWORDS) {
  Deno.test(`pbkdf2Hasher() hashes ${utf8(password).length} bytes like node:crypto, and verifies the hash`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    const encoded = await hasher.hash(password);
    const [, id, parameters, salt = "", key = ""] = encoded.split("$");
    assertEquals([id, parameters], ["pbkdf2-sha256", "i=1000"]);
    assertEquals(Uint8Array.fromBase64(salt).length, 16);
    assertEquals(key, bare(nodePbkdf2(utf8(password), 1_000, 32, Uint8Array.fromBase64(salt))));
    assert(await hasher.verify(password, encoded));
    assertFalse(hasher.needsRehash(encoded));
  });

  Deno.test(`pbkdf2Hasher() verifies node:crypto's hash of ${utf8(password).length} bytes`, async () => {
    const encoded = phc(1_000, SALT, nodePbkdf2(utf8(password)));
    assert(await pbkdf2Hasher(FAST).verify(password, encoded));
    assertFalse(await pbkdf2Hasher(FAST).verify(`${password.slice(2)}.`, encoded));
    assertFalse(pbkdf2Hasher(FAST).needsRehash(encoded));
  });
}

Deno.test("pbkdf2Hasher() verifies the vector of RFC 6070 for SHA-256", async () => {
  // §2, the fifth case: 40 bytes, of which the first 32 are the first block
  const salt = utf8("saltSALTsaltSALTsaltSALTsaltSALTsalt");
  const key = decodeHex("348c89dbcbd32b2f32d814b8116e84cf2b17347ebc1800181c4e2a1fb8dd53e1");
  assert(await pbkdf2Hasher(FAST).verify("passwordPASSWORDpassword", phc(4_096, salt, key)));
});

Deno.test("pbkdf2Hasher() never reuses a salt", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const all = await Promise.all(Array.from({ length: 100 }, () => hasher.hash("x")));
  for (const part of [3, 4]) {
    assertEquals(new Set(all.map((encoded) => encoded.split("$")[part])).size, 100);
  }
});

/** Passwords other than the right one, "pässwort". */
const WRONG: readonly [why: string, password: string][] = [
  ["undefined", ""],
  ["another case", "Pässwort"],
  ["a missing letter", "pässwor"],
  ["an additional letter", "pässwortx"],
  ["a trailing space", "pässwort "],
  ["another letter in another normal form", "pa\u0301sswort"],
];

for (const [why, password] of WRONG) {
  Deno.test(`pbkdf2Hasher() rejects ${why}`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    assertFalse(await hasher.verify(password, await hasher.hash("pässwort")));
  });
}

Deno.test("pbkdf2Hasher() accepts all normal forms of a password, and hashes NFC", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const [nfc, nfd] = ["p\u00e4sswort", "pa\u0308sswort"];
  assert(await hasher.verify(nfd, await hasher.hash(nfc)));
  assert(await hasher.verify(nfc, await hasher.hash(nfd)));
  assert(await hasher.verify(nfd, phc(1_000, SALT, nodePbkdf2(utf8(nfc)))));
  assertFalse(await hasher.verify(nfd, phc(1_000, SALT, nodePbkdf2(utf8(nfd)))));
});

/** Invalid passwords: HMAC pads with zeros, and all lone surrogates have the same UTF-8 encoding. */
const PBKDF2_IMPOSSIBLE: readonly [why: string, password: unknown][] = [
  ["a trailing NUL", "x\0"],
  ["a leading NUL", "\0x"],
  ["only NUL", "\0"],
  ["a lone high surrogate", "\ud800x"],
  ["a lone low surrogate", "x\udfff"],
  ["257 characters", "a".repeat(257)],
  ["a megabyte", "a".repeat(1_000_000)],
  ["undefined", undefined],
  ["null", null],
  ["a number", 1],
  ["an array", ["x"]],
  ["an object", { toString: () => "x" }],
];

for (const [why, password] of PBKDF2_IMPOSSIBLE) {
  Deno.test(`pbkdf2Hasher() does not hash or verify ${why}, and derives nothing`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    const stored = [phc(1_000, SALT, KEY32), phc(1_000, SALT, nodePbkdf2(utf8("x"))), "", "$x$"];
    const derived = await withDerivation(async () => {
      const error = await assertRejects(() => hasher.hash(password as string), TypeError);
      assertEquals(error.message, "Cannot hash password: it must be a valid password");
      for (const encoded of stored) {
        assertFalse(await hasher.verify(password as string, encoded));
      }
    }, NOTHING);
    assertEquals(derived, []);
  });
}

Deno.test("pbkdf2Hasher() rejects a password with a trailing NUL, unlike plain PBKDF2", async () => {
  assertEquals(nodePbkdf2(utf8("x\0\0")), nodePbkdf2(utf8("x"))); // collides in PBKDF2
  const hasher = pbkdf2Hasher(FAST);
  assertFalse(await hasher.verify("x\0\0", await hasher.hash("x")));
});

const LONG = "correct horse battery staple, and some more words to be over 64 bytes";

Deno.test("pbkdf2Hasher() does not truncate a long password", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const encoded = await hasher.hash("a".repeat(255) + "b");
  assertFalse(await hasher.verify("a".repeat(255) + "c", encoded));
  assertFalse(await hasher.verify("a".repeat(255), encoded));
  assertFalse(await hasher.verify("a".repeat(72), encoded));
});

for (const iterations of [1_000, 10_000_000]) {
  Deno.test(`pbkdf2Hasher() accepts ${iterations} iterations`, () => {
    assertEquals(pbkdf2Hasher({ iterations }).id, "pbkdf2-sha256");
  });
}

for (
  const iterations of [
    999,
    10_000_001,
    0,
    -1_000,
    1_000.5,
    NaN,
    Infinity,
    2 ** 32 + 1_000,
    "600000",
    null,
    true,
    1_000n,
    [1_000],
  ]
) {
  Deno.test(`pbkdf2Hasher() rejects ${String(iterations)} (${typeof iterations}) iterations`, () => {
    assertThrows(
      () => pbkdf2Hasher({ iterations } as Pbkdf2HasherOptions),
      RangeError,
      "Cannot create PBKDF2 hasher: iterations",
    );
  });
}

/** workerd: more than 100,000 iterations are not supported. */
const CAPPED: Derivation = (algorithm, key, bits) =>
  algorithm.iterations > 100_000
    ? Promise.reject(
      new DOMException(
        "Pbkdf2 failed: iteration counts above 100000 are not supported",
        "NotSupportedError",
      ),
    )
    : NOTHING(algorithm, key, bits);

Deno.test("pbkdf2Hasher() names the option hasher if the runtime does not support the iterations", async () => {
  const hasher = pbkdf2Hasher();
  const attempts = [
    () => hasher.hash("s3cr3t"),
    () => hasher.verify("s3cr3t", phc(600_000, SALT, KEY32)),
    () => hasher.verify("s3cr3t", phc(50_000, SALT, KEY32)), // too many for one derivation
  ];
  await withDerivation(async () => {
    for (const attempt of attempts) {
      const error = await assertRejects(attempt, TypeError, `"hasher"`);
      assert(error.message.startsWith("Cannot hash password: "));
      assert(error.cause instanceof DOMException);
      assertFalse(error.message.includes("s3cr3t"));
    }
    assert(await pbkdf2Hasher({ iterations: 100_000 }).verify("x", phc(100_000, SALT, KEY32)));
  }, CAPPED);
});

Deno.test("pbkdf2Hasher() is frozen, and has only the members of a hasher", () => {
  const hasher = pbkdf2Hasher();
  assert(Object.isFrozen(hasher));
  assertEquals(Reflect.ownKeys(hasher).sort(), ["hash", "id", "needsRehash", "verify"]);
});

Deno.test("pbkdf2Hasher() verifies hashes with more and with fewer iterations", async () => {
  const [less, more] = [pbkdf2Hasher(FAST), pbkdf2Hasher({ iterations: 2_000 })];
  for (const [a, b] of [[less, more], [more, less]] as const) {
    const encoded = await a.hash(LONG);
    assert(await b.verify(LONG, encoded));
    assertFalse(await b.verify(`${LONG}.`, encoded));
  }
});

const PASSWORD = "lovelace wrote notes";
const CHEAP = { scrypt: scryptAsync, ln: 10, r: 8, p: 1 } as const;

/** The calls of scrypt, in order. */
function counting(): { scrypt: ScryptFunction; calls: ScryptParameters[] } {
  const calls: ScryptParameters[] = [];
  return {
    calls,
    scrypt(password, salt, parameters) {
      calls.push(parameters);
      return scryptAsync(password, salt, parameters);
    },
  };
}

Deno.test("scryptHasher() derives the key of RFC 7914 §12", async () => {
  // N = 1024, r = 8, p = 16, 64 bytes; the PHC string contains the first 32
  const key = Uint8Array.fromHex(
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162",
  );
  const salt = encodeBase64Bare(utf8("NaCl"));
  assertEquals(
    await scryptAsync(utf8("password"), utf8("NaCl"), { N: 1024, r: 8, p: 16, dkLen: 32 }),
    key,
  );
  // Its salt of 4 bytes is too short for the hasher; the same hash with a longer one
  assertFalse(
    await scryptHasher(CHEAP).verify(
      "password",
      `$scrypt$ln=10,r=8,p=16$${salt}$${encodeBase64Bare(key)}`,
    ),
  );
  const longer = utf8("NaClNaClNaClNaCl");
  const derived = new Uint8Array(
    await scryptAsync("password", longer, { N: 1024, r: 8, p: 16, dkLen: 32 }),
  );
  const encoded = `$scrypt$ln=10,r=8,p=16$${encodeBase64Bare(longer)}$${encodeBase64Bare(derived)}`;
  assert(await scryptHasher(CHEAP).verify("password", encoded));
});

Deno.test("scryptHasher() hashes with a new salt, and stores its parameters", async () => {
  const hasher = scryptHasher(CHEAP);
  const [one, other] = [await hasher.hash(PASSWORD), await hasher.hash(PASSWORD)];
  assert(/^\$scrypt\$ln=10,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/.test(one), one);
  assert(one !== other);
  assert(await hasher.verify(PASSWORD, one));
  assertFalse(await hasher.verify(`${PASSWORD}.`, one));
});

Deno.test("scryptHasher() uses OWASP's parameters of 16 MiB by default", async () => {
  const { scrypt, calls } = counting();
  await scryptHasher({ scrypt }).hash(PASSWORD);
  assertEquals(calls, [{ N: 16_384, r: 8, p: 5, dkLen: 32 }]);
});

Deno.test("scryptHasher() hashes a password of over 64 bytes like plain scrypt", async () => {
  const hasher = scryptHasher(CHEAP);
  const encoded = await hasher.hash(LONG);
  const salt = Uint8Array.fromBase64(encoded.split("$")[3] ?? "");
  const plain = await scryptAsync(utf8(LONG), salt, { N: 1024, r: 8, p: 1, dkLen: 32 });
  assert(encoded.endsWith(encodeBase64Bare(new Uint8Array(plain))));
  assert(await hasher.verify(LONG, encoded));
});

Deno.test("scryptHasher() takes as much work for an old hash as for a new one", async () => {
  const old = await scryptHasher(CHEAP).hash(PASSWORD);
  const { scrypt, calls } = counting();
  const hasher = scryptHasher({ scrypt, ln: 12, r: 8, p: 2 });
  assert(await hasher.verify(PASSWORD, old));
  const spent = calls.reduce((sum, { N, r, p }) => sum + N * r * p, 0);
  assertEquals(spent, 4096 * 8 * 2);
  assert(hasher.needsRehash(old));
  assertFalse(hasher.needsRehash(await hasher.hash(PASSWORD)));
});

const SALT_AND_KEY = `$${"A".repeat(22)}$${"A".repeat(43)}`;

for (
  const [why, encoded] of [
    ["another algorithm", `$pbkdf2-sha256$i=1000${SALT_AND_KEY}`],
    ["2^21 blocks", `$scrypt$ln=21,r=8,p=1${SALT_AND_KEY}`],
    ["2 GiB", `$scrypt$ln=20,r=16,p=1${SALT_AND_KEY}`],
    ["half an hour of work", `$scrypt$ln=20,r=8,p=16${SALT_AND_KEY}`],
    ["r of 0", `$scrypt$ln=10,r=0,p=1${SALT_AND_KEY}`],
    ["p of 17", `$scrypt$ln=10,r=8,p=17${SALT_AND_KEY}`],
    ["no p", `$scrypt$ln=10,r=8${SALT_AND_KEY}`],
    ["an additional parameter", `$scrypt$ln=10,r=8,p=1,x=1${SALT_AND_KEY}`],
    ["a duplicate p", `$scrypt$ln=10,r=8,p=1,p=1${SALT_AND_KEY}`],
    ["15 bytes of key", `$scrypt$ln=10,r=8,p=1$${"A".repeat(22)}$${"A".repeat(20)}`],
    ["33 bytes of key", `$scrypt$ln=10,r=8,p=1$${"A".repeat(22)}$${"A".repeat(44)}`],
    ["bcrypt", "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"],
    ["a non-zero trailing bit", `$scrypt$ln=10,r=8,p=1$${"A".repeat(21)}B$${"A".repeat(43)}`],
    ["undefined", ""],
  ] as const
) {
  Deno.test(`scryptHasher() rejects a stored hash with ${why} after the work of a hash`, async () => {
    const { scrypt, calls } = counting();
    const hasher = scryptHasher({ ...CHEAP, p: 3, scrypt });
    assertFalse(await hasher.verify(PASSWORD, encoded));
    assertEquals(calls, [{ N: 1_024, r: 8, p: 3, dkLen: 32 }]); // not the parameters of the string
    assert(hasher.needsRehash(encoded));
  });
}

/** Hashes compared with ln 12, r 8, p 2: 4 MiB, 2^16 blocks of work. With less of either, attacks are cheaper. */
const SCRYPT_REHASH: readonly [why: string, parameters: string, needed: boolean][] = [
  ["the same parameters", "ln=12,r=8,p=2", false],
  ["more work", "ln=12,r=8,p=3", false],
  ["more memory, and equal work", "ln=13,r=8,p=1", false],
  ["more of both", "ln=13,r=8,p=2", false],
  ["equal memory by other parameters", "ln=11,r=16,p=2", false],
  ["less work", "ln=12,r=8,p=1", true],
  ["less memory, and equal work", "ln=11,r=8,p=4", true],
  ["less memory, and more work", "ln=11,r=8,p=16", true],
  ["less memory by smaller blocks", "ln=12,r=4,p=4", true],
  ["more memory, and less work", "ln=12,r=9,p=1", true],
  ["less of both", "ln=10,r=8,p=1", true],
];

for (const [why, parameters, needed] of SCRYPT_REHASH) {
  Deno.test(`needsRehash() is ${needed} for ${why}: ${parameters}`, () => {
    const hasher = scryptHasher({ scrypt: scryptAsync, ln: 12, r: 8, p: 2 });
    assertEquals(hasher.needsRehash(`$scrypt$${parameters}${SALT_AND_KEY}`), needed);
  });
}

for (
  const [why, options, type] of [
    ["no function", { scrypt: undefined as unknown as ScryptFunction }, TypeError],
    ["ln of 9", { scrypt: scryptAsync, ln: 9 }, RangeError],
    ["ln of 21", { scrypt: scryptAsync, ln: 21 }, RangeError],
    ["r of 33", { scrypt: scryptAsync, r: 33 }, RangeError],
    ["p of 1.5", { scrypt: scryptAsync, p: 1.5 }, RangeError],
  ] as const
) {
  Deno.test(`scryptHasher() rejects ${why}`, () => {
    assertThrows(() => scryptHasher(options), type, "Cannot create scrypt hasher");
  });
}

Deno.test("scryptHasher() passes on errors of the library", async () => {
  const scrypt = () => Promise.reject(new RangeError("out of memory"));
  await assertRejects(() => scryptHasher({ scrypt }).hash(PASSWORD), RangeError, "out of memory");
});

for (const password of ["x\0", "\ud800x", "x\udfff", "a".repeat(257), undefined as never]) {
  Deno.test(`scryptHasher() does not hash or verify ${JSON.stringify(password)?.slice(0, 12)}, without work`, async () => {
    const encoded = await scryptHasher(CHEAP).hash("x");
    const { scrypt, calls } = counting();
    const hasher = scryptHasher({ ...CHEAP, scrypt });
    await assertRejects(() => hasher.hash(password), TypeError, "Cannot hash password");
    for (const stored of [encoded, "$x$"]) assertFalse(await hasher.verify(password, stored));
    assertEquals(calls, []);
  });
}

Deno.test("scryptHasher() accepts all normal forms of a password", async () => {
  const hasher = scryptHasher(CHEAP);
  assert(await hasher.verify("pa\u0308ss", await hasher.hash("p\u00e4ss")));
  assert(await hasher.verify("p\u00e4ss", await hasher.hash("pa\u0308ss")));
});
