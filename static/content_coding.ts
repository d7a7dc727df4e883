/**
 * Content codings of compressed siblings, and which of them a client prefers: RFC 9110 §8.4.1 and §12.5.3.
 *
 * @module
 */

import { readWeights } from "./weights.ts";

/** A content coding that files are stored in. */
export type ContentCoding = "br" | "zstd" | "gzip";

/** Codings and the extensions of their files, in the order of a server's preference. */
export const EXTENSIONS: Readonly<Record<ContentCoding, string>> = {
  br: ".br",
  zstd: ".zst",
  gzip: ".gz",
};

/**
 * The codings that a client prefers to unencoded contents, best first. These contents are sent if there is none, even to a
 * client that does not accept them: a server may disregard the field (§12.4.1), and anybody can read them.
 *
 * @param field The field `Accept-Encoding`.
 * @param offered Codings that a mount has, in the order of its preference.
 */
export function preferredCodings(
  field: string | null,
  offered: readonly ContentCoding[],
): readonly ContentCoding[] {
  if (field === null) return [];
  const weights = readWeights(field);
  const others = weights.get("*") ?? 0;
  const identity = weights.get("identity") ?? others;
  const weightOf = (coding: ContentCoding): number =>
    weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? others;
  return offered
    .filter((coding) => weightOf(coding) > 0 && weightOf(coding) >= identity)
    .sort((a, b) => weightOf(b) - weightOf(a)); // stable
}
