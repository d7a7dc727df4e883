/**
 * Sign-ins whose signature is changed, from the catalogue of attacks.
 *
 * @module
 */

import type { Bytes } from "../../../auth/_bytes.ts";
import type { GetChange } from "./_authenticator.ts";
import { derItem, derSignature, readDerSignature } from "./_authenticator_keys.ts";
import { concat } from "./_cbor.ts";
import type { ChangedCeremony } from "./_changed_ceremony.ts";

const BYTE = Uint8Array.of(0);

/** Order of P-256, FIPS 186-5. */
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

type Pair = { readonly r: Bytes; readonly s: Bytes };

/** An ECDSA signature that is written in another way. */
function signed(edit: (pair: Pair) => Bytes): GetChange {
  return { signature: (signature) => edit(readDerSignature(signature)) };
}

function toBigInt(bytes: Bytes): bigint {
  return BigInt(`0x${bytes.toHex()}`);
}

function fromBigInt(value: bigint): Bytes {
  return Uint8Array.fromHex(value.toString(16).padStart(64, "0"));
}

/** Two integers as they are, without the zero that a positive one may need. */
function derOf(r: Bytes, s: Bytes): Bytes {
  return derItem(0x30, concat(derItem(2, r), derItem(2, s)));
}

/** r and s of 32 bytes each. */
function padded(bytes: Bytes): Bytes {
  return fromBigInt(toBigInt(bytes));
}

/** Each row once. */
export const CHANGED_SIGNATURES: readonly ChangedCeremony<GetChange>[] = [
  {
    why: "an empty signature",
    change: { signature: () => new Uint8Array() },
    ends: "signature_invalid",
  },
  {
    why: "a byte after the signature",
    change: { signature: (bytes) => concat(bytes, BYTE) },
    ends: "signature_invalid",
    differs: "§7.2 step 21: RFC 3279 §2.2.3, DER",
  },
  {
    why: "a length in the long form",
    change: signed((pair) => {
      const content = derSignature(pair).slice(2);
      return concat(Uint8Array.of(0x30, 0x81, content.length), content);
    }),
    ends: "signature_invalid",
    differs: "§7.2 step 21: X.690 §10.1",
  },
  {
    why: "an integer with a zero more",
    change: signed(({ r, s }) =>
      derOf(concat(Uint8Array.of(0, 0), padded(r)), concat(BYTE, padded(s)))
    ),
    ends: "signature_invalid",
  },
  {
    why: "negative integers",
    change: signed(({ r, s }) =>
      derOf(concat(Uint8Array.of(0xff), padded(r)), concat(Uint8Array.of(0xff), padded(s)))
    ),
    ends: "signature_invalid",
  },
  {
    why: "r = 0",
    change: signed(({ s }) => derSignature({ r: BYTE, s })),
    ends: "signature_invalid",
  },
  {
    why: "r = s = n",
    change: signed(() => derSignature({ r: fromBigInt(N), s: fromBigInt(N) })),
    ends: "signature_invalid",
  },
  {
    why: "r and s concatenated",
    change: signed(({ r, s }) => concat(padded(r), padded(s))),
    ends: "signature_invalid",
  },
  {
    why: "s replaced by n - s, as any authenticator may",
    change: signed(({ r, s }) => derSignature({ r, s: fromBigInt(N - toBigInt(s)) })),
    ends: "accept",
  },
  {
    why: "RS256 with a zero before the signature",
    registered: { algorithm: -257 },
    change: { signature: (bytes) => concat(BYTE, bytes) },
    ends: "signature_invalid",
  },
  {
    why: "EdDSA with a byte after the signature",
    registered: { algorithm: -8 },
    change: { signature: (bytes) => concat(bytes, BYTE) },
    ends: "signature_invalid",
  },
  { why: "EdDSA", registered: { algorithm: -8 }, ends: "accept" },
  { why: "PS512", registered: { algorithm: -39 }, ends: "accept" },
  { why: "ES512", registered: { algorithm: -36 }, ends: "accept" },
];
