/** The catalogue "CBOR and COSE": what an authenticator or a page could send as CBOR; rows are only added. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { WebAuthnFailure } from "../../auth/events.ts";
import { parseAttestationObject } from "../../auth/webauthn/_attestation_object.ts";
import { parseAuthenticatorData } from "../../auth/webauthn/_authenticator_data.ts";
import { decodeCbor } from "../../auth/webauthn/_cbor.ts";
import { parseCoseKey } from "../../auth/webauthn/_cose.ts";
import { CeremonyError } from "../../auth/webauthn/_failure.ts";
import {
  concat,
  type Encodable,
  encodeCbor,
  head,
  indefinite,
  raw,
  tagged,
  unsorted,
} from "../auth/webauthn/_cbor.ts";

/** Far above the 5 ms that it takes at most, since the machine may be busy. */
const MAX_MS = 250;

const repeated = (hex: string, times: number, end = "") => raw(hex.repeat(times) + end);
const map = (...entries: readonly (readonly [Encodable, Encodable])[]) => unsorted(entries);

/** [source, attack, item] Refused wherever CBOR is decoded. */
const ITEMS: readonly (readonly [source: string, attack: string, item: Encodable])[] = [
  ["webauthn.md §3", "five levels of arrays", repeated("81", 5, "00")],
  ["webauthn.md §3", "1,000 levels of arrays", repeated("81", 1_000, "00")],
  ["webauthn.md §3", "10^6 levels of arrays", repeated("81", 1_000_000, "00")],
  ["neighbour", "10^6 levels of arrays without an end", repeated("81", 1_000_000)],
  ["neighbour", "five levels of maps", repeated("a101", 5, "00")],
  ["neighbour", "10^6 levels of maps", repeated("a101", 1_000_000, "00")],
  ["neighbour", "10^6 levels of maps in keys", repeated("a1", 1_000_000, "00")],
  ["neighbour", "five levels at the end of a long array", [...Array(999).fill(0), [[[[]]]]]],
  ["neighbour", "10^6 tags", repeated("c1", 1_000_000, "00")],
  ["neighbour", "10^6 byte strings of indefinite length", repeated("5f", 1_000_000)],
  ...[2, 3, 4, 5].flatMap((major) =>
    ([
      ["4 GB", 2 ** 32 - 1],
      ["4 GB and a byte", 2 ** 32],
      ["2^31", 2 ** 31],
      ["2^53 - 1", Number.MAX_SAFE_INTEGER],
      ["2^53", 2 ** 53],
      ["2^63", 2n ** 63n],
      ["2^64 - 1", 2n ** 64n - 1n],
    ] as const).map(([size, length]) =>
      [
        "webauthn.md §3",
        `a head of major type ${major} of ${size}`,
        raw(head(major, length)),
      ] as const
    )
  ),
  [
    "webauthn.md §3",
    "a map with more pairs than half of the rest",
    raw("a3010203040506".slice(0, -2)),
  ],
  ["neighbour", "an array with one item more than there is", raw("84010203")],
  ["neighbour", "a byte string with one byte more than there is", raw("43ffff")],
  ["neighbour", "a string with one byte more than there is", raw("636161")],
  ["webauthn.md §3", "a byte string of indefinite length", indefinite(2, [Uint8Array.of(1)])],
  ["webauthn.md §3", "a string of indefinite length", indefinite(3, ["a"])],
  ["webauthn.md §3", "an array of indefinite length", indefinite(4, [1])],
  ["webauthn.md §3", "a map of indefinite length", indefinite(5, [1, 2])],
  ["neighbour", "an empty array of indefinite length", indefinite(4, [])],
  ["neighbour", "integers of indefinite length", raw("1fff")],
  ["neighbour", "negative integers of indefinite length", raw("3fff")],
  ["webauthn.md §3", "a break", raw("ff")],
  ["neighbour", "a break in an array", [raw("ff")]],
  ["neighbour", "a break as a key", map([raw("ff"), 1])],
  ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((major) =>
    [28, 29, 30].map((info) =>
      [
        "webauthn.md §3",
        `reserved ${info} of major type ${major}`,
        raw(Uint8Array.of(major << 5 | info, 0)),
      ] as const
    )
  ),
  ...([1, 2, 4, 8] as const).flatMap((width) =>
    [0, 1].map((major) =>
      [
        "webauthn.md §3",
        `23 of type ${major} in ${width} bytes`,
        raw(head(major, 23, width)),
      ] as const
    )
  ),
  ["neighbour", "255 in two bytes", raw(head(0, 255, 2))],
  ["neighbour", "65,535 in four bytes", raw(head(0, 65_535, 4))],
  ["neighbour", "2^32 - 1 in eight bytes", raw(head(0, 2 ** 32 - 1, 8))],
  ["neighbour", "-256 in two bytes", raw(head(1, 255, 2))],
  ["webauthn.md §3", "a long form in a key", map([raw(head(0, 1, 1)), 2])],
  ["webauthn.md §3", "a long length of a byte string", raw("580101")],
  ["webauthn.md §3", "a long length of a string", raw("780161")],
  ["webauthn.md §3", "a long count of an array", raw("980101")],
  ["webauthn.md §3", "a long count of a map", raw("b8010102")],
  ["neighbour", "a length of 0 in eight bytes", raw(head(2, 0, 8))],
  ["webauthn.md §3", "a duplicate integer key", map([1, 1], [1, 2])],
  ["webauthn.md §3", "a duplicate string key", map(["a", 1], ["a", 2])],
  ["webauthn.md §3", "a duplicate key in two encodings", map([1, 1], [raw("1801"), 2])],
  ["neighbour", "a duplicate negative key", map([-1, 1], [-1, 1])],
  ["neighbour", "a duplicate key in a nested map", map(["a", map(["b", 1], ["b", 2])])],
  ["neighbour", "an empty string as a duplicate key", map(["", 1], ["", 2])],
  ["webauthn.md §3", "NaN", raw("f97e00")],
  ["webauthn.md §3", "NaN with a payload", raw("fb7ff8000000000001")],
  ["webauthn.md §3", "-0", raw("f98000")],
  ["webauthn.md §3", "a half float that is an integer", raw("f93c00")],
  ["neighbour", "infinity", raw("f97c00")],
  ["neighbour", "a single float", raw("fa47c35000")],
  ["neighbour", "a double float", raw("fb3ff199999999999a")],
  ["neighbour", "a float as a key", map([raw("f93c00"), 1])],
  ["webauthn.md §3", "a tag", tagged(1, 0)],
  ["webauthn.md §3", "embedded CBOR", tagged(24, encodeCbor(1))],
  ["webauthn.md §3", "self-described CBOR", tagged(55_799, 1)],
  ["neighbour", "a tag of 2^64 - 1", raw("dbffffffffffffffff00")],
  ["neighbour", "a tagged key", map([tagged(1, 1), 1])],
  ...Array.from(
    { length: 20 },
    (_, i) => ["webauthn.md §3", `simple value ${i}`, raw(Uint8Array.of(0xe0 | i))] as const,
  ),
  ...[0, 19, 20, 21, 22, 23, 24, 31, 32, 255].map((value) =>
    [
      "webauthn.md §3",
      `simple value ${value} in two bytes`,
      raw(Uint8Array.of(0xf8, value)),
    ] as const
  ),
  ["webauthn.md §3", "undefined", raw("f7")],
  ["neighbour", "null as a key", map([null, 1])],
  ["neighbour", "true as a key", map([true, 1])],
  ["webauthn.md §3", "-2^64", -(2n ** 64n)],
  ["neighbour", "2^64 - 1", 2n ** 64n - 1n],
  ["neighbour", "2^53", 2n ** 53n],
  ["neighbour", "-2^53", -(2n ** 53n)],
  ["neighbour", "2^53 + 1, which a number rounds", 2n ** 53n + 1n],
  ["neighbour", "2^53 as a key", map([2n ** 53n, 1])],
  ["neighbour", "a bignum", tagged(2, Uint8Array.of(1))],
  ["webauthn.md §3", "a string that is not UTF-8", raw("61ff")],
  ["webauthn.md §3", "a lone surrogate", raw("63eda080")],
  ["neighbour", "a pair of surrogates", raw("66eda081edb080")],
  ["webauthn.md §3", "an overlong slash", raw("62c0af")],
  ["neighbour", "an overlong null", raw("62c080")],
  ["neighbour", "a character cut by the end of the string", raw("8261c361bc")],
  ["neighbour", "a character beyond U+10FFFF", raw("64f4908080")],
  ["neighbour", "a key that is not UTF-8", map([raw("61ff"), 1])],
  ["webauthn.md §3", "bytes as a key", map([Uint8Array.of(1), 1])],
  ["webauthn.md §3", "an array as a key", map([[], 1])],
  ["neighbour", "a map as a key", map([map(), 1])],
  ["webauthn.md §3", "a byte after an item", raw("0000")],
  ["webauthn.md §3", "two items", raw("a0a0")],
  ["neighbour", "no bytes", raw("")],
  ["neighbour", "a key without a value", raw("a101")],
];

for (const [source, attack, item] of ITEMS) {
  Deno.test(`decodeCbor() refuses ${attack} [${source}]`, () => {
    const bytes = encodeCbor(item);
    const start = performance.now();
    for (const anyKeyOrder of [false, true]) {
      const error = assertThrows(() => decodeCbor(bytes, { anyKeyOrder }), SyntaxError);
      assertEquals(error.message, "Cannot decode CBOR: malformed or not canonical");
    }
    assertReason(() => parseCoseKey(bytes), "key_invalid");
    assertReason(() => parseAttestationObject(bytes), "attestation_malformed");
    assertReason(
      () => parseAuthenticatorData(concat(EXTENDED, bytes)),
      "authenticator_data_malformed",
    );
    assertReason(
      () => parseAuthenticatorData(concat(ATTESTED, bytes)),
      "authenticator_data_malformed",
    );
    assert(performance.now() - start < MAX_MS, "refused slowly");
  });
}

/** Authenticator data before extensions, and before a key. */
const EXTENDED = new Uint8Array(37).with(32, 0x81);
const ATTESTED = new Uint8Array(37 + 18 + 1).with(32, 0x41).with(54, 1);

function assertReason(run: () => unknown, reason: WebAuthnFailure): void {
  assertEquals(assertThrows(run, CeremonyError).reason, reason);
}

Deno.test("decodeCbor() keeps __proto__ a key like others [webauthn.md §3]", () => {
  const decoded = decodeCbor(encodeCbor(map(["__proto__", map(["polluted", true])]))) as Map<
    string,
    unknown
  >;
  assertEquals([...decoded.keys()], ["__proto__"]);
  assertEquals(Object.getPrototypeOf(decoded), Map.prototype);
  assertEquals(("polluted" in {}) || ("polluted" in decoded), false);
});

Deno.test("decodeCbor() refuses 10^6 keys that collide or repeat without delay [neighbour]", () => {
  const keys = Array.from({ length: 20_000 }, (_, i) => [65_536 + i, 0] as const);
  assertEquals((decodeCbor(encodeCbor(map(...keys))) as Map<number, number>).size, 20_000);
  const start = performance.now();
  assertThrows(
    () => decodeCbor(concat(head(5, 10 ** 6), new Uint8Array(2 * 10 ** 6))),
    SyntaxError,
  );
  assert(performance.now() - start < MAX_MS);
});

Deno.test("parseAttestationObject() refuses authData as a string [webauthn.md §3]", () => {
  const object = map(["fmt", "none"], ["attStmt", map()], ["authData", "a".repeat(200)]);
  assertReason(() => parseAttestationObject(encodeCbor(object)), "attestation_malformed");
});
