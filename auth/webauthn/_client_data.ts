/**
 * Client data, WebAuthn Level 3 §5.8.1, and the origin of a ceremony.
 *
 * @module
 */

import type { Bytes } from "../_bytes.ts";
import { parseOrigin } from "../_origin.ts";
import { parseStrictObject } from "../_strict_json.ts";
import { CeremonyError, check, decodeOr } from "./_failure.ts";

/** Parsed client data. Other members are ignored, as §5.8.1 requires; `tokenBinding` is one of them since Level 3. */
export interface ClientData {
  /** `webauthn.create` or `webauthn.get`. */
  readonly type: string;
  /** The challenge, base64url. */
  readonly challenge: string;
  /** Origin of the page. */
  readonly origin: string;
  /** Whether the page was in a frame of another origin; {@linkcode checkOrigin} checks it. */
  readonly crossOrigin?: unknown;
  /** Origin of the outermost page; {@linkcode checkOrigin} checks it. */
  readonly topOrigin?: unknown;
}

/** The origins that a relying party trusts. */
export interface TrustedOrigins {
  /** Origins of its pages. */
  readonly origins: readonly string[];
  /** Origins of pages that may show them in a frame. */
  readonly topOrigins: readonly string[];
  /** Whether a frame is accepted although the browser does not say whose page it is in. */
  readonly insecureMissingTopOrigin: boolean;
}

const MAX_BYTES = 8_192;
const MAX_DEPTH = 8;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const MALFORMED = "client_data_malformed";

/**
 * Parses client data, §7.1 steps 5 and 6: "UTF-8 decode" removes one byte order mark.
 *
 * @throws {CeremonyError} `client_data_malformed` if it is longer than 8 KiB or not UTF-8, is not a JSON object or has duplicate
 * names, is nested deeper than 8 levels, or lacks a member.
 */
export function parseClientData(bytes: Bytes): ClientData {
  check(bytes.length <= MAX_BYTES, MALFORMED);
  const hasMark = BYTE_ORDER_MARK.every((byte, i) => bytes[i] === byte);
  const json = hasMark ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  const data = decodeOr(MALFORMED, () => parseStrictObject(json));
  const { type, challenge, origin, crossOrigin, topOrigin } = data;
  check(
    typeof type === "string" && typeof challenge === "string" && typeof origin === "string",
    MALFORMED,
  );
  check(isWithin(MAX_DEPTH, data), MALFORMED);
  return { type, challenge, origin, crossOrigin, topOrigin };
}

/**
 * Checks where a ceremony took place, §7.1 steps 9 to 11 and §7.2 steps 12 to 14. Origins are equal if their characters are: a
 * comparison of hosts would accept other schemes and ports (CVE-2026-30964).
 *
 * @throws {CeremonyError} `origin_unexpected`, `cross_origin`, `client_data_malformed` or `top_origin_unexpected`.
 */
export function checkOrigin(
  { origin, crossOrigin = false, topOrigin }: ClientData,
  { origins, topOrigins, insecureMissingTopOrigin }: TrustedOrigins,
): void {
  if (!origins.includes(origin)) {
    throw new CeremonyError("origin_unexpected", { detail: parseOrigin(origin)?.origin });
  }
  check(typeof crossOrigin === "boolean", "cross_origin");
  if (topOrigin === undefined) {
    check(!crossOrigin || insecureMissingTopOrigin, "cross_origin");
    return;
  }
  check(crossOrigin, MALFORMED);
  check(topOrigins.length > 0, "cross_origin");
  check(topOrigins.some((trusted) => trusted === topOrigin), "top_origin_unexpected");
}

/** Whether objects and arrays are nested no deeper than a number of levels. */
function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(levels - 1, member));
}
