/** Keys for one purpose each, RFC 5869 and RFC 2104, compared with `node:crypto`. */

import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { decodeBase64Url } from "../../auth/_base64url.ts";
import { type Bytes, encodeHex, utf8 } from "../../auth/_bytes.ts";
import {
  type DerivedKeys,
  deriveKeys,
  type EncryptedBytes,
  type EncryptionPurpose,
  generateSecret,
  type KeyPurpose,
} from "../../auth/derived_keys.ts";
import { repeat } from "./_services.ts";
import { nodeKey, OLD, OTHER, TODAY } from "./keys/_encrypted_keys.ts";

const OLDEST = "the very first secret of the tests";
const MESSAGE = utf8("a message");

/** The `info` of every purpose. These must never change, or existing signatures would no longer verify. */
const INFOS: Readonly<Record<KeyPurpose, string>> = {
  accounts: "gatehouse/v1/accounts",
  csrf: "gatehouse/v1/csrf",
  device: "gatehouse/v1/device",
  dpop: "gatehouse/v1/dpop",
  "second-factor": "gatehouse/v1/second-factor",
  throttle: "gatehouse/v1/throttle",
  webauthn: "gatehouse/v1/webauthn",
};
const PURPOSES = Object.keys(INFOS) as KeyPurpose[];

/** Derives keys from a secret of the wrong type. */
function deriveKeysOf(secret: unknown): DerivedKeys {
  return deriveKeys(secret as string);
}

function nodeMac(secret: string, purpose: KeyPurpose, message: Bytes): Bytes {
  const key = hkdfSync("sha256", utf8(secret), new Uint8Array(), INFOS[purpose], 32);
  return Uint8Array.from(createHmac("sha256", new Uint8Array(key)).update(message).digest());
}

for (const purpose of PURPOSES) {
  Deno.test(`deriveKeys() signs for ${purpose} as HKDF-SHA-256 and HMAC-SHA-256 of node:crypto do`, async () => {
    const keys = deriveKeys(TODAY);
    for (const message of [new Uint8Array(), MESSAGE, new Uint8Array(5_000).fill(7)]) {
      const mac = await keys.sign(purpose, message);
      assertEquals(mac, nodeMac(TODAY, purpose, message));
      assertEquals(mac.length, 32);
      assert(await keys.verify(purpose, message, mac));
    }
  });

  for (const other of PURPOSES.filter((other) => other !== purpose)) {
    Deno.test(`deriveKeys() derives keys for ${purpose} that do not verify those of ${other}`, async () => {
      const keys = deriveKeys([TODAY, OLD]);
      for (const secret of [TODAY, OLD]) {
        const mac = await deriveKeys(secret).sign(other, MESSAGE);
        assert(await keys.verify(other, MESSAGE, mac));
        assertFalse(await keys.verify(purpose, MESSAGE, mac));
      }
    });
  }
}

Deno.test("deriveKeys() signs by the first secret of an array", async () => {
  const keys = deriveKeys([TODAY, OLD]);
  assertEquals(await keys.sign("csrf", MESSAGE), nodeMac(TODAY, "csrf", MESSAGE));
});

Deno.test("deriveKeys() verifies by every secret of an array, and not by a removed one", async () => {
  const keys = deriveKeys([TODAY, OLD]);
  assert(await keys.verify("csrf", MESSAGE, nodeMac(TODAY, "csrf", MESSAGE)));
  assert(await keys.verify("csrf", MESSAGE, nodeMac(OLD, "csrf", MESSAGE)));
  assertFalse(await keys.verify("csrf", MESSAGE, nodeMac(OLDEST, "csrf", MESSAGE)));
  assert(
    await deriveKeys([TODAY, OLD, OLDEST]).verify(
      "csrf",
      MESSAGE,
      nodeMac(OLDEST, "csrf", MESSAGE),
    ),
  );
});

Deno.test("deriveKeys() rotates without a gap: each deployment verifies the MACs of the previous one", async () => {
  const deployments = [[OLDEST], [OLD, OLDEST], [TODAY, OLD]];
  for (const [i, secrets] of deployments.entries()) {
    const mac = await deriveKeys(secrets).sign("device", MESSAGE);
    const next = deployments[i + 1];
    if (next !== undefined) assert(await deriveKeys(next).verify("device", MESSAGE, mac));
  }
});

Deno.test("deriveKeys() treats a string like an array of it", async () => {
  assert(
    await deriveKeys([TODAY]).verify(
      "csrf",
      MESSAGE,
      await deriveKeys(TODAY).sign("csrf", MESSAGE),
    ),
  );
});

Deno.test("deriveKeys() copies the array of secrets", async () => {
  const secrets = [TODAY];
  const keys = deriveKeys(secrets);
  secrets[0] = OLD;
  secrets.push(OLDEST);
  assertEquals(await keys.sign("csrf", MESSAGE), nodeMac(TODAY, "csrf", MESSAGE));
  assertFalse(await keys.verify("csrf", MESSAGE, nodeMac(OLDEST, "csrf", MESSAGE)));
});

Deno.test("deriveKeys() returns the same results to concurrent calls", async () => {
  const keys = deriveKeys([TODAY, OLD]);
  const macs = await Promise.all(Array.from({ length: 50 }, () => keys.sign("csrf", MESSAGE)));
  for (const mac of [...macs, await keys.sign("csrf", MESSAGE)]) {
    assertEquals(mac, nodeMac(TODAY, "csrf", MESSAGE));
  }
});

Deno.test("deriveKeys() rejects MACs with a flipped bit, of another length, or of another message", async () => {
  const keys = deriveKeys(TODAY);
  const mac = await keys.sign("csrf", MESSAGE);
  for (let bit = 0; bit < mac.length * 8; bit++) {
    const other = mac.slice();
    other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assertFalse(await keys.verify("csrf", MESSAGE, other), `bit ${bit}`);
  }
  for (
    const other of [new Uint8Array(), mac.slice(0, 16), mac.slice(0, 31), Uint8Array.of(...mac, 0)]
  ) {
    assertFalse(await keys.verify("csrf", MESSAGE, other), `${other.length} bytes`);
  }
  assertFalse(await keys.verify("csrf", utf8("another message"), mac));
});

/** Secrets by their length in bytes; the minimum is 32, whatever the number of characters. */
const LENGTHS: readonly [why: string, secret: string, bytes: number][] = [
  ["31 letters", "a".repeat(31), 31],
  ["32 letters", "abcdefghijklmnopqrstuvwxyzabcdef", 32],
  ["33 letters", "abcdefghijklmnopqrstuvwxyzabcdefg", 33],
  ["10 different bytes", "0123456789".repeat(4), 40],
  ["hexadecimal digits", "0123456789abcdef".repeat(2), 32],
  ["16 characters of two bytes", "àáâãäåæçèéêëìíîï", 32],
  ["15 characters of two bytes and one letter", `${"é".repeat(15)}a`, 31],
  ["11 characters of three bytes", "₠₡₢₣₤₥₦₧₨₩₪", 33],
  ["10 characters of three bytes", "€".repeat(10), 30],
  ["8 characters of four bytes", "🔐🔑🔒🔓🔔🔕🔖🔗", 32],
  ["7 characters of four bytes and three letters", `${"🔑".repeat(7)}abc`, 31],
  ["an empty string", "", 0],
];

for (const [why, secret, bytes] of LENGTHS) {
  Deno.test(`deriveKeys() ${bytes < 32 ? "rejects" : "accepts"} a secret of ${why}`, async () => {
    if (bytes >= 32) {
      assertEquals(
        await deriveKeys(secret).sign("csrf", MESSAGE),
        nodeMac(secret, "csrf", MESSAGE),
      );
      deriveKeys([TODAY, secret]);
      return;
    }
    for (const given of [secret, [secret], [TODAY, secret]]) {
      const error = assertThrows(() => deriveKeys(given), RangeError, `has ${bytes} bytes`);
      assert(error.message.startsWith("Cannot derive keys: "));
      assert(secret === "" || !error.message.includes(secret), "The message contains the secret");
    }
  });
}

/** Secrets of enough bytes that nobody made at random. */
const WEAK: readonly (readonly [why: string, secret: string])[] = [
  ["one letter", "a".repeat(64)],
  ["9 different bytes", "012345678".repeat(4)],
  ["a word that is repeated", "changeit".repeat(5)],
  ["zeros", "0".repeat(64)],
  ["one character of three bytes", "€".repeat(11)],
  ["the sample of our former documentation", "a secret of at least 32 bytes, kept"],
  ["a sample of documentation", "your-super-secret-key-at-least-32-characters-long"],
  ["the sample of jwt.io", "a-string-secret-at-least-256-bits-long"],
  ["a sample of a third template", "replace-me-with-a-long-random-string"],
  ["a sample of a template", "CHANGE_ME_to_something_long_and_random"],
  ["a sample of another template", "please change this value before production"],
];
for (const [why, secret] of WEAK) {
  Deno.test(`deriveKeys() rejects a secret that is ${why}`, () => {
    for (const given of [secret, [TODAY, secret]]) {
      const error = assertThrows(() => deriveKeys(given), RangeError, "not made at random");
      assert(!error.message.includes(secret), "The message contains the secret");
    }
  });
}

Deno.test("generateSecret() returns 32 random bytes that deriveKeys() accepts", () => {
  const secrets = Array.from({ length: 500 }, () => generateSecret());
  assertEquals(new Set(secrets).size, 500);
  for (const secret of secrets) {
    assertEquals(decodeBase64Url(secret).length, 32);
    deriveKeys(secret);
  }
});

/** Invalid secrets. A missing environment variable is `undefined`. */
const SHAPES: readonly [why: string, secret: unknown][] = [
  ["undefined", undefined],
  ["null", null],
  ["a number", 42],
  ["an object", {}],
  ["a function", () => TODAY],
  ["bytes", new Uint8Array(32)],
  ["a String object", new String(TODAY)],
  ["an empty array", []],
  ["an array with undefined", [TODAY, undefined]],
  ["an array with null", [null]],
  ["an array with bytes", [new Uint8Array(32)]],
  ["an array of arrays", [[TODAY]]],
  ["a sparse array without elements", new Array(1)],
  ["a sparse array with a leading hole", Object.assign(new Array(2), { 1: TODAY })],
  ["an object with its own map()", { length: 1, map: () => [] }],
];

for (const [why, secret] of SHAPES) {
  Deno.test(`deriveKeys() rejects ${why}`, () => {
    assertThrows(() => deriveKeysOf(secret), TypeError, "Cannot derive keys: ");
  });
}

Deno.test("deriveKeys() mentions the environment variable if the secret is missing", () => {
  for (const secret of [undefined, null]) {
    const derive = () => deriveKeys(secret as unknown as string);
    assertThrows(derive, TypeError, "is its environment variable set?");
  }
});

Deno.test("deriveKeys() rejects an unknown purpose", async () => {
  const keys = deriveKeys(TODAY);
  await assertRejects(() => keys.sign("sessions" as KeyPurpose, MESSAGE), TypeError);
  await assertRejects(() => keys.verify("sessions" as KeyPurpose, MESSAGE, MESSAGE), TypeError);
});

Deno.test("deriveKeys() reveals neither secrets nor keys when inspected", async () => {
  const keys = deriveKeys(TODAY);
  await keys.sign("csrf", MESSAGE);
  await keys.encrypt("signing-keys", MESSAGE, MESSAGE);
  assertEquals(Reflect.ownKeys(keys), ["sign", "verify", "encrypt", "decrypt"]);
  assert(Object.isFrozen(keys));
  assertEquals(JSON.stringify(keys), "{}");
  assertFalse(Deno.inspect(keys, { depth: 10, showHidden: true }).includes("secret"));
});

Deno.test("deriveKeys() exposes neither derived bytes nor extractable keys", async () => {
  const imported: CryptoKey[] = [];
  await withImportKey(async (importKey) => {
    const key = await importKey();
    imported.push(key);
    return key;
  }, async () => {
    await deriveKeys([TODAY, OLD]).verify("csrf", MESSAGE, new Uint8Array(32));
  });
  assertEquals(imported.length, 4); // two secrets, two keys each
  assert(imported.every(({ extractable }) => !extractable));
});

Deno.test("deriveKeys() derives a key once, and again after a failure", async () => {
  let calls = 0;
  await withImportKey((importKey) => {
    return ++calls === 2 ? Promise.reject(new Error("gone")) : importKey();
  }, async () => {
    const keys = deriveKeys(TODAY);
    await assertRejects(() => keys.sign("csrf", MESSAGE), Error, "gone");
    for (let i = 0; i < 3; i++) await keys.sign("csrf", MESSAGE);
    assertEquals(calls, 4); // each of two keys twice
    await keys.sign("device", MESSAGE);
    assertEquals(calls, 6, "another purpose, another key");
  });
});

/** Runs something with another `importKey()`, which may call the original. */
async function withImportKey(
  replace: (importKey: () => Promise<CryptoKey>) => Promise<CryptoKey>,
  run: () => Promise<void>,
): Promise<void> {
  const { importKey } = crypto.subtle;
  const descriptor = Object.getOwnPropertyDescriptor(crypto.subtle, "importKey");
  Object.defineProperty(crypto.subtle, "importKey", {
    configurable: true,
    value: (...args: Parameters<SubtleCrypto["importKey"]>) =>
      replace(() => Reflect.apply(importKey, crypto.subtle, args) as Promise<CryptoKey>),
  });
  try {
    await run();
  } finally {
    if (descriptor !== undefined) Object.defineProperty(crypto.subtle, "importKey", descriptor);
    else Reflect.deleteProperty(crypto.subtle, "importKey");
  }
}

const PURPOSE = "signing-keys";
const PLAIN = utf8("what nobody may read");
const DATA = utf8("what everybody may read");

function decrypt(keys: DerivedKeys, encrypted: EncryptedBytes, data: Bytes = DATA) {
  return keys.decrypt(PURPOSE, encrypted, data);
}

Deno.test("encrypt() returns a ciphertext that node:crypto decrypts", async () => {
  for (const plaintext of [new Uint8Array(), PLAIN, new Uint8Array(70_000).fill(7)]) {
    for (const data of [new Uint8Array(), DATA]) {
      const { iv, ciphertext, tag } = await deriveKeys(TODAY).encrypt(PURPOSE, plaintext, data);
      assertEquals([iv.length, ciphertext.length, tag.length], [12, plaintext.length, 16]);
      const decipher = createDecipheriv("aes-256-gcm", nodeKey(), iv);
      decipher.setAAD(data).setAuthTag(tag);
      const opened = [decipher.update(ciphertext), decipher.final()];
      assertEquals(opened.map(encodeHexOf).join(""), encodeHex(plaintext));
    }
  }
});

Deno.test("decrypt() decrypts a ciphertext of node:crypto", async () => {
  const iv = new Uint8Array(12).fill(9);
  const cipher = createCipheriv("aes-256-gcm", nodeKey(), iv);
  cipher.setAAD(DATA);
  const ciphertext = Uint8Array.from([...cipher.update(PLAIN), ...cipher.final()]);
  const tag = Uint8Array.from(cipher.getAuthTag());
  const opened = await decrypt(deriveKeys(TODAY), { iv, ciphertext, tag });
  assertEquals(opened, { plaintext: PLAIN, by: "first" });
});

/** Secrets given to decrypt what today's secret encrypted, and which of them decrypts it. */
const SECRETS: readonly [why: string, given: string | string[], by: string | undefined][] = [
  ["the only one", TODAY, "first"],
  ["the only one of an array", [TODAY], "first"],
  ["the first one", [TODAY, OLD], "first"],
  ["the second one", [OLD, TODAY], "older"],
  ["the last one of three", [OTHER, OLD, TODAY], "older"],
  ["the first one, listed twice", [TODAY, TODAY], "first"],
  ["another one", OLD, undefined],
  ["not in the array", [OTHER, OLD], undefined],
];
for (const [why, given, by] of SECRETS) {
  Deno.test(`decrypt() reports ${by} if the secret is ${why}`, async () => {
    const encrypted = await deriveKeys([TODAY, OTHER]).encrypt(PURPOSE, PLAIN, DATA);
    const opened = await decrypt(deriveKeys(given), encrypted);
    assertEquals(opened, by === undefined ? undefined : { plaintext: PLAIN, by });
  });
}

Deno.test("decrypt() rejects every single flipped bit", async () => {
  const keys = deriveKeys([TODAY, OLD]);
  const encrypted = await keys.encrypt(PURPOSE, PLAIN, DATA);
  for (const part of ["iv", "ciphertext", "tag"] as const) {
    for (let bit = 0; bit < encrypted[part].length * 8; bit++) {
      const changed = { ...encrypted, [part]: flip(encrypted[part], bit) };
      assertEquals(await decrypt(keys, changed), undefined, `${part}, bit ${bit}`);
    }
  }
  for (let bit = 0; bit < DATA.length * 8; bit++) {
    assertEquals(await decrypt(keys, encrypted, flip(DATA, bit)), undefined, `data, bit ${bit}`);
  }
  assertEquals(await decrypt(keys, encrypted), { plaintext: PLAIN, by: "first" });
});

type Cut = (encrypted: EncryptedBytes) => EncryptedBytes;

/** Modified ciphertexts; the prefixes of the tag would be accepted by AES-GCM without a check of its length. */
const CUTS: readonly [why: string, cut: Cut][] = [
  ["a tag of 15 bytes", ({ tag, ...rest }) => ({ ...rest, tag: tag.slice(0, 15) })],
  ["a tag of 12 bytes", ({ tag, ...rest }) => ({ ...rest, tag: tag.slice(0, 12) })],
  ["a tag of 4 bytes", ({ tag, ...rest }) => ({ ...rest, tag: tag.slice(0, 4) })],
  ["no tag", ({ iv, ciphertext }) => ({ iv, ciphertext, tag: new Uint8Array() })],
  ["a tag of 17 bytes", ({ tag, ...rest }) => ({ ...rest, tag: Uint8Array.of(...tag, 0) })],
  ["the tag after the ciphertext", ({ iv, ciphertext, tag }) => ({
    iv,
    ciphertext: Uint8Array.of(...ciphertext, ...tag),
    tag: new Uint8Array(),
  })],
  ["the end of the ciphertext before the tag", ({ iv, ciphertext, tag }) => ({
    iv,
    ciphertext: ciphertext.slice(0, -4),
    tag: Uint8Array.of(...ciphertext.slice(-4), ...tag),
  })],
  ["a truncated ciphertext", (all) => ({ ...all, ciphertext: all.ciphertext.slice(0, -1) })],
  ["a ciphertext with an additional byte", (all) => ({
    ...all,
    ciphertext: Uint8Array.of(...all.ciphertext, 0),
  })],
  ["no initialization vector", (all) => ({ ...all, iv: new Uint8Array() })],
  ["an initialization vector of 11 bytes", (all) => ({ ...all, iv: all.iv.slice(0, 11) })],
  [
    "an initialization vector of 16 bytes",
    (all) => ({ ...all, iv: Uint8Array.of(...all.iv, 0, 0, 0, 1) }),
  ],
  ["no bytes at all", () => ({
    iv: new Uint8Array(),
    ciphertext: new Uint8Array(),
    tag: new Uint8Array(),
  })],
];
for (const [why, cut] of CUTS) {
  Deno.test(`decrypt() rejects ${why}`, async () => {
    const keys = deriveKeys(TODAY);
    const encrypted = await keys.encrypt(PURPOSE, PLAIN, DATA);
    assertEquals(await decrypt(keys, cut(encrypted)), undefined);
  });
}

Deno.test("encrypt() uses a new initialization vector each time, also concurrently", async () => {
  const keys = deriveKeys(TODAY);
  const all = await Promise.all(repeat(1_000, () => keys.encrypt(PURPOSE, PLAIN, DATA)));
  assertEquals(new Set(all.map(({ iv }) => encodeHex(iv))).size, 1_000);
  assertEquals(new Set(all.map(({ ciphertext }) => encodeHex(ciphertext))).size, 1_000);
});

Deno.test("deriveKeys() separates signing and encryption purposes", async () => {
  const keys = deriveKeys(TODAY);
  const encrypted = await keys.encrypt(PURPOSE, PLAIN, DATA);
  const attempts: readonly (() => Promise<unknown>)[] = [
    // @ts-expect-error a purpose of encryption
    () => keys.sign("signing-keys", PLAIN),
    // @ts-expect-error a purpose of encryption
    () => keys.verify("signing-keys", PLAIN, PLAIN),
    // @ts-expect-error a purpose of signatures
    () => keys.encrypt("csrf", PLAIN, DATA),
    // @ts-expect-error a purpose of signatures
    () => keys.decrypt("throttle", encrypted, DATA),
    () => keys.encrypt("sessions" as EncryptionPurpose, PLAIN, DATA),
    () => keys.encrypt("__proto__" as EncryptionPurpose, PLAIN, DATA),
    () => keys.sign("constructor" as KeyPurpose, PLAIN),
  ];
  for (const attempt of attempts) {
    await assertRejects(attempt, TypeError, "unknown purpose");
  }
});

function flip(bytes: Bytes, bit: number): Bytes {
  const changed = bytes.slice();
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

function encodeHexOf(bytes: Uint8Array): string {
  return encodeHex(Uint8Array.from(bytes));
}

Deno.test("deriveKeys() says what is missing where keys cannot be derived, as on StarlingMonkey", async () => {
  Object.defineProperty(crypto.subtle, "deriveBits", { value: undefined, configurable: true });
  try {
    await assertRejects(
      () => deriveKeys(TODAY).sign("csrf", MESSAGE),
      TypeError,
      "Cannot derive keys: this runtime's crypto.subtle has no deriveBits()",
    );
  } finally {
    Reflect.deleteProperty(crypto.subtle, "deriveBits");
  }
});
