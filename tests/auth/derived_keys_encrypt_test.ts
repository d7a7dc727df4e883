/** Encryption by derived keys: AES-256-GCM, computed a second time by `node:crypto`. */

import { assertEquals, assertRejects } from "@std/assert";
import { createCipheriv, createDecipheriv } from "node:crypto";
import { type Bytes, encodeHex, utf8 } from "../../auth/_bytes.ts";
import {
  type DerivedKeys,
  deriveKeys,
  type EncryptedBytes,
  type EncryptionPurpose,
  type KeyPurpose,
} from "../../auth/derived_keys.ts";
import { nodeKey, OLD, OTHER, TODAY } from "./keys/_encrypted_keys.ts";
import { repeat } from "./_services.ts";

const PURPOSE = "signing-keys";
const PLAIN = utf8("what nobody may read");
const DATA = utf8("what everybody may read");

function decrypt(keys: DerivedKeys, encrypted: EncryptedBytes, data: Bytes = DATA) {
  return keys.decrypt(PURPOSE, encrypted, data);
}

Deno.test("encrypt() makes what AES-256-GCM of node:crypto opens", async () => {
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

Deno.test("decrypt() opens what AES-256-GCM of node:crypto made", async () => {
  const iv = new Uint8Array(12).fill(9);
  const cipher = createCipheriv("aes-256-gcm", nodeKey(), iv);
  cipher.setAAD(DATA);
  const ciphertext = Uint8Array.from([...cipher.update(PLAIN), ...cipher.final()]);
  const tag = Uint8Array.from(cipher.getAuthTag());
  const opened = await decrypt(deriveKeys(TODAY), { iv, ciphertext, tag });
  assertEquals(opened, { plaintext: PLAIN, by: "first" });
});

/** What secrets there are where it was encrypted by the one of today, and which of them opens it. */
const SECRETS: readonly [why: string, given: string | string[], by: string | undefined][] = [
  ["the only one", TODAY, "first"],
  ["the only one of a list", [TODAY], "first"],
  ["the first one", [TODAY, OLD], "first"],
  ["the second one", [OLD, TODAY], "older"],
  ["the last one of three", [OTHER, OLD, TODAY], "older"],
  ["the first one, which is there twice", [TODAY, TODAY], "first"],
  ["not there", OLD, undefined],
  ["not in the list", [OTHER, OLD], undefined],
];
for (const [why, given, by] of SECRETS) {
  Deno.test(`decrypt() says ${by} where the secret is ${why}`, async () => {
    const encrypted = await deriveKeys([TODAY, OTHER]).encrypt(PURPOSE, PLAIN, DATA);
    const opened = await decrypt(deriveKeys(given), encrypted);
    assertEquals(opened, by === undefined ? undefined : { plaintext: PLAIN, by });
  });
}

Deno.test("decrypt() opens nothing with one bit changed, wherever it is", async () => {
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

/** The whole is the same, or a beginning of it, which AES-GCM by itself would take. */
const CUTS: readonly [why: string, cut: Cut][] = [
  ["a tag of 15 bytes", ({ tag, ...rest }) => ({ ...rest, tag: tag.slice(0, 15) })],
  ["a tag of 12 bytes", ({ tag, ...rest }) => ({ ...rest, tag: tag.slice(0, 12) })],
  ["a tag of 4 bytes", ({ tag, ...rest }) => ({ ...rest, tag: tag.slice(0, 4) })],
  ["no tag", ({ iv, ciphertext }) => ({ iv, ciphertext, tag: new Uint8Array() })],
  ["a tag of 17 bytes", ({ tag, ...rest }) => ({ ...rest, tag: Uint8Array.of(...tag, 0) })],
  ["the tag behind the ciphertext", ({ iv, ciphertext, tag }) => ({
    iv,
    ciphertext: Uint8Array.of(...ciphertext, ...tag),
    tag: new Uint8Array(),
  })],
  ["the end of the ciphertext in front of the tag", ({ iv, ciphertext, tag }) => ({
    iv,
    ciphertext: ciphertext.slice(0, -4),
    tag: Uint8Array.of(...ciphertext.slice(-4), ...tag),
  })],
  ["a ciphertext that is cut", (all) => ({ ...all, ciphertext: all.ciphertext.slice(0, -1) })],
  ["a ciphertext that is longer", (all) => ({
    ...all,
    ciphertext: Uint8Array.of(...all.ciphertext, 0),
  })],
  ["no initialization vector", (all) => ({ ...all, iv: new Uint8Array() })],
  ["one of 11 bytes", (all) => ({ ...all, iv: all.iv.slice(0, 11) })],
  ["one of 16 bytes", (all) => ({ ...all, iv: Uint8Array.of(...all.iv, 0, 0, 0, 1) })],
  ["nothing at all", () => ({
    iv: new Uint8Array(),
    ciphertext: new Uint8Array(),
    tag: new Uint8Array(),
  })],
];
for (const [why, cut] of CUTS) {
  Deno.test(`decrypt() opens nothing with ${why}`, async () => {
    const keys = deriveKeys(TODAY);
    const encrypted = await keys.encrypt(PURPOSE, PLAIN, DATA);
    assertEquals(await decrypt(keys, cut(encrypted)), undefined);
  });
}

Deno.test("encrypt() draws another initialization vector each time, also for many at once", async () => {
  const keys = deriveKeys(TODAY);
  const all = await Promise.all(repeat(1_000, () => keys.encrypt(PURPOSE, PLAIN, DATA)));
  assertEquals(new Set(all.map(({ iv }) => encodeHex(iv))).size, 1_000);
  assertEquals(new Set(all.map(({ ciphertext }) => encodeHex(ciphertext))).size, 1_000);
});

Deno.test("deriveKeys() gives no key for signatures that encrypts, and none for encryption that signs", async () => {
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
