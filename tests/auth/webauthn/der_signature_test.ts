/** ECDSA signatures in DER, WebAuthn Level 3 §6.5.5: X.690 §8.1.3, §8.3 and §10.1. */

import { assertEquals } from "@std/assert";
import { decodeHex, encodeHex } from "../../../auth/_bytes.ts";
import { derToRaw } from "../../../auth/webauthn/_der_signature.ts";

const N256 = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const N521 =
  "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409";

/** One less. */
function before(hex: string): string {
  return (BigInt(`0x${hex}`) - 1n).toString(16).padStart(hex.length, "0");
}

/** DER of an element: tag and contents, its length in the short or long form as needed. */
function element(tag: string, contents: string): string {
  const length = contents.length / 2;
  return `${tag}${length > 127 ? "81" : ""}${length.toString(16).padStart(2, "0")}${contents}`;
}

const integer = (contents: string) => element("02", contents);
const sequence = (...parts: readonly string[]) => element("30", parts.join(""));
const pad = (hex: string, bytes: number) => hex.padStart(2 * bytes, "0");

const R = "7f".repeat(32);
const HIGH = "80" + "11".repeat(31);
const R521 = "01" + "aa".repeat(65);

/** [why, curve, DER, r and s] */
const CONVERTED: readonly (readonly [why: string, crv: string, der: string, raw: string])[] = [
  ["r and s as long as the curve", "P-256", sequence(integer(R), integer(R)), R + R],
  ["a zero before a first bit of 1", "P-256", sequence(integer("00" + HIGH), integer(R)), HIGH + R],
  [
    "a zero before both",
    "P-256",
    sequence(integer("00" + HIGH), integer("00" + HIGH)),
    HIGH + HIGH,
  ],
  ["r and s of 1", "P-256", sequence(integer("01"), integer("01")), pad("01", 32).repeat(2)],
  ["r of 127", "P-256", sequence(integer("7f"), integer(R)), pad("7f", 32) + R],
  ["r of 128", "P-256", sequence(integer("0080"), integer(R)), pad("80", 32) + R],
  ["short s", "P-256", sequence(integer(R), integer("0102")), R + pad("0102", 32)],
  [
    "s of n - 1: a high s",
    "P-256",
    sequence(integer(R), integer("00" + before(N256))),
    R + before(N256),
  ],
  [
    "P-384",
    "P-384",
    sequence(integer("7f".repeat(48)), integer("01")),
    "7f".repeat(48) + pad("01", 48),
  ],
  [
    "P-521, whose length is in the long form",
    "P-521",
    sequence(integer(R521), integer(R521)),
    R521 + R521,
  ],
  [
    "P-521 with n - 1",
    "P-521",
    sequence(integer(R521), integer(before(N521))),
    R521 + before(N521),
  ],
  [
    "P-521 with 127 bytes, the longest in the short form",
    "P-521",
    sequence(integer(R521), integer("11".repeat(57))),
    R521 + pad("11".repeat(57), 66),
  ],
  [
    "P-521 with 128 bytes, the shortest in the long form",
    "P-521",
    sequence(integer(R521), integer("11".repeat(58))),
    R521 + pad("11".repeat(58), 66),
  ],
];

for (const [why, crv, der, raw] of CONVERTED) {
  Deno.test(`derToRaw() converts ${why}`, () => {
    const bytes = derToRaw(decodeHex(der), crv);
    assertEquals(bytes && encodeHex(bytes), raw);
  });
}

const VALID = sequence(integer(R), integer(R));
const HALF = integer(R);

/** [why, DER, curve] */
const REFUSED: readonly (readonly [why: string, der: string, crv?: string])[] = [
  ["nothing", ""],
  ["a sequence alone", "30"],
  ["an empty sequence", "3000"],
  ["P1363: r and s without DER", R + R],
  ["P1363 that begins as a sequence", "3044" + R.slice(4) + R],
  ["a byte after it", VALID + "00"],
  ["a byte less", VALID.slice(0, -2)],
  ["a length that counts a byte after it", sequence(integer(R), integer(R), "00")],
  ["a third integer", sequence(integer(R), integer(R), integer("01"))],
  ["r alone", sequence(integer(R))],
  ["a set", element("31", HALF + HALF)],
  ["an octet string as r", sequence(element("04", R), HALF)],
  ["a bit string as s", sequence(HALF, element("03", R))],
  ["a sequence in a sequence", sequence(VALID)],
  ["a long form of a short length", `3081${VALID.slice(2)}`],
  ["a long form with two bytes", `308200${VALID.slice(2)}`],
  ["an indefinite length", `3080${HALF}${HALF}0000`],
  ["a long form of a length of r", sequence(`0281${HALF.slice(2)}`, HALF)],
  ["a long form of a length of s", sequence(HALF, `0281${HALF.slice(2)}`)],
  ["an indefinite length of r", sequence(`0280${R}0000`, HALF)],
  ["a length of 130 in the short form", `3082${"01".repeat(130)}`],
  ["a long length in the short form", `308a${R521}`, "P-521"],
  ["a length of r beyond the end", `3026` + `0240${R}` + `020101`],
  ["a length of s beyond the end", sequence(HALF, `0221${R}`)],
  ["a length of s beyond the end that fits the curve", `3006020101023001`, "P-384"],
  ["a length of s that is less than the rest", sequence(HALF, `021f${R}`)],
  ["r of 0", sequence(integer("00"), HALF)],
  ["s of 0", sequence(HALF, integer("00"))],
  ["r and s of 0", sequence(integer("00"), integer("00"))],
  ["an empty r", sequence(integer(""), HALF)],
  ["an empty s", sequence(HALF, integer(""))],
  ["a negative r", sequence(integer(HIGH), HALF)],
  ["a negative s", sequence(HALF, integer("ff"))],
  ["s without its zero", sequence(HALF, integer(before(N256)))],
  ["r with a zero too many", sequence(integer("00" + R), HALF)],
  ["s with a zero too many", sequence(HALF, integer("0001"))],
  ["s with two zeros", sequence(HALF, integer("0000" + HIGH))],
  ["r of n", sequence(integer("00" + N256), HALF)],
  ["s of n", sequence(HALF, integer("00" + N256))],
  ["s greater than n", sequence(HALF, integer("00" + "ff".repeat(32)))],
  ["r longer than the curve", sequence(integer("01" + R), HALF)],
  ["P-521 with n", sequence(integer(R521), integer(N521)), "P-521"],
  ["the signature of a larger curve", sequence(integer(R521), integer(R521))],
  ["a curve without DER", VALID, "Ed25519"],
  ["a name of a member of every object as curve", VALID, "toString"],
];

for (const [why, der, crv = "P-256"] of REFUSED) {
  Deno.test(`derToRaw() refuses ${why}`, () => {
    assertEquals(derToRaw(decodeHex(der), crv), undefined);
  });
}

Deno.test("derToRaw() refuses a signature with any byte of its structure changed or cut", () => {
  const der = decodeHex(sequence(integer(R), integer("00" + HIGH)));
  for (const at of [0, 1, 2, 3, 36, 37, 38]) {
    for (let byte = 0; byte < 256; byte++) {
      const changed = der.with(at, byte);
      assertEquals(derToRaw(changed, "P-256") !== undefined, byte === der[at], `${at}: ${byte}`);
    }
  }
  for (let end = 0; end < der.length; end++) {
    assertEquals(derToRaw(der.subarray(0, end), "P-256"), undefined);
  }
});
