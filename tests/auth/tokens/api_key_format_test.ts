/** The text of API keys. The keys below were made by another program. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { generateApiKey, parseApiKey } from "../../../auth/tokens/api_key_format.ts";
import { untyped } from "../../router/_helpers.ts";
import { seal } from "./_api_keys.ts";
import { repeat } from "../_services.ts";

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
  Deno.test(`parseApiKey() takes ${why} apart`, () => {
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
  Deno.test(`parseApiKey() refuses ${why}`, () => {
    assertEquals(parseApiKey(key), undefined);
  });
}

for (const key of [undefined, null, 7, {}, [ZERO], new String(ZERO)]) {
  Deno.test(`parseApiKey() refuses what is no text: ${typeof key} ${key}`, () => {
    assertEquals(parseApiKey(untyped(key)), undefined);
  });
}

Deno.test("parseApiKey() refuses a key with any one character changed", () => {
  for (let i = 0; i < ZERO.length; i++) {
    for (const character of ["1", "z", "k", "_", "-", " "]) {
      const key = ZERO.slice(0, i) + character + ZERO.slice(i + 1);
      if (key !== ZERO) assertEquals(parseApiKey(key), undefined, key);
    }
  }
});

Deno.test("generateApiKey() makes a key that is taken apart, and the digest of all but its checksum", async () => {
  const { key, id, keyHash } = await generateApiKey();
  assertMatch(key, /^key_[0-9A-Za-z]{22}_[0-9A-Za-z]{49}$/);
  const parsed = parseApiKey(key);
  assertEquals([parsed?.prefix, parsed?.id], ["key", id]);
  assertEquals(await digestText(key.slice(0, -6)), keyHash);
  assertEquals(await digestText("0".repeat(41) + "10"), DIGEST);
});

/** SHA-256 of a secret, by another program. */
const DIGEST = "KQAY_CGN8DqYyXzeM3TlqXDcneSikwWHvSjiAEiyZ6E";

Deno.test("generateApiKey() makes another identifier and another secret each time", async () => {
  const made = await Promise.all(repeat(500, () => generateApiKey("acme")));
  for (const member of ["key", "id", "keyHash"] as const) {
    assertEquals(new Set(made.map((one) => one[member])).size, 500, member);
  }
  for (const { key } of made) assertEquals(parseApiKey(key)?.prefix, "acme");
});

Deno.test("generateApiKey() uses every digit at every place that a number of so many bits has", async () => {
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
  Deno.test(`generateApiKey() refuses a prefix of ${why}`, async () => {
    const thrown = await assertRejects(() => generateApiKey(untyped(prefix)), error);
    assert(thrown.message.startsWith("Cannot generate API key: prefix must be "));
  });
}

for (const prefix of ["k", "k1", "k".repeat(20), "acmetest"]) {
  Deno.test(`generateApiKey() takes the prefix ${prefix}`, async () => {
    assertEquals(parseApiKey((await generateApiKey(prefix)).key)?.prefix, prefix);
  });
}
