/**
 * Template literal types as regular expressions.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";

/** Patterns of the types in a template literal. */
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

/** The pattern of a placeholder. The checker has already merged strings and unions into the template. */
function placeSource(compiler: typeof ts, type: ts.Type): string {
  const { Number: number, BigInt: bigint } = compiler.TypeFlags;
  const parts = type.isIntersection() ? type.types : [type]; // a brand
  if (parts.some(({ flags }) => (flags & number) !== 0)) return NUMBER;
  if (parts.some(({ flags }) => (flags & bigint) !== 0)) return BIGINT;
  return ANY;
}

/** Escapes a string for a regular expression with the flag `u`, in which only syntax characters may be escaped. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
