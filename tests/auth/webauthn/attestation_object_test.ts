/** Attestation objects, WebAuthn Level 3 §6.5.4 and §8.1. */

import { assertEquals, assertThrows } from "@std/assert";
import { parseAttestationObject } from "../../../auth/webauthn/_attestation_object.ts";
import { CeremonyError } from "../../../auth/webauthn/_failure.ts";
import { concat, type Encodable, encodeCbor, indefinite, raw, tagged, unsorted } from "./_cbor.ts";

const AUTH_DATA = new Uint8Array(37).fill(1);

/** Members with some changed; `undefined` removes one. */
function members(
  changes: Readonly<Record<string, Encodable | undefined>> = {},
): [Encodable, Encodable][] {
  const all = { fmt: "none", attStmt: new Map(), authData: AUTH_DATA, ...changes };
  return Object.entries<Encodable | undefined>(all).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]]
  );
}

const object = (changes?: Readonly<Record<string, Encodable | undefined>>) =>
  encodeCbor(new Map(members(changes)));

/** An object of a length in bytes. */
function objectOf(length: number): Uint8Array<ArrayBuffer> {
  const rest = object({ authData: new Uint8Array(40_000) }).length - 40_000;
  return object({ authData: new Uint8Array(length - rest) });
}

const STATEMENT = new Map<Encodable, Encodable>([
  ["alg", -7],
  ["sig", new Uint8Array(70)],
  ["x5c", [new Uint8Array(600)]],
]);

/** [why, bytes, format, members of the statement] */
const PARSED: readonly (readonly [string, Uint8Array<ArrayBuffer>, string, number])[] = [
  ["without a statement", object(), "none", 0],
  ["with a statement", object({ fmt: "packed", attStmt: STATEMENT }), "packed", 3],
  ["in the order of Firefox", encodeCbor(unsorted(members().reverse())), "none", 0],
  [
    "whose statement is not sorted, as TPMs write it",
    encodeCbor(unsorted(members({ attStmt: unsorted(new Map([...STATEMENT].reverse())) }))),
    "none",
    3,
  ],
  ["with a format of 32 characters", object({ fmt: "x".repeat(32) }), "x".repeat(32), 0],
  ["with a format of a vendor", object({ fmt: "!vendor.com/a-b_c~" }), "!vendor.com/a-b_c~", 0],
  ["with integer keys in the statement", object({ attStmt: new Map([[1, 2]]) }), "none", 1],
  ["of 48 KiB", objectOf(49_152), "none", 0],
];

for (const [why, bytes, format, size] of PARSED) {
  Deno.test(`parseAttestationObject() parses an object ${why}`, () => {
    const { fmt, statement, authData } = parseAttestationObject(bytes);
    assertEquals([fmt, statement.size], [format, size]);
    assertEquals(authData.length >= AUTH_DATA.length, true);
  });
}

Deno.test("parseAttestationObject() returns the authenticator data and the statement", () => {
  assertEquals(parseAttestationObject(object({ fmt: "packed", attStmt: STATEMENT })), {
    fmt: "packed",
    statement: STATEMENT as Map<string, number>,
    authData: AUTH_DATA,
  });
});

/** [why, bytes] */
const REFUSED: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["no bytes", new Uint8Array()],
  ["an array", encodeCbor(["none", new Map(), AUTH_DATA])],
  ["an empty map", encodeCbor(new Map())],
  ["a byte string with an object in it", encodeCbor(object())],
  ["a tagged object", tagged(55_799, new Map(members())).bytes],
  ["an object of indefinite length", indefinite(5, members().flat()).bytes],
  ["a byte after the object", concat(object(), Uint8Array.of(0))],
  ["two objects", concat(object(), object())],
  ["an object cut by a byte", object().subarray(0, -1)],
  ["more than 48 KiB", objectOf(49_153)],
  ["no fmt", object({ fmt: undefined })],
  ["no attStmt", object({ attStmt: undefined })],
  ["no authData", object({ authData: undefined })],
  ["another member", object({ epAtt: true })],
  ["another member instead of fmt", object({ fmt: undefined, Fmt: "none" })],
  [
    "a member with an integer key",
    encodeCbor(new Map<Encodable, Encodable>([...members(), [1, 2]])),
  ],
  [
    "an integer key instead of fmt",
    encodeCbor(new Map([...members({ fmt: undefined }), [1, "none"]])),
  ],
  ["a duplicate fmt", unsorted([...members(), ["fmt", "packed"]]).bytes],
  [
    "a duplicate fmt instead of attStmt",
    unsorted([...members({ attStmt: undefined }), ["fmt", "packed"]]).bytes,
  ],
  ["fmt as bytes", object({ fmt: Uint8Array.of(1) })],
  ["fmt as null", object({ fmt: null })],
  ["an empty fmt", object({ fmt: "" })],
  ["a fmt of 33 characters", object({ fmt: "x".repeat(33) })],
  ["a fmt with a space", object({ fmt: "packed " })],
  ["a fmt with a line break", object({ fmt: "packed\n" })],
  ["a fmt with a quotation mark", object({ fmt: 'a"b' })],
  ["a fmt with a backslash", object({ fmt: "a\\b" })],
  ["a fmt that is not ASCII", object({ fmt: "päcked" })],
  ["a fmt with DEL", object({ fmt: "a\x7f" })],
  ["attStmt as an array", object({ attStmt: [] })],
  ["attStmt as null", object({ attStmt: null })],
  ["attStmt as bytes", object({ attStmt: Uint8Array.of(0xa0) })],
  ["authData as a string", object({ authData: "a".repeat(37) })],
  ["authData as an array", object({ authData: [...AUTH_DATA] })],
  ["a duplicate in the statement", object({ attStmt: unsorted([["alg", -7], ["alg", -257]]) })],
  ["a float in the statement", object({ attStmt: new Map([["alg", raw("f9c700")]]) })],
  ["a statement of five levels", object({ attStmt: new Map([["x5c", [[[1]]]]]) })],
];

for (const [why, bytes] of REFUSED) {
  Deno.test(`parseAttestationObject() refuses ${why}`, () => {
    const error = assertThrows(() => parseAttestationObject(bytes), CeremonyError);
    assertEquals(error.reason, "attestation_malformed");
  });
}
