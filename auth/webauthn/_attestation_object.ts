/**
 * Attestation objects, WebAuthn Level 3 §6.5.4.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";
import { decodeCbor, isCborMap } from "./_cbor.ts";
import { check, decodeOr } from "./_failure.ts";
import type { CborMap } from "./types.ts";

/** A parsed attestation object. Bytes share the memory of the input. */
export interface AttestationObject {
  /** Attestation statement format, §8.1. */
  readonly fmt: string;
  /** Attestation statement: `attStmt`. */
  readonly statement: CborMap;
  /** Authenticator data. */
  readonly authData: Bytes;
}

const MAX_BYTES = 49_152;

/** §8.1: at most 32 printable ASCII characters except the quotation mark and the backslash. */
const FORMAT_REGEXP = /^[!#-[\]-~]{1,32}$/;

const MALFORMED = "attestation_malformed";

/**
 * Parses an attestation object: exactly three members, in any order, since TPMs and Firefox do not sort them.
 *
 * @throws {CeremonyError} `attestation_malformed` if it is malformed, longer than 48 KiB, or continues after the object.
 */
export function parseAttestationObject(bytes: Bytes): AttestationObject {
  check(bytes.length <= MAX_BYTES, MALFORMED);
  const object = decodeOr(MALFORMED, () => decodeCbor(bytes, { anyKeyOrder: true }));
  check(isCborMap(object) && object.size === 3, MALFORMED);
  const fmt = object.get("fmt");
  const statement = object.get("attStmt");
  const authData = object.get("authData");
  check(typeof fmt === "string" && FORMAT_REGEXP.test(fmt), MALFORMED);
  check(isCborMap(statement) && authData instanceof Uint8Array, MALFORMED);
  return { fmt, statement, authData };
}
