/** Private keys as compact JWEs, RFC 7517 §7 and RFC 7516 §7.1, made and opened a second time by `node:crypto`. */

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
  Deno.test(`encryptJwk() encrypts a key for ${alg}, which decryptJwk() decrypts`, async () => {
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

Deno.test("encryptJwk() never gives the same result twice", async () => {
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
  // 4 characters for 3 bytes; and the header, the dots, the initialization vector and the tag
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
  ["a list", JSON.stringify([JWK])],
  ["null", "null"],
  ["no JSON", "{"],
  ["a name twice", `{"kty":"oct",${PLAIN.slice(1)}`],
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
      "though it names what it is asked for",
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

/** The last character with its lowest bit set, which stands for nothing: a tag has 128 bits, and its text 132. */
function nextBit(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(text.at(-1) ?? "") | 1] ?? "";
}

const KEYS_HEADER = deriveKeys(TODAY);
const PLAIN_HEADER = JSON.stringify(P256);

const { kid: KID_HEADER, createdAt: START } = STORED;

/** How a store gives a key that does not end. */
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

/** Headers that an authentic text may have all the same: in another order, with blanks, with an escape. */
const SOUND: readonly [why: string, header: object | string][] = [
  ["in our order", HEADER],
  ["in another order", reversed({ ...HEADER, key: reversed(HEADER.key) })],
  ["with blanks", JSON.stringify(HEADER, null, 2)],
  ["with an escape", JSON.stringify(HEADER).replace("dir", "\\u0064ir")],
  ["with a time written otherwise", JSON.stringify(HEADER).replace(`${START},`, "17000.00000E5,")],
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

/** Headers of texts that are authentic, and yet not what {@linkcode encryptJwk} would write. */
const HEADERS: readonly [why: string, header: object | string][] = [
  ["names another key", { ...HEADER, kid: "another key" }],
  ["names a key that begins as ours", { ...HEADER, kid: `${KID_HEADER} ` }],
  ["names a key by a number", { ...HEADER, kid: 1 }],
  ["names a list of keys", { ...HEADER, kid: [KID_HEADER] }],
  ["names no key", without("kid")],
  ["names no algorithm", without("alg")],
  ["names no encryption", without("enc")],
  ["names no type", without("cty")],
  ["says nothing of the key", without("key")],
  ["says null of the key", { ...HEADER, key: null }],
  ["says text of the key", { ...HEADER, key: JSON.stringify(HEADER.key) }],
  ["says a list of the key", { ...HEADER, key: Object.values(HEADER.key) }],
  ["says it in a list", { ...HEADER, key: [HEADER.key] }],
  ["says it one level above", { ...without("key"), ...HEADER.key, alg: "dir" }],
  ["names no algorithm of the key", { ...HEADER, key: without("alg", HEADER.key) }],
  ["names another algorithm of the key", withKey({ alg: "ES384" })],
  ["does not say when the key was made", { ...HEADER, key: without("createdAt", HEADER.key) }],
  ["does not say when the key begins", { ...HEADER, key: without("activeAt", HEADER.key) }],
  ["does not say when the key ends", { ...HEADER, key: without("retiredAt", HEADER.key) }],
  ["says that the key does not end", withKey({ retiredAt: null })],
  ["says another time at which it was made", withKey({ createdAt: START - 1 })],
  ["says that the key begins earlier", withKey({ activeAt: START })],
  ["says that the key ends later", withKey({ retiredAt: START + 9_001 })],
  ["says a time as text", withKey({ activeAt: `${START + 720}` })],
  ["says what nobody asked of the key", withKey({ use: "sig" })],
  [
    "says a time twice",
    JSON.stringify(HEADER).replace('"activeAt"', '"activeAt":0,"activeAt"'),
  ],
  ["has another algorithm", { ...HEADER, alg: "A256KW" }],
  ["has the algorithm none", { ...HEADER, alg: "none" }],
  ["has an algorithm of passwords", { ...HEADER, alg: "PBES2-HS256+A128KW", p2c: 1e9 }],
  ["has another case", { ...HEADER, alg: "DIR" }],
  ["has another encryption", { ...HEADER, enc: "A128GCM" }],
  ["has an encryption without authentication", { ...HEADER, enc: "A256CTR" }],
  ["has another type", { ...HEADER, cty: "JWT" }],
  ["has the whole media type", { ...HEADER, cty: "application/jwk+json" }],
  ["compresses", { ...HEADER, zip: "DEF" }],
  ["has what must be understood", { ...HEADER, crit: ["exp"], exp: 1 }],
  ["has what nobody asked for", { ...HEADER, typ: "JWE" }],
  ["brings a key along", { ...HEADER, jwk: {} }],
  ["has a member of the prototype", { ...without("cty"), toString: "jwk+json" }],
  ["has a name twice", `{"alg":"none",${JSON.stringify(HEADER).slice(1)}`],
  ["has the kid twice", `{"kid":"another key",${JSON.stringify(HEADER).slice(1)}`],
  ["has __proto__", `{"__proto__":{},${JSON.stringify(HEADER).slice(1)}`],
  ["is a list", JSON.stringify([HEADER])],
  ["is text", JSON.stringify("dir")],
  ["is null", "null"],
  ["is empty", ""],
  ["is no JSON", "{"],
  ["has something behind", `${JSON.stringify(HEADER)} {}`],
  ["begins with a byte order mark", `\ufeff${JSON.stringify(HEADER)}`],
];
for (const [why, header] of HEADERS) {
  Deno.test(`decryptJwk() rejects an authentic string whose header ${why}`, async () => {
    const text = sealByNode({ header, plaintext: PLAIN_HEADER });
    assertEquals(openByNode(text), PLAIN_HEADER, "it is authentic");
    assertEquals(await openText(text), undefined);
  });
}

/** What may stand beside a text that says something else. */
const BESIDE: readonly [why: string, beside: object][] = [
  ["another algorithm", { alg: "ES384" }],
  ["an algorithm in another case", { alg: "es256" }],
  ["a list of the algorithm", { alg: ["ES256"] }],
  ["no algorithm", { alg: undefined }],
  ["another time at which it was made", { createdAt: START + 1 }],
  ["no time at which it was made", { createdAt: undefined }],
  ["an earlier start", { activeAt: START }],
  ["a later start", { activeAt: START + 721 }],
  ["null for a start", { activeAt: null }],
  ["an earlier end", { retiredAt: START + 8_999 }],
  ["a later end", { retiredAt: START + 9_001 }],
  ["no end", { retiredAt: undefined }],
  ["null for an end", { retiredAt: null }],
  ["an end that is no number", { retiredAt: NaN }],
  ["an end that never comes", { retiredAt: Infinity }],
  ["two times swapped", { createdAt: STORED.activeAt, activeAt: STORED.createdAt }],
  ["a time as text", { createdAt: `${START}` }],
  ["a time as a bigint", { createdAt: BigInt(START) }],
  ["a time as a Number object", { createdAt: new Number(START) }],
];
for (const [why, beside] of BESIDE) {
  Deno.test(`decryptJwk() rejects a string stored beside ${why}`, async () => {
    const text = await encryptJwk(STORED, KEYS_HEADER);
    assertEquals(await openText(text, beside), undefined);
    assertEquals(await openText(text, { note: "of the store's" }), OPENED);
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
