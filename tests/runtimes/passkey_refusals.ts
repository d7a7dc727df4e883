/**
 * Responses of authenticators and pages with one thing changed, and the reason for which each is refused on every runtime.
 *
 * @module
 */

import { type Bytes, concatBytes, decodeHex, encodeHex } from "../../auth/_bytes.ts";
import type { WebAuthnFailure } from "../../auth/events.ts";
import {
  attester,
  type CreateChange,
  type GetChange,
  type ResponseJson,
  selfAttester,
} from "../auth/webauthn/_authenticator.ts";
import { derItem, derSignature, readDerSignature } from "../auth/webauthn/_authenticator_keys.ts";
import type { Encodable } from "../auth/webauthn/_cbor.ts";

/** What is changed, and why it is refused. */
export interface PasskeyRefusal<Change> {
  readonly why: string;
  readonly reason: WebAuthnFailure;
  readonly change: Change;
}

/** Order of the group of P-256, SP 800-186 §3.2.1.3. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const ZERO: Bytes = Uint8Array.of(0);

/** Members of the COSE key replaced. */
function key(...members: readonly (readonly [number, Encodable])[]): NonNullable<
  CreateChange["coseKey"]
> {
  return (own) => new Map([...own, ...members]);
}

function bytesOf(integer: bigint): Bytes {
  return decodeHex(integer.toString(16).padStart(64, "0"));
}

function toInteger(bytes: Bytes): bigint {
  return BigInt(`0x${encodeHex(bytes)}`);
}

/** A member of the response in the page's JSON, changed. */
function member(name: string, change: (text: string) => string): Pick<CreateChange, "json"> {
  const json = (given: ResponseJson) => ({
    ...given,
    response: { ...given.response, [name]: change(String(given.response[name])) },
  });
  return { json };
}

const withByte = (bytes: Bytes) => concatBytes(bytes, ZERO);

/** Registrations. Keys are of ES256 unless a row says otherwise. */
export const REGISTRATION_REFUSALS: readonly PasskeyRefusal<CreateChange>[] = [
  {
    why: "a point that is not on the curve",
    reason: "key_invalid",
    change: { coseKey: (own) => new Map([...own, [-3, own.get(-2) ?? null]]) },
  },
  {
    why: "the point 0, 0",
    reason: "key_invalid",
    change: { coseKey: key([-2, new Uint8Array(32)], [-3, new Uint8Array(32)]) },
  },
  {
    why: "a compressed point",
    reason: "key_invalid",
    change: { coseKey: key([-3, true]) },
  },
  {
    why: "a point of P-256 as one of P-384",
    reason: "key_invalid",
    change: { coseKey: key([3, -35], [-1, 2]) },
  },
  {
    why: "an Ed25519 key of small order",
    reason: "key_invalid",
    change: { algorithm: -8, coseKey: key([-2, new Uint8Array(32)]) },
  },
  {
    why: "an Ed25519 key that is not a point",
    reason: "key_invalid",
    change: { algorithm: -8, coseKey: key([-2, Uint8Array.of(2, ...new Uint8Array(31))]) },
  },
  {
    why: "a modulus of 1,024 bits",
    reason: "key_invalid",
    change: { algorithm: -257, coseKey: key([-1, new Uint8Array(128).fill(255)]) },
  },
  {
    why: "the algorithm RS1",
    reason: "algorithm_unsupported",
    change: { algorithm: -257, coseKey: key([3, -65_535]) },
  },
  {
    why: "a byte after the attestation object",
    reason: "attestation_malformed",
    change: { attestationObject: withByte },
  },
  {
    why: "a byte after the authenticator data",
    reason: "authenticator_data_malformed",
    change: { authData: withByte },
  },
  {
    why: "self attestation with an empty signature",
    reason: "attestation_invalid",
    change: {
      attester: attester("packed", new Map<Encodable, Encodable>([["alg", -7], ["sig", ZERO]])),
    },
  },
  {
    why: "self attestation of other data",
    reason: "attestation_invalid",
    change: {
      attester: {
        fmt: "packed",
        statement: (signed, own) => selfAttester().statement(withByte(signed), own),
      },
    },
  },
  {
    why: "self attestation of another algorithm",
    reason: "attestation_invalid",
    change: { attester: selfAttester(-8) },
  },
  {
    why: "client data that is not UTF-8",
    reason: "client_data_malformed",
    change: {
      clientDataBytes: (text) =>
        concatBytes(new TextEncoder().encode(text.slice(0, -1)), Uint8Array.of(0xff, 0x7d)),
    },
  },
  {
    why: "a duplicate name in client data",
    reason: "client_data_malformed",
    change: { clientDataBytes: (text) => text.replace("{", '{"origin":"https://evil.example",') },
  },
  {
    why: "padding after base64url",
    reason: "response_malformed",
    change: member("attestationObject", (text) => `${text}=`),
  },
  {
    why: "white space in base64url",
    reason: "response_malformed",
    change: member("clientDataJSON", (text) => `${text.slice(0, 4)}\n${text.slice(4)}`),
  },
];

/** Signatures of ES256, which are DER, changed after the authenticator has signed. */
const SIGNATURES: readonly (readonly [why: string, signature: (own: Bytes) => Bytes])[] = [
  ["an empty signature", () => new Uint8Array()],
  ["a signature of other data", (own) => own.map((byte, i) => i === own.length - 1 ? ~byte : byte)],
  ["r and s without DER", (own) => parts(own, (r, s) => concatBytes(fixed(r), fixed(s)))],
  ["r and s exchanged", (own) => parts(own, (r, s) => derSignature({ r: s, s: r }))],
  ["a byte after DER", withByte],
  ["a byte after s", (own) => derItem(0x30, withByte(own.subarray(2)))],
  [
    "a length in long form",
    (own) => concatBytes(Uint8Array.of(0x30, 0x81), own.subarray(1)),
  ],
  ["an indefinite length", (own) => concatBytes(Uint8Array.of(0x30, 0x80), own.subarray(2))],
  [
    "a zero more before r",
    (own) => parts(own, (r, s) => sequence(concatBytes(ZERO, ZERO, r), positive(s))),
  ],
  ["a negative r", (own) => parts(own, (_, s) => sequence(Uint8Array.of(0xff), positive(s)))],
  ["r of 0", (own) => parts(own, (_, s) => derSignature({ r: ZERO, s }))],
  ["s of 0", (own) => parts(own, (r) => derSignature({ r, s: ZERO }))],
  ["both 0", () => derSignature({ r: ZERO, s: ZERO })],
  ["s of the group's order", (own) => parts(own, (r) => derSignature({ r, s: bytesOf(ORDER) }))],
  [
    "s and the group's order",
    (own) => parts(own, (r, s) => derSignature({ r, s: evenHex(toInteger(s) + ORDER) })),
  ],
  ["half of it", (own) => own.subarray(0, own.length >> 1)],
];

/** Sign-ins with a passkey of ES256. */
export const SIGN_IN_REFUSALS: readonly PasskeyRefusal<GetChange>[] = [
  ...SIGNATURES.map(([why, signature]) => ({
    why,
    reason: "signature_invalid" as const,
    change: { signature },
  })),
  {
    why: "a byte after the authenticator data",
    reason: "authenticator_data_malformed",
    change: { authData: withByte },
  },
  {
    why: "extensions that are no map",
    reason: "authenticator_data_malformed",
    change: { extensions: [] },
  },
  {
    why: "another origin",
    reason: "origin_unexpected",
    change: { clientData: { origin: "https://example.com.evil.example" } },
  },
  { why: "another domain", reason: "rp_id_mismatch", change: { rpId: "evil.example" } },
  {
    why: "client data of a registration",
    reason: "type_wrong",
    change: { clientData: { type: "webauthn.create" } },
  },
  { why: "no user verification", reason: "user_unverified", change: { flags: { uv: false } } },
  {
    why: "the letters of plain base64",
    reason: "response_malformed",
    change: member("signature", (text) => `${text.slice(0, 4)}+/${text.slice(6)}`),
  },
];

/** Unusual sign-ins that the standards allow. */
export const ACCEPTED_SIGN_INS: readonly { readonly why: string; readonly change: GetChange }[] = [
  { why: "nothing changed", change: {} },
  {
    why: "the other s, which ECDSA accepts too",
    change: {
      signature: (own) =>
        parts(own, (r, s) => derSignature({ r, s: bytesOf(ORDER - toInteger(s)) })),
    },
  },
  {
    why: "a byte order mark, which UTF-8 decode removes",
    change: { clientDataBytes: (text) => `\ufeff${text}` },
  },
  { why: "reserved flags", change: { flags: { rfu1: true, rfu2: true } } },
  { why: "an extension", change: { extensions: new Map([["x", 1]]) } },
];

function parts(signature: Bytes, write: (r: Bytes, s: Bytes) => Bytes): Bytes {
  const { r, s } = readDerSignature(signature);
  return write(r, s);
}

function sequence(r: Bytes, s: Bytes): Bytes {
  return derItem(0x30, concatBytes(derItem(2, r), derItem(2, s)));
}

/** The contents of an INTEGER that is not negative. */
function positive(integer: Bytes): Bytes {
  return (integer[0] ?? 0) > 0x7f ? concatBytes(ZERO, integer) : integer;
}

/** 32 bytes. */
function fixed(integer: Bytes): Bytes {
  return bytesOf(toInteger(integer));
}

function evenHex(integer: bigint): Bytes {
  const digits = integer.toString(16);
  return decodeHex(digits.length % 2 === 0 ? digits : `0${digits}`);
}
