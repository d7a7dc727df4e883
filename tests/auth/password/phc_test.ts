/** Stored hashes of PBKDF2: what is read, what it costs, and that nothing costs less. */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { utf8 } from "../../../auth/_bytes.ts";
import { pbkdf2Hasher } from "../../../auth/password/pbkdf2.ts";
import {
  bare,
  FAST,
  KEY32,
  nodePbkdf2,
  NOTHING,
  phc,
  SALT,
  sum,
  withDerivation,
} from "./_pbkdf2.ts";

const SALT16 = bare(SALT);
const KEY = bare(KEY32);

/** Hashes that are read, at their edges: what costs something, and how much. */
const READ: readonly [why: string, encoded: string, iterations: number][] = [
  ["the fewest iterations", phc(1_000, SALT, KEY32), 1_000],
  ["one more", phc(1_001, SALT, KEY32), 1_001],
  ["the most iterations", phc(10_000_000, SALT, KEY32), 10_000_000],
  ["8 bytes of salt", phc(1_000, SALT.slice(0, 8), KEY32), 1_000],
  ["64 bytes of salt", phc(1_000, new Uint8Array(64), KEY32), 1_000],
  ["16 bytes of key", phc(1_000, SALT, KEY32.slice(0, 16)), 1_000],
  ["32 bytes of key", phc(1_000, SALT, KEY32), 1_000],
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
 * What is no hash of this hasher. No password has it, whatever it asks for, and the time does not tell whose account has
 * it: it costs one derivation at the current setting.
 */
const REFUSED: readonly [why: string, encoded: unknown][] = [
  ["nothing", ""],
  ["999 iterations", phc(999, SALT, KEY32)],
  ["1 iteration", phc(1, SALT, KEY32)],
  ["0 iterations", phc(0, SALT, KEY32)],
  ["10,000,001 iterations", phc(10_000_001, SALT, KEY32)],
  ["4,294,967,295 iterations", phc(4_294_967_295, SALT, KEY32)],
  ["4,294,968,296 iterations, 1,000 in 32 bits", phc(4_294_968_296, SALT, KEY32)],
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
  ["a space in front", phc(" 1000", SALT, KEY32)],
  ["a space behind", phc("1000 ", SALT, KEY32)],
  ["no number", phc("", SALT, KEY32)],
  ["Infinity", phc("Infinity", SALT, KEY32)],
  ["the iterations twice", phc("1000,i=1000", SALT, KEY32)],
  ["two numbers of iterations", phc("1000,i=2000", SALT, KEY32)],
  ["a parameter more", phc("1000,x=1", SALT, KEY32)],
  ["the length of the key, which others write", phc("1000,l=32", SALT, KEY32)],
  ["a parameter in front", `$pbkdf2-sha256$x=1,i=1000$${SALT16}$${KEY}`],
  ["another name for the iterations", `$pbkdf2-sha256$t=1000$${SALT16}$${KEY}`],
  ["the name in upper case", `$pbkdf2-sha256$I=1000$${SALT16}$${KEY}`],
  ["a parameter of an object's own", `$pbkdf2-sha256$i=1000,valueof=1$${SALT16}$${KEY}`],
  ["no parameters", `$pbkdf2-sha256$${SALT16}$${KEY}`],
  ["empty parameters", `$pbkdf2-sha256$$${SALT16}$${KEY}`],
  ["five parameters", phc("1000,a=1,b=1,c=1,d=1", SALT, KEY32)],
  ["7 bytes of salt", phc(1_000, SALT.slice(0, 7), KEY32)],
  ["65 bytes of salt", phc(1_000, new Uint8Array(65), KEY32)],
  ["15 bytes of key", phc(1_000, SALT, KEY32.slice(0, 15))],
  ["one byte of key", phc(1_000, SALT, KEY32.slice(0, 1))],
  ["33 bytes of key, which cost twice what they say", phc(1_000, SALT, new Uint8Array(33))],
  ["64 bytes of key", phc(1_000, SALT, new Uint8Array(64))],
  ["no salt", phc(1_000, new Uint8Array(), KEY32)],
  ["no key", phc(1_000, SALT, new Uint8Array())],
  ["a part less", `$pbkdf2-sha256$i=1000$${SALT16}`],
  ["a part more", `${phc(1_000, SALT, KEY32)}$`],
  ["a stray bit in the salt", `$pbkdf2-sha256$i=1000$${SALT16.slice(0, -1)}x$${KEY}`],
  ["a stray bit in the key", `$pbkdf2-sha256$i=1000$${SALT16}$${KEY.slice(0, -1)}B`],
  ["six bits of no byte in the key", `$pbkdf2-sha256$i=1000$${SALT16}$${"A".repeat(45)}`],
  ["padding", `$pbkdf2-sha256$i=1000$${SALT16}==$${KEY}=`],
  ["the alphabet of URLs", `$pbkdf2-sha256$i=1000$${SALT16}$${"_".repeat(42)}8`],
  ["the alphabet of passlib, with dots", `$pbkdf2-sha256$i=1000$${SALT16}$${".".repeat(43)}`],
  ["passlib's own form", `$pbkdf2-sha256$1000$${SALT16}$${KEY}`],
  ["Django's form", `pbkdf2_sha256$1000$salt$${KEY32.toBase64()}`],
  ["another hash function", `$pbkdf2-sha512$i=1000$${SALT16}$${KEY}`],
  ["the id in upper case", `$PBKDF2-SHA256$i=1000$${SALT16}$${KEY}`],
  ["the id with more behind", `$pbkdf2-sha256x$i=1000$${SALT16}$${KEY}`],
  ["the id without the hash", `$pbkdf2$i=1000$${SALT16}$${KEY}`],
  ["no id", `$$i=1000$${SALT16}$${KEY}`],
  ["scrypt", `$scrypt$ln=17,r=8,p=1$${SALT16}$${KEY}`],
  ["Argon2", `$argon2id$v=19$m=19456,t=2,p=1$${SALT16}$${KEY}`],
  ["bcrypt", "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"],
  ["a version", `$pbkdf2-sha256$v=1$i=1000$${SALT16}$${KEY}`],
  ["text in front", ` ${phc(1_000, SALT, KEY32)}`],
  ["a line feed behind", `${phc(1_000, SALT, KEY32)}\n`],
  ["a line in front", `x\n${phc(1_000, SALT, KEY32)}`],
  ["NUL behind", `${phc(1_000, SALT, KEY32)}\0`],
  ["the password itself", "x"],
  ["a megabyte", `$pbkdf2-sha256$i=1000$${"A".repeat(1_000_000)}$${KEY}`],
  ["a megabyte of dollars", "$".repeat(1_000_000)],
  ["undefined", undefined],
  ["null", null],
  ["a number", 1_000],
  ["an object", {}],
  ["a list", []],
];

for (const [why, encoded] of REFUSED) {
  Deno.test(`pbkdf2Hasher() says no to ${why}, by the work of a hash`, async () => {
    const hasher = pbkdf2Hasher({ iterations: 3_000 });
    const derived = await withDerivation(async () => {
      assertFalse(await hasher.verify("x", encoded as string));
    }, NOTHING);
    assertEquals(derived, [3_000]);
    assert(hasher.needsRehash(encoded as string));
  });
}

/** [why, current iterations, those of the hash, iterations in all] */
const WORK: readonly [why: string, current: number, stored: number, total: number][] = [
  ["the same", 5_000, 5_000, 5_000],
  ["half", 5_000, 2_500, 5_000],
  ["one less", 5_000, 4_999, 5_000],
  ["the fewest", 600_000, 1_000, 600_000],
  ["more, which costs what it costs", 1_000, 5_000, 5_000],
];

for (const [why, iterations, stored, total] of WORK) {
  Deno.test(`pbkdf2Hasher() verifies ${stored} iterations by the work of ${total} where ${iterations} are current: ${why}`, async () => {
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

Deno.test("pbkdf2Hasher() verifies a hash of fewer iterations by its own key alone", async () => {
  const hasher = pbkdf2Hasher({ iterations: 3_000 });
  const encoded = phc(1_000, SALT, nodePbkdf2(utf8("x")));
  assert(await hasher.verify("x", encoded));
  assertFalse(await hasher.verify("y", encoded));
  assertFalse(await hasher.verify("x", phc(1_000, SALT, nodePbkdf2(utf8("x"), 2_000)))); // the rest's key
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

/** When a hash should be made anew, under 5,000 iterations. */
const REHASH: readonly [why: string, encoded: string, needed: boolean][] = [
  ["its own", phc(5_000, SALT, KEY32), false],
  ["more iterations", phc(5_001, SALT, KEY32), false],
  ["the most iterations", phc(10_000_000, SALT, KEY32), false],
  ["one iteration less", phc(4_999, SALT, KEY32), true],
  ["a salt of 15 bytes", phc(5_000, SALT.slice(1), KEY32), true],
  ["a salt of 17 bytes", phc(5_000, new Uint8Array(17), KEY32), false],
  ["a key of 31 bytes", phc(5_000, SALT, KEY32.slice(1)), true],
  ["a key of 33 bytes, which is none of its own", phc(5_000, SALT, new Uint8Array(33)), true],
  ["another's", `$scrypt$ln=17,r=8,p=1$${SALT16}$${KEY}`, true],
];

for (const [why, encoded, needed] of REHASH) {
  Deno.test(`needsRehash() says ${needed ? "yes" : "no"} to ${why}`, () => {
    assertEquals(pbkdf2Hasher({ iterations: 5_000 }).needsRehash(encoded), needed);
  });
}
