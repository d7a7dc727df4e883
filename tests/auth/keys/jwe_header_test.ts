/** What the header of an encrypted key says, RFC 7516 §4, beside what is kept with it: all of it, and the same. */

import { assertEquals } from "@std/assert";
import { encryptJwk } from "../../../auth/keys/_jwe.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import type { StoredKey } from "../../../auth/stores/types.ts";
import {
  headerOf,
  openByNode,
  openText,
  readHeader,
  sealByNode,
  STORED,
  TODAY,
} from "./_encrypted_keys.ts";
import { P256 } from "../jwt/_jws.ts";

const KEYS = deriveKeys(TODAY);
const PLAIN = JSON.stringify(P256);
const HEADER = headerOf(STORED);
const { kid: KID, createdAt: START } = STORED;
const OPENED = { jwk: P256, isOld: false };

/** How a store gives a key that does not end. */
const NO_END = [undefined, null];

Deno.test("encryptJwk() says of no end that there is none, however the store says that", async () => {
  const { retiredAt: _, ...key } = HEADER.key;
  for (const retiredAt of NO_END) {
    const text = await encryptJwk({ ...STORED, retiredAt } as unknown as StoredKey, KEYS);
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
  Deno.test(`decryptJwk() opens a text whose header is ${why}`, async () => {
    const text = sealByNode({ header, plaintext: PLAIN });
    assertEquals(await openText(text), OPENED);
  });
}

const without = (name: string, members: object = HEADER) =>
  Object.fromEntries(Object.entries(members).filter(([member]) => member !== name));

const withKey = (members: object) => ({ ...HEADER, key: { ...HEADER.key, ...members } });

/** Headers of texts that are authentic, and yet not what {@linkcode encryptJwk} would write. */
const HEADERS: readonly [why: string, header: object | string][] = [
  ["names another key", { ...HEADER, kid: "another key" }],
  ["names a key that begins as ours", { ...HEADER, kid: `${KID} ` }],
  ["names a key by a number", { ...HEADER, kid: 1 }],
  ["names a list of keys", { ...HEADER, kid: [KID] }],
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
  Deno.test(`decryptJwk() refuses an authentic text whose header ${why}`, async () => {
    const text = sealByNode({ header, plaintext: PLAIN });
    assertEquals(openByNode(text), PLAIN, "it is authentic");
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
  Deno.test(`decryptJwk() refuses a text that stands beside ${why}`, async () => {
    const text = await encryptJwk(STORED, KEYS);
    assertEquals(await openText(text, beside), undefined);
    assertEquals(await openText(text, { note: "of the store's" }), OPENED);
  });
}

Deno.test("decryptJwk() refuses what says no more than the header does, where that says too little", async () => {
  for (const name of ["alg", "createdAt", "activeAt"]) {
    const unsaid = { ...HEADER, key: without(name, HEADER.key) };
    const none = withKey({ [name]: null });
    for (const [header, value] of [[unsaid, undefined], [none, null], [none, NaN]] as const) {
      const text = sealByNode({ header, plaintext: PLAIN });
      assertEquals(await openText(text, { [name]: value }), undefined, name);
    }
  }
});

function reversed(members: object): object {
  return Object.fromEntries(Object.entries(members).reverse());
}
