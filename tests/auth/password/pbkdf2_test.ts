/** PBKDF2-HMAC-SHA-256 as PHC strings: what is hashed and verified, and what is no password. */

import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { createHash } from "node:crypto";
import { type Bytes, decodeHex, encodeHex, utf8 } from "../../../auth/_bytes.ts";
import { pbkdf2 } from "../../../auth/_kdf.ts";
import { pbkdf2Hasher, type Pbkdf2HasherOptions } from "../../../auth/password/pbkdf2.ts";
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
  withDerivation,
} from "./_pbkdf2.ts";

function digest(name: "sha256" | "sha512", bytes: Bytes): Bytes {
  return Uint8Array.from(createHash(name).update(bytes).digest());
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
  ["another letter in the other normal form", "pa\u0301sswort"],
];

for (const [why, password] of WRONG) {
  Deno.test(`pbkdf2Hasher() refuses ${why}`, async () => {
    const hasher = pbkdf2Hasher(FAST);
    assertFalse(await hasher.verify(password, await hasher.hash("pässwort")));
  });
}

Deno.test("pbkdf2Hasher() takes the normal forms of a password for one, and hashes NFC", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const [nfc, nfd] = ["p\u00e4sswort", "pa\u0308sswort"];
  assert(await hasher.verify(nfd, await hasher.hash(nfc)));
  assert(await hasher.verify(nfc, await hasher.hash(nfd)));
  assert(await hasher.verify(nfd, phc(1_000, SALT, nodePbkdf2(utf8(nfc)))));
  assertFalse(await hasher.verify(nfd, phc(1_000, SALT, nodePbkdf2(utf8(nfd)))));
});

/** What no password can be: HMAC pads with zeros, and all lone surrogates have the same bytes. */
const IMPOSSIBLE: readonly [why: string, password: unknown][] = [
  ["NUL behind", "x\0"],
  ["NUL in front", "\0x"],
  ["NUL alone", "\0"],
  ["a lone high surrogate", "\ud800x"],
  ["a lone low surrogate", "x\udfff"],
  ["257 characters", "a".repeat(257)],
  ["a megabyte", "a".repeat(1_000_000)],
  ["undefined", undefined],
  ["null", null],
  ["a number", 1],
  ["a list", ["x"]],
  ["an object", { toString: () => "x" }],
];

for (const [why, password] of IMPOSSIBLE) {
  Deno.test(`pbkdf2Hasher() hashes no text with ${why}, and verifies none, without a derivation`, async () => {
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

Deno.test("pbkdf2Hasher() opens no account by a password with NUL behind, which PBKDF2 alone does", async () => {
  assertEquals(nodePbkdf2(utf8("x\0\0")), nodePbkdf2(utf8("x"))); // the trap
  const hasher = pbkdf2Hasher(FAST);
  assertFalse(await hasher.verify("x\0\0", await hasher.hash("x")));
});

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
    ["a".repeat(256), true],
    ["🔑".repeat(256), true], // 1,024 bytes
  ] as const
) {
  Deno.test(`pbkdf2Hasher() ${isDigested ? "digests" : "takes as they are"} ${utf8(text).length} bytes of ${[...text].length} characters`, async () => {
    const bytes = isDigested ? digest("sha512", utf8(text)) : utf8(text);
    assert(await pbkdf2Hasher(FAST).verify(text, phc(1_000, SALT, nodePbkdf2(bytes))));
  });
}

Deno.test("pbkdf2Hasher() looks at all of a long password", async () => {
  const hasher = pbkdf2Hasher(FAST);
  const encoded = await hasher.hash("a".repeat(255) + "b");
  assertFalse(await hasher.verify("a".repeat(255) + "c", encoded));
  assertFalse(await hasher.verify("a".repeat(255), encoded));
  assertFalse(await hasher.verify("a".repeat(72), encoded));
});

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
