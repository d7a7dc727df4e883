/**
 * Template literal types as regular expressions.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { type Placeholder, templatePattern } from "../_template_pattern.ts";

/** The schema of a template literal type: `note-${number}` has a pattern. */
export function templateSchema(
  compiler: typeof ts,
  { texts, types }: ts.TemplateLiteralType,
): SchemaObject {
  const parts = texts.flatMap((text, i) => {
    const type = types[i];
    return type === undefined ? [{ text }] : [{ text }, { placeholder: kindOf(compiler, type) }];
  });
  return { type: "string", pattern: templatePattern(parts) };
}

/** The kind of a placeholder. The checker has already merged strings and unions into the template. */
function kindOf(compiler: typeof ts, type: ts.Type): Placeholder {
  const { Number: number, BigInt: bigint } = compiler.TypeFlags;
  const parts = type.isIntersection() ? type.types : [type]; // a brand
  if (parts.some(({ flags }) => (flags & number) !== 0)) return "number";
  return parts.some(({ flags }) => (flags & bigint) !== 0) ? "bigint" : "string";
}
