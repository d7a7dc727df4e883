import { scryptAsync } from "@noble/hashes/scrypt.js";
import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import { encodeBase64Bare } from "../../../auth/_base64url.ts";
import { utf8 } from "../../../auth/_bytes.ts";
import {
  type ScryptFunction,
  scryptHasher,
  type ScryptParameters,
} from "../../../auth/password/scrypt.ts";

const PASSWORD = "lovelace wrote notes";
const CHEAP = { scrypt: scryptAsync, ln: 10, r: 8, p: 1 } as const;

/** What scrypt was asked for, in order. */
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

Deno.test("scryptHasher() has the key of RFC 7914 §12", async () => {
  // N = 1024, r = 8, p = 16, 64 bytes; of these, a PHC string of ours holds the first 32
  const key = Uint8Array.fromHex(
    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162",
  );
  const salt = encodeBase64Bare(utf8("NaCl"));
  assertEquals(
    await scryptAsync(utf8("password"), utf8("NaCl"), { N: 1024, r: 8, p: 16, dkLen: 32 }),
    key,
  );
  // Its salt of 4 bytes is too short for us; the hasher has to say the same of a longer one
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

Deno.test("scryptHasher() hashes under a fresh salt, and writes down its parameters", async () => {
  const hasher = scryptHasher(CHEAP);
  const [one, other] = [await hasher.hash(PASSWORD), await hasher.hash(PASSWORD)];
  assert(/^\$scrypt\$ln=10,r=8,p=1\$[\w+/]{22}\$[\w+/]{43}$/.test(one), one);
  assert(one !== other);
  assert(await hasher.verify(PASSWORD, one));
  assertFalse(await hasher.verify(`${PASSWORD}.`, one));
});

Deno.test("scryptHasher() takes OWASP's parameters of 16 MiB by default", async () => {
  const { scrypt, calls } = counting();
  await scryptHasher({ scrypt }).hash(PASSWORD);
  assertEquals(calls, [{ N: 16_384, r: 8, p: 5, dkLen: 32 }]);
});

Deno.test("scryptHasher() tells a password of over 64 bytes from its SHA-256", async () => {
  const hasher = scryptHasher(CHEAP);
  const long = "a long password ".repeat(5);
  const encoded = await hasher.hash(long);
  assert(await hasher.verify(long, encoded));
  const [, , , salt = ""] = encoded.split("$");
  const plain = await scryptAsync(utf8(long), Uint8Array.fromBase64(salt), {
    N: 1024,
    r: 8,
    p: 1,
    dkLen: 32,
  });
  assert(
    !encoded.endsWith(encodeBase64Bare(new Uint8Array(plain))),
    "HMAC has shortened the password",
  );
});

Deno.test("scryptHasher() spends as much on an old hash as on a new one", async () => {
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
    ["one more parameter", `$scrypt$ln=10,r=8,p=1,x=1${SALT_AND_KEY}`],
    ["p twice", `$scrypt$ln=10,r=8,p=1,p=1${SALT_AND_KEY}`],
    ["15 bytes of key", `$scrypt$ln=10,r=8,p=1$${"A".repeat(22)}$${"A".repeat(20)}`],
    ["33 bytes of key", `$scrypt$ln=10,r=8,p=1$${"A".repeat(22)}$${"A".repeat(44)}`],
    ["bcrypt", "$2b$12$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"],
    ["a bit of no byte", `$scrypt$ln=10,r=8,p=1$${"A".repeat(21)}B$${"A".repeat(43)}`],
    ["nothing", ""],
  ] as const
) {
  Deno.test(`scryptHasher() takes no password for a stored hash with ${why}, by the work of a hash`, async () => {
    const { scrypt, calls } = counting();
    const hasher = scryptHasher({ ...CHEAP, p: 3, scrypt });
    assertFalse(await hasher.verify(PASSWORD, encoded));
    assertEquals(calls, [{ N: 1_024, r: 8, p: 3, dkLen: 32 }]); // and not what the text asks for
    assert(hasher.needsRehash(encoded));
  });
}

/** Hashes under ln 12, r 8, p 2: 4 MiB, 2^16 blocks of work. Less of either is less for an attacker to spend. */
const REHASH: readonly [why: string, parameters: string, needed: boolean][] = [
  ["the same", "ln=12,r=8,p=2", false],
  ["more work", "ln=12,r=8,p=3", false],
  ["more memory, and as much work", "ln=13,r=8,p=1", false],
  ["more of both", "ln=13,r=8,p=2", false],
  ["as much memory by other numbers", "ln=11,r=16,p=2", false],
  ["less work", "ln=12,r=8,p=1", true],
  ["less memory, and as much work", "ln=11,r=8,p=4", true],
  ["less memory, and more work", "ln=11,r=8,p=16", true],
  ["less memory by smaller blocks", "ln=12,r=4,p=4", true],
  ["more memory, and less work", "ln=12,r=9,p=1", true],
  ["less of both", "ln=10,r=8,p=1", true],
];

for (const [why, parameters, needed] of REHASH) {
  Deno.test(`needsRehash() says ${needed ? "yes" : "no"} to ${why}: ${parameters}`, () => {
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
  Deno.test(`scryptHasher() refuses ${why}`, () => {
    assertThrows(() => scryptHasher(options), type, "Cannot create scrypt hasher");
  });
}

Deno.test("scryptHasher() passes on what the library throws", async () => {
  const scrypt = () => Promise.reject(new RangeError("out of memory"));
  await assertRejects(() => scryptHasher({ scrypt }).hash(PASSWORD), RangeError, "out of memory");
});

for (const password of ["x\0", "\ud800x", "x\udfff", "a".repeat(257), undefined as never]) {
  Deno.test(`scryptHasher() hashes no ${JSON.stringify(password)?.slice(0, 12)}, and verifies none, without work`, async () => {
    const encoded = await scryptHasher(CHEAP).hash("x");
    const { scrypt, calls } = counting();
    const hasher = scryptHasher({ ...CHEAP, scrypt });
    await assertRejects(() => hasher.hash(password), TypeError, "Cannot hash password");
    for (const stored of [encoded, "$x$"]) assertFalse(await hasher.verify(password, stored));
    assertEquals(calls, []);
  });
}

Deno.test("scryptHasher() takes the normal forms of a password for one", async () => {
  const hasher = scryptHasher(CHEAP);
  assert(await hasher.verify("pa\u0308ss", await hasher.hash("p\u00e4ss")));
  assert(await hasher.verify("p\u00e4ss", await hasher.hash("pa\u0308ss")));
});
