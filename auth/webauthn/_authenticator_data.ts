/**
 * Authenticator data: WebAuthn Level 3 §6.1, attested credential data §6.5.1.
 *
 * @module
 */

import { type Bytes, encodeHex } from "../_bytes.ts";
import { decodeCborItem, isCborMap } from "./_cbor.ts";
import { check, decodeOr } from "./_failure.ts";
import type { CborMap } from "./types.ts";

/** Parsed authenticator data. Bytes share the memory of the input. */
export interface AuthenticatorData {
  /** SHA-256 of the relying party's domain. */
  readonly rpIdHash: Bytes;
  /** UP: the user was present. */
  readonly userPresent: boolean;
  /** UV: the authenticator verified the user. */
  readonly userVerified: boolean;
  /** BE: the credential can be backed up; it never changes. */
  readonly backupEligible: boolean;
  /** BS: the credential is backed up. */
  readonly backedUp: boolean;
  /** Counts signatures; 0 if the authenticator does not. */
  readonly signCount: number;
  /** The credential that was created; usually absent from assertions. */
  readonly attested?: AttestedCredential | undefined;
  /** Outputs of authenticator extensions. */
  readonly extensions?: CborMap | undefined;
}

/** Attested credential data. */
export interface AttestedCredential {
  /** Identifies the make of the authenticator: a UUID in lower case. */
  readonly aaguid: string;
  /** Credential id, which can be longer than the 1,023 bytes of §7.1 step 25. */
  readonly credentialId: Bytes;
  /** COSE key, exactly as received: a canonical CBOR item. */
  readonly publicKey: Bytes;
}

/** Lengths in bytes. */
const HEADER = 37;
const ATTESTED_HEADER = 18;

/** Bits of the flags. Bits 1 and 5 are reserved: they are ignored. */
const UP = 0x01;
const UV = 0x04;
const BE = 0x08;
const BS = 0x10;
const AT = 0x40;
const ED = 0x80;

const MALFORMED = "authenticator_data_malformed";

/**
 * Parses authenticator data.
 *
 * @throws {CeremonyError} `authenticator_data_malformed` if it is cut, continues after what the flags say, or a part is not
 * canonical CBOR.
 */
export function parseAuthenticatorData(bytes: Bytes): AuthenticatorData {
  check(bytes.length >= HEADER, MALFORMED);
  const flags = bytes[32] ?? 0;
  const attested = flags & AT ? parseAttested(bytes) : undefined;
  const start = attested?.end ?? HEADER;
  const extensions = flags & ED ? parseExtensions(bytes, start) : undefined;
  check((extensions?.end ?? start) === bytes.length, MALFORMED);
  return {
    rpIdHash: bytes.subarray(0, 32),
    userPresent: (flags & UP) !== 0,
    userVerified: (flags & UV) !== 0,
    backupEligible: (flags & BE) !== 0,
    backedUp: (flags & BS) !== 0,
    signCount: new DataView(bytes.buffer, bytes.byteOffset).getUint32(33),
    attested: attested?.credential,
    extensions: extensions?.map,
  };
}

function parseAttested(
  bytes: Bytes,
): { readonly credential: AttestedCredential; readonly end: number } {
  const idStart = HEADER + ATTESTED_HEADER;
  const length = (bytes[idStart - 2] ?? 0) << 8 | (bytes[idStart - 1] ?? 0);
  const idEnd = idStart + length;
  check(length > 0 && idEnd < bytes.length, MALFORMED);
  const { end } = decodeOr(MALFORMED, () => decodeCborItem(bytes, idEnd));
  const credential = {
    aaguid: toUuid(bytes.subarray(HEADER, HEADER + 16)),
    credentialId: bytes.subarray(idStart, idEnd),
    publicKey: bytes.subarray(idEnd, end),
  };
  return { credential, end };
}

/** §6.1.1: one map whose keys are extension identifiers, §9.1. */
function parseExtensions(
  bytes: Bytes,
  start: number,
): { readonly map: CborMap; readonly end: number } {
  const { value, end } = decodeOr(MALFORMED, () => decodeCborItem(bytes, start));
  check(isCborMap(value), MALFORMED);
  check([...value.keys()].every((key) => typeof key === "string"), MALFORMED);
  return { map: value, end };
}

function toUuid(bytes: Bytes): string {
  return encodeHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
