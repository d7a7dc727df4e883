/** Private keys as compact JWEs, RFC 7517 §7 and RFC 7516 §7.1, encrypted and decrypted independently by `node:crypto`. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { isGenerated } from "../../_effort.ts";
import { decodeBase64Url, encodeBase64Url } from "../../../auth/_base64url.ts";
import { utf8 } from "../../../auth/_bytes.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { type AsymmetricAlgorithm, isJwaAlgorithm, JWA } from "../../../auth/jwt/jwa.ts";
import { generateJwk } from "../../../auth/jwt/jwk.ts";
import { decryptJwk, encryptJwk } from "../../../auth/keys/_jwe.ts";
import type { StoredKey } from "../../../auth/stores/types.ts";
import { P256 } from "../jwt/_jws.ts";
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

const KEYS = deriveKeys([TODAY, OLD]);
const { kid: KID, key: JWK } = STORED;
const PLAIN = JSON.stringify(JWK);
const HEADER = headerOf(STORED);
const OPENED = { jwk: P256, isOld: false };

const ASYMMETRIC = Object.keys(JWA).filter((alg): alg is AsymmetricAlgorithm =>
  isJwaAlgorithm(alg) && JWA[alg].kty !== "oct"
);

for (const alg of ASYMMETRIC.filter(isGenerated)) {
  Deno.test(`encryptJwk() encrypts a key for ${alg}, and decryptJwk() decrypts it`, async () => {
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

Deno.test("encryptJwk() returns five parts with a complete header, which node:crypto decrypts", async () => {
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

Deno.test("encryptJwk() never returns the same result twice", async () => {
  const texts = await Promise.all(Array.from({ length: 100 }, () => encryptJwk(STORED, KEYS)));
  for (const part of [2, 3, 4]) {
    assertEquals(new Set(texts.map((text) => text.split(".")[part])).size, 100);
  }
});

Deno.test("encryptJwk() rejects anything but a JWK, and a key that is too large", async () => {
  for (const jwk of [undefined, null, "text", 1, [JWK], Symbol("key")]) {
    await assertRejects(
      () => encryptJwk({ ...STORED, key: jwk }, KEYS),
      TypeError,
      "it must be a JWK",
    );
  }
  const sized = (size: number) => ({ kty: "oct", k: "A".repeat(size) });
  const encrypt = (jwk: object) => encryptJwk({ ...STORED, key: jwk }, KEYS);
  // 4 characters for 3 bytes; plus the header, the dots, the initialization vector and the tag
  const header = encodeBase64Url(utf8(JSON.stringify(HEADER))).length;
  const room = Math.floor((16_384 - header - 4 - 16 - 22) * 3 / 4);
  const most = room - JSON.stringify(sized(0)).length;
  assertEquals(await openText(await encrypt(sized(most))), { jwk: sized(most), isOld: false });
  const error = await assertRejects(() => encrypt(sized(most + 1)), RangeError);
  assertEquals(error.message, "Cannot encrypt key: the result is longer than 16384 characters");
});

Deno.test("decryptJwk() reports decryption by an older secret", async () => {
  const stored = { ...STORED, key: await encryptJwk(STORED, deriveKeys(OLD)) };
  assertEquals(await decryptJwk(stored, KEYS), { jwk: JWK, isOld: true });
  assertEquals(await decryptJwk(stored, deriveKeys(OLD)), OPENED);
  assertEquals(await decryptJwk(stored, deriveKeys(TODAY)), undefined);
});

const PLAINTEXTS: readonly [why: string, plaintext: string][] = [
  ["nothing", ""],
  ["text", JSON.stringify("key")],
  ["an array", JSON.stringify([JWK])],
  ["null", "null"],
  ["not JSON", "{"],
  ["a duplicate name", `{"kty":"oct",${PLAIN.slice(1)}`],
];
for (const [why, plaintext] of PLAINTEXTS) {
  Deno.test(`decryptJwk() rejects an authentic string that contains ${why}`, async () => {
    assertEquals(await openText(sealByNode({ header: HEADER, plaintext })), undefined);
  });
}

Deno.test("decryptJwk() rejects bytes that are not UTF-8", async () => {
  const header = encodeBase64Url(utf8(JSON.stringify(HEADER)));
  const bytes = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d); // {"\xff":1}
  const parts = await KEYS.encrypt("signing-keys", bytes, utf8(header));
  const text = joinParts({ header, encryptedKey: "", ...parts });
  assertEquals(await openText(text), undefined);
});

type Change = (text: string, parts: JweParts) => unknown;

/** Changes of a valid string. */
const CHANGES: readonly [why: string, change: Change][] = [
  ["another secret", () => sealByNode({ header: HEADER, plaintext: PLAIN, secret: OTHER })],
  [
    "a tag truncated to 12 bytes by its creator",
    () => sealByNode({ header: HEADER, plaintext: PLAIN, tagBytes: 12 }),
  ],
  ["a tag of 4 bytes", () => sealByNode({ header: HEADER, plaintext: PLAIN, tagBytes: 4 })],
  [
    "an initialization vector of 16 bytes",
    () => sealByNode({ header: HEADER, plaintext: PLAIN, ivBytes: 16 }),
  ],
  ["a missing part", (text) => text.split(".").slice(0, 4).join(".")],
  ["an additional part", (text) => `${text}.`],
  ["three parts, as a JWS", (text) => text.split(".").slice(0, 3).join(".")],
  ["an encrypted key", (_, parts) => joinParts({ ...parts, encryptedKey: "AAAA" })],
  ["padding", (text) => `${text}==`],
  ["a trailing blank", (text) => `${text} `],
  ["a trailing line break", (text) => `${text}\n`],
  ["a leading blank", (text) => ` ${text}`],
  ["a line break in a part", (text) => text.replace("..", "..\n")],
  ["the plain alphabet", (text) => text.replace(/[-_]|A/, "+")],
  ["a non-zero trailing bit", (text) => `${text.slice(0, -1)}${nextBit(text)}`],
  ["the header encoded again", (_, parts) => {
    const header = encodeBase64Url(utf8(JSON.stringify(HEADER, null, 1)));
    return joinParts({ ...parts, header });
  }],
  [
    "more than 16 KiB, although authentic",
    () => sealByNode({ header: HEADER, plaintext: PLAIN.padEnd(13_000) }),
  ],
  ["nothing", () => ""],
  ["only dots", () => "...."],
  ["the plain JWK", () => JWK],
  ["the plain JWK as a string", () => PLAIN],
  ["undefined", () => undefined],
  ["null", () => null],
  ["a number", () => 1],
  ["an array with it", (text) => [text]],
  ["a String object", (text) => new String(text)],
  ["the JSON serialization", (_, { header, iv, ciphertext, tag }) => ({
    protected: header,
    iv: encodeBase64Url(iv),
    ciphertext: encodeBase64Url(ciphertext),
    tag: encodeBase64Url(tag),
  })],
];
for (const [why, change] of CHANGES) {
  Deno.test(`decryptJwk() rejects ${why}`, async () => {
    const text = await encryptJwk(STORED, KEYS);
    assertEquals(await openText(change(text, partsOf(text))), undefined);
    assertEquals(await openText(text), OPENED);
  });
}

Deno.test("decryptJwk() rejects a string with another kid or an invalid one", async () => {
  const text = await encryptJwk(STORED, KEYS);
  for (const kid of ["", "another key", `${KID}\0`, undefined, null, 1, [KID], { kid: KID }]) {
    assertEquals(await openText(text, { kid }), undefined);
  }
  for (const kid of [undefined, null, 1]) {
    const unnamed = sealByNode({ header: { ...HEADER, kid }, plaintext: PLAIN });
    assertEquals(
      await openText(unnamed, { kid }),
      undefined,
      "even if its header names the requested kid",
    );
  }
});

Deno.test("decryptJwk() rejects a string with one changed character", async () => {
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

/** The last character with its lowest bit set, which is not part of the tag: 128 bits, encoded in 132. */
function nextBit(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(text.at(-1) ?? "") | 1] ?? "";
}

const KEYS_HEADER = deriveKeys(TODAY);
const PLAIN_HEADER = JSON.stringify(P256);

const { kid: KID_HEADER, createdAt: START } = STORED;

/** Values of a store for an absent retiredAt. */
const NO_END = [undefined, null];

Deno.test("encryptJwk() omits retiredAt for undefined and null", async () => {
  const { retiredAt: _, ...key } = HEADER.key;
  for (const retiredAt of NO_END) {
    const text = await encryptJwk({ ...STORED, retiredAt } as unknown as StoredKey, KEYS_HEADER);
    assertEquals(readHeader(text), { ...HEADER, key });
    for (const none of NO_END) assertEquals(await openText(text, { retiredAt: none }), OPENED);
    for (const some of [STORED.retiredAt, 0, NaN, "", "null", false]) {
      assertEquals(await openText(text, { retiredAt: some }), undefined);
    }
  }
});

/** Equivalent headers of an authentic string: another order, white space, an escape. */
const SOUND: readonly [why: string, header: object | string][] = [
  ["in the standard order", HEADER],
  ["in another order", reversed({ ...HEADER, key: reversed(HEADER.key) })],
  ["with white space", JSON.stringify(HEADER, null, 2)],
  ["with an escape", JSON.stringify(HEADER).replace("dir", "\\u0064ir")],
  [
    "with a time in exponent notation",
    JSON.stringify(HEADER).replace(`${START},`, "17000.00000E5,"),
  ],
];
for (const [why, header] of SOUND) {
  Deno.test(`decryptJwk() decrypts a string whose header is ${why}`, async () => {
    const text = sealByNode({ header, plaintext: PLAIN_HEADER });
    assertEquals(await openText(text), OPENED);
  });
}

const without = (name: string, members: object = HEADER) =>
  Object.fromEntries(Object.entries(members).filter(([member]) => member !== name));

const withKey = (members: object) => ({ ...HEADER, key: { ...HEADER.key, ...members } });

/** Headers of authentic strings that {@linkcode encryptJwk} would not write. */
const HEADERS: readonly [why: string, header: object | string][] = [
  ["names another key", { ...HEADER, kid: "another key" }],
  ["names a key that starts with the same kid", { ...HEADER, kid: `${KID_HEADER} ` }],
  ["names a key by number", { ...HEADER, kid: 1 }],
  ["names an array of keys", { ...HEADER, kid: [KID_HEADER] }],
  ["has no kid", without("kid")],
  ["has no alg", without("alg")],
  ["has no enc", without("enc")],
  ["has no typ", without("cty")],
  ["has no key metadata", without("key")],
  ["has null as key metadata", { ...HEADER, key: null }],
  ["has a string as key metadata", { ...HEADER, key: JSON.stringify(HEADER.key) }],
  ["has an array as key metadata", { ...HEADER, key: Object.values(HEADER.key) }],
  ["has key metadata in an array", { ...HEADER, key: [HEADER.key] }],
  ["has key metadata one level above", { ...without("key"), ...HEADER.key, alg: "dir" }],
  ["has no algorithm of the key", { ...HEADER, key: without("alg", HEADER.key) }],
  ["has another algorithm of the key", withKey({ alg: "ES384" })],
  ["has no createdAt", { ...HEADER, key: without("createdAt", HEADER.key) }],
  ["has no activeAt", { ...HEADER, key: without("activeAt", HEADER.key) }],
  ["has no retiredAt", { ...HEADER, key: without("retiredAt", HEADER.key) }],
  ["has null as retiredAt", withKey({ retiredAt: null })],
  ["has another createdAt", withKey({ createdAt: START - 1 })],
  ["has an earlier activeAt", withKey({ activeAt: START })],
  ["has a later retiredAt", withKey({ retiredAt: START + 9_001 })],
  ["has a time as a string", withKey({ activeAt: `${START + 720}` })],
  ["has an additional member of the key", withKey({ use: "sig" })],
  [
    "has a duplicate time",
    JSON.stringify(HEADER).replace('"activeAt"', '"activeAt":0,"activeAt"'),
  ],
  ["has another algorithm", { ...HEADER, alg: "A256KW" }],
  ["has the algorithm none", { ...HEADER, alg: "none" }],
  ["has a password-based algorithm", { ...HEADER, alg: "PBES2-HS256+A128KW", p2c: 1e9 }],
  ["has alg in another case", { ...HEADER, alg: "DIR" }],
  ["has another encryption", { ...HEADER, enc: "A128GCM" }],
  ["has an unauthenticated encryption", { ...HEADER, enc: "A256CTR" }],
  ["has another type", { ...HEADER, cty: "JWT" }],
  ["has the full media type", { ...HEADER, cty: "application/jwk+json" }],
  ["compresses", { ...HEADER, zip: "DEF" }],
  ["has a crit parameter", { ...HEADER, crit: ["exp"], exp: 1 }],
  ["has an additional member", { ...HEADER, typ: "JWE" }],
  ["has an embedded key", { ...HEADER, jwk: {} }],
  ["has a member named like a property of every object", {
    ...without("cty"),
    toString: "jwk+json",
  }],
  ["has a duplicate name", `{"alg":"none",${JSON.stringify(HEADER).slice(1)}`],
  ["has a duplicate kid", `{"kid":"another key",${JSON.stringify(HEADER).slice(1)}`],
  ["has __proto__", `{"__proto__":{},${JSON.stringify(HEADER).slice(1)}`],
  ["is an array", JSON.stringify([HEADER])],
  ["is a string", JSON.stringify("dir")],
  ["is null", "null"],
  ["is empty", ""],
  ["is not JSON", "{"],
  ["has trailing data", `${JSON.stringify(HEADER)} {}`],
  ["starts with a byte order mark", `\ufeff${JSON.stringify(HEADER)}`],
];
for (const [why, header] of HEADERS) {
  Deno.test(`decryptJwk() rejects an authentic string whose header ${why}`, async () => {
    const text = sealByNode({ header, plaintext: PLAIN_HEADER });
    assertEquals(openByNode(text), PLAIN_HEADER, "it is authentic");
    assertEquals(await openText(text), undefined);
  });
}

/** Stored values that differ from the header. */
const BESIDE: readonly [why: string, beside: object][] = [
  ["another algorithm", { alg: "ES384" }],
  ["an algorithm in another case", { alg: "es256" }],
  ["an array of the algorithm", { alg: ["ES256"] }],
  ["no algorithm", { alg: undefined }],
  ["another createdAt", { createdAt: START + 1 }],
  ["no createdAt", { createdAt: undefined }],
  ["an earlier activeAt", { activeAt: START }],
  ["a later activeAt", { activeAt: START + 721 }],
  ["null as activeAt", { activeAt: null }],
  ["an earlier retiredAt", { retiredAt: START + 8_999 }],
  ["a later retiredAt", { retiredAt: START + 9_001 }],
  ["no retiredAt", { retiredAt: undefined }],
  ["null as retiredAt", { retiredAt: null }],
  ["a retiredAt that is NaN", { retiredAt: NaN }],
  ["an infinite retiredAt", { retiredAt: Infinity }],
  ["two times swapped", { createdAt: STORED.activeAt, activeAt: STORED.createdAt }],
  ["a time as a string", { createdAt: `${START}` }],
  ["a time as a bigint", { createdAt: BigInt(START) }],
  ["a time as a Number object", { createdAt: new Number(START) }],
];
for (const [why, beside] of BESIDE) {
  Deno.test(`decryptJwk() rejects a string stored with ${why}`, async () => {
    const text = await encryptJwk(STORED, KEYS_HEADER);
    assertEquals(await openText(text, beside), undefined);
    assertEquals(await openText(text, { note: "additional members of the store" }), OPENED);
  });
}

Deno.test("decryptJwk() rejects a header with missing members, even if the stored key lacks them too", async () => {
  for (const name of ["alg", "createdAt", "activeAt"]) {
    const unsaid = { ...HEADER, key: without(name, HEADER.key) };
    const none = withKey({ [name]: null });
    for (const [header, value] of [[unsaid, undefined], [none, null], [none, NaN]] as const) {
      const text = sealByNode({ header, plaintext: PLAIN_HEADER });
      assertEquals(await openText(text, { [name]: value }), undefined, name);
    }
  }
});

function reversed(members: object): object {
  return Object.fromEntries(Object.entries(members).reverse());
}
