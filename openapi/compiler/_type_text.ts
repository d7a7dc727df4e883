/**
 * Template literal types as regular expressions.
 *
 * @module
 */

import type ts from "typescript";
import type { SchemaObject } from "../../router/openapi_types.ts";

/** Texts of the types that a template literal has places for. */
const NUMBER = "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
const BIGINT = "-?\\d+";
const ANY = "[\\s\\S]*";

/** The schema of a template literal type: `note-${number}` has a pattern. */
export function templateSchema(
  compiler: typeof ts,
  { texts, types }: ts.TemplateLiteralType,
): SchemaObject {
  const source = texts.map((text, i) => {
    const place = types[i];
    return escaped(text) + (place === undefined ? "" : placeSource(compiler, place));
  }).join("");
  return { type: "string", pattern: `^${source}$` };
}

/** What stands in a place. The checker has taken texts and unions into the template already. */
function placeSource(compiler: typeof ts, type: ts.Type): string {
  const { Number: number, BigInt: bigint } = compiler.TypeFlags;
  const parts = type.isIntersection() ? type.types : [type]; // a brand
  if (parts.some(({ flags }) => (flags & number) !== 0)) return NUMBER;
  if (parts.some(({ flags }) => (flags & bigint) !== 0)) return BIGINT;
  return ANY;
}

/** A text in a regular expression that has the flag `u`, where only syntax characters may be escaped. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
