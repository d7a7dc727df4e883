/** Authenticator data, WebAuthn Level 3 §6.1 and §6.5.1. */

import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import type { Bytes } from "../../../auth/_bytes.ts";
import {
  type AuthenticatorData,
  parseAuthenticatorData,
} from "../../../auth/webauthn/_authenticator_data.ts";
import { CeremonyError } from "../../../auth/webauthn/_failure.ts";
import {
  concat,
  type Encodable,
  encodeCbor,
  head,
  indefinite,
  raw,
  tagged,
  unsorted,
} from "./_cbor.ts";

const RP_ID_HASH = Uint8Array.from({ length: 32 }, (_, i) => i);
const AAGUID = Uint8Array.fromHex("08987058cadc4b81b6e130de50dcbe96");
const KEY = encodeCbor(
  new Map<Encodable, Encodable>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(32).fill(2)],
    [-3, new Uint8Array(32).fill(3)],
  ]),
);
const EXTENSIONS = encodeCbor(
  new Map<Encodable, Encodable>([["credProtect", 2], ["hmac-secret", true]]),
);

const ID = new Uint8Array(16).fill(9);
const lengthOf = ({ length }: Bytes) => Uint8Array.of(length >> 8, length & 0xff);
const attested = (id: Bytes = ID, key: Uint8Array = KEY) => concat(AAGUID, lengthOf(id), id, key);

/** Authenticator data with flags, a counter and what follows. */
function data(flags: number, ...rest: readonly Uint8Array[]): Bytes {
  return concat(RP_ID_HASH, Uint8Array.of(flags, 0, 0, 1, 2), ...rest);
}

const NO_FLAGS: AuthenticatorData = {
  rpIdHash: RP_ID_HASH,
  userPresent: false,
  userVerified: false,
  backupEligible: false,
  backedUp: false,
  signCount: 258,
  attested: undefined,
  extensions: undefined,
};

/** [why, flags, what differs] */
const FLAGS: readonly (readonly [string, number, Partial<AuthenticatorData>])[] = [
  ["no flag", 0x00, {}],
  ["UP", 0x01, { userPresent: true }],
  ["UV", 0x04, { userVerified: true }],
  ["BE", 0x08, { backupEligible: true }],
  ["BS, although it needs BE: the ceremony checks it", 0x10, { backedUp: true }],
  ["all four", 0x1d, {
    userPresent: true,
    userVerified: true,
    backupEligible: true,
    backedUp: true,
  }],
  ["reserved bit 1, which is ignored", 0x02, {}],
  ["reserved bit 5, which is ignored", 0x20, {}],
  ["UP and both reserved bits", 0x23, { userPresent: true }],
];

for (const [why, flags, differs] of FLAGS) {
  Deno.test(`parseAuthenticatorData() reads ${why}`, () => {
    assertEquals(parseAuthenticatorData(data(flags)), { ...NO_FLAGS, ...differs });
  });
}

Deno.test("parseAuthenticatorData() reads counters without a sign", () => {
  for (const count of [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]) {
    const bytes = data(1);
    new DataView(bytes.buffer).setUint32(33, count);
    assertEquals(parseAuthenticatorData(bytes).signCount, count);
  }
});

Deno.test("parseAuthenticatorData() reads a credential and extensions", () => {
  const credential = {
    aaguid: "08987058-cadc-4b81-b6e1-30de50dcbe96",
    credentialId: ID,
    publicKey: KEY,
  };
  const extensions = new Map<string, number | boolean>([["credProtect", 2], ["hmac-secret", true]]);
  const parsed = (bytes: Bytes) => {
    const { attested, extensions } = parseAuthenticatorData(bytes);
    return { attested, extensions };
  };
  assertEquals(parsed(data(0x41, attested())), { attested: credential, extensions: undefined });
  assertEquals(parsed(data(0x81, EXTENSIONS)), { attested: undefined, extensions });
  assertEquals(parsed(data(0xc1, attested(), EXTENSIONS)), { attested: credential, extensions });
  assertEquals(parsed(data(0x81, Uint8Array.of(0xa0))).extensions, new Map());
});

for (const length of [1, 16, 255, 256, 1_023, 1_024, 65_535]) {
  Deno.test(`parseAuthenticatorData() reads a credential id of ${length} bytes`, () => {
    const id = new Uint8Array(length).fill(7);
    const credential = parseAuthenticatorData(data(0x41, attested(id))).attested;
    assertEquals(credential?.credentialId, id);
    assertEquals(credential?.publicKey, KEY);
  });
}

Deno.test("parseAuthenticatorData() copies nothing, wherever its input begins", () => {
  const whole = concat(new Uint8Array(5).fill(0xff), data(0xc5, attested(), EXTENSIONS));
  const bytes = whole.subarray(5);
  const { rpIdHash, signCount, attested: credential } = parseAuthenticatorData(bytes);
  assertEquals(rpIdHash, RP_ID_HASH);
  assertEquals(signCount, 258);
  for (const part of [rpIdHash, credential?.credentialId, credential?.publicKey]) {
    assertStrictEquals(part?.buffer, whole.buffer);
  }
});

const reversed = unsorted([["hmac-secret", true], ["credProtect", 2]]);

/** [why, bytes] */
const REFUSED: readonly (readonly [why: string, bytes: Bytes])[] = [
  ["no bytes", new Uint8Array()],
  ["36 bytes", data(1).subarray(0, 36)],
  ["a byte after data without flags", data(1, Uint8Array.of(0))],
  ["a credential without AT", data(1, attested())],
  ["AT without a credential", data(0x41)],
  ["extensions without ED", data(1, EXTENSIONS)],
  ["extensions after a credential, without ED", data(0x41, attested(), EXTENSIONS)],
  ["ED without extensions", data(0x81)],
  ["ED without extensions after a credential", data(0xc1, attested())],
  ["AT with extensions alone", data(0x41, EXTENSIONS)],
  ["extensions before the credential", data(0xc1, EXTENSIONS, attested())],
  ["a byte after a credential", data(0x41, attested(), Uint8Array.of(0))],
  ["a byte after extensions", data(0x81, EXTENSIONS, Uint8Array.of(0))],
  ["a second map after extensions", data(0x81, EXTENSIONS, EXTENSIONS)],
  ["an empty credential id", data(0x41, attested(new Uint8Array()))],
  ["an id that ends where the data does", data(0x41, attested(ID, new Uint8Array()))],
  ["an id that ends after the data", data(0x41, AAGUID, Uint8Array.of(0xff, 0xff), ID, KEY)],
  ["an id that ends one byte late", data(0x41, AAGUID, Uint8Array.of(0, 17), ID, KEY)],
  ["a header of a credential alone", data(0x41, AAGUID, Uint8Array.of(0, 1))],
  ["half an AAGUID", data(0x41, AAGUID.subarray(8))],
  ["half a length of an id", data(0x41, AAGUID, Uint8Array.of(0))],
  ["a cut key", data(0x41, attested(ID, KEY.subarray(0, -1)))],
  ["a key of indefinite length", data(0x41, attested(ID, indefinite(5, [1, 2]).bytes))],
  ["a tagged key", data(0x41, attested(ID, tagged(24, raw(KEY)).bytes))],
  ["extensions as an array", data(0x81, encodeCbor([]))],
  ["extensions as a byte string", data(0x81, encodeCbor(EXTENSIONS))],
  ["extensions as null", data(0x81, encodeCbor(null))],
  ["extensions with an integer key", data(0x81, encodeCbor(new Map([[1, 2]])))],
  [
    "extensions with an integer key among strings",
    data(0x81, encodeCbor(new Map<Encodable, Encodable>([[1, 2], ["a", 1]]))),
  ],
  ["extensions out of order", data(0x81, encodeCbor(reversed))],
  ["extensions with a duplicate", data(0x81, unsorted([["a", 1], ["a", 1]]).bytes)],
  ["extensions of indefinite length", data(0x81, indefinite(5, ["a", 1]).bytes)],
  ["extensions with a count of 2^32", data(0x81, head(5, 2 ** 32))],
];

for (const [why, bytes] of REFUSED) {
  Deno.test(`parseAuthenticatorData() refuses ${why}`, () => {
    const error = assertThrows(() => parseAuthenticatorData(bytes), CeremonyError);
    assertEquals(error.reason, "authenticator_data_malformed");
  });
}

Deno.test("parseAuthenticatorData() refuses data cut anywhere", () => {
  const bytes = data(0xc1, attested(), EXTENSIONS);
  for (let end = 0; end < bytes.length; end++) {
    assertThrows(() => parseAuthenticatorData(bytes.subarray(0, end)), CeremonyError);
  }
});
