/**
 * The types of keys in JSON: which members each has, and what they must be. One row for each type. And whether a key is
 * as its row says.
 *
 * @module
 */

import { decodeBase64Url } from "../_base64url.ts";
import type { Bytes } from "../_bytes.ts";
import {
  coordinateBytes,
  isEd25519Point,
  isOnCurve,
  isPrivateScalar,
  validateRsaModulus,
} from "./_key_checks.ts";
import { JWA, type JwaAlgorithm, type JwaRow, type KeyType } from "./jwa.ts";
import type { Jwk } from "./types.ts";

/** Members of a key that are bytes, decoded. */
export type KeyBytes = Readonly<Record<string, Bytes>>;

/** What is to be known of a type of keys. */
export interface KeyKind {
  /** Members that each of them has, in the order of RFC 7638 §3.2. */
  readonly members: readonly string[];
  /** Members that a private key has beside them. */
  readonly privateMembers: readonly string[];
  /** What is wrong with its numbers, if anything. */
  problem(bytes: KeyBytes, row: JwaRow): string | undefined;
}

/** One row for each type. */
export const KEY_KINDS: { readonly [K in KeyType]: KeyKind } = {
  // RFC 7518 §6.4
  oct: {
    members: ["k", "kty"],
    privateMembers: [],
    problem({ k }, { hashBytes }) {
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
    problem({ n, e, ...others }) {
      const numbers = [n, e, ...Object.values(others)];
      if (numbers.some((number) => (number?.[0] ?? 0) === 0)) {
        return "a number is empty, or has a zero in front"; // RFC 7518 §2
      }
      return n && e && validateRsaModulus(n, e);
    },
  },
  // RFC 7518 §6.2
  EC: {
    members: ["crv", "kty", "x", "y"],
    privateMembers: ["d"],
    problem({ x, y, d }, { crv = "" }) {
      const length = coordinateBytes(crv);
      if (x?.length !== length || y?.length !== length) return "a coordinate has a wrong length";
      if (x === undefined || y === undefined || !isOnCurve(crv, x, y)) {
        return "the point is not on the curve";
      }
      if (d !== undefined && (d.length !== length || !isPrivateScalar(crv, d))) {
        return "the private number is none";
      }
      return undefined;
    },
  },
  // RFC 8037 §2
  OKP: {
    members: ["crv", "kty", "x"],
    privateMembers: ["d"],
    problem({ x, d }) {
      if (x?.length !== 32) return "x has a wrong length";
      if (!isEd25519Point(x)) return "the point is not on the curve, or of a small order";
      return d !== undefined && d.length !== 32 ? "d has a wrong length" : undefined;
    },
  },
};

/** Members that are no bytes. */
const NAMES: readonly string[] = ["kty", "crv"];

/** Whether there are keys of a type. */
export function isKeyType(kty: unknown): kty is KeyType {
  return typeof kty === "string" && Object.hasOwn(KEY_KINDS, kty);
}

/** Decodes and checks members. @throws {TypeError} If one is missing or wrong. */
export function checkMembers(
  jwk: Readonly<Record<string, unknown>>,
  members: readonly string[],
  row: JwaRow,
): KeyBytes {
  if ("oth" in jwk) throw cannotImport("it has more than two primes");
  try {
    const bytes = decodeMembers(jwk, members);
    const problem = KEY_KINDS[row.kty].problem(bytes, row);
    if (problem === undefined) return bytes;
    throw cannotImport(problem);
  } catch (error) {
    throw error instanceof SyntaxError
      ? cannotImport("a member is missing, or no base64url")
      : error;
  }
}

/** A key that is not imported. */
export function cannotImport(state: string, cause?: unknown): TypeError {
  return new TypeError(`Cannot import key: ${state}`, cause === undefined ? undefined : { cause });
}

/** Decodes members. @throws {SyntaxError} If one is no text, or no base64url. */
function decodeMembers(
  jwk: Readonly<Record<string, unknown>>,
  members: readonly string[],
): KeyBytes {
  const bytes: Record<string, Bytes> = {};
  for (const member of members) {
    if (NAMES.includes(member)) continue;
    const text = Object.hasOwn(jwk, member) ? jwk[member] : undefined;
    if (typeof text !== "string") throw new SyntaxError(`Cannot decode: ${member} is no text`);
    bytes[member] = decodeBase64Url(text);
  }
  return bytes;
}

/** Why a key is not for an algorithm and a use, by what it says of itself; nothing if it is. */
export function validateKeyUse(
  jwk: Jwk,
  alg: JwaAlgorithm,
  usage: "sign" | "verify",
): string | undefined {
  const { kty, crv } = JWA[alg];
  if (jwk.kty !== kty || (crv !== undefined && jwk.crv !== crv)) return `it is no key of ${alg}`;
  if (jwk.alg !== undefined && jwk.alg !== alg) return "it is for another algorithm";
  if (jwk.use !== undefined && jwk.use !== "sig") return "its use is not sig"; // RFC 7517 §4.2
  return operationsProblem(
    jwk,
    kty === "oct" ? [usage] : usage === "verify" ? ["verify", "sign"] : ["sign"],
  );
}

/** RFC 7517 §4.3. The public half of a private key is for verifying, though the key says `sign`. */
function operationsProblem(
  { key_ops: operations }: Jwk,
  wanted: readonly string[],
): string | undefined {
  if (operations === undefined) return undefined;
  const isValid = Array.isArray(operations) && new Set(operations).size === operations.length;
  return isValid && wanted.some((operation) => operations.includes(operation))
    ? undefined
    : "its key_ops are for something else";
}
