/** Key derivation: PBKDF2 at the iterations of passwords, and the Wycheproof vectors, which hold those of the RFCs. */

import { assertEquals, assertRejects } from "@std/assert";
import { decodeHex, encodeHex } from "../../auth/_bytes.ts";
import { type HashName, hkdf, pbkdf2 } from "../../auth/_kdf.ts";
import { testVectors, wycheproofCases } from "./_vectors.ts";

interface PasswordCase {
  readonly id: string;
  readonly password: string;
  readonly salt: string;
  readonly iterations: number;
  readonly hash: HashName;
  readonly dkLen: number;
  readonly dk: string;
}

interface Pbkdf2Case {
  readonly id: string;
  readonly password: string;
  readonly salt: string;
  readonly iterationCount: number;
  readonly dkLen: number;
  readonly dk: string;
  readonly result: "valid" | "invalid";
}

interface HkdfCase {
  readonly id: string;
  readonly ikm: string;
  readonly salt: string;
  readonly info: string;
  readonly size: number;
  readonly okm: string;
  readonly result: "valid" | "invalid";
}

testVectors<PasswordCase>({
  file: "kdf/pbkdf2-600000.json",
  async run({ id, password, salt, iterations, hash, dkLen, dk }) {
    const options = { hash, salt: decodeHex(salt), iterations, length: dkLen };
    assertEquals(encodeHex(await pbkdf2(decodeHex(password), options)), dk, id);
  },
});

const PBKDF2_FILES: readonly (readonly [file: string, hash: HashName])[] = [
  ["kdf/wycheproof-pbkdf2-hmac-sha256.json", "SHA-256"],
  ["kdf/wycheproof-pbkdf2-hmac-sha384.json", "SHA-384"],
  ["kdf/wycheproof-pbkdf2-hmac-sha512.json", "SHA-512"],
];

for (const [file, hash] of PBKDF2_FILES) {
  testVectors<Pbkdf2Case>({
    file,
    casesOf: wycheproofCases<Pbkdf2Case>,
    async run({ id, password, salt, iterationCount, dkLen, dk, result }) {
      const options = { hash, salt: decodeHex(salt), iterations: iterationCount, length: dkLen };
      const derived = await pbkdf2(decodeHex(password), options).then(encodeHex, () => undefined);
      assertEquals(derived === dk, result === "valid", id);
    },
  });
}

const HKDF_FILES: readonly (readonly [file: string, hash: HashName])[] = [
  ["kdf/wycheproof-hkdf-sha256.json", "SHA-256"],
  ["kdf/wycheproof-hkdf-sha384.json", "SHA-384"],
  ["kdf/wycheproof-hkdf-sha512.json", "SHA-512"],
];

for (const [file, hash] of HKDF_FILES) {
  testVectors<HkdfCase>({
    file,
    casesOf: wycheproofCases<HkdfCase>,
    async run({ id, ikm, salt, info, size, okm, result }) {
      const options = { hash, salt: decodeHex(salt), info: decodeHex(info), length: size };
      if (result === "invalid") {
        await assertRejects(() => hkdf(decodeHex(ikm), options), DOMException, undefined, id);
      } else assertEquals(encodeHex(await hkdf(decodeHex(ikm), options)), okm, id);
    },
  });
}
