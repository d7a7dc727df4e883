/**
 * Patterns of template literal types: written by the compiler, and read back for validators, which match them without
 * backtracking.
 *
 * @module
 */

/** The placeholders of a template, and their patterns. */
export const PLACEHOLDERS = {
  number: "-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?",
  bigint: "-?\\d+",
  string: "[\\s\\S]*",
} as const;

/** Name of a placeholder. */
export type Placeholder = keyof typeof PLACEHOLDERS;

/** A part of a template: a literal text, or a placeholder. */
export type TemplatePart = { readonly text: string } | { readonly placeholder: Placeholder };

/** The pattern of a template. */
export function templatePattern(parts: readonly TemplatePart[]): string {
  const sources = parts.map((part) =>
    "text" in part ? escaped(part.text) : PLACEHOLDERS[part.placeholder]
  );
  return `^${sources.join("")}$`;
}

/** The template that has a pattern; `undefined` if none has. */
export function templateOf(pattern: string): readonly TemplatePart[] | undefined {
  if (!pattern.startsWith("^") || !pattern.endsWith("$")) return undefined;
  const parts: TemplatePart[] = [];
  for (let rest = pattern.slice(1, -1); rest !== "";) {
    const placeholder = NAMES.find((name) => rest.startsWith(PLACEHOLDERS[name]));
    const source = placeholder === undefined
      ? LITERAL_REGEXP.exec(rest)?.[0]
      : PLACEHOLDERS[placeholder];
    if (source === undefined) return undefined;
    parts.push(
      placeholder === undefined ? { text: source.replace(/\\(.)/g, "$1") } : { placeholder },
    );
    rest = rest.slice(source.length);
  }
  return parts;
}

/** The pattern of a number starts with that of a bigint. */
const NAMES: readonly Placeholder[] = ["number", "bigint", "string"];

/** A minus before an unescaped question mark is the first character of a number. */
const LITERAL_REGEXP = /^(?:(?!-\?)[^\\^$.*+?()[\]{}|/]|\\[\\^$.*+?()[\]{}|/])+/;

/** Escapes a string for a regular expression with the flag `u`, in which only syntax characters may be escaped. */
function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
