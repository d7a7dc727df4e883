/** Private keys as compact JWEs, RFC 7517 §7 and RFC 7516 §7.1, made and opened a second time by `node:crypto`. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../../auth/_base64url.ts";
import { utf8 } from "../../../auth/_bytes.ts";
import { decryptJwk, encryptJwk } from "../../../auth/keys/_jwe.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../../../auth/jwt/jwa.ts";
import { generateJwk } from "../../../auth/jwt/jwk.ts";
import {
  headerOf,
  joinParts,
  type JweParts,
  OLD,
  openByNode,
  openText,
  OTHER,
  partsOf,
  readHeader,
  sealByNode,
  STORED,
  TODAY,
} from "./_encrypted_keys.ts";
import { P256 } from "../jwt/_jws.ts";

const KEYS = deriveKeys([TODAY, OLD]);
const { kid: KID, key: JWK } = STORED;
const PLAIN = JSON.stringify(JWK);
const HEADER = headerOf(STORED);
const OPENED = { jwk: P256, isOld: false };

const ASYMMETRIC = Object.keys(JWA).filter((alg): alg is AsymmetricAlgorithm =>
  isJwaAlgorithm(alg) && JWA[alg].kty !== "oct"
);

for (const alg of ASYMMETRIC) {
  Deno.test(`encryptJwk() makes of a key of ${alg} what decryptJwk() opens, and nothing reads`, async () => {
    const jwk = await generateJwk(alg);
    const stored = { ...STORED, alg, key: jwk };
    const text = await encryptJwk(stored, KEYS);
    assertEquals(await decryptJwk({ ...stored, key: text }, KEYS), { jwk, isOld: false });
    const told = text.split(".").flatMap((part) => [part, atobUrl(part)]).join();
    for (const member of ["d", "p", "q", "dp", "dq", "qi"]) {
      const value = jwk[member];
      if (value !== undefined) assert(!told.includes(String(value)), member);
    }
  });
}

Deno.test("encryptJwk() writes five parts, a header that says all of the key, and what node:crypto opens", async () => {
  const text = await encryptJwk(STORED, KEYS);
  assertMatch(text, /^[\w-]+\.\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
  assertEquals(readHeader(text), {
    alg: "dir",
    enc: "A256GCM",
    cty: "jwk+json",
    kid: "the key",
    key: {
      alg: "ES256",
      createdAt: 1_700_000_000,
      activeAt: 1_700_000_720,
      retiredAt: 1_700_009_000,
    },
  });
  assertEquals(openByNode(text), PLAIN);
});

Deno.test("encryptJwk() never writes the same twice", async () => {
  const texts = await Promise.all(Array.from({ length: 100 }, () => encryptJwk(STORED, KEYS)));
  for (const part of [2, 3, 4]) {
    assertEquals(new Set(texts.map((text) => text.split(".")[part])).size, 100);
  }
});

Deno.test("encryptJwk() refuses what is no key, and one that is too large to be read again", async () => {
  for (const jwk of [undefined, null, "text", 1, [JWK], Symbol("key")]) {
    await assertRejects(
      () => encryptJwk({ ...STORED, key: jwk }, KEYS),
      TypeError,
      "it must be a JWK",
    );
  }
  const sized = (size: number) => ({ kty: "oct", k: "A".repeat(size) });
  const encrypt = (jwk: object) => encryptJwk({ ...STORED, key: jwk }, KEYS);
  // 4 characters for 3 bytes; and the header, the dots, the initialization vector and the tag
  const header = encodeBase64Url(utf8(JSON.stringify(HEADER))).length;
  const room = Math.floor((16_384 - header - 4 - 16 - 22) * 3 / 4);
  const most = room - JSON.stringify(sized(0)).length;
  assertEquals(await openText(await encrypt(sized(most))), { jwk: sized(most), isOld: false });
  const error = await assertRejects(() => encrypt(sized(most + 1)), RangeError);
  assertEquals(error.message, "Cannot encrypt key: the result is longer than 16384 characters");
});

Deno.test("decryptJwk() says whether an older secret opened it", async () => {
  const stored = { ...STORED, key: await encryptJwk(STORED, deriveKeys(OLD)) };
  assertEquals(await decryptJwk(stored, KEYS), { jwk: JWK, isOld: true });
  assertEquals(await decryptJwk(stored, deriveKeys(OLD)), OPENED);
  assertEquals(await decryptJwk(stored, deriveKeys(TODAY)), undefined);
});

const PLAINTEXTS: readonly [why: string, plaintext: string][] = [
  ["nothing", ""],
  ["text", JSON.stringify("key")],
  ["a list", JSON.stringify([JWK])],
  ["null", "null"],
  ["no JSON", "{"],
  ["a name twice", `{"kty":"oct",${PLAIN.slice(1)}`],
];
for (const [why, plaintext] of PLAINTEXTS) {
  Deno.test(`decryptJwk() refuses an authentic text that holds ${why}`, async () => {
    assertEquals(await openText(sealByNode({ header: HEADER, plaintext })), undefined);
  });
}

Deno.test("decryptJwk() refuses bytes that are no UTF-8", async () => {
  const header = encodeBase64Url(utf8(JSON.stringify(HEADER)));
  const bytes = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d); // {"\xff":1}
  const parts = await KEYS.encrypt("signing-keys", bytes, utf8(header));
  const text = joinParts({ header, encryptedKey: "", ...parts });
  assertEquals(await openText(text), undefined);
});

type Change = (text: string, parts: JweParts) => unknown;

/** What becomes of a text that is sound. */
const CHANGES: readonly [why: string, change: Change][] = [
  ["another secret", () => sealByNode({ header: HEADER, plaintext: PLAIN, secret: OTHER })],
  [
    "a tag of 12 bytes, as its maker cut it",
    () => sealByNode({ header: HEADER, plaintext: PLAIN, tagBytes: 12 }),
  ],
  ["a tag of 4 bytes", () => sealByNode({ header: HEADER, plaintext: PLAIN, tagBytes: 4 })],
  [
    "an initialization vector of 16 bytes",
    () => sealByNode({ header: HEADER, plaintext: PLAIN, ivBytes: 16 }),
  ],
  ["one part less", (text) => text.split(".").slice(0, 4).join(".")],
  ["one part more", (text) => `${text}.`],
  ["three parts, as a JWS", (text) => text.split(".").slice(0, 3).join(".")],
  ["an encrypted key", (_, parts) => joinParts({ ...parts, encryptedKey: "AAAA" })],
  ["padding", (text) => `${text}==`],
  ["a blank behind", (text) => `${text} `],
  ["a line break behind", (text) => `${text}\n`],
  ["a blank in front", (text) => ` ${text}`],
  ["a line break in a part", (text) => text.replace("..", "..\n")],
  ["the plain alphabet", (text) => text.replace(/[-_]|A/, "+")],
  ["a bit that belongs to no byte", (text) => `${text.slice(0, -1)}${nextBit(text)}`],
  ["the header written anew", (_, parts) => {
    const header = encodeBase64Url(utf8(JSON.stringify(HEADER, null, 1)));
    return joinParts({ ...parts, header });
  }],
  [
    "more than 16 KiB, though it is authentic",
    () => sealByNode({ header: HEADER, plaintext: PLAIN.padEnd(13_000) }),
  ],
  ["nothing", () => ""],
  ["dots alone", () => "...."],
  ["the plain JWK", () => JWK],
  ["the plain JWK as text", () => PLAIN],
  ["undefined", () => undefined],
  ["null", () => null],
  ["a number", () => 1],
  ["a list of it", (text) => [text]],
  ["a String object", (text) => new String(text)],
  ["the JSON serialization", (_, { header, iv, ciphertext, tag }) => ({
    protected: header,
    iv: encodeBase64Url(iv),
    ciphertext: encodeBase64Url(ciphertext),
    tag: encodeBase64Url(tag),
  })],
];
for (const [why, change] of CHANGES) {
  Deno.test(`decryptJwk() refuses ${why}`, async () => {
    const text = await encryptJwk(STORED, KEYS);
    assertEquals(await openText(change(text, partsOf(text))), undefined);
    assertEquals(await openText(text), OPENED);
  });
}

Deno.test("decryptJwk() refuses a text for any kid but its own, and for what is none", async () => {
  const text = await encryptJwk(STORED, KEYS);
  for (const kid of ["", "another key", `${KID}\0`, undefined, null, 1, [KID], { kid: KID }]) {
    assertEquals(await openText(text, { kid }), undefined);
  }
  for (const kid of [undefined, null, 1]) {
    const unnamed = sealByNode({ header: { ...HEADER, kid }, plaintext: PLAIN });
    assertEquals(
      await openText(unnamed, { kid }),
      undefined,
      "though it names what it is asked for",
    );
  }
});

Deno.test("decryptJwk() opens no text in which one character is another", async () => {
  const text = await encryptJwk({ ...STORED, key: { kty: "oct", k: "AAAA" } }, KEYS);
  for (let i = 0; i < text.length; i++) {
    const other = text[i] === "B" ? "C" : "B";
    const changed = `${text.slice(0, i)}${other}${text.slice(i + 1)}`;
    assertEquals(await openText(changed), undefined, `character ${i}`);
  }
});

function atobUrl(part: string): string {
  return new TextDecoder("latin1").decode(decodeBase64Url(part));
}

/** The last character with its lowest bit set, which stands for nothing: a tag has 128 bits, and its text 132. */
function nextBit(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(text.at(-1) ?? "") | 1] ?? "";
}
