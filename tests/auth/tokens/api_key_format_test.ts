/** The text of API keys. The keys below were made by another program. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type Bytes, utf8 } from "../../../auth/_bytes.ts";
import { digestText } from "../../../auth/_kdf.ts";
import { crc32, encodeBase62, isBase62 } from "../../../auth/tokens/_api_key_encoding.ts";
import { generateApiKey, parseApiKey } from "../../../auth/tokens/api_key_format.ts";
import { untyped } from "../../router/_helpers.ts";
import { randomNumbers } from "../../static/_random.ts";
import { repeat } from "../_services.ts";
import { RUNTIMES } from "../_without_native.ts";
import { seal } from "./_api_keys.ts";

const ZERO = "key_0000000000000000000000_00000000000000000000000000000000000000000003dPsKt";
const ID = "0".repeat(22);
const SECRET = "0".repeat(43);

const KEYS: readonly [why: string, key: string, prefix: string, id: string, secret: string][] = [
  ["the lowest", ZERO, "key", ID, SECRET],
  [
    "the highest",
    "key_7n42DGM5Tflk9n8mt7Fhc7_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp125GZGy",
    ...["key", "7n42DGM5Tflk9n8mt7Fhc7", "yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp1"] as const,
  ],
  [
    "the shortest prefix",
    "a_0000000000000000000001_00000000000000000000000000000000000000000103pBLqh",
    ...["a", "0".repeat(21) + "1", "0".repeat(41) + "10"] as const,
  ],
  [
    "the longest prefix",
    "abcdefghij0123456789_000SYW7RiJxkEgOGusQGwp_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf33Xo3d",
    "abcdefghij0123456789",
    "000SYW7RiJxkEgOGusQGwp",
    "003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf",
  ],
];
for (const [why, key, prefix, id, secret] of KEYS) {
  Deno.test(`parseApiKey() accepts ${why} apart`, () => {
    assertEquals(parseApiKey(key), { prefix, id, secret });
  });
}

/** Those with a checksum have the right one: their shape alone is wrong. */
const REFUSED: readonly [why: string, key: string][] = [
  ["nothing", ""],
  ["another checksum", ZERO.slice(0, -1) + "u"],
  ["the checksum of nothing", ZERO.slice(0, -6) + "000000"],
  ["a checksum beyond 32 bits", ZERO.slice(0, -6) + "zzzzzz"],
  ["no checksum", ZERO.slice(0, -6)],
  ["a digit too few", ZERO.slice(0, -1)],
  ["a digit too many", ZERO + "0"],
  ["the checksum twice", seal(ZERO)],
  ["a space in front", " " + ZERO],
  ["a space behind", ZERO + " "],
  ["a line's end behind", ZERO + "\n"],
  ["a NUL behind", ZERO + "\0"],
  ["quotes", `"${ZERO}"`],
  ["two keys in one field", `${ZERO}, ${ZERO}`],
  ["a scheme in front", "Bearer " + ZERO],
  ["other case", ZERO.toUpperCase()],
  ["another prefix under the same checksum", ZERO.replace("key", "kez")],
  ["an identifier beyond 128 bits", seal(`key_7n42DGM5Tflk9n8mt7Fhc8_${SECRET}`)],
  [
    "a secret beyond 256 bits",
    "key_0000000000000000000000_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp24T6cFB",
  ],
  ["the highest digits", seal(`key_${"z".repeat(22)}_${"z".repeat(43)}`)],
  ["an identifier of 21 digits", seal(`key_${"0".repeat(21)}_${SECRET}`)],
  ["a digit on the other side of the underscore", seal(`key_${ID}0_${SECRET.slice(1)}`)],
  ["base64url in the identifier", seal(`key_${ID.slice(1)}-_${SECRET}`)],
  ["base64url in the secret", seal(`key_${ID}_${SECRET.slice(1)}-`)],
  ["a third underscore", seal(`key_${ID}_${SECRET.slice(1)}_`)],
  ["no underscore", seal(`key0${ID}0${SECRET}`)],
  ["dashes", seal(`key-${ID}-${SECRET}`)],
  ["no prefix", seal(`_${ID}_${SECRET}`)],
  ["a prefix of 21 characters", seal(`${"k".repeat(21)}_${ID}_${SECRET}`)],
  ["a prefix that begins with a digit", seal(`1key_${ID}_${SECRET}`)],
  ["a prefix in capitals", seal(`KEY_${ID}_${SECRET}`)],
  ["a prefix with an underscore", seal(`my_key_${ID}_${SECRET}`)],
  ["a prefix beyond ASCII", seal(`ключ_${ID}_${SECRET}`)],
  ["digits beyond ASCII", seal(`key_${"０".repeat(22)}_${SECRET}`)],
  ["half a character", seal(`key_${ID.slice(1)}\ud800_${SECRET}`)],
  ["a megabyte", seal("key_".padEnd(1_000_000, "0"))],
];
for (const [why, key] of REFUSED) {
  Deno.test(`parseApiKey() rejects ${why}`, () => {
    assertEquals(parseApiKey(key), undefined);
  });
}

for (const key of [undefined, null, 7, {}, [ZERO], new String(ZERO)]) {
  Deno.test(`parseApiKey() rejects what is no text: ${typeof key} ${key}`, () => {
    assertEquals(parseApiKey(untyped(key)), undefined);
  });
}

Deno.test("parseApiKey() rejects a key with any one character changed", () => {
  for (let i = 0; i < ZERO.length; i++) {
    for (const character of ["1", "z", "k", "_", "-", " "]) {
      const key = ZERO.slice(0, i) + character + ZERO.slice(i + 1);
      if (key !== ZERO) assertEquals(parseApiKey(key), undefined, key);
    }
  }
});

Deno.test("generateApiKey() generates a key that parseApiKey() parses, and the digest of all but its checksum", async () => {
  const { key, id, keyHash } = await generateApiKey();
  assertMatch(key, /^key_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/);
  const parsed = parseApiKey(key);
  assertEquals([parsed?.prefix, parsed?.id], ["key", id]);
  assertEquals(await digestText(key.slice(0, -6)), keyHash);
  assertEquals(await digestText("0".repeat(41) + "10"), DIGEST);
});

/** SHA-256 of a secret, by another program. */
const DIGEST = "KQAY_CGN8DqYyXzeM3TlqXDcneSikwWHvSjiAEiyZ6E";

Deno.test("generateApiKey() generates a new identifier and a new secret each time", async () => {
  const made = await Promise.all(repeat(500, () => generateApiKey("acme")));
  for (const member of ["key", "id", "keyHash"] as const) {
    assertEquals(new Set(made.map((one) => one[member])).size, 500, member);
  }
  for (const { key } of made) assertEquals(parseApiKey(key)?.prefix, "acme");
});

Deno.test("generateApiKey() uses every possible digit at every position", async () => {
  const made = await Promise.all(repeat(2_000, () => generateApiKey()));
  const parsed = made.map(({ key }) => parseApiKey(key));
  for (const [part, length] of [["id", 22], ["secret", 43]] as const) {
    for (let at = 1; at < length; at++) {
      const digits = new Set(parsed.map((key) => key?.[part][at]));
      assertEquals(digits.size, 62, `${part} ${at}`);
    }
  }
});

const PREFIXES: readonly [why: string, prefix: unknown, error: typeof TypeError][] = [
  ["nothing", "", RangeError],
  ["capitals", "Key", RangeError],
  ["a digit in front", "1key", RangeError],
  ["an underscore", "my_key", RangeError],
  ["a dash", "my-key", RangeError],
  ["a space", "key ", RangeError],
  ["a line's end", "key\n", RangeError],
  ["letters beyond ASCII", "schlüssel", RangeError],
  ["21 characters", "k".repeat(21), RangeError],
  ["a number", 7, TypeError],
  ["null", null, TypeError],
  ["a list", ["key"], TypeError],
];
for (const [why, prefix, error] of PREFIXES) {
  Deno.test(`generateApiKey() rejects a prefix of ${why}`, async () => {
    const thrown = await assertRejects(() => generateApiKey(untyped(prefix)), error);
    assert(thrown.message.startsWith("Cannot generate API key: prefix must be "));
  });
}

for (const prefix of ["k", "k1", "k".repeat(20), "acmetest"]) {
  Deno.test(`generateApiKey() accepts the prefix ${prefix}`, async () => {
    assertEquals(parseApiKey((await generateApiKey(prefix)).key)?.prefix, prefix);
  });
}

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

Deno.test("encodeBase62() returns a fixed number of digits for a length", () => {
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

Deno.test("encodeBase62() returns unique encodings in the order of the bytes", () => {
  const texts = Array.from({ length: 65_536 }, (_, i) => encodeBase62(Uint8Array.of(i >> 8, i)));
  assertEquals(new Set(texts).size, 65_536);
  assertEquals(texts.toSorted(), texts);
});

Deno.test("isBase62() accepts the encodings of two bytes and no other three digits", () => {
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

const REFUSED_ENCODING: readonly [why: string, text: string, bytes: number][] = [
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
for (const [why, text, bytes] of REFUSED_ENCODING) {
  Deno.test(`isBase62() rejects ${why}`, () => {
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

const VALUES_CRC32: readonly [why: string, bytes: Bytes, crc: number][] = [
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
for (const [why, bytes, crc] of VALUES_CRC32) {
  Deno.test(`crc32() of ${why}`, () => {
    assertEquals(crc32(bytes), crc);
  });
}

Deno.test("crc32() detects every flipped bit and every swap of neighbours", () => {
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
