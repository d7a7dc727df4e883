/**
 * The key types of JSON Web Keys: their members and the checks of their values, one row for each type; `use` and `key_ops`.
 *
 * @module
 */

import { decodeBase64Url } from "../_base64url.ts";
import type { Bytes } from "../_bytes.ts";
import {
  coordinateBytes,
  isEd25519Point,
  isOnCurve,
  isScalar,
  validateRsaModulus,
} from "./key_checks.ts";
import { JWA, type JwaAlgorithm, type JwaRow, type KeyType } from "./jwa.ts";
import type { Jwk } from "./types.ts";

/** Decoded binary members of a key. */
export type KeyBytes = Readonly<Record<string, Bytes>>;

/** What is known about a key type. */
export interface KeyKind {
  /** Required public members, in the order of RFC 7638 §3.2. */
  readonly members: readonly string[];
  /** Further members of a private key. */
  readonly privateMembers: readonly string[];
  /** Why its values are invalid; `undefined` if they are valid. */
  validate(bytes: KeyBytes, row: JwaRow): string | undefined;
}

/** One row for each type. */
export const KEY_KINDS: { readonly [K in KeyType]: KeyKind } = {
  // RFC 7518 §6.4
  oct: {
    members: ["k", "kty"],
    privateMembers: [],
    validate({ k }, { hashBytes }) {
      const length = k?.length ?? 0;
      return length < hashBytes // RFC 7518 §3.2
        ? `the secret has ${length} bytes, at least ${hashBytes} are needed`
        : undefined;
    },
  },
  // RFC 7518 §6.3
  RSA: {
    members: ["e", "kty", "n"],
    privateMembers: ["d", "p", "q", "dp", "dq", "qi"],
    validate({ n, e, ...others }) {
      const numbers = [n, e, ...Object.values(others)];
      if (numbers.some((number) => (number?.[0] ?? 0) === 0)) {
        return "a number is empty or has a leading zero"; // RFC 7518 §2
      }
      return n && e && validateRsaModulus(n, e);
    },
  },
  // RFC 7518 §6.2
  EC: {
    members: ["crv", "kty", "x", "y"],
    privateMembers: ["d"],
    validate({ x, y, d }, { crv = "" }) {
      const length = coordinateBytes(crv);
      if (x?.length !== length || y?.length !== length) return "a coordinate has the wrong length";
      if (x === undefined || y === undefined || !isOnCurve(crv, x, y)) {
        return "the point is not on the curve";
      }
      if (d !== undefined && (d.length !== length || !isScalar(crv, d))) {
        return "the private scalar is out of range";
      }
      return undefined;
    },
  },
  // RFC 8037 §2
  OKP: {
    members: ["crv", "kty", "x"],
    privateMembers: ["d"],
    validate({ x, d }) {
      if (x?.length !== 32) return "x has the wrong length";
      if (!isEd25519Point(x)) return "the point is not on the curve or has small order";
      return d !== undefined && d.length !== 32 ? "d has the wrong length" : undefined;
    },
  },
};

/** Members that are not binary. */
const NAMES: readonly string[] = ["kty", "crv"];

/** Whether a value names a supported key type. */
export function isKeyType(kty: unknown): kty is KeyType {
  return typeof kty === "string" && Object.hasOwn(KEY_KINDS, kty);
}

/** Decodes and checks members. @throws {TypeError} If one is missing or invalid. */
export function checkMembers(
  jwk: Readonly<Record<string, unknown>>,
  members: readonly string[],
  row: JwaRow,
): KeyBytes {
  if ("oth" in jwk) throw cannotImport("multi-prime RSA is not supported");
  try {
    const bytes = decodeMembers(jwk, members);
    checkValues(bytes, row);
    return bytes;
  } catch (error) {
    throw error instanceof SyntaxError
      ? cannotImport("a member is missing or not base64url")
      : error;
  }
}

/** Checks decoded members. @throws {TypeError} If one is invalid. */
export function checkValues(bytes: KeyBytes, row: JwaRow): void {
  const problem = KEY_KINDS[row.kty].validate(bytes, row);
  if (problem !== undefined) throw cannotImport(problem);
}

/** The error for a key that cannot be imported. */
export function cannotImport(state: string, cause?: unknown): TypeError {
  return new TypeError(`Cannot import key: ${state}`, cause === undefined ? undefined : { cause });
}

/** Decodes members. @throws {SyntaxError} If one is missing or not base64url. */
function decodeMembers(
  jwk: Readonly<Record<string, unknown>>,
  members: readonly string[],
): KeyBytes {
  const bytes: Record<string, Bytes> = {};
  for (const member of members) {
    if (NAMES.includes(member)) continue;
    const text = Object.hasOwn(jwk, member) ? jwk[member] : undefined;
    if (typeof text !== "string") {
      throw new SyntaxError(`Cannot decode: ${member} must be a string`);
    }
    bytes[member] = decodeBase64Url(text);
  }
  return bytes;
}

/** Why the declared type, curve, `alg`, `use` or `key_ops` of a key forbid a use; `undefined` if they allow it. */
export function validateKeyUse(
  jwk: Jwk,
  alg: JwaAlgorithm,
  usage: "sign" | "verify",
): string | undefined {
  const { kty, crv } = JWA[alg];
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) {
    return `it is not a key for ${alg}`;
  }
  if (jwk.alg !== undefined && jwk.alg !== alg) return "it is for another algorithm";
  if (jwk.use !== undefined && jwk.use !== "sig") return "its use is not sig"; // RFC 7517 §4.2
  return validateOperations(
    jwk,
    kty === "oct" ? [usage] : usage === "verify" ? ["verify", "sign"] : ["sign"],
  );
}

/** RFC 7517 §4.3. The public half of a private key may verify, although its key_ops are `sign`. */
function validateOperations(
  { key_ops: operations }: Jwk,
  wanted: readonly string[],
): string | undefined {
  if (operations === undefined) return undefined;
  const isValid = Array.isArray(operations) && new Set(operations).size === operations.length;
  return isValid && wanted.some((operation) => operations.includes(operation))
    ? undefined
    : "its key_ops do not allow it";
}
