/** PBKDF2-HMAC-SHA-256 as PHC strings: what is read, what it costs, and what is refused before it costs anything. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { createHash, pbkdf2Sync } from "node:crypto";
import { type Bytes, decodeHex, encodeHex, utf8 } from "../../auth/_bytes.ts";
import { pbkdf2 } from "../../auth/_kdf.ts";
import { pbkdf2Hasher, type Pbkdf2HasherOptions } from "../../auth/password_hasher.ts";
import { readVectors } from "../vectors/_vectors.ts";

/** The least that is allowed: tests ask for what is derived, not for how long it takes. */
const FAST: Pbkdf2HasherOptions = { iterations: 1_000 };
const SALT = Uint8Array.from({ length: 16 }, (_, i) => i);

function bare(bytes: Bytes): string {
  return bytes.toBase64({ omitPadding: true });
}

/** A PHC string as any other implementation would write it. */
function phc(iterations: number | string, salt: Bytes, key: Bytes): string {
  return `$pbkdf2-sha256$i=${iterations}$${bare(salt)}$${bare(key)}`;
}

/** What node:crypto makes of bytes. */
function nodePbkdf2(password: Bytes, iterations = 1_000, length = 32, salt = SALT): Bytes {
  return Uint8Array.from(pbkdf2Sync(password, salt, iterations, length, "sha256"));
}

function digest(name: "sha256" | "sha512", bytes: Bytes): Bytes {
  return Uint8Array.from(createHash(name).update(bytes).digest());
}

type Derivation = (algorithm: Pbkdf2Params, key: CryptoKey, bits: number) => Promise<ArrayBuffer>;

/** Runs something with another `deriveBits()`, and gives the iterations of every call. */
async function withDerivation(run: () => Promise<void>, derive?: Derivation): Promise<number[]> {
  const { subtle } = crypto;
  const { deriveBits } = subtle;
  const iterations: number[] = [];
  Object.defineProperty(subtle, "deriveBits", {
    configurable: true,
    value(...args: Parameters<Derivation>) {
      iterations.push(args[0].iterations);
      return derive === undefined ? Reflect.apply(deriveBits, subtle, args) : derive(...args);
    },
  });
  try {
    await run();
  } finally {
    Reflect.deleteProperty(subtle, "deriveBits");
  }
  return iterations;
}

/** A derivation that costs nothing, for numbers that would take seconds. */
const NOTHING: Derivation = (_algorithm, _key, bits) => Promise.resolve(new ArrayBuffer(bits / 8));

function sum(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
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

Deno.test("pbkdf2Hasher() hashes by 600,000 iterations unless it is told otherwise", async () => {
  const iterations = await withDerivation(async () => {
    assertMatch(await pbkdf2Hasher().hash("x"), /^\$pbkdf2-sha256\$i=600000\$/);
    assertMatch(await pbkdf2Hasher({}).hash("x"), /^\$pbkdf2-sha256\$i=600000\$/);
    assertMatch(await pbkdf2Hasher({ iterations: 4_321 }).hash("x"), /^\$pbkdf2-sha256\$i=4321\$/);
  }, NOTHING);
  assertEquals(iterations, [600_000, 600_000, 4_321]);
});

for (const password of ["", "x", "pässwörd 🔑", "a".repeat(64), "€".repeat(21)]) {
  Deno.test(`pbkdf2Hasher() hashes ${utf8(password).length} bytes as node:crypto does, and verifies it`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    const encoded = await hasher.hash(password);
    const [, id, parameters, salt = "", key = ""] = encoded.split("$");
    assertEquals([id, parameters], ["pbkdf2-sha256", "i=1000"]);
    assertEquals(Uint8Array.fromBase64(salt).length, 16);
    assertEquals(key, bare(nodePbkdf2(utf8(password), 1_000, 32, Uint8Array.fromBase64(salt))));
    assert(await hasher.verify(password, encoded));
    assertFalse(hasher.needsRehash(encoded));
  });
}

Deno.test("pbkdf2Hasher() never uses a salt twice", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const all = await Promise.all(Array.from({ length: 100 }, () => hasher.hash("x")));
  for (const part of [3, 4]) {
    assertEquals(new Set(all.map((encoded) => encoded.split("$")[part])).size, 100);
  }
});

/** Passwords that are not the right one, "pässwort". */
const WRONG: readonly [why: string, password: string][] = [
  ["nothing", ""],
  ["another case", "Pässwort"],
  ["a letter less", "pässwor"],
  ["a letter more", "pässwortx"],
  ["a space behind", "pässwort "],
  ["the other normal form", "pa\u0308sswort"],
];

for (const [why, password] of WRONG) {
  Deno.test(`pbkdf2Hasher() refuses ${why}`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    assertFalse(await hasher.verify(password, await hasher.hash("pässwort")));
  });
}

const LONG = "correct horse battery staple, and some more words to be over 64 bytes";

/**
 * HMAC replaces a key of more than 64 bytes by its SHA-256, so to plain PBKDF2 a long password and its digest are one.
 * No text with such a digest is at hand (it takes some 2^25 hashes until a digest is valid UTF-8), but none is needed: a
 * hash that was made from the digest's bytes must not be one of the long password.
 */
Deno.test("pbkdf2Hasher() keeps a long password apart from its digest, which PBKDF2 alone does not", async () => {
  const long = utf8(LONG);
  assert(long.length > 64);
  const options = { salt: SALT, iterations: 1_000, length: 32 };
  const ofDigest = await pbkdf2(digest("sha256", long), options);
  assertEquals(await pbkdf2(long, options), ofDigest); // the trap
  const hasher = pbkdf2Hasher(FAST);
  assertFalse(await hasher.verify(LONG, phc(1_000, SALT, ofDigest)));
  assert(await hasher.verify(LONG, phc(1_000, SALT, nodePbkdf2(digest("sha512", long)))));
});

Deno.test("pbkdf2Hasher() takes no digest of a long password for it, in any writing", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const encoded = await hasher.hash(LONG);
  for (const name of ["sha256", "sha512"] as const) {
    const bytes = digest(name, utf8(LONG));
    const writings = [
      encodeHex(bytes),
      encodeHex(bytes).toUpperCase(),
      bytes.toBase64(),
      bare(bytes),
      String.fromCharCode(...bytes),
      new TextDecoder().decode(bytes),
    ];
    for (const password of writings) assertFalse(await hasher.verify(password, encoded), password);
  }
});

/** Around the length where HMAC begins to hash its key. */
for (
  const [text, isDigested] of [
    ["a".repeat(63), false],
    ["a".repeat(64), false],
    ["a".repeat(65), true],
    ["€".repeat(21) + "a", false], // 64 bytes, 22 characters
    ["€".repeat(22), true], // 66 bytes, 22 characters
    ["🔑".repeat(16), false],
    ["🔑".repeat(16) + "a", true],
    ["a".repeat(1_024), true],
  ] as const
) {
  Deno.test(`pbkdf2Hasher() ${isDigested ? "digests" : "takes as they are"} ${utf8(text).length} bytes of ${[...text].length} characters`, async () => {
    const bytes = isDigested ? digest("sha512", utf8(text)) : utf8(text);
    assert(await pbkdf2Hasher(FAST).verify(text, phc(1_000, SALT, nodePbkdf2(bytes))));
  });
}

Deno.test("pbkdf2Hasher() looks at all of a long password", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const encoded = await hasher.hash("a".repeat(1_023) + "b");
  assertFalse(await hasher.verify("a".repeat(1_023) + "c", encoded));
  assertFalse(await hasher.verify("a".repeat(1_023), encoded));
  assertFalse(await hasher.verify("a".repeat(72), encoded));
});

const KEY32 = new Uint8Array(32); // what NOTHING derives
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

/** What is no hash of this hasher. No password has it, and finding that out costs no derivation. */
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
  Deno.test(`pbkdf2Hasher() says no to ${why}, without a derivation`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    const derived = await withDerivation(async () => {
      assertFalse(await hasher.verify("x", encoded as string));
    }, NOTHING);
    assertEquals(derived, []);
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

for (const iterations of [1_000, 10_000_000]) {
  Deno.test(`pbkdf2Hasher() takes ${iterations} iterations`, () => {
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
  Deno.test(`pbkdf2Hasher() refuses ${String(iterations)} (${typeof iterations}) iterations`, () => {
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

Deno.test("pbkdf2Hasher() names the option hasher where the runtime does not do so many iterations", async () => {
  const hasher = pbkdf2Hasher();
  const attempts = [
    () => hasher.hash("s3cr3t"),
    () => hasher.verify("s3cr3t", phc(600_000, SALT, KEY32)),
    () => hasher.verify("s3cr3t", phc(50_000, SALT, KEY32)), // the rest is too much
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

Deno.test("pbkdf2Hasher() is frozen, and shows nothing but what a hasher has", () => {
  const hasher = pbkdf2Hasher();
  assert(Object.isFrozen(hasher));
  assertEquals(Reflect.ownKeys(hasher).sort(), ["hash", "id", "needsRehash", "verify"]);
});

Deno.test("pbkdf2Hasher() verifies what it hashed under another setting, both ways", async () => {
  const [less, more] = [pbkdf2Hasher(FAST), pbkdf2Hasher({ iterations: 2_000 })];
  for (const [a, b] of [[less, more], [more, less]] as const) {
    const encoded = await a.hash(LONG);
    assert(await b.verify(LONG, encoded));
    assertFalse(await b.verify(`${LONG}.`, encoded));
  }
});
