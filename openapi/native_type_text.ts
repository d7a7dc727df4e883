/**
 * Template literal types as regular expressions.
 *
 * @module
 */

import type ts from "typescript";
import type { SchemaObject } from "../router/openapi_types.ts";

/** Texts of the types that a template literal has places for. */
const NUMBER = "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?";
const BIGINT = "-?\\d+";
const ANY = "[\\s\\S]*";

/** The schema of a template literal type: `note-${number}` has a pattern. */
export function templateSchema(compiler: typeof ts, type: ts.TemplateLiteralType): SchemaObject {
  return { type: "string", pattern: `^${sourceOf(compiler, type)}$` };
}

function sourceOf(compiler: typeof ts, { texts, types }: ts.TemplateLiteralType): string {
  return texts.map((text, i) => {
    const place = types[i];
    return escaped(text) + (place === undefined ? "" : placeSource(compiler, place));
  }).join("");
}

function placeSource(compiler: typeof ts, type: ts.Type): string {
  const { Number: number, BigInt: bigint, TemplateLiteral } = compiler.TypeFlags;
  if ((type.flags & number) !== 0) return NUMBER;
  if ((type.flags & bigint) !== 0) return BIGINT;
  if ((type.flags & TemplateLiteral) !== 0) {
    return sourceOf(compiler, type as ts.TemplateLiteralType);
  }
  if (type.isUnion()) {
    return `(?:${type.types.map((one) => placeSource(compiler, one)).join("|")})`;
  }
  return type.isStringLiteral() ? escaped(type.value) : ANY;
}

/** A text in a regular expression that has the flag `u`, where only syntax characters may be escaped. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
